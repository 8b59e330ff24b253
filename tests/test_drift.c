// The automatic step stays below the limit while the stiffness grows: of every model, in a soft
// cloth that falls and stretches to several times its length, without damping. The limit it is
// compared with is that of the moment, estimated until it is exact.
#include "support/solver_test.h"

#include "simulation/probe.h"
#include "simulation/state.h"

#include <stdio.h>

#define SECONDS 0.6
#define LOOK 0.02 // s between two comparisons

// The largest step, in units of the limit of its moment.
static double largest_share(const char *assignments)
{
    Simulation *simulation = simulation_with(assignments), *copy = simulation_with(assignments);
    State *state;
    double largest = 0.0, next = 0.0;
    assert_int_equal(state_create(&state, NULL), STATUS_OK);
    while (simulation_time(simulation) < SECONDS) {
        Error error;
        if (simulation_step(simulation, &error) != STATUS_OK)
            fail_msg("%s: %s", assignments, error.text);
        if (simulation_time(simulation) < next) continue;
        next += LOOK;
        assert_int_equal(state_save(simulation, state, NULL), STATUS_OK);
        assert_int_equal(state_restore(state, copy, NULL), STATUS_OK);
        simulation_refine_stiffness(copy);
        double step = simulation_view(simulation).step;
        largest = fmax(largest, step / simulation_view(copy).limit.step);
    }
    state_destroy(state);
    simulation_destroy(simulation);
    simulation_destroy(copy);
    return largest;
}

static void the_step_stays_below_the_limit(void **state)
{
    (void)state;
    // stretch k0 m / 6 of 64 x 64 particles of 0.2 kg, and shares of it for shear and bend
    const char *const models[] = {"springs", "baraff-witkin", "choi-ko"};
    const double k0s[] = {1e6, 1e7};
    for (size_t m = 0; m < sizeof models / sizeof models[0]; m++) {
        for (size_t k = 0; k < sizeof k0s / sizeof k0s[0]; k++) {
            double stretch = k0s[k] * 0.2 / (64 * 64) / 6.0;
            char all[200];
            snprintf(all, sizeof all,
                     "rows=64 columns=64 density=0.2 step=auto alpha=0 model=%s stretch=%g "
                     "shear=%g bend=%g",
                     models[m], stretch, 0.5 * stretch, 0.1 * stretch);
            double share = largest_share(all);
            print_message("%s, k0 = %g: step / limit up to %.3f\n", models[m], k0s[k], share);
            assert_true(share < 0.97);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_step_stays_below_the_limit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
