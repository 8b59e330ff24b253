// M^-1 K is not symmetric, but S = M^-1/2 K M^-1/2 is and has the same eigenvalues. Held degrees of
// freedom have M^-1 = 0 and drop out by themselves.
#include "analysis/stable_step.h"

#include "linalg/vectors.h"

#include <math.h>
#include <stdint.h>

// Share of noise mixed into a warm start: the old mode alone would not see a new, stiffer one that
// is orthogonal to it.
#define NOISE 0.1
// Smallest automatic step, in units of 1/omega of the stiffest mode.
#define SMALLEST_STEP 0.05

typedef struct ScaledStiffness { // M^-1/2 K M^-1/2, or without its axial part
    const System *system;
    const double *x;
    double across; // the share of its axial part that is taken away
    double *scale; // sqrt(M^-1)
    double *q, *r; // work
} ScaledStiffness;

static void multiply(void *self, const double *p, double *out)
{
    ScaledStiffness *S = self;
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

size_t stable_step_scratch_size(int dofs, int products)
{
    return 3 * arena_footprint((size_t)dofs * sizeof(double)) +
           lanczos_scratch_size(dofs, products);
}

// Noise in [-1, 1], the same on every run (xorshift, Marsaglia 2003).
static double next_noise(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return (double)*state / 2147483648.0 - 1.0;
}

static ScaledStiffness scaled(const System *system, const double *x, Arena *scratch)
{
    int n = system->dofs;
    ScaledStiffness S = {.system = system, .x = x};
    S.scale = ARENA_ALLOC(scratch, n, double);
    S.q = ARENA_ALLOC(scratch, n, double);
    S.r = ARENA_ALLOC(scratch, n, double);
    for (int i = 0; i < n; i++) S.scale[i] = sqrt(system->inverse_mass[i]);
    return S;
}

// The largest eigenvalue of S, with a little noise in the start.
static LanczosReport largest(ScaledStiffness *S, int products, double *mode, Arena *scratch)
{
    int n = S->system->dofs;
    uint32_t state = 2463534242u;
    double share = NOISE / sqrt(n); // the mode is a unit vector
    for (int i = 0; i < n; i++) {
        double start = mode[i] + share * next_noise(&state);
        mode[i] = S->scale[i] > 0.0 ? start : 0.0;
    }
    LinearOperator A = {.self = S, .dofs = n, .multiply = multiply};
    return lanczos_largest(&A, products, mode, scratch);
}

LanczosReport stable_step_k0(const System *system, const double *x, int products, double *mode,
                             Arena *scratch)
{
    ScaledStiffness S = scaled(system, x, scratch);
    return largest(&S, products, mode, scratch);
}

double stable_step_across_limit(double k, double air, double symbol)
{
    return k > 0.0 ? (air + sqrt(air * air + (2.0 + 2.0 * symbol) * k)) / k : INFINITY;
}

AcrossMode stable_step_across(const System *system, const double *x, double share, int products,
                              double *mode, Arena *scratch)
{
    ScaledStiffness S = scaled(system, x, scratch);
    S.across = share;
    LanczosReport report = largest(&S, products, mode, scratch);
    if (!isfinite(report.value)) return (AcrossMode){0};
    for (int i = 0; i < system->dofs; i++) S.q[i] = S.scale[i] * mode[i];
    system->stiffness_product_at(system->self, x, TANGENT_AXIAL, S.q, S.r);
    double axial = vector_dot(system->dofs, S.q, S.r);
    return (AcrossMode){report.value, report.value + share * axial, axial};
}

double stable_step_automatic(const Integrator *integrator, double step_limit, double k0,
                             double safety)
{
    double smallest = k0 > 0.0 ? SMALLEST_STEP / sqrt(k0) : 0.0;
    return fmin(fmax(safety * step_limit, smallest), integrator->default_step);
}
