#include "lab/spectrum.h"

#include <lapacke.h>

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    RITZ = SPECTRUM_MODES + SPECTRUM_SOFT,
    KEEP_TOP = SPECTRUM_MODES + 6, // a few more than wanted: the last ones converge slowly
    KEEP_LOW = SPECTRUM_SOFT + 2,
    KEEP = KEEP_TOP + KEEP_LOW,
};
// Share of noise in a warm start: what the last modes know nothing of must be found too.
#define WARM_NOISE 0.02
// Below this, relative to the operator, a vector is rounding: the Krylov space is exhausted.
#define EXHAUSTED 1e-12
#define DENSITY_RANGE 1e-6 // low / high

static_assert(SPECTRUM_PROBE_STEPS >= SPECTRUM_BASIS, "T and S hold the larger of the two");

Status spectrum_init(Spectrum *spectrum, int dofs, Error *error)
{
    *spectrum = (Spectrum){.noise = 12345u};
    size_t n = (size_t)dofs;
    size_t vectors = (SPECTRUM_BASIS + 1) + KEEP + RITZ + SPECTRUM_MODES + 1;
    size_t small = SPECTRUM_PROBE_STEPS * SPECTRUM_PROBE_STEPS;
    size_t size = free_dofs_size(dofs) + vectors * arena_footprint(n * sizeof(double)) +
                  2 * arena_footprint(small * sizeof(double)) +
                  arena_footprint(2 * SPECTRUM_PROBE_STEPS * sizeof(double));
    Status status = arena_init(&spectrum->memory, size, error);
    if (status != STATUS_OK) return status;
    Arena *memory = &spectrum->memory;
    free_dofs_init(&spectrum->free, dofs, memory);
    spectrum->basis = ARENA_ALLOC(memory, (SPECTRUM_BASIS + 1) * n, double);
    spectrum->kept = ARENA_ALLOC(memory, KEEP * n, double);
    spectrum->ritz = ARENA_ALLOC(memory, RITZ * n, double);
    for (int m = 0; m < SPECTRUM_MODES; m++) {
        spectrum->modes[m].shape = ARENA_ALLOC(memory, n, double);
    }
    spectrum->soft.shape = ARENA_ALLOC(memory, n, double);
    spectrum->T = ARENA_ALLOC(memory, small, double);
    spectrum->S = ARENA_ALLOC(memory, small, double);
    spectrum->theta = ARENA_ALLOC(memory, 2 * SPECTRUM_PROBE_STEPS, double);
    return STATUS_OK;
}

void spectrum_finish(Spectrum *spectrum)
{
    arena_finish(&spectrum->memory);
    *spectrum = (Spectrum){0};
}

void spectrum_forget(Spectrum *spectrum)
{
    spectrum->warm = 0;
}

static double *vector(Spectrum *spectrum, int j)
{
    return spectrum->basis + (size_t)j * (size_t)spectrum->free.dofs;
}

// w -= V V'w for the first `count` basis vectors, twice, so that w is orthogonal to rounding.
static void orthogonalise(Spectrum *spectrum, int count, double *w)
{
    int n = spectrum->free.count;
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < count; k++) {
            const double *v = vector(spectrum, k);
            packed_add(n, w, -packed_dot(n, v, w), v);
        }
    }
}

static void start_vector(Spectrum *spectrum)
{
    int n = spectrum->free.count;
    double *v = vector(spectrum, 0);
    for (int i = 0; i < n; i++) v[i] = packed_noise(&spectrum->noise);
    packed_normalise(n, v);
    if (spectrum->warm > 0) {
        for (int i = 0; i < n; i++) v[i] *= WARM_NOISE;
        for (int m = 0; m < spectrum->warm; m++) {
            packed_add(n, v, 1.0, spectrum->ritz + (size_t)m * (size_t)spectrum->free.dofs);
        }
        packed_normalise(n, v);
    }
}

// A new direction when the Krylov space is exhausted: a multiple eigenvalue shows its second mode
// only to a second start.
static bool random_direction(Spectrum *spectrum, int count, double *w)
{
    int n = spectrum->free.count;
    for (int i = 0; i < n; i++) w[i] = packed_noise(&spectrum->noise);
    packed_normalise(n, w);
    orthogonalise(spectrum, count, w);
    return packed_normalise(n, w) > EXHAUSTED;
}

// Eigenvalues theta (ascending) and eigenvectors S (columns of a column-major m x m) of T.
static void solve_small(Spectrum *spectrum, int m)
{
    for (int j = 0; j < m; j++) {
        memcpy(spectrum->S + (size_t)j * (size_t)m, spectrum->T + (size_t)j * SPECTRUM_BASIS,
               (size_t)m * sizeof(double));
    }
    double work[4 * SPECTRUM_BASIS];
    LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'U', m, spectrum->S, m, spectrum->theta, work,
                       4 * SPECTRUM_BASIS);
}

// out = V S[:, column]
static void ritz_vector(Spectrum *spectrum, int m, int column, double *out)
{
    int n = spectrum->free.count;
    memset(out, 0, (size_t)n * sizeof *out);
    for (int j = 0; j < m; j++) {
        packed_add(n, out, spectrum->S[(size_t)column * (size_t)m + (size_t)j],
                   vector(spectrum, j));
    }
}

// The Ritz column that a restart keeps in place i: low end first, then the top.
static int kept_column(int m, int i)
{
    return i < KEEP_LOW ? i : m - KEEP + i;
}

// Shrink the basis to the wanted Ritz vectors and the vector that follows them.
static int restart(Spectrum *spectrum, int m, double beta)
{
    size_t dofs = (size_t)spectrum->free.dofs;
    double coupling[KEEP], value[KEEP];
    for (int i = 0; i < KEEP; i++) {
        int column = kept_column(m, i);
        ritz_vector(spectrum, m, column, spectrum->kept + (size_t)i * dofs);
        value[i] = spectrum->theta[column];
        coupling[i] = beta * spectrum->S[(size_t)column * (size_t)m + (size_t)m - 1];
    }
    memcpy(vector(spectrum, KEEP), vector(spectrum, m), dofs * sizeof(double));
    memcpy(vector(spectrum, 0), spectrum->kept, KEEP * dofs * sizeof(double));
    memset(spectrum->T, 0, SPECTRUM_BASIS * SPECTRUM_BASIS * sizeof(double));
    for (int i = 0; i < KEEP; i++) {
        spectrum->T[i * SPECTRUM_BASIS + i] = value[i];
        spectrum->T[KEEP * SPECTRUM_BASIS + i] = coupling[i]; // upper triangle, by columns
    }
    return KEEP;
}

static double residual_of(const Spectrum *spectrum, int m, int column, double beta)
{
    return fabs(beta * spectrum->S[(size_t)column * (size_t)m + (size_t)m - 1]);
}

static void write_mode(Spectrum *spectrum, SpectrumMode *mode, const double *y, double k,
                       double residual)
{
    mode->k = k;
    mode->residual = residual;
    free_dofs_unpack(&spectrum->free, y, mode->shape);
    double largest = 0.0;
    for (int i = 0; i < spectrum->free.dofs; i++) {
        if (fabs(mode->shape[i]) > fabs(largest)) largest = mode->shape[i];
    }
    if (largest == 0.0) return;
    for (int i = 0; i < spectrum->free.dofs; i++) mode->shape[i] /= largest;
}

static void write_results(Spectrum *spectrum, int m, double beta)
{
    size_t dofs = (size_t)spectrum->free.dofs;
    spectrum->k0 = spectrum->theta[m - 1];
    spectrum->k0_residual = residual_of(spectrum, m, m - 1, beta);
    spectrum->k_min = spectrum->theta[0];
    spectrum->k_min_residual = residual_of(spectrum, m, 0, beta);
    int top = m < SPECTRUM_MODES ? m : SPECTRUM_MODES;
    int low = m - top < SPECTRUM_SOFT ? m - top : SPECTRUM_SOFT;
    for (int i = 0; i < top + low; i++) {
        int column = i < top ? m - 1 - i : i - top;
        double *y = spectrum->ritz + (size_t)i * dofs;
        ritz_vector(spectrum, m, column, y);
        SpectrumMode *mode = i < top ? &spectrum->modes[i] : i == top ? &spectrum->soft : NULL;
        if (mode) {
            write_mode(spectrum, mode, y, spectrum->theta[column],
                       residual_of(spectrum, m, column, beta));
        }
    }
    if (low == 0)
        write_mode(spectrum, &spectrum->soft, spectrum->ritz + (size_t)(top - 1) * dofs,
                   spectrum->k_min, spectrum->k_min_residual);
    spectrum->mode_count = top;
    spectrum->warm = top + low;
}

void spectrum_try_soft(Spectrum *spectrum, const System *system, const double *x,
                       const double *shape)
{
    FreeDofs *free = &spectrum->free;
    int n = free->count;
    double *y = vector(spectrum, 0), *Ay = vector(spectrum, 1);
    free_dofs_pack(free, shape, y);
    if (n == 0 || packed_normalise(n, y) == 0.0) return;
    free_dofs_stiffness(free, system, x, TANGENT_FULL, y, Ay);
    double k = packed_dot(n, y, Ay);
    if (!(k < spectrum->k_min)) return;
    packed_add(n, Ay, -k, y);
    spectrum->k_min = k;
    spectrum->k_min_residual = sqrt(packed_dot(n, Ay, Ay));
    write_mode(spectrum, &spectrum->soft, y, k, spectrum->k_min_residual);
}

static void nothing_free(Spectrum *spectrum)
{
    spectrum->k0 = spectrum->k0_residual = spectrum->k_min = spectrum->k_min_residual = 0.0;
    spectrum->mode_count = spectrum->warm = 0;
}

void spectrum_lanczos(Spectrum *spectrum, const System *system, const double *x, int products,
                      double tolerance)
{
    FreeDofs *free = &spectrum->free;
    int before = free->count;
    free_dofs_update(free, system);
    int n = free->count;
    spectrum->free_count = n;
    spectrum->products = 0;
    if (n == 0) {
        nothing_free(spectrum);
        return;
    }
    if (n != before) spectrum_forget(spectrum); // other pins: packed vectors mean something else
    start_vector(spectrum);
    memset(spectrum->T, 0, SPECTRUM_BASIS * SPECTRUM_BASIS * sizeof(double));

    int m = 0;
    double beta = 0.0, scale = 0.0;
    for (;;) {
        double *v = vector(spectrum, m), *w = vector(spectrum, m + 1);
        free_dofs_stiffness(free, system, x, TANGENT_FULL, v, w);
        spectrum->products++;
        double diagonal = packed_dot(n, v, w);
        spectrum->T[m * SPECTRUM_BASIS + m] = diagonal;
        orthogonalise(spectrum, m + 1, w);
        beta = packed_normalise(n, w);
        scale = fmax(scale, fabs(diagonal) + beta);
        m++;
        bool exhausted = !(beta > EXHAUSTED * scale);
        if (exhausted) beta = 0.0;
        if (m == n || spectrum->products >= products) break;
        if (exhausted && !random_direction(spectrum, m, w)) break;
        if (m < SPECTRUM_BASIS) {
            spectrum->T[m * SPECTRUM_BASIS + m - 1] = beta;
            continue;
        }
        solve_small(spectrum, m);
        double goal = tolerance * fabs(spectrum->theta[m - 1]);
        if (residual_of(spectrum, m, 0, beta) <= goal &&
            residual_of(spectrum, m, m - 1, beta) <= goal) {
            break;
        }
        m = restart(spectrum, m, beta);
    }
    solve_small(spectrum, m);
    write_results(spectrum, m, beta);
}

static void add_to_density(SpectrumDensity *density, double k, double weight)
{
    double size = fabs(k);
    if (size < density->low) {
        density->near_zero += weight;
        return;
    }
    int bin = (int)(SPECTRUM_BINS * log(size / density->low) / log(density->high / density->low));
    if (bin > SPECTRUM_BINS - 1) bin = SPECTRUM_BINS - 1;
    (k > 0.0 ? density->positive : density->negative)[bin] += weight;
}

// Lanczos with three vectors and no re-orthogonalisation: copies of converged eigenvalues appear,
// but their weights share what belongs to one, so the quadrature stays right.
static int probe(Spectrum *spectrum, const System *system, const double *x)
{
    int n = spectrum->free.count, m = 0;
    double *diagonal = spectrum->theta, *off = spectrum->T;
    double *v = vector(spectrum, 0), *w = vector(spectrum, 1), *previous = vector(spectrum, 2);
    for (int i = 0; i < n; i++) v[i] = packed_noise(&spectrum->noise) > 0.0 ? 1.0 : -1.0;
    packed_normalise(n, v);
    double beta = 0.0;
    while (m < SPECTRUM_PROBE_STEPS && m < n) {
        free_dofs_stiffness(&spectrum->free, system, x, TANGENT_FULL, v, w);
        if (m > 0) packed_add(n, w, -beta, previous);
        diagonal[m] = packed_dot(n, v, w);
        packed_add(n, w, -diagonal[m], v);
        beta = packed_normalise(n, w);
        off[m++] = beta;
        if (!(beta > EXHAUSTED * spectrum->k0)) break;
        double *next = previous;
        previous = v, v = w, w = next;
    }
    return m;
}

void spectrum_density(Spectrum *spectrum, const System *system, const double *x, int probes)
{
    spectrum->density =
        (SpectrumDensity){.low = DENSITY_RANGE * spectrum->k0, .high = spectrum->k0};
    free_dofs_update(&spectrum->free, system);
    if (!(spectrum->k0 > 0.0)) {
        spectrum->density.near_zero = spectrum->free.count > 0 ? 1.0 : 0.0;
        return;
    }
    double work[2 * SPECTRUM_PROBE_STEPS];
    for (int p = 0; p < probes; p++) {
        int m = probe(spectrum, system, x);
        LAPACKE_dstev_work(LAPACK_COL_MAJOR, 'V', m, spectrum->theta, spectrum->T, spectrum->S, m,
                           work);
        for (int i = 0; i < m; i++) {
            double first = spectrum->S[(size_t)i * (size_t)m];
            add_to_density(&spectrum->density, spectrum->theta[i], first * first / probes);
        }
    }
}

void spectrum_power(Spectrum *spectrum, const System *system, const double *x, int products,
                    double *value)
{
    free_dofs_update(&spectrum->free, system);
    int n = spectrum->free.count;
    double *v = vector(spectrum, 0), *w = vector(spectrum, 1);
    for (int i = 0; i < n; i++) v[i] = packed_noise(&spectrum->noise);
    packed_normalise(n, v);
    for (int i = 0; i < products; i++) {
        free_dofs_stiffness(&spectrum->free, system, x, TANGENT_FULL, v, w);
        value[i] = packed_dot(n, v, w);
        double *next = v;
        v = w, w = next;
        packed_normalise(n, v);
    }
}
