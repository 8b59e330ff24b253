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
#include "linalg/vectors.h"

#include <math.h>
#include <string.h>

enum { MAX_NEWTON = 30, MAX_HALVINGS = 12 };
// Beside contacts, where what lands makes springs buckle, more of them rarely help.
enum { MAX_CONTACT_NEWTON = 12, MAX_CONTACT_HALVINGS = 6 };
// So much of its first slope the potential may rise with at the end of a share of the direction.
#define TURNED 0.5
// Newton stalls at rounding when the tolerance is finer than doubles allow: a residual that fell
// this far counts as converged.
#define ROUNDING_FLOOR 1e-10

static void linearise(const Step *step, const double *x, Tangent tangent)
{
    step->system->linearise(step->system->self, x, tangent);
    step->report->linearisations++;
}

// The velocities after a linearised step, dv, from the forces f at its start. `b` is room.
static void solve_linearised(const Step *step, const double *x, const double *v, const double *f,
                             double *b, double *dv)
{
    const System *system = step->system;
    double h = step->h;
    for (Tangent tangent = step->options->tangent;; tangent = TANGENT_CLAMPED) {
        linearise(step, x, tangent);
        system->stiffness_product(system->self, v, b);
        for (int i = 0; i < system->dofs; i++)
            b[i] = system->inverse_mass[i] > 0.0 ? h * (f[i] - h * b[i]) : 0.0;
        if (implicit_solve(step, b, v, dv) || tangent == TANGENT_CLAMPED) break;
        step->report->fallbacks++;
    }
}

static void advance(const Step *step, double *x, double *v)
{
    const System *system = step->system;
    int n = system->dofs;
    double *f = ARENA_ALLOC(step->scratch, n, double);
    double *b = ARENA_ALLOC(step->scratch, n, double);
    double *dv = ARENA_ALLOC(step->scratch, n, double);

    step_at(step, 0.0);
    step->report->losses.power = system->forces(system->self, x, v, f);
    step->report->losses.at = POWER_AT_START;
    step->report->force_evaluations = 1;
    step->report->force = f;
    solve_linearised(step, x, v, f, b, dv);
    if (step->report->cancelled) return;
    implicit_finish(step, dv, x, v);
}

static size_t scratch_size(int dofs)
{
    return 3 * arena_footprint((size_t)dofs * sizeof(double)) + implicit_scratch_size(dofs);
}

typedef struct Newton {
    const Step *step;
    bool touches;        // there are contacts
    const double *x, *v; // at the start
    double *dv;          // v' - v
    double *direction;   // of the last solve
    double *trial;       // v' - v, with a share of it
    double *end_x, *end_v;
    double *unbalanced; // residual -F there, without contacts
    double *b;          // the same with them
    double *at;         // velocities that the last solve started from
    double norm;        // of b
    Losses power;       // that damping takes
} Newton;

// The norm |M^-1/2 F| of a residual, over what is free and, at the velocities v, not balanced by
// contacts, with what their velocities lack; v = NULL: without contacts. Balls have taken a share
// of the last solve.
static double norm_of(const System *system, const double *v, double share, double *b)
{
    double sum = 0.0;
    if (v && implicit_has_contacts(system)) sum = contact_filter(system->contacts, v, share, b);
    for (int i = 0; i < system->dofs; i++) sum += system->inverse_mass[i] * b[i] * b[i];
    return sqrt(sum);
}

// What a residual is measured with: the first one. A cloth that is about to hit something may have
// any residual without the contacts, and is measured with its motion: |M^1/2 v|, with at least what
// gravity gives in a step.
static double scale_of(const Newton *newton)
{
    const System *system = newton->step->system;
    if (!newton->touches) return newton->norm;
    double sum = 0.0, fall = system->contacts->fall;
    for (int i = 0; i < system->dofs; i++)
        if (system->inverse_mass[i] > 0.0)
            sum += system->mass[i] * (newton->v[i] * newton->v[i] + fall * fall / 3.0);
    double first = norm_of(system, NULL, 0.0, newton->unbalanced);
    return fmin(fmax(first, newton->norm), sqrt(sum));
}

// The residual at v + change, of which a share of the last solve is a part.
static void evaluate(Newton *newton, const double *change, double share)
{
    const Step *step = newton->step;
    const System *system = step->system;
    double h = step->h, *b = newton->b;
    for (int i = 0; i < system->dofs; i++) {
        newton->end_v[i] = newton->v[i] + change[i];
        newton->end_x[i] = newton->x[i] + h * newton->end_v[i];
    }
    newton->power = system->forces(system->self, newton->end_x, newton->end_v, b);
    step->report->force_evaluations++;
    for (int i = 0; i < system->dofs; i++) {
        b[i] = system->inverse_mass[i] > 0.0 ? h * b[i] - system->mass[i] * change[i] : 0.0;
        newton->unbalanced[i] = b[i];
    }
    newton->norm = norm_of(system, newton->end_v, share, b);
}

static void find_direction(Newton *newton)
{
    const Step *step = newton->step;
    size_t bytes = (size_t)step->system->dofs * sizeof(double);
    step->report->newton_iterations++;
    linearise(step, newton->end_x, step->options->tangent);
    memcpy(newton->at, newton->end_v, bytes);
    if (!implicit_solve(step, newton->unbalanced, newton->at, newton->direction) &&
        step->options->tangent != TANGENT_CLAMPED) {
        step->report->fallbacks++;
        linearise(step, newton->end_x, TANGENT_CLAMPED);
        implicit_solve(step, newton->unbalanced, newton->at, newton->direction);
    }
    if (!newton->touches) return;
    memcpy(newton->b, newton->unbalanced, bytes); // the states of contacts may have changed
    newton->norm = norm_of(step->system, newton->at, 0.0, newton->b);
}

// (J - F).d with the impulses J of the last solve, of which a share was taken: how steeply the
// incremental potential of cloth and balls, whose slope F is, falls along d.
static double descent(const Newton *newton, double share)
{
    int n = newton->step->system->dofs;
    return vector_dot(n, newton->unbalanced, newton->direction) +
           contact_work(newton->step->system->contacts, newton->end_v, newton->direction, share);
}

// A share of the direction. It lowers the norm. Beside contacts it need not: what lands makes
// springs buckle, which the clamped tangent knows nothing of, and the norm has minima elsewhere.
// The potential along the direction falls, and has at most turned a little.
static bool search(Newton *newton)
{
    const System *system = newton->step->system;
    double before = newton->norm, slope = newton->touches ? descent(newton, 0.0) : 0.0, scale = 1.0;
    for (int k = 0; k < (newton->touches ? MAX_CONTACT_HALVINGS : MAX_HALVINGS); k++) {
        for (int i = 0; i < system->dofs; i++)
            newton->trial[i] = newton->dv[i] + scale * newton->direction[i];
        evaluate(newton, newton->trial, scale);
        bool better =
            newton->touches ? descent(newton, scale) >= -TURNED * slope : newton->norm < before;
        if (better) {
            memcpy(newton->dv, newton->trial, (size_t)system->dofs * sizeof(double));
            if (newton->touches) contact_take(system->contacts, scale);
            return true;
        }
        if (implicit_is_cancelled(newton->step)) return false;
        scale *= 0.5;
    }
    return false;
}

static Newton start_newton(const Step *step, const double *x, const double *v)
{
    int n = step->system->dofs;
    Newton newton = {.step = step,
                     .touches = implicit_has_contacts(step->system),
                     .x = x,
                     .v = v,
                     .dv = ARENA_ALLOC(step->scratch, n, double),
                     .direction = ARENA_ALLOC(step->scratch, n, double),
                     .trial = ARENA_ALLOC(step->scratch, n, double),
                     .end_x = ARENA_ALLOC(step->scratch, n, double),
                     .end_v = ARENA_ALLOC(step->scratch, n, double),
                     .b = ARENA_ALLOC(step->scratch, n, double),
                     .unbalanced = ARENA_ALLOC(step->scratch, n, double),
                     .at = ARENA_ALLOC(step->scratch, n, double)};
    memset(newton.dv, 0, (size_t)n * sizeof *newton.dv);
    step_at(step, 1.0);
    if (newton.touches) contact_begin(step->system->contacts);
    evaluate(&newton, newton.dv, 0.0);
    return newton;
}

// What did not converge beside contacts may have gained any energy: a linearised step then.
static void give_up(Newton *newton)
{
    const Step *step = newton->step;
    contact_begin(step->system->contacts);
    newton->power = step->system->forces(step->system->self, newton->x, newton->v, newton->at);
    step->report->force_evaluations++;
    solve_linearised(step, newton->x, newton->v, newton->at, newton->b, newton->dv);
}

static bool newton(const Step *step, bool anyhow, double *x, double *v)
{
    const System *system = step->system;
    const double tolerance = step->options->newton_tolerance;
    Newton newton = start_newton(step, x, v);
    const double scale = scale_of(&newton);
    bool stalled = false;
    const int most = newton.touches ? MAX_CONTACT_NEWTON : MAX_NEWTON;
    for (int i = 0; i < most && !stalled; i++) {
        bool balanced = newton.norm <= tolerance * scale;
        if (balanced && (i > 0 || !newton.touches)) break;
        if (i > 0 && step->report->spent) break;
        find_direction(&newton);
        if (implicit_is_cancelled(step)) return false;
        stalled = !search(&newton);
        if (implicit_is_cancelled(step)) return false;
    }
    if (stalled) evaluate(&newton, newton.dv, 0.0);
    bool converged = newton.norm <= fmax(tolerance, ROUNDING_FLOOR) * scale;
    bool ends = converged || step->report->spent; // no parts then: they would cost more
    if (!ends && !anyhow) return false;
    if (newton.touches) {
        if (converged)
            contact_use_taken(system->contacts);
        else
            give_up(&newton);
        if (implicit_is_cancelled(step)) return false;
    }
    step->report->losses.power = newton.power;
    step->report->losses.at = POWER_AT_END;
    implicit_finish(step, newton.dv, x, v);
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
