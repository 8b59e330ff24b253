// Pause, reset, another scene and the end take effect in the middle of a step that takes minutes,
// and the state before the step stays. That the step was not taken shows that nobody waited for it.
#include "runtime/sim_thread.h"

#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

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

static void check(int lanes)
{
    Scene slow = slow_scene(lanes), small = scene_default();
    SimThread *thread;
    Error error;
    small.params.rows = small.params.columns = 3;
    if (sim_thread_start(&slow, true, NULL, &thread, &error) != STATUS_OK)
        fail_msg("%s", error.text);
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
static SimThread *in_a_slow_step(int lanes, Command begin)
{
    Scene scene = slow_scene(lanes);
    SimThread *thread;
    Error error;
    scene.params.step = 1e-4;
    scene.params.stretch = 1.0;
    scene.params.pcg_tolerance = 1e-3;
    if (sim_thread_start(&scene, false, NULL, &thread, &error) != STATUS_OK)
        fail_msg("%s", error.text);
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
static void check_reset(int lanes, Command begin, bool with_parameter)
{
    SimThread *thread = in_a_slow_step(lanes, begin);
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
        check_reset(0, begins[i], i == 0);
        check_reset(2, begins[i], i == 1);
        if (!all) break;
        check_reset(0, begins[i], i == 1);
        check_reset(2, begins[i], i == 0);
    }
}

static void one_simulation_is_interrupted(void **state)
{
    (void)state;
    check(0);
}

static void lanes_are_interrupted(void **state)
{
    (void)state;
    check(2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_simulation_is_interrupted),
        cmocka_unit_test(lanes_are_interrupted),
        cmocka_unit_test(a_reset_is_shown_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
