// Backward Euler, linearised: one Newton step per time step (Baraff & Witkin 1998).
//   K = -df/dx, D = -df/dv at x,   (M (1 + h d0) + h^2 K + h D) dv = h (f(x, v) - h K v),
//   v' = v + dv,   v' = F v' if there is a filter,   x' = x + h v'.
// Linearly stable at every step; damps what it cannot resolve. With the full tangent the matrix may
// be indefinite under compression: PCG then stops early and says so.
#include "integrators/integrator.h"

#include <math.h>

// PCG iterations grow with the grid's side (about 2.8 times it when h is large); this is above that
// for the largest cloth, so it only bounds a hopeless solve.
enum { MAX_ITERATIONS = 1000 };

static void advance(const Step *step, double *x, double *v)
{
    const System *system = step->system;
    int n = system->dofs;
    double h = step->h;
    double *b = ARENA_ALLOC(step->scratch, n, double);
    double *Kv = ARENA_ALLOC(step->scratch, n, double);
    double *dv = ARENA_ALLOC(step->scratch, n, double);

    system->forces(system->self, x, v, b);
    system->linearise(system->self, x, step->tangent);
    system->stiffness_product(system->self, v, Kv);
    for (int i = 0; i < n; i++) {
        b[i] = system->inverse_mass[i] > 0.0 ? h * (b[i] - h * Kv[i]) : 0.0;
    }
    LinearOperator A = system->assemble(system->self, 1.0 + h * system->air, h * h, h);
    step->report->pcg = pcg_solve(&A, b, dv, step->pcg_tolerance, MAX_ITERATIONS, step->scratch);
    step->report->force_evaluations = 1;

    for (int i = 0; i < n; i++) v[i] += dv[i];
    if (system->filter) system->filter(system->self, x, v);
    for (int i = 0; i < n; i++) x[i] += h * v[i];
}

static double step_limit(double k0, double air, double alpha)
{
    (void)k0, (void)air, (void)alpha;
    return INFINITY;
}

static size_t scratch_size(int dofs)
{
    return 3 * arena_footprint((size_t)dofs * sizeof(double)) + pcg_scratch_size(dofs);
}

const Integrator backward_euler = {
    .name = "backward-euler",
    .label = "Backward Euler (linearised)",
    .summary = "One Newton step on the implicit equations, solved by PCG: stable at any step, at "
               "the price of a linear solve and of numerical damping.",
    .reference = "Baraff & Witkin, Large Steps in Cloth Simulation, SIGGRAPH 1998",
    .order = 1,
    .traits = INTEGRATOR_IMPLICIT,
    .default_step = 1.0 / 120.0,
    .advance = advance,
    .step_limit = step_limit,
    .scratch_size = scratch_size,
};
