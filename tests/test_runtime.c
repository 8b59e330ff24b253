// The simulation thread from outside: commands in, snapshots out. No test asserts how long
// something takes; a wait gives up after PATIENCE.
#include "base/clock.h"
#include "runtime/sim_thread.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const double PATIENCE = 180.0; // s, for ThreadSanitizer on a slow machine

static atomic_int wakes;

static void count_wake(void)
{
    atomic_fetch_add(&wakes, 1);
}

static Scene small_scene(void)
{
    Scene scene = scene_default();
    scene.params.rows = 6;
    scene.params.columns = 5;
    scene.params.speed = PARAM_WORD; // as fast as possible
    return scene;
}

static SimThread *start(Scene scene, bool running)
{
    SimThread *thread = NULL;
    Error error;
    assert_int_equal(sim_thread_start(&scene, running, count_wake, &thread, &error), STATUS_OK);
    return thread;
}

static void send(SimThread *thread, Command command)
{
    assert_true(sim_thread_send(thread, &command));
}

static void send_kind(SimThread *thread, CommandKind kind)
{
    send(thread, (Command){.kind = kind});
}

static void send_param(SimThread *thread, const char *name, double value)
{
    int index = (int)(param_find(name) - param_table);
    send(thread, (Command){.kind = COMMAND_SET_PARAM, .param = {.index = index, .value = value}});
}

// The first snapshot for which `condition` holds.
static const Snapshot *wait_for(SimThread *thread, bool (*condition)(const Snapshot *, double),
                                double value)
{
    double end = clock_seconds() + PATIENCE;
    do {
        const Snapshot *snapshot = sim_thread_latest(thread);
        if (condition(snapshot, value)) return snapshot;
        usleep(500);
    } while (clock_seconds() < end);
    fail_msg("gave up waiting");
    return sim_thread_latest(thread);
}

static bool has_steps(const Snapshot *s, double count)
{
    return s->readings.step_count >= count;
}
static bool has_gravity(const Snapshot *s, double value)
{
    return s->scene.params.gravity == value;
}
static bool has_notices(const Snapshot *s, double count)
{
    return s->notice_serial >= count;
}
static bool is_running(const Snapshot *s, double wanted)
{
    return s->running == (wanted != 0.0);
}
static bool is_diverged(const Snapshot *s, double wanted)
{
    return s->diverged == (wanted != 0.0);
}
static bool has_rows(const Snapshot *s, double rows)
{
    return s->scene.params.rows == rows;
}

static void assert_finite(const Snapshot *snapshot)
{
    for (int i = 0; i < 3 * snapshot->particle_count; i++) {
        assert_true(isfinite(snapshot->position[i]));
    }
}

static void shows_the_scene_at_once(void **state)
{
    (void)state;
    SimThread *thread = start(small_scene(), false);
    const Snapshot *first = sim_thread_latest(thread);
    assert_int_equal(first->particle_count, 30);
    assert_true(first->topology_version > 0 && first->triangle_count == 40);
    assert_false(first->running);
    assert_true(first->readings.time == 0.0);
    assert_int_equal(first->notice_serial, 0);
    sim_thread_stop(thread);
    sim_thread_stop(NULL);
}

static void refuses_a_scene_it_cannot_build(void **state)
{
    (void)state;
    Scene scene = small_scene();
    scene.params.rows = 0;
    SimThread *thread = NULL;
    Error error = {0};
    assert_int_equal(sim_thread_start(&scene, true, NULL, &thread, &error), STATUS_BAD_PARAMETER);
    assert_null(thread);
    assert_non_null(strstr(error.text, "rows"));
}

static void runs_and_pauses(void **state)
{
    (void)state;
    SimThread *thread = start(small_scene(), true);
    wait_for(thread, has_steps, 1000);
    assert_true(sim_thread_latest(thread)->real_time_factor > 0.0);
    send_kind(thread, COMMAND_PAUSE);
    double time = wait_for(thread, is_running, 0)->readings.time;
    assert_true(sim_thread_latest(thread)->real_time_factor == 0.0);
    send_param(thread, "gravity", 3.0); // published while paused, with the same time
    assert_true(wait_for(thread, has_gravity, 3.0)->readings.time == time);
    send_kind(thread, COMMAND_RUN);
    assert_true(wait_for(thread, is_running, 1)->readings.time >= time);
    sim_thread_stop(thread);
}

static void an_edit_shows_while_paused_and_wakes_the_window(void **state)
{
    (void)state;
    SimThread *thread = start(small_scene(), false);
    int before = atomic_load(&wakes);
    send_param(thread, "gravity", 1.25);
    const Snapshot *snapshot = wait_for(thread, has_gravity, 1.25);
    assert_int_equal(snapshot->readings.step_count, 0);
    // the hand is shown where it goes; a resting cloth stays where it is
    const float x = snapshot->position[21], z = snapshot->position[23];
    send(thread, (Command){.kind = COMMAND_GRAB, .hand = {.particle = 7, .target = {1, 2, 3}}});
    send_param(thread, "gravity", 2.5);
    snapshot = wait_for(thread, has_gravity, 2.5);
    assert_int_equal(snapshot->grabbed, 7);
    assert_true(snapshot->hand[0] == 1.0f && snapshot->hand[2] == 3.0f);
    assert_true(snapshot->position[21] == x && snapshot->position[23] == z);
    sim_thread_stop(thread);
    assert_true(atomic_load(&wakes) > before);
}

static void a_step_is_exactly_one(void **state)
{
    (void)state;
    SimThread *thread = start(small_scene(), false);
    double h = sim_thread_latest(thread)->readings.step;
    for (int i = 0; i < 3; i++) send_kind(thread, COMMAND_STEP);
    send_param(thread, "gravity", 4.0);
    const Snapshot *snapshot = wait_for(thread, has_gravity, 4.0);
    assert_int_equal(snapshot->readings.step_count, 3);
    assert_true(fabs(snapshot->readings.time - 3.0 * h) < 1e-3 * h);
    assert_false(snapshot->running);

    // also stops a running simulation
    send_kind(thread, COMMAND_RUN);
    wait_for(thread, has_steps, 10);
    send_kind(thread, COMMAND_STEP);
    wait_for(thread, is_running, 0);
    sim_thread_stop(thread);
}

static void reset_goes_back_to_the_start(void **state)
{
    (void)state;
    SimThread *thread = start(small_scene(), true);
    wait_for(thread, has_steps, 100);
    send_kind(thread, COMMAND_PAUSE);
    send_kind(thread, COMMAND_RESET);
    send_param(thread, "gravity", 5.0);
    const Snapshot *snapshot = wait_for(thread, has_gravity, 5.0);
    assert_int_equal(snapshot->readings.step_count, 0);
    assert_true(snapshot->readings.max_speed == 0.0);
    sim_thread_stop(thread);
}

static bool is_paused_at(const Snapshot *s, double time)
{
    return !s->running && s->readings.time > 0.5 * time;
}

// The same steps, whether kept to a pace or taken at once; with lanes the clock stops exactly
// there.
static void runs_to_a_time_and_pauses(void **state)
{
    (void)state;
    for (int lanes = 0; lanes < 2; lanes++) {
        Scene scene = small_scene();
        scene.lane_count = lanes;
        scene.params.speed = 4.0;
        if (lanes) assert_int_equal(lane_parse("integrator=rk4", &scene.lanes[0], NULL), STATUS_OK);
        SimThread *paced = start(scene, false), *jumped = start(scene, false);
        send(paced, (Command){.kind = COMMAND_RUN, .until = 0.05});
        send(jumped, (Command){.kind = COMMAND_JUMP, .until = 0.05});
        const Snapshot *a = wait_for(paced, is_paused_at, 0.05);
        const Snapshot *b = wait_for(jumped, is_paused_at, 0.05);
        assert_int_equal(a->readings.step_count, b->readings.step_count);
        assert_memory_equal(a->position, b->position,
                            3 * (size_t)a->particle_count * sizeof *a->position);
        assert_true(a->readings.time >= 0.05 - 1e-9 && a->readings.time < 0.05 + a->readings.step);
        if (lanes) assert_true(fabs(sim_thread_stage(paced)->time - 0.05) < 1e-12);
        send_kind(paced, COMMAND_RUN); // now on and on
        wait_for(paced, has_steps, (double)b->readings.step_count + 50);
        sim_thread_stop(paced);
        sim_thread_stop(jumped);
    }
}

static void a_refusal_becomes_a_notice(void **state)
{
    (void)state;
    SimThread *thread = start(small_scene(), false);
    double stretch = sim_thread_latest(thread)->scene.params.stretch;
    send_param(thread, "stretch", NAN);
    const Snapshot *snapshot = wait_for(thread, has_notices, 1);
    assert_non_null(strstr(snapshot->notice, "stretch"));
    assert_true(snapshot->scene.params.stretch == stretch);
    send_param(thread, "stretch", -1.0);
    send(thread, (Command){.kind = COMMAND_TOGGLE_PIN, .particle = 30});
    snapshot = wait_for(thread, has_notices, 3);
    assert_int_equal(snapshot->notice_serial, 3);
    assert_non_null(strstr(snapshot->notice, "particle"));
    sim_thread_stop(thread);
}

static void divergence_pauses_and_says_so(void **state)
{
    (void)state;
    Scene scene = small_scene();
    scene.params.stretch = 1e5;
    scene.params.step = 0.05; // far beyond the limit
    SimThread *thread = start(scene, true);
    const Snapshot *snapshot = wait_for(thread, is_diverged, 1);
    assert_false(snapshot->running);
    assert_true(strlen(snapshot->diverged_text) > 10);
    assert_finite(snapshot);
    assert_true(snapshot->readings.max_speed <= scene.params.speed_limit);

    // running again tries again, with the same result
    long steps = snapshot->readings.step_count;
    send_param(thread, "gravity", 9.0); // changing a parameter allows another try
    wait_for(thread, has_gravity, 9.0);
    send_kind(thread, COMMAND_RUN);
    snapshot = wait_for(thread, is_diverged, 1);
    assert_true(snapshot->readings.step_count >= steps);
    assert_finite(snapshot);

    // with a safe step it continues
    send_param(thread, "step", PARAM_WORD);
    send_kind(thread, COMMAND_RESET);
    send_kind(thread, COMMAND_RUN);
    wait_for(thread, is_diverged, 0);
    wait_for(thread, has_steps, 200);
    assert_false(sim_thread_latest(thread)->diverged);
    sim_thread_stop(thread);
}

static void loads_another_scene(void **state)
{
    (void)state;
    SimThread *thread = start(small_scene(), true);
    unsigned version = wait_for(thread, has_steps, 50)->topology_version;
    for (int rows = 10; rows <= 40; rows += 10) {
        Scene scene = small_scene();
        scene.params.rows = rows;
        strcpy(scene.name, "other");
        send(thread, (Command){.kind = COMMAND_LOAD_SCENE, .scene = &scene});
        scene = (Scene){0}; // it was copied
        const Snapshot *snapshot = wait_for(thread, has_rows, rows);
        assert_int_equal(snapshot->particle_count, 5 * rows);
        assert_true(snapshot->topology_version > version);
        assert_string_equal(snapshot->scene.name, "other");
        assert_finite(snapshot);
        version = snapshot->topology_version;
    }
    sim_thread_stop(thread);
}

// A lesson may want minutes of simulated time at once; who leaves it does not wait for them.
static void a_long_jump_ends_when_nobody_wants_it(void **state)
{
    (void)state;
    Scene scene = small_scene();
    scene.params.step = 1e-5;
    SimThread *thread = start(scene, false);
    const Command jump = {.kind = COMMAND_JUMP, .until = 1e5};
    send(thread, jump);
    usleep(20000);
    scene.params.rows = 9;
    send(thread, (Command){.kind = COMMAND_LOAD_SCENE, .scene = &scene});
    assert_true(wait_for(thread, has_rows, 9)->readings.time == 0.0);
    send(thread, jump); // together with QUIT, perhaps
    sim_thread_stop(thread);
}

// Somebody points at a particle of the picture while another scene is on its way: that particle is
// gone, and another one with its number is not meant.
static void what_was_pointed_at_may_be_gone(void **state)
{
    (void)state;
    SimThread *thread = start(small_scene(), false);
    const Snapshot *snapshot = sim_thread_latest(thread);
    unsigned seen = snapshot->topology_version;
    int corner = snapshot->particle_count - 1; // and the other scene has fewer particles, or more
    for (int rows = 4; rows <= 8; rows += 4) {
        Scene scene = small_scene();
        scene.params.rows = rows;
        send(thread, (Command){.kind = COMMAND_LOAD_SCENE, .scene = &scene});
        send(thread, (Command){.kind = COMMAND_TOGGLE_PIN, .cloth = seen, .particle = corner});
        send(thread, (Command){.kind = COMMAND_GRAB, .cloth = seen, .hand = {corner, {0, 0, 0}}});
        send_param(thread, "gravity", rows); // the last
        snapshot = wait_for(thread, has_gravity, rows);
        assert_int_equal(snapshot->notice_serial, 0);
        assert_int_equal(snapshot->grabbed, -1);
        if (corner < snapshot->particle_count) assert_false(snapshot->pinned[corner]);
    }
    corner = 7;
    send(thread, (Command){.kind = COMMAND_TOGGLE_PIN,
                           .cloth = snapshot->topology_version,
                           .particle = corner});
    send_param(thread, "gravity", 1.0);
    assert_true(wait_for(thread, has_gravity, 1.0)->pinned[corner]);
    sim_thread_stop(thread);
}

static void a_sleeper_hears_commands(void **state)
{
    (void)state;
    // the next step is due in ten real seconds; the answer comes earlier
    Scene scene = small_scene();
    scene.params.speed = 0.01;
    scene.params.step = 0.1;
    SimThread *thread = start(scene, true);
    send_param(thread, "gravity", 6.0);
    assert_int_equal(wait_for(thread, has_gravity, 6.0)->readings.step_count, 0);
    sim_thread_stop(thread); // stopping does not wait for it either
}

static bool has_time(const Snapshot *s, double time)
{
    return s->readings.time >= time;
}

// Held at one time after the other: each is seen, by less than a step, and the window is woken.
static void waits_where_it_is_held(void **state)
{
    (void)state;
    for (int lanes = 0; lanes <= 2; lanes += 2) {
        Scene scene = small_scene();
        scene.lane_count = lanes;
        for (int i = 0; i < lanes; i++)
            assert_int_equal(lane_parse(i ? "integrator=rk4" : "alpha=0", &scene.lanes[i], NULL),
                             STATUS_OK);
        SimThread *thread = start(scene, false);
        send(thread, (Command){.kind = COMMAND_HOLD, .hold = {0.05}});
        int woken = atomic_load(&wakes);
        send_kind(thread, COMMAND_RUN);
        for (int k = 1; k <= 6; k++) {
            const Snapshot *seen = wait_for(thread, has_time, 0.05 * k);
            usleep(3000); // it stays there
            seen = sim_thread_latest(thread);
            assert_true(seen->readings.time < 0.05 * k + seen->readings.step);
            assert_true(seen->running);
            double end = clock_seconds() + PATIENCE;
            while (atomic_load(&wakes) == woken && clock_seconds() < end) usleep(500);
            woken = atomic_load(&wakes);
            send(thread,
                 (Command){.kind = COMMAND_HOLD, .hold = {k < 6 ? 0.05 * (k + 1) : INFINITY}});
        }
        wait_for(thread, has_time, 1.0);
        sim_thread_stop(thread);
    }
}

static void add_lane(Scene *scene, const char *own)
{
    assert_int_equal(lane_parse(own, &scene->lanes[scene->lane_count++], NULL), STATUS_OK);
}

// Of a clock that is held no lane is to blame, while its factor falls and when it is 0.
static void no_lane_slows_a_clock_that_stands(void **state)
{
    (void)state;
    Scene scene = small_scene();
    scene.params.speed = 1.0;
    add_lane(&scene, "");
    add_lane(&scene, "integrator=rk4");
    SimThread *thread = start(scene, false);
    const Command hold = {.kind = COMMAND_HOLD, .hold = {0.05}};
    send(thread, hold);
    send_kind(thread, COMMAND_RUN);
    wait_for(thread, has_time, 0.05);
    double end = clock_seconds() + PATIENCE;
    while (sim_thread_latest(thread)->real_time_factor > 0.0) {
        if (clock_seconds() > end) fail_msg("the clock does not stand");
        assert_int_equal(sim_thread_stage(thread)->slowest, -1);
        send(thread, hold); // to be told of it again
        usleep(20000);
    }
    assert_true(sim_thread_latest(thread)->running);
    assert_int_equal(sim_thread_stage(thread)->slowest, -1);
    sim_thread_stop(thread);
}

static void await(SimThread *thread, const char *what, bool (*enough)(SimThread *thread))
{
    double end = clock_seconds() + PATIENCE;
    while (!enough(thread)) {
        if (clock_seconds() > end) fail_msg("%s", what);
        usleep(500);
    }
}

static bool second_lane_moves(SimThread *thread)
{
    return sim_thread_stage(thread)->lanes[1].readings.step_count > 0;
}

static bool clock_moves(SimThread *thread)
{
    return sim_thread_stage(thread)->time > 0.0;
}

// One lane takes a great many steps for one of the other's. A pause shows at once how far it came,
// and where both are when it has caught up.
static void a_pause_waits_for_no_lane(void **state)
{
    (void)state;
    Scene scene = small_scene();
    scene.params.rows = scene.params.columns = 40;
    add_lane(&scene, "");
    add_lane(&scene, "integrator=rk4 step=1e-6");
    SimThread *thread = start(scene, true);
    await(thread, "the second lane takes no step", second_lane_moves);
    send_kind(thread, COMMAND_PAUSE);
    wait_for(thread, is_running, 0);
    assert_true(sim_thread_stage(thread)->time == 0.0); // which only the first has reached
    int woken = atomic_load(&wakes);
    await(thread, "the clock is not shown where both lanes are", clock_moves);
    assert_true(atomic_load(&wakes) > woken);
    sim_thread_stop(thread);
}

// A lane that diverged goes on with a shorter step as soon as time moves again.
static void a_lane_that_stopped_tries_again(void **state)
{
    (void)state;
    const CommandKind kinds[] = {COMMAND_RUN, COMMAND_STEP};
    for (int k = 0; k < 2; k++) {
        Scene scene = small_scene();
        scene.params.stretch = 1e5;
        add_lane(&scene, "step=0.05"); // far beyond the limit
        add_lane(&scene, "");
        SimThread *thread = start(scene, true);
        long steps = wait_for(thread, is_diverged, 1)->readings.step_count;
        send_kind(thread, COMMAND_PAUSE);
        wait_for(thread, is_running, 0);
        Command shorter = {.kind = COMMAND_SET_PARAM, .lane = 1};
        shorter.param.index = (int)(param_find("step") - param_table);
        shorter.param.value = PARAM_WORD;
        send(thread, shorter);
        send_kind(thread, kinds[k]);
        wait_for(thread, is_diverged, 0);
        wait_for(thread, has_steps, (double)steps + 1);
        sim_thread_stop(thread);
    }
}

static void two_run_side_by_side(void **state)
{
    (void)state;
    Scene other = small_scene();
    other.params.integrator = integrator_find("backward-euler");
    SimThread *a = start(small_scene(), true), *b = start(other, true);
    wait_for(a, has_steps, 200);
    wait_for(b, has_steps, 200);
    send_param(a, "gravity", 2.0);
    wait_for(a, has_gravity, 2.0);
    assert_true(sim_thread_latest(b)->scene.params.gravity == other.params.gravity);
    sim_thread_stop(a);
    long steps = sim_thread_latest(b)->readings.step_count;
    wait_for(b, has_steps, steps + 50); // one continues without the other
    sim_thread_stop(b);
}

static void *flood(void *thread)
{
    static const CommandKind kinds[] = {COMMAND_RUN, COMMAND_PAUSE, COMMAND_STEP, COMMAND_RESET,
                                        COMMAND_RUN};
    for (int i = 0; i < 4000; i++) {
        Command command = {.kind = kinds[i % 5]};
        sim_thread_send(thread, &command); // may be refused when the queue is full
    }
    return NULL;
}

static void survives_a_flood(void **state)
{
    (void)state;
    SimThread *thread = start(small_scene(), true);
    pthread_t senders[3];
    for (int i = 0; i < 3; i++) pthread_create(&senders[i], NULL, flood, thread);
    for (int i = 0; i < 2000; i++) assert_finite(sim_thread_latest(thread));
    for (int i = 0; i < 3; i++) pthread_join(senders[i], NULL);
    flood(thread); // stopped with a full queue
    sim_thread_stop(thread);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shows_the_scene_at_once),
        cmocka_unit_test(refuses_a_scene_it_cannot_build),
        cmocka_unit_test(runs_and_pauses),
        cmocka_unit_test(an_edit_shows_while_paused_and_wakes_the_window),
        cmocka_unit_test(a_step_is_exactly_one),
        cmocka_unit_test(reset_goes_back_to_the_start),
        cmocka_unit_test(runs_to_a_time_and_pauses),
        cmocka_unit_test(a_refusal_becomes_a_notice),
        cmocka_unit_test(divergence_pauses_and_says_so),
        cmocka_unit_test(loads_another_scene),
        cmocka_unit_test(a_long_jump_ends_when_nobody_wants_it),
        cmocka_unit_test(what_was_pointed_at_may_be_gone),
        cmocka_unit_test(a_sleeper_hears_commands),
        cmocka_unit_test(waits_where_it_is_held),
        cmocka_unit_test(no_lane_slows_a_clock_that_stands),
        cmocka_unit_test(a_pause_waits_for_no_lane),
        cmocka_unit_test(a_lane_that_stopped_tries_again),
        cmocka_unit_test(two_run_side_by_side),
        cmocka_unit_test(survives_a_flood),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
