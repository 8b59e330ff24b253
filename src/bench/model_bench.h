// The force models beside springs on a grid: their loops over rows against the lists of elements
// that other meshes use, and two threads against one; and springs of any mesh against those of a
// grid.
#ifndef BENCH_MODEL_BENCH_H
#define BENCH_MODEL_BENCH_H

#include "bench/solver_bench.h"

// Adds its lines to `out`.
Status bench_models(bool quick, BenchResult *out, Error *error);

#endif
