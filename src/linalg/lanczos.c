#include "linalg/lanczos.h"

#include "linalg/vectors.h"

#include <assert.h>
#include <math.h>
#include <string.h>

size_t lanczos_scratch_size(int dofs, int steps)
{
    return (size_t)(steps + 1) * arena_footprint((size_t)dofs * sizeof(double));
}

// True if t is above every eigenvalue of the tridiagonal T = (diagonal, off): then all pivots of tI
// - T are positive (Sturm).
static bool is_above(int m, const double *diagonal, const double *off, double t)
{
    double pivot = t - diagonal[0];
    for (int k = 1; k < m && pivot > 0.0; k++)
        pivot = t - diagonal[k] - off[k - 1] * off[k - 1] / pivot;
    return pivot > 0.0;
}

static double largest_of_tridiagonal(int m, const double *diagonal, const double *off)
{
    double low = -INFINITY, high = -INFINITY; // Gershgorin
    for (int k = 0; k < m; k++) {
        double radius = (k > 0 ? fabs(off[k - 1]) : 0.0) + (k < m - 1 ? fabs(off[k]) : 0.0);
        low = fmax(low, diagonal[k]);
        high = fmax(high, diagonal[k] + radius);
    }
    for (int i = 0; i < 200; i++) { // ends when the interval is one unit in the last place
        double middle = 0.5 * (low + high);
        if (!(middle > low && middle < high)) break;
        if (is_above(m, diagonal, off, middle)) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return high;
}

// Unit eigenvector s of T for its largest eigenvalue t. From the last row upwards,
//   s_k / s_(k-1) = off_(k-1) / q_k,   q_k = t - diagonal_k - off_k^2 / q_(k+1),
// with q_k > 0 because t also exceeds the eigenvalues of every trailing submatrix. The guard keeps
// q_k positive when the two are equal up to rounding.
static void vector_of_tridiagonal(int m, const double *diagonal, const double *off, double t,
                                  double *s)
{
    double q[LANCZOS_MAX_STEPS];
    double tiny = 1e-14 * (fabs(t) + 1e-300);
    for (int k = m - 1; k >= 0; k--) {
        double below = k < m - 1 ? off[k] * off[k] / q[k + 1] : 0.0;
        q[k] = fmax(t - diagonal[k] - below, tiny);
    }
    s[0] = 1.0;
    double norm2 = 1.0;
    for (int k = 1; k < m; k++) {
        s[k] = s[k - 1] * off[k - 1] / q[k];
        norm2 += s[k] * s[k];
    }
    for (int k = 0; k < m; k++) s[k] /= sqrt(norm2);
}

LanczosReport lanczos_largest(const LinearOperator *A, int steps, double *vector, Arena *scratch)
{
    assert(steps >= 1 && steps <= LANCZOS_MAX_STEPS);
    int n = A->dofs, m = 0;
    double diagonal[LANCZOS_MAX_STEPS], off[LANCZOS_MAX_STEPS], s[LANCZOS_MAX_STEPS];
    double *basis[LANCZOS_MAX_STEPS];
    double *w = ARENA_ALLOC(scratch, n, double);

    double norm = sqrt(vector_dot(n, vector, vector));
    if (!(norm > 0.0)) return (LanczosReport){0};
    double scale = 0.0; // of T, to tell an exhausted Krylov space from a small residual
    memcpy(w, vector, (size_t)n * sizeof *w);
    while (m < steps) {
        basis[m] = ARENA_ALLOC(scratch, n, double);
        for (int i = 0; i < n; i++) basis[m][i] = w[i] / norm;
        A->multiply(A->self, basis[m], w);
        diagonal[m] = vector_dot(n, basis[m], w);
        // orthogonalise against the whole basis, in order: modified Gram-Schmidt
        for (int k = 0; k <= m; k++) vector_add_scaled(n, w, -vector_dot(n, basis[k], w), basis[k]);
        norm = off[m] = sqrt(vector_dot(n, w, w));
        scale = fmax(scale, fabs(diagonal[m]) + norm);
        m++;
        if (!(norm > 1e-13 * scale)) break;
    }

    double value = largest_of_tridiagonal(m, diagonal, off);
    vector_of_tridiagonal(m, diagonal, off, value, s);
    memset(vector, 0, (size_t)n * sizeof *vector);
    for (int k = 0; k < m; k++) vector_add_scaled(n, vector, s[k], basis[k]);
    return (LanczosReport){value, fabs(off[m - 1] * s[m - 1]), m};
}
