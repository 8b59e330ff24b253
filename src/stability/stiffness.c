// M^-1 K is not symmetric, but S = M^-1/2 K M^-1/2 is and has the same eigenvalues. Held degrees of
// freedom have M^-1 = 0 and drop out. A filter becomes M^1/2 F M^-1/2, which is not symmetric where
// particles have different numbers of neighbours.
#include "stability/stiffness.h"

#include "linalg/vectors.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

// Share of noise in a warm start: the old mode alone would miss a new, stiffer mode that is
// orthogonal to it.
#define NOISE 0.1
// Degree of the polynomial for f / (1 + f) on [0, 1]: its error is 1.4 * 0.17^(degree + 1), 1e-6.
enum { DEGREE = 7 };

typedef struct Scaled { // the operators in scaled coordinates
    const System *system;
    const double *x;
    double across; // the share of the axial part subtracted from K
    double sign;   // of filtered_force
    VelocityFilter filter;
    double *scale; // sqrt(M^-1)
    double *q, *r; // work
    double *previous, *before, *rest;
    double coefficient[DEGREE + 1]; // of f / (1 + f), Chebyshev on [0, 1]
} Scaled;

enum { WORK_ARRAYS = 6 };

size_t stiffness_scratch_size(int dofs, int steps)
{
    return WORK_ARRAYS * arena_footprint((size_t)dofs * sizeof(double)) +
           krylov_largest_size(dofs, steps);
}

static Scaled scaled(const System *system, const double *x, Arena *scratch)
{
    int n = system->dofs;
    Scaled S = {.system = system, .x = x};
    double **const arrays[WORK_ARRAYS] = {&S.scale, &S.q, &S.r, &S.previous, &S.before, &S.rest};
    for (int a = 0; a < WORK_ARRAYS; a++) *arrays[a] = ARENA_ALLOC(scratch, n, double);
    for (int i = 0; i < n; i++) S.scale[i] = sqrt(system->inverse_mass[i]);
    return S;
}

static void stiffness(void *self, const double *p, double *out)
{
    Scaled *S = self;
    const System *system = S->system;
    int n = system->dofs;
    for (int i = 0; i < n; i++) S->q[i] = S->scale[i] * p[i];
    system->stiffness_product_at(system->self, S->x, TANGENT_FULL, S->q, out);
    if (S->across > 0.0) {
        system->stiffness_product_at(system->self, S->x, TANGENT_AXIAL, S->q, S->r);
        for (int i = 0; i < n; i++) out[i] -= S->across * S->r[i];
    }
    for (int i = 0; i < n; i++) out[i] *= S->scale[i];
}

static void filter(Scaled *S, const double *p, double *out)
{
    int n = S->system->dofs;
    for (int i = 0; i < n; i++) out[i] = S->scale[i] * p[i];
    S->filter.apply(S->filter.self, S->x, out);
    for (int i = 0; i < n; i++) out[i] = S->scale[i] > 0.0 ? out[i] / S->scale[i] : 0.0;
}

// out = (I - F) p
static void complement(void *self, const double *p, double *out)
{
    Scaled *S = self;
    filter(S, p, out);
    for (int i = 0; i < S->system->dofs; i++) out[i] = p[i] - out[i];
}

// out = +-F K p
static void filtered_force(void *self, const double *p, double *out)
{
    Scaled *S = self;
    stiffness(S, p, S->rest);
    filter(S, S->rest, out);
    for (int i = 0; i < S->system->dofs; i++) out[i] *= S->sign;
}

// Chebyshev coefficients of f / (1 + f) on [0, 1], by interpolation in the Chebyshev points.
static void prepare_quotient(Scaled *S)
{
    enum { POINTS = DEGREE + 1 };
    for (int j = 0; j < POINTS; j++) {
        double sum = 0.0;
        for (int p = 0; p < POINTS; p++) {
            double angle = M_PI * (p + 0.5) / POINTS, f = 0.5 * (1.0 + cos(angle));
            sum += f / (1.0 + f) * cos(j * angle);
        }
        S->coefficient[j] = (j == 0 ? 1.0 : 2.0) / POINTS * sum;
    }
}

// out = F (I + F)^-1 K p, by Clenshaw's recurrence in 2 F - I:  b_j = c_j w + 2 (2F - I) b_j+1 -
// b_j+2,  the sum is  c_0 w + (2F - I) b_1 - b_2.
static void filtered_velocity(void *self, const double *p, double *out)
{
    Scaled *S = self;
    int n = S->system->dofs;
    size_t bytes = (size_t)n * sizeof(double);
    double *w = S->rest, *b1 = S->previous, *b2 = S->before;
    stiffness(S, p, w);
    for (int i = 0; i < n; i++) b1[i] = S->coefficient[DEGREE] * w[i];
    memset(b2, 0, bytes);
    for (int j = DEGREE - 1; j >= 0; j--) {
        double twice = j == 0 ? 1.0 : 2.0;
        filter(S, b1, out);
        for (int i = 0; i < n; i++) {
            double b = S->coefficient[j] * w[i] + twice * (2.0 * out[i] - b1[i]) - b2[i];
            b2[i] = b1[i];
            b1[i] = b;
        }
    }
    memcpy(out, b1, bytes);
}

// Noise in [-1, 1], the same on every run (xorshift, Marsaglia 2003).
static double next_noise(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return (double)*state / 2147483648.0 - 1.0;
}

// The largest eigenvalue, from a start with a little noise.
static KrylovReport largest(Scaled *S, void (*multiply)(void *, const double *, double *),
                            KrylovEffort effort, double *mode, Arena *scratch)
{
    int n = S->system->dofs;
    uint32_t state = 2463534242u;
    double share = NOISE / sqrt(n); // the mode is a unit vector
    for (int i = 0; i < n; i++) {
        double start = mode[i] + share * next_noise(&state);
        mode[i] = S->scale[i] > 0.0 ? start : 0.0;
    }
    LinearOperator A = {.self = S, .dofs = n, .multiply = multiply};
    return krylov_largest(&A, effort, mode, scratch);
}

KrylovReport stiffness_k0(const System *system, const double *x, KrylovEffort effort, double *mode,
                          Arena *scratch)
{
    Scaled S = scaled(system, x, scratch);
    return largest(&S, stiffness, effort, mode, scratch);
}

AcrossMode stiffness_across(const System *system, const double *x, double share,
                            KrylovEffort effort, double *mode, Arena *scratch)
{
    Scaled S = scaled(system, x, scratch);
    S.across = share;
    KrylovReport report = largest(&S, stiffness, effort, mode, scratch);
    if (!isfinite(report.value)) return (AcrossMode){0};
    for (int i = 0; i < system->dofs; i++) S.q[i] = S.scale[i] * mode[i];
    system->stiffness_product_at(system->self, x, TANGENT_AXIAL, S.q, S.r);
    double axial = vector_dot(system->dofs, S.q, S.r);
    return (AcrossMode){report.value, report.value + share * axial, axial};
}

double stiffness_of_spring(const System *system)
{
    double largest = 0.0;
    for (int s = 0; system->springs && s < system->springs->count; s++) {
        const int *ends = system->springs->ends[s];
        double inverse = system->inverse_mass[system->first_dof[ends[0]]] +
                         system->inverse_mass[system->first_dof[ends[1]]];
        largest = fmax(largest, inverse * system->springs->stiffness[s]);
    }
    return largest;
}

// p'Kp of a unit vector
static double stiffness_of(Scaled *S, const double *mode)
{
    stiffness(S, mode, S->rest);
    return vector_dot(S->system->dofs, mode, S->rest);
}

FilteredMode stiffness_lowest_symbol(const System *system, const double *x, VelocityFilter filter,
                                     KrylovEffort effort, double *mode, Arena *scratch)
{
    Scaled S = scaled(system, x, scratch);
    S.filter = filter;
    double rest = largest(&S, complement, effort, mode, scratch).value;
    return (FilteredMode){stiffness_of(&S, mode), 1.0 - rest};
}

FilteredMode stiffness_filtered(const System *system, const double *x, VelocityFilter filter,
                                KrylovEffort effort, double *mode, Arena *scratch)
{
    Scaled S = scaled(system, x, scratch);
    S.filter = filter;
    prepare_quotient(&S);
    double a = largest(&S, filtered_velocity, effort, mode, scratch).value;
    double k = stiffness_of(&S, mode);
    if (!(a > 0.0)) return (FilteredMode){0.0, 1.0};
    return k > 2.0 * a ? (FilteredMode){k, a / (k - a)} : (FilteredMode){2.0 * a, 1.0};
}

static FilteredMode filtered_force_mode(const System *system, const double *x,
                                        VelocityFilter filter, double sign, KrylovEffort effort,
                                        double *mode, Arena *scratch)
{
    Scaled S = scaled(system, x, scratch);
    S.filter = filter;
    S.sign = sign;
    double a = largest(&S, filtered_force, effort, mode, scratch).value;
    double k = stiffness_of(&S, mode);
    if (!(a > 0.0)) return (FilteredMode){0.0, 1.0};
    return k > a ? (FilteredMode){k, sign * a / k} : (FilteredMode){a, sign};
}

FilteredMode stiffness_filtered_force(const System *system, const double *x, VelocityFilter filter,
                                      KrylovEffort effort, double *mode, Arena *scratch)
{
    return filtered_force_mode(system, x, filter, 1.0, effort, mode, scratch);
}

FilteredMode stiffness_turned(const System *system, const double *x, VelocityFilter filter,
                              KrylovEffort effort, double *mode, Arena *scratch)
{
    return filtered_force_mode(system, x, filter, -1.0, effort, mode, scratch);
}

static KrylovEffort effort_for(const System *system, const double *mode,
                               const StiffnessEffort *effort)
{
    return vector_dot(system->dofs, mode, mode) > 0.0 ? effort->again : effort->first;
}

void stiffness_estimate(const System *system, const double *x, const Scheme *scheme,
                        VelocityFilter filter, const StiffnessEffort *effort,
                        double *modes[STIFFNESS_MODES], Stiffness *stiffness, Arena *scratch)
{
    size_t used = scratch->used;
    KrylovEffort efforts[STIFFNESS_MODES];
    for (int m = 0; m < STIFFNESS_MODES; m++) efforts[m] = effort_for(system, modes[m], effort);
    // If nothing is free, or all springs are slack, there is no stiff mode: k0 = 0.
    double k0 = stiffness_k0(system, x, efforts[STIFFNESS_K0], modes[STIFFNESS_K0], scratch).value;
    stiffness->k0 = isfinite(k0) ? fmax(k0, 0.0) : 0.0;
    scratch->used = used;
    unsigned traits = scheme->integrator->traits;
    stiffness->spring = traits & INTEGRATOR_NEEDS_SPRINGS ? stiffness_of_spring(system) : 0.0;
    if (traits & INTEGRATOR_EXPLICIT_ACROSS) {
        AcrossMode across = stiffness_across(system, x, 1.0, efforts[STIFFNESS_ACROSS],
                                             modes[STIFFNESS_ACROSS], scratch);
        stiffness->across = fmax(across.k, 0.0);
        scratch->used = used;
    }
    if (scheme->filter == SCHEME_UNFILTERED) return;
    stiffness->lowest = stiffness_lowest_symbol(system, x, filter, efforts[STIFFNESS_LOWEST],
                                                modes[STIFFNESS_LOWEST], scratch);
    scratch->used = used;
    if (scheme->filter == SCHEME_FILTER_AFTER) return;
    bool of_force = scheme->filter == SCHEME_FILTER_FORCE, turns = stiffness->lowest.symbol < 0.0;
    stiffness->decisive = (turns      ? stiffness_turned
                           : of_force ? stiffness_filtered_force
                                      : stiffness_filtered)(
        system, x, filter, efforts[STIFFNESS_DECISIVE], modes[STIFFNESS_DECISIVE], scratch);
    scratch->used = used;
}
