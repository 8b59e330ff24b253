// How the simulation handles a divergence: autopsy, going back, continuing; and copies of a state.
#include "support/solver_test.h"

#include "simulation/simulation_state.h"
#include "simulation/state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static Status set(Simulation *simulation, int param, double value)
{
    Command command = {.kind = COMMAND_SET_PARAM, .param = {.index = param, .value = value}};
    return simulation_apply(simulation, &command, NULL);
}

static void run(Simulation *simulation, int steps)
{
    Error error;
    for (int i = 0; i < steps; i++) {
        if (simulation_step(simulation, &error) != STATUS_OK) fail_msg("%s", error.text);
    }
}

static void until_divergence(Simulation *simulation)
{
    for (int n = 0; n < 30000; n++) {
        if (simulation_step(simulation, NULL) == STATUS_DIVERGED) return;
    }
    fail_msg("it did not diverge");
}

static void growth_of_a_sequence_is_found(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        double a[12], rho = 1.0 + 0.3 * kind;
        for (int i = 0; i < 12; i++) {
            double size = pow(rho, -i);
            a[i] = kind == 0   ? size * cos(1.1 * i)        // bounded oscillation
                   : kind == 1 ? size * (i % 2 ? -1 : 1)    // flips from step to step
                   : kind == 2 ? size                       // monotone
                               : size * cos(0.7 * i + 1.0); // growing oscillation
        }
        assert_near(autopsy_growth(a, 12), rho, 1e-4);
        assert_near(autopsy_growth(a, 5), rho, 1e-4);
        assert_true(autopsy_growth(a, 3) == 0.0);
    }
    // noise far below the newest values has no effect
    double noisy[] = {1.0, -0.25, 0.0625, -0.015625, 1e-5, 1e-5, 1.1e-5, 0.9e-5};
    assert_near(autopsy_growth(noisy, 8), 4.0, 0.05);
}

static void the_autopsy_names_mode_and_growth(void **state)
{
    (void)state;
    const char *const methods[] = {"symplectic-euler", "velocity-verlet", "midpoint", "rk4"};
    for (int m = 0; m < 4; m++) {
        char text[256];
        snprintf(text, sizeof text, "rows=16 columns=16 integrator=%s alpha=%s", methods[m],
                 m == 2 ? "1e-4" : "0");
        Simulation *simulation = simulation_with(text);
        double h = 1.06 * simulation->limit.step;
        simulation->scene.params.step = h;
        until_divergence(simulation);
        const Autopsy *autopsy = &simulation->now.autopsy;
        assert_true(autopsy->present);
        assert_int_equal(autopsy->detector, DETECTOR_ENERGY);
        assert_int_equal(autopsy->noticed_step, simulation->now.step_count + 1);
        assert_true(autopsy->first_bad_step >= 1 &&
                    autopsy->first_bad_step < autopsy->noticed_step);
        assert_true(autopsy->growth_predicted > 1.0);
        // the prediction is right: growth above 1 agrees within 10 %
        assert_near(autopsy->growth_measured, autopsy->growth_predicted,
                    0.1 * (autopsy->growth_predicted - 1.0));
        assert_near(autopsy->k_mode, autopsy->k0, 0.03 * autopsy->k0);
        // the springs are valid and sorted
        assert_int_equal(autopsy->spring_count, AUTOPSY_SPRINGS);
        for (int s = 1; s < AUTOPSY_SPRINGS; s++) {
            const AutopsySpring *a = &autopsy->springs[s - 1], *b = &autopsy->springs[s];
            assert_true(fabs(a->after - a->before) >= fabs(b->after - b->before));
            assert_true(b->spring < simulation->body.cloth.mesh.spring_count);
        }
        assert_true(autopsy->line_count >= 4);
        // the mode for the renderer has the largest length 1
        Snapshot snapshot = {0};
        assert_int_equal(simulation_fill_snapshot(simulation, &snapshot, NULL), STATUS_OK);
        assert_true(snapshot.autopsy.present && snapshot.monitor.state == MONITOR_DIVERGED);
        const float *u = snapshot.mode + 3 * autopsy->mode_particle;
        assert_near(sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]), 1.0, 1e-6);
        assert_true(snapshot.mode[0] == 0.0f); // a pinned corner
        snapshot_finish(&snapshot);

        simulation_destroy(simulation);
    }
}

// The increments v' - v of another run along the mode that the autopsy found.
static void the_first_bad_step_is_a_thousandth(void **state)
{
    (void)state;
    enum { STEPS = 1000 };
    static double along[STEPS];
    Simulation *diverged = simulation_with("rows=16 columns=16 integrator=symplectic-euler");
    Simulation *again =
        simulation_with("rows=16 columns=16 integrator=symplectic-euler on_divergence=continue");
    double h = 1.06 * diverged->limit.step;
    diverged->scene.params.step = again->scene.params.step = h;
    until_divergence(diverged);
    const Autopsy *autopsy = &diverged->now.autopsy;
    const Cloth *cloth = &again->body.cloth;
    long noticed = autopsy->noticed_step, first = autopsy->first_bad_step;
    assert_true(first > 1 && noticed < STEPS);
    double *before = mesh_flat_create(&cloth->mesh);
    for (long n = 1; n <= noticed; n++) {
        memcpy(before, cloth->v, (size_t)cloth->mesh.dofs * sizeof *before);
        run(again, 1);
        for (int i = 0; i < cloth->mesh.dofs; i++)
            along[n] += cloth->mass[i] * diverged->body.mode[i] * (cloth->v[i] - before[i]);
    }
    assert_true(fabs(along[noticed]) >= 1000.0 * fabs(along[first]));
    assert_true(fabs(along[noticed]) < 1000.0 * fabs(along[first + 1]));
    free(before);
    simulation_destroy(diverged);
    simulation_destroy(again);
}

// A cloth stretched by 60 % whose springs are too weak to move it: the detector has the very
// strain.
static void strain_is_measured(void **state)
{
    (void)state;
    for (int beyond = 0; beyond < 2; beyond++) {
        Scene scene = scene_with("rows=8 columns=8 gravity=0 stretch=0.1 shear=0.1 bend=0 "
                                 "density=10 step=1e-5");
        scene.start_stretch = 1.6;
        scene.params.strain_limit = beyond ? 0.599 : 0.601;
        Simulation *simulation = NULL;
        assert_int_equal(simulation_create(&scene, &simulation, NULL), STATUS_OK);
        assert_near(simulation_readings(simulation).max_strain, 0.6, 1e-12);
        if (beyond) {
            until_divergence(simulation);
            assert_int_equal(simulation->now.autopsy.detector, DETECTOR_STRAIN);
            // in the first step: two states are all there is, and enough for a mode
            assert_int_equal(simulation->now.autopsy.noticed_step, 1);
            assert_int_equal(simulation->now.autopsy.growth_steps, 1);
        } else {
            run(simulation, 1000);
        }
        simulation_destroy(simulation);
    }
}

// A strain that is no longer too large: a run that continued past it still has it on record, one
// that was stopped by it does not.
static void a_divergence_is_forgotten_only_by_a_new_try(void **state)
{
    (void)state;
    for (int continues = 0; continues < 2; continues++) {
        Scene scene = scene_with("rows=8 columns=8 gravity=0 stretch=0.1 shear=0.1 bend=0 "
                                 "density=10 step=1e-5 strain_limit=0.599");
        scene.start_stretch = 1.6;
        if (continues) scene_assign(&scene, "on_divergence=continue");
        Simulation *simulation = NULL;
        assert_int_equal(simulation_create(&scene, &simulation, NULL), STATUS_OK);
        for (int n = 0; !simulation->now.diverged; n++) {
            simulation_step(simulation, NULL);
            assert_true(n < 100);
        }
        simulation->scene.params.strain_limit = 0.601;
        run(simulation, 3);
        assert_int_equal(simulation->now.diverged, continues);
        assert_int_equal(simulation->now.diverged_text[0] != '\0', continues);
        simulation_destroy(simulation);
    }
}

static void nothing_finite_left_is_survived(void **state)
{
    (void)state;
    Simulation *simulation =
        simulation_with("rows=10 columns=10 step=0.1 speed_limit=1e6 stretch=1e6 "
                        "strain_limit=1e6 on_divergence=continue");
    Error error = {0};
    int n = 0;
    while (simulation_step(simulation, &error) == STATUS_OK) assert_true(n++ < 1000);
    assert_non_null(strstr(error.text, "finite"));
    assert_true(n > 1); // it did continue
    assert_true(simulation->now.autopsy.present);
    assert_int_equal(simulation->now.autopsy.line_count > 0, 1);
    for (int i = 0; i < simulation->body.cloth.mesh.dofs; i++) {
        assert_true(isfinite(simulation->body.cloth.x[i]));
        assert_true(isfinite(simulation->body.mode[i]));
    }
    // another step gives the same result, and a reset clears it
    assert_int_equal(simulation_step(simulation, NULL), STATUS_DIVERGED);
    Command reset = {.kind = COMMAND_RESET};
    assert_int_equal(simulation_apply(simulation, &reset, NULL), STATUS_OK);
    assert_false(simulation->now.autopsy.present || simulation->now.diverged);
    simulation_destroy(simulation);
}

static void rewinding_by_itself_ends_well(void **state)
{
    (void)state;
    Simulation *simulation = simulation_with("rows=12 columns=12 on_divergence=rewind");
    simulation->scene.params.step = 1.2 * simulation->limit.step;
    double latest = 0.0, back = 0.0;
    for (int n = 0; n < 100000 && simulation->now.time < 1.0; n++) {
        assert_int_equal(simulation_step(simulation, NULL), STATUS_OK);
        back = fmax(back, latest - simulation->now.time);
        latest = simulation->now.time;
    }
    assert_true(simulation->now.time >= 1.0);
    assert_int_equal(simulation->now.rewinds, 1);
    assert_true(back > 0.0);
    assert_true(simulation->scene.params.step == PARAM_WORD);
    assert_true(simulation_next_step(simulation) < simulation->limit.step);
    simulation_destroy(simulation);

    // a method without a stable step cannot be saved: it pauses
    simulation =
        simulation_with("rows=8 columns=8 integrator=explicit-euler alpha=0 air=0 step=1e-3 "
                        "on_divergence=rewind");
    until_divergence(simulation);
    assert_true(simulation->now.diverged);
    simulation_destroy(simulation);
}

static void one_can_go_back(void **state)
{
    (void)state;
    Simulation *simulation = simulation_with("rows=8 columns=8");
    Command rewind = {.kind = COMMAND_REWIND};
    assert_int_equal(simulation_apply(simulation, &rewind, NULL), STATUS_BAD_PARAMETER);
    while (simulation->now.time < 2.0) run(simulation, 1);
    double before = simulation->now.time;
    rewind.rewind.seconds = 0.5;
    assert_int_equal(simulation_apply(simulation, &rewind, NULL), STATUS_OK);
    assert_true(simulation->now.time <= before - 0.5 && simulation->now.time > before - 0.6);
    // again and further, to the oldest
    assert_int_equal(simulation_apply(simulation, &rewind, NULL), STATUS_OK);
    assert_true(simulation->now.time <= before - 1.0 && simulation->now.time > before - 1.2);
    rewind.rewind.seconds = 100.0;
    assert_int_equal(simulation_apply(simulation, &rewind, NULL), STATUS_OK);
    assert_int_equal(simulation_apply(simulation, &rewind, NULL), STATUS_BAD_PARAMETER);
    rewind.rewind.seconds = NAN;
    assert_int_equal(simulation_apply(simulation, &rewind, NULL), STATUS_BAD_PARAMETER);

    // a particle pinned since then does not move
    while (simulation->now.time < 1.5) run(simulation, 1);
    Command pin = {.kind = COMMAND_TOGGLE_PIN, .particle = 60};
    assert_int_equal(simulation_apply(simulation, &pin, NULL), STATUS_OK);
    rewind.rewind.seconds = 0.3;
    assert_int_equal(simulation_apply(simulation, &rewind, NULL), STATUS_OK);
    const Cloth *cloth = &simulation->body.cloth;
    Vec3 held = mesh_vector(&cloth->mesh, cloth->x, 60);
    run(simulation, 50);
    assert_near(vec3_length(vec3_sub(held, mesh_vector(&cloth->mesh, cloth->x, 60))), 0.0, 0.0);
    simulation_destroy(simulation);
}

// The same after 2^31 steps and a week.
static void an_old_run_can_go_back(void **state)
{
    (void)state;
    enum { STEPS = 400 };
    const long begun = (1L << 31) - STEPS / 2;
    Simulation *simulation = simulation_with("rows=8 columns=8 step=2e-3 alpha=1e-4");
    simulation->now.step_count = begun;
    simulation->now.time = 7 * 24 * 3600.0;
    run(simulation, STEPS);
    assert_true(simulation->now.step_count == begun + STEPS);
    simulation->scene.params.step = 1.3 * simulation->limit.step;
    until_divergence(simulation);
    const Autopsy *autopsy = &simulation->now.autopsy;
    assert_true(autopsy->can_go_back && autopsy->noticed_step > begun + STEPS);
    assert_true(autopsy->first_bad_step > begun && autopsy->first_bad_step < autopsy->noticed_step);
    simulation->scene.params.step = 2e-3;
    // before the step grew, and there on both sides of 2^31
    double since = simulation->now.time - 7 * 24 * 3600.0;
    apply_command(simulation, (Command){.kind = COMMAND_REWIND, .rewind = {since - 0.7}});
    assert_true(simulation->now.step_count > 1L << 31 &&
                simulation->now.step_count < begun + STEPS);
    apply_command(simulation, (Command){.kind = COMMAND_REWIND, .rewind = {0.5}});
    assert_true(simulation->now.step_count > begun && simulation->now.step_count < 1L << 31);
    run(simulation, STEPS);
    simulation_destroy(simulation);
}

static void a_mode_can_be_excited(void **state)
{
    (void)state;
    Simulation *simulation = simulation_with("rows=6 columns=6");
    run(simulation, 200);
    float shape[3 * 36];
    for (int i = 0; i < 3 * 36; i++) shape[i] = (i / 3) % 2 ? 1.0f : -1.0f;
    const Cloth *cloth = &simulation->body.cloth;
    Vec3 before = mesh_vector(&cloth->mesh, cloth->v, 20);
    Command excite = {.kind = COMMAND_EXCITE,
                      .excite = {.shape = shape, .particle_count = 36, .amplitude = 2.0}};
    assert_int_equal(simulation_apply(simulation, &excite, NULL), STATUS_OK);
    assert_near(mesh_vector(&cloth->mesh, cloth->v, 20).y, before.y - 2.0, 1e-12);
    assert_near(vec3_length(mesh_vector(&cloth->mesh, cloth->v, 0)), 0.0, 0.0); // pinned
    run(simulation, 200); // no alarm: the command added that energy
    assert_int_equal(simulation->now.monitor.state, MONITOR_STABLE);

    Error error = {0};
    Command bad = excite;
    bad.excite.particle_count = 35;
    assert_int_equal(simulation_apply(simulation, &bad, &error), STATUS_BAD_PARAMETER);
    bad = excite;
    bad.excite.amplitude = 1e9;
    assert_int_equal(simulation_apply(simulation, &bad, &error), STATUS_BAD_PARAMETER);
    bad.excite.amplitude = NAN;
    assert_int_equal(simulation_apply(simulation, &bad, &error), STATUS_BAD_PARAMETER);
    shape[50] = NAN;
    assert_int_equal(simulation_apply(simulation, &excite, &error), STATUS_BAD_PARAMETER);
    assert_non_null(strstr(error.text, "particle 16"));
    simulation_destroy(simulation);
}

static void a_copy_goes_on_as_the_original(void **state)
{
    (void)state;
    Simulation *original = simulation_with("rows=7 columns=9 filter=exponential stretch=200");
    Simulation *other = simulation_with("rows=4 columns=4 integrator=rk4");
    Command commands[] = {{.kind = COMMAND_GRAB}, {.kind = COMMAND_TOGGLE_PIN, .particle = 30}};
    commands[0].hand.particle = 50;
    commands[0].hand.target = (Vec3){0.4, -0.2, 0.5};
    run(original, 40);
    for (int c = 0; c < 2; c++) {
        assert_int_equal(simulation_apply(original, &commands[c], NULL), STATUS_OK);
    }
    run(original, 40);
    State *copy = NULL;
    assert_int_equal(state_create(&copy, NULL), STATUS_OK);
    assert_int_equal(state_save(original, copy, NULL), STATUS_OK);
    assert_int_equal(state_restore(copy, other, NULL), STATUS_OK);
    unsigned built = other->topology_version;
    size_t bytes = (size_t)original->body.cloth.mesh.dofs * sizeof(double);
    for (int k = 0; k < 3; k++) {
        assert_true(other->now.time == original->now.time);
        assert_int_equal(other->now.step_count, original->now.step_count);
        assert_int_equal(other->body.cloth.grabbed, 50);
        run(original, 30);
        run(other, 30);
        assert_memory_equal(original->body.cloth.x, other->body.cloth.x, bytes);
        assert_memory_equal(original->body.cloth.v, other->body.cloth.v, bytes);

        // again, into the same memory and the same cloth
        assert_int_equal(state_save(original, copy, NULL), STATUS_OK);
        assert_int_equal(state_restore(copy, other, NULL), STATUS_OK);
        assert_int_equal(other->topology_version, built);
    }
    // another cloth
    const ParamInfo *rows = param_find("rows");
    assert_int_equal(set(original, (int)(rows - param_table), 12.0), STATUS_OK);
    run(original, 10);
    assert_int_equal(state_save(original, copy, NULL), STATUS_OK);
    assert_int_equal(state_restore(copy, other, NULL), STATUS_OK);
    assert_int_equal(other->topology_version, built + 1);
    assert_int_equal(other->body.cloth.mesh.rows, 12);
    assert_true(other->now.time == original->now.time);
    state_destroy(copy);
    simulation_destroy(original);
    simulation_destroy(other);
}

static void the_monitor_knows_a_denser_cloth(void **state)
{
    (void)state;
    Simulation *simulation = simulation_with("rows=6 columns=7 density=0.1");
    run(simulation, 20);
    double before = simulation->drop;
    assert_int_equal(set(simulation, (int)(param_find("density") - param_table), 0.3), STATUS_OK);
    assert_near(simulation->drop, 3.0 * before, 1e-12 * before);
    run(simulation, 60);
    assert_near(simulation->now.monitor.limits.energy,
                3.0 * before * simulation->scene.params.gravity, 1e-9);
    simulation_destroy(simulation);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(growth_of_a_sequence_is_found),
        cmocka_unit_test(the_autopsy_names_mode_and_growth),
        cmocka_unit_test(the_first_bad_step_is_a_thousandth),
        cmocka_unit_test(strain_is_measured),
        cmocka_unit_test(a_divergence_is_forgotten_only_by_a_new_try),
        cmocka_unit_test(nothing_finite_left_is_survived),
        cmocka_unit_test(rewinding_by_itself_ends_well),
        cmocka_unit_test(one_can_go_back),
        cmocka_unit_test(an_old_run_can_go_back),
        cmocka_unit_test(a_mode_can_be_excited),
        cmocka_unit_test(a_copy_goes_on_as_the_original),
        cmocka_unit_test(the_monitor_knows_a_denser_cloth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
