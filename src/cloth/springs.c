// Springs: a force model. A regular grid uses the stencil of grid_springs.h, any other mesh the
// stars of spring_stars.h, and a grid whose springs differ the list here. With d = xa - xb, l =
// |d|, u = d/l, rest length L and r = 1 - L/l:
//   E   = k/2 (l - L)^2
//   f_a = -k (l - L) u = -f_b
//   B   = k [ u u' + t (I - u u') ]  added to K_aa and K_bb, -B to K_ab and K_ba; t by Tangent
// Under compression r < 0: the true tangent is indefinite, which is buckling. Clamping r to 0 keeps
// K positive semi-definite, so that PCG applies (Choi & Ko 2002).
// Damping is  -alpha k [ u u' + t (I - u u') ] w,  w = va - vb, on a, the opposite on b:
//   Rayleigh    t = max(r, 0), so D = alpha K_clamped: under tension it resists turning
//   projected   t = 0: only along the spring
//   difference  t = 1: resists turning always, the mistake the sources warn of
// A spring of length zero has no direction, so it has neither force nor stiffness (LENGTH_TINY).
// Checked against finite differences in test_cloth.c.
#include "cloth/block_law.h"
#include "cloth/cloth.h"
#include "cloth/grid_springs.h"
#include "cloth/spring_list.h"
#include "cloth/spring_stars.h"

#include <math.h>
#include <string.h>

// max(r, 0) without a branch
static double positive(double r)
{
    return 0.5 * (r + fabs(r));
}

static double damping_transverse(DampingLaw law, double r)
{
    return law.t0 + law.t1 * positive(r);
}

static double tangent_transverse(Tangent tangent, double r)
{
    switch (tangent) {
    case TANGENT_TAUT:
    case TANGENT_CLAMPED:
        return positive(r);
    case TANGENT_FULL:
        return r;
    case TANGENT_LAPLACIAN:
        return 1.0;
    case TANGENT_AXIAL:
        break;
    }
    return 0.0;
}

static double add_forces(const Cloth *cloth, const double *x, const double *v, double *f)
{
    const Mesh *mesh = &cloth->mesh;
    double alpha = cloth->material.alpha, power = 0.0;
    DampingLaw law = damping_law(&cloth->material);
    for (int s = 0; s < mesh->spring_count; s++) {
        int a = mesh->springs[s][0], b = mesh->springs[s][1];
        double k = cloth->spring_stiffness[s];
        Vec3 d = vec3_sub(mesh_vector(mesh, x, a), mesh_vector(mesh, x, b));
        double l2 = vec3_dot(d, d);
        if (!(l2 > LENGTH_TINY * LENGTH_TINY)) continue;
        // The square root and the division do not wait for each other.
        double l = sqrt(l2), inverse2 = 1.0 / l2, ratio = cloth->rest_length[s] * l * inverse2;
        double along = k * (ratio - 1.0); // N/m: the force on a is `along` d
        Vec3 force = {0};
        if (alpha > 0.0) {
            Vec3 w = vec3_sub(mesh_vector(mesh, v, a), mesh_vector(mesh, v, b));
            double t = damping_transverse(law, 1.0 - ratio), closing = vec3_dot(d, w);
            double pull = alpha * k * (1.0 - t) * inverse2 * closing;
            along -= pull;
            force = vec3_scale(-alpha * k * t, w);
            power += pull * closing + alpha * k * t * vec3_dot(w, w);
        }
        force = vec3_add_scaled(force, along, d);
        mesh_set_vector(mesh, f, a, vec3_add(mesh_vector(mesh, f, a), force));
        mesh_set_vector(mesh, f, b, vec3_sub(mesh_vector(mesh, f, b), force));
    }
    return power;
}

static bool all_forces(const Cloth *cloth, const double *x, const double *v, double *f,
                       double *power)
{
    if (!cloth->stars) return grid_springs_forces(cloth, x, v, f, power);
    spring_stars_forces(cloth, x, v, f, power);
    return true;
}

static bool step(const Cloth *cloth, const ForceStep *step, ForceSums *sums)
{
    if (!cloth->stars) return grid_springs_step(cloth, step, sums);
    spring_stars_step(cloth, step, sums);
    return true;
}

static double energy(const Cloth *cloth, const double *x)
{
    if (grid_springs_apply(cloth)) return grid_springs_energy(cloth, x);
    const Mesh *mesh = &cloth->mesh;
    double sum = 0.0;
    for (int s = 0; s < mesh->spring_count; s++) {
        Vec3 a = mesh_vector(mesh, x, mesh->springs[s][0]);
        Vec3 b = mesh_vector(mesh, x, mesh->springs[s][1]);
        double extension = vec3_length(vec3_sub(a, b)) - cloth->rest_length[s];
        sum += 0.5 * cloth->spring_stiffness[s] * extension * extension;
    }
    return sum;
}

// Unit vector and r of a spring; false when it has no direction.
static bool direction(const Cloth *cloth, const double *x, int s, Vec3 *u, double *r)
{
    const Mesh *mesh = &cloth->mesh;
    Vec3 a = mesh_vector(mesh, x, mesh->springs[s][0]),
         b = mesh_vector(mesh, x, mesh->springs[s][1]);
    Vec3 d = vec3_sub(a, b);
    double l = vec3_length(d);
    if (!(l > LENGTH_TINY)) return false;
    *u = vec3_scale(1.0 / l, d);
    *r = 1.0 - cloth->rest_length[s] / l;
    return true;
}

static void linearise(Cloth *cloth, const double *x, Tangent tangent)
{
    if (grid_springs_apply(cloth)) {
        grid_springs_linearise(cloth, x, tangent);
        return;
    }
    if (cloth->stars) {
        spring_stars_linearise(cloth, x, tangent);
        return;
    }
    const Mesh *mesh = &cloth->mesh;
    const Material *material = &cloth->material;
    for (int s = 0; s < mesh->spring_count; s++) {
        SpringTangent *stored = &cloth->tangents[s];
        *stored = (SpringTangent){0};
        double r, k = cloth->spring_stiffness[s];
        if (!direction(cloth, x, s, &stored->u, &r)) continue;
        double t = tangent_transverse(tangent, r);
        stored->isotropic = k * t;
        stored->axial = k * (1.0 - t);
        // Rayleigh: D = alpha K, with the K that the method uses
        if (material->damping != DAMPING_RAYLEIGH) t = damping_transverse(damping_law(material), r);
        stored->damping_isotropic = material->alpha * k * t;
        stored->damping_axial = material->alpha * k * (1.0 - t);
    }
}

static void product(const Cloth *cloth, const double *p, double *Kp)
{
    if (grid_springs_apply(cloth)) {
        grid_springs_product(cloth, p, Kp);
        return;
    }
    if (cloth->stars) {
        spring_stars_product(cloth, p, Kp);
        return;
    }
    spring_list_product(cloth, p, Kp);
}

static void damping_product(const Cloth *cloth, const double *p, double *Dp)
{
    if (grid_springs_apply(cloth)) {
        grid_springs_damping_product(cloth, p, Dp);
        return;
    }
    if (cloth->stars) {
        spring_stars_damping_product(cloth, p, Dp);
        return;
    }
    spring_list_damping_product(cloth, p, Dp);
}

static void product_at(const Cloth *cloth, const double *x, Tangent tangent, const double *p,
                       double *Kp)
{
    if (grid_springs_apply(cloth)) {
        grid_springs_product_at(cloth, x, tangent, p, Kp);
        return;
    }
    if (cloth->stars) {
        spring_stars_product_at(cloth, x, tangent, p, Kp);
        return;
    }
    const Mesh *mesh = &cloth->mesh;
    memset(Kp, 0, (size_t)mesh->dofs * sizeof *Kp);
    for (int s = 0; s < mesh->spring_count; s++) {
        double r, k = cloth->spring_stiffness[s];
        Vec3 u;
        if (!direction(cloth, x, s, &u, &r)) continue;
        double t = tangent_transverse(tangent, r);
        spring_list_add_product(
            mesh, s, &(SpringTangent){.u = u, .isotropic = k * t, .axial = k * (1.0 - t)}, p, Kp);
    }
}

static LinearOperator assemble(Cloth *cloth, double a, double b, double c)
{
    if (grid_springs_apply(cloth)) return grid_springs_assemble(cloth, a, b, c);
    if (cloth->stars) return spring_stars_assemble(cloth, a, b, c);
    return spring_list_assemble(cloth, a, b, c);
}

const ForceModel springs_model = {
    .name = "springs",
    .summary = "Masses joined by springs: along the threads, along the diagonals, and skipping a "
               "particle against folds.",
    .made_of_springs = true,
    .grid = GRID_MODEL_SPRINGS,
    .energy = energy,
    .all_forces = all_forces,
    .step = step,
    .add_forces = add_forces,
    .linearise = linearise,
    .product = product,
    .damping_product = damping_product,
    .assemble = assemble,
    .product_at = product_at,
};
