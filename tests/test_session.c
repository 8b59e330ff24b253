// What the simulation thread records replays to the same bits, at any recording speed.
#include "support/recorded.h"

#include "base/clock.h"
#include "runtime/replay.h"
#include "runtime/sim_thread.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double PATIENCE = 60.0; // s

static void wait_for_steps(SimThread *thread, long count)
{
    double give_up = clock_seconds() + PATIENCE;
    while (sim_thread_latest(thread)->readings.step_count < count) {
        if (clock_seconds() > give_up) fail_msg("gave up waiting");
        usleep(200);
    }
}

static void wait_for_time(SimThread *thread, double time)
{
    double give_up = clock_seconds() + PATIENCE;
    while (sim_thread_stage(thread)->time < time) {
        if (clock_seconds() > give_up) fail_msg("the time does not come");
        usleep(200);
    }
}

static void wait_for_rows(SimThread *thread, double rows)
{
    double give_up = clock_seconds() + PATIENCE;
    while (sim_thread_latest(thread)->scene.params.rows != rows) {
        if (clock_seconds() > give_up) fail_msg("no scene with these rows");
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

static Command seek(SeekKind kind, double time)
{
    return (Command){.kind = COMMAND_SEEK, .seek = {(int)kind, time}};
}

static void add_balls(Scene *scene)
{
    scene->collider_count = 2;
    scene->colliders[0] = scene->colliders[1] = collider_default();
    scene->colliders[0].centre = (Vec3){0.5, -0.5, 0.5};
    scene->colliders[1].centre = (Vec3){0.2, 0.4, 0.3};
    scene->colliders[1].mass = 0.1;
}

static void do_anything(SimThread *thread, uint32_t *seed)
{
    static const char *const sliders[] = {"stretch", "shear", "bend", "air", "density", "gravity"};
    int particle = (int)noise_between(seed, 0.0, 47.9);
    Vec3 target = {noise_between(seed, -0.5, 1.5), noise_between(seed, -0.5, 0.8),
                   noise_between(seed, -0.5, 1.0)};
    Scene other = scene_with("rows=6 columns=8 speed=max gather=0.8");
    add_balls(&other);
    double now = sim_thread_latest(thread)->last_time;
    switch ((int)noise_between(seed, 0.0, 18.99)) {
    case 18:
        send(thread, (Command){.kind = COMMAND_GRAB_BODY, .body = {particle % 2, target}});
        break;
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
        const ParamInfo *info = param_find(sliders[(int)noise_between(seed, 0.0, 5.99)]);
        double t = noise_between(seed, 0.2, 1.5);
        send(thread, command_set(info->name, t * (info->initial > 0.0 ? info->initial : 1.0)));
        break;
    }
    case 6:
        send(thread,
             command_set("integrator", floor(noise_between(seed, 0.0, integrator_count - 0.01))));
        break;
    case 7:
        send(thread, command_set("model", floor(noise_between(seed, 0.0, 2.99))));
        break;
    case 8:
        send(thread, command_set("filter", floor(noise_between(seed, 0.0, 1.99))));
        break;
    case 9:
        send(thread, (Command){.kind = COMMAND_REWIND, .rewind = {noise_between(seed, 0.0, 0.1)}});
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
        send(thread, command_set("speed", noise_between(seed, 0.0, 1.0) < 0.5 ? PARAM_WORD : 0.5));
        break;
    case 13:
        send(thread, (Command){.kind = COMMAND_LOAD_SCENE, .scene = &other});
        break;
    case 14: // looked at only
        for (int k = 0; k < 10; k++)
            send(thread, seek(SEEK_NEAREST, now * noise_between(seed, 0.0, 1.0)));
        usleep(2000);
        send(thread, seek(SEEK_NEAREST, INFINITY));
        break;
    case 15: // changed, or gone on from by the RUN below
        for (int k = 0; k < 3; k++) send(thread, seek(SEEK_BEFORE, now));
        send(thread, seek(SEEK_NEAREST, now * noise_between(seed, 0.0, 1.0)));
        send(thread, (Command){.kind = COMMAND_STEP});
        if (noise(seed) > 0.0) send(thread, command_set("air", noise_between(seed, 0.1, 3.0)));
        break;
    case 16: // and brought back, if there is something
        send(thread, (Command){.kind = COMMAND_RECALL});
        break;
    default:
        send(thread, command_set("stretch", -1.0)); // refused, so not recorded
    }
    send(thread, (Command){.kind = COMMAND_RUN}); // perhaps after a divergence
}

static void what_is_done_in_the_window_replays_to_the_same_bits(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 4; seed++) {
        uint32_t random = seed;
        Scene scene = scene_with("rows=6 columns=8");
        add_balls(&scene);
        scene.params.speed = seed % 2 ? PARAM_WORD : 1.0;
        SimThreadPlan plan = {.scene = &scene, .running = true, .record = recorded_path};
        SimThread *thread;
        Error error;
        if (sim_thread_open(&plan, &thread, &error) != STATUS_OK) fail_msg("%s", error.text);
        // a divergence, a second try, and a rewind
        wait_for_steps(thread, 50);
        send(thread, command_set("step", 0.05));
        wait_for_divergence(thread);
        send(thread, (Command){.kind = COMMAND_RUN});
        send(thread, (Command){.kind = COMMAND_STEP});
        send(thread, (Command){.kind = COMMAND_REWIND});
        send(thread, command_set("step", PARAM_WORD));
        send(thread, (Command){.kind = COMMAND_RUN});
        for (int k = 0; k < 60; k++) {
            do_anything(thread, &random);
            usleep((useconds_t)noise_between(&random, 0.0, 6000.0));
        }
        if (sim_thread_join(thread, &error) != STATUS_OK) fail_msg("%s", error.text);
        sim_thread_stop(thread);

        Recording recording;
        recorded_read(&recording);
        assert_true(recording.command_count > 0 && recording.has_end && recording.hash_count > 0);
        for (int k = 0; k < 10; k += test_share())
            assert_true(recorded_play(&recording, -1) == recording.hashes[0]);
        recording_finish(&recording);
    }
}

static void wait_for(SimThread *thread, bool in_past, double time)
{
    double give_up = clock_seconds() + PATIENCE;
    for (;;) {
        const Snapshot *now = sim_thread_latest(thread);
        if (now->in_past == in_past && fabs(now->readings.time - time) < 1e-12) return;
        if (clock_seconds() > give_up) fail_msg("at %g s, not at %g s", now->readings.time, time);
        usleep(200);
    }
}

// Forth and back by single steps, at one moment's parameters; then from there, with a recording
// that knows of it.
static void the_past_is_seen_and_gone_on_from(void **state)
{
    (void)state;
    Scene scene = scene_with("rows=6 columns=8 step=0.0005");
    SimThreadPlan plan = {.scene = &scene, .record = recorded_path};
    SimThread *thread;
    assert_int_equal(sim_thread_open(&plan, &thread, NULL), STATUS_OK);
    for (int s = 0; s < 30; s++) send(thread, (Command){.kind = COMMAND_STEP});
    send(thread, command_set("air", 2.0));
    for (int s = 0; s < 30; s++) send(thread, (Command){.kind = COMMAND_STEP});
    wait_for_steps(thread, 60);
    double h = 0.0005, last = sim_thread_latest(thread)->last_time;
    send(thread, seek(SEEK_NEAREST, 20 * h));
    wait_for(thread, true, 20 * h);
    const Snapshot *now = sim_thread_latest(thread);
    assert_true(now->last_time == last && now->first_time == 0.0 && now->past_bytes > 0.0);
    assert_true(now->mark_count == 1 && fabs(now->marks[0].time - 30 * h) < 1e-12);
    assert_true(now->scene.params.air != 2.0); // as it was then
    send(thread, seek(SEEK_BEFORE, now->readings.time));
    wait_for(thread, true, 19 * h);
    for (int s = 0; s < 3; s++) send(thread, (Command){.kind = COMMAND_STEP}); // along the past
    wait_for(thread, true, 22 * h);
    send(thread, seek(SEEK_NEAREST, INFINITY));
    wait_for(thread, false, last);
    assert_true(sim_thread_latest(thread)->scene.params.air == 2.0);

    send(thread, seek(SEEK_NEAREST, 10 * h));
    send(thread, command_set("gravity", 3.0)); // makes it the present
    wait_for(thread, false, 10 * h);
    now = sim_thread_latest(thread);
    assert_true(now->last_time == now->readings.time && now->mark_count == 1);
    assert_true(now->scene.params.air != 2.0 && now->scene.params.gravity == 3.0);
    assert_true(now->can_recall);
    for (int s = 0; s < 7; s++) send(thread, (Command){.kind = COMMAND_STEP});
    send(thread, (Command){.kind = COMMAND_RECALL}); // all is as it was
    wait_for(thread, false, last);
    now = sim_thread_latest(thread);
    assert_true(now->scene.params.air == 2.0 && now->mark_count == 1 && !now->can_recall);
    send(thread, seek(SEEK_NEAREST, 12 * h));
    wait_for(thread, true, 12 * h);
    send(thread, seek(SEEK_NEAREST, 10 * h));
    send(thread, command_set("gravity", 3.0));
    for (int s = 0; s < 5; s++) send(thread, (Command){.kind = COMMAND_STEP});
    wait_for(thread, false, 15 * h);
    assert_int_equal(sim_thread_join(thread, NULL), STATUS_OK);
    sim_thread_stop(thread);
    Recording recording;
    recorded_read(&recording);
    assert_int_equal(recording.command_count, 2); // resume and gravity
    assert_int_equal(recording.end_tick, 15);
    assert_true(recorded_play(&recording, -1) == recording.hashes[0]);
    assert_true(recorded_play(&recording, 1) != recording.hashes[0]);
    recording_finish(&recording);
}

// From before a divergence up to it, at some speed; what is played changes nothing.
static void the_past_is_played(void **state)
{
    (void)state;
    Scene scene = scene_with("rows=6 columns=8 speed=max");
    SimThread *thread;
    assert_int_equal(sim_thread_start(&scene, true, NULL, &thread, NULL), STATUS_OK);
    wait_for_steps(thread, 200);
    send(thread, command_set("step", 0.05));
    wait_for_divergence(thread);
    const Snapshot *now = sim_thread_latest(thread);
    double last = now->last_time;
    assert_true(!now->running && now->mark_count == 2);
    send(thread, seek(SEEK_NEAREST, 0.5 * last));
    send(thread, (Command){.kind = COMMAND_PLAY, .play = {1.0}});
    double give_up = clock_seconds() + PATIENCE;
    bool moved = false, played = false;
    double before = 0.0;
    while (!played) {
        now = sim_thread_latest(thread);
        if (now->in_past && now->running) {
            assert_true(now->readings.time >= before && now->last_time == last);
            moved = moved || (before > 0.0 && now->readings.time > before);
            before = now->readings.time;
        }
        played = moved && !now->in_past && !now->running;
        if (clock_seconds() > give_up) fail_msg("it plays on at %g s", now->readings.time);
        usleep(200);
    }
    assert_true(now->diverged && now->readings.time == last);
    send(thread, seek(SEEK_NEAREST, 0.0));
    send(thread, (Command){.kind = COMMAND_PLAY, .play = {1e-3}});
    send(thread, (Command){.kind = COMMAND_PAUSE}); // stays where it is
    wait_for(thread, true, 0.0);
    sim_thread_stop(thread);
}

// Whatever is done to four lanes, with any speed, is played again to the same bits.
static void lanes_replay_to_the_same_bits(void **state)
{
    (void)state;
    static const char *const lanes[] = {"integrator=symplectic-euler", "integrator=rk4",
                                        "integrator=backward-euler step=0.01",
                                        "integrator=velocity-verlet step=0.002"};
    for (uint32_t seed = 1; seed <= 3; seed++) {
        uint32_t random = seed;
        Scene scene = scene_with("rows=6 columns=8");
        scene.params.speed = seed % 2 ? PARAM_WORD : 1.0;
        for (int i = 0; i < 4; i++)
            assert_int_equal(lane_parse(lanes[i], &scene.lanes[i], NULL), STATUS_OK);
        scene.lane_count = 4;
        scene.fine = seed == 2;
        SimThreadPlan plan = {.scene = &scene, .running = true, .record = recorded_path};
        SimThread *thread;
        Error error;
        if (sim_thread_open(&plan, &thread, &error) != STATUS_OK) fail_msg("%s", error.text);
        wait_for_steps(thread, 30);
        Command diverge = command_set("step", 0.03);
        diverge.lane = 4;
        send(thread, diverge);
        double give_up = clock_seconds() + PATIENCE;
        const StageSnapshot *seen = sim_thread_stage(thread);
        while (!seen->lanes[3].diverged) { // it stops, the others go on
            if (clock_seconds() > give_up) fail_msg("the fourth does not diverge");
            usleep(200);
            seen = sim_thread_stage(thread);
        }
        double then = seen->lanes[3].readings.time;
        while (sim_thread_stage(thread)->time < then + 0.02) {
            if (clock_seconds() > give_up) fail_msg("the others do not go on");
            usleep(200);
        }
        // back before it, with another step, and on; or as it is
        send(thread, seek(SEEK_NEAREST, 0.9 * then));
        diverge.param.value = 0.002;
        if (seed != 3) send(thread, diverge);
        send(thread, (Command){.kind = COMMAND_RUN});
        for (int k = 0; k < 50; k++) {
            Command own = command_set("air", noise_between(&random, 0.1, 2.0));
            own.lane = 1 + (int)noise_between(&random, 0.0, 3.99);
            if (k % 7 == 3) send(thread, own);
            if (k % 9 == 5) {
                own.kind = COMMAND_SHARE_PARAM;
                send(thread, own);
            }
            if (k % 8 == 1) send(thread, (Command){.kind = COMMAND_SELECT, .lane = own.lane});
            do_anything(thread, &random);
            usleep((useconds_t)noise_between(&random, 0.0, 6000.0));
        }
        if (sim_thread_join(thread, &error) != STATUS_OK) fail_msg("%s", error.text);
        sim_thread_stop(thread);

        Recording recording;
        recorded_read(&recording);
        assert_true(recording_has_lanes(&recording) && recording.has_end);
        for (int k = 0; k < 3; k += test_share()) {
            Session *session;
            Replay replay = {.recording = &recording};
            if (replay_start_session(&recording, 0, &session, &error) != STATUS_OK ||
                replay_play(&replay, session, NULL, &error) != STATUS_OK ||
                !replay_agrees_with(&replay, session, &error))
                fail_msg("%s", error.text);
            session_destroy(session);
        }
        recording_finish(&recording);
    }
}

// Growth is slowed down where speed has a number and nobody switched it off.
static void growth_is_seen_in_slow_motion(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool slowed;
    } cases[] = {{"", true}, {"slow_motion=off", false}, {"speed=max", false}};
    for (int i = 0; i < 3; i++) {
        char text[80];
        snprintf(text, sizeof text, "rows=6 columns=8 %s", cases[i].text);
        Scene scene = scene_with(text);
        SimThread *thread;
        assert_int_equal(sim_thread_start(&scene, true, NULL, &thread, NULL), STATUS_OK);
        wait_for_steps(thread, 20);
        double limit = sim_thread_latest(thread)->readings.limit.step;
        send(thread, command_set("step", 1.05 * limit));
        bool slowed = false;
        double give_up = clock_seconds() + PATIENCE;
        while (!sim_thread_latest(thread)->diverged) {
            slowed = slowed || sim_thread_latest(thread)->slowed;
            if (clock_seconds() > give_up) fail_msg("it does not diverge");
            usleep(200);
        }
        assert_true(slowed == cases[i].slowed);
        assert_false(sim_thread_latest(thread)->slowed);
        sim_thread_stop(thread);
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
    RecordedRun session = recorded_begin(&scene);
    recorded_steps(&session, 50);
    recorded_apply(&session, (Command){.kind = COMMAND_GRAB, .hand = {20, {0.5, 0.3, 0.5}}});
    recorded_steps(&session, 100);
    recorded_apply(&session, command_set("step", 0.05)); // diverges and goes on
    recorded_steps(&session, 10);
    recorded_apply(&session, command_set("step", PARAM_WORD));
    recorded_steps(&session, 50);
    const uint64_t hash = recorded_end(&session);
    Recording recording;
    recorded_read(&recording);
    unlink(recorded_path);

    // play to the end and record again: the same result
    SimThreadPlan plan = {.running = true, .replay = &recording, .record = recorded_path};
    SimThread *thread;
    assert_int_equal(sim_thread_open(&plan, &thread, NULL), STATUS_OK);
    const Snapshot *snapshot = wait_for_notice(thread);
    assert_non_null(strstr(snapshot->notice, "agrees with the recording"));
    assert_false(snapshot->running);
    assert_int_equal(sim_thread_join(thread, NULL), STATUS_OK);
    sim_thread_stop(thread);
    Recording again;
    recorded_read(&again);
    assert_true(again.hashes[0] == hash && again.end_tick == recording.end_tick);
    assert_int_equal(again.command_count, recording.command_count);
    recording_finish(&again);

    // the user takes over, and that is recorded too; paused, so that the replay cannot end before
    plan.running = false;
    assert_int_equal(sim_thread_open(&plan, &thread, NULL), STATUS_OK);
    for (int s = 0; s < 70; s++) send(thread, (Command){.kind = COMMAND_STEP});
    send(thread, command_set("gravity", 3.0));
    send(thread, (Command){.kind = COMMAND_RUN});
    snapshot = wait_for_notice(thread);
    wait_for_steps(thread, 300); // it goes on
    assert_int_equal(sim_thread_join(thread, NULL), STATUS_OK);
    sim_thread_stop(thread);
    recorded_read(&again);
    assert_true(recorded_play(&again, -1) == again.hashes[0] && again.hashes[0] != hash);
    recording_finish(&again);

    // a mismatch is reported
    recording.hashes[0] ^= 1;
    plan.record = NULL;
    plan.running = true;
    assert_int_equal(sim_thread_open(&plan, &thread, NULL), STATUS_OK);
    assert_non_null(strstr(wait_for_notice(thread)->notice, "recorded was"));
    sim_thread_stop(thread);
    recording_finish(&recording);
}

// A jump within a replay goes on through a scene that is loaded on the way, though that has lanes.
static void a_replay_jumps_into_another_scene(void **state)
{
    (void)state;
    Scene scene = scene_with("rows=4 columns=4 step=1e-3"), other = scene_with("rows=3 columns=7");
    other.lane_count = 2;
    assert_int_equal(lane_parse("integrator=rk4", &other.lanes[1], NULL), STATUS_OK);
    SimThreadPlan plan = {.scene = &scene, .record = recorded_path};
    SimThread *thread;
    assert_int_equal(sim_thread_open(&plan, &thread, NULL), STATUS_OK);
    send(thread, (Command){.kind = COMMAND_JUMP, .until = 0.02});
    wait_for_time(thread, 0.0199);
    send(thread, (Command){.kind = COMMAND_LOAD_SCENE, .scene = &other});
    wait_for_rows(thread, 3);
    send(thread, (Command){.kind = COMMAND_JUMP, .until = 0.2});
    wait_for_time(thread, 0.1999); // or it would be in vain
    assert_int_equal(sim_thread_join(thread, NULL), STATUS_OK);
    sim_thread_stop(thread);

    Recording recording;
    recorded_read(&recording);
    plan = (SimThreadPlan){.replay = &recording};
    assert_int_equal(sim_thread_open(&plan, &thread, NULL), STATUS_OK);
    send(thread, (Command){.kind = COMMAND_JUMP, .until = 0.1});
    wait_for_rows(thread, 3); // nothing is shown within a jump
    const StageSnapshot *seen = sim_thread_stage(thread);
    assert_int_equal(seen->count, 2);
    assert_near(seen->time, 0.1, 1e-9);
    assert_int_equal(sim_thread_join(thread, NULL), STATUS_OK);
    sim_thread_stop(thread);
    recording_finish(&recording);
}

// A replay that is opened at rest takes not even the commands of its first moment. The lab is
// served after the thread has looked for commands and found none.
static void a_replay_at_rest_takes_no_command(void **state)
{
    (void)state;
    Scene scene = scene_with("rows=4 columns=4");
    RecordedRun run = recorded_begin(&scene);
    recorded_apply(&run, command_set("gravity", 3.0));
    recorded_steps(&run, 10);
    recorded_end(&run);
    Recording recording;
    recorded_read(&recording);
    SimThreadPlan plan = {.replay = &recording};
    SimThread *thread;
    assert_int_equal(sim_thread_open(&plan, &thread, NULL), STATUS_OK);
    double give_up = clock_seconds() + PATIENCE;
    while (sim_thread_lab(thread)->serial == 0) {
        if (clock_seconds() > give_up) fail_msg("gave up waiting");
        usleep(200);
    }
    send(thread, command_set("air", 0.25)); // the user takes over
    while (sim_thread_latest(thread)->scene.params.air != 0.25) {
        if (clock_seconds() > give_up) fail_msg("gave up waiting");
        usleep(200);
    }
    assert_true(sim_thread_latest(thread)->scene.params.gravity == scene.params.gravity);
    assert_int_equal(sim_thread_join(thread, NULL), STATUS_OK);
    sim_thread_stop(thread);
    recording_finish(&recording);
}

static void a_recording_that_fails_costs_nothing_else(void **state)
{
    (void)state;
    const char *const nowhere[] = {"/nowhere/session.rec", "/dev/full", recorded_folder};
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
        cmocka_unit_test(what_is_done_in_the_window_replays_to_the_same_bits),
        cmocka_unit_test(growth_is_seen_in_slow_motion),
        cmocka_unit_test(lanes_replay_to_the_same_bits),
        cmocka_unit_test(the_past_is_seen_and_gone_on_from),
        cmocka_unit_test(the_past_is_played),
        cmocka_unit_test(the_window_plays_a_recording),
        cmocka_unit_test(a_replay_jumps_into_another_scene),
        cmocka_unit_test(a_replay_at_rest_takes_no_command),
        cmocka_unit_test(a_recording_that_fails_costs_nothing_else),
    };
    return cmocka_run_group_tests(tests, recorded_make_folder, recorded_remove_folder);
}
