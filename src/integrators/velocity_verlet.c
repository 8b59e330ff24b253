// Velocity Verlet, kick-drift-kick:
//   v_half = v + h/2 a(x, v),   v_half = F v_half if there is a filter,   x' = x + h v_half,
//   v' = v_half + h/2 a(x', v_half).
// Second order and symplectic while a does not depend on v. Damping enters the second kick at the
// half-step velocity, half a step early, so with damping the order is 1. Reusing that acceleration
// in the next step would give symplectic Euler's limit, so each step evaluates twice.
#include "integrators/integrator.h"

static void kick(const System *system, double h, const double *f, double *v)
{
    for (int i = 0; i < system->dofs; i++) v[i] += h * system->inverse_mass[i] * f[i];
}

static void advance(const Step *step, double *x, double *v)
{
    const System *system = step->system;
    double h = step->h;
    double *first = ARENA_ALLOC(step->scratch, system->dofs, double);
    double *second = ARENA_ALLOC(step->scratch, system->dofs, double);
    StepLosses *losses = &step->report->losses;
    step_at(step, 0.0);
    losses->power = system->forces(system->self, x, v, first);
    losses->at = POWER_AT_START;
    kick(system, 0.5 * h, first, v);
    if (system->filter) losses->filtered = system->filter(system->self, x, v);
    for (int i = 0; i < system->dofs; i++) x[i] += h * v[i];
    step_at(step, 1.0);
    system->forces(system->self, x, v, second);
    kick(system, 0.5 * h, second, v);
    step->report->force_evaluations = 2;
    step->report->force = first;
}

static void amplification(const StepOptions *options, const Mode *mode, double G[2][2])
{
    (void)options;
    double X = mode->X, Y = mode->Y, f = mode->filter;
    // w_half = p x + q w
    double p = -0.5 * f * Y, q = f * (1.0 - 0.5 * X);
    G[0][0] = 1.0 + p;
    G[0][1] = q;
    G[1][0] = p - 0.5 * (Y * G[0][0] + X * p);
    G[1][1] = q - 0.5 * (Y * G[0][1] + X * q);
}

static size_t scratch_size(int dofs)
{
    return 2 * arena_footprint((size_t)dofs * sizeof(double));
}

const Integrator velocity_verlet = {
    .name = "velocity-verlet",
    .label = "Velocity Verlet",
    .short_label = "Verlet",
    .summary = "Half a kick, a drift, half a kick: second order without damping, energy bounded, "
               "stable up to h = 2/ω.",
    .reference = "Swope et al. 1982; Hairer, Lubich & Wanner, Geometric Numerical Integration",
    .claim = "2/omega (Ahmad et al.)",
    .measured = "2.00/omega without damping, 1.83/omega with alpha = 0.5 ms",
    .order = 2,
    .order_proviso = "1 with damping",
    .forces_per_step = 2,
    .traits = INTEGRATOR_SYMPLECTIC | INTEGRATOR_POSITION_LAST | INTEGRATOR_ORDER_UNDAMPED,
    .default_step = 1.0 / 120.0,
    .advance = advance,
    .amplification = amplification,
    .scratch_size = scratch_size,
};
