// The file of a recording: every command survives it, and mistakes, cut files and full disks get a
// message.
#include "support/recorded.h"

#include "base/file.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static void write_file(const char *name, const char *text, size_t size)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void every_command_survives_the_file(void **state)
{
    (void)state;
    const double third = 1.0 / 3.0;
    Scene scene = scene_with("rows=5 columns=6");
    strcpy(scene.name, "a name with blanks");
    scene.toggled_pins = (PinToggles){.count = 2, .particle = {7, 3}};
    scene.start_velocity = (Vec3){third, -0.1, 1e-17};
    scene.collider_count = 1;
    scene.colliders[0] = collider_default();
    scene.colliders[0].mass = third;
    Scene other = scene_with("rows=3 columns=4 step=auto alpha=auto model=choi-ko stretch=123.456");
    strcpy(other.name, "other");
    other.params.bend = third;
    float shape[3 * 30];
    for (int i = 0; i < 90; i++) shape[i] = i % 4 ? 1.0f / (float)(i + 1) : 0.0f;
    const Command commands[] = {
        command_set("stretch", 100.0 * third),
        command_set("step", PARAM_WORD),
        command_set("ground", -third),
        command_set("integrator", integrator_find("backward-euler")),
        {.kind = COMMAND_GRAB, .hand = {20, {third, -1e-17, 0.1}}},
        {.kind = COMMAND_MOVE_HAND, .hand = {20, {0.2, third, -0.0}}},
        {.kind = COMMAND_RELEASE},
        {.kind = COMMAND_GRAB_BODY, .body = {0, {0.1, third, -1e-17}}},
        {.kind = COMMAND_TOGGLE_PIN, .particle = 11},
        {.kind = COMMAND_EXCITE, .excite = {shape, 30, -third}},
        {.kind = COMMAND_REWIND, .rewind = {0.0}},
        {.kind = COMMAND_REWIND, .rewind = {third / 100.0}},
        {.kind = COMMAND_RESUME},
        {.kind = COMMAND_RESET},
        {.kind = COMMAND_LOAD_SCENE, .scene = &other},
        command_set("density", third),
    };
    enum { COUNT = sizeof commands / sizeof commands[0] };
    RecordedRun session = recorded_begin(&scene);
    for (int i = 0; i < COUNT; i++) {
        recorded_apply(&session, commands[i]);
        recorded_steps(&session, i == 10 || i == 11 ? 0 : 3 + 2 * i);
    }
    uint64_t hash = recorded_end(&session);

    Recording recording;
    recorded_read(&recording);
    assert_string_equal(recording.scene.name, scene.name);
    assert_memory_equal(&recording.scene.toggled_pins, &scene.toggled_pins,
                        sizeof scene.toggled_pins);
    assert_int_equal(recording.command_count, COUNT);
    assert_true(recording.has_end && recording.hash_count > 0 && !recording.cut);
    assert_true(recording.hashes[0] == hash);
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
        case COMMAND_GRAB_BODY:
            assert_int_equal(a->body.number, b->body.number);
            assert_memory_equal(&a->body.target, &b->body.target, sizeof a->body.target);
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
    assert_true(recorded_play(&recording, -1) == hash);
    assert_true(recorded_play(&recording, COUNT - 2) != hash); // a missing command changes the hash
    assert_true(recorded_play(&recording, COUNT - 1) != hash);
    recording_finish(&recording);
}

static void other_particles_are_in_the_file(void **state)
{
    (void)state;
    Scene scene = scene_with("rows=4 columns=4");
    RecordedRun session;
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
        recorder_create(recorded_path, &scene, true, session.simulation, &session.recorder, NULL),
        STATUS_OK);
    recorded_steps(&session, 100);
    uint64_t hash = recorded_end(&session);
    Recording recording;
    recorded_read(&recording);
    assert_non_null(recording.particles);
    assert_true(recorded_play(&recording, -1) == hash);
    recording_finish(&recording);
}

static void a_mesh_must_be_the_one_recorded(void **state)
{
    (void)state;
    const char before[] = "v 0 0 0\nv 1 0 0\nv 0 0 1\nv 1 0 1\nf 1 2 3\nf 2 4 3\n";
    const char after[] = "v 0 0 0\nv 1 0 0\nv 0 0 1\nv 1 0 2\nf 1 2 3\nf 2 4 3\n";
    write_file(recorded_mesh_path, before, strlen(before));
    Scene scene = scene_with("");
    strcpy(scene.mesh, recorded_mesh_path);
    RecordedRun session = recorded_begin(&scene);
    recorded_steps(&session, 10);
    recorded_apply(&session, (Command){.kind = COMMAND_LOAD_SCENE, .scene = &scene});
    recorded_steps(&session, 10);
    uint64_t hash = recorded_end(&session);
    Recording recording;
    recorded_read(&recording);
    assert_true(recording.mesh != 0 && recording.commands[0].mesh == recording.mesh);
    assert_true(recorded_play(&recording, -1) == hash);

    write_file(recorded_mesh_path, after, strlen(after));
    Simulation *simulation;
    Error error = {0};
    assert_int_equal(replay_start(&recording, &simulation, &error), STATUS_FILE);
    assert_null(simulation);
    assert_non_null(strstr(error.text, "no longer the one"));
    assert_non_null(strstr(error.text, recorded_mesh_path));
    Session *whole;
    error = (Error){0};
    assert_int_equal(replay_start_session(&recording, 0, &whole, &error), STATUS_FILE);
    assert_null(whole);
    assert_non_null(strstr(error.text, "no longer the one"));
    unlink(recorded_mesh_path);
    assert_int_equal(replay_start(&recording, &simulation, &error), STATUS_FILE);
    assert_non_null(strstr(error.text, "cannot be opened"));
    recording_finish(&recording);
}

static void assert_lane(const Scene *scene, int lane, const char *own)
{
    char text[100];
    lane_print(&scene->lanes[lane], text, sizeof text);
    assert_string_equal(text, own);
}

// In both of its scenes; neither ends at a [lane].
static void lanes_are_in_the_file(void **state)
{
    (void)state;
    const char text[] = "selvage-record 1\nscene x\n[lane]\nintegrator = rk4\n[scene]\nfine = on\n"
                        "[lane]\n[lane]\nstep = 0.01\nend scene\n0.1 s  lane 3 reset\n"
                        "0.2 s  load y\n[lane]\nair = 1\nend scene\n0.3 s  end\n";
    write_file(recorded_path, text, strlen(text));
    Recording recording;
    recorded_read(&recording);
    assert_true(recording.scene.fine && recording.has_end);
    assert_int_equal(recording.scene.lane_count, 3);
    assert_lane(&recording.scene, 0, "integrator=rk4");
    assert_lane(&recording.scene, 1, "");
    assert_lane(&recording.scene, 2, "step=0.01");
    assert_int_equal(recording.command_count, 2);
    const Scene *other = recording.commands[1].command.scene;
    assert_int_equal(other->lane_count, 1);
    assert_false(other->fine);
    assert_lane(other, 0, "air=1");
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
        {"selvage-record 1\nscene ../x\n[cloth]\nend scene\n", {"line 2", "has no \"/\"", "../x"}},
        {START "0 0 s load /x\n[cloth]\nend scene\n", {"line 7", "has no \"/\""}},
        {"selvage-record 1\nscene x\n[cloth]\n", {"ends before its scene"}},
        {"selvage-record 1\nscene x\n[cloth]\nrow = 3\nend scene\n", {"line 4", "\"row\""}},
        {"selvage-record 1\nscene x\n\n[cloth]\nrows : : 3\nend scene\n", {"line 5", "rows"}},
        {START "particles\np,mass\n", {"ends before its particles"}},
        {START "reset\n", {"line 7", "TICK TIME s"}},
        {START "0 0 reset\n", {"line 7", "TICK TIME s"}},
        {START "0 0 s\n", {"line 7", "the commands are set NAME VALUE"}},
        {START "0 0 s jump\n", {"line 7", "\"jump\"", "the commands are"}},
        {START "-1 0 s reset\n", {"line 7", "\"-1\"", "0 to 9007199254740992"}},
        {START "1.5 0 s reset\n", {"line 7", "\"1.5\""}},
        {START "99999999999999999999 0 s reset\n", {"line 7", "whole number"}},
        {START "0 nan s reset\n", {"line 7", "\"nan\" is not a number"}},
        {START "3 0.1 s back\n", {"line 7", "back takes a tick"}},
        {START "3 0.1 s back 4\n", {"line 7", "not from 3 to 4"}},
        {START "0.1 s back 0\n", {"line 7", "every command has a tick"}},
        {START "3 0.1 s recall\n", {"line 7", "needs a back"}},
        {START "0 -1 s reset\n", {"line 7", "0 to 1e+12 s"}},
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
        {START "0 0 s end 0123456789abcdef 1\n", {"line 7", "16 digits"}},
        {"selvage-record 1\nscene x\n[lane]\n[lane]\nspeed = 1\nend scene\n",
         {"line 5", "one clock"}},
        {START "0 s end 0 0 0 0 0\n", {"line 7", "a hash for each lane"}},
        {START "0 s lane 5 reset\n", {"line 7", "0 to 4"}},
        {START "0 s lane 0 reset\n", {"line 7", "numbered from 1"}},
        {START "0 s lane 1\n", {"line 7", "no command"}},
        {START "0 s lane\n", {"line 7", "number and a command"}},
        {START "0 s lane 1 share colour\n", {"line 7", "colour"}},
        {START "1 s back 2 s\n", {"line 7", "earlier time"}},
        {START "0 0 s end\n0 0 s reset\n", {"line 8", "after the end"}},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        write_file(recorded_path, bad[i].text, strlen(bad[i].text));
        Recording recording;
        Error error = {0};
        Status status = recording_read(recorded_path, &recording, &error);
        if (status != STATUS_BAD_PARAMETER) fail_msg("taken: %s", bad[i].text);
        if (!strstr(error.text, recorded_path)) fail_msg("no file in: %s", error.text);
        for (int w = 0; w < 3 && bad[i].words[w]; w++) {
            if (!strstr(error.text, bad[i].words[w]))
                fail_msg("no \"%s\" in: %s", bad[i].words[w], error.text);
        }
        recording_finish(&recording);
    }
    write_file(recorded_path, START "\0", sizeof START);
    Recording recording;
    Error error = {0};
    assert_int_equal(recording_read(recorded_path, &recording, &error), STATUS_BAD_PARAMETER);
    assert_non_null(strstr(error.text, "not text"));
    unlink(recorded_path);
    assert_int_equal(recording_read(recorded_path, &recording, &error), STATUS_FILE);

    // a command that makes no sense for this cloth is reported with its line when it is due
    const char text[] = START "0 0 s pin 3\n3 0 s pin 9\n";
    write_file(recorded_path, text, strlen(text));
    recorded_read(&recording);
    Simulation *simulation;
    assert_int_equal(replay_start(&recording, &simulation, NULL), STATUS_OK);
    Replay replay = {.recording = &recording};
    assert_int_equal(replay_apply(&replay, simulation, NULL, &error), STATUS_OK);
    assert_int_equal(replay_apply(&replay, simulation, NULL, &error), STATUS_BAD_PARAMETER);
    assert_non_null(strstr(error.text, "line 8: there is no particle 9"));
    simulation_destroy(simulation);
    recording_finish(&recording);
}

// What a small cloth has done after some minutes as fast as possible. Between two commands so far
// apart only the last steps are taken here.
static void a_recording_may_be_long(void **state)
{
    (void)state;
    const char text[] = START "3000000000  25000000 s  set gravity 1\n"
                              "6000000000  50000000.25 s  end\n";
    write_file(recorded_path, text, strlen(text));
    Recording recording;
    recorded_read(&recording);
    assert_int_equal(recording.command_count, 1);
    assert_true(recording.commands[0].tick == 3000000000L && recording.end_tick == 6000000000L);
    assert_true(recording.commands[0].time == 25e6 && recording.end_time == 50000000.25);
    Replay replay = {.recording = &recording, .tick = 2999999998L};
    for (int s = 0; s < 2; s++, replay.tick++)
        assert_int_equal(replay_move(&replay, 25e6 - 1.0), REPLAY_STEP);
    assert_int_equal(replay_move(&replay, 25e6), REPLAY_COMMAND);
    replay.next++, replay.tick = 5999999999L;
    assert_int_equal(replay_move(&replay, 50e6), REPLAY_STEP);
    replay.tick++;
    assert_int_equal(replay_move(&replay, 50e6), REPLAY_OVER);
    recording_finish(&recording);
}

static void a_time_will_do_instead_of_a_tick(void **state)
{
    (void)state;
    const char text[] = START "# by hand\r\n0.0102 s  set step 0.004\r\n0.02 s set gravity 1\n"
                              "  ; after that\n\n0.05 s end\n";
    write_file(recorded_path, text, strlen(text));
    Recording recording;
    recorded_read(&recording);
    assert_int_equal(recording.command_count, 2);
    assert_true(recording.commands[0].tick < 0 && recording.has_end && recording.hash_count == 0);
    Simulation *simulation;
    assert_int_equal(replay_start(&recording, &simulation, NULL), STATUS_OK);
    Replay replay = {.recording = &recording};
    double last = -1.0, moments[2];
    ReplayMove move;
    while ((move = replay_move(&replay, simulation_time(simulation))) != REPLAY_OVER) {
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
    RecordedRun session = recorded_begin(&scene);
    recorded_steps(&session, 5);
    recorded_apply(&session, command_set("stretch", 812.5));
    recorded_steps(&session, 5);
    recorded_apply(&session, (Command){.kind = COMMAND_EXCITE, .excite = {shape, 9, 0.5}});
    recorded_apply(&session, (Command){.kind = COMMAND_LOAD_SCENE, .scene = &scene});
    recorded_steps(&session, 5);
    recorded_apply(&session, (Command){.kind = COMMAND_TOGGLE_PIN, .particle = 4});
    recorded_end(&session);
    Recording whole;
    recorded_read(&whole);
    size_t first = (size_t)(strstr(whole.text.data, "5  0.0") - whole.text.data);
    int most = 0;
    for (size_t size = 0; size < whole.text.size; size++) {
        if (size < first && size % 97 != 0) continue; // the long text of the scene
        write_file(recorded_path, whole.text.data, size);
        Recording part;
        Error error = {0};
        Status status = recording_read(recorded_path, &part, &error);
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
        if (size % 64 == 0) recorded_play(&part, -1);
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
    RecordedRun session = recorded_begin(&scene);
    struct stat there;
    struct rlimit before, tight;
    Error error = {0};
    assert_int_equal(stat(recorded_path, &there), 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    tight = (struct rlimit){(rlim_t)there.st_size + 300, before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    int written = 0;
    Status status = STATUS_OK;
    for (int k = 0; k < 40 && status == STATUS_OK; k++) {
        Command command = command_set("gravity", 1.0 + k / 7.0);
        recorded_steps(&session, 1);
        assert_int_equal(simulation_apply(session.simulation, &command, NULL), STATUS_OK);
        status = recorder_add(session.recorder, 0.0, &command, session.simulation, &error);
        if (status == STATUS_OK) written++;
    }
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(status, STATUS_FILE);
    assert_non_null(strstr(error.text, recorded_path));
    Command command =
        command_set("gravity", 1.0); // space again, but a line is missing: nothing more is written
    assert_int_equal(recorder_add(session.recorder, 0.0, &command, session.simulation, NULL),
                     STATUS_OK);
    Error told = {0};
    assert_int_equal(recorder_end(session.recorder, session.simulation, &told), STATUS_FILE);
    assert_string_equal(told.text, error.text);
    recorder_destroy(session.recorder);
    simulation_destroy(session.simulation);

    Recording recording;
    recorded_read(&recording);
    assert_true(written > 3);
    assert_int_equal(recording.command_count, written);
    assert_false(recording.cut || recording.has_end);
    recorded_play(&recording, -1);
    recording_finish(&recording);
}

static void an_old_recording_is_kept(void **state)
{
    (void)state;
    write_file(recorded_path, "old", 3);
    Scene scene = scene_with("rows=3 columns=3");
    RecordedRun session = recorded_begin(&scene);
    recorded_end(&session);
    FileText text;
    assert_int_equal(file_read(recorded_old_path, 100, &text, NULL), STATUS_OK);
    assert_string_equal(text.data, "old");
    file_text_finish(&text);
}

static Recording read_text(const char *text)
{
    write_file(recorded_path, text, strlen(text));
    Recording recording;
    recorded_read(&recording);
    return recording;
}

// What `back` makes void counts again after `recall`.
static void going_back_takes_commands_away(void **state)
{
    (void)state;
    const char until[] = START "1 0.1 s pin 1\n5 0.2 s pin 2\n9 0.3 s release\n12 0.4 s back 5\n"
                               "5 0.2 s resume\n7 0.3 s pin 3\n";
    Recording recording = read_text(until);
    const CommandKind kinds[] = {COMMAND_TOGGLE_PIN, COMMAND_TOGGLE_PIN, COMMAND_RESUME,
                                 COMMAND_TOGGLE_PIN};
    assert_int_equal(recording.command_count, 4);
    for (int i = 0; i < 4; i++) assert_int_equal(recording.commands[i].command.kind, kinds[i]);
    assert_int_equal(recording.commands[3].command.particle, 3);
    recording_finish(&recording);

    char whole[1024];
    snprintf(whole, sizeof whole, "%s%s", until, "8 0.4 s recall\n12 0.4 s reset\n");
    recording = read_text(whole);
    assert_int_equal(recording.command_count, 4);
    assert_int_equal(recording.commands[2].command.kind, COMMAND_RELEASE);
    assert_int_equal(recording.commands[3].command.kind, COMMAND_RESET);
    recording_finish(&recording);
}

// One lane is a lane. What has none is counted in steps: no clock says when it ends, also at once.
static void a_recording_knows_what_it_counts(void **state)
{
    (void)state;
    Recording recording = {.scene = {.lane_count = 1}};
    assert_true(recording_has_lanes(&recording));
    recording.scene.lane_count = 0;
    assert_false(recording_has_lanes(&recording));
    recording.has_end = true;
    recording.end_tick = 0;
    assert_true(isinf(replay_next_time(&(Replay){.recording = &recording})));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(going_back_takes_commands_away),
        cmocka_unit_test(every_command_survives_the_file),
        cmocka_unit_test(other_particles_are_in_the_file),
        cmocka_unit_test(a_mesh_must_be_the_one_recorded),
        cmocka_unit_test(lanes_are_in_the_file),
        cmocka_unit_test(bad_files_are_explained),
        cmocka_unit_test(a_recording_may_be_long),
        cmocka_unit_test(a_time_will_do_instead_of_a_tick),
        cmocka_unit_test(every_beginning_of_a_file_is_played_or_explained),
        cmocka_unit_test(a_full_disk_keeps_what_was_written),
        cmocka_unit_test(an_old_recording_is_kept),
        cmocka_unit_test(a_recording_knows_what_it_counts),
    };
    return cmocka_run_group_tests(tests, recorded_make_folder, recorded_remove_folder);
}
