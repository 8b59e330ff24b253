#include "linalg/pcg.h"

#include <math.h>
#include <string.h>

size_t pcg_scratch_size(int dofs)
{
    return 4 * arena_footprint((size_t)dofs * sizeof(double));
}

static double dot(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static void precondition(const LinearOperator *A, const double *r, double *z)
{
    if (A->precondition) {
        A->precondition(A->self, r, z);
    } else {
        memcpy(z, r, (size_t)A->dofs * sizeof *z);
    }
}

PcgReport pcg_solve(const LinearOperator *A, const double *b, double *x, double tolerance,
                    int max_iterations, Arena *scratch)
{
    int n = A->dofs;
    double *r = ARENA_ALLOC(scratch, n, double);
    double *z = ARENA_ALLOC(scratch, n, double);
    double *p = ARENA_ALLOC(scratch, n, double);
    double *Ap = ARENA_ALLOC(scratch, n, double);

    memset(x, 0, (size_t)n * sizeof *x);
    memcpy(r, b, (size_t)n * sizeof *r);
    double b_norm = sqrt(dot(n, b, b));
    if (b_norm == 0.0) return (PcgReport){.converged = true};

    precondition(A, r, z);
    memcpy(p, z, (size_t)n * sizeof *p);
    double rz = dot(n, r, z);
    PcgReport report = {.residual = 1.0};
    while (report.iterations < max_iterations) {
        A->multiply(A->self, p, Ap);
        double curvature = dot(n, p, Ap);
        if (!(curvature > 0.0)) { // a NaN ends here too
            report.negative_curvature = true;
            return report;
        }
        double step = rz / curvature;
        for (int i = 0; i < n; i++) {
            x[i] += step * p[i];
            r[i] -= step * Ap[i];
        }
        report.iterations++;
        report.residual = sqrt(dot(n, r, r)) / b_norm;
        if (report.residual <= tolerance) {
            report.converged = true;
            return report;
        }
        precondition(A, r, z);
        double rz_next = dot(n, r, z);
        double beta = rz_next / rz;
        rz = rz_next;
        for (int i = 0; i < n; i++) p[i] = z[i] + beta * p[i];
    }
    return report;
}
