// The verdict of a figure follows from its numbers: made-up ones on both sides of each claim.
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
    verdict_proportional(&figure, "n", (Exponents){0.97, 1.02, 0.95, 1.04});
    assert_says(&figure, "n holds for the explicit methods (exponents 0.95 to 1.04) and for");
    verdict_proportional(&figure, "n", (Exponents){0.1, 0.2, 0.95, 1.04});
    assert_says(&figure, "n holds for the explicit methods (exponents 0.95 to 1.04), not for");
    verdict_proportional(&figure, "n", (Exponents){0.1, 0.2, 0.6, 1.04});
    assert_says(&figure, "n does not hold to 10 % for the explicit methods");
    assert_says(&figure, "nor for the implicit one (0.10 to 0.20)");
    verdict_proportional(&figure, "n", (Exponents){0.97, 1.02, 0.6, 1.04});
    assert_says(&figure, "does not hold to 10 % for the explicit methods");
    assert_says(&figure, ", holds for the implicit one");
}

static void test_gains_decide(void **state)
{
    (void)state;
    Figure figure = {0};
    const Exponents e = {-0.97, -1.02, -0.95, -1.04};
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
    assert_says(&figure, "h^1.00, as he says");
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
    verdict_energy(&figure, (EnergyCount){.methods = 12,
                                          .kept = 4,
                                          .lost = 6,
                                          .diverged = 2,
                                          .symplectic = 3,
                                          .symplectic_kept = 2,
                                          .most_lost = 0.53,
                                          .loser = "Backward Euler, Newton"});
    assert_says(&figure, "2 of 3 symplectic");
    assert_says(&figure, "6 lose (Backward Euler, Newton most, 0.53 m g H)");
    verdict_energy(&figure, (EnergyCount){.methods = 3, .kept = 3});
    assert_says(&figure, "0 lose;");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exponents_decide),
        cmocka_unit_test(test_gains_decide),
        cmocka_unit_test(test_iterations_decide),
        cmocka_unit_test(test_counts_decide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
