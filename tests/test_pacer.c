// Pacing without a clock or a thread: the test sets the time.
#include "runtime/frame_share.h"
#include "runtime/pacer.h"

#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

// A thread that takes the due steps every `interval` of real time, for at most 5 ms before it looks
// at the clock again; each step costs `cost`. Returns the simulated time covered in `duration`.
static double simulate(Pacer *pacer, double duration, double interval, double h, double cost)
{
    double now = pacer->now, end = now + duration, start = pacer->done;
    while (now < end) {
        now += interval;
        pacer_advance(pacer, now, h);
        double burst_end = now + 0.005;
        for (int due = pacer_due(pacer, h); due > 0 && now < burst_end; due--) {
            pacer_stepped(pacer, h);
            now += cost;
        }
        pacer_real_time_factor(pacer, h);
    }
    return pacer->done - start;
}

static void keeps_pace_at_any_speed(void **state)
{
    (void)state;
    const double speeds[] = {0.01, 0.25, 1.0, 4.0};
    const double steps[] = {0.00052, 1.0 / 120.0};
    for (int s = 0; s < 4; s++) {
        for (int k = 0; k < 2; k++) {
            Pacer pacer;
            pacer_start(&pacer, 1000.0, speeds[s]);
            double done = simulate(&pacer, 100.0, 0.0083, steps[k], 0.0);
            // all except the part of a step that is not due yet, and one interval
            assert_true(fabs(done - 100.0 * speeds[s]) <= steps[k] + 0.0083 * speeds[s]);
            assert_true(fabs(pacer_real_time_factor(&pacer, steps[k]) / speeds[s] - 1.0) < 0.01);
        }
    }
}

static void nothing_is_due_at_the_start(void **state)
{
    (void)state;
    Pacer pacer;
    pacer_start(&pacer, 5.0, 2.0);
    pacer_advance(&pacer, 5.0, 0.01);
    assert_int_equal(pacer_due(&pacer, 0.01), 0);
    assert_true(fabs(pacer_next_due(&pacer, 0.01) - 5.005) < 1e-12); // h / speed later
    assert_true(pacer_real_time_factor(&pacer, 0.01) == 0.0);
    pacer_advance(&pacer, 5.013, 0.01);
    assert_int_equal(pacer_due(&pacer, 0.01), 2);
    pacer_stepped(&pacer, 0.01);
    pacer_stepped(&pacer, 0.01);
    assert_int_equal(pacer_due(&pacer, 0.01), 0);
    assert_true(fabs(pacer_next_due(&pacer, 0.01) - 5.015) < 1e-12); // the remainder was kept
}

static void a_slow_step_becomes_due_all_the_same(void **state)
{
    (void)state;
    // a tenth of a second at a hundredth of real time is shorter than this step
    Pacer pacer;
    pacer_start(&pacer, 0.0, 0.01);
    pacer_advance(&pacer, 10.0, 0.02);
    assert_int_equal(pacer_due(&pacer, 0.02), 1);
}

static void as_fast_as_possible_is_always_due(void **state)
{
    (void)state;
    Pacer pacer;
    pacer_start(&pacer, 0.0, INFINITY);
    assert_int_equal(pacer_due(&pacer, 0.001), INT_MAX);
    for (int i = 1; i <= 4000; i++) { // 0.5 ms of computing for 1 ms of cloth
        pacer_stepped(&pacer, 0.001);
        pacer_advance(&pacer, i * 0.0005, 0.001);
        pacer_real_time_factor(&pacer, 0.001);
    }
    assert_int_equal(pacer_due(&pacer, 0.001), INT_MAX);
    assert_true(fabs(pacer_real_time_factor(&pacer, 0.001) - 2.0) < 0.01);
    pacer.speed = 1.0; // back to real time: no debt from before
    pacer_advance(&pacer, 2.0, 0.001);
    assert_int_equal(pacer_due(&pacer, 0.001), 0);
}

static void falling_behind_does_not_spiral(void **state)
{
    (void)state;
    // a step of 1 ms takes 4 ms: at best a quarter of real time while that lasts
    Pacer pacer;
    pacer_start(&pacer, 0.0, 1.0);
    simulate(&pacer, 60.0, 1e-6, 0.001, 0.004);
    assert_true(pacer_due(&pacer, 0.001) <= 100); // a tenth of a second, not 45 seconds
    assert_true(fabs(pacer_real_time_factor(&pacer, 0.001) - 0.25) < 0.01);

    // when steps are cheap again, it catches up with what was still due
    double done = simulate(&pacer, 10.0, 0.005, 0.001, 0.0);
    assert_true(done <= 10.0 + 0.1 + 0.006);
    assert_true(fabs(pacer_real_time_factor(&pacer, 0.001) - 1.0) < 0.01);
}

static void a_long_sleep_is_forgiven(void **state)
{
    (void)state;
    Pacer pacer;
    pacer_start(&pacer, 0.0, 4.0);
    pacer_advance(&pacer, 3600.0, 0.001);
    assert_int_equal((pacer_due(&pacer, 0.001) + 1) / 10, 40); // 0.1 s at 4 times real time
}

static void the_factor_is_of_the_last_half_second(void **state)
{
    (void)state;
    Pacer pacer;
    pacer_start(&pacer, 0.0, 1.0);
    simulate(&pacer, 5.0, 0.01, 0.001, 0.0);
    pacer.speed = 0.1;
    simulate(&pacer, 0.6, 0.01, 0.001, 0.0);
    assert_true(fabs(pacer_real_time_factor(&pacer, 0.001) - 0.1) < 0.01);

    // also when the thread wakes only for a step every 0.8 s
    pacer.speed = 0.01;
    simulate(&pacer, 4.0, 0.8, 0.008, 0.0);
    assert_true(fabs(pacer_real_time_factor(&pacer, 0.008) - 0.01) < 0.0005);
}

// What is due between two looks is no delay; what a slow step leaves behind is.
static void being_late_is_told(void **state)
{
    (void)state;
    Pacer pacer;
    pacer_start(&pacer, 0.0, 1.0);
    pacer_advance(&pacer, 0.02, 0.001);
    assert_false(pacer_is_late(&pacer, 0.001));
    pacer_advance(&pacer, 0.04, 0.001);
    assert_true(pacer_is_late(&pacer, 0.001));
    assert_false(pacer_is_late(&pacer, 0.02)); // a step that long is just due
    for (int i = 0; i < 20; i++) pacer_stepped(&pacer, 0.001);
    assert_false(pacer_is_late(&pacer, 0.001));
    pacer_start(&pacer, 0.0, INFINITY);
    pacer_advance(&pacer, 1.0, 0.001);
    assert_false(pacer_is_late(&pacer, 0.001)); // there is no pace to keep
}

// Frames of 30 ms of two processors' time, steps that need `need` of one. Returns the simulated
// time over that of the last half, and how many frames there were per second.
static double share_two_processors(double need, double seconds, double *rate)
{
    FrameShare share = {0};
    double interval = 0.0, debt = 0.0, done = 0.0, frames = 0.0, pace = 1.0;
    const double dt = 1e-3;
    for (double now = 0.0; now < seconds; now += dt) {
        bool late = debt > 0.03;
        interval = frame_share_interval(&share, now, late, late && pace < 0.6);
        double drawn = fmin(1.0 / interval, 1.3 / 0.055); // what the driver reaches by itself
        double left = fmin(2.0 - 0.055 * drawn, 1.0) * dt / need;
        debt = fmin(debt + dt, 0.1);
        double stepped = fmin(left, debt);
        debt -= stepped;
        pace += (stepped / dt - pace) * dt / 0.5; // of the last half second
        if (now >= 0.5 * seconds) done += stepped, frames += drawn * dt;
    }
    *rate = frames / (0.5 * seconds);
    return done / (0.5 * seconds);
}

static void frames_give_way_where_it_helps(void **state)
{
    (void)state;
    double rate;
    // 0.8 of a processor, of which 23.6 frames/s leave 0.7 and 21 leave 0.845
    assert_true(share_two_processors(0.8, 60.0, &rate) > 0.999);
    assert_true(rate > 20.9 && rate < 23.0);
    // 1.0 of a processor: it keeps what frames leave of its pace
    assert_true(share_two_processors(1.0, 60.0, &rate) > 0.84);
    assert_true(rate > 20.9 && rate < 21.5);
    // it needs little: all frames
    assert_true(share_two_processors(0.3, 60.0, &rate) > 0.999);
    assert_true(rate > 23.6);
    // it cannot keep its pace: frames give up, but for a look now and then
    assert_true(share_two_processors(8.0, 60.0, &rate) < 0.12);
    assert_true(rate > 23.2);
}

static void frames_come_back(void **state)
{
    (void)state;
    FrameShare share = {0};
    assert_true(fabs(frame_share_interval(&share, 0.0, false, false) - 1.0 / 60.0) < 1e-12);
    assert_true(fabs(frame_share_interval(&share, 0.1, true, false) - 1.0 / 21.0) < 1e-12);
    assert_true(frame_share_spares(&share));
    double soon = frame_share_interval(&share, 0.2, false, false);
    assert_true(frame_share_spares(&share)); // no flicker at the border
    assert_true(soon < 1.0 / 21.0 && soon > 0.9 / 21.0);
    double later = 0.0;
    for (double now = 0.3; now < 20.0; now += 0.1)
        later = frame_share_interval(&share, now, false, false);
    assert_false(frame_share_spares(&share));
    assert_true(fabs(later - 1.0 / 60.0) < 1e-12);
}

// While it is late: 26 a second where they take 10 ms, 21 where they take 30, between where 0.4 of
// the time is enough.
static void frames_that_take_little_come_sooner(void **state)
{
    (void)state;
    const double drawing[] = {0.01, 0.03, 0.02}, rate[] = {26.0, 21.0, 0.45 / 0.02};
    for (int i = 0; i < 3; i++) {
        FrameShare share = {0};
        for (int k = 0; k < 100; k++) frame_share_drawn(&share, drawing[i]);
        assert_true(fabs(frame_share_interval(&share, 0.1, true, false) * rate[i] - 1.0) < 1e-9);
        assert_true(frame_share_spares(&share));
        assert_true(fabs(frame_share_interval(&share, 99.0, false, false) - 1.0 / 60.0) < 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_pace_at_any_speed),
        cmocka_unit_test(nothing_is_due_at_the_start),
        cmocka_unit_test(a_slow_step_becomes_due_all_the_same),
        cmocka_unit_test(as_fast_as_possible_is_always_due),
        cmocka_unit_test(falling_behind_does_not_spiral),
        cmocka_unit_test(a_long_sleep_is_forgiven),
        cmocka_unit_test(the_factor_is_of_the_last_half_second),
        cmocka_unit_test(being_late_is_told),
        cmocka_unit_test(frames_give_way_where_it_helps),
        cmocka_unit_test(frames_come_back),
        cmocka_unit_test(frames_that_take_little_come_sooner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
