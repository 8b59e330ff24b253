// Springs that buckle: a force model after Choi & Ko, Stable but Responsive Cloth, SIGGRAPH 2002.
//
// Stretch and shear springs pull when they are longer than at rest and do nothing when shorter: the
// cloth buckles instead of resisting compression. Their tension is  T = k max(l - L, 0).
//
// A bend spring stands for the strip of cloth under it, of length L and flexural rigidity B. When
// it is longer than L, it does nothing. When it is shorter, the strip has bent into an arc of
// length L whose ends are l apart:
//   l/L = sin(phi) / phi,   phi = half the angle the arc turns through,   E = 2 B phi^2 / L
//   -T  = -dE/dl = (4 B / L^2) G(s),   s = phi^2,   G(s) = s / (sinc - cos),   3 <= G <= pi^2
//   dT/dl = (8 B / L^3) G G',          G'(s) = 3 / (2 (sinc - cos)) - s sinc / (2 (sinc - cos)^2)
// with sinc = sin(phi)/phi, cos = cos(phi). Newton's method finds s from l/L; sinc is convex in s.
// A straight strip buckles only above the force 12 B / L^2; below that it is compressed like a
// spring of stiffness k:  T = -min(k (L - l), that of the arc). With our choice
// B = k L^3 BUCKLING_STRAIN / 12, `bend` is the stiffness k before buckling, in N/m, and the strip
// buckles at the strain BUCKLING_STRAIN.
//
// dT/dl is never negative, so with the transverse part T/l clamped to 0 the tangent is positive
// semi-definite for every shape. Damping is that of springs.c with dT/dl in place of k.
#include "cloth/cloth.h"
#include "cloth/grid_springs.h"
#include "cloth/spring_list.h"

#include <math.h>

enum { NEWTON_STEPS = 3 };

typedef struct Response {
    double tension; // N, T
    double slope;   // N/m, dT/dl
} Response;

typedef struct Arc {
    double s, G, slope; // phi^2, G(s), G'(s)
} Arc;

// The arc whose ends are closer than its length by the share y, 0 < y <= 1.
static Arc arc_at(double y)
{
    // a fit of s(y), accurate to 0.14 %; after three Newton steps s, G and G' are exact to rounding
    Arc arc = {.s = y * (6.00288 + y * (1.60668 + y * (2.33040 + y * (-3.15940 + y * 3.07553))))};
    for (int k = 0; k < NEWTON_STEPS; k++) {
        double phi = sqrt(arc.s), sinc = sin(phi) / phi, gap = sinc - cos(phi);
        arc.G = arc.s / gap;
        arc.slope = 1.5 / gap - 0.5 * arc.s * sinc / (gap * gap);
        double change = 2.0 * arc.G * (sinc - (1.0 - y));
        arc.s += change;
        arc.G += arc.slope * change;
    }
    return arc;
}

static bool is_bend(const Cloth *cloth, int s)
{
    return s >= cloth->mesh.kind_start[SPRING_BEND];
}

static Response bend_response(double k, double L, double l)
{
    double y = 1.0 - l / L;
    Response straight = {-k * L * y, k};
    if (!(y > BUCKLING_STRAIN)) return straight; // G >= 3: the arc would push harder
    Arc arc = arc_at(y);
    Response bent = {-k * L * BUCKLING_STRAIN * arc.G / 3.0,
                     k * BUCKLING_STRAIN * arc.G * arc.slope / 1.5};
    return bent.tension < straight.tension ? straight : bent;
}

static Response respond(const Cloth *cloth, int s, double l)
{
    double k = cloth->spring_stiffness[s], L = cloth->rest_length[s];
    if (is_bend(cloth, s)) return l < L ? bend_response(k, L, l) : (Response){0};
    return l > L ? (Response){k * (l - L), k} : (Response){0};
}

// The strain at which the arc takes over from the straight strip:  y = BUCKLING_STRAIN G(y) / 3.
static double buckling_share(void)
{
    double y = BUCKLING_STRAIN;
    for (int k = 0; k < 5; k++) y = BUCKLING_STRAIN * arc_at(y).G / 3.0; // contracts by 6e-4
    return y;
}

static double energy(const Cloth *cloth, const double *x)
{
    if (grid_springs_apply(cloth)) return grid_springs_energy(cloth, x);
    const Mesh *mesh = &cloth->mesh;
    double sum = 0.0, y0 = buckling_share(), s0 = arc_at(y0).s;
    for (int s = 0; s < mesh->spring_count; s++) {
        double k = cloth->spring_stiffness[s], L = cloth->rest_length[s];
        double l = vec3_length(vec3_sub(mesh_vector(mesh, x, mesh->springs[s][0]),
                                        mesh_vector(mesh, x, mesh->springs[s][1])));
        bool bends = is_bend(cloth, s);
        if (bends ? l >= L : l <= L) continue;
        double y = 1.0 - l / L, share = 0.5 * y * y;
        if (bends && y > y0) {
            share = 0.5 * y0 * y0 + BUCKLING_STRAIN / 6.0 * (arc_at(y).s - s0);
        }
        sum += k * L * L * share;
    }
    return sum;
}

// Unit vector from b to a, and length; false when the spring has no direction.
static bool direction(const Mesh *mesh, const double *x, int s, Vec3 *u, double *l)
{
    Vec3 d = vec3_sub(mesh_vector(mesh, x, mesh->springs[s][0]),
                      mesh_vector(mesh, x, mesh->springs[s][1]));
    *l = vec3_length(d);
    if (!(*l > LENGTH_TINY)) return false;
    *u = vec3_scale(1.0 / *l, d);
    return true;
}

// The damping block  isotropic I + axial u u'  of a spring, without alpha.
static void damping_block(DampingKind kind, Response response, double l, double *isotropic,
                          double *axial)
{
    double transverse = kind == DAMPING_RAYLEIGH     ? fmax(response.tension, 0.0) / l
                        : kind == DAMPING_DIFFERENCE ? response.slope
                                                     : 0.0;
    *isotropic = transverse;
    *axial = response.slope - transverse;
}

static double add_forces(const Cloth *cloth, const double *x, const double *v, double *f)
{
    const Mesh *mesh = &cloth->mesh;
    double alpha = cloth->material.alpha, power = 0.0, l;
    Vec3 u;
    for (int s = 0; s < mesh->spring_count; s++) {
        int a = mesh->springs[s][0], b = mesh->springs[s][1];
        if (!direction(mesh, x, s, &u, &l)) continue;
        Response response = respond(cloth, s, l);
        if (response.slope == 0.0) continue; // slack
        Vec3 force = vec3_scale(-response.tension, u);
        if (alpha > 0.0) {
            double isotropic, axial;
            damping_block(cloth->material.damping, response, l, &isotropic, &axial);
            Vec3 w = vec3_sub(mesh_vector(mesh, v, a), mesh_vector(mesh, v, b));
            double closing = vec3_dot(u, w);
            force = vec3_add_scaled(force, -alpha * isotropic, w);
            force = vec3_add_scaled(force, -alpha * axial * closing, u);
            power += alpha * (isotropic * vec3_dot(w, w) + axial * closing * closing);
        }
        mesh_set_vector(mesh, f, a, vec3_add(mesh_vector(mesh, f, a), force));
        mesh_set_vector(mesh, f, b, vec3_sub(mesh_vector(mesh, f, b), force));
    }
    return power;
}

// The block of K for one spring; all zero for a slack spring or one without a direction.
static SpringTangent tangent_of(const Cloth *cloth, const double *x, int s, Tangent tangent)
{
    SpringTangent block = {0};
    double l, alpha = cloth->material.alpha;
    if (!direction(&cloth->mesh, x, s, &block.u, &l)) return block;
    Response response = respond(cloth, s, l);
    double slope = response.slope, transverse = 0.0;
    switch (tangent) {
    case TANGENT_FULL:
        transverse = response.tension / l;
        break;
    case TANGENT_CLAMPED:
        transverse = fmax(response.tension, 0.0) / l;
        break;
    case TANGENT_LAPLACIAN: // the same at every shape, so slack springs count too
        slope = transverse = cloth->spring_stiffness[s];
        break;
    case TANGENT_AXIAL:
        break;
    case TANGENT_TAUT:
        slope = cloth->spring_stiffness[s];
        transverse = fmax(response.tension, 0.0) / l;
        break;
    }
    block.isotropic = transverse;
    block.axial = slope - transverse;
    if (cloth->material.damping == DAMPING_RAYLEIGH) { // D = alpha K, with the method's K
        block.damping_isotropic = alpha * block.isotropic;
        block.damping_axial = alpha * block.axial;
    } else {
        double isotropic, axial;
        damping_block(cloth->material.damping, response, l, &isotropic, &axial);
        block.damping_isotropic = alpha * isotropic;
        block.damping_axial = alpha * axial;
    }
    return block;
}

static void linearise(Cloth *cloth, const double *x, Tangent tangent)
{
    if (grid_springs_apply(cloth)) {
        grid_springs_linearise(cloth, x, tangent);
        return;
    }
    for (int s = 0; s < cloth->mesh.spring_count; s++) {
        cloth->tangents[s] = tangent_of(cloth, x, s, tangent);
    }
}

static void product(const Cloth *cloth, const double *p, double *Kp)
{
    if (grid_springs_apply(cloth))
        grid_springs_product(cloth, p, Kp);
    else
        spring_list_product(cloth, p, Kp);
}

static void damping_product(const Cloth *cloth, const double *p, double *Dp)
{
    if (grid_springs_apply(cloth))
        grid_springs_damping_product(cloth, p, Dp);
    else
        spring_list_damping_product(cloth, p, Dp);
}

static LinearOperator assemble(Cloth *cloth, double a, double b, double c)
{
    return grid_springs_apply(cloth) ? grid_springs_assemble(cloth, a, b, c)
                                     : spring_list_assemble(cloth, a, b, c);
}

static void product_at(const Cloth *cloth, const double *x, Tangent tangent, const double *p,
                       double *Kp)
{
    if (grid_springs_apply(cloth)) {
        grid_springs_product_at(cloth, x, tangent, p, Kp);
        return;
    }
    const Mesh *mesh = &cloth->mesh;
    for (int i = 0; i < mesh->dofs; i++) Kp[i] = 0.0;
    for (int s = 0; s < mesh->spring_count; s++) {
        SpringTangent block = tangent_of(cloth, x, s, tangent);
        spring_list_add_product(mesh, s, &block, p, Kp);
    }
}

const ForceModel choi_ko_model = {
    .name = "choi-ko",
    .summary = "Springs that do not resist compression; those that skip a particle buckle into "
               "arcs, so folds form without a fight.",
    .goes_slack = true,
    .grid = GRID_MODEL_CHOI_KO,
    .energy = energy,
    .all_forces = grid_springs_forces,
    .step = grid_springs_step,
    .add_forces = add_forces,
    .linearise = linearise,
    .product = product,
    .damping_product = damping_product,
    .assemble = assemble,
    .product_at = product_at,
};
