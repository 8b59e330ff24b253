// Stability regions: eigenvalues, the Jury criterion, boundary and limits against theory.
#include "support/solver_test.h"

#include "stability/automatic_alpha.h"
#include "stability/region.h"

#include <lapacke.h>

#include <math.h>
#include <string.h>

static Scheme scheme_of(const char *name)
{
    int index = integrator_find(name);
    assert_true(index >= 0);
    return (Scheme){.integrator = integrator_table[index],
                    .options = {.harmonic = HARMONIC_CORRECTED},
                    .coupling = 1.0};
}

// The regions from theory, section 0. On the edge rounding decides, so points near it are skipped.
static double margin_explicit_euler(double X, double Y)
{
    return fmin(fmin(Y, X - Y), Y - 2.0 * X + 4.0);
}

static double margin_symplectic_euler(double X, double Y)
{
    return fmin(fmin(X, Y), 4.0 - 2.0 * X - Y);
}

static double margin_verlet(double X, double Y)
{
    double a = 1.0 - 0.5 * X;
    double drag = fmin(X, 4.0 - X);
    if (drag <= 0.0) return drag;
    return fmin(fmin(drag, Y), 4.0 * (1.0 + a * a) / (1.0 + a) - Y);
}

static double margin_midpoint(double X, double Y)
{
    return fmin(fmin(Y, Y - 2.0 * X + 4.0), 4.0 * X - X * X - (Y - X) * (Y - X));
}

static double margin_rk4(double X, double Y)
{
    double D =
        (24 * pow(X, 4) - 24 * X * X * X * Y - 96 * X * X * X + 12 * X * X * Y * Y + 288 * X * X -
         4 * X * Y * Y * Y + 24 * X * Y * Y - 576 * X + pow(Y, 4) - 8 * Y * Y * Y) /
        576.0;
    double J1 = Y *
                (576 - 48 * Y - 8 * Y * Y + Y * Y * Y - 288 * X + 24 * X * Y - 4 * X * Y * Y +
                 96 * X * X + 12 * X * X * Y - 24 * X * X * X) /
                576.0;
    return fmin(-D, J1);
}

static double margin_backward_euler(double X, double Y)
{
    if (Y > 0.0) return fmin(Y, fmin(X + Y, Y + 2.0 * X + 4.0));
    return fmin(-Y, fmin(-2.0 - X - Y, -2.0 * X - 4.0 - Y));
}

typedef struct Known {
    const char *name;
    double (*margin)(double X, double Y); // > 0 inside
} Known;

static const Known known[] = {
    {"explicit-euler", margin_explicit_euler},
    {"symplectic-euler", margin_symplectic_euler},
    {"velocity-verlet", margin_verlet},
    {"midpoint", margin_midpoint},
    {"rk4", margin_rk4},
    {"backward-euler", margin_backward_euler},
    {"leu", margin_explicit_euler},
};
enum { KNOWN = sizeof known / sizeof known[0] };

static void eigenvalues_agree_with_lapack(void **state)
{
    (void)state;
    uint32_t seed = 7;
    for (int i = 0; i < integrator_count; i++) {
        Scheme scheme = scheme_of(integrator_table[i]->name);
        scheme.air_share = 0.3;
        for (int n = 0; n < 500; n++) {
            double X = 4.0 + 4.0 * noise(&seed), Y = 5.0 + 5.0 * noise(&seed);
            Amplification a = amplification_at(&scheme, X, Y, 1.0);
            double G[4] = {a.G[0][0], a.G[1][0], a.G[0][1], a.G[1][1]}, re[2], im[2];
            assert_int_equal(
                LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', 'N', 2, G, 2, re, im, NULL, 1, NULL, 1), 0);
            double rho = fmax(hypot(re[0], im[0]), hypot(re[1], im[1]));
            // a double eigenvalue is known only to the square root of rounding
            assert_near(a.rho, rho, 1e-7 * (1.0 + rho));
            assert_near(fmax(hypot(a.re[0], a.im[0]), hypot(a.re[1], a.im[1])), a.rho, 1e-12 * rho);
            if (fabs(rho - 1.0) > 1e-6) assert_true((a.jury == JURY_STABLE) == (rho < 1.0));
            if (a.jury == JURY_MONOTONE) assert_true(fmax(re[0], re[1]) > 1.0);
            if (a.jury == JURY_FLIP) assert_true(fmin(re[0], re[1]) < -1.0);
        }
    }
}

static void regions_are_those_of_theory(void **state)
{
    (void)state;
    uint32_t seed = 11;
    for (int i = 0; i < KNOWN; i++) {
        Scheme scheme = scheme_of(known[i].name);
        int inside = 0;
        for (int n = 0; n < 20000; n++) {
            double X = 6.0 * noise(&seed), Y = 10.0 * noise(&seed);
            double margin = known[i].margin(X, Y);
            if (fabs(margin) < 1e-9) continue;
            Jury jury = amplification_at(&scheme, X, Y, 1.0).jury;
            if ((margin > 0.0) != (jury == JURY_STABLE)) {
                fail_msg("%s at X = %g, Y = %g: %s", known[i].name, X, Y, jury_name(jury));
            }
            inside += margin > 0.0;
        }
        assert_true(inside > 100);
    }
}

// Stable and unstable points are both close by.
static bool is_on_the_edge(const Known *method, double X, double Y)
{
    int inside = 0;
    for (int d = 0; d < 16; d++) {
        double angle = 0.1 + 2.0 * M_PI * d / 16;
        inside += method->margin(X + 1e-6 * cos(angle), Y + 1e-6 * sin(angle)) > 0.0;
    }
    return inside > 0 && inside < 16;
}

static void boundary_lies_on_the_edge(void **state)
{
    (void)state;
    for (int i = 0; i < KNOWN; i++) {
        Scheme scheme = scheme_of(known[i].name);
        RegionBox box = region_default_box(scheme.integrator);
        for (int closed = 0; closed < 2; closed++) {
            RegionBoundary boundary;
            assert_int_equal(region_boundary(&scheme, box, 1.0, closed, &boundary, NULL),
                             STATUS_OK);
            assert_true(boundary.line_count >= 1 && boundary.line_count <= 12);
            int points = boundary.first[boundary.line_count];
            assert_true(points > 100);
            double highest = -INFINITY;
            for (int p = 0; p < points; p++) {
                double X = boundary.point[p][0], Y = boundary.point[p][1];
                highest = fmax(highest, Y);
                if (!closed) assert_true(is_on_the_edge(&known[i], X, Y));
            }
            for (int line = 0; line < boundary.line_count; line++) {
                const double *first = boundary.point[boundary.first[line]];
                const double *last = boundary.point[boundary.first[line + 1] - 1];
                if (closed) assert_memory_equal(first, last, 2 * sizeof(double));
            }
            if (strcmp(known[i].name, "rk4") == 0) assert_near(highest, 8.762310429, 0.01);
            region_boundary_finish(&boundary);
        }
    }
}

static void limits_are_those_of_theory(void **state)
{
    (void)state;
    ModeSet line = mode_set_line(1e4, 1.0);
    Scheme scheme = scheme_of("symplectic-euler");
    assert_near(modes_step_limit(&scheme, &line, 0.0, 0.0), 0.02, 1e-12);
    assert_near(modes_step_limit(&scheme, &line, 2.0, 1e-3), 0.01883596765818911, 1e-12);
    scheme = scheme_of("rk4");
    assert_near(modes_step_limit(&scheme, &line, 0.0, 0.0), sqrt(8.0) / 100.0, 1e-9);
    // the best damped step: d such that the tip lies at the maximum of the region
    double h = sqrt(8.7623) / 100.0, alpha = 0.825405 / (h * 1e4);
    assert_near(modes_step_limit(&scheme, &line, 0.0, alpha), h, 1e-4 * h);
    scheme = scheme_of("velocity-verlet");
    assert_near(modes_step_limit(&scheme, &line, 0.0, 0.0), 0.02, 1e-9);
    scheme = scheme_of("backward-euler");
    assert_true(isinf(modes_step_limit(&scheme, &line, 0.0, 0.0)));
    scheme = scheme_of("midpoint");
    assert_true(modes_step_limit(&scheme, &line, 0.0, 0.0) < 2e-5); // only rounding
}

// A filtered chain: k = k0 s, f = 1 - g s, s = sin^2(q / 2).
static ModeSet filtered_chain(double lambda, bool half)
{
    double b = exp(-lambda), g = 4.0 * b / (1.0 + 2.0 * b);
    if (half) g *= 0.5;
    ModeSet modes = mode_set_line(1e4, 1.0);
    for (int i = 0; i < modes.count; i++) modes.symbol[i] = 1.0 - g * modes.k[i] / 1e4;
    return modes;
}

static double filtered_ratio(const char *name, SchemeFilter filter, double lambda, bool half)
{
    Scheme scheme = scheme_of(name);
    scheme.filter = filter;
    ModeSet modes = filtered_chain(lambda, half);
    return modes_step_limit(&scheme, &modes, 0.0, 0.0) / 0.02;
}

static void filters_move_limits_as_theory_says(void **state)
{
    (void)state;
    assert_near(filtered_ratio("symplectic-euler", SCHEME_FILTER_BEFORE, 1.0, true),
                1.169563782429775, 1e-3);
    assert_near(filtered_ratio("symplectic-euler", SCHEME_FILTER_BEFORE, 2.0, false),
                1.1709494033397538, 1e-3);
    assert_near(filtered_ratio("symplectic-euler", SCHEME_FILTER_BEFORE, 0.5, false), 0.0, 1e-3);
    assert_near(filtered_ratio("symplectic-euler", SCHEME_FILTER_AFTER, 1.0, false),
                0.7590236391350595, 1e-6);
    assert_near(filtered_ratio("symplectic-euler", SCHEME_FILTER_AFTER, 2.0, true),
                0.9452475977651565, 1e-6);
    assert_near(filtered_ratio("velocity-verlet", SCHEME_FILTER_AFTER, 1.0, false), 1.0, 1e-6);
    assert_near(filtered_ratio("explicit-euler", SCHEME_FILTER_AFTER, 1.0, false),
                0.4603711085820715, 1e-2); // the softest mode decides, and there are 200
    // a force filter only makes the springs softer
    assert_near(filtered_ratio("symplectic-euler", SCHEME_FILTER_FORCE, 10.0, false), 1.0, 1e-3);
}

static void automatic_alpha_keeps_every_mode_inside(void **state)
{
    (void)state;
    double k0 = 2e4, air = 1.0, h = 0.01;
    Scheme euler = scheme_of("explicit-euler");
    ModeSet line = mode_set_line(k0, 1.0);
    AlphaRange range = modes_alpha_range(&euler, &line, h, air);
    assert_near(range.low, 0.00995, 1e-6);
    assert_near(range.high, 0.01495, 1e-6);
    assert_near(automatic_alpha(&euler, &(Stiffness){.k0 = k0}, ALPHA_CORRECTED, h, air),
                0.5 * (0.00995 + 0.01495), 1e-9);
    assert_near(automatic_alpha(&euler, &(Stiffness){.k0 = k0}, ALPHA_PAPER, h, air),
                h * (4.0 - air * h) / 4.0, 1e-15);

    Scheme rk4 = scheme_of("rk4");
    assert_near(automatic_alpha(&rk4, &(Stiffness){.k0 = k0}, ALPHA_PAPER, h, air),
                h * (0.725 - air * h) / 8.75, 1e-15);

    const struct {
        const char *name;
        double Y; // h^2 k0
    } cases[] = {{"explicit-euler", 3.8},
                 {"symplectic-euler", 2.5},
                 {"velocity-verlet", 3.2},
                 {"midpoint", 4.7},
                 {"rk4", 8.70},
                 {"leu", 3.0}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        for (int drag = 0; drag < 3; drag++) {
            Scheme scheme = scheme_of(cases[c].name);
            double step = sqrt(cases[c].Y / k0), d0 = 0.3 * drag / step;
            double alpha =
                automatic_alpha(&scheme, &(Stiffness){.k0 = k0}, ALPHA_CORRECTED, step, d0);
            assert_true(alpha >= 0.0);
            double rho = modes_largest_rho(&scheme, &line, step, d0, alpha);
            if (!(rho < 1.0)) {
                fail_msg("%s, Y = %g, h d0 = %g: alpha = %g gives rho = %g", cases[c].name,
                         cases[c].Y, 0.3 * drag, alpha, rho);
            }
        }
    }
    // with d0 = 0 the paper's rule puts every mode of explicit Euler on the edge
    double alpha = automatic_alpha(&euler, &(Stiffness){.k0 = k0}, ALPHA_PAPER, h, 0.0);
    assert_near(modes_largest_rho(&euler, &line, h, 0.0, alpha), 1.0, 1e-12);
    Scheme implicit = scheme_of("backward-euler");
    assert_true(automatic_alpha(&implicit, &(Stiffness){.k0 = k0}, ALPHA_CORRECTED, h, 0.0) == 0.0);
}

// 2 (h d0 + X) + Y <= 4 is what theory asks of symplectic Euler. Half of the largest X, but never
// of more than 1.
static void alpha_is_half_of_what_fits(void **state)
{
    (void)state;
    Scheme scheme = scheme_of("symplectic-euler");
    const double k0 = 2e4, Y[] = {0.5, 1.9, 2.5, 3.5, 4.5};
    for (int i = 0; i < 5; i++) {
        for (int drag = 0; drag < 2; drag++) {
            double h = sqrt(Y[i] / k0), X0 = 0.2 * drag, most = 2.0 - 0.5 * Y[i] - X0;
            double wanted = 0.5 * fmax(fmin(most, 1.0), 0.0) / (h * k0);
            double alpha =
                automatic_alpha(&scheme, &(Stiffness){.k0 = k0}, ALPHA_CORRECTED, h, X0 / h);
            assert_near(alpha, wanted, 1e-6 * wanted);
        }
    }
}

// A method whose region is  (X - x0)(Y - y0) > -gap:  two parts that a bridge joins, or that do not
// quite meet.
static const double SADDLE_X = 1.5 + 0.3 / 240, SADDLE_Y = 2.5 + 0.4 / 240;
static double saddle_gap = 0.0;

static void saddle(const StepOptions *options, const Mode *mode, double G[2][2])
{
    (void)options;
    double inside = (mode->X - SADDLE_X) * (mode->Y - SADDLE_Y) + saddle_gap;
    G[0][0] = G[1][1] = 1.0 - inside;
    G[0][1] = G[1][0] = 0.0;
}

// One cell is crossed four times. Its centre says which parts belong together: a bridge as wide as
// that is between lines that stay to one side of it.
static void a_saddle_is_cut_along_its_bridge(void **state)
{
    (void)state;
    const Integrator method = {.name = "saddle", .amplification = saddle};
    const Scheme scheme = {.integrator = &method, .coupling = 1.0};
    for (int sign = -1; sign <= 1; sign += 2) {
        saddle_gap = sign * 0.03 / (240.0 * 240.0);
        RegionBoundary boundary;
        Error error;
        if (region_boundary(&scheme, (RegionBox){1.0, 2.0, 2.0, 3.0}, 1.0, false, &boundary,
                            &error) != STATUS_OK)
            fail_msg("%s", error.text);
        assert_int_equal(boundary.line_count, 2);
        for (int line = 0; line < 2; line++) {
            int first = boundary.first[line], last = boundary.first[line + 1] - 1;
            bool left = boundary.point[first][0] + boundary.point[last][0] < 2.0 * SADDLE_X;
            for (int p = first; p <= last; p++)
                assert_true((boundary.point[p][0] < SADDLE_X) == left);
        }
        region_boundary_finish(&boundary);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eigenvalues_agree_with_lapack),
        cmocka_unit_test(regions_are_those_of_theory),
        cmocka_unit_test(boundary_lies_on_the_edge),
        cmocka_unit_test(a_saddle_is_cut_along_its_bridge),
        cmocka_unit_test(limits_are_those_of_theory),
        cmocka_unit_test(filters_move_limits_as_theory_says),
        cmocka_unit_test(automatic_alpha_keeps_every_mode_inside),
        cmocka_unit_test(alpha_is_half_of_what_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
