// M^-1 K is not symmetric, but S = M^-1/2 K M^-1/2 is and has the same eigenvalues. Held degrees of
// freedom have M^-1 = 0 and drop out. A filter becomes M^1/2 F M^-1/2, which is not symmetric where
// particles have different numbers of neighbours.
#include "stability/stiffness.h"

#include "linalg/vectors.h"
#include "stability/automatic_alpha.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

// Share of noise in a warm start: the old mode alone would miss a new, stiffer mode that is
// orthogonal to it.
#define NOISE 0.1
// p'Kp and p'K_clamped p of a random p that differ by less than this share are the same; likewise
// q'F p and p'F q.
#define SAME_STIFFNESS 1e-6
// The same of p'Kp and p'C p of the stiffest mode, where a limit should be exact.
#define ALMOST 1e-3
// Degree of the polynomial for f / (1 + f) on [0, 1]: its error is 1.4 * 0.17^(degree + 1), 1e-6.
enum { DEGREE = 7 };

typedef struct Scaled { // the operators in scaled coordinates
    const System *system;
    const double *x;
    bool without_implicit; // subtract P from K
    Tangent implicit;      // of P
    double sign;           // of filtered_force
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
    if (S->without_implicit) {
        system->stiffness_product_at(system->self, S->x, S->implicit, S->q, S->r);
        for (int i = 0; i < n; i++) out[i] -= S->r[i];
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
    system->damping_product_at(system->self, S->x, S->tangent == TANGENT_TAUT, S->q, S->rest, out);
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

// p'K p and p'C p of a unit vector
static void pair_of(Scaled *S, const double *mode, double *k, double *c)
{
    int n = S->system->dofs;
    S->tangent = TANGENT_FULL;
    S->with_stiffness = 0.0, S->with_damping = 1.0;
    combined(S, mode, S->before); // leaves K p in `previous`
    *k = vector_dot(n, mode, S->previous);
    *c = vector_dot(n, mode, S->before);
}

double stiffness_of_damping(const System *system, const double *x, KrylovEffort effort,
                            double *mode, Arena *scratch)
{
    Scaled S = scaled(system, x, scratch);
    S.with_damping = 1.0;
    return largest(&S, combined, effort, mode, scratch).value;
}

void stiffness_weighed(const System *system, const double *x, double a, double b,
                       KrylovEffort effort, double *mode, Arena *scratch, double *k, double *c)
{
    Scaled S = scaled(system, x, scratch);
    S.with_stiffness = a;
    S.with_damping = b;
    largest(&S, combined, effort, mode, scratch);
    pair_of(&S, mode, k, c);
}

double stiffness_across(const System *system, const double *x, StiffnessParts parts,
                        KrylovEffort effort, double *mode, Arena *scratch)
{
    Scaled S = scaled(system, x, scratch);
    S.without_implicit = true;
    S.tangent = parts.whole;
    S.implicit = parts.implicit;
    double k = largest(&S, stiffness_product, effort, mode, scratch).value;
    return isfinite(k) ? fmax(k, 0.0) : 0.0;
}

bool stiffness_parts(const System *system, const Scheme *scheme, StiffnessParts *parts)
{
    unsigned traits = scheme->integrator->traits;
    bool partly = traits & INTEGRATOR_PARTLY_IMPLICIT;
    if (traits & INTEGRATOR_NEEDS_SPRINGS) {
        *parts = (StiffnessParts){TANGENT_CLAMPED, TANGENT_AXIAL};
        return system->rayleigh && (system->alpha > 0.0 || system->alpha_follows);
    }
    if (traits & INTEGRATOR_EXPLICIT_ACROSS) {
        *parts = (StiffnessParts){TANGENT_FULL, TANGENT_AXIAL};
        return true;
    }
    *parts = (StiffnessParts){TANGENT_FULL, partly ? TANGENT_LAPLACIAN : TANGENT_CLAMPED};
    return (traits & INTEGRATOR_IMPLICIT) && !(traits & INTEGRATOR_CONVERGES) &&
           !system->clamp_is_bound && (partly || scheme->options.tangent == TANGENT_CLAMPED);
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

// The modes below, with K of a tangent.
typedef FilteredMode (*FindMode)(Scaled *S, KrylovEffort effort, double *mode, Arena *scratch);

static FilteredMode find_filtered(Scaled *S, KrylovEffort effort, double *mode, Arena *scratch)
{
    prepare_quotient(S);
    double a = largest(S, filtered_velocity, effort, mode, scratch).value;
    double k = stiffness_of(S, mode);
    if (!(a > 0.0)) return (FilteredMode){0.0, 1.0};
    return k > 2.0 * a ? (FilteredMode){k, a / (k - a)} : (FilteredMode){2.0 * a, 1.0};
}

static FilteredMode find_force(Scaled *S, double sign, KrylovEffort effort, double *mode,
                               Arena *scratch)
{
    S->sign = sign;
    double a = largest(S, filtered_force, effort, mode, scratch).value;
    double k = stiffness_of(S, mode);
    if (!(a > 0.0)) return (FilteredMode){0.0, 1.0};
    return k > a ? (FilteredMode){k, sign * a / k} : (FilteredMode){a, sign};
}

static FilteredMode find_filtered_force(Scaled *S, KrylovEffort effort, double *mode,
                                        Arena *scratch)
{
    return find_force(S, 1.0, effort, mode, scratch);
}

static FilteredMode find_turned(Scaled *S, KrylovEffort effort, double *mode, Arena *scratch)
{
    return find_force(S, -1.0, effort, mode, scratch);
}

static FilteredMode filtered_mode(FindMode find, const System *system, const double *x,
                                  VelocityFilter filter, Tangent tangent, KrylovEffort effort,
                                  double *mode, Arena *scratch)
{
    size_t used = scratch->used;
    Scaled S = scaled(system, x, scratch);
    S.filter = filter;
    S.tangent = tangent;
    FilteredMode found = find(&S, effort, mode, scratch);
    scratch->used = used;
    return found;
}

FilteredMode stiffness_filtered(const System *system, const double *x, VelocityFilter filter,
                                KrylovEffort effort, double *mode, Arena *scratch)
{
    return filtered_mode(find_filtered, system, x, filter, TANGENT_FULL, effort, mode, scratch);
}

FilteredMode stiffness_filtered_force(const System *system, const double *x, VelocityFilter filter,
                                      KrylovEffort effort, double *mode, Arena *scratch)
{
    return filtered_mode(find_filtered_force, system, x, filter, TANGENT_FULL, effort, mode,
                         scratch);
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
    const KrylovEffort *efforts; // as `modes`
    double **modes;              // STIFFNESS_MODES
    Arena *scratch;
    Polygon polygon;
} Pairs;

// The largest  a k + b c  over all pairs with K of the given tangent. Found from below: the
// residual and a little more, so that the bound stays one.
static double support(Pairs *pairs, Tangent tangent, int mode)
{
    size_t used = pairs->scratch->used;
    pairs->S.tangent = tangent;
    KrylovReport report =
        largest(&pairs->S, combined, pairs->efforts[mode], pairs->modes[mode], pairs->scratch);
    pairs->scratch->used = used;
    // soft motion, with next to nothing of both, makes it 0 at least
    return fmax(report.value + 0.5 * report.residual + 1e-3 * fabs(report.value), 0.0);
}

// Cut off what lies beyond the largest  a k + b c  over all pairs, and return that. Springs that
// are slack may stay so or be pulled: both count. `mode`: the warm start.
static double bound_pairs(Pairs *pairs, double a, double b, int mode)
{
    pairs->S.with_stiffness = a;
    pairs->S.with_damping = b;
    double value = support(pairs, TANGENT_FULL, mode);
    if (pairs->S.system->goes_slack) value = fmax(value, support(pairs, TANGENT_TAUT, mode));
    pairs->polygon = cut(&pairs->polygon, a, b, value);
    return value;
}

static void set_corners(Stiffness *stiffness, const Polygon *polygon)
{
    stiffness->corner_count = polygon->count;
    memcpy(stiffness->corner_k, polygon->k, sizeof polygon->k);
    memcpy(stiffness->corner_c, polygon->c, sizeof polygon->c);
}

// Where a method fails first: the largest step that the pairs allow, and the direction in which
// the pair that limits it fails, the slope of Jury's slack per k and per c.
typedef struct Failure {
    double step; // s; INFINITY: no step is limited
    double a, b; // both 0: no direction
} Failure;

// Jury's slack of a pair. One that buckles has an eigenvalue above 1, which is physics; the other
// must be between -1 and 1.
static double slack_of(const Scheme *scheme, double h, double k, double c, double air, double alpha)
{
    Amplification a = amplification_of_pair(scheme, h, k, c, air, alpha, 1.0);
    if (k >= 0.0) return a.slack;
    double T = a.G[0][0] + a.G[1][1], D = a.G[0][0] * a.G[1][1] - a.G[0][1] * a.G[1][0];
    return fmin(T - 1.0 - D, 1.0 + T + D);
}

// The pair that fails most at a step h.
static void find_direction(const Scheme *scheme, const ModeSet *modes, double h, double air,
                           double alpha, double k0, Failure *failure)
{
    double worst = INFINITY;
    int at = 0;
    for (int i = 0; i < modes->count; i++) {
        double slack = slack_of(scheme, h, modes->k[i], modes->c[i], air, alpha);
        if (slack < worst) worst = slack, at = i;
    }
    if (!isfinite(worst)) return;
    double k = modes->k[at], c = modes->c[at], step = 1e-4 * k0;
    if (k < 0.0) step = fmin(step, -0.5 * k); // stay on this side
    failure->a = worst - slack_of(scheme, h, k + step, c, air, alpha);
    failure->b = worst - slack_of(scheme, h, k, c + step, air, alpha);
}

static Failure find_failure(const System *system, const Scheme *scheme, const Stiffness *stiffness)
{
    ModeSet modes = mode_set_of(scheme, stiffness);
    double air = system->air, k0 = fmax(stiffness->k0, stiffness->taut);
    Failure failure = {.step = modes_step_limit(scheme, &modes, air, system->alpha)};
    if (isinf(failure.step)) return failure;
    double h = fmax(1.001 * failure.step, 0.01 / sqrt(k0));
    find_direction(scheme, &modes, h, air, system->alpha, k0, &failure);
    return failure;
}

// The same where alpha will follow: the largest step that some alpha allows. A little beyond it
// that alpha fails at both ends of its range, and the next round finds the other end. While no
// alpha is known to fit, smaller and smaller steps are tried, with X = 1 for the most damped mode.
static Failure find_failure_of_all(const System *system, const Scheme *scheme,
                                   const Stiffness *stiffness, int round)
{
    ModeSet modes = mode_set_of(scheme, stiffness);
    double air = system->air, k0 = fmax(stiffness->k0, stiffness->taut);
    Failure failure = {
        .step = automatic_alpha_step_limit(scheme, stiffness, ALPHA_CORRECTED, air).step};
    double h = failure.step > 0.0 ? failure.step : ldexp(2.0 / sqrt(k0), -1 - round);
    double alpha = automatic_alpha(scheme, stiffness, ALPHA_CORRECTED, h, air);
    find_direction(scheme, &modes, 1.1 * h, air, alpha, k0, &failure);
    return failure;
}

enum { ROUNDS = 4, ROUNDS_OF_ALL = 8 };
// A cut that gains less than this share of the step was the last.
#define GAIN 0.003

// A polygon around all pairs (p'K p, p'C p): k <= k0, c <= c0, both differences, and then the
// directions in which the method fails first (cutting planes), so that its limit is a close bound.
static void find_corners(const System *system, const double *x, const Scheme *scheme,
                         const KrylovEffort efforts[STIFFNESS_MODES],
                         double *modes[STIFFNESS_MODES], Stiffness *stiffness, Arena *scratch)
{
    Pairs pairs = {
        .S = scaled(system, x, scratch), .efforts = efforts, .modes = modes, .scratch = scratch};
    double k = 1.001 * fmax(stiffness->k0, stiffness->taut);
    stiffness->corner_count = 0;
    stiffness->deciding_k = stiffness->deciding_c = 0.0;
    double c = bound_pairs(&pairs, 0.0, 1.0, STIFFNESS_DAMPING);
    if (!(k > 0.0) || !(c > 0.0) || !isfinite(c)) return;
    bool separable = scheme->integrator->traits & INTEGRATOR_SEPARABLE; // one cut serves exactly
    double least = separable ? 0.0 : -bound_pairs(&pairs, -1.0, 0.0, STIFFNESS_BUCKLING);
    pairs.polygon = (Polygon){4, {least, k, k, least}, {0.0, 0.0, c, c}};
    if (system->damping_exceeds) pairs.polygon = cut(&pairs.polygon, 1.0, -1.0, 0.0);
    if (!separable) {
        bound_pairs(&pairs, -1.0, 1.0, STIFFNESS_DAMPED);
        if (!system->damping_exceeds) bound_pairs(&pairs, 1.0, -1.0, STIFFNESS_UNDAMPED);
    }
    Scheme unfiltered = *scheme;
    unfiltered.filter = SCHEME_UNFILTERED;
    set_corners(stiffness, &pairs.polygon);
    bool follows = system->alpha_follows && scheme->integrator->wanted_tip;
    double before = 0.0;
    for (int i = 0; i < (follows ? ROUNDS_OF_ALL : ROUNDS); i++) {
        Failure failure = follows ? find_failure_of_all(system, &unfiltered, stiffness, i)
                                  : find_failure(system, &unfiltered, stiffness);
        double size = hypot(failure.a, failure.b);
        bool gained = follows ? i % 2 == 0 || failure.step > (1.0 + GAIN) * before || before == 0.0
                              : i == 0 || failure.step > (1.0 + GAIN) * before;
        if (size == 0.0 || !gained) break;
        if (!follows || i % 2 == 0) before = failure.step;
        bound_pairs(&pairs, failure.a / size, failure.b / size, STIFFNESS_CUT);
        set_corners(stiffness, &pairs.polygon);
        pair_of(&pairs.S, modes[STIFFNESS_CUT], &stiffness->deciding_k, &stiffness->deciding_c);
    }
}

// Is D = alpha K not good enough? It is alpha times the clamped K where springs are compressed, and
// methods that need damping for their stability notice.
static bool needs_pairs(const System *system, const double *x, const Scheme *scheme, Arena *scratch)
{
    const Integrator *integrator = scheme->integrator;
    if (!system->damping_product_at || (integrator->traits & INTEGRATOR_IMPLICIT)) return false;
    if (system->own_damping) return true;
    if (!(integrator->traits & INTEGRATOR_NEEDS_DAMPING)) return false;
    int n = system->dofs;
    size_t used = scratch->used;
    double *p = ARENA_ALLOC(scratch, n, double), *Kp = ARENA_ALLOC(scratch, n, double);
    uint32_t state = 88675123u;
    for (int i = 0; i < n; i++) p[i] = system->inverse_mass[i] > 0.0 ? next_noise(&state) : 0.0;
    double full, clamped;
    system->stiffness_product_at(system->self, x, TANGENT_FULL, p, Kp);
    full = vector_dot(n, p, Kp);
    system->stiffness_product_at(system->self, x, TANGENT_CLAMPED, p, Kp);
    clamped = vector_dot(n, p, Kp);
    scratch->used = used;
    return fabs(clamped - full) > SAME_STIFFNESS * fabs(full);
}

// p'C p = p'K p of a mode, to what bound_is_close allows?
static bool is_damped_as_stiff(const System *system, const double *x, const double *mode,
                               Arena *scratch)
{
    Scaled S = scaled(system, x, scratch);
    double k, c;
    pair_of(&S, mode, &k, &c);
    return fabs(c - k) <= ALMOST * fabs(k);
}

// What decides under a filter that comes before the position update, or acts on forces or turns
// modes.
static double weight_of(FilteredMode mode, bool before)
{
    double fk = mode.symbol * mode.k;
    return before ? fk / (1.0 + mode.symbol) : fabs(fk);
}

// Is q'F p not p'F q, of two random vectors?
static bool is_uneven(const System *system, const double *x, VelocityFilter of, Arena *scratch)
{
    int n = system->dofs;
    Scaled S = scaled(system, x, scratch);
    S.filter = of;
    uint32_t state = 362436069u;
    for (int i = 0; i < n; i++) {
        S.previous[i] = S.scale[i] > 0.0 ? next_noise(&state) : 0.0;
        S.before[i] = S.scale[i] > 0.0 ? next_noise(&state) : 0.0;
    }
    filter(&S, S.previous, S.q);
    filter(&S, S.before, S.r);
    double apart = vector_dot(n, S.before, S.q) - vector_dot(n, S.previous, S.r);
    return fabs(apart) > SAME_STIFFNESS * vector_dot(n, S.previous, S.previous);
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
    stiffness->rayleigh = !system->own_damping;
    if (needs_pairs(system, x, scheme, scratch)) {
        find_corners(system, x, scheme, efforts, modes, stiffness, scratch);
        scratch->used = used;
        stiffness->rayleigh =
            stiffness->rayleigh && is_damped_as_stiff(system, x, modes[STIFFNESS_K0], scratch);
        scratch->used = used;
    }
    stiffness->spring = traits & INTEGRATOR_NEEDS_SPRINGS ? stiffness_of_spring(system) : 0.0;
    stiffness->single = system->springs && system->springs->count == 1;
    StiffnessParts parts;
    stiffness->across = 0.0;
    if (stiffness_parts(system, scheme, &parts)) {
        stiffness->across = stiffness_across(system, x, parts, efforts[STIFFNESS_ACROSS],
                                             modes[STIFFNESS_ACROSS], scratch);
        scratch->used = used;
    }
    stiffness->uneven = false;
    if (scheme->filter == SCHEME_UNFILTERED) return;
    stiffness->uneven = is_uneven(system, x, filter, scratch);
    scratch->used = used;
    stiffness->lowest = stiffness_lowest_symbol(system, x, filter, efforts[STIFFNESS_LOWEST],
                                                modes[STIFFNESS_LOWEST], scratch);
    scratch->used = used;
    if (scheme->filter == SCHEME_FILTER_AFTER) return;
    bool of_force = scheme->filter == SCHEME_FILTER_FORCE, turns = stiffness->lowest.symbol < 0.0;
    FindMode find = turns ? find_turned : of_force ? find_filtered_force : find_filtered;
    stiffness->decisive =
        filtered_mode(find, system, x, filter, TANGENT_FULL, efforts[STIFFNESS_DECISIVE],
                      modes[STIFFNESS_DECISIVE], scratch);
    if (!system->goes_slack) return;
    FilteredMode pulled =
        filtered_mode(find, system, x, filter, TANGENT_TAUT, efforts[STIFFNESS_DECISIVE],
                      modes[STIFFNESS_DECISIVE], scratch);
    bool before = find == find_filtered;
    if (weight_of(pulled, before) > weight_of(stiffness->decisive, before))
        stiffness->decisive = pulled;
}
