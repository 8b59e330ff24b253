// Symplectic Euler (forward-backward, Euler-Cromer):
//   v' = v + h M^-1 f(x, v),   v' = F v' if there is a filter,   x' = x + h v'.
// Symplectic while f ignores v: the energy error stays bounded. The filter must act between the two
// updates: after the step it would lower the stable step instead of raising it (Ahmad et al.).
#include "integrators/integrator.h"

#include <math.h>

static void advance(const Step *step, double *x, double *v)
{
    const System *system = step->system;
    double h = step->h;
    double *f = ARENA_ALLOC(step->scratch, system->dofs, double);
    system->forces(system->self, x, v, f);
    for (int i = 0; i < system->dofs; i++) v[i] += h * system->inverse_mass[i] * f[i];
    if (system->filter) system->filter(system->self, x, v);
    for (int i = 0; i < system->dofs; i++) x[i] += h * v[i];
    step->report->force_evaluations = 1;
}

// With X = h d, Y = h^2 k and damping at the old velocity the step is stable for Y < 4 - 2X (Jury),
// so  h < 4 / (d + sqrt(d^2 + 4k)). Along d = d0 + alpha k the stiffest mode decides: the region is
// a triangle and the modes a segment.
static double step_limit(double k0, double air, double alpha)
{
    double d = air + alpha * k0;
    double denominator = d + sqrt(d * d + 4.0 * k0);
    return denominator > 0.0 ? 4.0 / denominator : INFINITY;
}

static size_t scratch_size(int dofs)
{
    return arena_footprint((size_t)dofs * sizeof(double));
}

const Integrator symplectic_euler = {
    .name = "symplectic-euler",
    .label = "Symplectic Euler",
    .summary = "New velocity from the old position, new position from the new velocity: one force "
               "evaluation, energy bounded, stable up to h = 2/omega.",
    .reference = "Hairer, Lubich & Wanner, Geometric Numerical Integration, 2006, ch. I",
    .order = 1,
    .traits = INTEGRATOR_SYMPLECTIC,
    .default_step = 1.0 / 120.0,
    .advance = advance,
    .step_limit = step_limit,
    .scratch_size = scratch_size,
};
