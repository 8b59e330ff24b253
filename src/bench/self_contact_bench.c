#include "bench/self_contact_bench.h"

#include "base/clock.h"
#include "simulation/simulation.h"
#include "simulation/state.h"

#include <math.h>

enum { STEPS = 200, ROUNDS = 2 };
// Steps before the clock runs. The first one after a state was restored lists all pairs anew, which
// a run that goes on does not.
enum { FIRST_STEPS = 5 };

static Status run_until(Simulation *simulation, double time, Error *error)
{
    Status status = STATUS_OK;
    while (status == STATUS_OK && simulation_time(simulation) < time)
        status = simulation_step(simulation, error);
    return status;
}

static Status switch_contact(Simulation *simulation, bool on, Error *error)
{
    int index = (int)(param_find("self_contact") - param_table);
    Command command = {.kind = COMMAND_SET_PARAM, .param = {.index = index, .value = on}};
    return simulation_apply(simulation, &command, error);
}

// s of computing, per step
static Status cost_of_steps(Simulation *simulation, double *cost, Error *error)
{
    Status status = STATUS_OK;
    for (int i = 0; i < FIRST_STEPS && status == STATUS_OK; i++)
        status = simulation_step(simulation, error);
    double start = clock_cpu_seconds();
    for (int i = 0; i < STEPS && status == STATUS_OK; i++)
        status = simulation_step(simulation, error);
    *cost = (clock_cpu_seconds() - start) / STEPS;
    return status;
}

typedef struct Costs {
    double with, without; // s, per step
} Costs;

// Steps with and without contact, in turns, from the same moment; the run itself stays there. Best
// of the rounds.
static Status compare_here(const Simulation *simulation, Costs *best, Error *error)
{
    State *here = NULL;
    Simulation *copy = NULL;
    *best = (Costs){INFINITY, INFINITY};
    Status status = state_create(&here, error);
    if (status == STATUS_OK) status = state_save(simulation, here, error);
    if (status == STATUS_OK) status = state_create_simulation(here, &copy, error);
    for (int i = 0; i < ROUNDS && status == STATUS_OK; i++) {
        Costs costs = {0};
        status = state_restore(here, copy, error);
        if (status == STATUS_OK) status = cost_of_steps(copy, &costs.with, error);
        if (status == STATUS_OK) status = state_restore(here, copy, error);
        if (status == STATUS_OK) status = switch_contact(copy, false, error);
        if (status == STATUS_OK) status = cost_of_steps(copy, &costs.without, error);
        best->with = fmin(best->with, costs.with);
        best->without = fmin(best->without, costs.without);
    }
    simulation_destroy(copy);
    state_destroy(here);
    return status;
}

static Status compare(const Scene *scene, HeapMoments moments, SelfContactBench *out, Error *error)
{
    Simulation *simulation = NULL;
    Costs sum = {0}, costs = {0};
    double particles = (double)scene->params.rows * scene->params.columns;
    *out = (SelfContactBench){0};
    Status status = simulation_create(scene, &simulation, error);
    for (int i = 1; i <= moments.count && status == STATUS_OK; i++) {
        status = run_until(simulation, moments.seconds * i / moments.count, error);
        if (status == STATUS_OK) status = compare_here(simulation, &costs, error);
        sum.with += costs.with;
        sum.without += costs.without;
        if (status != STATUS_OK || costs.with / costs.without <= out->worst) continue;
        out->worst = costs.with / costs.without;
        out->worst_ns = 1e9 * costs.with / particles;
        out->worst_at = simulation_time(simulation);
    }
    if (status == STATUS_OK) out->mean = sum.with / sum.without;
    if (status == STATUS_OK) status = run_until(simulation, moments.rest, error);
    if (status == STATUS_OK) status = compare_here(simulation, &costs, error);
    if (status == STATUS_OK) out->rest = costs.with / costs.without;
    simulation_destroy(simulation);
    return status;
}

Status bench_curtain_contact(int side, SelfContactBench *out, Error *error)
{
    Scene scene = scene_default();
    Params *params = &scene.params;
    scene.pins = PIN_TOP_EDGE;
    scene.start = START_HANGING;
    params->rows = params->columns = side;
    params->gather = 0.7;
    params->folds = 4;
    params->ground = -10.0;
    params->self_contact = 1;
    return compare(&scene, (HeapMoments){1, 0.3, 0.3}, out, error);
}

// As the scene `heap`.
Status bench_heap_contact(int side, HeapMoments moments, SelfContactBench *out, Error *error)
{
    Scene scene = scene_default();
    Params *params = &scene.params;
    scene.pins = 0;
    scene.start = START_HANGING;
    params->rows = params->columns = side;
    params->size = 1.2;
    params->density = 0.25;
    params->stretch = 300.0;
    params->shear = 100.0;
    params->bend = 0.4;
    params->gather = 0.6;
    params->folds = 4;
    params->air = 1.5;
    params->alpha = 2e-4;
    params->ground = -1.25;
    params->self_contact = 1;
    return compare(&scene, moments, out, error);
}
