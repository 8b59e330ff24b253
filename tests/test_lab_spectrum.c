// The spectrum from products, against dense eigenvalues and known chains.
#include "support/solver_test.h"

#include "lab/spectrum.h"
#include "simulation/simulation_state.h"

#include <lapacke.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// A chain of n masses 1 kg along a line, fixed at both ends: K = k tridiag(-1, 2, -1), whose
// eigenvalues are 4 k sin^2(j pi / (2 (n + 1))).
typedef struct Chain {
    int n;
    double k;
} Chain;

static void chain_product(void *self, const double *x, Tangent tangent, const double *p, double *Kp)
{
    (void)x, (void)tangent;
    const Chain *chain = self;
    for (int i = 0; i < chain->n; i++) {
        double left = i > 0 ? p[i - 1] : 0.0, right = i + 1 < chain->n ? p[i + 1] : 0.0;
        Kp[i] = chain->k * (2.0 * p[i] - left - right);
    }
}

static void identity_product(void *self, const double *x, Tangent tangent, const double *p,
                             double *Kp)
{
    (void)x, (void)tangent;
    const Chain *chain = self;
    for (int i = 0; i < 4; i++) Kp[i] = chain->k * p[i];
}

// Masses of 1 kg on springs of their own: k, 2 k, ... but for a much softer and a much stiffer one.
static void comb_product(void *self, const double *x, Tangent tangent, const double *p, double *Kp)
{
    (void)x, (void)tangent;
    const Chain *comb = self;
    for (int i = 0; i < comb->n; i++) {
        double factor = i == 0 ? -comb->n : i + 1 == comb->n ? 2.0 * comb->n : i;
        Kp[i] = factor * comb->k * p[i];
    }
}

static double chain_value(const Chain *chain, int j)
{
    double s = sin(0.5 * M_PI * j / (chain->n + 1));
    return 4.0 * chain->k * s * s;
}

static void chain_is_found(void **state)
{
    (void)state;
    enum { N = 40 };
    Chain chain = {N, 250.0};
    double ones[N];
    for (int i = 0; i < N; i++) ones[i] = 1.0;
    System system = {.dofs = N,
                     .mass = ones,
                     .inverse_mass = ones,
                     .self = &chain,
                     .stiffness_product_at = chain_product};
    Spectrum spectrum;
    assert_int_equal(spectrum_init(&spectrum, N, NULL), STATUS_OK);
    spectrum_lanczos(&spectrum, &system, ones, 200, 1e-12);
    assert_int_equal(spectrum.free_count, N);
    assert_true(spectrum.products <= N);
    assert_near(spectrum.k_min, chain_value(&chain, 1), 1e-9);
    assert_near(spectrum.soft.k, chain_value(&chain, 1), 1e-9);
    for (int m = 0; m < SPECTRUM_MODES; m++) {
        assert_near(spectrum.modes[m].k, chain_value(&chain, N - m), 1e-9);
        // the shape is sin(j pi (i + 1) / (n + 1)), its largest coordinate 1
        double largest = 0.0, shape[N];
        for (int i = 0; i < N; i++) {
            shape[i] = sin((N - m) * M_PI * (i + 1) / (N + 1));
            if (fabs(shape[i]) > fabs(largest)) largest = shape[i];
        }
        double direct = 0.0, opposite = 0.0; // two coordinates may both be the largest
        for (int i = 0; i < N; i++) {
            direct = fmax(direct, fabs(spectrum.modes[m].shape[i] - shape[i] / largest));
            opposite = fmax(opposite, fabs(spectrum.modes[m].shape[i] + shape[i] / largest));
        }
        assert_near(fmin(direct, opposite), 0.0, 1e-6);
    }
    // half of the modes of a chain are above k0 / 2
    spectrum_density(&spectrum, &system, ones, 40);
    double total = spectrum.density.near_zero, upper = 0.0;
    for (int b = 0; b < SPECTRUM_BINS; b++) {
        total += spectrum.density.positive[b] + spectrum.density.negative[b];
        double low = spectrum.density.low *
                     pow(spectrum.density.high / spectrum.density.low, (double)b / SPECTRUM_BINS);
        if (low > 0.4 * spectrum.k0) upper += spectrum.density.positive[b];
        assert_true(spectrum.density.negative[b] == 0.0);
    }
    assert_near(total, 1.0, 1e-9);
    assert_true(upper > 0.4 && upper < 0.62);
    spectrum_finish(&spectrum);
}

// One degree of freedom, none, and a triple eigenvalue.
static void small_systems_are_exact(void **state)
{
    (void)state;
    Chain chain = {1, 7.0};
    double ones[1] = {1.0}, none[1] = {0.0}, value[3];
    System system = {.dofs = 1,
                     .mass = ones,
                     .inverse_mass = ones,
                     .self = &chain,
                     .stiffness_product_at = chain_product};
    Spectrum spectrum;
    assert_int_equal(spectrum_init(&spectrum, 1, NULL), STATUS_OK);
    spectrum_lanczos(&spectrum, &system, ones, 10, 1e-12);
    assert_near(spectrum.k0, 14.0, 1e-12);
    assert_near(spectrum.k_min, 14.0, 1e-12);
    assert_int_equal(spectrum.mode_count, 1);
    spectrum_power(&spectrum, &system, ones, 3, value);
    assert_near(value[2], 14.0, 1e-12);

    system.inverse_mass = none;
    spectrum_lanczos(&spectrum, &system, ones, 10, 1e-12);
    assert_true(spectrum.k0 == 0.0 && spectrum.mode_count == 0);
    spectrum_finish(&spectrum);

    const double masses[] = {1.0, 1.0, 1.0, 4.0};
    const double inverse[] = {1.0, 1.0, 1.0, 0.25};
    system = (System){.dofs = 4,
                      .mass = masses,
                      .inverse_mass = inverse,
                      .self = &chain,
                      .stiffness_product_at = identity_product};
    assert_int_equal(spectrum_init(&spectrum, 4, NULL), STATUS_OK);
    spectrum_lanczos(&spectrum, &system, masses, 10, 1e-12);
    assert_int_equal(spectrum.mode_count, 4);
    for (int m = 0; m < 3; m++) assert_near(spectrum.modes[m].k, 7.0, 1e-12);
    assert_near(spectrum.modes[3].k, 1.75, 1e-12);
    spectrum_finish(&spectrum);
}

static Simulation *draped(int side, double seconds)
{
    char text[200];
    snprintf(text, sizeof text,
             "rows=%d columns=%d stretch=100 shear=50 bend=10 air=0.5 alpha=0 ground=-100", side,
             side);
    Scene scene = scene_with(text);
    Simulation *simulation;
    assert_int_equal(simulation_create(&scene, &simulation, NULL), STATUS_OK);
    while (simulation->now.time < seconds) {
        assert_int_equal(simulation_step(simulation, NULL), STATUS_OK);
    }
    return simulation;
}

// Eigenvalues of M^-1 K, ascending, from the assembled matrix.
static double *dense_values(const System *system, const double *x, int *count)
{
    FreeDofs packed;
    Arena memory;
    assert_int_equal(arena_init(&memory, free_dofs_size(system->dofs), NULL), STATUS_OK);
    free_dofs_init(&packed, system->dofs, &memory);
    free_dofs_update(&packed, system);
    size_t n = (size_t)packed.count;
    double *A = calloc(n * n, sizeof(double)), *value = calloc(n, sizeof(double));
    double *e = calloc(n, sizeof(double));
    assert_true(A && value && e);
    for (size_t j = 0; j < n; j++) {
        e[j] = 1.0;
        free_dofs_stiffness(&packed, system, x, TANGENT_FULL, e, A + j * n);
        e[j] = 0.0;
    }
    assert_int_equal(LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'U', (int)n, A, (int)n, value), 0);
    *count = (int)n;
    arena_finish(&memory);
    free(A);
    free(e);
    return value;
}

static void ends_agree_with_dense_values(void **state)
{
    (void)state;
    const int sides[] = {8, 16};
    for (int c = 0; c < 2; c++) {
        Simulation *simulation =
            draped(sides[c], 1.2); // swinging back: some springs are compressed
        const System *system = &simulation->system;
        const double *x = simulation->body.cloth.x;
        int n;
        double *value = dense_values(system, x, &n);
        int negative = 0;
        while (value[negative] < 0.0) negative++;
        Spectrum spectrum;
        assert_int_equal(spectrum_init(&spectrum, system->dofs, NULL), STATUS_OK);

        // the live analysis: at most 25 products from a cold start
        spectrum_lanczos(&spectrum, system, x, 25, 1e-9);
        print_message("%d: k0 %.1f, after %d products off by %.3f %%, residual %.3f %%\n", sides[c],
                      value[n - 1], spectrum.products, 100.0 * (spectrum.k0 / value[n - 1] - 1.0),
                      100.0 * spectrum.k0_residual / value[n - 1]);
        assert_int_equal(spectrum.products, 25);
        assert_near(spectrum.k0, value[n - 1], 2e-4 * value[n - 1]); // docs/stability.md
        // a warm start is better
        for (int again = 0; again < 3; again++) spectrum_lanczos(&spectrum, system, x, 25, 1e-9);
        assert_near(spectrum.k0, value[n - 1], 1e-4 * value[n - 1]);

        // after convergence every value is within its residual
        spectrum_lanczos(&spectrum, system, x, 3000, 1e-7);
        print_message("   k_min %.3f (%d negative), off by %.2g after %d products\n", value[0],
                      negative, spectrum.k_min - value[0], spectrum.products);
        assert_true(spectrum.products < 3000);
        assert_near(spectrum.k0, value[n - 1], 1e-6 * value[n - 1]);
        assert_near(spectrum.k_min, value[0], 1e-6 * value[n - 1]);
        assert_true(negative > 0 && spectrum.k_min < 0.0);
        for (int m = 0; m < spectrum.mode_count; m++) {
            double nearest = INFINITY;
            for (int i = 0; i < n; i++) {
                nearest = fmin(nearest, fabs(spectrum.modes[m].k - value[i]));
            }
            assert_true(nearest <= spectrum.modes[m].residual + 1e-9 * value[n - 1]);
            assert_near(spectrum.modes[m].k, value[n - 1 - m], 5e-3 * value[n - 1]);
        }

        // the share of negative modes, and the total, from random probes
        spectrum_density(&spectrum, system, x, 30);
        double total = spectrum.density.near_zero, below = 0.0;
        for (int b = 0; b < SPECTRUM_BINS; b++) {
            total += spectrum.density.positive[b] + spectrum.density.negative[b];
            below += spectrum.density.negative[b];
        }
        assert_near(total, 1.0, 1e-9);
        print_message("   negative share %.3f, true %.3f\n", below, (double)negative / n);
        assert_near(below, (double)negative / n, 0.03);
        spectrum_finish(&spectrum);
        free(value);
        simulation_destroy(simulation);
    }
}

static void power_method_is_slower(void **state)
{
    (void)state;
    Simulation *simulation = draped(8, 0.3);
    const System *system = &simulation->system;
    const double *x = simulation->body.cloth.x;
    Spectrum spectrum;
    assert_int_equal(spectrum_init(&spectrum, system->dofs, NULL), STATUS_OK);
    spectrum_lanczos(&spectrum, system, x, 3000, 1e-9);
    double k0 = spectrum.k0, value[400];
    spectrum_power(&spectrum, system, x, 400, value);
    for (int i = 1; i < 400; i++) assert_true(value[i] <= k0 * (1.0 + 1e-9));
    spectrum_forget(&spectrum);
    spectrum_lanczos(&spectrum, system, x, 20, 1e-9);
    assert_true(k0 - spectrum.k0 < k0 - value[19]);
    assert_near(value[399], k0, 0.01 * k0);
    spectrum_finish(&spectrum);
    simulation_destroy(simulation);
}

// Followed to a stiffer chain, each value has an eigenvalue of that chain within its residual.
static void modes_are_followed(void **state)
{
    (void)state;
    enum { N = 40 };
    Chain chain = {N, 250.0};
    double ones[N], mass[N], inverse[N];
    for (int i = 0; i < N; i++) ones[i] = mass[i] = inverse[i] = 1.0;
    System system = {.dofs = N,
                     .mass = mass,
                     .inverse_mass = inverse,
                     .self = &chain,
                     .stiffness_product_at = chain_product};
    Spectrum spectrum;
    assert_int_equal(spectrum_init(&spectrum, N, NULL), STATUS_OK);
    assert_false(spectrum_follow(&spectrum, &system, ones)); // nothing to follow
    spectrum_lanczos(&spectrum, &system, ones, 200, 1e-12);
    double k0 = spectrum.k0, k_min = spectrum.k_min;
    assert_true(spectrum_follow(&spectrum, &system, ones));
    assert_true(fabs(spectrum.k0 - k0) < 1e-9 * k0 && fabs(spectrum.k_min - k_min) < 1e-9 * k0);
    assert_true(spectrum.k0_residual < 1e-6 * k0);

    chain.k = 300.0;
    for (int i = 0; i < N; i++) mass[i] = 1.0 + 0.2 * (i % 3), inverse[i] = 1.0 / mass[i];
    assert_true(spectrum_follow(&spectrum, &system, ones));
    double K[N * N] = {0}, values[N];
    for (int i = 0; i < N; i++) {
        K[i * N + i] = 600.0 * inverse[i];
        if (i > 0)
            K[i * N + i - 1] = K[(i - 1) * N + i] = -300.0 * sqrt(inverse[i] * inverse[i - 1]);
    }
    assert_int_equal(LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'U', N, K, N, values), 0);
    for (int m = 0; m < spectrum.mode_count; m++) {
        const SpectrumMode *mode = &spectrum.modes[m];
        double nearest = INFINITY;
        for (int j = 0; j < N; j++) nearest = fmin(nearest, fabs(values[j] - mode->k));
        assert_true(nearest <= mode->residual * (1.0 + 1e-9) + 1e-9 * k0);
        if (m > 0) assert_true(mode->k <= spectrum.modes[m - 1].k);
    }
    assert_true(spectrum.k0 <= values[N - 1] * (1.0 + 1e-12)); // a Rayleigh quotient
    inverse[3] = 0.0; // held now: other degrees of freedom are free
    assert_false(spectrum_follow(&spectrum, &system, ones));
    spectrum_finish(&spectrum);
}

// An end that is far from the others is found to rounding by a few Chebyshev polynomials: in the
// first basis, however long those between the ends would take.
static void it_ends_when_both_ends_are_known(void **state)
{
    (void)state;
    enum { N = 400 };
    Chain comb = {N, 3.0};
    double ones[N];
    for (int i = 0; i < N; i++) ones[i] = 1.0;
    System system = {.dofs = N,
                     .mass = ones,
                     .inverse_mass = ones,
                     .self = &comb,
                     .stiffness_product_at = comb_product};
    Spectrum spectrum;
    assert_int_equal(spectrum_init(&spectrum, N, NULL), STATUS_OK);
    spectrum_lanczos(&spectrum, &system, ones, 2000, 1e-9);
    assert_int_equal(spectrum.products, SPECTRUM_BASIS);
    assert_near(spectrum.k_min, -comb.k * N, 1e-9 * comb.k * N);
    assert_near(spectrum.k0, 2.0 * comb.k * N, 1e-9 * comb.k * N);
    spectrum_finish(&spectrum);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modes_are_followed),
        cmocka_unit_test(chain_is_found),
        cmocka_unit_test(small_systems_are_exact),
        cmocka_unit_test(ends_agree_with_dense_values),
        cmocka_unit_test(it_ends_when_both_ends_are_known),
        cmocka_unit_test(power_method_is_slower),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
