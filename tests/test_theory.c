// The reference values of stability theory (theory.csv) against the amplification matrices and
// against real steps.
#include "support/oscillator.h"
#include "support/solver_test.h"

#include "integrators/propagator.h"
#include "stability/limits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double spectral_radius(double G[2][2])
{
    return amplification_judge(G).rho;
}

static void filter_after(double f, double G[2][2])
{
    G[1][0] *= f;
    G[1][1] *= f;
}

static double limit_of(const Integrator *method, const StepOptions *options, double k0, double air,
                       double alpha)
{
    Scheme scheme = {.integrator = method, .options = *options, .coupling = 1.0};
    return step_limit(&scheme, &(Stiffness){.k0 = k0}, air, alpha).step;
}

static bool line_is_stable(const Integrator *method, const StepOptions *options, double h,
                           double k0, double air, double alpha)
{
    Scheme scheme = {.integrator = method, .options = *options, .coupling = 1.0};
    ModeSet line = mode_set_line(k0, 1.0);
    return modes_are_stable(&scheme, &line, h, air, alpha);
}

typedef struct Row {
    char scheme[48], quantity[48], parameters[96];
    double value;
    bool used;
} Row;

typedef struct Rows {
    int count;
    Row items[256];
} Rows;

// scheme,quantity,parameters,value; only the parameters may be quoted.
static Rows read_rows(void)
{
    char path[512], line[256];
    static Rows rows;
    rows.count = 0;
    snprintf(path, sizeof path, "%s/theory.csv", GOLDEN_DIRECTORY);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    while (fgets(line, sizeof line, file)) {
        Row *row = &rows.items[rows.count++];
        *row = (Row){0};
        char *last = strrchr(line, ',');
        row->value = strtod(last + 1, NULL);
        *last = '\0';
        if (sscanf(line, "%47[^,],%47[^,],\"%95[^\"]", row->scheme, row->quantity,
                   row->parameters) < 3) {
            sscanf(line, "%47[^,],%47[^,],%95[^\n]", row->scheme, row->quantity, row->parameters);
        }
    }
    fclose(file);
    return rows;
}

// The number after "name=" in the parameters; NaN if it is missing.
static double parameter(const Row *row, const char *name)
{
    char key[32];
    snprintf(key, sizeof key, "%s=", name);
    for (const char *at = row->parameters; (at = strstr(at, key)); at++) {
        if (at == row->parameters || at[-1] == ';') return strtod(at + strlen(key), NULL);
    }
    return NAN;
}

static void check(Row *row, double got, double tolerance)
{
    if (!(fabs(got - row->value) <= tolerance * fmax(1.0, fabs(row->value)))) {
        fail_msg("%s %s %s: %.17g, expected %.17g", row->scheme, row->quantity, row->parameters,
                 got, row->value);
    }
    row->used = true;
}

static const Integrator *method_named(const char *name)
{
    int index = integrator_find(name);
    assert_true(index >= 0);
    return integrator_table[index];
}

// Our name for a scheme in the file, and whether all of X is air drag.
static const struct SchemeName {
    const char *scheme, *name;
    bool air;
} scheme_names[] = {
    {"explicit_euler", "explicit-euler", false},
    {"symplectic_euler", "symplectic-euler", false},
    {"symplectic_euler_implicit_damping", "symplectic-euler-implicit-air", true},
    {"verlet_kdk_2eval", "velocity-verlet", false},
    {"rk2_midpoint", "midpoint", false},
    {"rk4", "rk4", false},
    {"backward_euler", "backward-euler", false},
    {"kang_symplectic_pos", "harmonic", false},
};

// G from the formula, after checking that a real step has the same G. Outside the physical region
// (X or Y < 0) backward Euler has no positive definite matrix to solve.
static void amplification(const Integrator *method, const Mode *mode, double G[2][2])
{
    StepOptions options = default_options();
    method->amplification(&options, mode, G);
    if (mode->X < 0.0 || mode->Y < 0.0) return;
    double measured[2][2];
    measure_amplification(method, &options, mode, measured);
    for (int r = 0; r < 2; r++) {
        for (int c = 0; c < 2; c++) {
            double scale = fmax(1.0, fabs(G[r][0]) + fabs(G[r][1]));
            assert_near(measured[r][c], G[r][c], 2e-13 * scale);
        }
    }
}

static void matrices_and_radii_are_those_of_theory(void **state)
{
    (void)state;
    Rows rows = read_rows();
    int used = 0;
    for (int i = 0; i < rows.count; i++) {
        Row *row = &rows.items[i];
        double X = parameter(row, "X"), Y = parameter(row, "Y"), mu = parameter(row, "mu_sigma");
        if (isfinite(mu)) X = 0.0, Y = M_PI * mu * M_PI * mu;
        if (!isfinite(X) || !isfinite(Y)) continue;
        for (size_t s = 0; s < sizeof scheme_names / sizeof scheme_names[0]; s++) {
            if (strcmp(row->scheme, scheme_names[s].scheme) != 0) continue;
            Mode mode = {X, scheme_names[s].air ? X : 0.0, Y, 1.0, 1.0};
            double G[2][2];
            amplification(method_named(scheme_names[s].name), &mode, G);
            if (row->quantity[0] == 'G') {
                check(row, G[row->quantity[1] - '1'][row->quantity[2] - '1'], 1e-14);
            } else if (strcmp(row->quantity, "rho") == 0) {
                // at a double eigenvalue rho has only half of the digits
                check(row, spectral_radius(G), X == 4.0 && Y == 4.0 ? 1e-7 : 1e-12);
            }
            used += row->used;
        }
    }
    assert_int_equal(used, 41);
}

// Which methods equal backward Euler on the scalar problem, and that LEU equals explicit Euler.
static void families_share_their_matrices(void **state)
{
    (void)state;
    const char *const pairs[][2] = {{"backward-euler", "backward-euler-newton"},
                                    {"backward-euler", "imex"},
                                    {"backward-euler", "imex-axial"},
                                    {"explicit-euler", "leu"}};
    uint32_t seed = 7;
    for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; k++) {
        for (int n = 0; n < 20; n++) {
            double X = 2.0 + 2.0 * noise(&seed), Y = 3.0 + 3.0 * noise(&seed);
            Mode mode = {X, 0.25 * X, Y + 1e-3, 1.0, 1.0};
            double a[2][2], b[2][2];
            amplification(method_named(pairs[k][0]), &mode, a);
            amplification(method_named(pairs[k][1]), &mode, b);
            assert_memory_equal(a, b, sizeof a);
        }
    }
}

// Every method at many points, also with a filter between velocity and position.
static void real_steps_have_the_predicted_matrix(void **state)
{
    (void)state;
    uint32_t seed = 3;
    for (int i = 0; i < integrator_count; i++) {
        const Integrator *method = integrator_table[i];
        for (int n = 0; n < 100; n++) {
            double X = 3.0 + 3.0 * noise(&seed), Y = 5.0 + 4.99 * noise(&seed), G[2][2];
            bool filtered = method->traits & INTEGRATOR_POSITION_LAST;
            Mode mode = {X, 0.5 * (1.0 + noise(&seed)) * X, Y,
                         filtered ? 0.5 * (1.0 + noise(&seed)) : 1.0, 1.0};
            amplification(method, &mode, G);
        }
    }
}

static double limit(const char *name, double coupling, double k0, double air, double alpha)
{
    StepOptions options = default_options();
    Scheme scheme = {.integrator = method_named(name), .options = options, .coupling = coupling};
    ModeSet line = mode_set_line(k0, 1.0);
    return modes_step_limit(&scheme, &line, air, alpha);
}

// Whether a single mode (X, Y) is inside the region.
static bool inside(const char *name, double X, double Y)
{
    StepOptions options = default_options();
    Mode mode = {X, 0.0, Y, 1.0, 1.0};
    double G[2][2];
    method_named(name)->amplification(&options, &mode, G);
    return spectral_radius(G) <= 1.0;
}

// The edge between a point inside and a point outside.
static double edge(const char *name, double X0, double Y0, double X1, double Y1)
{
    double low = 0.0, high = 1.0; // share of the way
    for (int i = 0; i < 60; i++) {
        double t = 0.5 * (low + high);
        if (inside(name, X0 + t * (X1 - X0), Y0 + t * (Y1 - Y0))) {
            low = t;
        } else {
            high = t;
        }
    }
    return low;
}

// The highest point of a region that contains (X, Y_inside) for some X in a range, by golden
// section on the height of the edge above X.
static double highest(const char *name, double X_low, double X_high, double Y_inside, double *at)
{
    double a = X_low, b = X_high, g = 0.5 * (sqrt(5.0) - 1.0);
    for (int i = 0; i < 80; i++) {
        double p = b - g * (b - a), q = a + g * (b - a);
        double Yp = edge(name, p, Y_inside, p, 20.0), Yq = edge(name, q, Y_inside, q, 20.0);
        if (Yp > Yq) {
            b = q;
        } else {
            a = p;
        }
    }
    *at = 0.5 * (a + b);
    return Y_inside + (20.0 - Y_inside) * edge(name, *at, Y_inside, *at, 20.0);
}

static Row *find(Rows *rows, const char *scheme, const char *quantity)
{
    for (int i = 0; i < rows->count; i++) {
        Row *row = &rows->items[i];
        if (!row->used && strcmp(row->scheme, scheme) == 0 && strcmp(row->quantity, quantity) == 0)
            return row;
    }
    fail_msg("no row %s %s", scheme, quantity);
    return NULL;
}

static void limits_are_those_of_theory(void **state)
{
    (void)state;
    Rows rows = read_rows();
    double X, Y;
    StepOptions options = default_options();

    Row *row = find(&rows, "symplectic_euler", "hmax");
    check(row, limit_of(method_named("symplectic-euler"), &options, 1e4, 0.0, 0.0), 1e-14);
    row = find(&rows, "symplectic_euler", "hmax");
    check(row, limit_of(method_named("symplectic-euler"), &options, 1e4, 2.0, 0.001), 1e-14);
    assert_near(limit("symplectic-euler", 1.0, 1e4, 2.0, 0.001), row->value, 1e-12);

    // explicit Euler: the step 0.01 is stable for alpha between the two
    for (int upper = 0; upper < 2; upper++) {
        row = find(&rows, "explicit_euler", upper ? "alpha_max" : "alpha_min");
        for (int out = 0; out < 2; out++) {
            double alpha = row->value * (upper == out ? 1.0 + 1e-9 : 1.0 - 1e-9);
            double h_max = limit_of(method_named("explicit-euler"), &options, 2e4, 1.0, alpha);
            assert_int_equal(h_max > 0.01, !out);
            assert_int_equal(
                line_is_stable(method_named("explicit-euler"), &options, 0.01, 2e4, 1.0, alpha),
                !out);
        }
    }

    check(find(&rows, "verlet_kdk_2eval", "Ylimit"),
          edge("velocity-verlet", 1.0, 0.0, 1.0, 20.0) * 20.0, 1e-12);
    check(find(&rows, "rk2_midpoint", "Ymax"), highest("midpoint", 2.5, 4.0, 3.5, &X), 1e-9);
    assert_near(X, 2.0 + sqrt(2.0), 1e-4);
    check(find(&rows, "rk2_midpoint", "Xlow"), 2.0 - 2.0 * edge("midpoint", 2.0, 2.0, 0.0, 2.0),
          1e-9);
    Y = highest("rk4", 0.5, 1.2, 7.5, &X);
    check(find(&rows, "rk4", "X_at_Ymax"), X, 1e-4);
    check(find(&rows, "rk4", "hmax_sqrtk"), sqrt(Y), 1e-8);
    check(find(&rows, "rk4", "undamped_Ylimit"), pow(limit("rk4", 1.0, 1.0, 0.0, 0.0), 2.0), 1e-9);
    check(find(&rows, "rk4", "real_axis_limit"), limit("rk4", 1.0, 0.0, 1.0, 0.0), 1e-9);
    check(find(&rows, "rk4", "Xhigh"), 0.8 + 2.0 * edge("rk4", 0.8, 8.5, 2.8, 8.5), 1e-9);

    // without damping these are unstable at every step
    assert_true(limit("midpoint", 1.0, 1e4, 0.0, 0.0) == 0.0);
    assert_true(limit_of(method_named("explicit-euler"), &options, 1e4, 0.0, 0.0) == 0.0);
    // Shinya's alpha for RK4 keeps the whole line of modes stable at sqrt(8.75), ours a better one
    double h = sqrt(8.75);
    assert_true(line_is_stable(method_named("rk4"), &options, h, 1.0, 0.0, h * 0.725 / 8.75));
    assert_false(line_is_stable(method_named("rk4"), &options, h, 1.0, 0.0, 0.0));
}

static void freiburg_radii(void **state)
{
    (void)state;
    Rows rows = read_rows();
    int used = 0;
    for (int i = 0; i < rows.count; i++) {
        Row *row = &rows.items[i];
        if (strcmp(row->scheme, "freiburg") != 0) continue;
        double k = parameter(row, "k"), h = parameter(row, "h"), gamma = parameter(row, "gamma");
        if (!isfinite(k)) k = 1000.0; // "k<=1000"
        const char *name = strncmp(row->quantity, "EE", 2) == 0   ? "explicit-euler"
                           : strncmp(row->quantity, "EC", 2) == 0 ? "symplectic-euler"
                                                                  : "backward-euler";
        Mode mode = {h * gamma, 0.0, h * h * k, 1.0, 1.0};
        double G[2][2];
        amplification(method_named(name), &mode, G);
        check(row, spectral_radius(G), 1e-12);
        used++;
    }
    assert_int_equal(used, 6);
}

// The mode s = sin^2(q/2) of a chain has stiffness k0 s and symbol 1 - g s.
static double chain_ratio(const char *name, bool after, double g)
{
    const Integrator *method = method_named(name);
    StepOptions options = default_options();
    double stable = 0.0, unstable = 3.0; // h / (2 / sqrt k0)
    for (int i = 0; i < 50; i++) {
        double h = 0.5 * (stable + unstable);
        bool all = true;
        for (int n = 1; n <= 4000 && all; n++) {
            double s = n / 4000.0 * n / 4000.0, f = 1.0 - g * s, G[2][2];
            Mode mode = {0.0, 0.0, 4.0 * h * h * s, after ? 1.0 : f, 1.0};
            method->amplification(&options, &mode, G);
            if (after) filter_after(f, G);
            all = spectral_radius(G) <= 1.0 + 1e-14;
        }
        if (all) {
            stable = h;
        } else {
            unstable = h;
        }
    }
    return stable;
}

static void filtered_limits_are_those_of_theory(void **state)
{
    (void)state;
    Rows rows = read_rows();
    int used = 0;
    for (int i = 0; i < rows.count; i++) {
        Row *row = &rows.items[i];
        if (strcmp(row->scheme, "filter") != 0) continue;
        double b = exp(-parameter(row, "lambda")), g = 4.0 * b / (1.0 + 2.0 * b);
        if (strstr(row->parameters, ";sym")) g *= 0.5;
        if (strcmp(row->quantity, "f_pi") == 0) check(row, 1.0 - g, 1e-9);
        const struct {
            const char *quantity, *name;
            bool after;
        } kinds[] = {{"h_ratio_true_SE_pre", "symplectic-euler", false},
                     {"h_ratio_true_SE_post", "symplectic-euler", true},
                     {"h_ratio_true_FE", "explicit-euler", true},
                     {"h_ratio_true_Verlet_post", "velocity-verlet", true}};
        for (int k = 0; k < 4; k++) {
            if (strcmp(row->quantity, kinds[k].quantity) != 0) continue;
            check(row, chain_ratio(kinds[k].name, kinds[k].after, g), 1e-6);
        }
        if (strcmp(row->quantity, "Ylimit_SE_post") == 0) {
            StepOptions options = default_options();
            for (int side = 0; side < 2; side++) {
                Mode mode = {0.0, 0.0, row->value * (side ? 1.0 + 1e-9 : 1.0 - 1e-9), 1.0, 1.0};
                double G[2][2];
                method_named("symplectic-euler")->amplification(&options, &mode, G);
                filter_after(0.5, G);
                assert_int_equal(spectral_radius(G) > 1.0, side);
            }
            row->used = true;
        }
        used += row->used;
    }
    assert_int_equal(used, 35);
}

static void propagator_is_exact(void **state)
{
    (void)state;
    Rows rows = read_rows();
    int used = 0;
    for (int i = 0; i < rows.count; i++) {
        Row *row = &rows.items[i];
        if (strcmp(row->scheme, "exact_propagator") != 0) continue;
        Propagator E = propagator(parameter(row, "X"), parameter(row, "Y"));
        double G[2][2] = {{E.E11, E.E12}, {E.E21, E.E22}}, got;
        const char *q = row->quantity;
        if (q[0] == 'E' || q[0] == 'G') {
            got = G[q[1] - '1'][q[2] - '1'];
        } else if (strcmp(q, "p2") == 0) {
            got = E.p2;
        } else if (strcmp(q, "m22") == 0) {
            got = E.m22;
        } else {
            got = spectral_radius(G);
        }
        // relative, however small; E22 = 0 at X = 2, Y = 1 is a difference of two e^-1
        double scale = row->value == 0.0 ? 1.0 : fabs(row->value);
        assert_near(got, row->value, 4e-15 * scale + (strcmp(q, "rho") == 0 ? 1e-14 : 0.0));
        used++;
    }
    assert_int_equal(used, 36);
}

// Two steps of h equal one step of 2h, for any stiffness and damping.
static void propagator_holds_together_at_extremes(void **state)
{
    (void)state;
    for (double X = 1e-12; X < 2e6; X *= 10.0) {
        for (double Y = 1e-18; Y < 2e6; Y *= 10.0) {
            Propagator E = propagator(X, Y), twice = propagator(2.0 * X, 4.0 * Y);
            double phase = 1e-15 * (1.0 + sqrt(Y)) * 8.0; // rounding of an argument
            assert_near(E.E11 * E.E11 + E.E12 * E.E21, twice.E11, 4e-15 + phase);
            assert_near(E.E12 * (E.E11 + E.E22), 2.0 * twice.E12, 4e-15 + phase);
            assert_near(E.E21 * E.E12 + E.E22 * E.E22, twice.E22, 4e-15 + phase);
            assert_near(1.0 - E.E11, Y * E.p2, 1e-14 + phase);
            assert_near(1.0 - E.E22, E.m22, 1e-14 + phase);
            assert_true(E.E12 > -1.0 && E.E12 <= 1.0);
        }
    }
    // without stiffness, and without anything
    Propagator drag = propagator(1e3, 0.0);
    assert_near(drag.E12, 1e-3, 1e-18);
    assert_true(drag.E11 == 1.0 && drag.E21 == 0.0);
    Propagator nothing = propagator(0.0, 0.0);
    assert_true(nothing.E11 == 1.0 && nothing.E12 == 1.0 && nothing.E22 == 1.0);
    // no jump where one formula takes over from another
    const double seams[][2] = {{0.5, 0.5}, {2.5, 1.3125}, {2.0, 0.99}, {2.0, 1.01}, {2.0, 1.0}};
    for (size_t s = 0; s < sizeof seams / sizeof seams[0]; s++) {
        Propagator a = propagator(seams[s][0], seams[s][1] * (1.0 - 1e-14));
        Propagator b = propagator(seams[s][0], seams[s][1] * (1.0 + 1e-14));
        assert_near(a.E11, b.E11, 1e-13);
        assert_near(a.E12, b.E12, 1e-13);
        assert_near(a.E22, b.E22, 1e-13);
        assert_near(a.p2, b.p2, 1e-13);
    }
}

static double harmonic_radius(Harmonic harmonic, double mu)
{
    StepOptions options = default_options();
    options.harmonic = harmonic;
    Mode mode = {0.0, 0.0, M_PI * mu * M_PI * mu, 1.0, 1.0};
    double G[2][2];
    method_named("harmonic")->amplification(&options, &mode, G);
    return spectral_radius(G);
}

static void harmonic_windows_are_those_of_theory(void **state)
{
    (void)state;
    Rows rows = read_rows();
    for (int n = 0; n < 2; n++) {
        Row *row = find(&rows, "kang_symplectic_pos", "window_upper_mu_sigma");
        assert_true(harmonic_radius(HARMONIC_CORRECTED, row->value * (1.0 - 1e-9)) <= 1.0);
        assert_true(harmonic_radius(HARMONIC_CORRECTED, row->value * (1.0 + 1e-9)) > 1.0);
        assert_true(harmonic_radius(HARMONIC_CORRECTED, parameter(row, "lower") + 0.01) < 1.0);
        row->used = true;
    }
    check(find(&rows, "kang_symplectic_pos", "theta_max_first_window"),
          limit("harmonic", 1.0, 1.0, 0.0, 0.0), 1e-9);
    for (int n = 0; n < 4; n++) {
        Row *row = find(&rows, "kang_symplectic_pos_network", "Ymax=g*theta^2");
        const char *last = row->parameters; // the number after the last '='
        for (const char *c = last; *c; c++) {
            if (*c == '=') last = c;
        }
        double h = limit("harmonic", strtod(last + 1, NULL), 1.0, 0.0, 0.0);
        check(row, h * h, 1e-9);
    }
    // damping that closes the gap below omega_d h = pi
    Row *gap = find(&rows, "kang_symplectic_pos", "xi_no_gap_first_halfperiod");
    for (int side = 0; side < 2; side++) {
        double xi = gap->value + (side ? 1e-4 : -1e-4);
        bool stable = true;
        for (int n = 1; n < 4000; n++) {
            double theta = M_PI * n / 4000.0 / sqrt(1.0 - xi * xi);
            stable = stable && inside("harmonic", 2.0 * xi * theta, theta * theta);
        }
        assert_int_equal(stable, side);
    }
    // an eighth of the impulse: all of (2n, 2n + 1), including the three values of the paper
    const double stable[] = {0.5, 0.95, 2.0625, 2.9, 4.5, 6.0625, 8.0625};
    const double unstable[] = {1.1, 1.9, 3.1, 5.5, 7.5};
    for (int i = 0; i < 7; i++) assert_true(harmonic_radius(HARMONIC_PRINTED, stable[i]) <= 1.0);
    for (int i = 0; i < 5; i++) assert_true(harmonic_radius(HARMONIC_PRINTED, unstable[i]) > 1.0);
    for (double mu = 0.05; mu < 50.0; mu *= 1.1) {
        assert_true(harmonic_radius(HARMONIC_CLAMPED, mu) < 1.0);
    }
}

// Two free masses of 1 and 3 kg.
static void harmonic_impulse_of_a_pair(void **state)
{
    (void)state;
    Rows rows = read_rows();
    Oscillator o;
    oscillator_init(&o, 100.0, 1.0, 0.0, 0.02);
    o.stiffness[1] = 0.0;
    for (int c = 0; c < 3; c++) {
        o.inverse_mass[3 * c] = 1.0;
        o.mass[1 + 3 * c] = 3.0;
        o.inverse_mass[1 + 3 * c] = 1.0 / 3.0;
    }
    double x[OSCILLATOR_DOFS] = {[1] = 1.05, [2] = 5.0}, v[OSCILLATOR_DOFS] = {[1] = -0.4};
    oscillator_step(&o, method_named("harmonic"), 0.02, x, v);
    check(find(&rows, "kang_spring", "impulse_J"), v[0], 1e-14);
    check(find(&rows, "kang_spring", "dv_i"), v[0], 1e-14);
    check(find(&rows, "kang_spring", "dv_j"), v[1] + 0.4, 1e-14);
    check(find(&rows, "kang_spring", "new_ddelta"), v[1] - v[0], 1e-14);

    // as the paper prints it: 3/32 of the spring's own impulse
    Propagator E = propagator(0.02 * 2.0 / 0.75, 0.02 * 0.02 * 100.0 / 0.75);
    double moved = (E.E11 - 1.0) * 0.05 - E.E12 * 0.02 * 0.4;
    double expected = 3.0 / 32.0 * (0.07324925413246455 - 2.0 * moved);
    double y[OSCILLATOR_DOFS] = {[1] = 1.05, [2] = 5.0}, w[OSCILLATOR_DOFS] = {[1] = -0.4};
    o.options.harmonic = HARMONIC_PRINTED;
    oscillator_step(&o, method_named("harmonic"), 0.02, y, w);
    assert_near(w[0], expected, 1e-14);
}

// x'' = -k sin x - d v, for Newton's method: everything on degree of freedom 1.
static Losses pendulum_forces(void *self, const double *x, const double *v, double *f)
{
    Oscillator *o = self;
    for (int i = 0; i < OSCILLATOR_DOFS; i++) f[i] = 0.0;
    f[1] = -sin(x[1]) - o->system.air * v[1];
    return (Losses){.damping = o->system.air * v[1] * v[1]};
}

static void pendulum_linearise(void *self, const double *x, Tangent tangent)
{
    (void)tangent;
    Oscillator *o = self;
    o->u[0][0] = 1.0;
    o->k = cos(x[1]);
}

static void newton_solves_the_pendulum(void **state)
{
    (void)state;
    Rows rows = read_rows();
    Oscillator o;
    oscillator_init(&o, 1.0, 0.0, 0.1, 0.0);
    o.system.forces = pendulum_forces;
    o.system.linearise = pendulum_linearise;
    double x[OSCILLATOR_DOFS] = {[1] = 1.0}, v[OSCILLATOR_DOFS] = {[1] = 0.5};
    oscillator_step(&o, method_named("backward-euler-newton"), 0.5, x, v);
    check(find(&rows, "pendulum_BE_newton", "v1"), v[1], 1e-12);
    double y[OSCILLATOR_DOFS] = {[1] = 1.0}, w[OSCILLATOR_DOFS] = {[1] = 0.5};
    oscillator_step(&o, method_named("backward-euler"), 0.5, y, w);
    assert_near(w[1], 0.066885614023, 1e-12); // one Newton step

    // Upright, stiffness -1: the method hides the instability once Y > 4.
    const double steps[] = {1.9, 2.1};
    for (int i = 0; i < 2; i++) {
        Mode mode = {0.0, 0.0, -steps[i] * steps[i], 1.0, 1.0};
        double G[2][2];
        method_named("backward-euler-newton")->amplification(&o.options, &mode, G);
        assert_int_equal(spectral_radius(G) < 1.0, i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrices_and_radii_are_those_of_theory),
        cmocka_unit_test(families_share_their_matrices),
        cmocka_unit_test(real_steps_have_the_predicted_matrix),
        cmocka_unit_test(limits_are_those_of_theory),
        cmocka_unit_test(freiburg_radii),
        cmocka_unit_test(filtered_limits_are_those_of_theory),
        cmocka_unit_test(propagator_is_exact),
        cmocka_unit_test(propagator_holds_together_at_extremes),
        cmocka_unit_test(harmonic_windows_are_those_of_theory),
        cmocka_unit_test(harmonic_impulse_of_a_pair),
        cmocka_unit_test(newton_solves_the_pendulum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
