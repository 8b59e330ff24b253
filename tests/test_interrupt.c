// Pause, another scene and the end take effect in the middle of a step that takes minutes, and the
// state before the step stays. That the step was not taken shows that nobody waited for it.
#include "runtime/sim_thread.h"

#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
