// Linearised explicit Euler (Shinya, section 4): the true force only from time to time, in between
//   f(x, v) = f0 - K (x - x0) - D v - d0 M v,   f0 = f(x0, 0),   x' = x + h v,   v' = v + h M^-1 f,
// so that a step costs one sparse product. Wind, which K knows nothing of, is added in every step
// as it is, and so is what a change of rest lengths in time adds to f0. f0, K and D are refreshed
//   - every leu_interval seconds; or, if automatic, as soon as a coordinate has moved by more than
//     MOVE of the shortest spring, the largest speed has doubled, LONGEST seconds have passed, or
//     MOST_STEPS steps were taken: without the last, the error would not vanish with h;
//   - when the step shows a sign of divergence (a speed above leu_speed, or not finite) and the
//     linearisation is not new: the step is taken back and repeated with a new one, as in the
//     paper. If it is already new, the step is repeated in halves.
#include "integrators/implicit.h"
#include "linalg/vectors.h"

#include <math.h>
#include <string.h>

#define MOVE 0.1        // of the shortest spring
#define GROWTH 2.0      // of the largest speed
#define SPEED_FLOOR 0.1 // m/s: growth below it means nothing
#define LONGEST 0.05    // s
#define MOST_STEPS 32.0

static void refresh(const Step *step, const double *x, const double *v, double *still, double *wind)
{
    const System *system = step->system;
    int n = system->dofs;
    StepMemory *memory = step->memory;
    double *x0 = memory->values, *f0 = memory->values + n;
    memcpy(x0, x, (size_t)n * sizeof *x0);
    memset(still, 0, (size_t)n * sizeof *still);
    step_at(step, 0.0);
    system->forces(system->self, x, still, f0);
    if (system->add_wind) {
        memset(wind, 0, (size_t)n * sizeof *wind);
        system->add_wind(system->self, x, still, wind);
        for (int i = 0; i < n; i++) f0[i] -= wind[i];
    }
    system->linearise(system->self, x, step->options->tangent);
    memory->age = memory->moved = 0.0;
    memory->time = step->time;
    memory->speed = memory->speed_then = vector_largest(n, v);
    memory->valid = true;
    step->report->force_evaluations++;
    step->report->linearisations++;
}

static void resume(const System *system, const StepOptions *options, const StepMemory *memory)
{
    if (system->at) system->at(system->self, memory->time);
    system->linearise(system->self, memory->values, options->tangent);
}

// True when a coordinate is too far from its linearised position. The largest speeds give a bound,
// so the exact check is rare.
static bool moved_far(const Step *step, const double *x)
{
    StepMemory *memory = step->memory;
    double far = MOVE * step->system->length;
    if (memory->moved <= far) return false;
    memory->moved = vector_largest_difference(step->system->dofs, x, memory->values);
    return memory->moved > far;
}

static bool is_due(const Step *step, const double *x)
{
    const StepMemory *memory = step->memory;
    double interval = step->options->leu_interval;
    if (!memory->valid) return true;
    if (interval != LEU_AUTO) return memory->age >= interval - 0.5 * step->h;
    return memory->age >= fmin(LONGEST, (MOST_STEPS - 0.5) * step->h) ||
           memory->speed > fmax(GROWTH * memory->speed_then, SPEED_FLOOR) || moved_far(step, x);
}

// f of the linearisation at (x, v), and new_v = v + h M^-1 f. Both arrays first hold operands and
// products of K: with fewer arrays, more stays in the cache.
static void accelerate(const Step *step, const double *x, const double *v, double *restrict f,
                       double *restrict new_v)
{
    const System *system = step->system;
    int n = system->dofs;
    const double *x0 = step->memory->values, *f0 = step->memory->values + n;
    const double *mass = system->mass, *inverse_mass = system->inverse_mass;
    double h = step->h, air = system->air;
    // one product where D = alpha K:  K (x - x0 + alpha v)
    double alpha = system->rayleigh ? system->alpha : 0.0;
    for (int i = 0; i < n; i++) new_v[i] = x[i] - x0[i] + alpha * v[i];
    system->stiffness_product(system->self, new_v, f);
    if (!system->rayleigh) {
        system->damping_product(system->self, v, new_v);
        for (int i = 0; i < n; i++) f[i] += new_v[i];
    }
    for (int i = 0; i < n; i++) {
        double force = f0[i] - f[i] - air * mass[i] * v[i];
        f[i] = force;
        new_v[i] = v[i] + h * inverse_mass[i] * force;
    }
    if (!system->add_wind && !system->add_change) return;
    step_at(step, 0.0);
    if (system->add_wind) system->add_wind(system->self, x, v, f);
    if (system->add_change) system->add_change(system->self, f);
    for (int i = 0; i < n; i++) new_v[i] = v[i] + h * inverse_mass[i] * f[i];
}

static bool attempt(const Step *step, bool anyhow, double *x, double *v)
{
    int n = step->system->dofs;
    double h = step->h;
    StepMemory *memory = step->memory;
    double *f = ARENA_ALLOC(step->scratch, n, double);
    double *new_v = ARENA_ALLOC(step->scratch, n, double);
    if (is_due(step, x)) refresh(step, x, v, new_v, f);
    accelerate(step, x, v, f, new_v);
    double speed = vector_largest(n, new_v);
    if (!(speed <= step->options->leu_speed) && memory->age > 0.0) {
        refresh(step, x, v, new_v, f);
        step->report->retries++;
        accelerate(step, x, v, f, new_v);
        speed = vector_largest(n, new_v);
    }
    bool diverging = !(speed <= step->options->leu_speed);
    memory->age += h;
    memory->moved += h * memory->speed;
    memory->speed = speed;
    memory->valid = !diverging; // otherwise the next attempt starts from another state
    step->report->force = f;
    if (!diverging || anyhow) {
        for (int i = 0; i < n; i++) {
            x[i] += h * v[i];
            v[i] = new_v[i];
        }
    }
    return !diverging;
}

static void advance(const Step *step, double *x, double *v)
{
    step_in_parts(step, attempt, x, v);
}

extern const Integrator explicit_euler;

// On a linear problem the linearisation is exact, so this is explicit Euler.
static void amplification(const StepOptions *options, const Mode *mode, double G[2][2])
{
    explicit_euler.amplification(options, mode, G);
}

static double step_limit(const StepOptions *options, double k0, double air, double alpha)
{
    return explicit_euler.step_limit(options, k0, air, alpha);
}

static double wanted_tip(bool printed, double X0, double Y)
{
    return explicit_euler.wanted_tip(printed, X0, Y);
}

static size_t scratch_size(int dofs)
{
    return 2 * arena_footprint((size_t)dofs * sizeof(double)) + step_in_parts_scratch_size(dofs);
}

static size_t memory_size(int dofs)
{
    return 2 * (size_t)dofs;
}

const Integrator leu = {
    .name = "leu",
    .label = "Linearised explicit Euler",
    .short_label = "LEU",
    .summary = "Explicit Euler on a linearisation that is refreshed now and then: a step costs one "
               "sparse product, with explicit Euler's limit.",
    .reference =
        "Shinya, Theories for Spring-Mass Simulation in Computer Graphics, 2005, section 4",
    .claim = "twice as fast as implicit Euler (Shinya)",
    .measured = "1.93/omega with alpha = 2 ms; after 1 s with h = 1 ms off by 7 cm if it "
                "linearises every 10 ms, by 1 cm on automatic, and explicit Euler by 2 cm",
    .order = 1,
    .order_proviso = "with an automatic interval",
    .forces_per_step = 1,
    .traits = INTEGRATOR_USES_LINEARISATION | INTEGRATOR_NEEDS_DAMPING | INTEGRATOR_POSITION_FIRST,
    .default_step = 1.0 / 120.0,
    .advance = advance,
    .amplification = amplification,
    .step_limit = step_limit,
    .wanted_tip = wanted_tip,
    .largest_Y = 4.0,
    .scratch_size = scratch_size,
    .memory_size = memory_size,
    .resume = resume,
};
