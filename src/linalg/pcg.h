// Preconditioned conjugate gradients for A x = b, A symmetric positive definite.
//
// The matrix is used only through its products (Hestenes & Stiefel 1952; Shewchuk 1994, B3).
#ifndef LINALG_PCG_H
#define LINALG_PCG_H

#include "base/arena.h"

#include <stdbool.h>

typedef struct LinearOperator {
    void *self;
    int dofs;
    void (*multiply)(void *self, const double *p, double *out);   // out = A p
    void (*precondition)(void *self, const double *r, double *z); // z ~ A^-1 r; NULL: z = r
} LinearOperator;

typedef struct PcgReport {
    int iterations;
    double residual; // |b - A x| / |b|, from the recurrence
    bool converged;
    const double *rest;      // b - A x, as the recurrence has it; in the scratch
    bool negative_curvature; // p'Ap <= 0 occurred: A is not positive definite
} PcgReport;

// x = A^-1 b, starting from x = 0, until residual <= tolerance. On negative curvature, or after
// max_iterations, x is the last iterate.
PcgReport pcg_solve(const LinearOperator *A, const double *b, double *x, double tolerance,
                    int max_iterations, Arena *scratch);
size_t pcg_scratch_size(int dofs);

#endif
