// On a shared machine the speed varies from second to second. So turns with and without the lab go
// lab-alone-alone-lab, which cancels a drift, and the mean over the pairs counts.
#include "bench/lab_bench.h"

#include "base/clock.h"
#include "runtime/lab_thread.h"

#include <math.h>
#include <stdio.h>

enum { BURST = 8 };  // steps between two looks at the clock
#define WARM_UP 1.0  // s before a turn is measured: the lab starts cold
#define PATIENCE 5.0 // s to wait for rho

typedef struct Turn {
    double steps;   // per second
    double results; // per second
} Turn;

static Status step(Simulation *simulation, LabThread *lab, Error *error)
{
    Status status = simulation_step(simulation, error);
    if (status == STATUS_OK && lab && lab_thread_wants_state(lab))
        status = lab_thread_offer(lab, simulation, 0, error);
    return status;
}

static Status step_for(Simulation *simulation, LabThread *lab, double seconds, double *rate,
                       Error *error)
{
    Status status = STATUS_OK;
    double start = clock_seconds(), now = start;
    long steps = 0;
    for (; now < start + seconds && status == STATUS_OK; now = clock_seconds()) {
        for (int i = 0; i < BURST && status == STATUS_OK; i++, steps++)
            status = step(simulation, lab, error);
    }
    *rate = (double)steps / (now - start);
    return status;
}

static Status take_turn(Simulation *simulation, bool with_lab, double seconds, Turn *out,
                        Error *error)
{
    LabThread *lab = NULL;
    Status status = with_lab ? lab_thread_start(NULL, &lab, error) : STATUS_OK;
    if (status == STATUS_OK) status = step_for(simulation, lab, WARM_UP, &out->steps, error);
    unsigned serial = lab ? lab_thread_latest(lab)->serial : 0;
    if (status == STATUS_OK) status = step_for(simulation, lab, seconds, &out->steps, error);
    out->results = lab ? (lab_thread_latest(lab)->serial - serial) / seconds : 0.0;
    lab_thread_stop(lab);
    return status;
}

static Status bench_rate(const BenchPlan *plan, Error *error)
{
    int side = plan->quick ? 32 : 128, pairs = plan->quick ? 2 : 8;
    double seconds = plan->quick ? 0.2 : 1.0, cost = 0.0, results = 0.0;
    Simulation *simulation;
    Status status = bench_hanging(side, 1e7, "step=auto", &simulation, error);
    if (status != STATUS_OK) return status;
    for (int i = 0; i < pairs && status == STATUS_OK; i++) {
        Turn turns[2] = {0};
        for (int k = 0; k < 2 && status == STATUS_OK; k++) {
            bool with_lab = (i + k) % 2 == 0;
            status = take_turn(simulation, with_lab, seconds, &turns[with_lab], error);
        }
        cost += (1.0 - turns[true].steps / turns[false].steps) / pairs;
        results += turns[true].results / pairs;
    }
    simulation_destroy(simulation);
    BenchLine *line = bench_add(plan, results, "results/s", 0.0,
                                "lab beside a running cloth, %d x %d", side, side);
    line->goal = 10.0;
    line = bench_add(plan, 100.0 * fmax(cost, 0.0), "%", 0.0, "steps that it costs, %d x %d", side,
                     side);
    line->goal = 5.0;
    line->goal_is_most = true;
    return status;
}

static bool is_shown(const Analysis *a)
{
    return a->measured && step_map_rho_is_legible(analysis_own_rho(a));
}

// s until a result of the lab has rho, of a cloth that has just begun to run.
static Status time_rho(int side, const char *method, double *seconds, double *residual,
                       Error *error)
{
    char assignments[80];
    snprintf(assignments, sizeof assignments, "step=auto integrator=%s", method);
    Simulation *simulation;
    LabThread *lab = NULL;
    Status status = bench_hanging(side, 1e7, assignments, &simulation, error);
    if (status != STATUS_OK) return status;
    status = lab_thread_start(NULL, &lab, error);
    double start = clock_seconds();
    const Analysis *analysis = NULL;
    while (status == STATUS_OK && clock_seconds() < start + PATIENCE) {
        status = step(simulation, lab, error);
        analysis = &lab_thread_latest(lab)->analysis;
        if (is_shown(analysis)) break;
    }
    *seconds = clock_seconds() - start;
    if (analysis) *residual = analysis_own_rho(analysis)->residual;
    lab_thread_stop(lab);
    simulation_destroy(simulation);
    return status;
}

static Status bench_rho(const BenchPlan *plan, Error *error)
{
    int side = plan->quick ? 16 : 64;
    const char *worst = "";
    double most = 0.0, its_residual = NAN;
    Status status = STATUS_OK;
    for (int m = 0; m < integrator_count && status == STATUS_OK; m++) {
        double seconds, residual = NAN;
        status = time_rho(side, integrator_table[m]->name, &seconds, &residual, error);
        if (status != STATUS_OK || seconds <= most) continue;
        most = seconds;
        worst = integrator_table[m]->name;
        its_residual = residual;
    }
    BenchLine *line =
        bench_add(plan, most, "s", 0.0, "rho measured can be shown, %d x %d", side, side);
    line->goal = 1.0;
    line->goal_is_most = true;
    snprintf(line->note, sizeof line->note, "the slowest of %d methods: %s, residual %.2g",
             integrator_count, worst, its_residual);
    return status;
}

Status bench_lab(const BenchPlan *plan, Error *error)
{
    Status status = bench_rate(plan, error);
    return status == STATUS_OK ? bench_rho(plan, error) : status;
}
