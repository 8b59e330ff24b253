#include "oracle/dense.h"

#include "cloth/forces.h"
#include "support/solver_test.h"

#include <lapacke.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Perturbation in units of the spacing. With four points the error is of its fourth power.
#define PERTURBATION 4e-6
// Smaller by this factor where something lies on the floor.
#define ON_FLOOR 0.05
// A spring exactly as long as at rest tightens on one side only: there the sides of a difference
// are not the same, however small it is. Elsewhere that grows with it.
#define UNEVEN 1e-3
// Rounding of an eigenvalue above 1, and of the value 1 of what sticks to the floor.
#define ROUNDING 1e-7
#define FREE_MOTION 1e-6
// Stiffness below this share of the largest is zero.
#define NO_STIFFNESS 1e-7
// The harmonic method may turn directions softer than this share of the largest.
#define WEAKENED 0.05

static void *room(size_t count, size_t size)
{
    assert_true(count < 1u << 28);
    void *memory = calloc(count, size);
    assert_non_null(memory);
    return memory;
}

static size_t flat_bytes(const Dense *dense)
{
    return (size_t)dense->simulation->system.dofs * sizeof(double);
}

static bool is_on_floor(const Dense *dense, int particle)
{
    const Mesh *mesh = &dense->simulation->body.cloth.mesh;
    double ground = dense->simulation->scene.params.ground;
    return mesh_vector(mesh, dense->x, particle).y <= ground + 1e-6 * mesh->spacing;
}

// The forces of the springs alone, at rest.
static void forces_at(Dense *dense, const double *x, double *f)
{
    const System *system = &dense->simulation->system;
    memset(dense->work[3], 0, flat_bytes(dense));
    cloth_forces(&dense->simulation->body.cloth, x, dense->work[3], f);
    (void)system;
}

// One step from (x, v), in place.
static void take_step(Dense *dense, double h, double *x, double *v)
{
    Simulation *simulation = dense->simulation;
    Cloth *cloth = &simulation->body.cloth;
    simulation_forget(simulation);
    memcpy(cloth->x, x, flat_bytes(dense));
    memcpy(cloth->v, v, flat_bytes(dense));
    simulation->hooks.extra = dense->extra;
    simulation_move(simulation, h);
    simulation->hooks.extra = NULL;
    memcpy(x, cloth->x, flat_bytes(dense));
    memcpy(v, cloth->v, flat_bytes(dense));
}

static bool is_harmonic(const Dense *dense)
{
    return dense->simulation->scheme.integrator->traits & INTEGRATOR_NEEDS_SPRINGS;
}

// extra = what keeps the particles in place in a step h: the method's own impulses may differ from
// the forces.
static void find_balance(Dense *dense, double h)
{
    Simulation *simulation = dense->simulation;
    System *system = &simulation->system, kept = *system;
    memset(dense->extra, 0, flat_bytes(dense));
    // Springs taken in sequence see each other's impulses: no constant force holds them.
    if (simulation->scheme.options.sequence && is_harmonic(dense)) return;
    memset(dense->work[1], 0, flat_bytes(dense));
    if (!is_harmonic(dense)) {
        system->forces(system->self, dense->x, dense->work[1], dense->extra);
        for (int i = 0; i < system->dofs; i++) dense->extra[i] = -dense->extra[i];
        return;
    }
    bool afterwards = simulation->hooks.filters_afterwards;
    system->filter = NULL;
    simulation->hooks.filters_afterwards = false;
    memcpy(dense->work[0], dense->x, flat_bytes(dense));
    take_step(dense, h, dense->work[0], dense->work[1]);
    for (int i = 0; i < system->dofs; i++)
        dense->extra[i] = -system->mass[i] * dense->work[1][i] / h;
    *system = kept;
    simulation->hooks.filters_afterwards = afterwards;
}

// Press down what lies on the floor, so hard that no perturbation lifts it in a step h.
static void press_down(Dense *dense, double h)
{
    const Mesh *mesh = &dense->simulation->body.cloth.mesh;
    double push = 50.0 * PERTURBATION * dense->length / (h * h); // m/s^2
    for (int p = 0; p < mesh->particle_count; p++) {
        int first = mesh->first_dof[p];
        if (!is_on_floor(dense, p)) continue;
        dense->extra[first + mesh->component_stride] -=
            push * dense->simulation->system.mass[first];
    }
}

static void find_stiffness(Dense *dense)
{
    int n = dense->count;
    const double weights[2] = {2.0 / 3.0, -1.0 / 12.0};
    for (int j = 0; j < n; j++) {
        double *column = dense->K + (size_t)j * (size_t)n;
        for (int side = 0; side < 2; side++) {
            double e = PERTURBATION * dense->length * (side + 1);
            for (int sign = -1; sign <= 1; sign += 2) {
                memcpy(dense->work[0], dense->x, flat_bytes(dense));
                dense->work[0][dense->index[j]] += sign * e;
                forces_at(dense, dense->work[0], dense->work[1]);
                double weight = -sign * weights[side] / (PERTURBATION * dense->length);
                for (int i = 0; i < n; i++) column[i] += weight * dense->work[1][dense->index[i]];
            }
        }
    }
    for (int j = 0; j < n; j++) { // symmetric but for rounding
        for (int i = 0; i < j; i++) {
            double *a = &dense->K[(size_t)j * (size_t)n + (size_t)i];
            double *b = &dense->K[(size_t)i * (size_t)n + (size_t)j];
            *a = *b = 0.5 * (*a + *b);
        }
    }
}

static DenseStiffness stiffness_range(const Dense *dense)
{
    int n = dense->count;
    const double *mass = dense->simulation->system.mass;
    double *A = room((size_t)n * (size_t)n, sizeof(double)), *k = room((size_t)n, sizeof(double));
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            A[(size_t)j * (size_t)n + (size_t)i] =
                dense->K[(size_t)j * (size_t)n + (size_t)i] /
                sqrt(mass[dense->index[i]] * mass[dense->index[j]]);
        }
    }
    assert_int_equal(LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'U', n, A, n, k), 0);
    DenseStiffness result = {k[n - 1], k[0], 0};
    while (result.negative < n && k[result.negative] < -NO_STIFFNESS * k[n - 1]) result.negative++;
    free(A);
    free(k);
    return result;
}

void dense_init(Dense *dense, Simulation *simulation)
{
    const System *system = &simulation->system;
    size_t dofs = (size_t)system->dofs;
    *dense = (Dense){.simulation = simulation, .length = simulation->body.cloth.mesh.spacing};
    dense->index = room(dofs, sizeof(int));
    for (int i = 0; i < system->dofs; i++) {
        if (system->inverse_mass[i] > 0.0) dense->index[dense->count++] = i;
    }
    size_t n = (size_t)dense->count;
    dense->x = room(dofs, sizeof(double));
    dense->extra = room(dofs, sizeof(double));
    dense->still = room(2 * n, sizeof(double));
    for (int w = 0; w < 4; w++) dense->work[w] = room(dofs, sizeof(double));
    dense->K = room(n * n, sizeof(double));
    dense->J = room(4 * n * n, sizeof(double));
    dense->vectors = room(4 * n * n, sizeof(double));
    dense->re = room(2 * n, sizeof(double));
    dense->im = room(2 * n, sizeof(double));
    memcpy(dense->x, simulation->body.cloth.x, flat_bytes(dense));
    int grabbed = simulation->body.cloth.grabbed;
    if (grabbed >= 0) // the hand holds still
        simulation->now.hand = mesh_vector(&simulation->body.cloth.mesh, dense->x, grabbed);
    find_stiffness(dense);
    dense->stiffness = stiffness_range(dense);
    // Within a step, what is pressed down moves, and strong damping makes a force of that: press
    // less where something is.
    for (int p = 0; p < simulation->body.cloth.mesh.particle_count; p++) {
        dense->touches = dense->touches || is_on_floor(dense, p);
    }
    if (dense->touches) dense->length *= ON_FLOOR;
}

void dense_finish(Dense *dense)
{
    free(dense->index);
    free(dense->x);
    free(dense->extra);
    free(dense->still);
    for (int w = 0; w < 4; w++) free(dense->work[w]);
    free(dense->K);
    free(dense->J);
    free(dense->vectors);
    free(dense->re);
    free(dense->im);
    *dense = (Dense){0};
}

// Column j of J by a difference of step e: the first count are displacements, then h v. Returns how
// much the sides differ, relative to the column.
static double difference(Dense *dense, double h, int j, double e, double weight, double *column)
{
    int n = dense->count, at = dense->index[j % n];
    double *x = dense->work[0], *v = dense->work[1], largest = 0.0, odd = 0.0;
    double *sum = room(2 * (size_t)n, sizeof *sum);
    for (int i = 0; i < 2 * n; i++) sum[i] = -2.0 * dense->still[i];
    for (int sign = -1; sign <= 1; sign += 2) {
        memcpy(x, dense->x, flat_bytes(dense));
        memset(v, 0, flat_bytes(dense));
        if (j < n)
            x[at] += sign * e;
        else
            v[at] += sign * e / h;
        take_step(dense, h, x, v);
        for (int i = 0; i < 2 * n; i++) {
            int k = dense->index[i % n];
            double change = i < n ? x[k] - dense->x[k] : h * v[k];
            column[i] += sign * weight * change;
            sum[i] += change;
            largest = fmax(largest, fabs(change));
        }
    }
    for (int i = 0; i < 2 * n; i++) odd = fmax(odd, fabs(sum[i]));
    free(sum);
    return odd / fmax(largest, e);
}

// What a step does to the shape itself.
static void find_still(Dense *dense, double h)
{
    int n = dense->count;
    memcpy(dense->work[0], dense->x, flat_bytes(dense));
    memset(dense->work[1], 0, flat_bytes(dense));
    take_step(dense, h, dense->work[0], dense->work[1]);
    for (int i = 0; i < n; i++) {
        dense->still[i] = dense->work[0][dense->index[i]] - dense->x[dense->index[i]];
        dense->still[n + i] = h * dense->work[1][dense->index[i]];
    }
}

// Fill J; false at a kink: the two differences disagree, or the two sides of one.
static bool find_map(Dense *dense, double h)
{
    size_t rows = 2 * (size_t)dense->count;
    double e = PERTURBATION * dense->length, worst = 0.0, uneven = 0.0;
    double *wide = room(rows, sizeof(double));
    find_still(dense, h);
    for (size_t j = 0; j < rows; j++) {
        double *column = dense->J + j * rows;
        memset(column, 0, rows * sizeof *column);
        memset(wide, 0, rows * sizeof *wide);
        double narrow_sides = difference(dense, h, (int)j, e, 0.5 / e, column);
        double wide_sides = difference(dense, h, (int)j, 2.0 * e, 0.25 / e, wide);
        if (wide_sides < 1.5 * narrow_sides) uneven = fmax(uneven, narrow_sides);
        double size = 0.0, apart = 0.0;
        for (size_t i = 0; i < rows; i++) {
            size = fmax(size, fabs(column[i]));
            apart = fmax(apart, fabs(column[i] - wide[i]));
            column[i] += (column[i] - wide[i]) / 3.0;
        }
        worst = fmax(worst, apart / fmax(size, 1.0));
    }
    free(wide);
    // the floor is one-sided by itself
    return worst < 1e-5 && (uneven < UNEVEN || dense->touches);
}

// x*Kx / x*Mx of the displacements of eigenvector j, a pair in columns j and j + 1.
static double stiffness_of(const Dense *dense, int j, bool pair)
{
    int n = dense->count;
    const double *mass = dense->simulation->system.mass;
    double numerator = 0.0, square = 0.0;
    for (int part = 0; part <= (pair ? 1 : 0); part++) {
        const double *u = dense->vectors + (size_t)(j + part) * 2 * (size_t)n;
        for (int a = 0; a < n; a++) {
            double sum = 0.0;
            for (int b = 0; b < n; b++) sum += dense->K[(size_t)a * (size_t)n + (size_t)b] * u[b];
            numerator += u[a] * sum;
            square += mass[dense->index[a]] * u[a] * u[a];
        }
    }
    return square > 0.0 ? numerator / square : 0.0;
}

// A growing state that neither turns nor changes its sign.
static bool grows_one_way(double re, double im)
{
    return re > 1.0 + FREE_MOTION && fabs(im) < 0.3 * (re - 1.0);
}

// If the true K is implicit and the step longer than buckling takes, nothing can be said.
static bool is_beyond_pole(const Dense *dense, double h)
{
    const Simulation *simulation = dense->simulation;
    unsigned traits = simulation->scheme.integrator->traits;
    bool newton = traits & INTEGRATOR_CONVERGES;
    bool full =
        (traits & INTEGRATOR_IMPLICIT) && simulation->scheme.options.tangent == TANGENT_FULL;
    double alpha = full && !newton ? simulation->system.alpha : 0.0;
    return (newton || full) &&
           -(h * h + h * alpha) * dense->stiffness.smallest >= 1.0 + h * simulation->system.air;
}

// What buckles grows one way, in a shape p with p'K p < 0: put x_n = z^n p with a real z > 1 into a
// scheme and multiply by p'. Filters that are not symmetric blur that a little. But an eigenvalue
// passes 1 only where J x = x, which is K x = 0: so if there are no more of them than K has
// negative ones, they are all buckling. The harmonic method weakens stiff springs more than soft
// ones, so that more directions may give way, but no stiff ones.
DenseStep dense_step(Dense *dense, double h)
{
    cloth_system_hold_still(&dense->simulation->hooks, dense->x);
    find_balance(dense, h);
    press_down(dense, h);
    DenseStep result = {.smooth = find_map(dense, h)};
    int rows = 2 * dense->count;
    for (int i = 0; i < rows * rows; i++) {
        if (!isfinite(dense->J[i])) return (DenseStep){.rho = INFINITY};
    }
    double unused[1];
    assert_int_equal(LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', 'V', rows, dense->J, rows, dense->re,
                                   dense->im, unused, 1, dense->vectors, rows),
                     0);
    bool beyond = is_beyond_pole(dense, h);
    int one_way = 0;
    for (int j = 0; j < rows; j++) one_way += grows_one_way(dense->re[j], dense->im[j]);
    bool all_buckle = one_way <= dense->stiffness.negative && !is_harmonic(dense);
    double soft = (is_harmonic(dense) ? WEAKENED : NO_STIFFNESS) * dense->stiffness.largest;
    for (int j = 0; j < rows; j++) {
        double re = dense->re[j], im = dense->im[j], size = hypot(re, im);
        if (hypot(re - 1.0, im) <= FREE_MOTION) continue;
        double k = size > fmin(result.rho, 1.0)
                       ? stiffness_of(dense, im < 0.0 ? j - 1 : j, im != 0.0)
                       : 0.0;
        if ((grows_one_way(re, im) && (all_buckle || k < soft)) || (beyond && size > 1.0)) {
            result.buckling = fmax(result.buckling, size);
        } else if (size > result.rho) {
            result.rho = size;
            result.re = re, result.im = im, result.k = k;
        }
    }
    return result;
}

bool dense_is_stable(const DenseStep *step)
{
    return step->rho <= 1.0 + ROUNDING;
}

static bool stable_at(Dense *dense, double h, bool *smooth)
{
    DenseStep step = dense_step(dense, h);
    *smooth = *smooth && step.smooth;
    return dense_is_stable(&step);
}

double dense_limit(Dense *dense, double first, double last)
{
    double inside = first, outside = first, ratio = 1.1;
    bool smooth = true;
    if (!stable_at(dense, first, &smooth)) return smooth ? 0.0 : NAN;
    do {
        inside = outside;
        outside *= ratio;
        ratio = fmin(1.02 * ratio, 1.3);
        if (inside >= last) return INFINITY;
        outside = fmin(outside, last);
    } while (stable_at(dense, outside, &smooth) && smooth);
    while (smooth && outside - inside > 5e-4 * inside) {
        double middle = 0.5 * (inside + outside);
        if (stable_at(dense, middle, &smooth))
            inside = middle;
        else
            outside = middle;
    }
    return smooth ? 0.5 * (inside + outside) : NAN;
}
