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

static bool apart(Rect a, Rect b);
static bool within(Rect a, Rect b);

// Bars and docked panels tile the window; drawers lie over the view at its sides.
static void expect_tiles(float w, float h, float em, LayoutWish wish)
{
    Layout l = layout_compute(w, h, em, wish);
    float left = l.controls_are_drawer ? 0.0f : l.controls.width;
    float right = l.readouts_are_drawer ? w : l.readouts.x;
    assert_true(l.view.x == left && l.view.x + l.view.width == right);
    assert_true(l.view.width >= 0.399f * w);
    float middle = l.view.height + l.caption.height + l.dock.height;
    assert_true(l.view.height >= 0.0f && (l.view.height >= 1.0f || middle < 2.0f));
    float height = l.top.height + middle + l.timeline.height + l.bottom.height;
    assert_true(height <= h && height > h - 1.01f);
    assert_true(l.caption.y == l.view.y + l.view.height);
    assert_true(l.dock.y == l.caption.y + l.caption.height);
    assert_true(l.timeline.y == l.dock.y + l.dock.height);
    assert_true(l.bottom.y == l.timeline.y + l.timeline.height);
    assert_true(wish.dock > 0.0f || l.dock.height == 0.0f);
    assert_true(wish.caption > 0.0f || l.caption.height == 0.0f);
    bool controls = l.controls_are_drawer ? wish.controls_drawer : wish.controls;
    bool readouts = l.readouts_are_drawer ? wish.readouts_drawer : wish.readouts;
    assert_true(controls == (l.controls.width > 0.0f) || w < 60.0f);
    if (!readouts) assert_true(l.readouts.width == 0.0f);
    assert_true(apart(l.controls, l.readouts));
    assert_true(within(l.cards, (Rect){0, 0, w, h}));
    // a closed panel can be opened, and a drawer closed, with the mouse
    bool tabs = fminf(l.view.height, l.controls.height) >= 8.0f * em;
    if (tabs && (!controls || l.controls_are_drawer)) assert_true(l.controls_tab.width > 0.0f);
    if (tabs && (!readouts || l.readouts_are_drawer)) assert_true(l.readouts_tab.width > 0.0f);
    assert_true(apart(l.controls_tab, l.controls) && apart(l.readouts_tab, l.readouts));
    assert_true(apart(l.controls_tab, l.readouts_tab) || w < 200.0f);
}

static void panels_tile_the_window(void **state)
{
    (void)state;
    const float sizes[][2] = {{3840, 2160}, {1600, 1000}, {1280, 800}, {1024, 768},
                              {1024, 640},  {640, 400},   {320, 240},  {160, 160}};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        for (float em = 15; em <= 45; em += 7.5f) {
            for (int bits = 0; bits < 64; bits++) {
                LayoutWish wish = {.controls = bits & 1,
                                   .readouts = bits & 2,
                                   .controls_drawer = bits & 4,
                                   .readouts_drawer = bits & 8,
                                   .dock = bits & 16 ? 15.0f * em : 0.0f,
                                   .dock_least = bits & 16 ? 9.0f * em : 0.0f,
                                   .caption = bits & 32 ? 8.0f * em : 0.0f};
                expect_tiles(sizes[s][0], sizes[s][1], em, wish);
            }
        }
    }
}

static void panels_without_room_are_drawers(void **state)
{
    (void)state;
    LayoutWish docked = {.controls = true, .readouts = true};
    Layout both = layout_compute(1280, 800, 15, docked);
    assert_true(both.controls.width > 0 && both.readouts.width > 0);
    assert_false(both.controls_are_drawer || both.readouts_are_drawer);
    assert_true(both.controls_tab.width == 0.0f && both.readouts_tab.width == 0.0f);
    Layout one = layout_compute(1024, 768, 23, docked);
    assert_true(one.controls.width > 0 && one.readouts.width == 0);
    Layout none = layout_compute(1024, 768, 30, docked);
    assert_true(none.controls.width == 0 && none.readouts.width == 0 && none.view.width == 1024);
    // one at a time where both do not fit
    LayoutWish open = {.controls_drawer = true, .readouts_drawer = true};
    assert_false(layout_both_drawers_fit(1024, 45));
    assert_true(layout_compute(1024, 640, 45, open).readouts.width == 0.0f);
    // and a message is not hidden by them
    open.message = 100;
    Layout message = layout_compute(1024, 640, 45, open);
    assert_true(apart(message.cards, message.controls) && message.cards.height == 100.0f);
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

static void expect_lanes_apart(Rect view, int count, float em, int title_lines)
{
    LaneLayout lanes[4];
    layout_lanes(view, count, em, title_lines, lanes);
    for (int i = 0; i < count; i++) {
        assert_true(within(lanes[i].view, view) && within(lanes[i].strip, view));
        assert_true(apart(lanes[i].view, lanes[i].strip));
        // the cloth has most of it, and all lanes have one shape: one camera suits all
        float least = lanes[i].title_lines > 1 ? 1.6f : 2.0f;
        assert_true(lanes[i].view.height >= least * lanes[i].strip.height);
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
                                          (LayoutWish){.controls = wish & 1, .readouts = wish & 2});
                for (int count = 1; count <= 4; count++) {
                    for (int lines = 0; lines <= 2; lines++)
                        expect_lanes_apart(l.view, count, em, lines);
                    expect_overlay_apart(l.view, count, em);
                }
            }
        }
    }
    LaneLayout lanes[2];
    layout_lanes((Rect){0, 0, 900, 600}, 2, 15, 0, lanes);
    assert_true(lanes[1].view.y == 0.0f && lanes[1].view.x == 450.0f); // beside each other
    layout_lanes((Rect){0, 0, 484, 650}, 2, 15, 0, lanes);
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
        cmocka_unit_test(panels_without_room_are_drawers),
        cmocka_unit_test(lanes_share_the_view),
        cmocka_unit_test(numbers_read_well),
        cmocka_unit_test(distances_have_units_that_one_can_see),
        cmocka_unit_test(digits_that_are_noise_are_not_shown),
        cmocka_unit_test(sliders_reach_both_ends_and_invert),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
