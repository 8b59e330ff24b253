// Combinations of parameters that make no sense are refused with a reason.
#include "support/solver_test.h"

#include "simulation/simulation_state.h"

#include <string.h>

static void senseless_combinations_are_refused(void **state)
{
    (void)state;
    const struct {
        const char *assignments;
        const char *says; // NULL: allowed
    } cases[] = {
        {"integrator=rk4 filter=exponential", "filter_place = after"},
        {"integrator=leu filter=exponential", "filter_place = after"},
        {"integrator=rk4 filter=exponential filter_place=after", NULL},
        {"integrator=rk4 filter=exponential filter_on=force filter_form=conserving", NULL},
        {"integrator=rk4 filter=exponential filter_on=force filter_form=half", "conserving"},
        {"integrator=backward-euler filter=exponential filter_on=force filter_form=conserving",
         "filter_on = velocity"},
        {"integrator=harmonic filter=exponential filter_on=force filter_form=conserving",
         "filter_on = velocity"},
        {"integrator=harmonic filter=exponential", NULL},
        {"integrator=harmonic damping=difference", "damping = projected"},
        {"integrator=harmonic damping=projected", NULL},
        {"integrator=velocity-verlet filter=exponential", NULL},
        {"integrator=rk4", NULL},
        {"integrator=harmonic model=baraff-witkin", "model = springs"},
        {"integrator=backward-euler model=baraff-witkin", NULL},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        Scene scene = scene_with(cases[k].assignments);
        Simulation *simulation = NULL;
        Error error = {0};
        Status status = simulation_create(&scene, &simulation, &error);
        assert_int_equal(status, cases[k].says ? STATUS_BAD_PARAMETER : STATUS_OK);
        if (cases[k].says) assert_non_null(strstr(error.text, cases[k].says));
        assert_int_equal(simulation != NULL, cases[k].says == NULL);
        simulation_destroy(simulation);
    }
    // on a running simulation: refused, and nothing changes
    Simulation *simulation = simulation_with("rows=6 columns=6 filter=exponential");
    Params before = *simulation_params(simulation);
    Command command = command_set("integrator", integrator_find("rk4"));
    Error error;
    assert_int_equal(simulation_apply(simulation, &command, &error), STATUS_BAD_PARAMETER);
    assert_memory_equal(simulation_params(simulation), &before, sizeof before);
    simulation_destroy(simulation);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(senseless_combinations_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
