// Energies of triangles and edges: a force model after Baraff & Witkin, Large Steps in Cloth
// Simulation, SIGGRAPH 1998. With E = k/2 C.C and, for a triangle of rest area A whose material
// directions u, v are mapped to w_u = dx/du, w_v = dx/dv (both linear in the corners):
//   stretch   C = A (|w_u| - 1, |w_v| - 1),   k = stretch / A
//   shear     C = A w_u . w_v,                k = shear / A
//   bend      C = angle at an inner edge minus its rest angle,
//             k = 4/3 BUCKLING_STRAIN bend spacing^2
// With these k the stiffness parameters mean the same as for springs, in N/m: a square grid is as
// stiff along its threads, and bends about as hard as the arcs of choi_ko.c. u is the x axis in the
// plane of the triangle at rest (the z axis where x is the normal), so threads run straight through
// the mesh.
//
// K = k (grad C grad C' + C hess C). Compression makes the second term negative. Of that term,
//   full      keeps all, exactly
//   clamped   keeps t = max(1 - 1/|w|, 0) across the thread for stretch, nothing for shear and bend
//   axial     keeps nothing: K = k grad C grad C'
//   Laplacian sets t = 1 for stretch, the same matrix at every shape; no shear, no bend
// Damping by alpha: Rayleigh D = alpha K; projected D = alpha k grad C grad C', as Baraff & Witkin
// do; difference, as for springs, also damps the turning of a thread (t = 1), which wrongly resists
// rigid motion. Checked against finite differences and reference data in test_models.c.
#include "cloth/baraff_witkin.h"

#include "cloth/grid_springs.h"
#include "cloth/hinge.h"

#include <math.h>
#include <string.h>

static void gather(const Mesh *mesh, const double *flat, const int *corner, int count, Vec3 *out)
{
    for (int k = 0; k < count; k++) out[k] = mesh_vector(mesh, flat, corner[k]);
}

static double thread_stiffness(const Cloth *cloth, const BwTriangle *triangle, SpringKind kind)
{
    return cloth->material.stiffness[kind] * triangle->area * triangle->factor; // k A^2, N m
}

static double bend_stiffness(const Cloth *cloth, const BwBend *bend)
{
    double spacing = cloth->mesh.spacing;
    return 4.0 / 3.0 * BUCKLING_STRAIN * spacing * spacing * bend->factor *
           cloth->material.stiffness[SPRING_BEND]; // N m
}

// sum weight y over the corners, for both directions
static void map(const BwTriangle *triangle, const Vec3 y[3], Vec3 w[2])
{
    for (int d = 0; d < 2; d++) {
        w[d] = vec3_scale(triangle->weight[d][0], y[0]);
        w[d] = vec3_add_scaled(w[d], triangle->weight[d][1], y[1]);
        w[d] = vec3_add_scaled(w[d], triangle->weight[d][2], y[2]);
    }
}

// The transpose: out += sign weight q at the corners
static void add_mapped(const Mesh *mesh, const BwTriangle *triangle, double sign, const Vec3 q[2],
                       double *out)
{
    for (int k = 0; k < 3; k++) {
        Vec3 sum = mesh_vector(mesh, out, triangle->corner[k]);
        sum = vec3_add_scaled(sum, sign * triangle->weight[0][k], q[0]);
        sum = vec3_add_scaled(sum, sign * triangle->weight[1][k], q[1]);
        mesh_set_vector(mesh, out, triangle->corner[k], sum);
    }
}

// Unit vectors of the threads and their lengths; a thread without a direction gets 0 and 1.
static void threads(const Vec3 w[2], Vec3 unit[2], double length[2])
{
    for (int d = 0; d < 2; d++) {
        length[d] = vec3_length(w[d]);
        if (length[d] > BW_TINY_SHARE) {
            unit[d] = vec3_scale(1.0 / length[d], w[d]);
        } else {
            unit[d] = (Vec3){0};
            length[d] = 1.0; // neither force nor stiffness
        }
    }
}

// Resistance of a thread to turning, as a share t of its resistance to stretching.
typedef enum Turn { TURN_NONE, TURN_CLAMPED, TURN_FULL, TURN_WHOLE } Turn;

static BwSheet make_sheet(const Cloth *cloth, const BwTriangle *triangle, const Vec3 w[2],
                          const double length[2], Turn turn, bool exact_shear)
{
    double k = thread_stiffness(cloth, triangle, SPRING_STRETCH);
    BwSheet sheet = {.shear = thread_stiffness(cloth, triangle, SPRING_SHEAR)};
    if (exact_shear) sheet.twist = sheet.shear * vec3_dot(w[0], w[1]);
    for (int d = 0; d < 2; d++) {
        double r = 1.0 - 1.0 / length[d];
        double t = turn == TURN_NONE      ? 0.0
                   : turn == TURN_CLAMPED ? fmax(r, 0.0)
                   : turn == TURN_FULL    ? r
                                          : 1.0;
        sheet.across[d] = k * t;
        sheet.along[d] = k * (1.0 - t);
    }
    return sheet;
}

static BwSheet tangent_sheet(const Cloth *cloth, const BwTriangle *triangle, const Vec3 w[2],
                             const double length[2], Tangent tangent)
{
    static const Turn turns[] = {[TANGENT_CLAMPED] = TURN_CLAMPED,
                                 [TANGENT_FULL] = TURN_FULL,
                                 [TANGENT_LAPLACIAN] = TURN_WHOLE,
                                 [TANGENT_AXIAL] = TURN_NONE};
    return make_sheet(cloth, triangle, w, length, turns[tangent], tangent == TANGENT_FULL);
}

// Without alpha. Rayleigh damping uses the clamped tangent, as the forces do.
static BwSheet damping_sheet(const Cloth *cloth, const BwTriangle *triangle, const Vec3 w[2],
                             const double length[2])
{
    static const Turn turns[] = {[DAMPING_RAYLEIGH] = TURN_CLAMPED,
                                 [DAMPING_PROJECTED] = TURN_NONE,
                                 [DAMPING_DIFFERENCE] = TURN_WHOLE};
    return make_sheet(cloth, triangle, w, length, turns[cloth->material.damping], false);
}

BwSheet bw_sheet_sum(double a, BwSheet A, double b, BwSheet B)
{
    BwSheet sum = {.shear = a * A.shear + b * B.shear, .twist = a * A.twist + b * B.twist};
    for (int d = 0; d < 2; d++) {
        sum.across[d] = a * A.across[d] + b * B.across[d];
        sum.along[d] = a * A.along[d] + b * B.along[d];
    }
    return sum;
}

// q = sheet (p_u, p_v)
static void sheet_product(const BwSheet *sheet, const Vec3 w[2], const Vec3 unit[2],
                          const Vec3 p[2], Vec3 q[2])
{
    double shearing = sheet->shear * (vec3_dot(w[1], p[0]) + vec3_dot(w[0], p[1]));
    for (int d = 0; d < 2; d++) {
        q[d] = vec3_scale(sheet->across[d], p[d]);
        q[d] = vec3_add_scaled(q[d], sheet->along[d] * vec3_dot(unit[d], p[d]), unit[d]);
        q[d] = vec3_add_scaled(q[d], shearing, w[1 - d]);
        q[d] = vec3_add_scaled(q[d], sheet->twist, p[1 - d]);
    }
}

// The angle minus the rest angle, within half a turn.
static double bend_angle(const BwBend *bend, double angle)
{
    return remainder(angle - bend->rest_angle, 2.0 * M_PI);
}

static double energy(const Cloth *cloth, const double *x)
{
    if (grid_springs_apply(cloth)) return grid_springs_energy(cloth, x);
    const BwElements *elements = cloth->elements;
    double sum = 0.0;
    for (int t = 0; t < elements->triangle_count; t++) {
        const BwTriangle *triangle = &elements->triangles[t];
        Vec3 y[3], w[2];
        gather(&cloth->mesh, x, triangle->corner, 3, y);
        map(triangle, y, w);
        double u = vec3_length(w[0]) - 1.0, v = vec3_length(w[1]) - 1.0, c = vec3_dot(w[0], w[1]);
        sum += 0.5 * thread_stiffness(cloth, triangle, SPRING_STRETCH) * (u * u + v * v);
        sum += 0.5 * thread_stiffness(cloth, triangle, SPRING_SHEAR) * c * c;
    }
    for (int b = 0; b < elements->bend_count; b++) {
        const BwBend *bend = &elements->bends[b];
        Vec3 y[4];
        Hinge hinge;
        gather(&cloth->mesh, x, bend->corner, 4, y);
        if (!hinge_at(y, bend->thinnest, &hinge)) continue;
        double angle = bend_angle(bend, hinge.angle);
        sum += 0.5 * bend_stiffness(cloth, bend) * angle * angle;
    }
    return sum;
}

// Returns the power that damping takes.
static double add_triangle_forces(const Cloth *cloth, const BwTriangle *triangle, const double *x,
                                  const double *v, double *f)
{
    double alpha = cloth->material.alpha, length[2], power = 0.0;
    double stretch = thread_stiffness(cloth, triangle, SPRING_STRETCH);
    Vec3 y[3], w[2], unit[2], q[2];
    gather(&cloth->mesh, x, triangle->corner, 3, y);
    map(triangle, y, w);
    threads(w, unit, length);
    double shear = thread_stiffness(cloth, triangle, SPRING_SHEAR) * vec3_dot(w[0], w[1]);
    for (int d = 0; d < 2; d++) {
        q[d] = vec3_add_scaled(vec3_scale(shear, w[1 - d]), stretch * (length[d] - 1.0), unit[d]);
    }
    if (alpha > 0.0) {
        Vec3 rate[2], damping[2];
        gather(&cloth->mesh, v, triangle->corner, 3, y);
        map(triangle, y, rate);
        BwSheet sheet = damping_sheet(cloth, triangle, w, length);
        sheet_product(&sheet, w, unit, rate, damping);
        for (int d = 0; d < 2; d++) {
            q[d] = vec3_add_scaled(q[d], alpha, damping[d]);
            power += alpha * vec3_dot(damping[d], rate[d]);
        }
    }
    add_mapped(&cloth->mesh, triangle, -1.0, q, f);
    return power;
}

// out += scale y at the corners of a bend
static void add_to_corners(const Mesh *mesh, const BwBend *bend, double scale, const Vec3 y[4],
                           double *out)
{
    for (int k = 0; k < 4; k++) {
        Vec3 sum = vec3_add_scaled(mesh_vector(mesh, out, bend->corner[k]), scale, y[k]);
        mesh_set_vector(mesh, out, bend->corner[k], sum);
    }
}

static double dot4(const Vec3 a[4], const Vec3 b[4])
{
    return vec3_dot(a[0], b[0]) + vec3_dot(a[1], b[1]) + vec3_dot(a[2], b[2]) +
           vec3_dot(a[3], b[3]);
}

static double add_forces(const Cloth *cloth, const double *x, const double *v, double *f)
{
    const BwElements *elements = cloth->elements;
    double alpha = cloth->material.alpha, power = 0.0;
    for (int t = 0; t < elements->triangle_count; t++) {
        power += add_triangle_forces(cloth, &elements->triangles[t], x, v, f);
    }
    for (int b = 0; b < elements->bend_count; b++) {
        const BwBend *bend = &elements->bends[b];
        Vec3 y[4], velocity[4];
        Hinge hinge;
        gather(&cloth->mesh, x, bend->corner, 4, y);
        if (!hinge_at(y, bend->thinnest, &hinge)) continue;
        double pull = bend_angle(bend, hinge.angle);
        if (alpha > 0.0) {
            gather(&cloth->mesh, v, bend->corner, 4, velocity);
            double rate = dot4(hinge.gradient, velocity);
            pull += alpha * rate;
            power += bend_stiffness(cloth, bend) * alpha * rate * rate;
        }
        add_to_corners(&cloth->mesh, bend, -bend_stiffness(cloth, bend) * pull, hinge.gradient, f);
    }
    return power;
}

static void linearise_triangle(const Cloth *cloth, BwTriangle *triangle, const double *x,
                               Tangent tangent)
{
    double length[2], alpha = cloth->material.alpha;
    Vec3 y[3];
    gather(&cloth->mesh, x, triangle->corner, 3, y);
    map(triangle, y, triangle->w);
    threads(triangle->w, triangle->unit, length);
    triangle->K = tangent_sheet(cloth, triangle, triangle->w, length, tangent);
    BwSheet damping = cloth->material.damping == DAMPING_RAYLEIGH
                          ? triangle->K // the K that the method uses
                          : damping_sheet(cloth, triangle, triangle->w, length);
    triangle->D = bw_sheet_sum(alpha, damping, 0.0, damping);
}

static void linearise_bend(const Cloth *cloth, BwBend *bend, const double *x, Tangent tangent)
{
    Vec3 y[4];
    Hinge hinge;
    double k = bend_stiffness(cloth, bend), alpha = cloth->material.alpha;
    bool rayleigh = cloth->material.damping == DAMPING_RAYLEIGH;
    bend->K = bend->D = bend->K_turn = bend->D_turn = 0.0;
    gather(&cloth->mesh, x, bend->corner, 4, y);
    if (!hinge_at(y, bend->thinnest, &hinge)) return;
    memcpy(bend->gradient, hinge.gradient, sizeof bend->gradient);
    bend->K = k;
    if (tangent == TANGENT_FULL) bend->K_turn = k * bend_angle(bend, hinge.angle);
    bend->D = alpha * (rayleigh ? bend->K : k);
    bend->D_turn = rayleigh ? alpha * bend->K_turn : 0.0;
}

static void linearise(Cloth *cloth, const double *x, Tangent tangent)
{
    if (grid_springs_apply(cloth)) {
        grid_springs_linearise(cloth, x, tangent);
        return;
    }
    BwElements *elements = cloth->elements;
    memcpy(elements->x, x, (size_t)cloth->mesh.dofs * sizeof *x);
    for (int t = 0; t < elements->triangle_count; t++) {
        linearise_triangle(cloth, &elements->triangles[t], x, tangent);
    }
    for (int b = 0; b < elements->bend_count; b++) {
        linearise_bend(cloth, &elements->bends[b], x, tangent);
    }
}

static void add_triangle_product(const Mesh *mesh, const BwTriangle *triangle, const BwSheet *sheet,
                                 const double *p, double *out)
{
    Vec3 y[3], w[2], q[2];
    gather(mesh, p, triangle->corner, 3, y);
    map(triangle, y, w);
    sheet_product(sheet, triangle->w, triangle->unit, w, q);
    add_mapped(mesh, triangle, 1.0, q, out);
}

static void add_bend_product(const Mesh *mesh, const BwBend *bend, double k, double turn,
                             const double *x, const double *p, double *out)
{
    Vec3 direction[4], y[4], rate[4];
    gather(mesh, p, bend->corner, 4, direction);
    add_to_corners(mesh, bend, k * dot4(bend->gradient, direction), bend->gradient, out);
    if (turn == 0.0) return;
    gather(mesh, x, bend->corner, 4, y);
    if (hinge_gradient_rate(y, direction, bend->thinnest, rate)) {
        add_to_corners(mesh, bend, turn, rate, out);
    }
}

// out += (b K + c D) p
void bw_add_product(const Cloth *cloth, double b, double c, const double *p, double *out)
{
    const BwElements *elements = cloth->elements;
    for (int t = 0; t < elements->triangle_count; t++) {
        const BwTriangle *triangle = &elements->triangles[t];
        BwSheet sheet = bw_sheet_sum(b, triangle->K, c, triangle->D);
        add_triangle_product(&cloth->mesh, triangle, &sheet, p, out);
    }
    for (int h = 0; h < elements->bend_count; h++) {
        const BwBend *bend = &elements->bends[h];
        add_bend_product(&cloth->mesh, bend, b * bend->K + c * bend->D,
                         b * bend->K_turn + c * bend->D_turn, elements->x, p, out);
    }
}

static void product(const Cloth *cloth, const double *p, double *Kp)
{
    if (grid_springs_apply(cloth)) {
        grid_springs_product(cloth, p, Kp);
        return;
    }
    memset(Kp, 0, (size_t)cloth->mesh.dofs * sizeof *Kp);
    bw_add_product(cloth, 1.0, 0.0, p, Kp);
}

static void damping_product(const Cloth *cloth, const double *p, double *Dp)
{
    if (grid_springs_apply(cloth)) {
        grid_springs_damping_product(cloth, p, Dp);
        return;
    }
    memset(Dp, 0, (size_t)cloth->mesh.dofs * sizeof *Dp);
    bw_add_product(cloth, 0.0, 1.0, p, Dp);
}

static void product_at(const Cloth *cloth, const double *x, Tangent tangent, const double *p,
                       double *Kp)
{
    if (grid_springs_apply(cloth)) {
        grid_springs_product_at(cloth, x, tangent, p, Kp);
        return;
    }
    const BwElements *elements = cloth->elements;
    memset(Kp, 0, (size_t)cloth->mesh.dofs * sizeof *Kp);
    for (int t = 0; t < elements->triangle_count; t++) {
        BwTriangle triangle = elements->triangles[t];
        linearise_triangle(cloth, &triangle, x, tangent);
        add_triangle_product(&cloth->mesh, &triangle, &triangle.K, p, Kp);
    }
    for (int b = 0; b < elements->bend_count; b++) {
        BwBend bend = elements->bends[b];
        linearise_bend(cloth, &bend, x, tangent);
        add_bend_product(&cloth->mesh, &bend, bend.K, bend.K_turn, x, p, Kp);
    }
}

const ForceModel baraff_witkin_model = {
    .name = "baraff-witkin",
    .summary = "Energies of triangles, for stretch and shear, and of the edges between them, for "
               "bending: a sheet instead of springs.",
    .stiffens = true, // shear is the product of the threads, not their angle
    .grid = GRID_MODEL_BARAFF_WITKIN,
    .prepare = bw_prepare,
    .release = bw_release,
    .energy = energy,
    .all_forces = grid_springs_forces,
    .step = grid_springs_step,
    .add_forces = add_forces,
    .linearise = linearise,
    .product = product,
    .damping_product = damping_product,
    .assemble = bw_assemble,
    .product_at = product_at,
};
