// Backward Euler: the multilevel preconditioner against block Jacobi, from the same states.
#ifndef BENCH_IMPLICIT_BENCH_H
#define BENCH_IMPLICIT_BENCH_H

#include "base/status.h"

// One thread, steps of 1/60 s of a hanging cloth, both to the program's residual.
typedef struct ImplicitBench {
    double seconds, jacobi_seconds; // of computing per step
    double iterations, jacobi_iterations;
} ImplicitBench;
Status bench_backward_euler(int side, double k0, int steps, ImplicitBench *out, Error *error);

#endif
