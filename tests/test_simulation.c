// Commands, the hand, divergence, snapshots, and the independence of two simulations.
#include "support/solver_test.h"

#include "simulation/simulation_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static Simulation *create(const char *assignments)
{
    Scene scene = scene_with(assignments);
    Simulation *simulation;
    Error error;
    if (simulation_create(&scene, &simulation, &error) != STATUS_OK) fail_msg("%s", error.text);
    return simulation;
}

static void run(Simulation *simulation, int steps)
{
    for (int s = 0; s < steps; s++) assert_int_equal(simulation_step(simulation, NULL), STATUS_OK);
}

static Vec3 position(const Simulation *simulation, int particle)
{
    return mesh_vector(&simulation->body.cloth.mesh, simulation->body.cloth.x, particle);
}

static Vec3 velocity(const Simulation *simulation, int particle)
{
    return mesh_vector(&simulation->body.cloth.mesh, simulation->body.cloth.v, particle);
}

static Command set_command(const char *name, double value)
{
    Command command = {.kind = COMMAND_SET_PARAM};
    command.param.index = (int)(param_find(name) - param_table);
    command.param.value = value;
    return command;
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

static void apply(Simulation *simulation, Command command)
{
    Error error;
    if (simulation_apply(simulation, &command, &error) != STATUS_OK) {
        fail_msg("%s", error.text);
    }
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
        run(simulation, 50);
        int count = 0;
        for (int p = 0; p < 35; p++) {
            bool pinned = simulation->body.cloth.pinned[p];
            count += pinned;
            Vec3 moved =
                vec3_sub(position(simulation, p), simulation->body.cloth.mesh.rest_position[p]);
            assert_int_equal(vec3_length(moved) == 0.0, pinned);
        }
        assert_int_equal(count, cases[k].count);
        simulation_destroy(simulation);
    }
}

static void gathered_cloth_starts_in_folds_unstretched(void **state)
{
    (void)state;
    Simulation *simulation = create("rows=6 columns=49 gather=0.7 folds=2");
    const Mesh *mesh = &simulation->body.cloth.mesh;
    int peaks = 0;
    for (int i = 0; i < 49; i++) {
        Vec3 here = position(simulation, i), below = position(simulation, 5 * 49 + i);
        assert_true(here.x == below.x && here.y == below.y); // folds run from top to bottom
        assert_near(below.z - here.z, mesh->height, 1e-15);
        if (i == 0 || i == 48) continue;
        double left = position(simulation, i - 1).y, right = position(simulation, i + 1).y;
        peaks += here.y > left && here.y >= right;
        double gap = vec3_length(vec3_sub(here, position(simulation, i - 1)));
        assert_near(gap, mesh->spacing, 0.01 * mesh->spacing); // the chord of an equal arc
    }
    assert_int_equal(peaks, 2);
    assert_near(position(simulation, 48).x - position(simulation, 0).x, 0.7, 1e-6);
    assert_near(position(simulation, 48).x + position(simulation, 0).x, 1.0, 1e-6); // centred
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

static void hand_moves_a_particle_within_its_speed(void **state)
{
    (void)state;
    const char *const scenes[] = {"rows=8 columns=8 hand_speed=2",
                                  "rows=8 columns=8 hand_speed=2 integrator=backward-euler",
                                  ("rows=8 columns=8 hand_speed=2 step=0.01 filter=exponential "
                                   "integrator=backward-euler")};
    for (int k = 0; k < 3; k++) {
        Simulation *simulation = create(scenes[k]);
        const Vec3 target = {0.5, 0.4, 0.8};
        apply(simulation, hand_command(COMMAND_GRAB, 60, target));
        Vec3 before = position(simulation, 60);
        double start = vec3_length(vec3_sub(target, before));
        while (simulation->now.time < 0.1) {
            double h = simulation_next_step(simulation);
            run(simulation, 1);
            Vec3 now = position(simulation, 60);
            assert_true(vec3_length(vec3_sub(now, before)) <= 2.0 * h * (1.0 + 1e-9));
            assert_near(vec3_length(velocity(simulation, 60)), 2.0, 1e-9);
            before = now;
        }
        assert_near(vec3_length(vec3_sub(target, before)), start - 2.0 * simulation->now.time,
                    1e-9);
        while (simulation->now.time < 1.0) run(simulation, 1);
        Vec3 arrived = position(simulation, 60);
        assert_near(vec3_length(vec3_sub(target, arrived)), 0.0, 1e-3);
        // taking another one lets go of the first
        apply(simulation, hand_command(COMMAND_GRAB, 61, position(simulation, 61)));
        run(simulation, 20);
        assert_true(vec3_length(vec3_sub(position(simulation, 60), arrived)) > 1e-6);
        apply(simulation, hand_command(COMMAND_GRAB, 60, position(simulation, 60)));

        // a new target; let go on the way: the particle keeps the hand's velocity
        apply(simulation, hand_command(COMMAND_MOVE_HAND, -1, (Vec3){2.0, 2.0, 2.0}));
        run(simulation, 3);
        Vec3 v = velocity(simulation, 60);
        assert_near(vec3_length(v), 2.0, 1e-9);
        apply(simulation, (Command){.kind = COMMAND_RELEASE});
        assert_near(vec3_length(vec3_sub(v, velocity(simulation, 60))), 0.0, 0.0);
        assert_int_equal(simulation->body.cloth.grabbed, -1);
        run(simulation, 100);
        assert_true(position(simulation, 60).y < 2.0);
        simulation_destroy(simulation);
    }
}

// Between steps time rests, so nothing moves: a hand that went far is followed at its own speed.
static void hand_moves_nothing_between_steps(void **state)
{
    (void)state;
    Simulation *simulation = create("");
    run(simulation, 50);
    const int particle = 16 * 32 + 16; // in the middle
    const double hand_speed = simulation_params(simulation)->hand_speed;
    Vec3 x = position(simulation, particle), v = velocity(simulation, particle);
    Vec3 target = {x.x, x.y + 1.0, x.z};
    apply(simulation, hand_command(COMMAND_GRAB, particle, x));
    Readings held = simulation_readings(simulation);
    for (int k = 1; k <= 10; k++) {
        Vec3 on_the_way = {x.x, x.y + 0.1 * k, x.z};
        apply(simulation, hand_command(COMMAND_MOVE_HAND, particle, on_the_way));
    }
    Readings moved = simulation_readings(simulation);
    assert_near(vec3_length(vec3_sub(position(simulation, particle), x)), 0.0, 0.0);
    assert_near(vec3_length(vec3_sub(velocity(simulation, particle), v)), 0.0, 0.0);
    assert_true(moved.k0 == held.k0 && moved.balance.hand == held.balance.hand);
    assert_true(moved.energy.elastic == held.energy.elastic);

    double fastest = 0.0;
    for (int n = 0; n < 2000; n++) {
        run(simulation, 1); // and does not diverge
        fastest = fmax(fastest, simulation_readings(simulation).max_speed);
        assert_true(vec3_length(velocity(simulation, particle)) <= hand_speed * (1.0 + 1e-12));
    }
    assert_near(vec3_length(vec3_sub(position(simulation, particle), target)), 0.0, 1e-6);
    assert_true(fastest < 4.0 * hand_speed); // those it pulls along whip a little
    simulation_destroy(simulation);
}

// What is shown after a rewind belongs to the state it led to, and looking changes nothing.
static void readings_follow_commands_and_change_nothing(void **state)
{
    (void)state;
    Simulation *simulation = create("rows=8 columns=8");
    run(simulation, 400);
    apply(simulation, (Command){.kind = COMMAND_REWIND, .rewind = {0.1}});
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
    Simulation *simulation = create("rows=8 columns=8 hand_speed=1");
    apply(simulation, hand_command(COMMAND_GRAB, 0, (Vec3){0.0, 1.0, 0.0}));
    run(simulation, 50);
    assert_true(position(simulation, 0).y > 0.0);
    apply(simulation, (Command){.kind = COMMAND_RELEASE});
    Vec3 x = position(simulation, 0);
    assert_near(vec3_length(velocity(simulation, 0)), 0.0, 0.0);
    run(simulation, 50);
    assert_near(vec3_length(vec3_sub(position(simulation, 0), x)), 0.0, 0.0);

    apply(simulation, particle_command(COMMAND_TOGGLE_PIN, 0));
    run(simulation, 50);
    assert_true(vec3_length(vec3_sub(position(simulation, 0), x)) > 0.0);
    apply(simulation, particle_command(COMMAND_TOGGLE_PIN, 0));
    x = position(simulation, 0);
    run(simulation, 50);
    assert_near(vec3_length(vec3_sub(position(simulation, 0), x)), 0.0, 0.0);
    simulation_destroy(simulation);
}

static void bad_commands_are_refused(void **state)
{
    (void)state;
    Simulation *simulation = create("rows=4 columns=5");
    run(simulation, 5);
    refuse(simulation, particle_command(COMMAND_TOGGLE_PIN, 20), "particles 0 to 19");
    refuse(simulation, particle_command(COMMAND_TOGGLE_PIN, -1), "no particle -1");
    refuse(simulation, hand_command(COMMAND_GRAB, 99, (Vec3){0}), "no particle 99");
    refuse(simulation, hand_command(COMMAND_GRAB, 1, (Vec3){NAN, 0.0, 0.0}), "hand cannot go");
    refuse(simulation, hand_command(COMMAND_MOVE_HAND, 1, (Vec3){0.0, 1e9, 0.0}), "hand cannot go");
    refuse(simulation, set_command("stretch", -5.0), "0.1 to 1e+06");
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
    apply(simulation, (Command){.kind = COMMAND_RELEASE});
    apply(simulation, hand_command(COMMAND_MOVE_HAND, 0, (Vec3){0}));
    simulation_destroy(simulation);
}

static void parameters_change_while_it_moves(void **state)
{
    (void)state;
    Simulation *simulation = create("rows=6 columns=6");
    run(simulation, 30);
    Vec3 x = position(simulation, 20);
    const struct {
        const char *name;
        double value;
    } live[] = {{"stretch", 1000.0}, {"shear", 0.0},  {"bend", 0.0},     {"air", 2.0},
                {"alpha", 0.0},      {"filter", 1.0}, {"lambda", 1.5},   {"filter_distance", 1.0},
                {"gravity", 1.0},    {"ground", 0.0}, {"integrator", 6}, {"density", 1.0},
                {"tangent", 1.0},    {"speed", -1.0}};
    for (size_t k = 0; k < sizeof live / sizeof live[0]; k++) {
        apply(simulation, set_command(live[k].name, live[k].value));
        assert_true(param_get(simulation_params(simulation), param_find(live[k].name)) ==
                    live[k].value);
    }
    assert_near(vec3_length(vec3_sub(position(simulation, 20), x)), 0.0, 0.0); // continues there
    assert_true(simulation->now.time > 0.0);
    assert_near(cloth_mass(&simulation->body.cloth, 3), 1.0 / 36.0, 1e-16);
    run(simulation, 5);
    assert_int_equal(simulation_readings(simulation).last.pcg.converged, true);

    // size is another cloth, from its start
    apply(simulation, set_command("rows", 9.0));
    assert_int_equal(simulation->body.cloth.mesh.particle_count, 54);
    assert_true(simulation->now.time == 0.0);
    assert_true(simulation->body.cloth.pinned[5]);
    run(simulation, 5);
    unsigned version = simulation->topology_version;
    apply(simulation, set_command("rows", 9.0)); // already so: nothing happens
    assert_int_equal(simulation->topology_version, version);
    assert_int_equal(simulation->now.step_count, 5);
    simulation_destroy(simulation);
}

static void reset_is_a_fresh_start_with_todays_parameters(void **state)
{
    (void)state;
    Simulation *simulation = create("rows=6 columns=6"), *fresh;
    apply(simulation, particle_command(COMMAND_TOGGLE_PIN, 0));
    apply(simulation, hand_command(COMMAND_GRAB, 30, (Vec3){1.0, 1.0, 1.0}));
    run(simulation, 40);
    apply(simulation, set_command("stretch", 200.0));
    apply(simulation, (Command){.kind = COMMAND_RESET});
    assert_int_equal(simulation->body.cloth.grabbed, -1);
    fresh = create("rows=6 columns=6 stretch=200");
    assert_true(simulation->now.time == 0.0 && simulation->now.step_count == 0);
    for (int s = 0; s < 40; s++) {
        run(simulation, 1);
        run(fresh, 1);
    }
    assert_memory_equal(simulation->body.cloth.x, fresh->body.cloth.x,
                        (size_t)fresh->body.cloth.mesh.dofs * sizeof(double));
    simulation_destroy(simulation);
    simulation_destroy(fresh);
}

static void loading_a_scene_replaces_everything(void **state)
{
    (void)state;
    Simulation *simulation = create("rows=6 columns=6");
    Snapshot snapshot = {0};
    assert_int_equal(simulation_fill_snapshot(simulation, &snapshot, NULL), STATUS_OK);
    Scene curtain = scene_with("rows=3 columns=4 stretch=70");
    curtain.pins = PIN_LEFT_EDGE;
    strcpy(curtain.name, "curtain");
    run(simulation, 3);
    apply(simulation, (Command){.kind = COMMAND_LOAD_SCENE, .scene = &curtain});
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

static void snapshots_show_the_state(void **state)
{
    (void)state;
    Simulation *simulation = create("rows=5 columns=9 size=2");
    Snapshot snapshot = {0};
    run(simulation, 20);
    apply(simulation, hand_command(COMMAND_GRAB, 7, (Vec3){0.5, 0.25, 0.125}));
    assert_int_equal(simulation_fill_snapshot(simulation, &snapshot, NULL), STATUS_OK);
    const Mesh *mesh = &simulation->body.cloth.mesh;
    assert_int_equal(snapshot.particle_count, 45);
    assert_int_equal(snapshot.spring_count, mesh->spring_count);
    for (int p = 0; p < 45; p++) {
        assert_true(snapshot.position[3 * p + 1] == (float)position(simulation, p).y);
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
    run(simulation, 1);
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
        Simulation *simulation = create(scenes[k]);
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
        apply(simulation, set_command("air", 0.7));
        apply(simulation, set_command("air", 0.8));
        assert_true(simulation->now.diverged); // moving sliders does not take the card away
        assert_non_null(simulation_autopsy(simulation));
        apply(simulation, (Command){.kind = COMMAND_RESET});
        apply(simulation, set_command("step", PARAM_WORD));
        apply(simulation, set_command("safety", 0.5));
        run(simulation, 10);
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
            run(simulation, 1);
            for (int p = 0; p < 36; p++) assert_true(position(simulation, p).y >= -0.3);
        }
        for (int p = 0; p < 36; p++) assert_near(position(simulation, p).y, -0.3, 1e-3);
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
        alone[k] = create(scenes[k]);
        run(alone[k], 150);
    }
    for (int k = 0; k < 2; k++) together[k] = create(scenes[k]);
    for (int s = 0; s < 150; s++) {
        run(together[0], 1);
        simulation_readings(together[1]); // reading changes nothing
        run(together[1], 1);
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

static double between(uint32_t *seed, double low, double high)
{
    return low + 0.5 * (noise(seed) + 1.0) * (high - low);
}

// Any command with any numbers, legal or not, most of them small. It may point to `scene`.
static Command random_command(uint32_t *seed, int particles, Scene *scene)
{
    const double odd[] = {NAN, INFINITY, -INFINITY, -1.0, 0.0, 1e300, 1e-300};
    Command command = {.kind = (CommandKind)between(seed, 0.0, 12.0)};
    int particle = (int)between(seed, -2.0, particles + 2.0);
    Vec3 target = {between(seed, -2.0, 2.0), between(seed, -2.0, 2.0), between(seed, -2.0, 2.0)};
    if (between(seed, 0.0, 1.0) < 0.05) target.y = odd[(int)between(seed, 0.0, 7.0)];
    switch (command.kind) {
    case COMMAND_LOAD_SCENE:
        *scene = scene_default();
        scene->params.rows = (int)between(seed, 1.0, 9.0);
        scene->params.columns = (int)between(seed, 2.0, 9.0);
        scene->pins = (unsigned)between(seed, 0.0, 64.0);
        command.scene = scene;
        break;
    case COMMAND_SET_PARAM: {
        command.param.index = (int)between(seed, -1.0, param_count + 1.0);
        if (command.param.index < 0 || command.param.index >= param_count) break;
        const ParamInfo *info = &param_table[command.param.index];
        double t = between(seed, 0.0, 1.0);
        double low = info->min, high = info->kind == PARAM_COUNT ? 12.0 : info->max;
        command.param.value = low + t * t * t * t * (high - low);
        if (info->kind != PARAM_REAL) command.param.value = floor(command.param.value + 0.5);
        if (info->kind == PARAM_CHOICE) command.param.value = floor(between(seed, 0.0, high + 1.2));
        if (t < 0.1) command.param.value = odd[(int)between(seed, 0.0, 7.0)];
        break;
    }
    case COMMAND_TOGGLE_PIN:
        command.particle = particle;
        break;
    default:
        command.hand.particle = particle, command.hand.target = target;
        break;
    }
    return command;
}

static void no_sequence_of_commands_breaks_it(void **state)
{
    (void)state;
    uint32_t seed = 2024;
    Simulation *simulation = create("rows=6 columns=6");
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
            int count = (int)between(&seed, 0.0, 4.0);
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
        cmocka_unit_test(pins_hold),
        cmocka_unit_test(gathered_cloth_starts_in_folds_unstretched),
        cmocka_unit_test(bad_scenes_are_refused),
        cmocka_unit_test(hand_moves_a_particle_within_its_speed),
        cmocka_unit_test(hand_moves_nothing_between_steps),
        cmocka_unit_test(readings_follow_commands_and_change_nothing),
        cmocka_unit_test(pinned_particles_can_be_moved_and_stay_pinned),
        cmocka_unit_test(bad_commands_are_refused),
        cmocka_unit_test(parameters_change_while_it_moves),
        cmocka_unit_test(reset_is_a_fresh_start_with_todays_parameters),
        cmocka_unit_test(loading_a_scene_replaces_everything),
        cmocka_unit_test(snapshots_show_the_state),
        cmocka_unit_test(divergence_keeps_the_last_good_state),
        cmocka_unit_test(floor_holds_a_falling_cloth),
        cmocka_unit_test(simulations_do_not_know_of_each_other),
        cmocka_unit_test(no_sequence_of_commands_breaks_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
