// Every moment since the start can be reached, to the bit, in a bounded memory.
//
// usage: test_timeline          as a test
//        test_timeline 60 1000  one cloth of 64 x 64 particles, so many simulated seconds, so many
//                               random moments; prints what a jump takes
#include "support/solver_test.h"

#include "base/clock.h"
#include "simulation/simulation_state.h"
#include "simulation/state.h"
#include "stage/timeline.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A run with its timeline, and what it should find again: every moment that is not forgotten.
typedef struct Moment {
    double time, step; // s
    uint64_t hash;
} Moment;
typedef struct Run {
    Simulation *head;
    Timeline *timeline;
    int count, capacity;
    Moment *moments;
} Run;

static void remember(Run *run)
{
    double time = simulation_time(run->head);
    while (run->count > 0 && run->moments[run->count - 1].time > time) run->count--;
    if (run->count == run->capacity) {
        run->capacity = run->capacity ? 2 * run->capacity : 1024;
        run->moments = realloc(run->moments, (size_t)run->capacity * sizeof *run->moments);
        assert_non_null(run->moments);
    }
    run->moments[run->count++] =
        (Moment){time, simulation_next_step(run->head), simulation_hash(run->head)};
}

// With a ball that moves freely and one that does not.
static Simulation *with_balls(const char *assignments)
{
    Scene scene = scene_with(assignments);
    scene.collider_count = 2;
    scene.colliders[0] = scene.colliders[1] = collider_default();
    scene.colliders[0].centre = (Vec3){0.5, -0.5, 0.5};
    scene.colliders[1].centre = (Vec3){0.2, 0.4, 0.3};
    scene.colliders[1].mass = 0.1;
    Simulation *simulation;
    assert_int_equal(simulation_create(&scene, &simulation, NULL), STATUS_OK);
    return simulation;
}

static Run start(const char *assignments, size_t budget)
{
    Run run = {.head = with_balls(assignments)};
    assert_int_equal(timeline_create(budget, &run.timeline, NULL), STATUS_OK);
    timeline_begin(run.timeline, run.head);
    remember(&run);
    return run;
}

static void finish(Run *run)
{
    timeline_destroy(run->timeline);
    simulation_destroy(run->head);
    free(run->moments);
}

// `seconds` of computing stand for a slow machine: more states are kept.
static void step(Run *run, double seconds)
{
    simulation_step(run->head, NULL); // may be refused
    timeline_step(run->timeline, run->head, seconds);
    remember(run);
}

static void command(Run *run, Command command)
{
    if (simulation_apply(run->head, &command, NULL) != STATUS_OK) return;
    timeline_command(run->timeline, &command, simulation_time(run->head), run->head);
    if (simulation_time(run->head) == 0.0) run->count = 0;
    remember(run);
}

static void seek(Run *run, SeekKind kind, double time)
{
    Error error;
    if (timeline_seek(run->timeline, run->head, kind, time, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    while (timeline_seeks(run->timeline)) { // in as many calls as possible
        if (timeline_go_on(run->timeline, 0.0, &error) != STATUS_OK) fail_msg("%s", error.text);
    }
}

// What is seen: of the past, or of the head.
static const Simulation *seen(const Run *run)
{
    const Simulation *past = timeline_past(run->timeline);
    return past ? past : run->head;
}

static int expected(const Run *run, SeekKind kind, double time)
{
    int i = 0;
    const Moment *m = run->moments;
    if (kind == SEEK_NEAREST)
        while (i < run->count - 1 && m[i].time + 0.5 * m[i].step <= time) i++;
    if (kind == SEEK_BEFORE)
        while (i < run->count - 1 && m[i + 1].time < time) i++;
    if (kind == SEEK_AFTER)
        while (i < run->count - 1 && m[i].time <= time) i++;
    return i;
}

static void check(Run *run, SeekKind kind, double time)
{
    uint64_t head = simulation_hash(run->head);
    seek(run, kind, time);
    const Moment *moment = &run->moments[expected(run, kind, time)];
    bool found = false; // a refused step, or a command, leaves more than one at the same time
    for (int i = 0; i < run->count; i++) {
        found = found || (run->moments[i].time == moment->time &&
                          run->moments[i].hash == simulation_hash(seen(run)));
    }
    if (!found) {
        fail_msg("kind %d, %.9g s of %.9g s: found %.9g s, expected %.9g s", kind, time,
                 simulation_time(run->head), simulation_time(seen(run)), moment->time);
    }
    assert_true(simulation_hash(run->head) == head);
}

static void check_random_moments(Run *run, uint32_t *seed, int count)
{
    for (int i = 0; i < count; i++) {
        double time = simulation_time(run->head) * noise_between(seed, 0.0, 1.0);
        SeekKind kind = (SeekKind)noise_choice(seed, 3);
        if (noise_choice(seed, 2)) time = run->moments[noise_choice(seed, run->count)].time;
        check(run, kind, time);
    }
}

static void random_command(Run *run, uint32_t *seed)
{
    Vec3 place = {noise(seed), noise(seed), noise(seed)};
    int particle = noise_choice(seed, simulation_particle_count(run->head));
    static const char *const sets[] = {"stretch", "air", "lambda", "gravity", "integrator"};
    switch (noise_choice(seed, 8)) {
    case 7:
        command(run, (Command){.kind = COMMAND_GRAB_BODY, .body = {particle % 2, place}});
        break;
    case 0:
        command(run, (Command){.kind = COMMAND_GRAB, .hand = {particle, place}});
        break;
    case 1:
        command(run, (Command){.kind = COMMAND_MOVE_HAND, .hand = {-1, place}});
        break;
    case 2:
        command(run, (Command){.kind = COMMAND_RELEASE});
        break;
    case 3:
        command(run, (Command){.kind = COMMAND_TOGGLE_PIN, .particle = particle});
        break;
    case 4:
        command(run, (Command){.kind = COMMAND_REWIND, .rewind = {0.02 * noise_choice(seed, 3)}});
        break;
    default: {
        const ParamInfo *info = param_find(sets[noise_choice(seed, 5)]);
        double now = param_get(simulation_params(run->head), info);
        double value = info->kind == PARAM_CHOICE ? noise_choice(seed, integrator_count)
                                                  : now * noise_between(seed, 0.7, 1.4);
        command(run, command_set(info->name, value));
    }
    }
}

// Drags, pins, parameters, methods, going back by command.
static void any_moment_is_found_again(void **state)
{
    (void)state;
    for (uint32_t round = 1; round <= 6; round++) {
        uint32_t seed = round;
        // little memory, so that states are dropped
        Run run = start("rows=5 columns=6 alpha=0.0002", (size_t)400 << 10);
        for (int part = 0; part < 25; part++) {
            for (int c = noise_choice(&seed, 4); c > 0; c--) random_command(&run, &seed);
            for (int s = noise_choice(&seed, 60); s > 0; s--) step(&run, 0.005);
            if (part % 5 == 4) check_random_moments(&run, &seed, 20);
            timeline_return(run.timeline);
        }
        TimelineInfo info;
        timeline_info(run.timeline, &info);
        assert_true(info.bytes <= (size_t)400 << 10 && info.states > 3);
        finish(&run);
    }
}

// The same after 2^31 steps and a week.
static void moments_of_an_old_run_are_found(void **state)
{
    (void)state;
    enum { STEPS = 300 };
    uint32_t seed = 5;
    Run run = {.head = with_balls("rows=5 columns=6 alpha=0.0002")};
    run.head->now.step_count = (1L << 31) - STEPS / 2;
    run.head->now.time = 7 * 24 * 3600.0;
    double begun = simulation_time(run.head);
    assert_int_equal(timeline_create((size_t)400 << 10, &run.timeline, NULL), STATUS_OK);
    timeline_begin(run.timeline, run.head);
    remember(&run);
    for (int s = 0; s < STEPS; s++) {
        if (s % 50 == 10) random_command(&run, &seed);
        step(&run, 0.005);
    }
    assert_true(run.head->now.step_count > 1L << 31);
    for (int i = 0; i < 30; i++) {
        double time = noise_between(&seed, begun, simulation_time(run.head));
        check(&run, (SeekKind)noise_choice(&seed, 3), time);
    }
    timeline_return(run.timeline);
    step(&run, 0.005);
    finish(&run);
}

// A divergence that pauses, that goes back by itself, and that goes on.
static void a_divergence_is_found_again(void **state)
{
    (void)state;
    static const char *const actions[] = {"pause", "rewind", "continue"};
    for (int i = 0; i < 3; i++) {
        char text[200];
        snprintf(text, sizeof text, "rows=6 columns=6 on_divergence=%s", actions[i]);
        Run run = start(text, TIMELINE_BUDGET);
        uint32_t seed = 3;
        for (int s = 0; s < 150; s++) step(&run, 0.0005);
        command(&run, command_set("step", 1.3 * simulation_next_step(run.head)));
        for (int s = 0; s < 60; s++) step(&run, 0.0005);
        assert_true(simulation_divergences(run.head) > 0);
        check_random_moments(&run, &seed, 60);
        TimelineInfo info;
        timeline_info(run.timeline, &info);
        bool marked = false;
        for (int m = 0; m < info.mark_count; m++)
            marked = marked || info.marks[m].kind == SNAPSHOT_MARK_DIVERGENCE;
        assert_true(marked);
        finish(&run);
    }
}

static void steps_go_back_and_forth(void **state)
{
    (void)state;
    Run run = start("rows=5 columns=5", TIMELINE_BUDGET);
    for (int s = 0; s < 90; s++) step(&run, 0.004);
    for (int back = 0; back < 40; back++) check(&run, SEEK_BEFORE, simulation_time(seen(&run)));
    assert_int_equal(simulation_readings(seen(&run)).step_count, 50);
    for (int on = 0; on < 39; on++) check(&run, SEEK_AFTER, simulation_time(seen(&run)));
    assert_non_null(timeline_past(run.timeline));
    check(&run, SEEK_AFTER, simulation_time(seen(&run)));
    assert_null(timeline_past(run.timeline)); // the head
    check(&run, SEEK_BEFORE, 0.0);            // there is nothing before the start
    assert_true(simulation_time(seen(&run)) == 0.0);
    finish(&run);
}

// Going on from the past is the same as a run that never went further.
static void the_past_goes_on(void **state)
{
    (void)state;
    Run run = start("rows=5 columns=6", TIMELINE_BUDGET);
    for (int s = 0; s < 100; s++) step(&run, 0.004);
    command(&run, command_set("air", 2.0));
    for (int s = 0; s < 50; s++) step(&run, 0.004);
    command(&run, command_set("gravity", 2.0)); // to be forgotten
    for (int s = 0; s < 50; s++) step(&run, 0.004);
    enum { MOMENTS = 203 }; // the start, the steps, and two commands
    Moment old[MOMENTS];
    assert_int_equal(run.count, MOMENTS);
    memcpy(old, run.moments, sizeof old);
    double time = run.moments[121].time; // one more than its tick, for the command
    check(&run, SEEK_NEAREST, time);
    long tick;
    Error error;
    assert_int_equal(timeline_resume(run.timeline, run.head, &tick, &error), STATUS_OK);
    assert_int_equal(tick, 120);
    assert_null(timeline_past(run.timeline));
    run.count = 122;
    command(&run, (Command){.kind = COMMAND_RESUME});
    command(&run, command_set("safety", 1.4)); // until it diverges: with the same autopsy
    for (int s = 0; s < 100; s++) step(&run, 0.004);
    uint32_t seed = 9;
    check_random_moments(&run, &seed, 60);

    Simulation *straight = with_balls("rows=5 columns=6");
    run_steps(straight, 100);
    apply_command(straight, command_set("air", 2.0));
    run_steps(straight, 20);
    apply_command(straight, (Command){.kind = COMMAND_RESUME});
    apply_command(straight, command_set("safety", 1.4));
    for (int s = 0; s < 100; s++) simulation_step(straight, NULL);
    assert_true(simulation_divergences(straight) > 0);
    assert_true(simulation_hash(straight) == simulation_hash(run.head));
    simulation_destroy(straight);

    // undone: the old moments are found again
    assert_int_equal(timeline_recall(run.timeline, run.head, &tick, &error), STATUS_OK);
    assert_int_equal(tick, 200);
    assert_true(simulation_hash(run.head) == old[MOMENTS - 1].hash);
    memcpy(run.moments, old, sizeof old);
    run.count = MOMENTS;
    command(&run, (Command){.kind = COMMAND_RESUME});
    check_random_moments(&run, &seed, 60);
    assert_int_equal(timeline_recall(run.timeline, run.head, &tick, &error), STATUS_BAD_PARAMETER);
    finish(&run);
}

static void a_new_start_forgets(void **state)
{
    (void)state;
    Run run = start("rows=5 columns=5", TIMELINE_BUDGET);
    for (int s = 0; s < 50; s++) step(&run, 0.004);
    check(&run, SEEK_NEAREST, 0.01);
    command(&run, command_set("rows", 7));
    assert_null(timeline_past(run.timeline));
    for (int s = 0; s < 50; s++) step(&run, 0.004);
    uint32_t seed = 2;
    check_random_moments(&run, &seed, 20);
    command(&run, (Command){.kind = COMMAND_RESET});
    step(&run, 0.004);
    check(&run, SEEK_BEFORE, simulation_time(run.head));
    TimelineInfo info;
    timeline_info(run.timeline, &info);
    assert_true(info.first == 0.0 && info.mark_count == 0);
    finish(&run);
}

// Old states grow rarer than young ones, and the memory stays within the budget.
static void the_past_thins_out(void **state)
{
    (void)state;
    const size_t budget = (size_t)300 << 10;
    Run run = start("rows=4 columns=4", budget);
    for (int s = 0; s < 20000; s++) {
        simulation_step(run.head, NULL);
        timeline_step(run.timeline, run.head, 0.02);
        TimelineInfo info;
        if (s % 100 == 0) {
            timeline_info(run.timeline, &info);
            assert_true(info.bytes <= budget && info.first == 0.0);
        }
    }
    TimelineInfo info;
    timeline_info(run.timeline, &info);
    assert_true(info.states > 10);
    print_message("%d states in %zu kB\n", info.states, info.bytes >> 10);
    // what is dropped is no longer counted, though states share memory
    size_t full = info.bytes;
    timeline_begin(run.timeline, run.head);
    timeline_info(run.timeline, &info);
    assert_true(info.states == 1 && info.bytes < full / 10);
    finish(&run);
}

static int by_time(const void *a, const void *b)
{
    double x = ((const Moment *)a)->time, y = ((const Moment *)b)->time;
    return (x > y) - (x < y);
}

// The targets' hashes are taken while the run goes on.
static int measure(double seconds, int jumps)
{
    Run run = start("rows=64 columns=64", TIMELINE_BUDGET);
    Moment *targets = calloc((size_t)jumps, sizeof *targets);
    uint32_t seed = 1;
    for (int i = 0; i < jumps; i++) targets[i].time = seconds * noise_between(&seed, 0.0, 0.999);
    qsort(targets, (size_t)jumps, sizeof *targets, by_time);
    double stepping = 0.0, keeping = 0.0, longest = 0.0, sum = 0.0;
    for (int next = 0; simulation_time(run.head) < seconds;) {
        double reach = simulation_time(run.head) + 0.5 * simulation_next_step(run.head);
        for (; next < jumps && targets[next].time < reach; next++)
            targets[next].hash = simulation_hash(run.head);
        double before = clock_seconds();
        simulation_step(run.head, NULL);
        double stepped = clock_seconds();
        timeline_step(run.timeline, run.head, stepped - before);
        stepping += stepped - before;
        keeping += clock_seconds() - stepped;
    }
    TimelineInfo info;
    timeline_info(run.timeline, &info);
    printf("%.3g s of stepping, %.2g %% more for keeping %d states in %zu MB\n", stepping,
           100.0 * keeping / stepping, info.states, info.bytes >> 20);
    int wrong = 0;
    for (int i = 0; i < jumps; i++) {
        const Moment *target = &targets[noise_choice(&seed, jumps)];
        double before = clock_seconds();
        timeline_seek(run.timeline, run.head, SEEK_NEAREST, target->time, NULL);
        timeline_go_on(run.timeline, INFINITY, NULL);
        double took = clock_seconds() - before;
        longest = fmax(longest, took);
        sum += took;
        wrong += simulation_hash(seen(&run)) != target->hash;
    }
    printf("%d jumps, %d wrong; one takes %.1f ms on average, %.1f ms at most\n", jumps, wrong,
           1e3 * sum / jumps, 1e3 * longest);
    free(targets);
    finish(&run);
    return wrong > 0;
}

int main(int argc, char **argv)
{
    if (argc == 3) return measure(atof(argv[1]), atoi(argv[2]));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_moment_is_found_again),
        cmocka_unit_test(moments_of_an_old_run_are_found),
        cmocka_unit_test(a_divergence_is_found_again),
        cmocka_unit_test(steps_go_back_and_forth),
        cmocka_unit_test(the_past_goes_on),
        cmocka_unit_test(a_new_start_forgets),
        cmocka_unit_test(the_past_thins_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
