// Does the lab slow the simulation down, and how often does it answer? One process, a 64x64 cloth
// as fast as it goes, in turns: stepped and published by itself, and on its thread with the lab
// beside it. Goals: at least 5 results a second, and no more than 5 % fewer steps (best of each).
#include "base/clock.h"
#include "runtime/sim_thread.h"
#include "simulation/simulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SIDE = 64, ROUNDS = 5, LOOK = 400 };
static const double FROM = 0.3, TO = 3.3;           // s, simulated
static const double PUBLISH_INTERVAL = 1.0 / 120.0; // s, as the simulation's thread does

static Scene fast_scene(void)
{
    Scene scene = scene_default();
    scene.params.rows = scene.params.columns = SIDE;
    scene.params.speed = PARAM_WORD;
    return scene;
}

static void check(Status status, const Error *error)
{
    if (status == STATUS_OK) return;
    fprintf(stderr, "bench_lab: %s\n", error->text);
    exit(1);
}

static double alone(void) // steps per second
{
    Scene scene = fast_scene();
    Error error;
    Simulation *simulation;
    Snapshot snapshot = {0};
    check(simulation_create(&scene, &simulation, &error), &error);
    double start = 0.0, published = 0.0;
    long steps = 0;
    for (double time = 0.0; time < TO; time = simulation_readings(simulation).time) {
        if (start == 0.0 && time >= FROM) start = clock_seconds();
        for (int i = 0; i < LOOK; i++) {
            check(simulation_step(simulation, &error), &error);
            if (clock_seconds() < published + PUBLISH_INTERVAL) continue;
            check(simulation_fill_snapshot(simulation, &snapshot, &error), &error);
            published = clock_seconds();
        }
        if (start > 0.0) steps += LOOK;
    }
    double rate = (double)steps / (clock_seconds() - start);
    snapshot_finish(&snapshot);
    simulation_destroy(simulation);
    return rate;
}

static double with_lab(double *results) // steps per second; results per second
{
    Scene scene = fast_scene();
    Error error;
    SimThread *thread;
    check(sim_thread_start(&scene, true, NULL, &thread, &error), &error);
    while (sim_thread_latest(thread)->readings.time < FROM) usleep(500);
    double start = clock_seconds();
    long steps = sim_thread_latest(thread)->readings.step_count;
    unsigned serial = sim_thread_lab(thread)->serial;
    while (sim_thread_latest(thread)->readings.time < TO) usleep(500);
    double elapsed = clock_seconds() - start;
    steps = sim_thread_latest(thread)->readings.step_count - steps;
    *results = (sim_thread_lab(thread)->serial - serial) / elapsed;
    sim_thread_stop(thread);
    return (double)steps / elapsed;
}

int main(void)
{
    double best_alone = 0.0, best_with = 0.0, fewest = INFINITY;
    for (int i = 0; i < ROUNDS; i++) {
        double results, without = alone(), with = with_lab(&results);
        printf("alone %.0f steps/s, with the lab %.0f steps/s and %.1f results/s\n", without, with,
               results);
        best_alone = fmax(best_alone, without);
        best_with = fmax(best_with, with);
        fewest = fmin(fewest, results);
    }
    double ratio = best_with / best_alone;
    printf("ratio %.3f (at least 0.95: %s), fewest results %.1f/s (at least 5: %s)\n", ratio,
           ratio >= 0.95 ? "reached" : "missed", fewest, fewest >= 5.0 ? "reached" : "missed");
    return 0;
}
