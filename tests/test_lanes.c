// Lanes on one clock: each is to the bit what it is by itself, in the present and in the past.
//
// usage: test_lanes            the tests
//        test_lanes MINUTES    so long a run of four lanes of 32 x 32, and what its past takes
#include "support/solver_test.h"

#include "base/clock.h"
#include "simulation/state.h"
#include "stage/session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GIVEN_MAX = 400 };

typedef struct Given { // a command, and what the clock showed
    double clock;
    Command command;
} Given;

typedef struct Play {
    Scene scene;
    Session *session;
    int count;
    Given given[GIVEN_MAX];
    uint32_t seed;
} Play;

static Scene four_lanes(void)
{
    static const char *const lanes[] = {"integrator=symplectic-euler", "integrator=rk4 air=0.7",
                                        "integrator=backward-euler step=0.01",
                                        "integrator=velocity-verlet step=0.0021"};
    Scene scene = scene_with("rows=5 columns=6 speed=max");
    for (int i = 0; i < 4; i++)
        assert_int_equal(lane_parse(lanes[i], &scene.lanes[scene.lane_count++], NULL), STATUS_OK);
    return scene;
}

static void step_until(Simulation *simulation, double clock, bool *stopped)
{
    while (!*stopped && simulation_time(simulation) < clock)
        *stopped = simulation_step(simulation, NULL) != STATUS_OK;
}

// A lane by itself: its own simulation, without a session.
static uint64_t hash_by_itself(const Play *play, int lane, double clock)
{
    Scene shared = play->scene;
    Lane own = play->scene.lanes[lane];
    Scene start = lane_scene(&own, &shared);
    Simulation *simulation;
    assert_int_equal(simulation_create(&start, &simulation, NULL), STATUS_OK);
    bool stopped = false;
    for (int i = 0; i < play->count && play->given[i].clock <= clock; i++) {
        Command command = play->given[i].command;
        bool for_it = command.lane == 0 || command.lane == lane + 1;
        step_until(simulation, play->given[i].clock, &stopped);
        if (command.kind == COMMAND_SET_PARAM || command.kind == COMMAND_SHARE_PARAM) {
            const ParamInfo *info = &param_table[command.param.index];
            double before = param_get(simulation_params(simulation), info);
            if (command.lane == 0) param_set(&shared.params, info, command.param.value, NULL);
            if (command.lane == lane + 1 && command.kind == COMMAND_SET_PARAM)
                lane_own(&own, info, command.param.value);
            if (command.lane == lane + 1 && command.kind == COMMAND_SHARE_PARAM)
                lane_share(&own, info);
            double value = lane_owns(&own, info) ? param_get(&own.params, info)
                                                 : param_get(&shared.params, info);
            if (value == before) continue;
            command = (Command){.kind = COMMAND_SET_PARAM, .param = {command.param.index, value}};
        } else if (!for_it) {
            continue;
        }
        if (command.kind == COMMAND_RETRY) {
            stopped = false;
        } else {
            assert_int_equal(simulation_apply(simulation, &command, NULL), STATUS_OK);
        }
    }
    step_until(simulation, clock, &stopped);
    uint64_t hash = simulation_hash(simulation);
    simulation_destroy(simulation);
    return hash;
}

static void give(Play *play, Command command)
{
    Error error;
    double clock = session_time(play->session);
    if (session_apply(play->session, &command, &error) != STATUS_OK) fail_msg("%s", error.text);
    assert_true(play->count < GIVEN_MAX);
    play->given[play->count++] = (Given){clock, command};
}

static Command for_lane(int lane, Command command)
{
    command.lane = lane;
    return command;
}

static void do_something(Play *play)
{
    uint32_t *seed = &play->seed;
    int lane = 1 + (int)noise_between(seed, 0.0, 3.99);
    Vec3 place = {noise_between(seed, -0.2, 1.0), noise_between(seed, -0.3, 0.8), 0.4};
    int particle = (int)noise_between(seed, 6.0, 29.99);
    switch ((int)noise_between(seed, 0.0, 9.99)) {
    case 0:
        give(play, command_set("stretch", noise_between(seed, 100.0, 400.0)));
        break;
    case 1:
        give(play, command_set("air", noise_between(seed, 0.1, 2.0)));
        break;
    case 2:
        give(play, for_lane(lane, command_set("air", noise_between(seed, 0.1, 2.0))));
        break;
    case 3: {
        Command share = command_set("air", 0.0);
        share.kind = COMMAND_SHARE_PARAM;
        give(play, for_lane(lane, share));
        break;
    }
    case 4:
        give(play, (Command){.kind = COMMAND_GRAB, .hand = {particle, place}});
        break;
    case 5:
        give(play, (Command){.kind = COMMAND_MOVE_HAND, .hand = {particle, place}});
        break;
    case 6:
        give(play, (Command){.kind = COMMAND_RELEASE});
        break;
    case 7:
        give(play, (Command){.kind = COMMAND_TOGGLE_PIN, .particle = particle});
        break;
    case 8: // the fourth diverges, or not any more
        give(play, for_lane(4, command_set("step", noise(seed) > 0.0 ? 0.02 : 0.002)));
        break;
    default: {
        unsigned lanes = session_lanes_to_retry(play->session);
        for (int i = 0; i < 4; i++) {
            if (lanes & (1u << i)) give(play, (Command){.kind = COMMAND_RETRY, .lane = i + 1});
        }
    }
    }
}

// The clock by some time, in pieces of any length.
static void move_on(Play *play, double duration)
{
    double end = session_time(play->session) + duration;
    while (session_time(play->session) < end) {
        double until =
            fmin(session_time(play->session) + noise_between(&play->seed, 1e-4, 0.02), end);
        bool hurried = noise(&play->seed) > 0.0;
        do { // a deadline that has passed: a step at a time
            session_advance(play->session, until, hurried ? 0.0 : INFINITY, NULL);
        } while (!session_is_settled(play->session));
    }
}

static void expect_lanes(Play *play, double clock, const char *what)
{
    for (int i = 0; i < 4; i++) {
        session_select(play->session, i);
        uint64_t shown = simulation_hash(session_shown(play->session));
        if (shown != hash_by_itself(play, i, clock))
            fail_msg("%s: lane %d is not what it is by itself at %.9g s", what, i + 1, clock);
    }
}

static void seek(Play *play, double time)
{
    Error error;
    if (session_seek(play->session, SEEK_NEAREST, time, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    while (session_seeks(play->session))
        assert_int_equal(session_go_on(play->session, 0.0, &error), STATUS_OK);
}

static Play begin_with(Scene scene, uint32_t seed)
{
    Play play = {.scene = scene, .seed = seed};
    Error error;
    if (session_create(&play.scene, (size_t)8 << 20, &play.session, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return play;
}

static Play begin(uint32_t seed)
{
    return begin_with(four_lanes(), seed);
}

static void each_lane_is_what_it_is_by_itself(void **state)
{
    (void)state;
    bool stopped = false;
    for (uint32_t seed = 1; seed <= 4; seed++) {
        Play play = begin(seed);
        for (int k = 0; k < 40; k++) {
            do_something(&play);
            if (noise(&play.seed) > -0.5) move_on(&play, noise_between(&play.seed, 0.0, 0.05));
            stopped = stopped || session_has_stopped(play.session, 3);
        }
        expect_lanes(&play, session_time(play.session), "now");
        session_destroy(play.session);
    }
    assert_true(stopped); // or a lane that stops was not tried
}

static void every_moment_of_the_past_is_what_it_was(void **state)
{
    (void)state;
    for (uint32_t seed = 5; seed <= 7; seed++) {
        Play play = begin(seed);
        for (int k = 0; k < 40; k++) {
            do_something(&play);
            move_on(&play, noise_between(&play.seed, 0.0, 0.04));
        }
        double end = session_time(play.session);
        for (int k = 0; k < 25; k++) {
            double time = noise_between(&play.seed, 0.0, 1.0) * end;
            seek(&play, time);
            assert_true(session_in_past(play.session) && session_shown_time(play.session) == time);
            expect_lanes(&play, time, "the past");
        }
        // a step of a lane back and forth
        session_select(play.session, 2);
        seek(&play, 0.5 * end);
        assert_int_equal(session_seek(play.session, SEEK_BEFORE, 0.5 * end, NULL), STATUS_OK);
        while (session_seeks(play.session)) session_go_on(play.session, 0.0, NULL);
        double before = session_shown_time(play.session);
        assert_true(before < 0.5 * end && before > 0.5 * end - 0.0101);
        expect_lanes(&play, before, "a step back");
        seek(&play, INFINITY);
        assert_false(session_in_past(play.session));
        expect_lanes(&play, end, "back at the present");
        session_destroy(play.session);
    }
}

// Cloths that fall in a heap, a hand in it, contact with itself switched off and on again.
static void folds_of_the_past_are_what_they_were(void **state)
{
    (void)state;
    Scene scene = four_lanes();
    scene_assign(&scene,
                 "rows=10 columns=10 self_contact=on ground=-1.05 bend=1 gather=0.7 folds=3");
    scene.pins = 0;
    scene.start = START_HANGING;
    Play play = begin_with(scene, 8);
    move_on(&play, 0.6);
    give(&play, (Command){.kind = COMMAND_GRAB, .hand = {20, {0.4, -0.9, 0.1}}});
    move_on(&play, 0.15);
    give(&play, command_set("self_contact", 0.0));
    move_on(&play, 0.1);
    give(&play, command_set("self_contact", 1.0));
    give(&play, (Command){.kind = COMMAND_MOVE_HAND, .hand = {20, {0.3, -0.8, -0.3}}});
    move_on(&play, 0.1);
    give(&play, (Command){.kind = COMMAND_RELEASE});
    move_on(&play, 0.2);
    double end = session_time(play.session);
    expect_lanes(&play, end, "folds");
    for (int k = 0; k < 4; k++) {
        double time = noise_between(&play.seed, 0.4, 1.0) * end;
        seek(&play, time);
        expect_lanes(&play, time, "folds of the past");
    }
    session_destroy(play.session);
}

static void the_past_is_gone_on_from_and_recalled(void **state)
{
    (void)state;
    for (uint32_t seed = 11; seed <= 13; seed++) {
        Play play = begin(seed);
        for (int k = 0; k < 30; k++) {
            do_something(&play);
            move_on(&play, noise_between(&play.seed, 0.0, 0.04));
        }
        double end = session_time(play.session), time = 0.4 * end;
        Play before = play;
        SessionMoment moment;
        Command resume = {.kind = COMMAND_RESUME};
        seek(&play, time);
        assert_int_equal(session_resume(play.session, &moment, NULL), STATUS_OK);
        assert_true(moment.time == time && session_time(play.session) == time);
        while (play.count > 0 && play.given[play.count - 1].clock > time) play.count--;
        give(&play, resume);
        for (int k = 0; k < 15; k++) {
            do_something(&play);
            move_on(&play, noise_between(&play.seed, 0.0, 0.04));
        }
        expect_lanes(&play, session_time(play.session), "gone on");
        seek(&play, 0.9 * time);
        expect_lanes(&play, 0.9 * time, "the past after that");
        assert_int_equal(session_recall(play.session, &moment, NULL), STATUS_OK);
        assert_true(session_time(play.session) == end);
        memcpy(play.given, before.given, sizeof play.given);
        play.count = before.count;
        give(&play, resume);
        expect_lanes(&play, end, "recalled");
        for (int k = 0; k < 5; k++) {
            do_something(&play);
            move_on(&play, 0.02);
        }
        expect_lanes(&play, session_time(play.session), "after that");
        assert_int_equal(session_recall(play.session, &moment, NULL), STATUS_BAD_PARAMETER);
        session_destroy(play.session);
    }
}

static void all_lanes_are_seen_at_one_moment(void **state)
{
    (void)state;
    Play play = begin(3);
    lane_share(&play.scene.lanes[1], param_find("air")); // the same cloth for all
    play.scene.fine = true;
    assert_int_equal(session_apply(play.session,
                                   &(Command){.kind = COMMAND_LOAD_SCENE, .scene = &play.scene},
                                   NULL),
                     STATUS_OK);
    move_on(&play, 0.3);
    StageSnapshot snapshot = {0};
    assert_int_equal(session_fill_snapshot(play.session, &snapshot, NULL), STATUS_OK);
    assert_true(snapshot.count == 4 && snapshot.reference == 4 && snapshot.time == 0.3);
    for (int i = 0; i < 4; i++) {
        const Snapshot *lane = &snapshot.lanes[i];
        // falling freely all are at one place; what differs is the error of the method
        assert_true(lane->readings.time == 0.3);
        assert_true(lane->distance_max > 0.0 && lane->distance_max < 0.2);
        assert_string_equal(lane->lane.name, play.scene.lanes[i].name);
    }
    // more exact methods are nearer to the fine one
    assert_true(snapshot.lanes[1].distance_rms < 0.1 * snapshot.lanes[0].distance_rms);
    assert_true(snapshot.lanes[0].distance_rms < snapshot.lanes[2].distance_rms);
    session_compare_with(play.session, 2);
    assert_int_equal(session_fill_snapshot(play.session, &snapshot, NULL), STATUS_OK);
    assert_true(snapshot.lanes[2].distance_max == 0.0 && snapshot.lanes[0].distance_max > 0.0);
    session_compare_with(play.session, -1); // no distance of any particle is left from before
    assert_int_equal(session_fill_snapshot(play.session, &snapshot, NULL), STATUS_OK);
    for (int i = 0; i < 4; i++) {
        assert_true(isnan(snapshot.lanes[i].distance_max));
        for (int p = 0; p < snapshot.lanes[i].particle_count; p++)
            assert_true(snapshot.lanes[i].distance[p] == 0.0f);
    }
    stage_snapshot_finish(&snapshot);
    session_destroy(play.session);
}

// A lane takes a step far beyond its limit, and is refused the next. What the clock shows within
// the first is what that step led to, not what the refused one left.
static void before_a_refused_step_a_lane_is_what_it_was(void **state)
{
    (void)state;
    Play play = begin(41);
    move_on(&play, 0.1);
    Command set = {.kind = COMMAND_SET_PARAM};
    set.param.index = (int)(param_find("step") - param_table);
    set.param.value = 0.03;
    give(&play, for_lane(4, set));
    move_on(&play, 0.2);
    assert_true(session_has_stopped(play.session, 3));
    seek(&play, simulation_time(session_simulation(play.session, 3)) - 0.01);
    expect_lanes(&play, session_shown_time(play.session), "before the refused step");
    session_destroy(play.session);
}

// The rms by the positions that a snapshot has.
static double distance_of(const Snapshot *a, const Snapshot *b)
{
    double sum = 0.0;
    for (int k = 0; k < 3 * a->particle_count; k++) {
        double d = (double)a->position[k] - (double)b->position[k];
        sum += d * d;
    }
    return sqrt(sum / a->particle_count);
}

// All lanes get more particles, then fewer, beside a comparison that goes on.
static void lanes_of_another_size_are_compared(void **state)
{
    (void)state;
    Play play = begin(23);
    session_compare_with(play.session, 1);
    const double rows[] = {8.0, 3.0};
    for (int i = 0; i < 2; i++) {
        move_on(&play, 0.1);
        Command set = {.kind = COMMAND_SET_PARAM};
        set.param.index = (int)(param_find("rows") - param_table);
        set.param.value = rows[i];
        give(&play, set);
        move_on(&play, 0.2);
        StageSnapshot snapshot = {0};
        assert_int_equal(session_fill_snapshot(play.session, &snapshot, NULL), STATUS_OK);
        const Snapshot *reference = &snapshot.lanes[1];
        for (int k = 0; k < 4; k++) {
            const Snapshot *lane = &snapshot.lanes[k];
            assert_int_equal(lane->particle_count, 6 * (int)rows[i]);
            assert_near(lane->distance_rms, distance_of(lane, reference), 1e-6);
            assert_true(k == 1 || lane->distance_rms > 0.0);
        }
        stage_snapshot_finish(&snapshot);
    }
    session_destroy(play.session);
}

static void what_one_lane_refuses_changes_none(void **state)
{
    (void)state;
    Play play = begin(3);
    Command model = command_set("model", 1.0); // Baraff-Witkin, which harmonic cannot
    assert_int_equal(lane_parse("integrator=harmonic", &play.scene.lanes[1], NULL), STATUS_OK);
    Command load = {.kind = COMMAND_LOAD_SCENE, .scene = &play.scene};
    assert_int_equal(session_apply(play.session, &load, NULL), STATUS_OK);
    move_on(&play, 0.05);
    uint64_t before[4];
    for (int i = 0; i < 4; i++) before[i] = simulation_hash(session_simulation(play.session, i));
    Error error;
    assert_int_equal(session_apply(play.session, &model, &error), STATUS_BAD_PARAMETER);
    assert_non_null(strstr(error.text, "lane 2, harmonic"));
    model.lane = 5;
    assert_int_equal(session_apply(play.session, &model, &error), STATUS_BAD_PARAMETER);
    Command rows = command_set("rows", 7.0);
    rows.lane = 1;
    assert_int_equal(session_apply(play.session, &rows, &error), STATUS_BAD_PARAMETER);
    assert_non_null(strstr(error.text, "particle by particle"));
    for (int i = 0; i < 4; i++)
        assert_true(before[i] == simulation_hash(session_simulation(play.session, i)));
    // another cloth for all of them
    rows.lane = 0;
    assert_int_equal(session_apply(play.session, &rows, &error), STATUS_OK);
    assert_true(session_time(play.session) == 0.0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(simulation_particle_count(session_simulation(play.session, i)), 42);
    move_on(&play, 0.05);
    StageSnapshot snapshot = {0};
    session_compare_with(play.session, 0);
    assert_int_equal(session_fill_snapshot(play.session, &snapshot, NULL), STATUS_OK);
    assert_true(isfinite(snapshot.lanes[2].distance_rms));
    stage_snapshot_finish(&snapshot);
    session_destroy(play.session);
}

// No lane is left of those before, and no picture of them can be taken for one of the new cloth.
static void another_scene_begins_anew(void **state)
{
    (void)state;
    Play play = begin(7);
    move_on(&play, 0.05);
    unsigned seen = 0;
    for (int i = 0; i < 4; i++) {
        unsigned topology = simulation_topology(session_simulation(play.session, i));
        if (topology > seen) seen = topology;
    }
    Scene other = scene_with("rows=3 columns=7 speed=max");
    other.lane_count = 2;
    assert_int_equal(lane_parse("integrator=rk4", &other.lanes[1], NULL), STATUS_OK);
    Command load = {.kind = COMMAND_LOAD_SCENE, .scene = &other};
    assert_int_equal(session_apply(play.session, &load, NULL), STATUS_OK);
    assert_int_equal(session_lane_count(play.session), 2);
    assert_true(session_time(play.session) == 0.0);
    for (int i = 0; i < 2; i++) {
        Scene alone = lane_scene(&other.lanes[i], &other);
        Simulation *simulation;
        assert_int_equal(simulation_create(&alone, &simulation, NULL), STATUS_OK);
        const Simulation *lane = session_simulation(play.session, i);
        assert_true(simulation_hash(lane) == simulation_hash(simulation));
        assert_true(simulation_topology(lane) > seen);
        simulation_destroy(simulation);
    }
    session_destroy(play.session);
}

static void a_reset_ends_the_past(void **state)
{
    (void)state;
    Play play = begin(31);
    move_on(&play, 0.2);
    seek(&play, 0.1);
    assert_true(session_in_past(play.session));
    assert_int_equal(session_apply(play.session, &(Command){.kind = COMMAND_RESET}, NULL),
                     STATUS_OK);
    assert_false(session_in_past(play.session));
    play.count = 0;
    move_on(&play, 0.1);
    give(&play, command_set("air", 1.5));
    move_on(&play, 0.1);
    expect_lanes(&play, session_time(play.session), "after a reset");
    session_destroy(play.session);
}

static double past_bytes(Session *session)
{
    StageSnapshot snapshot = {0};
    assert_int_equal(session_fill_snapshot(session, &snapshot, NULL), STATUS_OK);
    double bytes = snapshot.lanes[0].past_bytes;
    stage_snapshot_finish(&snapshot);
    return bytes;
}

// However long it runs, and every moment can still be reached.
static void the_past_keeps_within_its_budget(void **state)
{
    (void)state;
    const size_t budget = (size_t)200 << 10; // a few states of each lane
    Play play = {.scene = four_lanes(), .seed = 21};
    assert_int_equal(session_create(&play.scene, budget, &play.session, NULL), STATUS_OK);
    double most = 0.0;
    for (int k = 0; k < 60; k++) {
        if (k % 10 == 3) give(&play, command_set("air", noise_between(&play.seed, 0.1, 2.0)));
        move_on(&play, 0.5);
        most = fmax(most, past_bytes(play.session));
    }
    assert_true(most > 0.1 * (double)budget && most <= (double)budget);
    double end = session_time(play.session);
    for (int k = 0; k < 5; k++) {
        double time = noise_between(&play.seed, 0.0, 1.0) * end;
        seek(&play, time);
        expect_lanes(&play, time, "long ago");
    }
    session_destroy(play.session);
}

static int run_long(double minutes)
{
    Play play = {.scene = four_lanes(), .seed = 1};
    scene_assign(&play.scene, "rows=32 columns=32");
    lane_share(&play.scene.lanes[3], param_find("step"));
    assert_int_equal(session_create(&play.scene, TIMELINE_BUDGET, &play.session, NULL), STATUS_OK);
    double most = 0.0;
    for (int second = 0; second < 60.0 * minutes; second++) {
        session_advance(play.session, second + 1.0, INFINITY, NULL);
        most = fmax(most, past_bytes(play.session));
        if (second % 60 == 59)
            printf("%5.0f s: past %.1f MB, at most %.1f of %.1f MB\n", second + 1.0,
                   1e-6 * past_bytes(play.session), 1e-6 * most, 1e-6 * (double)TIMELINE_BUDGET);
        fflush(stdout);
    }
    int wrong = 0;
    double end = session_time(play.session);
    for (int k = 0; k < 20; k++) {
        double start = clock_seconds(), time = noise_between(&play.seed, 0.0, 1.0) * end;
        seek(&play, time);
        printf("to %.3f s in %.0f ms\n", time, 1e3 * (clock_seconds() - start));
        wrong += session_shown_time(play.session) != time;
    }
    session_destroy(play.session);
    return wrong > 0 || most > (double)TIMELINE_BUDGET;
}

int main(int argc, char **argv)
{
    if (argc > 1) return run_long(atof(argv[1]));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_lane_is_what_it_is_by_itself),
        cmocka_unit_test(every_moment_of_the_past_is_what_it_was),
        cmocka_unit_test(folds_of_the_past_are_what_they_were),
        cmocka_unit_test(the_past_is_gone_on_from_and_recalled),
        cmocka_unit_test(all_lanes_are_seen_at_one_moment),
        cmocka_unit_test(before_a_refused_step_a_lane_is_what_it_was),
        cmocka_unit_test(lanes_of_another_size_are_compared),
        cmocka_unit_test(another_scene_begins_anew),
        cmocka_unit_test(a_reset_ends_the_past),
        cmocka_unit_test(the_past_keeps_within_its_budget),
        cmocka_unit_test(what_one_lane_refuses_changes_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
