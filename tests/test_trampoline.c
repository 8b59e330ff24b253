// A heavy ball on a cloth that is held all around: it bounces, and never higher than it fell.
#include "support/solver_test.h"

#include "runtime/scene_file.h"
#include "simulation/simulation_state.h"

#include <math.h>
#include <stdio.h>

static Simulation *start(const char *assignments)
{
    Scene scene;
    Error error = {0};
    Simulation *simulation;
    if (scene_load("trampoline", &scene, &error) != STATUS_OK) fail_msg("%s", error.text);
    scene_assign(&scene, assignments);
    if (simulation_create(&scene, &simulation, &error) != STATUS_OK) fail_msg("%s", error.text);
    return simulation;
}

// J, of the ball: m (v^2 / 2 + g y) and its spin, 2/5 m r^2 w^2 / 2
static double ball_energy(const Simulation *simulation)
{
    const Collider *ball = &simulation->scene.colliders[0];
    const ColliderMotion *motion = &simulation->now.motions[0];
    double spin = 0.4 * ball->radius * ball->radius * vec3_dot(motion->spin, motion->spin);
    return ball->mass * (0.5 * (vec3_dot(motion->velocity, motion->velocity) + spin) +
                         simulation->scene.params.gravity * motion->centre.y);
}

// From 0.75 m it falls 0.58 m to the cloth. Ball and cloth together gain nothing, what the cloth
// got is no more than the ball has lost, and the cloth's own balance closes.
static void bounce(const char *method, double seconds)
{
    char text[120];
    snprintf(text, sizeof text, "rows=21 columns=21 integrator=%s", method);
    Simulation *simulation = start(text);
    if (!(simulation_next_step(simulation) <= simulation->limit.step)) { // no stable step
        simulation_destroy(simulation);
        return;
    }
    double from = ball_energy(simulation), lowest = 1.0, highest = -1.0, gained = -INFINITY;
    double most = 0.0;
    while (simulation->now.time < seconds) {
        Error error = {0};
        if (simulation_step(simulation, &error) != STATUS_OK) fail_msg("%s: %s", text, error.text);
        if (simulation->now.monitor.state != MONITOR_STABLE)
            fail_msg("%s: an alarm at %g s", text, simulation->now.time);
        double y = simulation->now.motions[0].centre.y;
        lowest = fmin(lowest, y);
        if (lowest < 0.1) highest = fmax(highest, y);
        Readings now = simulation_readings(simulation);
        double lost = from - ball_energy(simulation), total = energy_total(now.energy) - lost;
        gained = fmax(gained, total);
        most = fmax(most, fabs(now.balance.remainder));
    }
    print_message(
        "%-30s down to %.3f m, up to %.3f m; together at most %.3g J more than the %.3g J "
        "at first, remainder up to %.3g J\n",
        method, lowest, highest, gained, from, most);
    // Steps of implicit methods are long beside a bounce, and take much of it. They find the push
    // of the ball with the step, and give nothing.
    bool implicit = simulation->scheme.integrator->traits & INTEGRATOR_IMPLICIT;
    assert_true(lowest < 0.0); // deep in the cloth, whose plane is 0
    assert_true(highest > (implicit ? 0.05 : 0.5) && highest < 0.75);
    assert_true(gained < (implicit ? 1e-6 : 0.1) * from);
    assert_true(most < (implicit ? 1.0 : 0.15) * from);
    simulation_destroy(simulation);
}

static void the_ball_bounces(void **state)
{
    (void)state;
    for (int m = 0; m < integrator_count; m++) bounce(integrator_name(m), 1.4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ball_bounces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
