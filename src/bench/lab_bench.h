// The lab beside a running simulation: how often it gives a result, what it takes from the
// simulation, and how soon rho of the real step can be shown.
#ifndef BENCH_LAB_BENCH_H
#define BENCH_LAB_BENCH_H

#include "bench/bench_plan.h"

// Adds its lines. The times are those of the wall: two processors are needed.
Status bench_lab(const BenchPlan *plan, Error *error);

#endif
