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
enum { SOFT_STEPS = 12 }; // at a new shape
// Share of noise in a warm start: modes that the last result did not contain must be found too.
#define WARM_NOISE 0.02
// Relative to the operator, a vector below this is rounding.
#define EXHAUSTED 1e-12
#define DENSITY_RANGE 1e-6 // low / high

static_assert(SPECTRUM_PROBE_STEPS >= SPECTRUM_BASIS, "S holds the larger of the two");

Status spectrum_init(Spectrum *spectrum, int dofs, Error *error)
{
    *spectrum = (Spectrum){.noise = 12345u};
    size_t n = (size_t)dofs;
    size_t vectors = KEEP + RITZ + SPECTRUM_MODES + 1;
    size_t small = SPECTRUM_PROBE_STEPS * SPECTRUM_PROBE_STEPS;
    size_t size = free_dofs_size(dofs) + vectors * arena_footprint(n * sizeof(double)) +
                  krylov_size(dofs, SPECTRUM_BASIS) + arena_footprint(small * sizeof(double)) +
                  2 * arena_footprint(SPECTRUM_PROBE_STEPS * sizeof(double));
    Status status = arena_init(&spectrum->memory, size, error);
    if (status != STATUS_OK) return status;
    Arena *memory = &spectrum->memory;
    free_dofs_init(&spectrum->free, dofs, memory);
    spectrum->krylov = krylov_init(dofs, SPECTRUM_BASIS, 2, memory);
    spectrum->kept = ARENA_ALLOC(memory, KEEP * n, double);
    spectrum->ritz = ARENA_ALLOC(memory, RITZ * n, double);
    for (int m = 0; m < SPECTRUM_MODES; m++) {
        spectrum->modes[m].shape = ARENA_ALLOC(memory, n, double);
    }
    spectrum->soft.shape = ARENA_ALLOC(memory, n, double);
    spectrum->off = ARENA_ALLOC(memory, SPECTRUM_PROBE_STEPS, double);
    spectrum->S = ARENA_ALLOC(memory, small, double);
    spectrum->theta = ARENA_ALLOC(memory, SPECTRUM_PROBE_STEPS, double);
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
    return krylov_vector(&spectrum->krylov, j);
}

// The last modes and a little noise, into the first kept vector.
static double *start_vector(Spectrum *spectrum)
{
    int n = spectrum->free.count;
    double *v = spectrum->kept;
    for (int i = 0; i < n; i++) v[i] = packed_noise(&spectrum->noise);
    packed_normalise(n, v);
    if (spectrum->warm > 0) {
        for (int i = 0; i < n; i++) v[i] *= WARM_NOISE;
        for (int m = 0; m < spectrum->warm; m++) {
            packed_add(n, v, 1.0, spectrum->ritz + (size_t)m * (size_t)spectrum->free.dofs);
        }
    }
    return v;
}

// A new direction when the Krylov space is exhausted: the second mode of a multiple eigenvalue
// appears only from a second start.
static bool random_direction(Spectrum *spectrum, int count, double *w)
{
    int n = spectrum->free.count;
    for (int i = 0; i < n; i++) w[i] = packed_noise(&spectrum->noise);
    packed_normalise(n, w);
    krylov_orthogonalise(&spectrum->krylov, count, w, NULL);
    return packed_normalise(n, w) > EXHAUSTED;
}

// Eigenvalues theta (ascending) and eigenvectors S (columns of a column-major m x m) of V'KV.
static void solve_small(Spectrum *spectrum)
{
    const Krylov *krylov = &spectrum->krylov;
    int m = krylov->count;
    for (int j = 0; j < m; j++) {
        memcpy(spectrum->S + (size_t)j * (size_t)m,
               krylov->H + (size_t)j * (size_t)krylov->capacity, (size_t)m * sizeof(double));
    }
    double work[4 * SPECTRUM_BASIS];
    LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'U', m, spectrum->S, m, spectrum->theta, work,
                       4 * SPECTRUM_BASIS);
}

// out = V S[:, column]
static void ritz_vector(Spectrum *spectrum, int column, double *out)
{
    int m = spectrum->krylov.count;
    krylov_combine(&spectrum->krylov, spectrum->S + (size_t)column * (size_t)m, out);
}

// The Ritz column that a restart keeps in place i: low end first, then the top.
static int kept_column(int m, int i)
{
    return i < KEEP_LOW ? i : m - KEEP + i;
}

// Shrink the basis to the wanted Ritz vectors and the vector that follows them (Wu & Simon). Its
// product gives the coupling between them.
static void restart(Spectrum *spectrum)
{
    Krylov *krylov = &spectrum->krylov;
    int m = krylov->count;
    size_t dofs = (size_t)spectrum->free.dofs, n = (size_t)krylov->n;
    for (int i = 0; i < KEEP; i++)
        ritz_vector(spectrum, kept_column(m, i), spectrum->kept + (size_t)i * dofs);
    memcpy(vector(spectrum, KEEP), vector(spectrum, m), n * sizeof(double));
    for (int i = 0; i < KEEP; i++)
        memcpy(vector(spectrum, i), spectrum->kept + (size_t)i * dofs, n * sizeof(double));
    memset(krylov->H, 0, (size_t)(krylov->capacity * krylov->capacity) * sizeof(double));
    for (int i = 0; i < KEEP; i++)
        krylov->H[i * krylov->capacity + i] = spectrum->theta[kept_column(m, i)];
    krylov->count = KEEP;
}

static double residual_of(const Spectrum *spectrum, int column)
{
    int m = spectrum->krylov.count;
    return fabs(spectrum->krylov.next * spectrum->S[(size_t)column * (size_t)m + (size_t)m - 1]);
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

static void write_results(Spectrum *spectrum)
{
    size_t dofs = (size_t)spectrum->free.dofs;
    int m = spectrum->krylov.count;
    spectrum->k0 = spectrum->theta[m - 1];
    spectrum->k0_residual = residual_of(spectrum, m - 1);
    spectrum->k_min = spectrum->theta[0];
    spectrum->k_min_residual = residual_of(spectrum, 0);
    int top = m < SPECTRUM_MODES ? m : SPECTRUM_MODES;
    int low = m - top < SPECTRUM_SOFT ? m - top : SPECTRUM_SOFT;
    for (int i = 0; i < top + low; i++) {
        int column = i < top ? m - 1 - i : i - top;
        double *y = spectrum->ritz + (size_t)i * dofs;
        ritz_vector(spectrum, column, y);
        SpectrumMode *mode = i < top ? &spectrum->modes[i] : i == top ? &spectrum->soft : NULL;
        if (mode) {
            write_mode(spectrum, mode, y, spectrum->theta[column], residual_of(spectrum, column));
        }
    }
    if (low == 0)
        write_mode(spectrum, &spectrum->soft, spectrum->ritz + (size_t)(top - 1) * dofs,
                   spectrum->k_min, spectrum->k_min_residual);
    spectrum->mode_count = top;
    spectrum->warm = top + low;
}

typedef struct Product { // with M^-1/2 K M^-1/2
    Spectrum *spectrum;
    const System *system;
    const double *x;
} Product;

static void multiply(void *self, const double *p, double *out)
{
    const Product *product = self;
    free_dofs_stiffness(&product->spectrum->free, product->system, product->x, TANGENT_FULL, p,
                        out);
}

// k and residual of a mode's shape. Uses two vectors of the basis.
static void follow_mode(Spectrum *spectrum, const System *system, const double *x,
                        SpectrumMode *mode)
{
    FreeDofs *free = &spectrum->free;
    int n = free->count;
    double *y = vector(spectrum, 0), *Ay = vector(spectrum, 1);
    free_dofs_pack(free, mode->shape, y);
    packed_normalise(n, y);
    free_dofs_stiffness(free, system, x, TANGENT_FULL, y, Ay);
    mode->k = packed_dot(n, y, Ay);
    packed_add(n, Ay, -mode->k, y);
    mode->residual = sqrt(packed_dot(n, Ay, Ay));
}

static void sort_modes(Spectrum *spectrum)
{
    for (int m = 1; m < spectrum->mode_count; m++) {
        SpectrumMode mode = spectrum->modes[m];
        int at = m;
        for (; at > 0 && spectrum->modes[at - 1].k < mode.k; at--)
            spectrum->modes[at] = spectrum->modes[at - 1];
        spectrum->modes[at] = mode;
    }
}

// A soft shape meets stiff springs as soon as the cloth has turned a little, so that its Rayleigh
// quotient alone says nothing after some frames: a few steps of Lanczos from it.
static void follow_soft(Spectrum *spectrum, const System *system, const double *x)
{
    Krylov *krylov = &spectrum->krylov;
    Product product = {spectrum, system, x};
    LinearOperator K = {.self = &product, .dofs = spectrum->free.count, .multiply = multiply};
    double *y = spectrum->kept;
    free_dofs_pack(&spectrum->free, spectrum->soft.shape, y);
    krylov->n = spectrum->free.count;
    if (!krylov_start(krylov, y)) return;
    while (krylov_extend(krylov, &K) && krylov->count < SOFT_STEPS) {
    }
    spectrum->products += krylov->count;
    solve_small(spectrum);
    ritz_vector(spectrum, 0, y);
    write_mode(spectrum, &spectrum->soft, y, spectrum->theta[0], residual_of(spectrum, 0));
    // the next search starts from it too
    int place = spectrum->mode_count < spectrum->warm ? spectrum->mode_count : spectrum->warm - 1;
    memcpy(spectrum->ritz + (size_t)place * (size_t)spectrum->free.dofs, y,
           (size_t)krylov->n * sizeof(double));
}

bool spectrum_follow(Spectrum *spectrum, const System *system, const double *x)
{
    int before = spectrum->free.count;
    if (spectrum->warm == 0) return false;
    free_dofs_update(&spectrum->free, system);
    if (spectrum->free.count != before || spectrum->mode_count == 0) {
        spectrum_forget(spectrum);
        return false;
    }
    for (int m = 0; m < spectrum->mode_count; m++)
        follow_mode(spectrum, system, x, &spectrum->modes[m]);
    sort_modes(spectrum);
    spectrum->products = spectrum->mode_count;
    follow_soft(spectrum, system, x);
    spectrum->k0 = spectrum->modes[0].k;
    spectrum->k0_residual = spectrum->modes[0].residual;
    spectrum->k_min = spectrum->soft.k;
    spectrum->k_min_residual = spectrum->soft.residual;
    return true;
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
    if (n != before) spectrum_forget(spectrum); // other pins: packed vectors have another meaning
    Product product = {spectrum, system, x};
    LinearOperator K = {.self = &product, .dofs = n, .multiply = multiply};
    Krylov *krylov = &spectrum->krylov;
    krylov->n = n;
    if (!krylov_start(krylov, start_vector(spectrum))) {
        nothing_free(spectrum);
        return;
    }
    for (;;) {
        bool grows = krylov_extend(krylov, &K);
        int m = krylov->count;
        spectrum->products++;
        if (m == n || spectrum->products >= products) break;
        if (!grows && !random_direction(spectrum, m, vector(spectrum, m))) break;
        if (m < SPECTRUM_BASIS) continue;
        solve_small(spectrum);
        double goal = tolerance * fabs(spectrum->theta[m - 1]);
        if (residual_of(spectrum, 0) <= goal && residual_of(spectrum, m - 1) <= goal) break;
        restart(spectrum);
    }
    solve_small(spectrum);
    write_results(spectrum);
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
// but they share the weight of one, so the quadrature stays right.
static int probe(Spectrum *spectrum, const System *system, const double *x)
{
    int n = spectrum->free.count, m = 0;
    double *diagonal = spectrum->theta, *off = spectrum->off;
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
        LAPACKE_dstev_work(LAPACK_COL_MAJOR, 'V', m, spectrum->theta, spectrum->off, spectrum->S, m,
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
