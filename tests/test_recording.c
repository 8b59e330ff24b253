// Recordings: every command survives the file, mistakes get a message, and a replay ends in the
// same bits, at any recording speed.
#include "support/solver_test.h"

#include "base/clock.h"
#include "runtime/recorder.h"
#include "runtime/replay.h"
#include "runtime/sim_thread.h"
#include "simulation/state.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/selvage-test-XXXXXX";
static char path[64], old_path[66], mesh_path[64];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/session.rec", folder);
    snprintf(old_path, sizeof old_path, "%s~", path);
    snprintf(mesh_path, sizeof mesh_path, "%s/cloth.obj", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    unlink(old_path);
    unlink(mesh_path);
    return rmdir(folder);
}

static void write_file(const char *name, const char *text, size_t size)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void read_recording(Recording *recording)
{
    Error error;
    if (recording_read(path, recording, &error) != STATUS_OK) fail_msg("%s", error.text);
}

// Play it as fast as possible, without the command number `left_out`. Returns the hash of the end.
static uint64_t play(const Recording *recording, int left_out)
{
    Simulation *simulation;
    Error error;
    if (replay_start(recording, &simulation, &error) != STATUS_OK) fail_msg("%s", error.text);
    Replay replay = {.recording = recording};
    ReplayMove move;
    while ((move = replay_move(&replay, simulation)) != REPLAY_OVER) {
        if (move == REPLAY_COMMAND && replay.next == left_out) {
            replay.next++;
        } else if (move == REPLAY_COMMAND) {
            if (replay_apply(&replay, simulation, NULL, &error) != STATUS_OK && left_out < 0)
                fail_msg("%s", error.text);
        } else {
            simulation_step(simulation, NULL); // may diverge, as it did when recorded
            replay.tick++;
        }
    }
    uint64_t hash = simulation_hash(simulation);
    bool agrees = replay_agrees(&replay, simulation, &error);
    assert_true(agrees == (!recording->has_hash || hash == recording->hash));
    if (!agrees) assert_non_null(strstr(error.text, "recorded was"));
    simulation_destroy(simulation);
    return hash;
}

// ---- the file

typedef struct Session {
    Simulation *simulation;
    Recorder *recorder;
} Session;

static Session begin(const Scene *scene)
{
    Session session;
    Error error;
    assert_int_equal(simulation_create(scene, &session.simulation, NULL), STATUS_OK);
    if (recorder_create(path, scene, false, session.simulation, &session.recorder, &error) !=
        STATUS_OK)
        fail_msg("%s", error.text);
    return session;
}

static void step(Session *session, int count)
{
    for (int i = 0; i < count; i++) {
        simulation_step(session->simulation, NULL);
        recorder_tick(session->recorder);
    }
}

static void apply(Session *session, Command command)
{
    double time = simulation_time(session->simulation);
    Error error;
    if (simulation_apply(session->simulation, &command, &error) != STATUS_OK ||
        recorder_add(session->recorder, time, &command, session->simulation, &error) != STATUS_OK)
        fail_msg("%s", error.text);
}

static uint64_t end(Session *session)
{
    assert_int_equal(recorder_end(session->recorder, session->simulation, NULL), STATUS_OK);
    uint64_t hash = simulation_hash(session->simulation);
    recorder_destroy(session->recorder);
    simulation_destroy(session->simulation);
    return hash;
}

static Command set(const char *name, double value)
{
    return (Command){.kind = COMMAND_SET_PARAM,
                     .param = {(int)(param_find(name) - param_table), value}};
}

static void every_command_survives_the_file(void **state)
{
    (void)state;
    const double third = 1.0 / 3.0;
    Scene scene = scene_with("rows=5 columns=6");
    strcpy(scene.name, "a name with blanks");
    scene.toggled_pins = (PinToggles){.count = 2, .particle = {7, 3}};
    scene.start_velocity = (Vec3){third, -0.1, 1e-17};
    Scene other = scene_with("rows=3 columns=4 step=auto alpha=auto model=choi-ko stretch=123.456");
    strcpy(other.name, "other");
    other.params.bend = third;
    float shape[3 * 30];
    for (int i = 0; i < 90; i++) shape[i] = i % 4 ? 1.0f / (float)(i + 1) : 0.0f;
    const Command commands[] = {
        set("stretch", 100.0 * third),
        set("step", PARAM_WORD),
        set("ground", -third),
        set("integrator", integrator_find("backward-euler")),
        {.kind = COMMAND_GRAB, .hand = {20, {third, -1e-17, 0.1}}},
        {.kind = COMMAND_MOVE_HAND, .hand = {20, {0.2, third, -0.0}}},
        {.kind = COMMAND_RELEASE},
        {.kind = COMMAND_TOGGLE_PIN, .particle = 11},
        {.kind = COMMAND_EXCITE, .excite = {shape, 30, -third}},
        {.kind = COMMAND_REWIND, .rewind = {0.0}},
        {.kind = COMMAND_REWIND, .rewind = {third / 100.0}},
        {.kind = COMMAND_RESET},
        {.kind = COMMAND_LOAD_SCENE, .scene = &other},
        set("density", third),
    };
    enum { COUNT = sizeof commands / sizeof commands[0] };
    Session session = begin(&scene);
    for (int i = 0; i < COUNT; i++) {
        apply(&session, commands[i]);
        step(&session, i == 9 || i == 10 ? 0 : 3 + 2 * i);
    }
    uint64_t hash = end(&session);

    Recording recording;
    read_recording(&recording);
    assert_string_equal(recording.scene.name, scene.name);
    assert_memory_equal(&recording.scene.toggled_pins, &scene.toggled_pins,
                        sizeof scene.toggled_pins);
    assert_int_equal(recording.command_count, COUNT);
    assert_true(recording.has_end && recording.has_hash && !recording.cut);
    assert_true(recording.hash == hash);
    for (int i = 0; i < COUNT; i++) {
        const Command *a = &recording.commands[i].command, *b = &commands[i];
        assert_int_equal(a->kind, b->kind);
        switch (a->kind) {
        case COMMAND_SET_PARAM:
            assert_int_equal(a->param.index, b->param.index);
            assert_true(a->param.value == b->param.value);
            break;
        case COMMAND_GRAB:
            assert_int_equal(a->hand.particle, b->hand.particle);
            // fall through
        case COMMAND_MOVE_HAND:
            assert_memory_equal(&a->hand.target, &b->hand.target, sizeof a->hand.target);
            break;
        case COMMAND_TOGGLE_PIN:
            assert_int_equal(a->particle, b->particle);
            break;
        case COMMAND_REWIND:
            assert_true(a->rewind.seconds == b->rewind.seconds);
            break;
        case COMMAND_EXCITE:
            assert_int_equal(a->excite.particle_count, 30);
            assert_true(a->excite.amplitude == b->excite.amplitude);
            assert_memory_equal(a->excite.shape, shape, sizeof shape);
            break;
        case COMMAND_LOAD_SCENE:
            assert_string_equal(a->scene->name, "other");
            assert_memory_equal(&a->scene->params, &other.params, sizeof other.params);
            break;
        default:
            break;
        }
    }
    assert_true(play(&recording, -1) == hash);
    assert_true(play(&recording, COUNT - 2) != hash); // a missing command changes the hash
    assert_true(play(&recording, COUNT - 1) != hash);
    recording_finish(&recording);
}

static void other_particles_are_in_the_file(void **state)
{
    (void)state;
    Scene scene = scene_with("rows=4 columns=4");
    Session session;
    assert_int_equal(simulation_create(&scene, &session.simulation, NULL), STATUS_OK);
    char rows[4096] = "p,mass,pinned,x,y,z,vx,vy,vz\n";
    for (int p = 0; p < 16; p++) {
        size_t used = strlen(rows);
        snprintf(rows + used, sizeof rows - used, "%d,%.17g,%d,%.17g,0,%.17g,0,0.1,0\n", p,
                 0.01 + 0.001 * p, p == 5, p % 4 / 3.0, p / 4 / 3.0);
    }
    assert_int_equal(
        simulation_read_state_text(session.simulation, "rows", 0, rows, strlen(rows), NULL),
        STATUS_OK);
    assert_int_equal(
        recorder_create(path, &scene, true, session.simulation, &session.recorder, NULL),
        STATUS_OK);
    step(&session, 100);
    uint64_t hash = end(&session);
    Recording recording;
    read_recording(&recording);
    assert_non_null(recording.particles);
    assert_true(play(&recording, -1) == hash);
    recording_finish(&recording);
}

static void a_mesh_must_be_the_one_recorded(void **state)
{
    (void)state;
    const char before[] = "v 0 0 0\nv 1 0 0\nv 0 0 1\nv 1 0 1\nf 1 2 3\nf 2 4 3\n";
    const char after[] = "v 0 0 0\nv 1 0 0\nv 0 0 1\nv 1 0 2\nf 1 2 3\nf 2 4 3\n";
    write_file(mesh_path, before, strlen(before));
    Scene scene = scene_with("");
    strcpy(scene.mesh, mesh_path);
    Session session = begin(&scene);
    step(&session, 10);
    apply(&session, (Command){.kind = COMMAND_LOAD_SCENE, .scene = &scene});
    step(&session, 10);
    uint64_t hash = end(&session);
    Recording recording;
    read_recording(&recording);
    assert_true(recording.mesh != 0 && recording.commands[0].mesh == recording.mesh);
    assert_true(play(&recording, -1) == hash);

    write_file(mesh_path, after, strlen(after));
    Simulation *simulation;
    Error error = {0};
    assert_int_equal(replay_start(&recording, &simulation, &error), STATUS_FILE);
    assert_null(simulation);
    assert_non_null(strstr(error.text, "no longer the one"));
    assert_non_null(strstr(error.text, mesh_path));
    unlink(mesh_path);
    assert_int_equal(replay_start(&recording, &simulation, &error), STATUS_FILE);
    assert_non_null(strstr(error.text, "cannot be opened"));
    recording_finish(&recording);
}

#define START "selvage-record 1\nscene x\n[cloth]\nrows = 3\ncolumns = 3\nend scene\n"

static void bad_files_are_explained(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words[3];
    } bad[] = {
        {"", {"line 1", "begins with `selvage-record 1`"}},
        {"[scene]\n", {"line 1", "begins with `selvage-record 1`"}},
        {"selvage-record 2\n", {"line 1", "version 2", "version 1"}},
        {"selvage-record one\n", {"line 1", "\"one\""}},
        {"selvage-record 1\n", {"scene NAME"}},
        {"selvage-record 1\n0 0 s reset\n", {"line 2", "scene NAME"}},
        {"selvage-record 1\nscene\n", {"line 2", "name of 1 to 47 bytes"}},
        {"selvage-record 1\nscene x\n[cloth]\n", {"ends before its scene"}},
        {"selvage-record 1\nscene x\n[cloth]\nrow = 3\nend scene\n", {"line 4", "\"row\""}},
        {"selvage-record 1\nscene x\n\n[cloth]\nrows : : 3\nend scene\n", {"line 5", "rows"}},
        {START "particles\np,mass\n", {"ends before its particles"}},
        {START "reset\n", {"line 7", "TICK TIME s"}},
        {START "0 0 reset\n", {"line 7", "TICK TIME s"}},
        {START "0 0 s\n", {"line 7", "the commands are set NAME VALUE"}},
        {START "0 0 s jump\n", {"line 7", "\"jump\"", "the commands are"}},
        {START "-1 0 s reset\n", {"line 7", "\"-1\"", "0 to 1000000000"}},
        {START "1.5 0 s reset\n", {"line 7", "\"1.5\""}},
        {START "99999999999999999999 0 s reset\n", {"line 7", "whole number"}},
        {START "0 nan s reset\n", {"line 7", "\"nan\" is not a number"}},
        {START "0 -1 s reset\n", {"line 7", "0 to 1e+06 s"}},
        {START "\n; note\n5 0 s reset\n4 0 s reset\n", {"line 10", "tick 4", "tick 5"}},
        {START "0 0 s set stretch\n", {"line 7", "set takes 2 words and got 1"}},
        {START "0 0 s set stretch -1\n", {"line 7", "stretch = -1", "0.1 to 1e+06"}},
        {START "0 0 s set strech 1\n", {"line 7", "\"strech\"", "selvage list"}},
        {START "0 0 s set integrator euler\n", {"line 7", "symplectic-euler"}},
        {START "0 0 s grab 1 2 3\n", {"line 7", "grab takes 4 words and got 3"}},
        {START "0 0 s grab x 1 2 3\n", {"line 7", "\"x\""}},
        {START "0 0 s move 1 2 inf\n", {"line 7", "\"inf\""}},
        {START "0 0 s excite 1 2\n1 2\n", {"line 8", "three numbers"}},
        {START "0 0 s excite 1 -2\n", {"line 7", "\"-2\""}},
        {START "0 0 s load y\n[cloth]\ncolums = 3\nend scene\n", {"line 9", "colums"}},
        {START "0 0 s end 12\n", {"line 7", "16 digits"}},
        {START "0 0 s end 0123456789abcdef 1\n", {"line 7", "a hash or nothing"}},
        {START "0 0 s end\n0 0 s reset\n", {"line 8", "after the end"}},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        write_file(path, bad[i].text, strlen(bad[i].text));
        Recording recording;
        Error error = {0};
        Status status = recording_read(path, &recording, &error);
        if (status != STATUS_BAD_PARAMETER) fail_msg("taken: %s", bad[i].text);
        if (!strstr(error.text, path)) fail_msg("no file in: %s", error.text);
        for (int w = 0; w < 3 && bad[i].words[w]; w++) {
            if (!strstr(error.text, bad[i].words[w]))
                fail_msg("no \"%s\" in: %s", bad[i].words[w], error.text);
        }
        recording_finish(&recording);
    }
    write_file(path, START "\0", sizeof START);
    Recording recording;
    Error error = {0};
    assert_int_equal(recording_read(path, &recording, &error), STATUS_BAD_PARAMETER);
    assert_non_null(strstr(error.text, "not text"));
    unlink(path);
    assert_int_equal(recording_read(path, &recording, &error), STATUS_FILE);

    // a command that makes no sense for this cloth is reported with its line when it is due
    const char text[] = START "0 0 s pin 3\n3 0 s pin 9\n";
    write_file(path, text, strlen(text));
    read_recording(&recording);
    Simulation *simulation;
    assert_int_equal(replay_start(&recording, &simulation, NULL), STATUS_OK);
    Replay replay = {.recording = &recording};
    assert_int_equal(replay_apply(&replay, simulation, NULL, &error), STATUS_OK);
    assert_int_equal(replay_apply(&replay, simulation, NULL, &error), STATUS_BAD_PARAMETER);
    assert_non_null(strstr(error.text, "line 8: there is no particle 9"));
    simulation_destroy(simulation);
    recording_finish(&recording);
}

static void a_time_will_do_instead_of_a_tick(void **state)
{
    (void)state;
    const char text[] = START "# by hand\r\n0.0102 s  set step 0.004\r\n0.02 s set gravity 1\n"
                              "  ; after that\n\n0.05 s end\n";
    write_file(path, text, strlen(text));
    Recording recording;
    read_recording(&recording);
    assert_int_equal(recording.command_count, 2);
    assert_true(recording.commands[0].tick < 0 && recording.has_end && !recording.has_hash);
    Simulation *simulation;
    assert_int_equal(replay_start(&recording, &simulation, NULL), STATUS_OK);
    Replay replay = {.recording = &recording};
    double last = -1.0, moments[2];
    ReplayMove move;
    while ((move = replay_move(&replay, simulation)) != REPLAY_OVER) {
        if (move == REPLAY_COMMAND) {
            moments[replay.next] = simulation_time(simulation);
            // not a step too early
            assert_true(last < recording.commands[replay.next].time);
            assert_int_equal(replay_apply(&replay, simulation, NULL, NULL), STATUS_OK);
        } else {
            last = simulation_time(simulation);
            assert_int_equal(simulation_step(simulation, NULL), STATUS_OK);
            replay.tick++;
        }
    }
    assert_true(moments[0] >= 0.0102 && moments[1] >= 0.02);
    assert_true(last < 0.05 && simulation_time(simulation) >= 0.05);
    assert_true(replay_agrees(&replay, simulation, NULL));
    simulation_destroy(simulation);
    recording_finish(&recording);
}

// A program that is killed, or a full disk, leaves the start of a file.
static void every_beginning_of_a_file_is_played_or_explained(void **state)
{
    (void)state;
    Scene scene = scene_with("rows=3 columns=3");
    float shape[27] = {[13] = 1.0f};
    Session session = begin(&scene);
    step(&session, 5);
    apply(&session, set("stretch", 812.5));
    step(&session, 5);
    apply(&session, (Command){.kind = COMMAND_EXCITE, .excite = {shape, 9, 0.5}});
    apply(&session, (Command){.kind = COMMAND_LOAD_SCENE, .scene = &scene});
    step(&session, 5);
    apply(&session, (Command){.kind = COMMAND_TOGGLE_PIN, .particle = 4});
    end(&session);
    Recording whole;
    read_recording(&whole);
    size_t first = (size_t)(strstr(whole.text.data, "5  0.0") - whole.text.data);
    int most = 0;
    for (size_t size = 0; size < whole.text.size; size++) {
        if (size < first && size % 97 != 0) continue; // the long text of the scene
        write_file(path, whole.text.data, size);
        Recording part;
        Error error = {0};
        Status status = recording_read(path, &part, &error);
        if (size < first - 1) {
            assert_int_equal(status, STATUS_BAD_PARAMETER);
            assert_true(strlen(error.text) > 20);
            continue;
        }
        assert_int_equal(status, STATUS_OK);
        assert_false(part.has_end);
        assert_true(part.command_count <= 4 && part.command_count >= most);
        most = part.command_count;
        for (int i = 0; i < part.command_count; i++) // no truncated numbers
            assert_true(part.commands[i].time == whole.commands[i].time);
        if (size % 64 == 0) play(&part, -1);
        recording_finish(&part);
    }
    assert_int_equal(most, 4);
    recording_finish(&whole);
}

// A disk that is full in the middle of a line: the lines before it stay, and one error is reported.
static void a_full_disk_keeps_what_was_written(void **state)
{
    (void)state;
    Scene scene = scene_with("rows=3 columns=3");
    Session session = begin(&scene);
    struct stat there;
    struct rlimit before, tight;
    Error error = {0};
    assert_int_equal(stat(path, &there), 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    tight = (struct rlimit){(rlim_t)there.st_size + 300, before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    int written = 0;
    Status status = STATUS_OK;
    for (int k = 0; k < 40 && status == STATUS_OK; k++) {
        Command command = set("gravity", 1.0 + k / 7.0);
        step(&session, 1);
        assert_int_equal(simulation_apply(session.simulation, &command, NULL), STATUS_OK);
        status = recorder_add(session.recorder, 0.0, &command, session.simulation, &error);
        if (status == STATUS_OK) written++;
    }
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(status, STATUS_FILE);
    assert_non_null(strstr(error.text, path));
    Command command =
        set("gravity", 1.0); // space again, but a line is missing: nothing more is written
    assert_int_equal(recorder_add(session.recorder, 0.0, &command, session.simulation, NULL),
                     STATUS_OK);
    Error told = {0};
    assert_int_equal(recorder_end(session.recorder, session.simulation, &told), STATUS_FILE);
    assert_string_equal(told.text, error.text);
    recorder_destroy(session.recorder);
    simulation_destroy(session.simulation);

    Recording recording;
    read_recording(&recording);
    assert_true(written > 3);
    assert_int_equal(recording.command_count, written);
    assert_false(recording.cut || recording.has_end);
    play(&recording, -1);
    recording_finish(&recording);
}

static void an_old_recording_is_kept(void **state)
{
    (void)state;
    write_file(path, "old", 3);
    Scene scene = scene_with("rows=3 columns=3");
    Session session = begin(&scene);
    end(&session);
    FileText text;
    assert_int_equal(file_read(old_path, 100, &text, NULL), STATUS_OK);
    assert_string_equal(text.data, "old");
    file_text_finish(&text);
}

// ---- the thread

static const double PATIENCE = 60.0; // s

static double between(uint32_t *seed, double low, double high)
{
    return low + 0.5 * (1.0 + noise(seed)) * (high - low);
}

static void wait_for_steps(SimThread *thread, long count)
{
    double give_up = clock_seconds() + PATIENCE;
    while (sim_thread_latest(thread)->readings.step_count < count) {
        if (clock_seconds() > give_up) fail_msg("gave up waiting");
        usleep(200);
    }
}

static void wait_for_divergence(SimThread *thread)
{
    double give_up = clock_seconds() + PATIENCE;
    while (!sim_thread_latest(thread)->diverged) {
        if (clock_seconds() > give_up) fail_msg("it does not diverge");
        usleep(200);
    }
}

static void send(SimThread *thread, Command command)
{
    double give_up = clock_seconds() + PATIENCE;
    while (!sim_thread_send(thread, &command)) {
        if (clock_seconds() > give_up) fail_msg("the queue stays full");
        usleep(200);
    }
}

static void do_anything(SimThread *thread, uint32_t *seed)
{
    static const char *const sliders[] = {"stretch", "shear", "bend", "air", "density", "gravity"};
    int particle = (int)between(seed, 0.0, 47.9);
    Vec3 target = {between(seed, -0.5, 1.5), between(seed, -0.5, 0.8), between(seed, -0.5, 1.0)};
    Scene other = scene_with("rows=6 columns=8 speed=max gather=0.8");
    switch ((int)between(seed, 0.0, 14.99)) {
    case 0:
        send(thread, (Command){.kind = COMMAND_GRAB, .hand = {particle, target}});
        for (int k = 0; k < 20; k++) { // a drag
            target.y += 0.01;
            send(thread, (Command){.kind = COMMAND_MOVE_HAND, .hand = {particle, target}});
            usleep(300);
        }
        break;
    case 1:
    case 2:
        send(thread, (Command){.kind = COMMAND_RELEASE});
        break;
    case 3:
        send(thread, (Command){.kind = COMMAND_TOGGLE_PIN, .particle = particle});
        break;
    case 4:
    case 5: {
        const ParamInfo *info = param_find(sliders[(int)between(seed, 0.0, 5.99)]);
        double t = between(seed, 0.2, 1.5);
        send(thread, set(info->name, t * (info->initial > 0.0 ? info->initial : 1.0)));
        break;
    }
    case 6:
        send(thread, set("integrator", floor(between(seed, 0.0, integrator_count - 0.01))));
        break;
    case 7:
        send(thread, set("model", floor(between(seed, 0.0, 2.99))));
        break;
    case 8:
        send(thread, set("filter", floor(between(seed, 0.0, 1.99))));
        break;
    case 9:
        send(thread, (Command){.kind = COMMAND_REWIND, .rewind = {between(seed, 0.0, 0.1)}});
        break;
    case 10:
        send(thread, (Command){.kind = COMMAND_RESET});
        break;
    case 11: // other speeds, which change no bit
        send(thread, (Command){.kind = COMMAND_PAUSE});
        for (int k = 0; k < 5; k++) send(thread, (Command){.kind = COMMAND_STEP});
        send(thread, (Command){.kind = COMMAND_RUN});
        break;
    case 12:
        send(thread, set("speed", between(seed, 0.0, 1.0) < 0.5 ? PARAM_WORD : 0.5));
        break;
    case 13:
        send(thread, (Command){.kind = COMMAND_LOAD_SCENE, .scene = &other});
        break;
    default:
        send(thread, set("stretch", -1.0)); // refused, so not recorded
    }
    send(thread, (Command){.kind = COMMAND_RUN}); // perhaps after a divergence
}

static void what_is_done_in_the_window_replays_to_the_same_bits(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 4; seed++) {
        uint32_t random = seed;
        Scene scene = scene_with("rows=6 columns=8");
        scene.params.speed = seed % 2 ? PARAM_WORD : 1.0;
        SimThreadPlan plan = {.scene = &scene, .running = true, .record = path};
        SimThread *thread;
        Error error;
        if (sim_thread_open(&plan, &thread, &error) != STATUS_OK) fail_msg("%s", error.text);
        // a divergence, a second try, and a rewind
        wait_for_steps(thread, 50);
        send(thread, set("step", 0.05));
        wait_for_divergence(thread);
        send(thread, (Command){.kind = COMMAND_RUN});
        send(thread, (Command){.kind = COMMAND_STEP});
        send(thread, (Command){.kind = COMMAND_REWIND});
        send(thread, set("step", PARAM_WORD));
        send(thread, (Command){.kind = COMMAND_RUN});
        for (int k = 0; k < 60; k++) {
            do_anything(thread, &random);
            usleep((useconds_t)between(&random, 0.0, 6000.0));
        }
        if (sim_thread_join(thread, &error) != STATUS_OK) fail_msg("%s", error.text);
        sim_thread_stop(thread);

        Recording recording;
        read_recording(&recording);
        assert_true(recording.command_count > 40 && recording.has_end && recording.has_hash);
        assert_int_equal(recording.commands[1].command.kind, COMMAND_REWIND);
        assert_true(recording.commands[2].time <= recording.commands[1].time);
        for (int k = 0; k < 10; k++) assert_true(play(&recording, -1) == recording.hash);
        recording_finish(&recording);
    }
}

static bool is_over(const Snapshot *snapshot)
{
    return snapshot->notice_serial > 0;
}

static const Snapshot *wait_for_notice(SimThread *thread)
{
    double give_up = clock_seconds() + PATIENCE;
    while (!is_over(sim_thread_latest(thread))) {
        if (clock_seconds() > give_up) fail_msg("gave up waiting");
        usleep(200);
    }
    return sim_thread_latest(thread);
}

static void the_window_plays_a_recording(void **state)
{
    (void)state;
    Scene scene = scene_with("rows=6 columns=6 speed=max");
    Session session = begin(&scene);
    step(&session, 50);
    apply(&session, (Command){.kind = COMMAND_GRAB, .hand = {20, {0.5, 0.3, 0.5}}});
    step(&session, 100);
    apply(&session, set("step", 0.05)); // diverges and goes on
    step(&session, 10);
    apply(&session, set("step", PARAM_WORD));
    step(&session, 50);
    const uint64_t hash = end(&session);
    Recording recording;
    read_recording(&recording);
    unlink(path);

    // play to the end and record again: the same result
    SimThreadPlan plan = {.running = true, .replay = &recording, .record = path};
    SimThread *thread;
    assert_int_equal(sim_thread_open(&plan, &thread, NULL), STATUS_OK);
    const Snapshot *snapshot = wait_for_notice(thread);
    assert_non_null(strstr(snapshot->notice, "agrees with the recording"));
    assert_false(snapshot->running);
    assert_int_equal(sim_thread_join(thread, NULL), STATUS_OK);
    sim_thread_stop(thread);
    Recording again;
    read_recording(&again);
    assert_true(again.hash == hash && again.end_tick == recording.end_tick);
    assert_int_equal(again.command_count, recording.command_count);
    recording_finish(&again);

    // the user takes over, and that is recorded too
    assert_int_equal(sim_thread_open(&plan, &thread, NULL), STATUS_OK);
    send(thread, set("gravity", 3.0));
    snapshot = wait_for_notice(thread);
    wait_for_steps(thread, 300); // it goes on
    assert_int_equal(sim_thread_join(thread, NULL), STATUS_OK);
    sim_thread_stop(thread);
    read_recording(&again);
    assert_true(play(&again, -1) == again.hash && again.hash != hash);
    recording_finish(&again);

    // a mismatch is reported
    recording.hash ^= 1;
    plan.record = NULL;
    assert_int_equal(sim_thread_open(&plan, &thread, NULL), STATUS_OK);
    assert_non_null(strstr(wait_for_notice(thread)->notice, "recorded was"));
    sim_thread_stop(thread);
    recording_finish(&recording);
}

static void a_recording_that_fails_costs_nothing_else(void **state)
{
    (void)state;
    const char *const nowhere[] = {"/nowhere/session.rec", "/dev/full", folder};
    Scene scene = scene_with("rows=4 columns=4 speed=max");
    for (int i = 0; i < 3; i++) {
        SimThreadPlan plan = {.scene = &scene, .running = true, .record = nowhere[i]};
        SimThread *thread;
        Error error = {0};
        assert_int_equal(sim_thread_open(&plan, &thread, NULL), STATUS_OK);
        assert_non_null(strstr(sim_thread_latest(thread)->notice, nowhere[i]));
        wait_for_steps(thread, 100);
        assert_int_equal(sim_thread_join(thread, &error), STATUS_FILE);
        assert_non_null(strstr(error.text, nowhere[i]));
        sim_thread_stop(thread);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_command_survives_the_file),
        cmocka_unit_test(other_particles_are_in_the_file),
        cmocka_unit_test(a_mesh_must_be_the_one_recorded),
        cmocka_unit_test(bad_files_are_explained),
        cmocka_unit_test(a_time_will_do_instead_of_a_tick),
        cmocka_unit_test(every_beginning_of_a_file_is_played_or_explained),
        cmocka_unit_test(a_full_disk_keeps_what_was_written),
        cmocka_unit_test(an_old_recording_is_kept),
        cmocka_unit_test(what_is_done_in_the_window_replays_to_the_same_bits),
        cmocka_unit_test(the_window_plays_a_recording),
        cmocka_unit_test(a_recording_that_fails_costs_nothing_else),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
