// Does the lab slow down the simulation, and how often does it give a result? One process steps and
// publishes a 64x64 cloth as fast as possible, alternating a second alone and a second with the
// lab's thread. Goals: at least 10 results a second, and at most 5 % fewer steps.
//
// On a shared machine the speed varies by more than that from second to second. So the turns go
// lab-alone-alone-lab, which cancels a drift, and the result is the mean over many pairs with its
// standard error. If the error is too large to decide, the benchmark says so. PAIRS may be given.
#include "base/clock.h"
#include "runtime/lab_thread.h"
#include "simulation/simulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 64, PAIRS = 40, BURST = 8 }; // BURST: steps between two looks at the clock
static const double WARM_UP = 0.25;        // s before a turn is measured: the lab starts cold
static const double TURN = 1.0;            // s
static const double PUBLISH_INTERVAL = 1.0 / 120.0; // s, as in the simulation thread
static const double MOST_COST = 0.05, LEAST_RATE = 10.0;

static void check(Status status, const Error *error)
{
    if (status == STATUS_OK) return;
    fprintf(stderr, "bench_lab: %s\n", error->text);
    exit(1);
}

// Steps per second over `seconds`. A lab gets the newest state whenever it wants one.
static double step_for(Simulation *simulation, LabThread *lab, Snapshot *snapshot, double seconds)
{
    Error error;
    double start = clock_seconds(), now = start, published = start;
    long steps = 0;
    while (now < start + seconds) {
        for (int i = 0; i < BURST; i++) check(simulation_step(simulation, &error), &error);
        steps += BURST;
        if (lab && lab_thread_wants_state(lab)) {
            check(lab_thread_offer(lab, simulation, 0, &error), &error);
        }
        now = clock_seconds();
        if (now < published + PUBLISH_INTERVAL) continue;
        check(simulation_fill_snapshot(simulation, snapshot, &error), &error);
        published = now;
    }
    return (double)steps / (now - start);
}

static double turn(Simulation *simulation, bool with_lab, Snapshot *snapshot, double *results)
{
    Error error;
    LabThread *lab = NULL;
    if (with_lab) check(lab_thread_start(NULL, &lab, &error), &error);
    step_for(simulation, lab, snapshot, WARM_UP);
    unsigned serial = lab ? lab_thread_latest(lab)->serial : 0;
    double rate = step_for(simulation, lab, snapshot, TURN);
    if (lab) *results = (lab_thread_latest(lab)->serial - serial) / TURN;
    lab_thread_stop(lab);
    return rate;
}

int main(int argc, char **argv)
{
    int pairs = argc > 1 ? atoi(argv[1]) : PAIRS;
    if (pairs < 2) {
        fprintf(stderr, "usage: bench_lab [PAIRS], 2 or more\n");
        return 2;
    }
    Scene scene = scene_default();
    scene.params.rows = scene.params.columns = SIDE;
    Error error;
    Simulation *simulation;
    Snapshot snapshot = {0};
    check(simulation_create(&scene, &simulation, &error), &error);
    double sum = 0.0, squares = 0.0, fewest = INFINITY, mean_rate = 0.0;
    for (int i = 0; i < pairs; i++) {
        double rate[2], results = 0.0;
        for (int k = 0; k < 2; k++) {
            bool with_lab = (i + k) % 2 == 0;
            rate[with_lab] = turn(simulation, with_lab, &snapshot, &results);
        }
        double cost = 1.0 - rate[true] / rate[false];
        sum += cost;
        squares += cost * cost;
        fewest = fmin(fewest, results);
        mean_rate += results / pairs;
        printf("alone %.0f steps/s, with the lab %.0f (%+.1f %%) and %.0f results/s\n", rate[false],
               rate[true], -100.0 * cost, results);
        fflush(stdout);
    }
    double mean = sum / pairs;
    double deviation = sqrt(fmax(squares / pairs - mean * mean, 0.0) * pairs / (pairs - 1));
    double doubt = 2.0 * deviation / sqrt(pairs); // of the mean, 95 %
    const char *verdict = mean + doubt <= MOST_COST   ? "reached"
                          : mean - doubt <= MOST_COST ? "cannot be told on this machine"
                                                      : "missed";
    printf("cost of the lab: %.1f +- %.1f %% of the steps (at most 5: %s)\n", 100.0 * mean,
           100.0 * doubt, verdict);
    printf("results: %.1f/s (at least 10: %s), in the slowest second %.0f\n", mean_rate,
           mean_rate >= LEAST_RATE ? "reached" : "missed", fewest);
    snapshot_finish(&snapshot);
    simulation_destroy(simulation);
    return 0;
}
