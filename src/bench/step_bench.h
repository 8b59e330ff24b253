// What a step of the program costs: everything that simulation_step does, as a user pays for it.
#ifndef BENCH_STEP_BENCH_H
#define BENCH_STEP_BENCH_H

#include "bench/bench_plan.h"

// Against the naive loop at all sizes, with one thread and with two, and against the processor's
// peak, flop/s.
Status bench_steps(const BenchPlan *plan, double peak, Error *error);

#endif
