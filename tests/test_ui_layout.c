// The window's arithmetic: panels never overlap, the cloth keeps its room, numbers are readable.
#include "ui/layout.h"
#include "ui/quantity.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void panels_tile_the_window(void **state)
{
    (void)state;
    const float sizes[][2] = {{1600, 900}, {1280, 800}, {640, 400}, {320, 240}, {160, 160}};
    for (int s = 0; s < 5; s++) {
        for (float em = 15; em <= 45; em += 7.5f) {
            for (int wish = 0; wish < 8; wish++) {
                float w = sizes[s][0], h = sizes[s][1];
                LayoutWish wanted = {wish & 1, wish & 2, wish & 4};
                Layout l = layout_compute(w, h, em, wanted);
                assert_true(l.view.width >= 0.299f * w);
                assert_true(l.controls.width + l.view.width + l.readouts.width == w);
                assert_true(l.view.x == l.controls.width);
                assert_true(l.readouts.x == l.view.x + l.view.width);
                float height = l.top.height + l.view.height + l.timeline.height + l.bottom.height;
                assert_true(fabsf(height - h) < 0.01f);
                assert_true(l.timeline.y == l.view.y + l.view.height);
                assert_true(fabsf(l.bottom.y - l.timeline.y - l.timeline.height) < 0.01f);
                if (!wanted.controls) assert_true(l.controls.width == 0.0f);
                if (!wanted.readouts) assert_true(l.readouts.width == 0.0f);
            }
        }
    }
}

static void large_text_keeps_the_preferred_panel(void **state)
{
    (void)state;
    Layout left = layout_compute(1280, 800, 45, (LayoutWish){true, true, false});
    Layout right = layout_compute(1280, 800, 45, (LayoutWish){true, true, true});
    assert_true(left.controls.width > 0 && left.readouts.width == 0);
    assert_true(right.controls.width == 0 && right.readouts.width > 0);
    Layout both = layout_compute(1280, 800, 15, (LayoutWish){true, true, false});
    assert_true(both.controls.width > 0 && both.readouts.width > 0);
}

static bool apart(Rect a, Rect b)
{
    return a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y ||
           b.y + b.height <= a.y;
}

static bool within(Rect a, Rect b)
{
    return a.x >= b.x && a.y >= b.y && a.x + a.width <= b.x + b.width &&
           a.y + a.height <= b.y + b.height;
}

static void expect_lanes_apart(Rect view, int count, float em)
{
    LaneLayout lanes[4];
    layout_lanes(view, count, em, lanes);
    for (int i = 0; i < count; i++) {
        assert_true(within(lanes[i].view, view) && within(lanes[i].strip, view));
        assert_true(apart(lanes[i].view, lanes[i].strip));
        // the cloth has most of it, and all lanes have one shape: one camera suits all
        assert_true(lanes[i].view.height >= 2.0f * lanes[i].strip.height);
        assert_true(lanes[i].view.width == lanes[0].view.width);
        assert_true(lanes[i].view.height == lanes[0].view.height);
        assert_true(lanes[i].strip.height == 0.0f || lanes[i].strip.height > 1.5f * em);
        for (int k = 0; k < i; k++) {
            assert_true(apart(lanes[i].view, lanes[k].view));
            assert_true(apart(lanes[i].strip, lanes[k].strip));
            assert_true(apart(lanes[i].view, lanes[k].strip));
            assert_true(apart(lanes[i].strip, lanes[k].view));
        }
    }
}

static void expect_overlay_apart(Rect view, int count, float em)
{
    LaneLayout lanes[4];
    layout_overlay(view, count, count - 1, em, lanes);
    const Rect *picture = &lanes[count - 1].view;
    assert_true(within(*picture, view) && picture->height >= 0.6f * view.height);
    for (int i = 0; i < count; i++) {
        assert_true(i == count - 1 || lanes[i].view.width == 0.0f);
        assert_true(within(lanes[i].strip, view) && apart(lanes[i].strip, *picture));
        for (int k = 0; k < i; k++) assert_true(apart(lanes[i].strip, lanes[k].strip));
    }
}

static void lanes_share_the_view(void **state)
{
    (void)state;
    const float sizes[][2] = {{1024, 768}, {1600, 1000}, {3840, 2160}, {160, 160}};
    for (int s = 0; s < 4; s++) {
        for (float em = 15; em <= 45; em += 15) {
            for (int wish = 0; wish < 4; wish++) {
                Layout l = layout_compute(sizes[s][0], sizes[s][1], em,
                                          (LayoutWish){wish & 1, wish & 2, false});
                for (int count = 1; count <= 4; count++) {
                    expect_lanes_apart(l.view, count, em);
                    expect_overlay_apart(l.view, count, em);
                }
            }
        }
    }
    LaneLayout lanes[2];
    layout_lanes((Rect){0, 0, 900, 600}, 2, 15, lanes);
    assert_true(lanes[1].view.y == 0.0f && lanes[1].view.x == 450.0f); // beside each other
    layout_lanes((Rect){0, 0, 484, 650}, 2, 15, lanes);
    assert_true(lanes[1].view.x == 0.0f && lanes[1].view.y == 325.0f); // above each other
}

static void expect_text(double value, const char *unit, const char *text, const char *shown_unit)
{
    QuantityText got = quantity_text(value, unit);
    assert_string_equal(got.value, text);
    assert_string_equal(got.unit, shown_unit);
}

static void numbers_read_well(void **state)
{
    (void)state;
    expect_text(330, "N/m", "330", "N/m");
    expect_text(0.5, "1/s", "0.50", "1/s");
    expect_text(0.0016, "s", "1.60", "ms");
    expect_text(13e-6, "s", "13.0", "µs");
    expect_text(2.5, "s", "2.50", "s");
    expect_text(1.05e7, "", "1.05·10⁷", "");
    expect_text(1e6, "", "1.00·10⁶", "");
    expect_text(9.999e6, "", "1.00·10⁷", "");
    expect_text(9.98e6, "", "9.98·10⁶", "");
    expect_text(-2.5e-5, "", "−2.50·10⁻⁵", "");
    expect_text(-9.81, "J", "−9.81", "J");
    expect_text(0, "s", "0.00", "s");
    expect_text(INFINITY, "s", "∞", "");
    expect_text(NAN, "s", "–", "s");
}

static void expect_length(double metres, const char *text, const char *unit)
{
    QuantityText got = quantity_text_length(metres);
    assert_string_equal(got.value, text);
    assert_string_equal(got.unit, unit);
}

static void distances_have_units_that_one_can_see(void **state)
{
    (void)state;
    expect_length(0.152, "15", "cm");
    expect_length(0.0152, "1.5", "cm");
    expect_length(0.00041, "0.41", "mm");
    expect_length(0.0099, "9.9", "mm");
    expect_length(3.4e-6, "3.4", "µm");
    expect_length(1.234, "1.2", "m");
    expect_length(0.0, "0", "m");
    expect_length(NAN, "–", "m");
}

static void expect_certain(double value, double error, const char *text)
{
    assert_string_equal(quantity_text_certain(value, error, "J").value, text);
}

static void digits_that_are_noise_are_not_shown(void **state)
{
    (void)state;
    expect_certain(0.0, 1e-3, "0.00"); // nothing was taken
    expect_certain(0.47283, 1e-9, "0.47");
    expect_certain(4.7283, 1e-9, "4.73");
    expect_certain(0.47283, 2e-3, "0.47");
    expect_certain(-0.47283, 0.06, "≈ −0.5");
    expect_certain(-1.2345e-6, 1e-8, "−1.2·10⁻⁶");
    expect_certain(-1.2345e-6, 9e-7, "≈ −1·10⁻⁶");
    expect_certain(-1.2345e-6, 2e-6, "< 4·10⁻⁶");
    expect_certain(0.02, 0.03, "< 0.05");
    expect_certain(1234.0, 200.0, "≈ 1000");
}

static void sliders_reach_both_ends_and_invert(void **state)
{
    (void)state;
    for (int i = 0; i < param_count; i++) {
        const ParamInfo *info = &param_table[i];
        if (info->kind == PARAM_CHOICE) continue;
        assert_true(quantity_from_slider(info, 0.0) == info->min);
        assert_true(quantity_from_slider(info, 1.0) == info->max);
        assert_true(quantity_from_slider(info, -3.0) == info->min);
        assert_true(quantity_from_slider(info, 7.0) == info->max);
        assert_true(quantity_to_slider(info, info->min) == 0.0);
        assert_true(quantity_to_slider(info, info->max) == 1.0);
        double last = info->min;
        for (double t = 0.0; t <= 1.0; t += 0.01) {
            double value = quantity_from_slider(info, t);
            assert_true(value >= last && value >= info->min && value <= info->max);
            double again = quantity_from_slider(info, quantity_to_slider(info, value));
            assert_true(fabs(again - value) <= 0.011 * fabs(value));
            last = value;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(panels_tile_the_window),
        cmocka_unit_test(large_text_keeps_the_preferred_panel),
        cmocka_unit_test(lanes_share_the_view),
        cmocka_unit_test(numbers_read_well),
        cmocka_unit_test(distances_have_units_that_one_can_see),
        cmocka_unit_test(digits_that_are_noise_are_not_shown),
        cmocka_unit_test(sliders_reach_both_ends_and_invert),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
