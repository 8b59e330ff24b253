#include "bench/self_contact_bench.h"

#include "base/clock.h"
#include "simulation/simulation.h"
#include "simulation/state.h"

enum { STEPS = 200 };

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
    double start = clock_cpu_seconds();
    for (int i = 0; i < STEPS && status == STATUS_OK; i++)
        status = simulation_step(simulation, error);
    *cost = (clock_cpu_seconds() - start) / STEPS;
    return status;
}

// Steps with and without contact, from the same moment; the run itself stays there.
static Status compare_here(const Simulation *simulation, SelfContactBench *out, Error *error)
{
    State *here = NULL;
    Simulation *copy = NULL;
    double with = 0.0, without = 1.0, time = simulation_time(simulation);
    Status status = state_create(&here, error);
    if (status == STATUS_OK) status = state_save(simulation, here, error);
    if (status == STATUS_OK) status = state_create_simulation(here, &copy, error);
    if (status == STATUS_OK) status = cost_of_steps(copy, &with, error);
    if (status == STATUS_OK) status = state_restore(here, copy, error);
    if (status == STATUS_OK) status = switch_contact(copy, false, error);
    if (status == STATUS_OK) status = cost_of_steps(copy, &without, error);
    if (status == STATUS_OK && with / without > out->times)
        *out = (SelfContactBench){with / without, 1e9 * with, time, out->last};
    if (status == STATUS_OK) out->last = with / without;
    simulation_destroy(copy);
    state_destroy(here);
    return status;
}

// At so many moments up to `seconds`.
static Status compare(const Scene *scene, double seconds, int moments, SelfContactBench *out,
                      Error *error)
{
    Simulation *simulation = NULL;
    *out = (SelfContactBench){0};
    Status status = simulation_create(scene, &simulation, error);
    for (int i = 1; i <= moments && status == STATUS_OK; i++) {
        status = run_until(simulation, seconds * i / moments, error);
        if (status == STATUS_OK) status = compare_here(simulation, out, error);
    }
    if (status == STATUS_OK) out->ns /= (double)scene->params.rows * scene->params.columns;
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
    return compare(&scene, 0.3, 1, out, error);
}

// As the scene `heap`.
Status bench_heap_contact(int side, double seconds, int moments, SelfContactBench *out,
                          Error *error)
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
    return compare(&scene, seconds, moments, out, error);
}
