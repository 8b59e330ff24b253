// Preconditioned conjugate gradients for A x = b, A symmetric positive definite.
//
// The matrix is used only through its products (Hestenes & Stiefel 1952; Shewchuk 1994, B3).
#ifndef LINALG_PCG_H
#define LINALG_PCG_H

#include "base/arena.h"

#include <stdbool.h>

typedef struct PcgSums {
    double rr, rz; // r'r and r'z
} PcgSums;

// What an iteration does between its sums, in as few passes over memory as an operator can.
typedef struct PcgPasses {
    double (*multiply)(void *self, const double *p, double *Ap); // Ap = A p; returns p'A p
    // x += step p,  r -= step Ap,  z ~ A^-1 r
    PcgSums (*advance)(void *self, double step, const double *p, const double *Ap, double *x,
                       double *r, double *z);
    void (*turn)(void *self, double beta, const double *z, double *p); // p = z + beta p
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
} PcgReport;

// How the residual fell, iteration by iteration, of one or more solves: each starts with 1 before
// its first. A solve for which there is no room is left out from some iteration on.
enum { PCG_TRACE = 1600, PCG_TRACE_SOLVES = 12 };
typedef struct PcgTrace {
    int solves, count;
    int first[PCG_TRACE_SOLVES + 1]; // solve s has residual[first[s]] .. residual[first[s + 1] - 1]
    float residual[PCG_TRACE];
} PcgTrace;

// x = A^-1 b, starting from x = 0, until residual <= tolerance. On negative curvature, or after
// max_iterations, x is the last iterate.
PcgReport pcg_solve(const LinearOperator *A, const double *b, double *x, double tolerance,
                    int max_iterations, Arena *scratch);
// The same; `trace` gets one more solve.
PcgReport pcg_solve_traced(const LinearOperator *A, const double *b, double *x, double tolerance,
                           int max_iterations, PcgTrace *trace, Arena *scratch);
size_t pcg_scratch_size(int dofs);

#endif
