// Explicit Runge-Kutta methods as rows of one table. With y = (x, v) and y' = (v, M^-1 f(x, v)):
//   Y_i = y + h sum_j a_ij Y'_j,   y' = y + h sum_i b_i Y'_i.
// A force that depends on time is that of t + c_i h,  c_i = sum_j a_ij.
// What damping takes is one more component,  W' = v.(D v + d0 M v),  integrated to the same order.
// Hairer, Norsett & Wanner, Solving Ordinary Differential Equations I, ch. II.
#include "integrators/integrator.h"

#include <math.h>

enum { MAX_STAGES = 4 };

typedef struct Tableau {
    int stages;
    double a[MAX_STAGES][MAX_STAGES]; // strictly lower triangular
    double b[MAX_STAGES];
} Tableau;

static const Tableau euler = {.stages = 1, .b = {1.0}};
static const Tableau midpoint_rule = {.stages = 2, .a = {{0}, {0.5}}, .b = {0.0, 1.0}};
static const Tableau classical = {.stages = 4,
                                  .a = {{0}, {0.5}, {0.0, 0.5}, {0.0, 0.0, 1.0}},
                                  .b = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0}};

// out = y + h sum_j c_j slope_j; a weight of 0 costs nothing
static void combine(int n, int stages, double h, const double *c, const double *y,
                    double *const *slope, double *out)
{
    for (int i = 0; i < n; i++) out[i] = y[i];
    for (int j = 0; j < stages; j++) {
        if (c[j] == 0.0) continue;
        double weight = h * c[j];
        for (int i = 0; i < n; i++) out[i] += weight * slope[j][i];
    }
}

static void take_step(const Tableau *tableau, const Step *step, double *x, double *v)
{
    const System *system = step->system;
    int n = system->dofs, stages = tableau->stages;
    double *velocity[MAX_STAGES], *acceleration[MAX_STAGES];
    StepLosses losses = {.at = POWER_AT_START, .has_whole = true};
    double *stage_x = ARENA_ALLOC(step->scratch, n, double);
    double *force = ARENA_ALLOC(step->scratch, n, double); // of the first stage, at y itself
    for (int s = 0; s < stages; s++) {
        velocity[s] = ARENA_ALLOC(step->scratch, n, double);
        acceleration[s] = ARENA_ALLOC(step->scratch, n, double);
    }
    for (int s = 0; s < stages; s++) {
        double *f = s == 0 ? force : acceleration[s];
        combine(n, s, step->h, tableau->a[s], x, velocity, stage_x);
        combine(n, s, step->h, tableau->a[s], v, acceleration, velocity[s]);
        double c = 0.0;
        for (int j = 0; j < s; j++) c += tableau->a[s][j];
        step_at(step, c);
        Losses power = system->forces(system->self, stage_x, velocity[s], f);
        losses.whole.damping += step->h * tableau->b[s] * power.damping;
        losses.whole.filter += step->h * tableau->b[s] * power.filter;
        losses.whole.wind += step->h * tableau->b[s] * power.wind;
        losses.whole.muscle += step->h * tableau->b[s] * power.muscle;
        if (s == 0) losses.power = power;
        for (int i = 0; i < n; i++) acceleration[s][i] = system->inverse_mass[i] * f[i];
    }
    combine(n, stages, step->h, tableau->b, x, velocity, x);
    combine(n, stages, step->h, tableau->b, v, acceleration, v);
    step->report->force_evaluations = stages;
    step->report->force = force;
    step->report->losses = losses;
}

static size_t scratch_size(int stages, int dofs)
{
    return (size_t)(2 + 2 * stages) * arena_footprint((size_t)dofs * sizeof(double));
}

// The same loop on (x, w) -> (w, -Y x - X w), for both unit vectors.
static void amplify(const Tableau *tableau, const Mode *mode, double G[2][2])
{
    for (int column = 0; column < 2; column++) {
        double x0 = column == 0, w0 = column == 1, x = x0, w = w0;
        double dx[MAX_STAGES], dw[MAX_STAGES];
        for (int s = 0; s < tableau->stages; s++) {
            double sx = x0, sw = w0;
            for (int j = 0; j < s; j++) {
                sx += tableau->a[s][j] * dx[j];
                sw += tableau->a[s][j] * dw[j];
            }
            dx[s] = sw;
            dw[s] = -mode->Y * sx - mode->X * sw;
            x += tableau->b[s] * dx[s];
            w += tableau->b[s] * dw[s];
        }
        G[0][column] = x;
        G[1][column] = w;
    }
}

static void advance_euler(const Step *step, double *x, double *v)
{
    take_step(&euler, step, x, v);
}

static void amplify_euler(const StepOptions *options, const Mode *mode, double G[2][2])
{
    (void)options;
    amplify(&euler, mode, G);
}

static size_t scratch_euler(int dofs)
{
    return scratch_size(euler.stages, dofs);
}

// Stable for Y < X and Y > 2X - 4, a triangle, so the stiffest mode decides and drag alone needs
// h d0 < 2. Exact, because without damping the limit is 0 and a search would only see rounding.
static double limit_euler(const StepOptions *options, double k0, double air, double alpha)
{
    (void)options;
    double d = air + alpha * k0, discriminant = d * d - 4.0 * k0;
    double limit = air > 0.0 ? 2.0 / air : INFINITY;
    if (!(k0 > 0.0)) return limit;
    if (discriminant > 0.0) return fmin(limit, 4.0 / (d + sqrt(discriminant)));
    return fmin(limit, d / k0);
}

// The stable interval at Y is Y < X < 2 + Y/2; its middle is 1 + 3Y/4. The paper's
// alpha = h (4 - d0 h) / 4 puts the tip on the edge Y = X when d0 = 0.
static double tip_euler(bool printed, double X0, double Y)
{
    return printed ? 0.25 * (4.0 - X0) * Y + X0 : 1.0 + 0.75 * Y;
}

static void advance_midpoint(const Step *step, double *x, double *v)
{
    take_step(&midpoint_rule, step, x, v);
}

static void amplify_midpoint(const StepOptions *options, const Mode *mode, double G[2][2])
{
    (void)options;
    amplify(&midpoint_rule, mode, G);
}

static size_t scratch_midpoint(int dofs)
{
    return scratch_size(midpoint_rule.stages, dofs);
}

// The region is the ellipse X^2 - (2 + Y) X + Y^2 / 2 < 0: the middle of its width at Y. The line
// of modes from the origin, which lies on the ellipse, to this tip stays inside.
static double tip_midpoint(bool printed, double X0, double Y)
{
    (void)printed, (void)X0;
    return 1.0 + 0.5 * Y;
}

static void advance_classical(const Step *step, double *x, double *v)
{
    take_step(&classical, step, x, v);
}

static void amplify_classical(const StepOptions *options, const Mode *mode, double G[2][2])
{
    (void)options;
    amplify(&classical, mode, G);
}

static size_t scratch_classical(int dofs)
{
    return scratch_size(classical.stages, dofs);
}

// Printed: h (0.725 - d0 h) / 8.75. h (0.825 - d0 h) / 8.70 is in the middle of the left lobe.
static double tip_classical(bool printed, double X0, double Y)
{
    double lobe_X = printed ? 0.725 : 0.825, lobe_Y = printed ? 8.75 : 8.70;
    return (lobe_X - X0) * Y / lobe_Y + X0;
}

const Integrator explicit_euler = {
    .name = "explicit-euler",
    .label = "Explicit Euler",
    .short_label = "Explicit",
    .summary = "Both updates from the old state: the simplest method, and unstable at every step "
               "unless damping is tuned to the step.",
    .reference = "Euler 1768; stability with damping: Shinya, Spring-Mass Simulation, eqs. 25-31",
    .claim = "unstable without damping (Freiburg); 2/omega with the optimal alpha (Shinya)",
    .measured = "1.94/omega with alpha = 2 ms, where theory has 1.96 for the cloth at rest; "
                "without damping it grows by sqrt(1 + Y) a step, and 2/omega itself is marginal",
    .order = 1,
    .forces_per_step = 1,
    .traits = INTEGRATOR_NEEDS_DAMPING | INTEGRATOR_POSITION_FIRST,
    .default_step = 1.0 / 120.0,
    .advance = advance_euler,
    .amplification = amplify_euler,
    .step_limit = limit_euler,
    .wanted_tip = tip_euler,
    .largest_Y = 4.0, // the corner (4, 4) of its triangle, not attained
    .scratch_size = scratch_euler,
};

const Integrator midpoint = {
    .name = "midpoint",
    .label = "Midpoint (RK2)",
    .short_label = "RK2",
    .summary = "The slope at a trial half step: second order, but an undamped oscillation slowly "
               "grows at every step.",
    .reference = "Runge 1895; Hairer, Norsett & Wanner, Solving ODEs I, ch. II",
    .claim = "named, without a limit (Shinya)",
    .measured =
        "1.53/omega with alpha = 0.5 ms, theory 1.53; without damping it grows by 1 + Y^2/8 a step",
    .order = 2,
    .forces_per_step = 2,
    .traits = INTEGRATOR_NEEDS_DAMPING,
    .default_step = 1.0 / 120.0,
    .advance = advance_midpoint,
    .amplification = amplify_midpoint,
    .wanted_tip = tip_midpoint,
    .largest_Y = 4.7, // below the top of the ellipse, 2 + 2 sqrt 2
    .scratch_size = scratch_midpoint,
};

const Integrator rk4 = {
    .name = "rk4",
    .label = "Runge-Kutta 4",
    .short_label = "RK4",
    .summary = "Four slopes per step: fourth order, stable to 2.83/ω; it buys accuracy, not a "
               "larger step per evaluation.",
    .reference = "Kutta 1901; stability with damping: Shinya, Spring-Mass Simulation, eqs. 32-33",
    .claim = "h = 2.958/omega with alpha = h (0.725 - d0 h)/8.75 (Shinya)",
    .measured = "2.83/omega without damping, 2.96/omega with alpha = 0.28 ms: per force evaluation "
                "less than half of what symplectic Euler reaches",
    .order = 4,
    .order_proviso = "2 to 3 with Rayleigh damping where springs pass their rest length",
    .forces_per_step = 4,
    .default_step = 1.0 / 120.0,
    .advance = advance_classical,
    .amplification = amplify_classical,
    .wanted_tip = tip_classical,
    .largest_Y = 8.70, // below the top of the left lobe, 8.762
    .scratch_size = scratch_classical,
};
