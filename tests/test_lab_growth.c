// "Diverges in about N steps" is true: a small push along the growing mode is a thousand times
// faster N steps later.
#include "support/solver_test.h"

#include "lab/analysis.h"
#include "simulation/simulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const AnalysisPlan PLAN = {.spectrum_products = 400, .spectrum_tolerance = 1e-6};

// A flat cloth without weight stays at rest, so all motion comes from the push.
static Simulation *create(const char *integrator, double alpha, double step)
{
    char text[300];
    snprintf(text, sizeof text,
             "rows=12 columns=12 gravity=0 on_divergence=continue speed_limit=1e6 strain_limit=1e6 "
             "integrator=%s alpha=%.17g",
             integrator, alpha);
    Scene scene = scene_with(text);
    if (step > 0.0) scene.params.step = step;
    Simulation *simulation;
    assert_int_equal(simulation_create(&scene, &simulation, NULL), STATUS_OK);
    return simulation;
}

static Analysis analyze(Simulation *simulation, float *shape)
{
    Lab lab;
    Analysis analysis;
    assert_int_equal(lab_init(&lab, simulation, NULL), STATUS_OK);
    lab_analyze(&lab, simulation, &PLAN, &analysis);
    if (shape) lab_mode_shape(&lab, simulation, 0, shape);
    lab_finish(&lab);
    return analysis;
}

// Steps between the first state `from` times as fast as the push and the first state a thousand
// times faster than that.
static int steps_to_thousandfold(Simulation *simulation, double push)
{
    const double from = 20.0;
    int begin = -1;
    for (int i = 0; i < 20000; i++) {
        assert_int_equal(simulation_step(simulation, NULL), STATUS_OK);
        double speed = simulation_readings(simulation).max_speed;
        if (begin < 0 && speed > from * push) begin = i;
        if (begin >= 0 && speed > 1000.0 * from * push) return i - begin;
    }
    fail_msg("it did not grow");
    return 0;
}

static void growth_is_as_predicted(void **state)
{
    (void)state;
    const struct {
        const char *integrator;
        double alpha; // in units of 2 / sqrt(k0)
    } methods[] = {{"explicit-euler", 0.8},
                   {"symplectic-euler", 0.0},
                   {"velocity-verlet", 0.0},
                   {"midpoint", 0.5},
                   {"rk4", 0.0},
                   {"leu", 0.8}};
    const double ratios[] = {1.02, 1.1, 1.25, 1.5};
    float *shape = calloc(3 * 144, sizeof *shape);
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
        Simulation *probe = create("symplectic-euler", 0.0, 0.0);
        double unit = 2.0 / sqrt(analyze(probe, NULL).k0);
        simulation_destroy(probe);
        double alpha = methods[m].alpha * unit;
        probe = create(methods[m].integrator, alpha, 0.0);
        double limit = analyze(probe, NULL).limit.step;
        simulation_destroy(probe);
        for (size_t r = 0; r < sizeof ratios / sizeof ratios[0]; r++) {
            Simulation *simulation = create(methods[m].integrator, alpha, ratios[r] * limit);
            Analysis analysis = analyze(simulation, shape);
            assert_int_equal(analysis.verdict, VERDICT_UNSTABLE);
            double push = 1e-9; // m/s: still linear at 20000 times that
            Command command = {
                .kind = COMMAND_EXCITE,
                .excite = {.shape = shape, .particle_count = 144, .amplitude = push}};
            assert_int_equal(simulation_apply(simulation, &command, NULL), STATUS_OK);
            int steps = steps_to_thousandfold(simulation, push);
            // steps are whole numbers: growth within two steps cannot be measured to 20 %
            double tolerance = fmax(0.2 * analysis.growth_steps, 1.0);
            if (fabs(steps - analysis.growth_steps) > tolerance) {
                fail_msg("%s at %g of the limit: %d steps, predicted %.1f", methods[m].integrator,
                         ratios[r], steps, analysis.growth_steps);
            }
            simulation_destroy(simulation);
        }
    }
    free(shape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(growth_is_as_predicted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
