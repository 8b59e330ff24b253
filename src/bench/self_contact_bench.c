#include "bench/self_contact_bench.h"

#include "base/clock.h"
#include "simulation/simulation.h"

enum { STEPS = 300 };

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

// Steps with and without contact, one after the other from the same moment.
static Status compare(const Scene *scene, double seconds, double *times, Error *error)
{
    Simulation *simulation = NULL;
    double with = 0.0, without = 1.0;
    Status status = simulation_create(scene, &simulation, error);
    if (status == STATUS_OK) status = run_until(simulation, seconds, error);
    if (status == STATUS_OK) status = cost_of_steps(simulation, &with, error);
    if (status == STATUS_OK) status = switch_contact(simulation, false, error);
    if (status == STATUS_OK) status = cost_of_steps(simulation, &without, error);
    if (status == STATUS_OK) *times = with / without;
    simulation_destroy(simulation);
    return status;
}

Status bench_curtain_contact(int side, double *times, Error *error)
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
    return compare(&scene, 0.3, times, error);
}

// As the scene `heap`.
Status bench_heap_contact(int side, double seconds, double *times, Error *error)
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
    return compare(&scene, seconds, times, error);
}
