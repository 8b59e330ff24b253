// Pause, reset, another scene and the end take effect in the middle of a step that takes minutes,
// and the state before the step stays. That the step was not taken shows that nobody waited for it.
#include "support/recorded.h"

#include "base/clock.h"
#include "runtime/sim_thread.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Newton's method with a step that it cannot follow, to an accuracy that it does not reach.
static Scene slow_scene(int lanes)
{
    Scene scene = scene_default();
    const char *const settings[] = {
        "rows=96",      "columns=96",          "step=0.1",  "stretch=1e6",
        "density=0.01", "pcg_tolerance=1e-12", "speed=max", "integrator=backward-euler-newton"};
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        assert_int_equal(params_assign(&scene.params, settings[i], NULL), STATUS_OK);
    for (scene.lane_count = 0; scene.lane_count < lanes; scene.lane_count++)
        lane_parse(scene.lane_count ? "air=1" : "", &scene.lanes[scene.lane_count], NULL);
    return scene;
}

static void send(SimThread *thread, Command command)
{
    assert_true(sim_thread_send(thread, &command));
}

// Generous: without an interruption it would be minutes.
static const Snapshot *wait_for(SimThread *thread, bool (*is_there)(const Snapshot *))
{
    for (double end = clock_seconds() + 100.0; clock_seconds() < end; usleep(2000)) {
        const Snapshot *now = sim_thread_latest(thread);
        if (is_there(now)) return now;
    }
    fail_msg("a command was not obeyed");
    return NULL;
}

static bool is_paused(const Snapshot *now)
{
    return !now->running;
}

static bool is_small(const Snapshot *now)
{
    return now->particle_count == 9;
}

static SimThread *open_thread(const Scene *scene, bool running, const char *record)
{
    SimThreadPlan plan = {.scene = scene, .running = running, .record = record};
    SimThread *thread;
    Error error;
    if (sim_thread_open(&plan, &thread, &error) != STATUS_OK) fail_msg("%s", error.text);
    return thread;
}

static void check(int lanes, const char *record)
{
    Scene slow = slow_scene(lanes), small = scene_default();
    small.params.rows = small.params.columns = 3;
    SimThread *thread = open_thread(&slow, true, record);
    usleep(300000); // it is in its first step by then
    send(thread, (Command){.kind = COMMAND_PAUSE});
    const Snapshot *now = wait_for(thread, is_paused);
    assert_int_equal(now->readings.step_count, 0);
    send(thread, (Command){.kind = COMMAND_RUN});
    usleep(300000);
    assert_int_equal(sim_thread_latest(thread)->readings.step_count, 0);
    send(thread, (Command){.kind = COMMAND_LOAD_SCENE, .scene = &small});
    wait_for(thread, is_small);
    send(thread, (Command){.kind = COMMAND_LOAD_SCENE, .scene = &slow});
    usleep(300000);
    double begun = clock_seconds();
    sim_thread_stop(thread);
    assert_true(clock_seconds() - begun < 100.0);
}

static void set(SimThread *thread, const char *name, double value)
{
    send(thread, command_set(name, value));
}

static long steps_shown(SimThread *thread)
{
    return sim_thread_latest(thread)->readings.step_count;
}

// The next number of steps to be seen that is not `before`.
static long next_steps(SimThread *thread, long before)
{
    for (double end = clock_seconds() + 100.0; clock_seconds() < end; usleep(500)) {
        if (steps_shown(thread) != before) return steps_shown(thread);
    }
    fail_msg("the number of steps stayed %ld", before);
    return -1;
}

// Three quick steps, and then one that takes minutes.
static SimThread *in_a_slow_step(int lanes, Command begin, const char *record)
{
    Scene scene = slow_scene(lanes);
    scene.params.step = 1e-4;
    scene.params.stretch = 1.0;
    scene.params.pcg_tolerance = 1e-3;
    SimThread *thread = open_thread(&scene, false, record);
    for (int i = 0; i < 3; i++) {
        send(thread, (Command){.kind = COMMAND_STEP});
        assert_int_equal(next_steps(thread, i), i + 1);
    }
    set(thread, "stretch", 1e6);
    set(thread, "pcg_tolerance", 1e-12);
    set(thread, "step", 0.1);
    send(thread, begin);
    usleep(300000);
    return thread;
}

// It is to be seen before the next step, which is as slow, and that in which it came is not taken.
static void check_reset(int lanes, Command begin, bool with_parameter, const char *record)
{
    SimThread *thread = in_a_slow_step(lanes, begin, record);
    assert_int_equal(steps_shown(thread), 3);
    if (with_parameter) set(thread, "air", 2.5);
    send(thread, (Command){.kind = COMMAND_RESET});
    assert_int_equal(next_steps(thread, 3), 0);
    const Snapshot *now = sim_thread_latest(thread);
    assert_true(now->readings.time == 0.0);
    assert_int_equal(now->running, begin.kind == COMMAND_RUN);
    assert_true(now->scene.params.step == 0.1); // it keeps the parameters
    if (with_parameter) assert_true(now->scene.params.air == 2.5);
    sim_thread_stop(thread);
}

static void a_reset_is_shown_at_once(void **state)
{
    (void)state;
    const Command begins[] = {{.kind = COMMAND_RUN}, {.kind = COMMAND_STEP}};
    bool all = !getenv("SELVAGE_SHARE"); // a round takes long under a sanitizer
    for (int i = 0; i < 2; i++) {
        check_reset(0, begins[i], i == 0, NULL);
        check_reset(2, begins[i], i == 1, NULL);
        if (!all) break;
        check_reset(0, begins[i], i == 1, NULL);
        check_reset(2, begins[i], i == 0, NULL);
    }
}

// The recording ends where all lanes were last at their clock: it has no hash of the steps that
// were not taken, and a replay does not take them either.
static void recorded_lanes_are_interrupted(void **state)
{
    (void)state;
    if (!getenv("SELVAGE_SHARE")) check(2, recorded_path);
    check_reset(2, (Command){.kind = COMMAND_RUN}, true, recorded_path);
    Recording recording;
    Replay replay = {.recording = &recording};
    Session *session;
    recorded_read(&recording);
    assert_true(recording_has_lanes(&recording) && recording.has_end);
    assert_int_equal(recording.hash_count, 0);
    assert_int_equal(replay_start_session(&recording, 0, &session, NULL), STATUS_OK);
    assert_int_equal(replay_play(&replay, session, NULL, NULL), STATUS_OK);
    assert_true(session_time(session) == 0.0 && session_params(session)->air == 2.5);
    session_destroy(session);
    recording_finish(&recording);
}

static void one_simulation_is_interrupted(void **state)
{
    (void)state;
    check(0, NULL);
}

static void lanes_are_interrupted(void **state)
{
    (void)state;
    check(2, NULL);
}

// Lanes in the middle of a stride leave out what comes before another scene, but it rests or runs
// as if they had not.
static void another_scene_rests_or_runs_as_asked(void **state)
{
    (void)state;
    Scene small = scene_default();
    small.params.rows = small.params.columns = 3;
    const Command load = {.kind = COMMAND_LOAD_SCENE, .scene = &small};
    int rounds = getenv("SELVAGE_SHARE") ? 1 : 2; // a round takes long under a sanitizer
    for (int runs = 0; runs < rounds; runs++) {
        SimThread *thread = in_a_slow_step(2, (Command){.kind = COMMAND_RUN}, NULL);
        send(thread, (Command){.kind = COMMAND_PAUSE});
        if (runs) send(thread, (Command){.kind = COMMAND_RUN});
        send(thread, load);
        wait_for(thread, is_small);
        usleep(100000);
        const Snapshot *now = sim_thread_latest(thread);
        assert_int_equal(now->running, runs);
        if (!runs) assert_true(now->readings.time == 0.0);
        sim_thread_stop(thread);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_simulation_is_interrupted),
        cmocka_unit_test(lanes_are_interrupted),
        cmocka_unit_test(a_reset_is_shown_at_once),
        cmocka_unit_test(recorded_lanes_are_interrupted),
        cmocka_unit_test(another_scene_rests_or_runs_as_asked),
    };
    return cmocka_run_group_tests(tests, recorded_make_folder, recorded_remove_folder);
}
