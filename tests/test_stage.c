// Lanes on one clock: each runs as it would by itself, and all are seen at the same moment.
#include "support/solver_test.h"

#include "scene/scene.h"
#include "simulation/state.h"
#include "stage/stage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char SMALL[] = "rows=5 columns=6 alpha=0.0005";

static Stage stage_with(const char *shared, const char *const *lanes, int count)
{
    Scene scene = scene_with(shared), scenes[STAGE_LANES_MAX];
    for (int i = 0; i < count; i++) {
        Lane lane;
        Error error;
        if (lane_parse(lanes[i], &lane, &error) != STATUS_OK) fail_msg("%s", error.text);
        scenes[i] = lane_scene(&lane, &scene);
    }
    Stage stage;
    assert_int_equal(stage_init(&stage, scenes, count, NULL), STATUS_OK);
    return stage;
}

static void a_lane_is_the_scene_with_its_own_parameters(void **state)
{
    (void)state;
    Lane lane;
    Error error;
    Scene scene = scene_with("stretch=200 step=0.0002");
    assert_int_equal(lane_parse(" step=0.01  integrator=rk4 ", &lane, &error), STATUS_OK);
    assert_string_equal(lane.name, "rk4 step=0.01");
    Scene merged = lane_scene(&lane, &scene);
    assert_true(merged.params.step == 0.01 && merged.params.stretch == 200.0);
    assert_int_equal(merged.params.integrator, integrator_find("rk4"));

    char text[200];
    lane_print(&lane, text, sizeof text);
    assert_string_equal(text, "integrator=rk4 step=0.01");
    assert_int_equal(lane_parse("", &lane, &error), STATUS_OK);
    assert_string_equal(lane.name, "the scene");
    assert_true(lane.own == 0);
}

static void refuse(const char *text, const char *word)
{
    Lane lane = {.name = "before"};
    Error error;
    assert_int_equal(lane_parse(text, &lane, &error), STATUS_BAD_PARAMETER);
    if (!strstr(error.text, word)) fail_msg("%s: no \"%s\" in %s", text, word, error.text);
    assert_string_equal(lane.name, "before");
}

static void a_lane_that_makes_no_sense_is_refused(void **state)
{
    (void)state;
    refuse("rows=3", "particle by particle");
    refuse("speed=2", "one clock");
    refuse("integrator=rk5", "rk4");
    refuse("step", "NAME=VALUE");
    refuse("colour=red", "integrator");
    refuse("step=1", "0.1");
    refuse("step=0.01 step=0.02", "twice");
    char *endless = malloc(3000);
    memset(endless, 'x', 2999);
    endless[2999] = '\0';
    refuse(endless, "at most");
    free(endless);
}

// Whatever moments the clock stops at.
static void lanes_run_as_by_themselves(void **state)
{
    (void)state;
    const char *const lanes[] = {"integrator=rk4", "integrator=backward-euler step=0.01",
                                 "integrator=symplectic-euler filter=exponential"};
    enum { LANES = 3 };
    Stage stage = stage_with(SMALL, lanes, LANES);
    uint32_t seed = 5;
    for (double time = 0.0; time < 0.5; time += noise_between(&seed, 1e-4, 0.03))
        assert_true(stage_advance(&stage, time, INFINITY, NULL));
    for (int i = 0; i < LANES; i++) {
        char text[200];
        snprintf(text, sizeof text, "%s %s", SMALL, lanes[i]);
        Simulation *alone = simulation_with(text), *lane = stage.lanes[i].simulation;
        double step = simulation_next_step(lane);
        run_steps(alone, (int)simulation_readings(lane).step_count);
        assert_true(simulation_hash(alone) == simulation_hash(lane));
        assert_true(simulation_time(lane) >= stage.time);
        assert_true(simulation_time(lane) < stage.time + 1.5 * step);
        simulation_destroy(alone);
    }
    stage_finish(&stage);
}

static double largest_difference(int count, const double *a, const double *b)
{
    double largest = 0.0;
    for (int i = 0; i < count; i++) largest = fmax(largest, fabs(a[i] - b[i]));
    return largest;
}

// Between two steps of RK4 the particles are as exact as at their ends: of fourth order.
static void positions_between_steps_have_fourth_order(void **state)
{
    (void)state;
    const char *const lanes[] = {"integrator=rk4 step=0.004", "integrator=rk4 step=0.002",
                                 "integrator=rk4 step=0.0001"};
    Stage stage = stage_with("rows=3 columns=3 alpha=0 stretch=40 shear=20 bend=4", lanes, 3);
    int numbers = 3 * simulation_particle_count(stage.lanes[0].simulation);
    double *x[3], error[2];
    for (int i = 0; i < 3; i++) x[i] = calloc((size_t)numbers, sizeof(double));
    // in the middle of a step of 4 ms, and in that of a step of 2 ms
    const double moments[2] = {0.25 - 0.002, 0.25 - 0.001};
    for (int m = 0; m < 2; m++) {
        stage_advance(&stage, moments[m], INFINITY, NULL);
        for (int i = 0; i < 3; i++) stage_positions(&stage, i, x[i]);
        error[m] = largest_difference(numbers, x[m], x[2]);
    }
    if (!(error[1] < error[0] / 11.0 && error[0] < 1e-6)) fail_msg("%g, %g", error[0], error[1]);
    // at the end of a step it is that end
    stage_advance(&stage, simulation_time(stage.lanes[0].simulation), INFINITY, NULL);
    stage_positions(&stage, 0, x[0]);
    Vec3 end = particle_position(stage.lanes[0].simulation, 4);
    assert_true(x[0][12] == end.x && x[0][13] == end.y && x[0][14] == end.z);
    for (int i = 0; i < 3; i++) free(x[i]);
    stage_finish(&stage);
}

// What moves particles other than by a step leaves nothing to interpolate.
static void nothing_is_interpolated_across_a_jump(void **state)
{
    (void)state;
    Simulation *simulation = simulation_with(SMALL);
    run_steps(simulation, 300);
    double x[3 * 5 * 6];
    apply_command(simulation, (Command){.kind = COMMAND_REWIND});
    double before = simulation_time(simulation) - 0.5 * simulation_next_step(simulation);
    simulation_positions_at(simulation, before, x);
    assert_true(x[3 * 20 + 1] == particle_position(simulation, 20).y);
    apply_command(simulation, (Command){.kind = COMMAND_RESET});
    simulation_positions_at(simulation, -1e-5, x);
    assert_true(x[3 * 20 + 1] == particle_position(simulation, 20).y);
    simulation_destroy(simulation);
}

static void a_lane_that_diverges_stops_and_the_others_go_on(void **state)
{
    (void)state;
    const char *const lanes[] = {"integrator=symplectic-euler", "safety=1.5"};
    Stage stage = stage_with("rows=6 columns=6", lanes, 2);
    assert_true(stage_advance(&stage, 0.5, INFINITY, NULL));
    assert_false(stage.lanes[0].stopped);
    assert_true(stage.lanes[1].stopped);
    assert_int_equal(stage.lanes[1].failure.status, STATUS_DIVERGED);
    assert_true(simulation_time(stage.lanes[0].simulation) >= 0.5);
    double stopped = simulation_time(stage.lanes[1].simulation);
    assert_true(stopped < 0.5);
    assert_true(isnan(stage_distance(&stage, 1, 0).max));
    stage_advance(&stage, 0.6, INFINITY, NULL);
    assert_true(simulation_time(stage.lanes[1].simulation) == stopped);
    stage_finish(&stage);
}

static void a_distance_is_that_of_particles(void **state)
{
    (void)state;
    const char *const lanes[] = {"step=0.0005", "step=0.0005", "gravity=0 step=0.0005"};
    Stage stage = stage_with("rows=2 columns=2 air=0 alpha=0", lanes, 3);
    for (int i = 0; i < 3; i++) { // all pins off: it falls as a whole
        for (int p = 0; p < 2; p++)
            apply_command(stage.lanes[i].simulation,
                          (Command){.kind = COMMAND_TOGGLE_PIN, .particle = p});
    }
    stage_advance(&stage, 0.2, INFINITY, NULL);
    assert_true(stage_distance(&stage, 0, 1).max == 0.0);
    double fall = 0.5 * 9.81 * 0.2 * (0.2 + 0.0005); // of symplectic Euler
    StageDistance distance = stage_distance(&stage, 2, 0);
    assert_near(distance.max, fall, 1e-4);
    assert_near(distance.rms, fall, 1e-4);
    stage_finish(&stage);
}

static int patience;
static bool gives_up(void)
{
    return --patience < 0;
}

static void an_interruption_leaves_the_clock(void **state)
{
    (void)state;
    const char *const lanes[] = {"step=0.0005"};
    Stage stage = stage_with(SMALL, lanes, 1);
    patience = 3;
    assert_false(stage_advance(&stage, 1.0, INFINITY, gives_up));
    assert_true(stage.time == 0.0);
    assert_true(simulation_readings(stage.lanes[0].simulation).step_count == 64);
    stage_finish(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lane_is_the_scene_with_its_own_parameters),
        cmocka_unit_test(a_lane_that_makes_no_sense_is_refused),
        cmocka_unit_test(lanes_run_as_by_themselves),
        cmocka_unit_test(positions_between_steps_have_fourth_order),
        cmocka_unit_test(nothing_is_interpolated_across_a_jump),
        cmocka_unit_test(a_lane_that_diverges_stops_and_the_others_go_on),
        cmocka_unit_test(a_distance_is_that_of_particles),
        cmocka_unit_test(an_interruption_leaves_the_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
