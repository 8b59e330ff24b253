// Where D = alpha C has other modes than K: a polygon around all pairs (p'K p, p'C p), cut where a
// method fails first.
#include "stability/stiffness_operators.h"

#include "linalg/vectors.h"
#include "stability/automatic_alpha.h"

#include <math.h>
#include <string.h>

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
    KrylovReport report = stiffness_largest(&pairs->S, stiffness_combined, pairs->efforts[mode],
                                            pairs->modes[mode], pairs->scratch);
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
void stiffness_find_corners(const System *system, const double *x, const Scheme *scheme,
                            const KrylovEffort efforts[STIFFNESS_MODES],
                            double *modes[STIFFNESS_MODES], Stiffness *stiffness, Arena *scratch)
{
    Pairs pairs = {.S = stiffness_scaled(system, x, scratch),
                   .efforts = efforts,
                   .modes = modes,
                   .scratch = scratch};
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
        stiffness_pair_of(&pairs.S, modes[STIFFNESS_CUT], &stiffness->deciding_k,
                          &stiffness->deciding_c);
    }
}

// Is D = alpha K not good enough? It is alpha times the clamped K where springs are compressed, and
// methods that need damping for their stability notice.
bool stiffness_needs_pairs(const System *system, const double *x, const Scheme *scheme,
                           Arena *scratch)
{
    const Integrator *integrator = scheme->integrator;
    if (!system->damping_product_at || (integrator->traits & INTEGRATOR_IMPLICIT)) return false;
    if (system->own_damping) return true;
    if (!(integrator->traits & INTEGRATOR_NEEDS_DAMPING)) return false;
    int n = system->dofs;
    size_t used = scratch->used;
    double *p = ARENA_ALLOC(scratch, n, double), *Kp = ARENA_ALLOC(scratch, n, double);
    uint32_t state = 88675123u;
    for (int i = 0; i < n; i++)
        p[i] = system->inverse_mass[i] > 0.0 ? stiffness_noise(&state) : 0.0;
    double full, clamped;
    system->stiffness_product_at(system->self, x, TANGENT_FULL, p, Kp);
    full = vector_dot(n, p, Kp);
    system->stiffness_product_at(system->self, x, TANGENT_CLAMPED, p, Kp);
    clamped = vector_dot(n, p, Kp);
    scratch->used = used;
    return fabs(clamped - full) > SAME_STIFFNESS * fabs(full);
}
