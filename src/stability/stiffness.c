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
    Tangent tangent;
    double with_stiffness, with_damping; // a and b in  a K + b C
    double *scale;                       // sqrt(M^-1)
    double *q, *r;                       // work
    double *previous, *before, *rest;
    double coefficient[DEGREE + 1]; // of f / (1 + f), Chebyshev on [0, 1]
} Scaled;

enum { WORK_ARRAYS = 6 };

size_t stiffness_scratch_size(int dofs, int steps)
{
    return (WORK_ARRAYS + 1) * arena_footprint((size_t)dofs * sizeof(double)) +
           krylov_largest_size(dofs, steps);
}

static Scaled scaled(const System *system, const double *x, Arena *scratch)
{
    int n = system->dofs;
    Scaled S = {.system = system, .x = x, .tangent = TANGENT_FULL};
    double **const arrays[WORK_ARRAYS] = {&S.scale, &S.q, &S.r, &S.previous, &S.before, &S.rest};
    for (int a = 0; a < WORK_ARRAYS; a++) *arrays[a] = ARENA_ALLOC(scratch, n, double);
    for (int i = 0; i < n; i++) S.scale[i] = sqrt(system->inverse_mass[i]);
    return S;
}

static void stiffness_product(void *self, const double *p, double *out)
{
    Scaled *S = self;
    const System *system = S->system;
    int n = system->dofs;
    for (int i = 0; i < n; i++) S->q[i] = S->scale[i] * p[i];
    system->stiffness_product_at(system->self, S->x, S->tangent, S->q, out);
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

// out = (a K + b C) p
static void combined(void *self, const double *p, double *out)
{
    Scaled *S = self;
    const System *system = S->system;
    int n = system->dofs;
    stiffness_product(S, p, S->previous); // leaves M^-1/2 p in q
    system->damping_product_at(system->self, S->x, S->q, S->rest, out);
    for (int i = 0; i < n; i++)
        out[i] = S->with_stiffness * S->previous[i] + S->with_damping * S->scale[i] * out[i];
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
    stiffness_product(S, p, S->rest);
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
    stiffness_product(S, p, w);
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
    return largest(&S, stiffness_product, effort, mode, scratch);
}

AcrossMode stiffness_across(const System *system, const double *x, double share,
                            KrylovEffort effort, double *mode, Arena *scratch)
{
    Scaled S = scaled(system, x, scratch);
    S.across = share;
    KrylovReport report = largest(&S, stiffness_product, effort, mode, scratch);
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
    stiffness_product(S, mode, S->rest);
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

// ---- pairs of stiffness and damping ----

typedef struct Polygon {
    int count;
    double k[CORNERS_MAX], c[CORNERS_MAX];
} Polygon;

// Cut off what has  a k + b c > limit  (Sutherland and Hodgman).
static Polygon cut(const Polygon *polygon, double a, double b, double limit)
{
    Polygon out = {0};
    for (int i = 0; i < polygon->count; i++) {
        int next = (i + 1) % polygon->count;
        double here = a * polygon->k[i] + b * polygon->c[i] - limit;
        double there = a * polygon->k[next] + b * polygon->c[next] - limit;
        if (here <= 0.0 && out.count < CORNERS_MAX) {
            out.k[out.count] = polygon->k[i];
            out.c[out.count++] = polygon->c[i];
        }
        if ((here < 0.0 && there > 0.0) || (here > 0.0 && there < 0.0)) {
            double s = here / (here - there);
            if (out.count == CORNERS_MAX) continue;
            out.k[out.count] = polygon->k[i] + s * (polygon->k[next] - polygon->k[i]);
            out.c[out.count++] = polygon->c[i] + s * (polygon->c[next] - polygon->c[i]);
        }
    }
    return out;
}

typedef struct Pairs {
    Scaled S;
    KrylovEffort effort;
    Arena *scratch;
    Polygon polygon;
} Pairs;

// The largest  a k + b c  over all pairs; what lies beyond is cut off. Starts from `mode`.
static double bound_pairs(Pairs *pairs, double a, double b, double *mode)
{
    size_t used = pairs->scratch->used;
    pairs->S.with_stiffness = a;
    pairs->S.with_damping = b;
    double value = largest(&pairs->S, combined, pairs->effort, mode, pairs->scratch).value;
    pairs->scratch->used = used;
    // found from below: a little more, so that the bound stays one
    pairs->polygon = cut(&pairs->polygon, a, b, value + 1e-3 * fabs(value));
    return value;
}

static void set_corners(Stiffness *stiffness, const Polygon *polygon)
{
    stiffness->corner_count = polygon->count;
    memcpy(stiffness->corner_k, polygon->k, sizeof polygon->k);
    memcpy(stiffness->corner_c, polygon->c, sizeof polygon->c);
}

// The pair of the outline that limits the step, and the direction in which a step fails there: the
// slope of Jury's slack, per k and per c. False when no step is limited.
static bool find_failing_pair(const System *system, const Scheme *scheme,
                              const Stiffness *stiffness, double *a, double *b)
{
    ModeSet modes = mode_set_of(scheme, stiffness);
    double air = system->air, alpha = system->alpha, k0 = fmax(stiffness->k0, stiffness->taut);
    double h = modes_step_limit(scheme, &modes, air, alpha), worst = INFINITY;
    if (isinf(h)) return false;
    h = fmax(1.001 * h, 0.01 / sqrt(k0));
    int at = 0;
    for (int i = 0; i < modes.count; i++) {
        double slack =
            amplification_of_pair(scheme, h, modes.k[i], modes.c[i], air, alpha, 1.0).slack;
        if (slack < worst) worst = slack, at = i;
    }
    double k = modes.k[at], c = modes.c[at], step = 1e-4 * k0;
    double by_k = amplification_of_pair(scheme, h, k + step, c, air, alpha, 1.0).slack - worst;
    double by_c = amplification_of_pair(scheme, h, k, c + step, air, alpha, 1.0).slack - worst;
    *a = -by_k / step * k0;
    *b = -by_c / step * k0;
    return isfinite(worst) && (*a != 0.0 || *b != 0.0);
}

// A polygon around all pairs (p'K p, p'C p): a few directions, and then those in which the method
// fails first (cutting planes), so that its limit is a close bound.
static void find_corners(const System *system, const double *x, const Scheme *scheme,
                         KrylovEffort effort, double *modes[STIFFNESS_MODES], Stiffness *stiffness,
                         Arena *scratch)
{
    enum { ROUNDS = 4 };
    // in units of the largest k and c: towards stiff and damped, then towards stiff and undamped
    static const double weights[] = {0.3, 1.0, 3.0, -1.0, -10.0};
    Pairs pairs = {.S = scaled(system, x, scratch), .effort = effort, .scratch = scratch};
    int n = system->dofs;
    if (system->goes_slack) pairs.S.tangent = TANGENT_TAUT;
    double *work = ARENA_ALLOC(scratch, n, double);
    double k = 1.001 * fmax(stiffness->k0, stiffness->taut);
    stiffness->corner_count = 0;
    double c = 1.001 * bound_pairs(&pairs, 0.0, 1.0, modes[STIFFNESS_DAMPING]);
    if (!(k > 0.0) || !(c > 0.0) || !isfinite(c)) return;
    pairs.polygon = (Polygon){4, {0.0, k, k, 0.0}, {0.0, 0.0, c, c}};
    for (size_t i = 0; i < sizeof weights / sizeof weights[0]; i++) {
        const double *from = modes[weights[i] > 1.0 ? STIFFNESS_DAMPING : STIFFNESS_K0];
        memcpy(work, from, (size_t)n * sizeof *work);
        bound_pairs(&pairs, 1.0 / k, weights[i] / c, work);
    }
    Scheme unfiltered = *scheme;
    unfiltered.filter = SCHEME_UNFILTERED;
    set_corners(stiffness, &pairs.polygon);
    double a, b;
    for (int i = 0; i < ROUNDS && find_failing_pair(system, &unfiltered, stiffness, &a, &b); i++) {
        bound_pairs(&pairs, a / k, b / k, modes[STIFFNESS_CUT]);
        set_corners(stiffness, &pairs.polygon);
    }
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
    stiffness->taut = 0.0;
    if (system->goes_slack) {
        Scaled S = scaled(system, x, scratch);
        S.tangent = TANGENT_TAUT;
        stiffness->taut =
            largest(&S, stiffness_product, efforts[STIFFNESS_TAUT], modes[STIFFNESS_TAUT], scratch)
                .value;
        scratch->used = used;
    }
    unsigned traits = scheme->integrator->traits;
    stiffness->corner_count = 0;
    if (system->damping_product_at && !(traits & INTEGRATOR_IMPLICIT)) {
        find_corners(system, x, scheme, efforts[STIFFNESS_DAMPING], modes, stiffness, scratch);
        scratch->used = used;
    }
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
