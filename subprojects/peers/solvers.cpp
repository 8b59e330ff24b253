// The same system for Eigen's conjugate gradients and for CHOLMOD.
#include "peers.h"

#include <Eigen/Dense>
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/Sparse>
#include <cholmod.h>

#include <vector>

typedef Eigen::SparseMatrix<double> Matrix;
typedef Eigen::Map<const Eigen::VectorXd> Given;

// Inverted 3 x 3 blocks on the diagonal, as our own simplest preconditioner has.
class BlockDiagonal
{
  public:
    template <typename M> BlockDiagonal &analyzePattern(const M &) { return *this; }
    template <typename M> BlockDiagonal &factorize(const M &A)
    {
        inverse.resize(A.rows() / 3);
        for (int i = 0; i < A.rows() / 3; i++) {
            Eigen::Matrix3d block;
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++) block(r, c) = A.coeff(3 * i + r, 3 * i + c);
            inverse[i] = block.inverse();
        }
        return *this;
    }
    template <typename M> BlockDiagonal &compute(const M &A) { return factorize(A); }
    template <typename R> Eigen::VectorXd solve(const R &r) const
    {
        Eigen::VectorXd z(r.rows());
        for (size_t i = 0; i < inverse.size(); i++)
            z.segment<3>(3 * i) = inverse[i] * r.template segment<3>(3 * i);
        return z;
    }
    Eigen::ComputationInfo info() { return Eigen::Success; }

  private:
    std::vector<Eigen::Matrix3d> inverse;
};

static Matrix matrix_of(const LinearSystem *s)
{
    return Eigen::Map<const Matrix>(s->n, s->n, s->start[s->n], s->start, s->row, s->value);
}

template <typename Preconditioner>
static SolveRun conjugate_gradients(const LinearSystem *s, double tolerance)
{
    Matrix A = matrix_of(s);
    Given b(s->b, s->n);
    Eigen::ConjugateGradient<Matrix, Eigen::Lower | Eigen::Upper, Preconditioner> cg;
    cg.setTolerance(tolerance);
    SolveRun run;
    double start = peers_seconds();
    cg.compute(A);
    run.prepare = peers_seconds() - start;
    start = peers_seconds();
    Eigen::VectorXd x = cg.solve(b);
    run.solve = peers_seconds() - start;
    run.iterations = (int)cg.iterations();
    run.residual = (b - A * x).norm() / b.norm();
    return run;
}

SolveRun solve_eigen_block(const LinearSystem *s, double tolerance)
{
    return conjugate_gradients<BlockDiagonal>(s, tolerance);
}
SolveRun solve_eigen_cholesky(const LinearSystem *s, double tolerance)
{
    return conjugate_gradients<Eigen::IncompleteCholesky<double>>(s, tolerance);
}

// The pattern is analysed once, as it is for a cloth, and not counted.
SolveRun solve_cholmod(const LinearSystem *s, int again)
{
    static cholmod_common common;
    static cholmod_factor *factor;
    if (!factor) cholmod_start(&common);
    cholmod_sparse A = {};
    A.nrow = A.ncol = (size_t)s->n;
    A.nzmax = (size_t)s->start[s->n];
    A.p = s->start, A.i = s->row, A.x = s->value;
    A.stype = -1; // the lower triangle is used
    A.itype = CHOLMOD_INT, A.xtype = CHOLMOD_REAL, A.dtype = CHOLMOD_DOUBLE;
    A.sorted = A.packed = 1;
    if (!again) {
        if (factor) cholmod_free_factor(&factor, &common);
        factor = cholmod_analyze(&A, &common);
    }
    SolveRun run = {0, 0, 0, 1};
    double start = peers_seconds();
    if (!again) cholmod_factorize(&A, factor, &common);
    run.prepare = peers_seconds() - start;
    cholmod_dense b = {};
    b.nrow = b.nzmax = b.d = (size_t)s->n;
    b.ncol = 1, b.x = s->b, b.xtype = CHOLMOD_REAL, b.dtype = CHOLMOD_DOUBLE;
    start = peers_seconds();
    cholmod_dense *x = cholmod_solve(CHOLMOD_A, factor, &b, &common);
    run.solve = peers_seconds() - start;
    Given found((const double *)x->x, s->n), given(s->b, s->n);
    run.residual = (given - matrix_of(s) * found).norm() / given.norm();
    cholmod_free_dense(&x, &common);
    return run;
}
