// Starts, pins, divergence, snapshots, the floor, and the independence of two simulations.
#include "support/solver_test.h"

#include "simulation/simulation_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void pins_hold(void **state)
{
    (void)state;
    const struct {
        unsigned pins;
        int count;
    } cases[] = {
        {0, 0},
        {PIN_TOP_LEFT | PIN_TOP_RIGHT, 2},
        {PIN_TOP_LEFT | PIN_TOP_RIGHT | PIN_BOTTOM_LEFT | PIN_BOTTOM_RIGHT, 4},
        {PIN_TOP_EDGE, 7},
        {PIN_LEFT_EDGE, 5},
        {PIN_TOP_EDGE | PIN_LEFT_EDGE, 11},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        Scene scene = scene_with("rows=5 columns=7");
        scene.pins = cases[k].pins;
        Simulation *simulation;
        assert_int_equal(simulation_create(&scene, &simulation, NULL), STATUS_OK);
        run_steps(simulation, 50);
        int count = 0;
        for (int p = 0; p < 35; p++) {
            bool pinned = simulation->body.cloth.pinned[p];
            count += pinned;
            Vec3 moved = vec3_sub(particle_position(simulation, p),
                                  simulation->body.cloth.mesh.rest_position[p]);
            assert_int_equal(vec3_length(moved) == 0.0, pinned);
        }
        assert_int_equal(count, cases[k].count);
        simulation_destroy(simulation);
    }
}

static void gathered_cloth_starts_in_folds_unstretched(void **state)
{
    (void)state;
    Simulation *simulation = simulation_with("rows=6 columns=49 gather=0.7 folds=2");
    const Mesh *mesh = &simulation->body.cloth.mesh;
    int peaks = 0;
    for (int i = 0; i < 49; i++) {
        Vec3 here = particle_position(simulation, i),
             below = particle_position(simulation, 5 * 49 + i);
        assert_true(here.x == below.x && here.y == below.y); // folds run from top to bottom
        assert_near(below.z - here.z, mesh->height, 1e-15);
        if (i == 0 || i == 48) continue;
        double left = particle_position(simulation, i - 1).y,
               right = particle_position(simulation, i + 1).y;
        peaks += here.y > left && here.y >= right;
        double gap = vec3_length(vec3_sub(here, particle_position(simulation, i - 1)));
        assert_near(gap, mesh->spacing, 0.01 * mesh->spacing); // the chord of an equal arc
    }
    assert_int_equal(peaks, 2);
    assert_near(particle_position(simulation, 48).x - particle_position(simulation, 0).x, 0.7,
                1e-6);
    assert_near(particle_position(simulation, 48).x + particle_position(simulation, 0).x, 1.0,
                1e-6); // centred
    simulation_destroy(simulation);
}

static void bad_scenes_are_refused(void **state)
{
    (void)state;
    Scene scene = scene_default();
    scene.params.rows = 100000;
    Simulation *simulation = (Simulation *)&scene;
    Error error;
    assert_int_equal(simulation_create(&scene, &simulation, &error), STATUS_BAD_PARAMETER);
    assert_null(simulation);
    assert_non_null(strstr(error.text, "rows"));
    scene = scene_default();
    scene.params.stretch = NAN;
    assert_int_equal(simulation_create(&scene, &simulation, &error), STATUS_BAD_PARAMETER);
    scene = scene_default();
    scene.params.integrator = 99;
    assert_int_equal(simulation_create(&scene, &simulation, &error), STATUS_BAD_PARAMETER);
    simulation_destroy(NULL);
}

static void snapshots_show_the_state(void **state)
{
    (void)state;
    Simulation *simulation = simulation_with("rows=5 columns=9 size=2");
    Snapshot snapshot = {0};
    run_steps(simulation, 20);
    apply_command(simulation,
                  (Command){.kind = COMMAND_GRAB, .hand = {7, (Vec3){0.5, 0.25, 0.125}}});
    assert_int_equal(simulation_fill_snapshot(simulation, &snapshot, NULL), STATUS_OK);
    const Mesh *mesh = &simulation->body.cloth.mesh;
    assert_int_equal(snapshot.particle_count, 45);
    assert_int_equal(snapshot.spring_count, mesh->spring_count);
    for (int p = 0; p < 45; p++) {
        assert_true(snapshot.position[3 * p + 1] == (float)particle_position(simulation, p).y);
        assert_int_equal(snapshot.pinned[p], p == 0 || p == 8);
    }
    for (int s = 0; s < mesh->spring_count; s++) {
        assert_int_equal(snapshot.springs[2 * s + 1], mesh->springs[s][1]);
        assert_int_equal(snapshot.spring_kind[s], mesh_spring_kind(mesh, s));
        assert_true(snapshot.rest_length[s] == (float)mesh->rest_length[s]);
    }
    assert_int_equal(snapshot.grabbed, 7);
    assert_true(snapshot.hand[1] == 0.25f);
    assert_near(snapshot.spacing, 0.25, 1e-7);
    assert_near(snapshot.centre[0], 1.0, 1e-7);
    assert_near(snapshot.centre[2], 0.5, 1e-7);
    assert_near(snapshot.radius, 0.5 * hypot(2.0, 1.0), 1e-6);
    assert_int_equal(snapshot.readings.step_count, 20);
    assert_true(snapshot.readings.time > 0.0 && snapshot.readings.cost > 0.0);
    assert_true(snapshot.readings.step == simulation_next_step(simulation));
    assert_true(snapshot.readings.step < snapshot.readings.limit.step);
    assert_false(snapshot.diverged);
    const float *before = snapshot.position;
    run_steps(simulation, 1);
    assert_int_equal(simulation_fill_snapshot(simulation, &snapshot, NULL), STATUS_OK);
    assert_ptr_equal(before, snapshot.position); // same cloth, same memory
    snapshot_finish(&snapshot);
    snapshot_finish(&snapshot);
    simulation_destroy(simulation);
}

static void divergence_keeps_the_last_good_state(void **state)
{
    (void)state;
    const char *const scenes[] = {
        "rows=10 columns=10 safety=1.5 alpha=0",       // too large a step
        "rows=10 columns=10 step=0.1 speed_limit=1e6", // overflows at once
        "rows=10 columns=10 filter=exponential lambda=0.1 step=0.02",
    };
    for (int k = 0; k < 3; k++) {
        Simulation *simulation = simulation_with(scenes[k]);
        size_t bytes = (size_t)simulation->body.cloth.mesh.dofs * sizeof(double);
        double *x = malloc(bytes), *v = malloc(bytes);
        Error error = {0};
        Status status = STATUS_OK;
        int steps = 0;
        while (status == STATUS_OK) {
            assert_true(steps++ < 20000);
            memcpy(x, simulation->body.cloth.x, bytes);
            memcpy(v, simulation->body.cloth.v, bytes);
            status = simulation_step(simulation, &error);
        }
        assert_int_equal(status, STATUS_DIVERGED);
        assert_non_null(strstr(error.text, "the last good state is shown"));
        assert_memory_equal(x, simulation->body.cloth.x, bytes);
        assert_memory_equal(v, simulation->body.cloth.v, bytes);
        assert_int_equal(simulation->now.step_count, steps - 1);
        for (int i = 0; i < simulation->body.cloth.mesh.dofs; i++) {
            assert_true(isfinite(x[i]) && isfinite(v[i]));
        }
        Snapshot snapshot = {0};
        assert_int_equal(simulation_fill_snapshot(simulation, &snapshot, NULL), STATUS_OK);
        assert_true(snapshot.diverged);
        assert_string_equal(snapshot.diverged_text, error.text);
        assert_true(isfinite(snapshot.readings.energy.kinetic));
        // still diverged when asked again; fine with a small step, or from the start
        assert_int_equal(simulation_step(simulation, &error), STATUS_DIVERGED);
        apply_command(simulation, command_set("air", 0.7));
        apply_command(simulation, command_set("air", 0.8));
        assert_true(simulation->now.diverged); // moving sliders does not take the card away
        assert_non_null(simulation_autopsy(simulation));
        apply_command(simulation, (Command){.kind = COMMAND_RESET});
        apply_command(simulation, command_set("step", PARAM_WORD));
        apply_command(simulation, command_set("safety", 0.5));
        run_steps(simulation, 10);
        assert_int_equal(simulation_fill_snapshot(simulation, &snapshot, NULL), STATUS_OK);
        assert_false(snapshot.diverged);
        assert_string_equal(snapshot.diverged_text, "");
        snapshot_finish(&snapshot);
        free(x), free(v);
        simulation_destroy(simulation);
    }
}

static void floor_holds_a_falling_cloth(void **state)
{
    (void)state;
    const char *const scenes[] = {"rows=6 columns=6 ground=-0.3",
                                  "rows=6 columns=6 ground=-0.3 integrator=backward-euler"};
    for (int k = 0; k < 2; k++) {
        Scene scene = scene_with(scenes[k]);
        scene.pins = 0;
        Simulation *simulation;
        assert_int_equal(simulation_create(&scene, &simulation, NULL), STATUS_OK);
        while (simulation->now.time < 2.0) {
            run_steps(simulation, 1);
            for (int p = 0; p < 36; p++) assert_true(particle_position(simulation, p).y >= -0.3);
        }
        for (int p = 0; p < 36; p++) assert_near(particle_position(simulation, p).y, -0.3, 1e-3);
        simulation_destroy(simulation);
    }
}

static void simulations_do_not_know_of_each_other(void **state)
{
    (void)state;
    const char *const scenes[] = {"rows=9 columns=9 filter=exponential",
                                  "rows=9 columns=9 integrator=backward-euler"};
    Simulation *alone[2], *together[2];
    for (int k = 0; k < 2; k++) {
        alone[k] = simulation_with(scenes[k]);
        run_steps(alone[k], 150);
    }
    for (int k = 0; k < 2; k++) together[k] = simulation_with(scenes[k]);
    for (int s = 0; s < 150; s++) {
        run_steps(together[0], 1);
        simulation_readings(together[1]); // reading changes nothing
        run_steps(together[1], 1);
    }
    for (int k = 0; k < 2; k++) {
        size_t bytes = (size_t)alone[k]->body.cloth.mesh.dofs * sizeof(double);
        assert_memory_equal(alone[k]->body.cloth.x, together[k]->body.cloth.x, bytes);
        assert_memory_equal(alone[k]->body.cloth.v, together[k]->body.cloth.v, bytes);
        assert_true(alone[k]->now.time == together[k]->now.time);
        simulation_destroy(alone[k]);
        simulation_destroy(together[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pins_hold),
        cmocka_unit_test(gathered_cloth_starts_in_folds_unstretched),
        cmocka_unit_test(bad_scenes_are_refused),
        cmocka_unit_test(snapshots_show_the_state),
        cmocka_unit_test(divergence_keeps_the_last_good_state),
        cmocka_unit_test(floor_holds_a_falling_cloth),
        cmocka_unit_test(simulations_do_not_know_of_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
