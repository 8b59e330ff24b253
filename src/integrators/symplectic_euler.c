// Symplectic Euler (forward-backward, Euler-Cromer):
//   v' = v + h M^-1 f(x, v),   v' = F v' if there is a filter,   x' = x + h v'.
// Symplectic while f ignores v: the energy error stays bounded. The filter must act between the two
// updates: after the step it would lower the stable step instead of raising it (Ahmad et al.).
//
// With air drag at the new velocity, which is free because it is diagonal:
//   (1 + h d0) v' = v + h (M^-1 f + d0 v),   that is   v' = v + h M^-1 f / (1 + h d0).
#include "integrators/integrator.h"

#include <math.h>

// In the kick, h is divided by the drag's 1 + h d0 if drag acts at the new velocity.
static double implicit_air_kick(const Step *step)
{
    return step->h / (1.0 + step->h * step->system->air);
}

static void take_step(const Step *step, double kick, double *x, double *v)
{
    const System *system = step->system;
    double h = step->h;
    double *f = ARENA_ALLOC(step->scratch, system->dofs, double);
    StepLosses *losses = &step->report->losses;
    step_at(step, 0.0);
    losses->power = system->forces(system->self, x, v, f);
    losses->at = POWER_AT_START;
    const double *inverse_mass = system->inverse_mass;
    if (system->filter) {
        for (int i = 0; i < system->dofs; i++) v[i] += kick * inverse_mass[i] * f[i];
        losses->filtered = system->filter(system->self, x, v);
        for (int i = 0; i < system->dofs; i++) x[i] += h * v[i];
    } else { // the same in one pass: these loops are limited by memory
        for (int i = 0; i < system->dofs; i++) {
            v[i] += kick * inverse_mass[i] * f[i];
            x[i] += h * v[i];
        }
    }
    step->report->force_evaluations = 1;
    step->report->force = f;
}

static bool sweep_step(const Step *step, double kick, const double *old_x, const double *old_v,
                       double *x, double *v)
{
    const System *system = step->system;
    StepReport *report = step->report;
    if (!system->kick_drift) return false;
    KickDrift pass = {.kick = kick, .h = step->h, .x = old_x, .v = old_v, .new_x = x, .new_v = v};
    if (step->wants_force) pass.force = ARENA_ALLOC(step->scratch, system->dofs, double);
    step_at(step, 0.0);
    StepLosses *losses = &report->losses;
    if (!system->kick_drift(system->self, &pass, &losses->power, &losses->filtered, &report->speed))
        return false;
    losses->at = POWER_AT_START;
    report->knows_speed = true;
    report->force_evaluations = 1;
    report->force = pass.force;
    return true;
}

static void advance(const Step *step, double *x, double *v)
{
    take_step(step, step->h, x, v);
}

static bool sweep(const Step *step, const double *old_x, const double *old_v, double *x, double *v)
{
    return sweep_step(step, step->h, old_x, old_v, x, v);
}

static void advance_implicit_air(const Step *step, double *x, double *v)
{
    take_step(step, implicit_air_kick(step), x, v);
}

static bool sweep_implicit_air(const Step *step, const double *old_x, const double *old_v,
                               double *x, double *v)
{
    return sweep_step(step, implicit_air_kick(step), old_x, old_v, x, v);
}

// w' = f (w - kick (Y x + X w)),   x' = x + w'
static void amplify(double kick, const Mode *mode, double G[2][2])
{
    G[1][0] = -mode->filter * kick * mode->Y;
    G[1][1] = mode->filter * (1.0 - kick * mode->X);
    G[0][0] = 1.0 + G[1][0];
    G[0][1] = G[1][1];
}

static void amplification(const StepOptions *options, const Mode *mode, double G[2][2])
{
    (void)options;
    amplify(1.0, mode, G);
}

static void amplification_implicit_air(const StepOptions *options, const Mode *mode, double G[2][2])
{
    (void)options;
    amplify(1.0 / (1.0 + mode->air), mode, G);
}

// With X = h d, Y = h^2 k and damping at the old velocity the step is stable for Y < 4 - 2X (Jury),
// so  h < 4 / (d + sqrt(d^2 + 4k)). Along d = d0 + alpha k the stiffest mode decides: the region is
// a triangle and the modes a segment.
static double limit(double k0, double d)
{
    double denominator = d + sqrt(d * d + 4.0 * k0);
    return denominator > 0.0 ? 4.0 / denominator : INFINITY;
}

static double step_limit(const StepOptions *options, double k0, double air, double alpha)
{
    (void)options;
    return limit(k0, air + alpha * k0);
}

// Jury's second condition is then  4 + 2h d0 - 2h alpha k - Y > 0: drag has the opposite sign, and
// without stiffness every step is stable. A negative `air` stands for explicit drag beside it.
static double step_limit_implicit_air(const StepOptions *options, double k0, double air,
                                      double alpha)
{
    (void)options;
    return limit(k0, alpha * k0 - air);
}

static size_t scratch_size(int dofs)
{
    return arena_footprint((size_t)dofs * sizeof(double));
}

const Integrator symplectic_euler = {
    .name = "symplectic-euler",
    .label = "Symplectic Euler",
    .short_label = "Symplectic",
    .summary = "New velocity from the old position, new position from the new velocity: one force "
               "evaluation, energy bounded, stable up to h = 2/ω.",
    .reference = "Hairer, Lubich & Wanner, Geometric Numerical Integration, 2006, ch. I",
    .claim = "conditionally stable (Freiburg); 2/omega (Ahmad et al.)",
    .measured = "2.00/omega without damping; damping lowers it, to 1.56/omega with alpha = 0.5 ms",
    .order = 1,
    .forces_per_step = 1,
    .traits = INTEGRATOR_SYMPLECTIC | INTEGRATOR_POSITION_LAST | INTEGRATOR_SEPARABLE,
    .default_step = 1.0 / 120.0,
    .advance = advance,
    .sweep = sweep,
    .amplification = amplification,
    .step_limit = step_limit,
    .scratch_size = scratch_size,
};

const Integrator symplectic_euler_implicit_air = {
    .name = "symplectic-euler-implicit-air",
    .label = "Symplectic Euler, implicit drag",
    .short_label = "Sympl. impl. drag",
    .summary = "Symplectic Euler with air drag at the new velocity: the same cost, and drag makes "
               "the stable step larger instead of smaller.",
    .reference = "Hairer, Lubich & Wanner, Geometric Numerical Integration, 2006, ch. I",
    .claim = "not in the sources",
    .measured = "2.02/omega with d0 = 20/s, where drag at the old velocity leaves 1.98/omega",
    .order = 1,
    .forces_per_step = 1,
    .traits = INTEGRATOR_SYMPLECTIC | INTEGRATOR_POSITION_LAST | INTEGRATOR_SEPARABLE |
              INTEGRATOR_AIR_APART,
    .default_step = 1.0 / 120.0,
    .advance = advance_implicit_air,
    .sweep = sweep_implicit_air,
    .amplification = amplification_implicit_air,
    .step_limit = step_limit_implicit_air,
    .scratch_size = scratch_size,
};
