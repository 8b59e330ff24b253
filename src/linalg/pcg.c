#include "linalg/pcg.h"

#include "linalg/vectors.h"

#include <math.h>
#include <string.h>

size_t pcg_scratch_size(int dofs)
{
    return 3 * arena_footprint((size_t)dofs * sizeof(double));
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

static double turn(const LinearOperator *A, const PcgTurn *turn)
{
    if (A->passes) return A->passes->turn(A->self, turn);
    vector_turn(A->dofs, turn->step, turn->beta, turn->q, turn->x, turn->p);
    A->multiply(A->self, turn->p, turn->q);
    return vector_dot(A->dofs, turn->p, turn->q);
}

static PcgSums advance(const LinearOperator *A, double step, double *r, double *q)
{
    if (A->passes) return A->passes->advance(A->self, step, r, q);
    PcgSums sums = {.rr = vector_add_scaled_square(A->dofs, r, -step, q)};
    precondition(A, r, q);
    sums.rz = vector_dot(A->dofs, r, q);
    return sums;
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
    size_t bytes = (size_t)n * sizeof(double);
    double *r = ARENA_ALLOC(scratch, n, double);
    double *p = ARENA_ALLOC(scratch, n, double);
    double *q = ARENA_ALLOC(scratch, n, double); // z and A p in turns

    memset(x, 0, bytes);
    memcpy(r, b, bytes);
    double b_norm = sqrt(vector_dot(n, b, b));
    if (b_norm == 0.0) return (PcgReport){.converged = true, .rest = r};

    memset(p, 0, bytes);
    memset(q, 0, bytes);
    double rz = advance(A, 0.0, r, q).rz, step = 0.0, beta = 0.0;
    PcgReport report = {.residual = 1.0, .rest = r};
    trace_add(trace, 1.0);
    while (report.iterations < effort->max_iterations && !report.converged) {
        if (is_cancelled(effort->cancel)) {
            report.cancelled = true;
            break;
        }
        double curvature = turn(A, &(PcgTurn){step, beta, x, p, q});
        step = 0.0;               // x has it
        if (!(curvature > 0.0)) { // also stops on NaN
            report.negative_curvature = true;
            break;
        }
        step = rz / curvature;
        PcgSums sums = advance(A, step, r, q);
        report.iterations++;
        report.residual = sqrt(sums.rr) / b_norm;
        trace_add(trace, report.residual);
        report.converged = report.residual <= effort->tolerance;
        beta = sums.rz / rz;
        rz = sums.rz;
    }
    if (step != 0.0) vector_add_scaled(n, x, step, p);
    return report;
}
