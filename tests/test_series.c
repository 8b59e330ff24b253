// What a run measured over its time: no extreme is lost, in a fixed amount of memory, and it goes
// back with the run.
#include "support/solver_test.h"

#include "simulation/state.h"
#include "stage/session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 70000 };

typedef struct Case {
    Series *series;
    int count;
    double time[SAMPLES], value[SAMPLES]; // what it was told, but for what was cut off
    uint32_t noise;
} Case;

static Case *begin(void)
{
    Case *c = calloc(1, sizeof *c);
    assert_non_null(c);
    c->series = calloc(1, sizeof *c->series);
    assert_non_null(c->series);
    c->noise = 7;
    series_clear(c->series);
    return c;
}

static void end(Case *c)
{
    free(c->series);
    free(c);
}

static void add(Case *c, int samples)
{
    for (int i = 0; i < samples; i++) {
        double time = c->count > 0 ? c->time[c->count - 1] : 0.0;
        time += noise_between(&c->noise, 0.0001, 0.002);
        // rare and short, so that an average would lose it
        double value = noise_choice(&c->noise, 500) == 0 ? 100.0 * noise(&c->noise) : sin(time);
        c->time[c->count] = time;
        c->value[c->count++] = (double)(float)value;
        double values[SERIES_QUANTITIES];
        for (int q = 0; q < SERIES_QUANTITIES; q++) values[q] = q == SERIES_TOTAL ? value : NAN;
        series_add(c->series, time, values);
    }
}

static void cut(Case *c, double time)
{
    while (c->count > 0 && c->time[c->count - 1] > time) c->count--;
    series_cut(c->series, time);
}

// Every bucket has the extremes of the samples in it, and they are in order.
static void check_level(const Case *c, int level)
{
    int count = series_count(c->series, level), next = 0;
    assert_in_range(count, 0, SERIES_BUCKETS);
    for (int i = 0; i < count; i++) {
        const SeriesBucket *bucket = series_bucket(c->series, level, i);
        assert_in_range(bucket->count, 1, series_level_samples(level));
        while (next < c->count && c->time[next] < bucket->first) next++;
        double min = INFINITY, max = -INFINITY;
        int samples = 0;
        for (; next < c->count && c->time[next] <= bucket->last; next++, samples++) {
            min = fmin(min, c->value[next]);
            max = fmax(max, c->value[next]);
        }
        assert_int_equal(samples, bucket->count);
        assert_true(c->time[next - samples] == bucket->first);
        assert_true(c->time[next - 1] == bucket->last);
        assert_true((double)bucket->min[SERIES_TOTAL] == min);
        assert_true((double)bucket->max[SERIES_TOTAL] == max);
        assert_true(bucket->min[SERIES_DISTANCE] > bucket->max[SERIES_DISTANCE]); // none
    }
    // what is left over is the past that the level does not reach, and a gap where a cut went
    // further back than the finer level
    if (count > 0) assert_int_equal(next, c->count);
}

static void check(const Case *c)
{
    for (int k = 0; k < SERIES_LEVELS; k++) check_level(c, k);
}

// All samples since `time` are in the buckets that a reader takes for it.
static void check_whole(const Case *c, double time)
{
    int level = series_level(c->series, time), samples = 0, expected = 0;
    for (int i = 0; i < c->count; i++) expected += c->time[i] >= time;
    for (int i = 0; i < series_count(c->series, level); i++) {
        const SeriesBucket *bucket = series_bucket(c->series, level, i);
        if (bucket->first >= time) samples += bucket->count;
    }
    int most = series_level_samples(level); // the first may have begun before
    assert_true(samples <= expected && samples > expected - most);
}

static void every_extreme_is_kept(void **state)
{
    (void)state;
    Case *c = begin();
    assert_true(isnan(c->series->last) && isnan(c->series->first));
    const int parts[] = {1, 2, 3, 10, 1000, 5, 3100, 20000, SAMPLES - 24121};
    for (size_t p = 0; p < sizeof parts / sizeof parts[0]; p++) {
        add(c, parts[p]);
        check(c);
        assert_true(c->series->first == c->time[0]);
        assert_true(c->series->last == c->time[c->count - 1]);
        check_whole(c, 0.0);
        check_whole(c, 0.9 * c->time[c->count - 1]);
    }
    assert_int_equal(c->count, SAMPLES);
    // as fine as possible: 1024 steps back every one of them, the whole run by 256 samples at most
    assert_int_equal(series_level(c->series, c->time[c->count - SERIES_BUCKETS]), 0);
    assert_int_equal(series_level(c->series, c->time[c->count - SERIES_BUCKETS - 1]), 1);
    assert_int_equal(series_level_samples(series_level(c->series, 0.0)), 256);
    for (int i = 0; i < 100; i++) {
        double time = noise_between(&c->noise, 0.0, c->time[c->count - 1]);
        int level = series_level(c->series, time), at = series_find(c->series, level, time);
        if (at < 0) {
            assert_true(time < c->time[0]);
            continue;
        }
        assert_true(series_bucket(c->series, level, at)->first <= time);
        if (at + 1 < series_count(c->series, level))
            assert_true(series_bucket(c->series, level, at + 1)->first > time);
    }
    end(c);
}

static void a_cut_forgets_what_came_after(void **state)
{
    (void)state;
    Case *c = begin();
    add(c, 20000);
    cut(c, c->time[19990]);
    check(c);
    assert_true(c->series->last == c->time[19990]);
    // again and again, as a run does that diverges and goes back: coarse levels lose nothing
    while (c->count < 40000) {
        add(c, 100);
        cut(c, c->time[c->count - 11]);
    }
    check(c);
    check_whole(c, 0.0);
    double last = c->time[c->count - 1];
    cut(c, last); // nothing comes after
    assert_true(c->series->last == last);
    check(c);
    // further back than the finer levels reach: at most one bucket is lost
    cut(c, c->time[9000]);
    assert_int_equal(series_count(c->series, 0), 0);
    double gap = c->time[c->count - 1] - c->series->last;
    assert_true(gap >= 0.0 && gap < 256 * 0.002);
    // an earlier time cuts by itself
    add(c, 2000);
    double values[SERIES_QUANTITIES] = {0};
    series_add(c->series, c->time[c->count - 500], values);
    assert_true(c->series->last == c->time[c->count - 500]);
    series_cut(c->series, -1.0);
    assert_true(isnan(c->series->last));
    end(c);
}

static void assert_same(const Series *a, const Series *b)
{
    assert_true(a->serial == b->serial && a->every == b->every);
    for (int k = 0; k < SERIES_LEVELS; k++) {
        assert_int_equal(series_count(a, k), series_count(b, k));
        for (int i = 0; i < series_count(a, k); i++) {
            const SeriesBucket *one = series_bucket(a, k, i), *other = series_bucket(b, k, i);
            assert_true(one->first == other->first && one->last == other->last);
            assert_int_equal(one->count, other->count);
            assert_memory_equal(one->min, other->min, sizeof one->min);
            assert_memory_equal(one->max, other->max, sizeof one->max);
        }
    }
}

// A distance that is measured twice between two samples is no range.
static void a_note_belongs_to_one_moment(void **state)
{
    (void)state;
    Case *c = begin();
    const double values[SERIES_QUANTITIES] = {[SERIES_DISTANCE] = NAN};
    for (int i = 0; i < 2; i++) {
        series_add(c->series, 0.1 * i, values);
        series_note(c->series, SERIES_DISTANCE, 1.0 + i);
        series_note(c->series, SERIES_DISTANCE, 7.0);
        const SeriesBucket *newest = series_bucket(c->series, 0, i);
        assert_true(newest->min[SERIES_DISTANCE] == 1.0f + (float)i);
        assert_true(newest->max[SERIES_DISTANCE] == 1.0f + (float)i);
    }
    assert_true(series_bucket(c->series, 1, 0)->max[SERIES_DISTANCE] == 2.0f);
    end(c);
}

// The window's copies are brought up to date at different times.
static void copies_follow(void **state)
{
    (void)state;
    Case *c = begin(), *other = begin();
    Series *copies[3] = {0}, *saved = malloc(sizeof *saved);
    assert_non_null(saved);
    add(other, 300);
    for (int round = 0; round < 300; round++) {
        unsigned long serial = c->series->serial;
        switch (noise_choice(&c->noise, 12)) {
        case 0:
            cut(c, c->count > 0 ? c->time[noise_choice(&c->noise, c->count)] : 0.0);
            break;
        case 1:
            series_note(c->series, SERIES_DISTANCE, 0.1);
            break;
        case 2:
            *saved = *c->series;
            series_cut(c->series, 0.5 * c->series->last);
            series_restore(c->series, saved);
            break;
        default:
            add(c, noise_choice(&c->noise, 400) + 1);
        }
        assert_true(c->series->serial != serial);
        int which = noise_choice(&c->noise, 3);
        if (round % 50 == 49) { // the place is given to another lane
            assert_int_equal(series_show(other->series, &copies[which], NULL), STATUS_OK);
            assert_same(other->series, copies[which]);
        }
        assert_int_equal(series_show(c->series, &copies[which], NULL), STATUS_OK);
        assert_same(c->series, copies[which]);
    }
    assert_true(series_count(c->series, 0) == SERIES_BUCKETS);
    for (int i = 0; i < 3; i++) free(copies[i]);
    free(saved);
    end(other);
    end(c);
}

// ---- of a run

typedef struct Run {
    Simulation *simulation;
    Sampler *sampler;
} Run;

static Run run_of(Simulation *simulation)
{
    Run run = {.simulation = simulation};
    assert_int_equal(sampler_create(&run.sampler, NULL), STATUS_OK);
    sampler_jump(run.sampler, run.simulation);
    return run;
}

static Run run_begin(const char *assignments)
{
    return run_of(simulation_with(assignments));
}

static void run_end(Run *run)
{
    sampler_destroy(run->sampler);
    simulation_destroy(run->simulation);
}

// `seconds` stands for a machine on which a step takes so long.
static bool run_step(Run *run, double seconds)
{
    bool taken = simulation_step(run->simulation, NULL) == STATUS_OK;
    sampler_step(run->sampler, run->simulation, seconds);
    return taken;
}

static void step_beyond_limit(Run *run, double times)
{
    char step[40];
    snprintf(step, sizeof step, "step=%g", times * simulation_readings(run->simulation).limit.step);
    change_params(run->simulation, step);
}

// The scene `pair`, with a step of a tenth of a period.
static Simulation *pair(void)
{
    Scene scene = scene_with("rows=1 columns=2 size=0.5 density=8 stretch=400 gravity=0 air=0 "
                             "alpha=0 step=0.02");
    scene.pins = 0;
    scene.start_stretch = 1.4;
    Simulation *simulation;
    assert_int_equal(simulation_create(&scene, &simulation, NULL), STATUS_OK);
    return simulation;
}

static void energy_of_a_pair_has_its_extremes(void **state)
{
    (void)state;
    Run run = run_of(pair());
    Energy energy = simulation_energy(run.simulation);
    double low = energy_total(energy), high = low, fastest = energy.kinetic;
    for (int i = 0; i < 5000; i++) {
        assert_true(run_step(&run, 1.0)); // a sample costs nothing beside it: every step
        energy = simulation_energy(run.simulation);
        assert_true(energy_total(energy) ==
                    energy_total(simulation_readings(run.simulation).energy));
        low = fmin(low, energy_total(energy));
        high = fmax(high, energy_total(energy));
        fastest = fmax(fastest, energy.kinetic);
    }
    const Series *series = &run.sampler->series;
    assert_int_equal(series->every, 1);
    assert_true(high > 1.1 * low); // symplectic Euler does not keep it
    int level = series_level(series, 0.0), samples = 0;
    float min = INFINITY, max = -INFINITY, kinetic = 0.0f;
    for (int i = 0; i < series_count(series, level); i++) {
        const SeriesBucket *bucket = series_bucket(series, level, i);
        samples += bucket->count;
        min = fminf(min, bucket->min[SERIES_TOTAL]);
        max = fmaxf(max, bucket->max[SERIES_TOTAL]);
        kinetic = fmaxf(kinetic, bucket->max[SERIES_KINETIC]);
    }
    assert_int_equal(samples, 5001);
    assert_true(min == (float)low && max == (float)high && kinetic == (float)fastest);
    run_end(&run);
}

static void sampling_changes_no_bit(void **state)
{
    (void)state;
    Run run = run_begin("rows=12 columns=12");
    Simulation *alone = simulation_with("rows=12 columns=12");
    for (int i = 0; i < 500; i++) run_step(&run, 1e-9);
    run_steps(alone, 500);
    assert_true(simulation_hash(run.simulation) == simulation_hash(alone));
    simulation_destroy(alone);
    run_end(&run);
}

static void a_large_cloth_is_sampled_less_often(void **state)
{
    (void)state;
    Run run = run_begin("rows=24 columns=24 step=1e-4");
    for (int i = 0; i < 2000; i++) run_step(&run, 1e-9); // steps that take no time at all
    int every = run.sampler->series.every;
    assert_int_equal(every, 250); // 40 times a simulated second
    assert_in_range(series_count(&run.sampler->series, 0), 2000 / 250, 2000 / 250 + 10);
    for (int i = 0; i < 4000; i++) run_step(&run, 1.0);
    assert_int_equal(run.sampler->series.every, 1);
    run_end(&run);
}

// Growth within a few dozen steps has its curve, whatever a sample costs.
static void growth_is_sampled_every_step(void **state)
{
    (void)state;
    Run run = run_begin("rows=24 columns=24 step=1e-4");
    for (int i = 0; i < 2000; i++) run_step(&run, 1e-9);
    step_beyond_limit(&run, 1.05);
    double from = simulation_time(run.simulation);
    sampler_jump(run.sampler, run.simulation);
    int steps = 0;
    while (run_step(&run, 1e-9)) {
        steps++;
        assert_true(steps < 200);
    }
    const Series *series = &run.sampler->series;
    int first = series_find(series, 0, from), last = series_count(series, 0) - 1;
    assert_int_equal(last - first, steps);
    assert_true(steps > 5);
    float before = INFINITY, after = series_bucket(series, 0, last)->max[SERIES_RIPPLE];
    for (int i = first; i <= last; i++)
        before = fminf(before, series_bucket(series, 0, i)->min[SERIES_RIPPLE]);
    assert_true(after > 10.0f * before);
    // refused steps add nothing
    unsigned long serial = series->serial;
    for (int i = 0; i < 5; i++) assert_false(run_step(&run, 1e-9));
    assert_true(series->serial == serial);
    run_end(&run);
}

static void it_goes_back_with_the_run(void **state)
{
    (void)state;
    Run run = run_begin("rows=8 columns=8 on_divergence=rewind");
    for (int i = 0; i < 3000; i++) assert_true(run_step(&run, 1.0));
    double time = simulation_time(run.simulation);
    assert_true(run.sampler->series.last == time);
    Series *whole = malloc(sizeof *whole);
    assert_non_null(whole);
    *whole = run.sampler->series;

    sampler_forget(run.sampler);
    apply_command(run.simulation, (Command){.kind = COMMAND_REWIND, .rewind = {0.3}});
    sampler_jump(run.sampler, run.simulation);
    double back = simulation_time(run.simulation);
    assert_true(back < time - 0.2);
    assert_true(run.sampler->series.last == back);
    run_step(&run, 1.0);
    sampler_recall(run.sampler);
    whole->serial = run.sampler->series.serial;
    assert_same(&run.sampler->series, whole);

    // a divergence that goes back by itself
    step_beyond_limit(&run, 1.5);
    run.sampler->credit = 0.0; // now and then only
    run.sampler->step_cost = 1e-9;
    run.sampler->series.every = 100;
    int went_back = 0;
    for (int i = 0; i < 200; i++) {
        double before = simulation_time(run.simulation);
        assert_true(run_step(&run, 1e-9));
        assert_true(run.sampler->series.last <= simulation_time(run.simulation));
        went_back += simulation_time(run.simulation) < before;
    }
    assert_true(went_back > 0);
    apply_command(run.simulation, (Command){.kind = COMMAND_RESET});
    sampler_jump(run.sampler, run.simulation);
    assert_true(run.sampler->series.last == 0.0);
    assert_int_equal(series_count(&run.sampler->series, 0), 1);
    free(whole);
    run_end(&run);
}

// ---- of a session

static void move_clock(Session *session, double time, StageSnapshot *snapshot)
{
    while (session_time(session) < time || !session_is_settled(session)) {
        double until = fmin(session_time(session) + 0.02, time);
        assert_int_equal(session_advance(session, until, INFINITY, NULL), STATUS_OK);
        assert_int_equal(session_fill_snapshot(session, snapshot, NULL), STATUS_OK);
    }
}

static int values_of(const Series *series, SeriesQuantity quantity)
{
    int values = 0, level = series_level(series, 0.0);
    for (int i = 0; i < series_count(series, level); i++) {
        const SeriesBucket *bucket = series_bucket(series, level, i);
        values += bucket->min[quantity] <= bucket->max[quantity];
    }
    return values;
}

static void snapshots_carry_it_for_every_lane(void **state)
{
    (void)state;
    Scene scene = scene_with("rows=5 columns=6");
    const char *const lanes[] = {"integrator=rk4", "integrator=backward-euler step=0.01"};
    for (int i = 0; i < 2; i++)
        assert_int_equal(lane_parse(lanes[i], &scene.lanes[scene.lane_count++], NULL), STATUS_OK);
    Session *session;
    StageSnapshot snapshot = {0};
    assert_int_equal(session_create(&scene, TIMELINE_BUDGET, &session, NULL), STATUS_OK);
    session_compare_with(session, 0);
    move_clock(session, 0.5, &snapshot);
    // a sample is at most 1/40 s old
    const Series *first = snapshot.lanes[0].series, *second = snapshot.lanes[1].series;
    assert_true(first->last > 0.46 && second->last > 0.46);
    assert_true(series_count(first, 0) >= 20 && series_count(second, 0) >= 20); // 40 a second
    assert_int_equal(values_of(first, SERIES_DISTANCE), 0);                     // to itself
    assert_in_range(values_of(second, SERIES_DISTANCE), 20, 26);

    // looking at the past leaves it alone; going on from there does not, until that is undone
    SessionMoment moment;
    const Command resume = {.kind = COMMAND_RESUME};
    assert_int_equal(session_seek(session, SEEK_NEAREST, 0.2, NULL), STATUS_OK);
    while (session_seeks(session))
        assert_int_equal(session_go_on(session, INFINITY, NULL), STATUS_OK);
    assert_int_equal(session_fill_snapshot(session, &snapshot, NULL), STATUS_OK);
    assert_true(snapshot.lanes[1].in_past && second->last > 0.46);
    int values = values_of(second, SERIES_KINETIC);
    assert_int_equal(session_resume(session, &moment, NULL), STATUS_OK);
    assert_int_equal(session_apply(session, &resume, NULL), STATUS_OK);
    move_clock(session, 0.3, &snapshot);
    assert_true(first->last > 0.26 && first->last < 0.32 && second->last < 0.32);
    assert_int_equal(session_recall(session, &moment, NULL), STATUS_OK);
    assert_int_equal(session_apply(session, &resume, NULL), STATUS_OK);
    assert_int_equal(session_fill_snapshot(session, &snapshot, NULL), STATUS_OK);
    assert_true(first->last > 0.46 && second->last > 0.46);
    assert_int_equal(values_of(second, SERIES_KINETIC), values + 1); // and that of the jump

    session_compare_with(session, 1);
    move_clock(session, session_time(session) + 0.02, &snapshot);
    assert_int_equal(values_of(second, SERIES_DISTANCE), 0);
    assert_int_equal(values_of(first, SERIES_DISTANCE), 1);
    assert_near(series_bucket(first, 0, series_count(first, 0) - 1)->max[SERIES_DISTANCE],
                snapshot.lanes[0].distance_rms, 1e-6);
    stage_snapshot_finish(&snapshot);
    session_destroy(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_extreme_is_kept),
        cmocka_unit_test(a_cut_forgets_what_came_after),
        cmocka_unit_test(a_note_belongs_to_one_moment),
        cmocka_unit_test(copies_follow),
        cmocka_unit_test(energy_of_a_pair_has_its_extremes),
        cmocka_unit_test(sampling_changes_no_bit),
        cmocka_unit_test(a_large_cloth_is_sampled_less_often),
        cmocka_unit_test(growth_is_sampled_every_step),
        cmocka_unit_test(it_goes_back_with_the_run),
        cmocka_unit_test(snapshots_carry_it_for_every_lane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
