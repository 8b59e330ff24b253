// The verdict of a figure follows from its numbers: made-up ones on both sides of each claim. And
// formulas in its words are typeset.
#include "figures/typeset.h"
#include "figures/verdicts.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void assert_says(const Figure *figure, const char *words)
{
    if (!strstr(figure->verdict, words)) fail_msg("\"%s\" lacks \"%s\"", figure->verdict, words);
    assert_true(strlen(figure->verdict) + 1 < sizeof figure->verdict);
}

static void test_exponents_decide(void **state)
{
    (void)state;
    Figure figure = {0};
    assert_true(exponent_holds(1.09, 1.0) && exponent_holds(0.91, 1.0));
    assert_false(exponent_holds(1.11, 1.0) || exponent_holds(0.6, 1.0) || exponent_holds(NAN, 1.0));
    verdict_proportional(&figure, "n", (Exponents){0.97, 1.02, 0.95, 1.04, false});
    assert_says(&figure, "n holds for the explicit methods (exponents 0.95 to 1.04) and for");
    verdict_proportional(&figure, "n", (Exponents){0.1, 0.2, 0.95, 1.04, false});
    assert_says(&figure, "n holds for the explicit methods (exponents 0.95 to 1.04), not for");
    verdict_proportional(&figure, "n", (Exponents){0.1, 0.2, 0.6, 1.04, false});
    assert_says(&figure, "n does not hold to 10 % for the explicit methods");
    assert_says(&figure, "nor for the implicit one (0.10 to 0.20)");
    verdict_proportional(&figure, "n", (Exponents){0.97, 1.02, 0.6, 1.04, false});
    assert_says(&figure, "does not hold to 10 % for the explicit methods");
    assert_says(&figure, ", holds for the implicit one");
    verdict_proportional(&figure, "n", (Exponents){0.1, 0.2, 0.6, 1.04, true});
    assert_says(&figure, "cannot be told to 10 % here for the explicit methods");
    assert_says(&figure, "and does not hold for the implicit one");
    verdict_proportional(&figure, "n", (Exponents){0.1, 0.2, 0.95, 1.04, true});
    assert_says(&figure, "n holds for the explicit methods");
    verdict_proportional(&figure, "n", (Exponents){0.021, 0.021, 0.95, 1.04, true});
    assert_says(&figure, "not for the implicit one (0.02).");
}

static void test_safety_decides(void **state)
{
    (void)state;
    Figure figure = {0};
    const Growth calm[] = {{1e4, 1.33}, {1e5, 1.03}, {1e6, 1.0}};
    const Growth wild[] = {{1e4, 1.7}, {1e5, 1.6}, {1e6, 1.2}};
    verdict_safety(&figure, 1.5, calm, 3);
    assert_says(&figure, "1.5 is enough in all 3 cloths; k0 grows most, 1.33 times, at k0 = 10⁴");
    assert_says(&figure, "less than a tenth in 2.");
    verdict_safety(&figure, 1.5, wild, 3);
    assert_says(&figure, "in only one of 3 cloths");
    assert_says(&figure, "1.70 times");
    verdict_safety(&figure, 1.5, wild, 2);
    assert_says(&figure, "in none of 2 cloths");
    verdict_safety(&figure, 1.65, wild, 3);
    assert_says(&figure, "in some, not all, of 3 cloths");
}

static void test_filter_decides(void **state)
{
    (void)state;
    Figure figure = {0};
    FilteredSteps s = {.before = 1.57, .after = 0.76, .most = 1.71, .cloth = 1.6, .printed = 2.0};
    s.none = 1.00005;
    verdict_filter(&figure, s);
    assert_says(&figure, "does not hold: 1.57 on a chain (1.71 at the best λ), 1.60 on the cloth");
    assert_says(&figure, "makes the limit smaller (0.76). No effect above 10 holds");
    s.cloth = 2.0, s.after = 1.1, s.none = 1.2;
    verdict_filter(&figure, s);
    assert_says(&figure, "holds in part");
    assert_says(&figure, "makes the limit larger (1.10). No effect above 10 does not hold");
    s.before = 1.95;
    verdict_filter(&figure, s);
    assert_says(&figure, "at λ = 1 holds: 1.95");
}

static void test_formulas_are_typeset(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"h^2 k, M^-1 and G^n", "h² k, M⁻¹ and Gⁿ"},
        {"k0 = 1e6/s^2", "k0 = 10⁶/s²"},
        {"2.5e-06 and 4e+04", "2.5·10⁻⁶ and 4·10⁴"},
        {"sqrt(k0), sqrt(8.75)/2, sqrt 2, sqrt(1 - hd)", "√k0, √8.75/2, √2, √(1 − hd)"},
        {"rho <= 1, omega, lambda", "ρ ≤ 1, ω, λ"},
        {"(-3, -1): Y = -2X - 4", "(−3, −1): Y = −2X − 4"},
        {"higher-order, h^0.65, rhomb, 3e, ahmad-1", "higher-order, h^0.65, rhomb, 3e, ahmad-1"},
    };
    char text[120];
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        typeset(pairs[i][0], text, sizeof text);
        assert_string_equal(text, pairs[i][1]);
    }
    typeset("h^2 k", text, 3); // no room for the whole of ²
    assert_string_equal(text, "h");
}

static void test_gains_decide(void **state)
{
    (void)state;
    Figure figure = {0};
    const Exponents e = {-0.97, -1.02, -0.95, -1.04, false};
    verdict_particles(&figure, e, 2.1, 1.9);
    assert_says(&figure, "LEU is twice as fast as it with both models");
    verdict_particles(&figure, e, 2.1, 0.8);
    assert_says(&figure, "LEU is twice as fast as it with one model only");
    verdict_particles(&figure, e, 0.5, 0.8);
    assert_says(&figure, "LEU is not twice as fast as it");
}

static void test_iterations_decide(void **state)
{
    (void)state;
    Figure figure = {0};
    verdict_iterations(&figure, 1.0, -0.1);
    assert_says(&figure, "holds: half the step takes 1.07 times as long");
    assert_says(&figure, "exponent 1.00 of h, as he says");
    verdict_iterations(&figure, 0.6, -0.5);
    assert_says(&figure, "holds in part: half the step takes 1.41");
    assert_says(&figure, "more slowly");
    verdict_iterations(&figure, 1.5, -1.0);
    assert_says(&figure, "does not hold: half the step takes 2.00");
    assert_says(&figure, "faster");
}

static void test_counts_decide(void **state)
{
    (void)state;
    Figure figure = {0};
    verdict_precision(&figure, 0, 6);
    assert_says(&figure, "no:");
    verdict_precision(&figure, 2, 6);
    assert_says(&figure, "in part: an implicit method is cheapest in 2 of 6");
    verdict_precision(&figure, 6, 6);
    assert_says(&figure, "yes:");
    verdict_real_time(&figure, 16384, 0.44, "backward Euler", 1.5);
    assert_says(&figure, "16,384 points in real time does not hold on one core with his method, at "
                         "best 0.44 of real time; backward Euler does it (1.5).");
    verdict_real_time(&figure, 16384, 0.44, "backward Euler", 0.9);
    assert_says(&figure, "backward Euler does not do it either (0.9).");
    verdict_real_time(&figure, 1024, 2.0, "backward Euler", 21.0);
    assert_says(&figure, "holds on one core with his method");
    assert_says(&figure, "backward Euler does it too (21). The full form runs 16,384.");
}

static void test_energy_decides(void **state)
{
    (void)state;
    Figure figure = {0};
    EnergyCount automatic = {.methods = 12,
                             .kept = 1,
                             .created = 3,
                             .destroyed = 6,
                             .diverged = 2,
                             .symplectic = 3,
                             .symplectic_kept = 1,
                             .most_created = 3.5,
                             .most_destroyed = 0.994,
                             .creator = "Verlet",
                             .destroyer = "Backward Euler, Newton"};
    EnergyCount quarter = {.methods = 12, .kept = 4, .symplectic = 3, .symplectic_kept = 3};
    verdict_energy(&figure, automatic, quarter);
    assert_says(&figure, "1 of 12 methods keep energy to 5 % of the fall, 1 of 3 symplectic");
    assert_says(&figure, "3 create it (Verlet most, 350 %)");
    assert_says(&figure, "6 destroy it (Backward Euler, Newton most, 99 %), 2 diverge");
    assert_says(&figure, "At a quarter of the step 4 keep it, all symplectic ones among them.");
    quarter.symplectic_kept = 2;
    verdict_energy(&figure, (EnergyCount){.methods = 3, .kept = 3}, quarter);
    assert_says(&figure, "0 create it, 0 destroy it, 0 diverge");
    assert_says(&figure, "4 keep it, not all symplectic ones among them.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exponents_decide),     cmocka_unit_test(test_gains_decide),
        cmocka_unit_test(test_safety_decides),       cmocka_unit_test(test_filter_decides),
        cmocka_unit_test(test_formulas_are_typeset), cmocka_unit_test(test_iterations_decide),
        cmocka_unit_test(test_counts_decide),        cmocka_unit_test(test_energy_decides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
