// Preconditioned conjugate gradients for A x = b, A symmetric positive definite.
//
// The matrix is used only through its products (Hestenes & Stiefel 1952; Shewchuk 1994, B3).
#ifndef LINALG_PCG_H
#define LINALG_PCG_H

#include "base/arena.h"

#include <stdatomic.h>
#include <stdbool.h>

typedef struct PcgSums {
    double rr, rz; // r'r and r'z
} PcgSums;

// The start of an iteration: the last step is taken, a direction is chosen and multiplied with.
//   x += step p,   p = q + beta p,   q = A p
typedef struct PcgTurn {
    double step, beta;
    double *x, *p;
    double *q; // z before, A p afterwards
} PcgTurn;

// What an iteration does between its sums, in as few passes over memory as an operator can. What
// has been used is written over, so that less memory passes through the caches. All vectors are 0
// beyond what belongs to the operator, and r is 0 where it holds something.
typedef struct PcgPasses {
    double (*turn)(void *self, const PcgTurn *turn); // returns p'A p
    // r -= step q,  then q = z ~ A^-1 r, or the part of z that `turn` does not add
    PcgSums (*advance)(void *self, double step, double *r, double *q);
} PcgPasses;

typedef struct LinearOperator {
    void *self;
    int dofs;
    void (*multiply)(void *self, const double *p, double *out);   // out = A p
    void (*precondition)(void *self, const double *r, double *z); // z ~ A^-1 r; NULL: z = r
    const PcgPasses *passes; // the same, merged; NULL: one after the other
} LinearOperator;

typedef struct PcgReport {
    int iterations;
    double residual; // |b - A x| / |b|, from the recurrence
    bool converged;
    const double *rest;      // b - A x, as the recurrence has it; in the scratch
    bool negative_curvature; // p'Ap <= 0 occurred: A is not positive definite
    bool cancelled;          // by the flag of PcgEffort
} PcgReport;

// How the residual fell, iteration by iteration, of one or more solves: each starts with 1 before
// its first. A solve for which there is no room is left out from some iteration on.
enum { PCG_TRACE = 1600, PCG_TRACE_SOLVES = 12 };
typedef struct PcgTrace {
    int solves, count;
    int first[PCG_TRACE_SOLVES + 1]; // solve s has residual[first[s]] .. residual[first[s + 1] - 1]
    float residual[PCG_TRACE];
} PcgTrace;

// When a solve ends, and who looks on.
typedef struct PcgEffort {
    double tolerance; // of the residual
    int max_iterations;
    const atomic_bool *cancel; // looked at in every iteration; NULL: nobody cancels
    PcgTrace *trace;           // gets one more solve; NULL: nobody wants it
} PcgEffort;

static inline bool is_cancelled(const atomic_bool *cancel)
{
    return cancel && atomic_load_explicit(cancel, memory_order_relaxed);
}

// x = A^-1 b, starting from x = 0, until residual <= tolerance. On negative curvature, after
// max_iterations, or when cancelled, x is the last iterate.
PcgReport pcg_solve(const LinearOperator *A, const double *b, double *x, double tolerance,
                    int max_iterations, Arena *scratch);
PcgReport pcg_solve_with(const LinearOperator *A, const double *b, double *x,
                         const PcgEffort *effort, Arena *scratch);
size_t pcg_scratch_size(int dofs);

#endif
