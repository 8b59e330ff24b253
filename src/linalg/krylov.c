#include "linalg/krylov.h"

#include "linalg/vectors.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// Relative to A, a vector below this is rounding: the space is exhausted.
#define EXHAUSTED 1e-13

size_t krylov_size(int n, int capacity)
{
    size_t vectors = (size_t)(capacity + 1) * (size_t)n, small = (size_t)(capacity * capacity);
    return arena_footprint(vectors * sizeof(double)) + arena_footprint(small * sizeof(double));
}

Krylov krylov_init(int n, int capacity, int passes, Arena *memory)
{
    Krylov krylov = {.n = n, .capacity = capacity, .passes = passes};
    krylov.basis = ARENA_ALLOC(memory, (size_t)(capacity + 1) * (size_t)n, double);
    krylov.H = ARENA_ALLOC(memory, capacity * capacity, double);
    return krylov;
}

double *krylov_vector(const Krylov *krylov, int j)
{
    return krylov->basis + (size_t)j * (size_t)krylov->n;
}

bool krylov_start(Krylov *krylov, const double *vector)
{
    double norm = sqrt(vector_dot(krylov->n, vector, vector));
    krylov->count = 0;
    krylov->scale = krylov->next = 0.0;
    if (!(norm > 0.0) || !isfinite(norm)) return false;
    for (int i = 0; i < krylov->n; i++) krylov->basis[i] = vector[i] / norm;
    return true;
}

void krylov_orthogonalise(const Krylov *krylov, int count, double *w, double *column)
{
    for (int pass = 0; pass < krylov->passes; pass++) {
        for (int k = 0; k < count; k++) { // one after the other: modified Gram-Schmidt
            const double *v = krylov_vector(krylov, k);
            double share = vector_dot(krylov->n, v, w);
            if (column) column[k] += share;
            vector_add_scaled(krylov->n, w, -share, v);
        }
    }
}

bool krylov_extend(Krylov *krylov, const LinearOperator *A)
{
    int m = krylov->count++;
    double *w = krylov_vector(krylov, m + 1), *column = krylov->H + m * krylov->capacity;
    A->multiply(A->self, krylov_vector(krylov, m), w);
    memset(column, 0, (size_t)krylov->capacity * sizeof *column);
    krylov_orthogonalise(krylov, m + 1, w, column);
    double norm = sqrt(vector_dot(krylov->n, w, w));
    krylov->scale = fmax(krylov->scale, fabs(column[m]) + norm);
    krylov->next = norm > EXHAUSTED * krylov->scale ? norm : 0.0;
    if (krylov->next == 0.0) return false;
    for (int i = 0; i < krylov->n; i++) w[i] /= norm;
    return true;
}

void krylov_combine(const Krylov *krylov, const double *s, double *out)
{
    memset(out, 0, (size_t)krylov->n * sizeof *out);
    for (int k = 0; k < krylov->count; k++) {
        vector_add_scaled(krylov->n, out, s[k], krylov_vector(krylov, k));
    }
}

// ---- the largest eigenvalue of a small matrix ----

static double largest_entry(int count, const double *B)
{
    double largest = 0.0;
    for (int i = 0; i < count; i++) largest = fmax(largest, fabs(B[i]));
    return largest;
}

// The power method by repeated squaring: 2^n steps for n products of small matrices. B, by columns,
// has eigenvalues >= 0; it becomes a matrix of rank one whose columns are the wanted vector.
static void square_repeatedly(int m, double *B, double *C)
{
    enum { SQUARINGS = 40 };
    for (int round = 0; round < SQUARINGS; round++) {
        double largest = largest_entry(m * m, B), change = 0.0;
        if (!(largest > 0.0) || !isfinite(largest)) return;
        for (int i = 0; i < m * m; i++) B[i] /= largest;
        memset(C, 0, (size_t)(m * m) * sizeof *C);
        for (int j = 0; j < m; j++) {
            for (int k = 0; k < m; k++) {
                for (int i = 0; i < m; i++) C[j * m + i] += B[k * m + i] * B[j * m + k];
            }
        }
        largest = largest_entry(m * m, C);
        for (int i = 0; i < m * m; i++) {
            C[i] /= largest;
            change = fmax(change, fabs(C[i] - B[i]));
        }
        memcpy(B, C, (size_t)(m * m) * sizeof *B);
        if (change < 1e-15) return;
    }
}

// The largest eigenvalue of H (m x m, upper Hessenberg: `sub` is its subdiagonal) and its unit
// vector s.
static double largest_of_small(int m, const double *H, int stride, const double *sub, double *s,
                               Arena *scratch)
{
    double *B = ARENA_ALLOC(scratch, m * m, double), *C = ARENA_ALLOC(scratch, m * m, double);
    double shift =
        0.0; // by a norm of H, so that the largest eigenvalue is also the largest in magnitude
    for (int j = 0; j < m; j++) {
        double sum = j + 1 < m ? fabs(sub[j]) : 0.0;
        memset(B + j * m, 0, (size_t)m * sizeof *B);
        for (int i = 0; i <= j; i++) {
            B[j * m + i] = H[j * stride + i];
            sum += fabs(H[j * stride + i]);
        }
        if (j + 1 < m) B[j * m + j + 1] = sub[j];
        shift = fmax(shift, sum);
    }
    for (int j = 0; j < m; j++) B[j * m + j] += shift;
    square_repeatedly(m, B, C);
    int best = 0;
    for (int j = 1; j < m; j++) {
        if (vector_dot(m, B + j * m, B + j * m) > vector_dot(m, B + best * m, B + best * m))
            best = j;
    }
    double norm = sqrt(vector_dot(m, B + best * m, B + best * m)), value = 0.0;
    for (int i = 0; i < m; i++) s[i] = norm > 0.0 ? B[best * m + i] / norm : i == 0;
    for (int j = 0; j < m; j++) { // s'Hs
        for (int i = 0; i <= j; i++) value += s[i] * H[j * stride + i] * s[j];
        if (j + 1 < m) value += s[j + 1] * sub[j] * s[j];
    }
    return value;
}

double krylov_largest_tridiagonal(int m, const double *main, const double *off, double *s,
                                  Arena *scratch)
{
    size_t used = scratch->used;
    double *H = ARENA_ALLOC(scratch, m * m, double);
    memset(H, 0, (size_t)(m * m) * sizeof *H);
    for (int j = 0; j < m; j++) {
        H[j * m + j] = main[j];
        if (j > 0) H[j * m + j - 1] = off[j - 1];
    }
    double value = largest_of_small(m, H, m, off, s, scratch);
    scratch->used = used;
    return value;
}

// ---- the largest eigenvalue of a large operator ----

size_t krylov_largest_size(int n, int steps)
{
    size_t small = (size_t)(steps * steps) * sizeof(double);
    return krylov_size(n, steps) + 3 * arena_footprint(small);
}

KrylovReport krylov_largest(const LinearOperator *A, KrylovEffort effort, double *vector,
                            Arena *scratch)
{
    assert(effort.steps >= 1 && effort.steps <= KRYLOV_LARGEST_MAX);
    KrylovReport report = {0};
    double sub[KRYLOV_LARGEST_MAX], s[KRYLOV_LARGEST_MAX];
    size_t start = scratch->used;
    Krylov krylov = krylov_init(A->dofs, effort.steps, 1, scratch);
    size_t after = scratch->used;
    bool done = false;
    while (!done && krylov_start(&krylov, vector)) {
        bool grows = true;
        while (grows && krylov.count < effort.steps && report.products < effort.products) {
            grows = krylov_extend(&krylov, A);
            sub[krylov.count - 1] = krylov.next;
            report.products++;
        }
        int m = krylov.count;
        double before = report.value;
        report.value = largest_of_small(m, krylov.H, krylov.capacity, sub, s, scratch);
        report.residual = fabs(krylov.next * s[m - 1]);
        krylov_combine(&krylov, s, vector);
        scratch->used = after;
        done = !grows || report.products >= effort.products ||
               fabs(report.value - before) <= effort.tolerance * fabs(report.value);
    }
    scratch->used = start;
    return report;
}
