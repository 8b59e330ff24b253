// M^-1 K is not symmetric, but S = M^-1/2 K M^-1/2 is and has the same eigenvalues. Held degrees of
// freedom have M^-1 = 0 and drop out by themselves.
#include "analysis/stable_step.h"

#include <math.h>
#include <stdint.h>

// Share of noise mixed into a warm start: the old mode alone would not see a new, stiffer one that
// is orthogonal to it.
#define NOISE 0.1
// Smallest automatic step, in units of 1/omega of the stiffest mode.
#define SMALLEST_STEP 0.05

typedef struct ScaledStiffness {
    const System *system;
    const double *x;
    double *scale; // sqrt(M^-1)
    double *q;     // work
} ScaledStiffness;

static void multiply(void *self, const double *p, double *out)
{
    ScaledStiffness *S = self;
    int n = S->system->dofs;
    for (int i = 0; i < n; i++) S->q[i] = S->scale[i] * p[i];
    S->system->stiffness_product_at(S->system->self, S->x, TANGENT_FULL, S->q, out);
    for (int i = 0; i < n; i++) out[i] *= S->scale[i];
}

size_t stable_step_scratch_size(int dofs, int products)
{
    return 2 * arena_footprint((size_t)dofs * sizeof(double)) +
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

LanczosReport stable_step_k0(const System *system, const double *x, int products, double *mode,
                             Arena *scratch)
{
    int n = system->dofs;
    ScaledStiffness S = {.system = system,
                         .x = x,
                         .scale = ARENA_ALLOC(scratch, n, double),
                         .q = ARENA_ALLOC(scratch, n, double)};
    uint32_t state = 2463534242u;
    double share = NOISE / sqrt(n); // the mode is a unit vector
    for (int i = 0; i < n; i++) {
        S.scale[i] = sqrt(system->inverse_mass[i]);
        double start = mode[i] + share * next_noise(&state);
        mode[i] = S.scale[i] > 0.0 ? start : 0.0;
    }
    LinearOperator A = {.self = &S, .dofs = n, .multiply = multiply};
    return lanczos_largest(&A, products, mode, scratch);
}

double stable_step_automatic(const Integrator *integrator, double step_limit, double k0,
                             double safety)
{
    double smallest = k0 > 0.0 ? SMALLEST_STEP / sqrt(k0) : 0.0;
    return fmin(fmax(safety * step_limit, smallest), integrator->default_step);
}
