// Backward Euler,  M (v' - v) = h f(x', v'),  x' = x + h v'.
//
// Linearised: one Newton step per time step (Baraff & Witkin 1998). A wind that changes is that at
// the start of the step.
//   K = -df/dx, D = -df/dv at x,   (M (1 + h d0) + h^2 K + h D) dv = h (f(x, v) - h K v),
//   v' = v + dv,   v' = F v' if there is a filter,   x' = x + h v'.
// Linearly stable at every step; damps what it cannot resolve. With the full tangent the matrix may
// be indefinite under compression: the step then falls back to the clamped tangent and reports it.
//
// To convergence: Newton's method on  F(v') = M (v' - v) - h f(x + h v', v')  from v' = v, with the
// same matrix at x + h v' and a line search on |M^-1/2 F|. Where h^2 k > 1 there may be several
// solutions (buckling). The line search keeps Newton from jumping between them; when it stalls, the
// step is repeated in halves.
#include "integrators/implicit.h"

#include <math.h>
#include <string.h>

enum { MAX_NEWTON = 30, MAX_HALVINGS = 12 };
// Newton stalls at rounding when the tolerance is finer than doubles allow: a residual that fell
// this far counts as converged.
#define ROUNDING_FLOOR 1e-10

static void linearise(const Step *step, const double *x, Tangent tangent)
{
    step->system->linearise(step->system->self, x, tangent);
    step->report->linearisations++;
}

static void advance(const Step *step, double *x, double *v)
{
    const System *system = step->system;
    int n = system->dofs;
    double h = step->h;
    double *f = ARENA_ALLOC(step->scratch, n, double);
    double *b = ARENA_ALLOC(step->scratch, n, double);
    double *dv = ARENA_ALLOC(step->scratch, n, double);

    step_at(step, 0.0);
    step->report->losses.power = system->forces(system->self, x, v, f);
    step->report->losses.at = POWER_AT_START;
    step->report->force_evaluations = 1;
    step->report->force = f;
    for (Tangent tangent = step->options->tangent;; tangent = TANGENT_CLAMPED) {
        linearise(step, x, tangent);
        system->stiffness_product(system->self, v, b);
        for (int i = 0; i < n; i++) {
            b[i] = system->inverse_mass[i] > 0.0 ? h * (f[i] - h * b[i]) : 0.0;
        }
        if (implicit_solve(step, b, v, dv) || tangent == TANGENT_CLAMPED) break;
        step->report->fallbacks++;
    }
    if (step->report->cancelled) return;
    implicit_finish(step, dv, x, v);
}

static size_t scratch_size(int dofs)
{
    return 3 * arena_footprint((size_t)dofs * sizeof(double)) + implicit_scratch_size(dofs);
}

// The norm |M^-1/2 F| of a residual, over what is free and, at the velocities v, not balanced by
// contacts, which are left out of b; v = NULL: with them.
static double norm_of(const System *system, const double *v, double *b)
{
    if (v && implicit_has_contacts(system)) contact_filter(system->contacts, v, b);
    double sum = 0.0;
    for (int i = 0; i < system->dofs; i++) sum += system->inverse_mass[i] * b[i] * b[i];
    return sqrt(sum);
}

// Residual -F at v + dv without contacts, `unbalanced`, and b with them; the norm of that; the
// power that damping takes there.
static double residual(const Step *step, const double *x, const double *v, const double *dv,
                       double *end_x, double *end_v, double *unbalanced, double *b, Losses *power)
{
    const System *system = step->system;
    double h = step->h;
    for (int i = 0; i < system->dofs; i++) {
        end_v[i] = v[i] + dv[i];
        end_x[i] = x[i] + h * end_v[i];
    }
    *power = system->forces(system->self, end_x, end_v, b);
    step->report->force_evaluations++;
    for (int i = 0; i < system->dofs; i++) {
        b[i] = system->inverse_mass[i] > 0.0 ? h * b[i] - system->mass[i] * dv[i] : 0.0;
        unbalanced[i] = b[i];
    }
    return norm_of(system, end_v, b);
}

static bool newton(const Step *step, bool anyhow, double *x, double *v)
{
    const System *system = step->system;
    int n = system->dofs;
    size_t bytes = (size_t)n * sizeof(double);
    double *dv = ARENA_ALLOC(step->scratch, n, double); // v' - v
    double *direction = ARENA_ALLOC(step->scratch, n, double);
    double *trial = ARENA_ALLOC(step->scratch, n, double);
    double *end_x = ARENA_ALLOC(step->scratch, n, double);
    double *end_v = ARENA_ALLOC(step->scratch, n, double);
    double *b = ARENA_ALLOC(step->scratch, n, double);
    double *unbalanced = ARENA_ALLOC(step->scratch, n, double);
    double *at = ARENA_ALLOC(step->scratch, n, double);
    memset(dv, 0, bytes);
    Losses power, trial_power;
    step_at(step, 1.0);
    double first = residual(step, x, v, dv, end_x, end_v, unbalanced, b, &power), norm = first;
    if (implicit_has_contacts(system)) first = norm_of(system, NULL, unbalanced);
    bool stalled = false;
    for (int i = 0; i < MAX_NEWTON && !stalled; i++) {
        bool balanced = norm <= step->options->newton_tolerance * first;
        if (balanced && (i > 0 || !implicit_has_contacts(system))) break;
        if (i > 0 && step->report->spent) break;
        step->report->newton_iterations++;
        linearise(step, end_x, step->options->tangent);
        memcpy(at, end_v, bytes);
        if (!implicit_solve(step, unbalanced, at, direction) &&
            step->options->tangent != TANGENT_CLAMPED) {
            step->report->fallbacks++;
            linearise(step, end_x, TANGENT_CLAMPED);
            implicit_solve(step, unbalanced, at, direction);
        }
        if (implicit_is_cancelled(step)) return false;
        if (implicit_has_contacts(system)) { // their states may have changed
            memcpy(b, unbalanced, bytes);
            norm = norm_of(system, at, b);
        }
        double scale = 1.0, next = INFINITY;
        for (int k = 0; k < MAX_HALVINGS; k++, scale *= 0.5) {
            for (int j = 0; j < n; j++) trial[j] = dv[j] + scale * direction[j];
            next = residual(step, x, v, trial, end_x, end_v, unbalanced, b, &trial_power);
            if (next < norm) break;
            if (implicit_is_cancelled(step)) return false;
        }
        stalled = !(next < norm);
        if (stalled) break;
        memcpy(dv, trial, bytes);
        norm = next;
        power = trial_power;
    }
    bool converged = norm <= fmax(step->options->newton_tolerance, ROUNDING_FLOOR) * first;
    step->report->losses.power = power;
    step->report->losses.at = POWER_AT_END;
    bool ends = converged || step->report->spent; // no parts then: they would cost more
    if (ends || anyhow) implicit_finish(step, dv, x, v);
    return ends;
}

static void advance_newton(const Step *step, double *x, double *v)
{
    step_in_parts(step, newton, x, v);
}

static size_t scratch_size_newton(int dofs)
{
    return 8 * arena_footprint((size_t)dofs * sizeof(double)) + implicit_scratch_size(dofs) +
           step_in_parts_scratch_size(dofs);
}

const Integrator backward_euler = {
    .name = "backward-euler",
    .label = "Backward Euler (linearised)",
    .short_label = "Backward",
    .summary = "One Newton step on the implicit equations, solved by PCG: stable at any step, at "
               "the price of a linear solve and of numerical damping.",
    .reference = "Baraff & Witkin, Large Steps in Cloth Simulation, SIGGRAPH 1998",
    .claim = "always stable for positive definite K and D (Shinya); no longer so once linearised "
             "(Joubert)",
    .measured = "no divergence in 10 s up to h = 0.1 s, with the full tangent too, which falls "
                "back to the clamped one in 4 % of the steps of 0.1 s; after 1 s a particle is off "
                "by 15 cm at h = 1/120 s, by 1.4 m at 0.1 s",
    .order = 1,
    .forces_per_step = 1,
    .traits = INTEGRATOR_IMPLICIT | INTEGRATOR_POSITION_LAST | INTEGRATOR_USES_LINEARISATION,
    .default_step = 1.0 / 120.0,
    .advance = advance,
    .amplification = implicit_amplification,
    .step_limit = implicit_step_limit,
    .scratch_size = scratch_size,
};

const Integrator backward_euler_newton = {
    .name = "backward-euler-newton",
    .label = "Backward Euler (Newton)",
    .short_label = "Backw. Newton",
    .summary = "The implicit equations solved to convergence, with a line search: the true "
               "backward Euler, stable at large steps also where the cloth buckles.",
    .reference = "Hairer & Wanner, Solving ODEs II, ch. IV; line search: Nocedal & Wright, ch. 3",
    .claim = "unconditionally stable (Joubert, Ahmad et al.)",
    .measured = "no divergence in 10 s up to h = 0.1 s; 2.3 iterations a step at 0.01 s, 9.2 at "
                "0.1 s; after 1 s off by 14 cm at 0.01 s",
    .order = 1,
    .forces_per_step = 4, // roughly: a little more than the iterations
    .traits = INTEGRATOR_IMPLICIT | INTEGRATOR_POSITION_LAST | INTEGRATOR_USES_LINEARISATION |
              INTEGRATOR_CONVERGES,
    .default_step = 1.0 / 60.0,
    .advance = advance_newton,
    .amplification = implicit_amplification,
    .step_limit = implicit_step_limit,
    .scratch_size = scratch_size_newton,
};
