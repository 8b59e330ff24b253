#include "integrators/implicit.h"

#include <math.h>
#include <string.h>

// PCG iterations grow with the grid's side (about 2.8 times it when h is large). This is above that
// for the largest cloth, so it only stops a hopeless solve.
enum { MAX_ITERATIONS = 1000 };
// Of all solves of a step; fewer with contacts, unless the tolerance is fine. What is begun then is
// ended: a step of a method that repeats its solves does one more in each of its parts, with at
// least the last number.
enum { STEP_ITERATIONS = 20000, CONTACT_ITERATIONS = 2000, LAST_ITERATIONS = 1000 };
#define COARSE 1e-4
// A step is divided into at most this many parts.
enum { MAX_PARTS = 16 };

size_t implicit_scratch_size(int dofs)
{
    return contact_scratch_size(dofs);
}

bool implicit_is_cancelled(const Step *step)
{
    step->report->cancelled = step->report->cancelled || is_cancelled(step->cancel);
    return step->report->cancelled;
}

bool implicit_has_contacts(const System *system)
{
    return system->contacts && !contact_is_empty(system->contacts);
}

// There are surfaces, which take momentum.
static bool meets_surfaces(const System *system)
{
    return system->contacts && system->contacts->count > 0;
}

// The momentum of a system without held particles changes by the sum of b, because K and D have no
// net force, unless there is wind. What PCG left undone of that is made up for by a velocity that
// all particles share.
static void conserve_momentum(const System *system, double factor, const double *rest, double *dv)
{
    double mass = 0.0, sum[3] = {0.0, 0.0, 0.0};
    int stride = system->component_stride;
    for (int p = 0; p < system->particle_count; p++) {
        int first = system->first_dof[p];
        if (!(system->inverse_mass[first] > 0.0)) return;
        mass += system->mass[first];
        for (int c = 0; c < 3; c++) sum[c] += rest[first + c * stride];
    }
    for (int p = 0; p < system->particle_count; p++) {
        double *at = dv + system->first_dof[p];
        for (int c = 0; c < 3; c++) at[c * stride] += sum[c] / (factor * mass);
    }
}

bool implicit_solve(const Step *step, const double *b, const double *v, double *dv)
{
    const System *system = step->system;
    double h = step->h;
    size_t mark = step->scratch->used;
    LinearOperator A = system->assemble(system->self, 1.0 + h * system->air, h * h, h);
    PcgEffort effort = {.tolerance = step->options->pcg_tolerance,
                        .max_iterations = MAX_ITERATIONS,
                        .cancel = step->cancel,
                        .trace = step->trace};
    PcgReport report;
    bool few = implicit_has_contacts(system) && effort.tolerance > COARSE;
    int most = few ? CONTACT_ITERATIONS : STEP_ITERATIONS;
    if (implicit_has_contacts(system)) {
        int left = most - step->report->pcg.iterations;
        if (left < LAST_ITERATIONS) left = LAST_ITERATIONS;
        report = contact_solve(system->contacts, &A, b, v, dv, &effort, left, step->scratch);
    } else {
        report = pcg_solve_with(&A, b, dv, &effort, step->scratch);
    }
    if (!system->add_wind && !meets_surfaces(system))
        conserve_momentum(system, 1.0 + h * system->air, report.rest, dv);
    report.rest = NULL;
    step->scratch->used = mark;
    report.iterations += step->report->pcg.iterations;
    step->report->pcg = report;
    step->report->spent = report.iterations >= most;
    step->report->unconverged = step->report->spent;
    step->report->cancelled = report.cancelled;
    return !report.negative_curvature;
}

void implicit_finish(const Step *step, const double *dv, double *x, double *v)
{
    const System *system = step->system;
    for (int i = 0; i < system->dofs; i++) v[i] += dv[i];
    if (implicit_has_contacts(system)) contact_keep(system->contacts, v, step->h);
    if (system->filter) step->report->losses.filtered += system->filter(system->self, x, v);
    for (int i = 0; i < system->dofs; i++) x[i] += step->h * v[i];
}

void implicit_amplification(const StepOptions *options, const Mode *mode, double G[2][2])
{
    (void)options;
    double scale = mode->filter / (1.0 + mode->X + mode->Y);
    G[1][0] = -scale * mode->Y;
    G[1][1] = scale;
    G[0][0] = 1.0 + G[1][0];
    G[0][1] = G[1][1];
}

// |G| < 1 for every X, Y > 0.
double implicit_step_limit(const StepOptions *options, double k0, double air, double alpha)
{
    (void)options, (void)k0, (void)air, (void)alpha;
    return INFINITY;
}

size_t step_in_parts_scratch_size(int dofs)
{
    return 2 * arena_footprint((size_t)dofs * sizeof(double));
}

void step_in_parts(const Step *step, StepAttempt *attempt, double *x, double *v)
{
    size_t bytes = (size_t)step->system->dofs * sizeof(double), whole = step->scratch->used;
    if (attempt(step, false, x, v) || step->report->cancelled) return;
    step->scratch->used = whole;
    double *start_x = ARENA_ALLOC(step->scratch, step->system->dofs, double);
    double *start_v = ARENA_ALLOC(step->scratch, step->system->dofs, double);
    size_t mark = step->scratch->used;
    memcpy(start_x, x, bytes);
    memcpy(start_v, v, bytes);
    for (int parts = 2;; parts *= 2) {
        Step part = *step;
        part.h = step->h / parts;
        bool worked = true, last = parts == MAX_PARTS;
        step->report->retries++;
        step->report->losses = (StepLosses){0};
        if (implicit_has_contacts(step->system)) contact_divide(step->system->contacts, parts);
        for (int p = 0; p < parts && (worked || last) && !step->report->cancelled; p++) {
            step->scratch->used = mark;
            part.time = step->time + p * part.h;
            worked = attempt(&part, last, x, v) && worked;
        }
        step->report->force = NULL; // it belongs to a part
        bool cancelled = step->report->cancelled;
        if (!cancelled && (worked || last)) {
            step->report->unconverged = !worked || step->report->spent;
            return;
        }
        memcpy(x, start_x, bytes);
        memcpy(v, start_v, bytes);
        if (cancelled) return;
    }
}
