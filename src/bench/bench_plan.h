// How the benchmark measures, and where its lines go.
#ifndef BENCH_BENCH_PLAN_H
#define BENCH_BENCH_PLAN_H

#include "base/crew.h"
#include "bench/solver_bench.h"
#include "simulation/simulation.h"

typedef struct BenchPlan {
    bool quick;
    int rounds;
    double seconds; // per run
    Crew *crew;     // two threads; NULL: there are none
    BenchResult *out;
} BenchPlan;

typedef struct BenchTask {
    void (*run)(void *self);
    void *self;
    double best; // s
} BenchTask;

enum { BENCH_TASKS_MAX = 16 };
// Every round runs each task for about `seconds`, in turns. `clock` is that of clock.h which
// counts.
void bench_measure(BenchTask *tasks, int count, const BenchPlan *plan, double (*clock)(void));

BenchLine *bench_add(const BenchPlan *plan, double value, const char *unit, double naive,
                     const char *format, ...) __attribute__((format(printf, 5, 6)));

// Slope of log y over log x, least squares.
double bench_exponent(int count, const double *x, const double *y);

// A hanging cloth with its stiffness scaled so that k0 = 6 stretch / m at rest has the given value.
Status bench_hanging(int side, double k0, const char *assignments, Simulation **out, Error *error);

#endif
