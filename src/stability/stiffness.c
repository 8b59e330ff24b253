// M^-1 K is not symmetric, but S = M^-1/2 K M^-1/2 is and has the same eigenvalues. Held degrees of
// freedom have M^-1 = 0 and drop out. A filter becomes M^1/2 F M^-1/2, which is not symmetric where
// particles have different numbers of neighbours.
#include "stability/stiffness_operators.h"

#include "linalg/vectors.h"
#include "stability/automatic_alpha.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

// The same of p'Kp and p'C p of the stiffest mode, where a limit should be exact.
#define ALMOST 1e-3

enum { WORK_ARRAYS = 7 };

size_t stiffness_scratch_size(int dofs, int steps)
{
    return (WORK_ARRAYS + 1) * arena_footprint((size_t)dofs * sizeof(double)) +
           krylov_largest_size(dofs, steps);
}

Scaled stiffness_scaled(const System *system, const double *x, Arena *scratch)
{
    int n = system->dofs;
    Scaled S = {.system = system, .x = x, .tangent = TANGENT_FULL};
    double **const arrays[WORK_ARRAYS] = {&S.scale,    &S.unscale, &S.q,   &S.r,
                                          &S.previous, &S.before,  &S.rest};
    for (int a = 0; a < WORK_ARRAYS; a++) *arrays[a] = ARENA_ALLOC(scratch, n, double);
    for (int i = 0; i < n; i++) {
        S.scale[i] = sqrt(system->inverse_mass[i]);
        S.unscale[i] = S.scale[i] > 0.0 ? 1.0 / S.scale[i] : 0.0;
    }
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
    for (int i = 0; i < n; i++) out[i] *= S->unscale[i];
}

// out = (a K + b C) p
void stiffness_combined(void *self, const double *p, double *out)
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
static void prepare_quotient(Scaled *S, int degree)
{
    int points = degree + 1;
    S->degree = degree;
    for (int j = 0; j < points; j++) {
        double sum = 0.0;
        for (int p = 0; p < points; p++) {
            double angle = M_PI * (p + 0.5) / points, f = 0.5 * (1.0 + cos(angle));
            sum += f / (1.0 + f) * cos(j * angle);
        }
        S->coefficient[j] = (j == 0 ? 1.0 : 2.0) / points * sum;
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
    for (int i = 0; i < n; i++) b1[i] = S->coefficient[S->degree] * w[i];
    memset(b2, 0, bytes);
    for (int j = S->degree - 1; j >= 0; j--) {
        double twice = j == 0 ? 1.0 : 2.0, c = S->coefficient[j];
        filter(S, b1, out);
        for (int i = 0; i < n; i++) b2[i] = c * w[i] + twice * (2.0 * out[i] - b1[i]) - b2[i];
        double *b = b2;
        b2 = b1, b1 = b;
    }
    memcpy(out, b1, bytes);
}

// Noise in [-1, 1], the same on every run (xorshift, Marsaglia 2003).
double stiffness_noise(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return (double)*state / 2147483648.0 - 1.0;
}

// The largest eigenvalue, from a start with a little noise.
KrylovReport stiffness_largest(Scaled *S, void (*multiply)(void *, const double *, double *),
                               KrylovEffort effort, double *mode, Arena *scratch)
{
    int n = S->system->dofs;
    uint32_t state = STIFFNESS_SEED;
    double share = STIFFNESS_NOISE / sqrt(n); // the mode is a unit vector
    for (int i = 0; i < n; i++) {
        double start = mode[i] + share * stiffness_noise(&state);
        mode[i] = S->scale[i] > 0.0 ? start : 0.0;
    }
    LinearOperator A = {.self = S, .dofs = n, .multiply = multiply};
    return krylov_largest(&A, effort, mode, scratch);
}

KrylovReport stiffness_k0(const System *system, const double *x, KrylovEffort effort, double *mode,
                          Arena *scratch)
{
    Scaled S = stiffness_scaled(system, x, scratch);
    return stiffness_largest(&S, stiffness_product, effort, mode, scratch);
}

// p'K p and p'C p of a unit vector
void stiffness_pair_of(Scaled *S, const double *mode, double *k, double *c)
{
    int n = S->system->dofs;
    S->tangent = TANGENT_FULL;
    S->with_stiffness = 0.0, S->with_damping = 1.0;
    stiffness_combined(S, mode, S->before); // leaves K p in `previous`
    *k = vector_dot(n, mode, S->previous);
    *c = vector_dot(n, mode, S->before);
}

double stiffness_of_damping(const System *system, const double *x, KrylovEffort effort,
                            double *mode, Arena *scratch)
{
    Scaled S = stiffness_scaled(system, x, scratch);
    S.with_damping = 1.0;
    return stiffness_largest(&S, stiffness_combined, effort, mode, scratch).value;
}

void stiffness_weighed(const System *system, const double *x, double a, double b,
                       KrylovEffort effort, double *mode, Arena *scratch, double *k, double *c)
{
    Scaled S = stiffness_scaled(system, x, scratch);
    S.with_stiffness = a;
    S.with_damping = b;
    stiffness_largest(&S, stiffness_combined, effort, mode, scratch);
    stiffness_pair_of(&S, mode, k, c);
}

double stiffness_across(const System *system, const double *x, StiffnessParts parts,
                        KrylovEffort effort, double *mode, Arena *scratch)
{
    Scaled S = stiffness_scaled(system, x, scratch);
    S.without_implicit = true;
    S.tangent = parts.whole;
    S.implicit = parts.implicit;
    double k = stiffness_largest(&S, stiffness_product, effort, mode, scratch).value;
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
    Scaled S = stiffness_scaled(system, x, scratch);
    S.filter = filter;
    double rest = stiffness_largest(&S, complement, effort, mode, scratch).value;
    return (FilteredMode){stiffness_of(&S, mode), 1.0 - rest};
}

// The modes below, with K of a tangent.
typedef FilteredMode (*FindMode)(Scaled *S, KrylovEffort effort, double *mode, Arena *scratch);

static FilteredMode find_filtered(Scaled *S, KrylovEffort effort, double *mode, Arena *scratch)
{
    prepare_quotient(S, effort.products <= COARSE_PRODUCTS ? COARSE_DEGREE : DEGREE);
    double a = stiffness_largest(S, filtered_velocity, effort, mode, scratch).value;
    double k = stiffness_of(S, mode);
    if (!(a > 0.0)) return (FilteredMode){0.0, 1.0};
    return k > 2.0 * a ? (FilteredMode){k, a / (k - a)} : (FilteredMode){2.0 * a, 1.0};
}

static FilteredMode find_force(Scaled *S, double sign, KrylovEffort effort, double *mode,
                               Arena *scratch)
{
    S->sign = sign;
    double a = stiffness_largest(S, filtered_force, effort, mode, scratch).value;
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
    Scaled S = stiffness_scaled(system, x, scratch);
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

// p'C p = p'K p of a mode, to what bound_is_close allows?
static bool is_damped_as_stiff(const System *system, const double *x, const double *mode,
                               Arena *scratch)
{
    Scaled S = stiffness_scaled(system, x, scratch);
    double k, c;
    stiffness_pair_of(&S, mode, &k, &c);
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
    Scaled S = stiffness_scaled(system, x, scratch);
    S.filter = of;
    uint32_t state = 362436069u;
    for (int i = 0; i < n; i++) {
        S.previous[i] = S.scale[i] > 0.0 ? stiffness_noise(&state) : 0.0;
        S.before[i] = S.scale[i] > 0.0 ? stiffness_noise(&state) : 0.0;
    }
    filter(&S, S.previous, S.q);
    filter(&S, S.before, S.r);
    double apart = vector_dot(n, S.before, S.q) - vector_dot(n, S.previous, S.r);
    return fabs(apart) > SAME_STIFFNESS * vector_dot(n, S.previous, S.previous);
}

static bool is_known(const System *system, const double *mode)
{
    int i = 0;
    while (i < system->dofs && mode[i] == 0.0) i++;
    return i < system->dofs;
}

static KrylovEffort effort_for(const System *system, const double *mode,
                               const StiffnessEffort *effort)
{
    return is_known(system, mode) ? effort->again : effort->first;
}

// The largest eigenvalue of M^-1 K with K of a tangent.
static double largest_stiffness(const System *system, const double *x, Tangent tangent,
                                const StiffnessEffort *effort, double *mode, Arena *scratch)
{
    size_t used = scratch->used;
    double value;
    if (effort->follow > 0 && is_known(system, mode)) {
        value = stiffness_follow(system, x, tangent, effort->follow_least, effort->follow, mode,
                                 scratch)
                    .value;
    } else {
        Scaled S = stiffness_scaled(system, x, scratch);
        S.tangent = tangent;
        KrylovEffort own = effort_for(system, mode, effort);
        value = stiffness_largest(&S, stiffness_product, own, mode, scratch).value;
    }
    scratch->used = used;
    return value;
}

// Those of damped motion, where D = alpha C has other modes than K.
static void estimate_pairs(const System *system, const double *x, const Scheme *scheme,
                           const StiffnessEffort *effort, double *modes[STIFFNESS_MODES],
                           Stiffness *stiffness, Arena *scratch)
{
    size_t used = scratch->used;
    KrylovEffort efforts[STIFFNESS_MODES];
    for (int m = 0; m < STIFFNESS_MODES; m++) efforts[m] = effort_for(system, modes[m], effort);
    stiffness_find_corners(system, x, scheme, efforts, modes, stiffness, scratch);
    scratch->used = used;
    stiffness->rayleigh =
        stiffness->rayleigh && is_damped_as_stiff(system, x, modes[STIFFNESS_K0], scratch);
    scratch->used = used;
}

// Those of a filter.
static void estimate_filtered(const System *system, const double *x, const Scheme *scheme,
                              VelocityFilter filter, const StiffnessEffort *effort,
                              double *modes[STIFFNESS_MODES], Stiffness *stiffness, Arena *scratch)
{
    size_t used = scratch->used;
    double *lowest = modes[STIFFNESS_LOWEST], *decisive = modes[STIFFNESS_DECISIVE];
    if (filter.constant && effort->shape_only && is_known(system, lowest)) {
        Scaled S = stiffness_scaled(system, x, scratch);
        stiffness->lowest.k = stiffness_of(&S, lowest);
    } else {
        stiffness->uneven = is_uneven(system, x, filter, scratch);
        scratch->used = used;
        stiffness->lowest = stiffness_lowest_symbol(
            system, x, filter, effort_for(system, lowest, effort), lowest, scratch);
    }
    scratch->used = used;
    if (scheme->filter == SCHEME_FILTER_AFTER) return;
    bool of_force = scheme->filter == SCHEME_FILTER_FORCE, turns = stiffness->lowest.symbol < 0.0;
    FindMode find = turns ? find_turned : of_force ? find_filtered_force : find_filtered;
    KrylovEffort own = effort_for(system, decisive, effort);
    stiffness->decisive =
        filtered_mode(find, system, x, filter, TANGENT_FULL, own, decisive, scratch);
    if (!system->goes_slack) return;
    FilteredMode pulled =
        filtered_mode(find, system, x, filter, TANGENT_TAUT, own, decisive, scratch);
    bool before = find == find_filtered;
    if (weight_of(pulled, before) > weight_of(stiffness->decisive, before))
        stiffness->decisive = pulled;
}

void stiffness_estimate(const System *system, const double *x, const Scheme *scheme,
                        VelocityFilter filter, const StiffnessEffort *effort,
                        double *modes[STIFFNESS_MODES], Stiffness *stiffness, Arena *scratch)
{
    size_t used = scratch->used;
    // If nothing is free, or all springs are slack, there is no stiff mode: k0 = 0.
    double k0 = largest_stiffness(system, x, TANGENT_FULL, effort, modes[STIFFNESS_K0], scratch);
    stiffness->k0 = isfinite(k0) ? fmax(k0, 0.0) : 0.0;
    stiffness->taut = 0.0;
    if (system->goes_slack)
        stiffness->taut =
            largest_stiffness(system, x, TANGENT_TAUT, effort, modes[STIFFNESS_TAUT], scratch);
    stiffness->corner_count = 0;
    stiffness->rayleigh = !system->own_damping;
    if (stiffness_needs_pairs(system, x, scheme, scratch))
        estimate_pairs(system, x, scheme, effort, modes, stiffness, scratch);
    bool of_springs = scheme->integrator->traits & INTEGRATOR_NEEDS_SPRINGS;
    stiffness->spring = of_springs ? stiffness_of_spring(system) : 0.0;
    stiffness->single = system->springs && system->springs->count == 1;
    StiffnessParts parts;
    stiffness->across = 0.0;
    if (stiffness_parts(system, scheme, &parts)) {
        double *across = modes[STIFFNESS_ACROSS];
        KrylovEffort own = effort_for(system, across, effort);
        stiffness->across = stiffness_across(system, x, parts, own, across, scratch);
        scratch->used = used;
    }
    if (scheme->filter == SCHEME_UNFILTERED)
        stiffness->uneven = false;
    else
        estimate_filtered(system, x, scheme, filter, effort, modes, stiffness, scratch);
}
