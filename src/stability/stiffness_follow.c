// The largest eigenvalue of M^-1 K again, from the mode that it had before.
//
// Lanczos with the three-term recurrence, in coordinates q = M^-1/2 p, where an inner product is
// q'M r: no vector is scaled before or after a product, and a product needs two passes beside it.
// Without re-orthogonalisation a basis is lost only where a Ritz vector has converged to half of
// all digits (Paige); these are a few products, from a start with noise.
#include "stability/stiffness_operators.h"

#include "linalg/vectors.h"

#include <math.h>

// Relative to K, a vector below this is too much rounding to go on with: the space is exhausted.
#define EXHAUSTED 1e-10
// It goes on while a product raises the value by more than this share. What has just become the
// stiffest place of a cloth, such as a corner that starts to pull, shows only after a few products:
// with 3 of them k0 was 17 % too low there, with 5 and more at most 8 %.
#define SETTLED 0.003
enum { FEWEST = 5 };

// w = M^-1 a Kq - b q - c before, and w'Mw. Without `before`, c is 0.
static double recur(const System *system, const double *Kq, const double *q, const double *before,
                    double a, double b, double c, double *w)
{
    const double *mass = system->mass, *inverse = system->inverse_mass;
    double sums[4] = {0};
    int n = system->dofs, i = 0;
    for (; i + 4 <= n; i += 4) {
        for (int k = i; k < i + 4; k++) {
            double next = a * inverse[k] * Kq[k] - b * q[k] - c * before[k];
            w[k] = next;
            sums[k - i] += mass[k] * (next * next);
        }
    }
    for (; i < n; i++) {
        w[i] = a * inverse[i] * Kq[i] - b * q[i] - c * before[i];
        sums[0] += mass[i] * (w[i] * w[i]);
    }
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// q = M^-1/2 (mode and a little noise); returns q'Mq. Where a particle is held it is 0.
static double start(const System *system, const double *mode, double *q)
{
    uint32_t state = STIFFNESS_SEED;
    int n = system->dofs;
    double share = STIFFNESS_NOISE / sqrt(n), square = 0.0;
    for (int i = 0; i < n; i++) {
        double p = mode[i] + share * stiffness_noise(&state);
        q[i] = sqrt(system->inverse_mass[i]) * p;
        square += system->mass[i] * (q[i] * q[i]);
    }
    return square;
}

// mode = M^1/2 of the sum of s_j w_j / |w_j|, a unit vector as the basis is orthonormal
static void combine(const System *system, int count, const double *s, const double *norm,
                    double *const *w, double *mode)
{
    int n = system->dofs;
    double share[STIFFNESS_FOLLOW_MAX];
    for (int j = 0; j < count; j++) share[j] = s[j] / norm[j];
    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        for (int j = 0; j < count; j++) sum += share[j] * w[j][i];
        mode[i] = sqrt(system->mass[i]) * sum;
    }
}

KrylovReport stiffness_follow(const System *system, const double *x, Tangent tangent, int products,
                              double *mode, Arena *scratch)
{
    int n = system->dofs, m = 0;
    double *w[STIFFNESS_FOLLOW_MAX + 1], norm[STIFFNESS_FOLLOW_MAX + 1];
    double main[STIFFNESS_FOLLOW_MAX], off[STIFFNESS_FOLLOW_MAX], s[STIFFNESS_FOLLOW_MAX];
    KrylovReport report = {0};
    double *Kq = ARENA_ALLOC(scratch, n, double);
    for (int j = 0; j <= products; j++) w[j] = ARENA_ALLOC(scratch, n, double);
    norm[0] = sqrt(start(system, mode, w[0]));
    bool grows = norm[0] > 0.0 && isfinite(norm[0]);
    while (m < products && grows) {
        system->stiffness_product_at(system->self, x, tangent, w[m], Kq);
        main[m] = vector_dot(n, w[m], Kq) / (norm[m] * norm[m]);
        double before = m > 0 ? norm[m] / norm[m - 1] : 0.0;
        norm[m + 1] = sqrt(recur(system, Kq, w[m], w[m > 0 ? m - 1 : 0], 1.0 / norm[m],
                                 main[m] / norm[m], before, w[m + 1]));
        off[m] = norm[m + 1];
        m++;
        double last = report.value;
        report.value = krylov_largest_tridiagonal(m, main, off, s, scratch);
        grows = off[m - 1] > EXHAUSTED * (fabs(main[m - 1]) + off[m - 1]) &&
                (m < FEWEST || report.value - last > SETTLED * report.value);
    }
    if (m == 0) return report;
    report.products = m;
    report.residual = fabs(off[m - 1] * s[m - 1]);
    combine(system, m, s, norm, w, mode);
    return report;
}
