// When frames are drawn, and of what kind; and how the images of shadows are blurred.
#include "render/box_blur.h"
#include "render/frame_plan.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define SECOND_OF_FRAMES 120 // asked twice as often as frames can come

// What is drawn in the time from `from` to `to`.
typedef struct Drawn {
    int whole, careful;
    double first_careful; // s
} Drawn;

static Drawn draw(FramePlan *plan, RenderDetail affordable, double from, double to)
{
    Drawn drawn = {.first_careful = INFINITY};
    for (int i = 0; from + i / (double)SECOND_OF_FRAMES < to; i++) {
        double now = from + i / (double)SECOND_OF_FRAMES, until;
        FrameKind kind = frame_plan_next(plan, now, &until);
        if (kind == FRAME_NONE) assert_true(until > now);
        if (kind == FRAME_NONE) continue;
        drawn.whole += kind == FRAME_WHOLE;
        drawn.careful += kind == FRAME_CAREFUL;
        if (kind == FRAME_CAREFUL) drawn.first_careful = fmin(drawn.first_careful, now);
        frame_plan_drawn(plan, kind == FRAME_CAREFUL ? DETAIL_SMOOTH : affordable);
    }
    return drawn;
}

static void test_what_rests_is_drawn_with_care_once(void **state)
{
    (void)state;
    for (int detail = DETAIL_PLAIN; detail <= DETAIL_SMOOTH; detail++) {
        FramePlan plan = {0};
        frame_plan_want(&plan, 3);
        Drawn drawn = draw(&plan, (RenderDetail)detail, 10.0, 20.0);
        assert_int_equal(drawn.whole, 3);
        assert_int_equal(drawn.careful, detail < DETAIL_SMOOTH ? 1 : 0);
        if (drawn.careful) assert_true(drawn.first_careful > 10.2 && drawn.first_careful < 10.5);
        double until;
        assert_int_equal(frame_plan_next(&plan, 1e6, &until), FRAME_NONE);
        assert_true(until == INFINITY); // idle is idle

        frame_plan_want(&plan, 1); // the mouse moved
        drawn = draw(&plan, (RenderDetail)detail, 2e6, 2e6 + 5.0);
        assert_int_equal(drawn.whole, 1);
        assert_int_equal(drawn.careful, detail < DETAIL_SMOOTH ? 1 : 0);
    }
}

static void test_motion_is_never_interrupted_by_care(void **state)
{
    (void)state;
    FramePlan plan = {0};
    int whole = 0, careful = 0;
    for (int i = 0; i < 100; i++) { // news from the simulation every 0.05 s
        frame_plan_want(&plan, 3);
        Drawn drawn = draw(&plan, DETAIL_PLAIN, 1.0 + 0.05 * i, 1.0 + 0.05 * (i + 1));
        whole += drawn.whole;
        careful += drawn.careful;
    }
    assert_in_range(whole, 250, 301); // at most 60 a second
    assert_int_equal(careful, 0);
}

// The lab goes on for seconds after the cloth has come to rest.
static void test_new_words_do_not_keep_a_cloth_from_rest(void **state)
{
    (void)state;
    FramePlan plan = {0};
    frame_plan_want(&plan, 3);
    Drawn all = {.first_careful = INFINITY};
    for (int i = 0; i < 40; i++) { // results every 0.07 s
        frame_plan_want_panels(&plan, 3);
        Drawn drawn = draw(&plan, DETAIL_PLAIN, 1.0 + 0.07 * i, 1.0 + 0.07 * (i + 1));
        all.whole += drawn.whole;
        all.careful += drawn.careful;
        all.first_careful = fmin(all.first_careful, drawn.first_careful);
    }
    assert_int_equal(all.whole, 3);
    assert_in_range(all.careful, 80, 120); // each result is shown
    assert_true(all.first_careful < 1.4);
    assert_int_equal(plan.drawn, DETAIL_SMOOTH);
}

// Half a second of motion. Returns how many frames were whole; `all` how many there were.
static int whole_frames(FramePlan *plan, double from, int *all)
{
    int whole = 0;
    double until;
    *all = 0;
    for (int i = 0; i < 120; i++) {
        frame_plan_want(plan, 3);
        FrameKind kind = frame_plan_next(plan, from + i / 240.0, &until);
        whole += kind == FRAME_WHOLE;
        *all += kind != FRAME_NONE;
    }
    return whole;
}

static void test_panels_are_drawn_now_and_then_unless_touched(void **state)
{
    (void)state;
    int all;
    FramePlan plan = {.keeps_panels = true};
    int whole = whole_frames(&plan, 10.0, &all);
    assert_in_range(all, 24, 30);
    assert_in_range(whole, 6, 9); // 12 to 15 a second, and the first one

    frame_plan_touch(&plan, 10.5); // for 0.3 s every one, then now and then
    whole = whole_frames(&plan, 10.5, &all);
    assert_in_range(whole, 14 + 2, 18 + 3);

    plan.keeps_panels = false;
    whole = whole_frames(&plan, 11.0, &all);
    assert_int_equal(whole, all);

    // where the motion ends, the panels show it
    plan.keeps_panels = true;
    frame_plan_want(&plan, 3);
    double until;
    FrameKind last = FRAME_NONE;
    for (int i = 0; plan.wanted > 0; i++) {
        FrameKind kind = frame_plan_next(&plan, 11.51 + i / 120.0, &until);
        if (kind != FRAME_NONE) last = kind;
    }
    assert_int_equal(last, FRAME_WHOLE);
}

// Against sums that are taken anew for every texel.
static void test_sums_over_boxes(void **state)
{
    (void)state;
    static float image[BOX_SIDE * BOX_SIDE], scratch[BOX_SIDE * BOX_SIDE];
    static double expected[BOX_SIDE][BOX_SIDE], rows[BOX_SIDE][BOX_SIDE];
    for (int reach = 1; reach <= 9; reach += 4) {
        unsigned random = 1;
        for (int i = 0; i < BOX_SIDE * BOX_SIDE; i++) {
            random = random * 1664525u + 1013904223u;
            image[i] = (float)(random >> 24);
            expected[i / BOX_SIDE][i % BOX_SIDE] = image[i];
        }
        for (int pass = 0; pass < 2; pass++) {
            for (int y = 0; y < BOX_SIDE; y++) {
                for (int x = 0; x < BOX_SIDE; x++) {
                    rows[y][x] = 0.0;
                    for (int k = -reach; k <= reach; k++)
                        if (x + k >= 0 && x + k < BOX_SIDE) rows[y][x] += expected[y][x + k];
                }
            }
            for (int y = 0; y < BOX_SIDE; y++) {
                for (int x = 0; x < BOX_SIDE; x++) {
                    expected[y][x] = 0.0;
                    for (int k = -reach; k <= reach; k++)
                        if (y + k >= 0 && y + k < BOX_SIDE) expected[y][x] += rows[y + k][x];
                }
            }
        }
        box_sums(image, scratch, reach, 2);
        for (int i = 0; i < BOX_SIDE * BOX_SIDE; i++) {
            double sum = expected[i / BOX_SIDE][i % BOX_SIDE];
            assert_true(fabs(image[i] - sum) <= 1e-4 * sum + 1.0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_rests_is_drawn_with_care_once),
        cmocka_unit_test(test_motion_is_never_interrupted_by_care),
        cmocka_unit_test(test_new_words_do_not_keep_a_cloth_from_rest),
        cmocka_unit_test(test_sums_over_boxes),
        cmocka_unit_test(test_panels_are_drawn_now_and_then_unless_touched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
