// Commands and the hand: what each one does, what is refused, and that no sequence breaks a run.
#include "support/random_command.h"
#include "support/solver_test.h"

#include "simulation/simulation_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static Vec3 velocity(const Simulation *simulation, int particle)
{
    return mesh_vector(&simulation->body.cloth.mesh, simulation->body.cloth.v, particle);
}

static Command hand_command(CommandKind kind, int particle, Vec3 target)
{
    Command command = {.kind = kind};
    command.hand.particle = particle;
    command.hand.target = target;
    return command;
}

static Command particle_command(CommandKind kind, int particle)
{
    Command command = {.kind = kind};
    command.particle = particle;
    return command;
}

static void refuse(Simulation *simulation, Command command, const char *why)
{
    Error error = {0};
    size_t bytes = (size_t)simulation->body.cloth.mesh.dofs * sizeof(double);
    double *x = malloc(bytes);
    memcpy(x, simulation->body.cloth.x, bytes);
    Params before = *simulation_params(simulation);
    assert_int_equal(simulation_apply(simulation, &command, &error), STATUS_BAD_PARAMETER);
    if (!strstr(error.text, why)) fail_msg("%s", error.text);
    assert_memory_equal(x, simulation->body.cloth.x, bytes);
    assert_memory_equal(&before, simulation_params(simulation), sizeof before);
    free(x);
}

static void hand_moves_a_particle_within_its_speed(void **state)
{
    (void)state;
    const char *const scenes[] = {"rows=8 columns=8 hand_speed=2",
                                  "rows=8 columns=8 hand_speed=2 integrator=backward-euler",
                                  ("rows=8 columns=8 hand_speed=2 step=0.01 filter=exponential "
                                   "integrator=backward-euler")};
    for (int k = 0; k < 3; k++) {
        Simulation *simulation = simulation_with(scenes[k]);
        const Vec3 target = {0.5, 0.4, 0.8};
        apply_command(simulation, hand_command(COMMAND_GRAB, 60, target));
        Vec3 before = particle_position(simulation, 60);
        double start = vec3_length(vec3_sub(target, before));
        while (simulation->now.time < 0.1) {
            double h = simulation_next_step(simulation);
            run_steps(simulation, 1);
            Vec3 now = particle_position(simulation, 60);
            assert_true(vec3_length(vec3_sub(now, before)) <= 2.0 * h * (1.0 + 1e-9));
            assert_near(vec3_length(velocity(simulation, 60)), 2.0, 1e-9);
            before = now;
        }
        assert_near(vec3_length(vec3_sub(target, before)), start - 2.0 * simulation->now.time,
                    1e-9);
        while (simulation->now.time < 1.0) run_steps(simulation, 1);
        Vec3 arrived = particle_position(simulation, 60);
        assert_near(vec3_length(vec3_sub(target, arrived)), 0.0, 1e-3);
        // taking another one lets go of the first
        apply_command(simulation,
                      hand_command(COMMAND_GRAB, 61, particle_position(simulation, 61)));
        run_steps(simulation, 20);
        assert_true(vec3_length(vec3_sub(particle_position(simulation, 60), arrived)) > 1e-6);
        apply_command(simulation,
                      hand_command(COMMAND_GRAB, 60, particle_position(simulation, 60)));

        // a new target; let go on the way: the particle keeps the hand's velocity
        apply_command(simulation, hand_command(COMMAND_MOVE_HAND, -1, (Vec3){2.0, 2.0, 2.0}));
        run_steps(simulation, 3);
        Vec3 v = velocity(simulation, 60);
        assert_near(vec3_length(v), 2.0, 1e-9);
        apply_command(simulation, (Command){.kind = COMMAND_RELEASE});
        assert_near(vec3_length(vec3_sub(v, velocity(simulation, 60))), 0.0, 0.0);
        assert_int_equal(simulation->body.cloth.grabbed, -1);
        run_steps(simulation, 100);
        assert_true(particle_position(simulation, 60).y < 2.0);
        simulation_destroy(simulation);
    }
}

// Between steps time rests, so nothing moves: a hand that went far is followed at its own speed.
static void hand_moves_nothing_between_steps(void **state)
{
    (void)state;
    Simulation *simulation = simulation_with("");
    run_steps(simulation, 50);
    const int particle = 16 * 32 + 16; // in the middle
    const double hand_speed = simulation_params(simulation)->hand_speed;
    Vec3 x = particle_position(simulation, particle), v = velocity(simulation, particle);
    Vec3 target = {x.x, x.y + 0.3, x.z};
    apply_command(simulation, hand_command(COMMAND_GRAB, particle, x));
    Readings held = simulation_readings(simulation);
    for (int k = 1; k <= 10; k++) {
        Vec3 on_the_way = {x.x, x.y + 0.03 * k, x.z};
        apply_command(simulation, hand_command(COMMAND_MOVE_HAND, particle, on_the_way));
    }
    Readings moved = simulation_readings(simulation);
    assert_near(vec3_length(vec3_sub(particle_position(simulation, particle), x)), 0.0, 0.0);
    assert_near(vec3_length(vec3_sub(velocity(simulation, particle), v)), 0.0, 0.0);
    assert_true(moved.k0 == held.k0 && moved.balance.hand == held.balance.hand);
    assert_true(moved.energy.elastic == held.energy.elastic);

    double fastest = 0.0;
    for (int n = 0; n < 2000; n++) {
        run_steps(simulation, 1); // and does not diverge
        fastest = fmax(fastest, simulation_readings(simulation).max_speed);
        assert_true(vec3_length(velocity(simulation, particle)) <= hand_speed * (1.0 + 1e-12));
    }
    assert_near(vec3_length(vec3_sub(particle_position(simulation, particle), target)), 0.0, 1e-6);
    assert_true(fastest < 4.0 * hand_speed); // those it pulls along whip a little
    simulation_destroy(simulation);
}

// The hand lets the particle slip before the cloth can throw it faster than the speed limit:
// however far somebody pulls, letting go is no divergence.
static void what_is_pulled_far_is_let_go(void **state)
{
    (void)state;
    const char *const methods[] = {"symplectic-euler", "rk4", "velocity-verlet", "backward-euler"};
    for (int k = 0; k < 4; k++) {
        char scene[160];
        snprintf(scene, sizeof scene, "rows=24 columns=24 stretch=600 integrator=%s", methods[k]);
        Simulation *simulation = simulation_with(scene);
        const int corner = 24 * 24 - 1;
        Vec3 x = particle_position(simulation, corner);
        apply_command(simulation, hand_command(COMMAND_GRAB, corner, (Vec3){x.x, x.y, x.z + 3.0}));
        while (simulation->now.time < 1.0) run_steps(simulation, 1);
        assert_true(particle_position(simulation, corner).z > x.z + 0.1);
        apply_command(simulation, (Command){.kind = COMMAND_RELEASE});
        while (simulation->now.time < 1.5) run_steps(simulation, 1); // and does not diverge
        simulation_destroy(simulation);
    }
}

// What nothing holds and nothing pulls down is thrown away for good: the view goes with it.
static void view_follows_what_floats(void **state)
{
    (void)state;
    Scene scene = scene_with("rows=1 columns=2 size=0.5 gravity=0 air=0");
    scene.pins = 0;
    Simulation *simulation;
    assert_int_equal(simulation_create(&scene, &simulation, NULL), STATUS_OK);
    Snapshot before = {0}, after = {0};
    assert_int_equal(simulation_fill_snapshot(simulation, &before, NULL), STATUS_OK);
    Vec3 x = particle_position(simulation, 0);
    apply_command(simulation, hand_command(COMMAND_GRAB, 0, (Vec3){x.x + 1.0, x.y, x.z}));
    while (simulation->now.time < 0.1) run_steps(simulation, 1);
    apply_command(simulation, (Command){.kind = COMMAND_RELEASE});
    while (simulation->now.time < 5.0) run_steps(simulation, 1);
    assert_int_equal(simulation_fill_snapshot(simulation, &after, NULL), STATUS_OK);
    double way = particle_position(simulation, 0).x + particle_position(simulation, 1).x - 0.5;
    assert_true(way > 1.0);
    assert_near(after.view_centre[0] - before.view_centre[0], 0.5 * way, 1e-5);
    snapshot_finish(&before);
    snapshot_finish(&after);
    simulation_destroy(simulation);
}

// What is shown after a rewind belongs to the state it led to, and looking changes nothing.
static void readings_follow_commands_and_change_nothing(void **state)
{
    (void)state;
    Simulation *simulation = simulation_with("rows=8 columns=8");
    run_steps(simulation, 400);
    apply_command(simulation, (Command){.kind = COMMAND_REWIND, .rewind = {0.1}});
    assert_true(simulation_readings(simulation).k0_time == simulation->now.time);
    assert_false(simulation->now.stiffness_due);
    StateValues before = simulation->now;
    Readings first = simulation_readings(simulation), again = simulation_readings(simulation);
    assert_true(first.k0 == again.k0 && first.limit.step == again.limit.step);
    assert_memory_equal(&before, &simulation->now, sizeof before);
    simulation_destroy(simulation);
}

static void pinned_particles_can_be_moved_and_stay_pinned(void **state)
{
    (void)state;
    Simulation *simulation = simulation_with("rows=8 columns=8 hand_speed=1");
    apply_command(simulation, hand_command(COMMAND_GRAB, 0, (Vec3){0.0, 1.0, 0.0}));
    run_steps(simulation, 50);
    assert_true(particle_position(simulation, 0).y > 0.0);
    apply_command(simulation, (Command){.kind = COMMAND_RELEASE});
    Vec3 x = particle_position(simulation, 0);
    assert_near(vec3_length(velocity(simulation, 0)), 0.0, 0.0);
    run_steps(simulation, 50);
    assert_near(vec3_length(vec3_sub(particle_position(simulation, 0), x)), 0.0, 0.0);

    apply_command(simulation, particle_command(COMMAND_TOGGLE_PIN, 0));
    run_steps(simulation, 50);
    assert_true(vec3_length(vec3_sub(particle_position(simulation, 0), x)) > 0.0);
    apply_command(simulation, particle_command(COMMAND_TOGGLE_PIN, 0));
    x = particle_position(simulation, 0);
    run_steps(simulation, 50);
    assert_near(vec3_length(vec3_sub(particle_position(simulation, 0), x)), 0.0, 0.0);
    simulation_destroy(simulation);
}

static void bad_commands_are_refused(void **state)
{
    (void)state;
    Simulation *simulation = simulation_with("rows=4 columns=5");
    run_steps(simulation, 5);
    refuse(simulation, particle_command(COMMAND_TOGGLE_PIN, 20), "particles 0 to 19");
    refuse(simulation, particle_command(COMMAND_TOGGLE_PIN, -1), "no particle -1");
    refuse(simulation, hand_command(COMMAND_GRAB, 99, (Vec3){0}), "no particle 99");
    refuse(simulation, hand_command(COMMAND_GRAB, 1, (Vec3){NAN, 0.0, 0.0}), "hand cannot go");
    refuse(simulation, hand_command(COMMAND_MOVE_HAND, 1, (Vec3){0.0, 1e9, 0.0}), "hand cannot go");
    Command body = {.kind = COMMAND_GRAB_BODY};
    refuse(simulation, body, "no body 0 to grab");
    refuse(simulation, command_set("stretch", -5.0), "0.1 to 1e+06");
    Command command = {.kind = COMMAND_SET_PARAM};
    command.param.index = param_count;
    refuse(simulation, command, "no parameter number");
    command.param.index = -1;
    refuse(simulation, command, "no parameter number");
    refuse(simulation, (Command){.kind = COMMAND_QUIT}, "simulation's thread");
    refuse(simulation, (Command){.kind = (CommandKind)77}, "command 77");
    Scene small = scene_default();
    small.params.size = -1.0;
    refuse(simulation, (Command){.kind = COMMAND_LOAD_SCENE, .scene = &small}, "size");
    // nothing in the hand: no complaint, a reset may have let go meanwhile
    apply_command(simulation, (Command){.kind = COMMAND_RELEASE});
    apply_command(simulation, hand_command(COMMAND_MOVE_HAND, 0, (Vec3){0}));
    simulation_destroy(simulation);
}

static void parameters_change_while_it_moves(void **state)
{
    (void)state;
    Simulation *simulation = simulation_with("rows=6 columns=6");
    run_steps(simulation, 30);
    Vec3 x = particle_position(simulation, 20);
    const struct {
        const char *name;
        double value;
    } live[] = {{"stretch", 1000.0}, {"shear", 0.0},  {"bend", 0.0},     {"air", 2.0},
                {"alpha", 0.0},      {"filter", 1.0}, {"lambda", 1.5},   {"filter_distance", 1.0},
                {"gravity", 1.0},    {"ground", 0.0}, {"integrator", 6}, {"density", 1.0},
                {"tangent", 1.0},    {"speed", -1.0}};
    for (size_t k = 0; k < sizeof live / sizeof live[0]; k++) {
        apply_command(simulation, command_set(live[k].name, live[k].value));
        assert_true(param_get(simulation_params(simulation), param_find(live[k].name)) ==
                    live[k].value);
    }
    assert_near(vec3_length(vec3_sub(particle_position(simulation, 20), x)), 0.0,
                0.0); // continues there
    assert_true(simulation->now.time > 0.0);
    assert_near(cloth_mass(&simulation->body.cloth, 3), 1.0 / 36.0, 1e-16);
    run_steps(simulation, 5);
    assert_int_equal(simulation_readings(simulation).last.pcg.converged, true);

    // size is another cloth, from its start
    apply_command(simulation, command_set("rows", 9.0));
    assert_int_equal(simulation->body.cloth.mesh.particle_count, 54);
    assert_true(simulation->now.time == 0.0);
    assert_true(simulation->body.cloth.pinned[5]);
    run_steps(simulation, 5);
    unsigned version = simulation->topology_version;
    apply_command(simulation, command_set("rows", 9.0)); // already so: nothing happens
    assert_int_equal(simulation->topology_version, version);
    assert_int_equal(simulation->now.step_count, 5);
    simulation_destroy(simulation);
}

static void reset_is_a_fresh_start_with_todays_parameters(void **state)
{
    (void)state;
    Simulation *simulation = simulation_with("rows=6 columns=6"), *fresh;
    apply_command(simulation, particle_command(COMMAND_TOGGLE_PIN, 0));
    apply_command(simulation, hand_command(COMMAND_GRAB, 30, (Vec3){1.0, 1.0, 1.0}));
    run_steps(simulation, 40);
    apply_command(simulation, command_set("stretch", 200.0));
    apply_command(simulation, (Command){.kind = COMMAND_RESET});
    assert_int_equal(simulation->body.cloth.grabbed, -1);
    fresh = simulation_with("rows=6 columns=6 stretch=200");
    assert_true(simulation->now.time == 0.0 && simulation->now.step_count == 0);
    for (int s = 0; s < 40; s++) {
        run_steps(simulation, 1);
        run_steps(fresh, 1);
    }
    assert_memory_equal(simulation->body.cloth.x, fresh->body.cloth.x,
                        (size_t)fresh->body.cloth.mesh.dofs * sizeof(double));
    simulation_destroy(simulation);
    simulation_destroy(fresh);
}

static void loading_a_scene_replaces_everything(void **state)
{
    (void)state;
    Simulation *simulation = simulation_with("rows=6 columns=6");
    Snapshot snapshot = {0};
    assert_int_equal(simulation_fill_snapshot(simulation, &snapshot, NULL), STATUS_OK);
    Scene curtain = scene_with("rows=3 columns=4 stretch=70");
    curtain.pins = PIN_LEFT_EDGE;
    strcpy(curtain.name, "curtain");
    run_steps(simulation, 3);
    apply_command(simulation, (Command){.kind = COMMAND_LOAD_SCENE, .scene = &curtain});
    snapshot.notice_serial = 5; // the thread's own fields survive
    assert_int_equal(simulation_fill_snapshot(simulation, &snapshot, NULL), STATUS_OK);
    assert_int_equal(snapshot.notice_serial, 5);
    assert_string_equal(snapshot.scene.name, "curtain");
    assert_int_equal(snapshot.particle_count, 12);
    assert_int_equal(snapshot.triangle_count, 12);
    assert_int_equal(snapshot.readings.step_count, 0);
    int pinned = 0;
    for (int p = 0; p < 12; p++) pinned += snapshot.pinned[p];
    assert_int_equal(pinned, 3);
    snapshot_finish(&snapshot);
    simulation_destroy(simulation);
}

static void no_sequence_of_commands_breaks_it(void **state)
{
    (void)state;
    uint32_t seed = 2024;
    Simulation *simulation = simulation_with("rows=6 columns=6");
    Snapshot snapshot = {0};
    int accepted = 0, refused = 0, diverged = 0, steps = 0;
    for (int k = 0; k < 6000; k++) {
        Scene scene;
        Command command = random_command(&seed, simulation->body.cloth.mesh.particle_count, &scene);
        Error error = {0};
        Status status = simulation_apply(simulation, &command, &error);
        assert_true(status == STATUS_OK || error.text[0] != '\0');
        *(status == STATUS_OK ? &accepted : &refused) += 1;
        if (k % 3 != 0) {
            int count = (int)noise_between(&seed, 0.0, 4.0);
            for (int s = 0; s < count; s++, steps++) {
                status = simulation_step(simulation, &error);
                assert_true(status == STATUS_OK || status == STATUS_DIVERGED);
                diverged += status == STATUS_DIVERGED;
            }
        }
        const Cloth *cloth = &simulation->body.cloth;
        for (int i = 0; i < cloth->mesh.dofs; i++) {
            assert_true(isfinite(cloth->x[i]) && isfinite(cloth->v[i]));
        }
        double h = simulation_next_step(simulation);
        assert_true(h > 0.0 && h <= 0.1);
        if (k % 10 == 0) {
            assert_int_equal(simulation_fill_snapshot(simulation, &snapshot, &error), STATUS_OK);
            assert_true(isfinite(energy_total(snapshot.readings.energy)));
        }
    }
    // every kind of outcome occurred
    assert_true(accepted > 1000 && refused > 500 && diverged > 10 && steps > 2 * diverged);
    snapshot_finish(&snapshot);
    simulation_destroy(simulation);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hand_moves_a_particle_within_its_speed),
        cmocka_unit_test(hand_moves_nothing_between_steps),
        cmocka_unit_test(what_is_pulled_far_is_let_go),
        cmocka_unit_test(view_follows_what_floats),
        cmocka_unit_test(readings_follow_commands_and_change_nothing),
        cmocka_unit_test(pinned_particles_can_be_moved_and_stay_pinned),
        cmocka_unit_test(bad_commands_are_refused),
        cmocka_unit_test(parameters_change_while_it_moves),
        cmocka_unit_test(reset_is_a_fresh_start_with_todays_parameters),
        cmocka_unit_test(loading_a_scene_replaces_everything),
        cmocka_unit_test(no_sequence_of_commands_breaks_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
