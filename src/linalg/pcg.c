#include "linalg/pcg.h"

#include "linalg/vectors.h"

#include <math.h>
#include <string.h>

size_t pcg_scratch_size(int dofs)
{
    return 4 * arena_footprint((size_t)dofs * sizeof(double));
}

static void precondition(const LinearOperator *A, const double *r, double *z)
{
    if (A->precondition) {
        A->precondition(A->self, r, z);
    } else {
        memcpy(z, r, (size_t)A->dofs * sizeof *z);
    }
}

static void trace_begin(PcgTrace *trace)
{
    if (!trace) return;
    trace->first[trace->solves++] = trace->count;
    trace->first[trace->solves] = trace->count;
}

static void trace_add(PcgTrace *trace, double residual)
{
    if (!trace || trace->count == PCG_TRACE) return;
    trace->residual[trace->count++] = (float)residual;
    trace->first[trace->solves] = trace->count;
}

PcgReport pcg_solve(const LinearOperator *A, const double *b, double *x, double tolerance,
                    int max_iterations, Arena *scratch)
{
    return pcg_solve_traced(A, b, x, tolerance, max_iterations, NULL, scratch);
}

PcgReport pcg_solve_traced(const LinearOperator *A, const double *b, double *x, double tolerance,
                           int max_iterations, PcgTrace *trace, Arena *scratch)
{
    if (trace && trace->solves == PCG_TRACE_SOLVES) trace = NULL;
    trace_begin(trace);
    int n = A->dofs;
    double *r = ARENA_ALLOC(scratch, n, double);
    double *z = ARENA_ALLOC(scratch, n, double);
    double *p = ARENA_ALLOC(scratch, n, double);
    double *Ap = ARENA_ALLOC(scratch, n, double);

    memset(x, 0, (size_t)n * sizeof *x);
    memcpy(r, b, (size_t)n * sizeof *r);
    double b_norm = sqrt(vector_dot(n, b, b));
    if (b_norm == 0.0) return (PcgReport){.converged = true, .rest = r};

    precondition(A, r, z);
    memcpy(p, z, (size_t)n * sizeof *p);
    double rz = vector_dot(n, r, z);
    PcgReport report = {.residual = 1.0, .rest = r};
    trace_add(trace, 1.0);
    while (report.iterations < max_iterations) {
        A->multiply(A->self, p, Ap);
        double curvature = vector_dot(n, p, Ap);
        if (!(curvature > 0.0)) { // also stops on NaN
            report.negative_curvature = true;
            return report;
        }
        double step = rz / curvature;
        report.iterations++;
        report.residual = sqrt(vector_advance(n, step, p, Ap, x, r)) / b_norm;
        trace_add(trace, report.residual);
        if (report.residual <= tolerance) {
            report.converged = true;
            return report;
        }
        precondition(A, r, z);
        double rz_next = vector_dot(n, r, z);
        double beta = rz_next / rz;
        rz = rz_next;
        vector_scale_add(n, p, beta, z);
    }
    return report;
}
