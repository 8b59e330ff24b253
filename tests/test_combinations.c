// Every combination of model, damping, method, filter and alpha at the automatic step: either it is
// refused with a reason, or it runs without a divergence. `test_combinations 10` runs each for ten
// seconds of simulated time on a larger cloth; the short form takes a seeded share.
#include "support/solver_test.h"

#include "cloth/force_model.h"
#include "simulation/simulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double seconds = 0.0; // 0: the short form

static const char *const filters[] = {
    "filter=off",
    "filter=exponential",
    "filter=exponential filter_form=half",
    "filter=exponential filter_form=conserving",
    "filter=gaussian lambda=1",
    "filter=exponential filter_place=after",
    "filter=exponential filter_on=force",
};
enum { FILTERS = sizeof filters / sizeof filters[0] };

static const char *const dampings[] = {"rayleigh", "projected", "difference"};
static const char *const alphas[] = {"0.0001", "0.001", "auto"};

static bool runs(const char *text, double duration, bool *refused)
{
    Scene scene = scene_with(text);
    Simulation *simulation;
    *refused = simulation_create(&scene, &simulation, NULL) != STATUS_OK;
    if (*refused) return true;
    Error error = {0};
    Status status = STATUS_OK;
    // a method that is unstable at every step with this damping is shown as such
    bool hopeless = simulation_readings(simulation).limit.step == 0.0;
    while (status == STATUS_OK && simulation_time(simulation) < duration && !hopeless) {
        status = simulation_step(simulation, &error);
        hopeless = simulation_readings(simulation).limit.step == 0.0;
    }
    Readings r = simulation_readings(simulation);
    if (status != STATUS_OK && !hopeless)
        print_message("%s: h = %g, limit %g: %s\n", text, r.step, r.limit.step, error.text);
    simulation_destroy(simulation);
    return status == STATUS_OK || hopeless;
}

static void automatic_steps_do_not_diverge(void **state)
{
    (void)state;
    int tried = 0, refusals = 0, failures = 0, number = 0;
    int side = seconds > 0.0 ? 10 : 6;
    for (int model = 0; model < FORCE_MODEL_COUNT; model++) {
        for (int method = 0; method < integrator_count; method++) {
            for (int damping = 0; damping < 3; damping++) {
                for (int filter = 0; filter < FILTERS; filter++) {
                    for (int alpha = 0; alpha < 3; alpha++) {
                        char text[300];
                        bool refused;
                        // every seventh, which meets all values of all five
                        if (seconds == 0.0 && number++ % 7 != 0) continue;
                        snprintf(text, sizeof text,
                                 "rows=%d columns=%d model=%s integrator=%s damping=%s alpha=%s %s",
                                 side, side + 1, force_model_name(model), integrator_name(method),
                                 dampings[damping], alphas[alpha], filters[filter]);
                        failures += !runs(text, seconds > 0.0 ? seconds : 0.5, &refused);
                        refusals += refused;
                        tried++;
                    }
                }
            }
        }
    }
    print_message("%d combinations: %d refused, %d diverged\n", tried, refusals, failures);
    assert_int_equal(failures, 0);
}

// A cloth slides on the floor as a block does: v = v0 - friction g t until it rests, at any step.
static void friction_does_not_depend_on_the_step(void **state)
{
    (void)state;
    const double steps[] = {1e-2, 1e-3, 1e-4};
    for (int i = 0; i < 3; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "rows=3 columns=3 stretch=20 shear=10 bend=1 step=%g air=0 alpha=0 ground=0 "
                 "friction=0.5 integrator=backward-euler",
                 steps[i]);
        Scene scene = scene_with(text);
        scene.pins = 0;
        scene.start_velocity = (Vec3){1.0, 0.0, 0.0};
        Simulation *simulation;
        assert_int_equal(simulation_create(&scene, &simulation, NULL), STATUS_OK);
        while (simulation_time(simulation) < 0.1 - 0.5 * steps[i])
            assert_int_equal(simulation_step(simulation, NULL), STATUS_OK);
        assert_near(simulation_readings(simulation).max_speed, 1.0 - 0.5 * 9.81 * 0.1,
                    0.6 * 9.81 * steps[i] + 1e-9);
        while (simulation_time(simulation) < 0.3)
            assert_int_equal(simulation_step(simulation, NULL), STATUS_OK);
        assert_near(simulation_readings(simulation).max_speed, 0.0, 1e-9);
        simulation_destroy(simulation);
    }
}

enum { SIDE = 4 };

static bool positions_after(const char *text, double h, int steps, float out[3 * SIDE * SIDE])
{
    Scene scene = scene_with(text);
    scene.params.step = h;
    Simulation *simulation;
    if (simulation_create(&scene, &simulation, NULL) != STATUS_OK) return false;
    Snapshot snapshot = {0};
    for (int n = 0; n < steps; n++) assert_int_equal(simulation_step(simulation, NULL), STATUS_OK);
    assert_int_equal(simulation_fill_snapshot(simulation, &snapshot, NULL), STATUS_OK);
    memcpy(out, snapshot.position, 3 * SIDE * SIDE * sizeof *out);
    snapshot_finish(&snapshot);
    simulation_destroy(simulation);
    return true;
}

static double distance(const float *a, const float *b)
{
    double largest = 0.0;
    for (int i = 0; i < 3 * SIDE * SIDE; i++)
        largest = fmax(largest, fabs((double)a[i] - (double)b[i]));
    return largest;
}

// Every method solves the problem that was chosen: with each kind of damping its error goes to 0
// with the step, at least in proportion to it.
static void every_method_converges_with_damping(void **state)
{
    (void)state;
    static const char problem[] = "rows=4 columns=4 stretch=50 shear=25 bend=5 alpha=2e-3 air=0.5 "
                                  "pcg_tolerance=1e-10 newton_tolerance=1e-8";
    for (int damping = 0; damping < 3; damping++) {
        char text[400];
        float exact[3 * SIDE * SIDE], at[3 * SIDE * SIDE];
        snprintf(text, sizeof text, "%s damping=%s integrator=rk4", problem, dampings[damping]);
        assert_true(positions_after(text, 2e-5, 5000, exact));
        for (int method = 0; method < integrator_count; method++) {
            double error[2];
            snprintf(text, sizeof text, "%s damping=%s integrator=%s", problem, dampings[damping],
                     integrator_name(method));
            if (!positions_after(text, 1e-4, 1000, at)) continue; // refused, with a reason
            error[0] = distance(at, exact);
            assert_true(positions_after(text, 2.5e-5, 4000, at));
            error[1] = distance(at, exact);
            print_message("%-10s %-30s %.1e, %.1e\n", dampings[damping], integrator_name(method),
                          error[0], error[1]);
            assert_true(error[1] < 2e-6 || error[0] / error[1] > 2.5); // 4 for order 1
        }
    }
}

int main(int argc, char **argv)
{
    if (argc > 1) seconds = atof(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(automatic_steps_do_not_diverge),
        cmocka_unit_test(friction_does_not_depend_on_the_step),
        cmocka_unit_test(every_method_converges_with_damping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
