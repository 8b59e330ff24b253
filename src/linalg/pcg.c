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

// One after the other, for an operator that has them not merged.

static double multiply(const LinearOperator *A, const double *p, double *Ap)
{
    if (A->passes) return A->passes->multiply(A->self, p, Ap);
    A->multiply(A->self, p, Ap);
    return vector_dot(A->dofs, p, Ap);
}

static PcgSums advance(const LinearOperator *A, double step, const double *p, const double *Ap,
                       double *x, double *r, double *z)
{
    if (A->passes) return A->passes->advance(A->self, step, p, Ap, x, r, z);
    PcgSums sums = {.rr = vector_advance(A->dofs, step, p, Ap, x, r)};
    precondition(A, r, z);
    sums.rz = vector_dot(A->dofs, r, z);
    return sums;
}

static void turn(const LinearOperator *A, double beta, const double *z, double *p)
{
    if (A->passes) {
        A->passes->turn(A->self, beta, z, p);
    } else {
        vector_scale_add(A->dofs, p, beta, z);
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
    PcgEffort effort = {.tolerance = tolerance, .max_iterations = max_iterations};
    return pcg_solve_with(A, b, x, &effort, scratch);
}

PcgReport pcg_solve_with(const LinearOperator *A, const double *b, double *x,
                         const PcgEffort *effort, Arena *scratch)
{
    PcgTrace *trace = effort->trace;
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

    memset(p, 0, (size_t)n * sizeof *p);
    memset(Ap, 0, (size_t)n * sizeof *Ap);
    PcgSums start = advance(A, 0.0, p, Ap, x, r, z);
    turn(A, 0.0, z, p);
    double rz = start.rz;
    PcgReport report = {.residual = 1.0, .rest = r};
    trace_add(trace, 1.0);
    while (report.iterations < effort->max_iterations) {
        if (is_cancelled(effort->cancel)) {
            report.cancelled = true;
            return report;
        }
        double curvature = multiply(A, p, Ap);
        if (!(curvature > 0.0)) { // also stops on NaN
            report.negative_curvature = true;
            return report;
        }
        PcgSums sums = advance(A, rz / curvature, p, Ap, x, r, z);
        report.iterations++;
        report.residual = sqrt(sums.rr) / b_norm;
        trace_add(trace, report.residual);
        if (report.residual <= effort->tolerance) {
            report.converged = true;
            return report;
        }
        turn(A, sums.rz / rz, z, p);
        rz = sums.rz;
    }
    return report;
}
