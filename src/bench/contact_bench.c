#include "bench/contact_bench.h"

#include "base/clock.h"
#include "simulation/simulation.h"

#include <math.h>

#define FRAME (1.0 / 60.0) // s
enum { ROUNDS = 3 };

static Scene ball_scene(int side)
{
    Scene scene = scene_default();
    Params *params = &scene.params;
    scene.pins = 0;
    params->rows = params->columns = side;
    params->size = 1.2;
    params->density = 0.25;
    params->stretch = 600.0;
    params->shear = 200.0;
    params->bend = 10.0;
    params->air = 0.6;
    params->alpha = 0.0;
    params->ground = -1.0;
    params->friction = 0.4;
    params->speed = PARAM_WORD;
    scene.colliders[0] = collider_default();
    scene.colliders[0].centre = (Vec3){0.6, -0.45, 0.6};
    scene.colliders[0].radius = 0.35;
    scene.collider_count = 1;
    return scene;
}

// Scale its springs so that the flat cloth has this k0.
static Status set_stiffness(Scene *scene, double k0, Error *error)
{
    Simulation *simulation = NULL;
    Status status = simulation_create(scene, &simulation, error);
    if (status != STATUS_OK) return status;
    double scale = k0 / simulation_readings(simulation).k0;
    simulation_destroy(simulation);
    scene->params.stretch *= scale;
    scene->params.shear *= scale;
    scene->params.bend *= scale;
    return STATUS_OK;
}

static Status run_for(Simulation *simulation, double seconds, Error *error)
{
    Status status = STATUS_OK;
    double end = simulation_time(simulation) + seconds;
    while (status == STATUS_OK && simulation_time(simulation) < end)
        status = simulation_step(simulation, error);
    return status;
}

Status bench_ball_contact(int side, double k0, double settle, double seconds, ContactBench *out,
                          Error *error)
{
    Scene scene = ball_scene(side);
    Simulation *simulation = NULL;
    *out = (ContactBench){0};
    Status status = set_stiffness(&scene, k0, error);
    if (status == STATUS_OK) status = simulation_create(&scene, &simulation, error);
    if (status == STATUS_OK) status = run_for(simulation, settle, error);
    for (int round = 0; round < ROUNDS && status == STATUS_OK; round++) {
        double from = simulation_time(simulation), start = clock_cpu_seconds();
        status = run_for(simulation, seconds, error);
        double computing = clock_cpu_seconds() - start;
        double frames = (simulation_time(simulation) - from) / FRAME;
        out->frames = fmax(out->frames, frames / computing);
    }
    if (status == STATUS_OK) {
        Readings now = simulation_readings(simulation);
        out->k0 = now.k0;
        out->step = now.step;
        out->touches = (double)now.contacts / (side * side);
    }
    simulation_destroy(simulation);
    return status;
}
