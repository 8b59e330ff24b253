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

// ---- passes over all numbers, in pieces that threads share

// Sums are formed per piece and added in the order of the pieces: the same bits for every number of
// threads. A cloth below PIECE_LEAST numbers per thread has one.
enum { PIECES = CREW_MAX, PIECE_LEAST = 4096 };

typedef struct Passes {
    const System *system;
    void (*piece)(const struct Passes *pass, int first, int last, double *sum);
    const double *q, *Kq, *before; // of dot and recur
    double a, b, c;
    double *out;
    const double *share; // of combine
    double *const *basis;
    int count, parts;
    double sums[PIECES];
} Passes;

static void pieces_of_part(void *self, int part)
{
    Passes *pass = self;
    int blocks = (pass->system->dofs + 3) / 4;
    for (int i = crew_start(PIECES, pass->parts, part);
         i < crew_start(PIECES, pass->parts, part + 1); i++) {
        int last = 4 * crew_start(blocks, PIECES, i + 1);
        pass->sums[i] = 0.0;
        pass->piece(pass, 4 * crew_start(blocks, PIECES, i),
                    last < pass->system->dofs ? last : pass->system->dofs, &pass->sums[i]);
    }
}

static double run_pass(Passes *pass)
{
    Crew *crew = pass->system->crew;
    pass->parts = crew_parts(crew, pass->system->dofs, PIECE_LEAST);
    crew_run(crew, pass->parts, pieces_of_part, pass);
    double sum = 0.0;
    for (int i = 0; i < PIECES; i++) sum += pass->sums[i];
    return sum;
}

static void dot_piece(const Passes *pass, int first, int last, double *sum)
{
    *sum = vector_dot(last - first, pass->q + first, pass->Kq + first);
}

static double dot(const System *system, const double *q, const double *Kq)
{
    Passes pass = {.system = system, .piece = dot_piece, .q = q, .Kq = Kq};
    return run_pass(&pass);
}

static void recur_piece(const Passes *pass, int first, int last, double *sum)
{
    const double *mass = pass->system->mass, *inverse = pass->system->inverse_mass;
    const double *Kq = pass->Kq, *q = pass->q, *before = pass->before;
    double a = pass->a, b = pass->b, c = pass->c, *w = pass->out, sums[4] = {0};
    int i = first;
    for (; i + 4 <= last; i += 4) {
        for (int k = i; k < i + 4; k++) {
            double next = a * inverse[k] * Kq[k] - b * q[k] - c * before[k];
            w[k] = next;
            sums[k - i] += mass[k] * (next * next);
        }
    }
    for (; i < last; i++) {
        w[i] = a * inverse[i] * Kq[i] - b * q[i] - c * before[i];
        sums[0] += mass[i] * (w[i] * w[i]);
    }
    *sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// w = M^-1 a Kq - b q - c before, and w'Mw. Without `before`, c is 0.
static double recur(const System *system, const double *Kq, const double *q, const double *before,
                    double a, double b, double c, double *w)
{
    Passes pass = {.system = system,
                   .piece = recur_piece,
                   .q = q,
                   .Kq = Kq,
                   .before = before,
                   .a = a,
                   .b = b,
                   .c = c,
                   .out = w};
    return run_pass(&pass);
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

static void combine_piece(const Passes *pass, int first, int last, double *unused)
{
    (void)unused;
    for (int i = first; i < last; i++) {
        double sum = 0.0;
        for (int j = 0; j < pass->count; j++) sum += pass->share[j] * pass->basis[j][i];
        pass->out[i] = sqrt(pass->system->mass[i]) * sum;
    }
}

// mode = M^1/2 of the sum of s_j w_j / |w_j|, a unit vector as the basis is orthonormal
static void combine(const System *system, int count, const double *s, const double *norm,
                    double *const *w, double *mode)
{
    double share[STIFFNESS_FOLLOW_MAX];
    for (int j = 0; j < count; j++) share[j] = s[j] / norm[j];
    Passes pass = {.system = system,
                   .piece = combine_piece,
                   .share = share,
                   .basis = w,
                   .count = count,
                   .out = mode};
    run_pass(&pass);
}

KrylovReport stiffness_follow(const System *system, const double *x, Tangent tangent, int fewest,
                              int products, double *mode, Arena *scratch)
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
        main[m] = dot(system, w[m], Kq) / (norm[m] * norm[m]);
        double before = m > 0 ? norm[m] / norm[m - 1] : 0.0;
        norm[m + 1] = sqrt(recur(system, Kq, w[m], w[m > 0 ? m - 1 : 0], 1.0 / norm[m],
                                 main[m] / norm[m], before, w[m + 1]));
        off[m] = norm[m + 1];
        m++;
        grows = off[m - 1] > EXHAUSTED * (fabs(main[m - 1]) + off[m - 1]);
        if (grows && m < fewest - 1 && m < products) continue; // nobody asks for the value yet
        double last = report.value;
        report.value = krylov_largest_tridiagonal(m, main, off, s, scratch);
        grows = grows && (m < fewest || report.value - last > SETTLED * report.value);
    }
    if (m == 0) return report;
    report.products = m;
    report.residual = fabs(off[m - 1] * s[m - 1]);
    combine(system, m, s, norm, w, mode);
    return report;
}
