// A heavy ball on a cloth that is held all around: it bounces, and never higher than it fell.
#include "support/solver_test.h"

#include "runtime/scene_file.h"
#include "simulation/simulation_state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

// These gain energy in every step, whatever the cloth meets, and damping takes it.
static bool gains_by_itself(const Simulation *simulation)
{
    const char *name = simulation->scheme.integrator->name;
    return strcmp(name, "explicit-euler") == 0 || strcmp(name, "leu") == 0;
}

// From 0.75 m it falls 0.58 m to the cloth. Ball and cloth together gain nothing, with what damping
// took: 0.42 J in these two bounces once, when the ball was moved by explicit Euler. What the cloth
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
    double most = 0.0, made = -INFINITY; // J, of both with what damping took, in the air
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
        if (lowest < 0.0 && simulation->now.contacts == 0)
            made = fmax(made, total + now.balance.damping);
        most = fmax(most, fabs(now.balance.remainder));
    }
    print_message(
        "%-30s down to %.3f m, up to %.3f m; together at most %.3g J more than the %.3g J "
        "at first, %.3g J with damping in the air, remainder up to %.3g J\n",
        method, lowest, highest, gained, from, made, most);
    // Steps of implicit methods are long beside a bounce, and take much of it. They find the push
    // of the ball with the step, and give nothing.
    bool implicit = simulation->scheme.integrator->traits & INTEGRATOR_IMPLICIT;
    assert_true(lowest < 0.0); // deep in the cloth, whose plane is 0
    assert_true(highest > (implicit ? 0.05 : 0.5) && highest < 0.75);
    assert_true(gained < (implicit ? 1e-6 : 0.1) * from);
    assert_true(gains_by_itself(simulation) || made < 0.0);
    assert_true(most < (implicit ? 1.0 : 0.15) * from);
    simulation_destroy(simulation);
}

static void the_ball_bounces(void **state)
{
    (void)state;
    for (int m = 0; m < integrator_count; m++) bounce(integrator_name(m), 1.4);
}

// J, kinetic, of cloth and ball
static double motion_of(const Simulation *simulation)
{
    Vec3 v = simulation->now.motions[0].velocity;
    return simulation_readings(simulation).energy.kinetic +
           0.5 * simulation->scene.colliders[0].mass * vec3_dot(v, v);
}

// Until it rests: cloth and ball are stopped when they become slower, but no more than every 0.1 s,
// which is long for waves of the cloth.
static void come_to_rest(Simulation *simulation)
{
    Cloth *cloth = &simulation->body.cloth;
    ColliderMotion *ball = &simulation->now.motions[0];
    double before = 0.0, stopped = 0.0;
    while (simulation->now.time < 12.0) {
        run_steps(simulation, 1);
        double now = motion_of(simulation), time = simulation->now.time;
        if (now < before && ball->centre.y < 0.17 && time > stopped + 0.1) {
            memset(cloth->v, 0, (size_t)cloth->mesh.dofs * sizeof(double));
            ball->velocity = ball->spin = (Vec3){0};
            simulation_forget(simulation);
            now = 0.0;
            stopped = time;
        }
        before = now;
    }
    balance_reset(&simulation->now.balance, cloth);
    simulation_forget(simulation);
}

// A ball that lies on the cloth does no work. Once half of m g h times g h was booked in every
// step, and the line search of Newton's method left out the ball: it ended in halves of a step, in
// which the ball sank, and the monitor gave an alarm.
static void a_ball_at_rest_does_no_work(void **state)
{
    (void)state;
    for (int m = 0; m < integrator_count; m++) {
        char text[120];
        snprintf(text, sizeof text, "rows=11 columns=11 air=2 integrator=%s", integrator_name(m));
        Simulation *simulation = start(text);
        if (!(simulation_next_step(simulation) <= simulation->limit.step)) {
            simulation_destroy(simulation);
            continue;
        }
        come_to_rest(simulation);
        double y = simulation->now.motions[0].centre.y, end = simulation->now.time + 10.0;
        int retries = 0;
        while (simulation->now.time < end) {
            run_steps(simulation, 1);
            retries += simulation->now.last.retries;
        }
        EnergyBalance balance = simulation_readings(simulation).balance;
        print_message("%-30s at rest: %.2g m, contact %.2g J, damping %.2g J, remainder %.2g J, "
                      "%d retries\n",
                      integrator_name(m), simulation->now.motions[0].centre.y - y, balance.contact,
                      balance.damping, balance.remainder, retries);
        // Some methods let the cloth move within the step, and damping takes of that.
        assert_near(balance.contact, 0.0, 0.02);
        assert_near(balance.remainder, balance.damping, 0.02);
        assert_int_equal(retries, 0);
        simulation_destroy(simulation);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ball_bounces),
        cmocka_unit_test(a_ball_at_rest_does_no_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
