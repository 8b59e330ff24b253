#include "bench/step_bench.h"

#include "base/clock.h"
#include "bench/naive.h"
#include "cloth/cloth.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define STEP 1e-7     // s, of bare steps: so short that the state hardly changes
#define GROUND -100.0 // m
// Floating-point operations of a fused undamped step per particle, an addition or a multiplication
// each one, as written in grid_sweep.c. A spring: difference 3, square 5, inverse root without its
// seed 12, force 6; six springs: 156. Their sums: 33. Drag, gravity, kick, drift and the meters of
// speed and energy: 38. Comparisons, conversions and shuffles are not counted.
enum { STEP_FLOPS = 227 };
// The floor is there, but not reached.
static const char *const undamped = "alpha=0 air=0.5 ground=-10";

// ---- a cloth under the program and under the naive loop

typedef struct Pair {
    Simulation *simulation;
    Cloth cloth; // as the simulation starts
    NaiveCloth naive;
    double speed; // m/s, kept so that the compiler cannot remove the check
    Status status;
    Error *error;
} Pair;

static void run_program(void *self)
{
    Pair *pair = self;
    if (pair->status == STATUS_OK) pair->status = simulation_step(pair->simulation, pair->error);
}

static void run_naive(void *self)
{
    Pair *pair = self;
    pair->speed += naive_step(&pair->naive, STEP, GROUND);
}

static void pair_finish(Pair *pair)
{
    simulation_destroy(pair->simulation);
    naive_finish(&pair->naive);
    cloth_finish(&pair->cloth);
}

static Status pair_init(Pair *pair, int side, const char *assignments, Error *error)
{
    *pair = (Pair){.error = error};
    Status status = bench_hanging(side, 1e6, assignments, &pair->simulation, error);
    if (status == STATUS_OK) status = cloth_init_grid(&pair->cloth, side, side, 1.0, 0.2, error);
    if (status == STATUS_OK) status = naive_init(&pair->naive, &pair->cloth, error);
    if (status != STATUS_OK) pair_finish(pair);
    return status;
}

enum { STEPS = 64 }; // enough for most of what the program does only now and then
static void run_steps(void *self)
{
    for (int i = 0; i < STEPS; i++) run_program(self);
}

// ns per particle of a step
typedef struct StepTimes {
    double naive, one;         // processor time
    double one_wall, two_wall; // the clock on the wall, with one thread and with two
} StepTimes;

static Status measure_step(const BenchPlan *plan, int side, const char *assignments,
                           StepTimes *times, Error *error)
{
    Pair alone, helped;
    Status status = pair_init(&alone, side, assignments, error);
    if (status != STATUS_OK) return status;
    status = pair_init(&helped, side, assignments, error);
    if (status != STATUS_OK) {
        pair_finish(&alone);
        return status;
    }
    simulation_set_crew(helped.simulation, plan->crew);
    BenchTask against_naive[] = {{run_naive, &alone, 0.0}, {run_steps, &alone, 0.0}};
    BenchTask threads[] = {{run_steps, &alone, 0.0}, {run_steps, &helped, 0.0}};
    bench_measure(against_naive, 2, plan, clock_cpu_seconds);
    if (plan->crew) bench_measure(threads, 2, plan, clock_seconds);
    double per = 1e9 / (side * side);
    *times = (StepTimes){.naive = per * against_naive[0].best,
                         .one = per * against_naive[1].best / STEPS,
                         .one_wall = per * threads[0].best / STEPS,
                         .two_wall = per * threads[1].best / STEPS};
    status = alone.status != STATUS_OK ? alone.status : helped.status;
    pair_finish(&alone);
    pair_finish(&helped);
    return status;
}

static Status bench_program(const BenchPlan *plan, int side, Error *error)
{
    StepTimes times;
    Status status = measure_step(plan, side, undamped, &times, error);
    if (status != STATUS_OK) return status;
    BenchLine *line = bench_add(plan, times.one, "ns/particle", times.naive,
                                "step of the program, %d x %d", side, side);
    line->goal = 5.0;
    snprintf(line->note, sizeof line->note, "k0 = 1e+06: meters, monitor, good states, k0");
    if (!plan->crew) return STATUS_OK;
    line = bench_add(plan, times.two_wall, "ns/particle", times.naive,
                     "the same with two threads, %d x %d", side, side);
    if (side >= 128) line->goal = 9.0;
    if (side >= 64)
        bench_add(plan, times.one_wall / times.two_wall, "times", 0.0,
                  "two threads against one, %d x %d", side, side)
            ->goal = 1.8;
    return STATUS_OK;
}

static int compare_numbers(const void *a, const void *b)
{
    double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

static double wall_time_of(Pair *pair, int steps)
{
    double start = clock_seconds();
    for (int i = 0; i < steps; i++) run_program(pair);
    return clock_seconds() - start;
}

// Iterations change as the cloth moves, so both take the same steps, in turns.
static Status bench_pcg_threads(const BenchPlan *plan, int side, Error *error)
{
    enum { ROUNDS = 31, TURN = 16 };
    static const char *const implicit = "integrator=backward-euler step=0.01 ground=-10";
    if (!plan->crew) return STATUS_OK;
    Pair alone, helped;
    Status status = pair_init(&alone, side, implicit, error);
    if (status != STATUS_OK) return status;
    status = pair_init(&helped, side, implicit, error);
    if (status == STATUS_OK) {
        simulation_set_crew(helped.simulation, plan->crew);
        double ratio[ROUNDS];
        int rounds = plan->quick ? 1 : ROUNDS;
        for (int i = 0; i < rounds; i++) {
            double one = wall_time_of(&alone, TURN);
            ratio[i] = one / wall_time_of(&helped, TURN);
        }
        qsort(ratio, (size_t)rounds, sizeof *ratio, compare_numbers);
        BenchLine *line = bench_add(plan, ratio[rounds / 2], "times", 0.0,
                                    "two threads against one, %d x %d, PCG", side, side);
        line->goal = 1.8;
        snprintf(line->note, sizeof line->note, "median of %d turns of %d steps", rounds, TURN);
        status = alone.status != STATUS_OK ? alone.status : helped.status;
        pair_finish(&helped);
    }
    pair_finish(&alone);
    return status;
}

// ---- the fused step alone

typedef struct Fused {
    Cloth cloth;
    double *x, *v;
    ForceSums sums;
} Fused;

static void run_fused(void *self)
{
    Fused *fused = self;
    Cloth *cloth = &fused->cloth;
    ForceStep there = {STEP, STEP, cloth->x, cloth->v, fused->x, fused->v, NULL};
    ForceStep back = {STEP, STEP, fused->x, fused->v, cloth->x, cloth->v, NULL};
    cloth->model->step(cloth, &there, &fused->sums);
    cloth->model->step(cloth, &back, &fused->sums);
}

static Status bench_fused(const BenchPlan *plan, int side, double peak, Error *error)
{
    Fused fused = {0};
    Status status = cloth_init_grid(&fused.cloth, side, side, 1.0, 0.2, error);
    if (status != STATUS_OK) return status;
    cloth_set_material(&fused.cloth,
                       (Material){.stiffness = {30.0, 15.0, 3.0}, .air = 0.5, .gravity = 9.81});
    fused.x = mesh_flat_create(&fused.cloth.mesh);
    fused.v = mesh_flat_create(&fused.cloth.mesh);
    if (!fused.x || !fused.v) {
        status = error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for the benchmark");
    } else {
        BenchTask task = {run_fused, &fused, 0.0};
        bench_measure(&task, 1, plan, clock_cpu_seconds);
        double per_step = 0.5 * task.best / (side * side);
        bench_add(plan, 1e9 * per_step, "ns/particle", 0.0, "fused step, %d x %d", side, side);
        BenchLine *line = bench_add(plan, STEP_FLOPS / per_step / peak, "of peak", 0.0,
                                    "arithmetic of the fused step, %d x %d", side, side);
        line->goal = 0.55;
        snprintf(line->note, sizeof line->note, "%d operations per particle", STEP_FLOPS);
    }
    free(fused.x);
    free(fused.v);
    cloth_finish(&fused.cloth);
    return status;
}

Status bench_steps(const BenchPlan *plan, double peak, Error *error)
{
    static const int sides[] = {32, 64, 128, 256}; // a scene has 256 rows at most
    int count = plan->quick ? 2 : 4;
    Status status = STATUS_OK;
    for (int i = 0; i < count && status == STATUS_OK; i++) {
        status = bench_program(plan, sides[i], error);
    }
    if (status == STATUS_OK) status = bench_pcg_threads(plan, plan->quick ? 16 : 64, error);
    if (status == STATUS_OK) status = bench_fused(plan, plan->quick ? 16 : 64, peak, error);
    if (status == STATUS_OK) status = bench_fused(plan, plan->quick ? 32 : 128, peak, error);
    return status;
}
