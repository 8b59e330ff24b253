// Numbers, sliders and keys as a lecturer uses them: with one lane and four, at two text sizes,
// while the cloth rests and while it moves.
#include "support/ui_harness.h"

#include "lab/unstable_range.h"
#include "ui/quantity.h"

#include <GLFW/glfw3.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static Scene small_scene(const char *name, double step)
{
    Scene scene;
    Error error;
    if (scene_load(name, &scene, &error) != STATUS_OK) fail_msg("%s", error.text);
    scene.params.rows = scene.params.columns = 8;
    scene.params.step = step;
    scene.params.slow_motion = 0;
    return scene;
}

static Scene with_lanes(Scene scene)
{
    static const char *const texts[] = {"integrator=symplectic-euler", "integrator=rk4",
                                        "integrator=velocity-verlet step=0.0004",
                                        "integrator=midpoint"};
    scene.lane_count = 4;
    for (int i = 0; i < 4; i++)
        assert_int_equal(lane_parse(texts[i], &scene.lanes[i], NULL), STATUS_OK);
    return scene;
}

// Tall, so that no slider has to be scrolled for.
static UiHarness *open_window(const Scene *scene, bool running, float text_scale)
{
    UiHarness *h = ui_harness_open(scene, running);
    ui_harness_size(h, 800.0f * text_scale + 400.0f, 1700.0f * text_scale, text_scale);
    ui_harness_settle(h);
    return h;
}

static double value_of(const UiHarness *h, const char *name)
{
    return param_get(&h->ui.now->scene.params, param_find(name));
}

// Until a parameter has a value.
static const char *awaited_name;
static double awaited_value;
static bool has_value(const UiHarness *h)
{
    return fabs(value_of(h, awaited_name) - awaited_value) <= 1e-9 * fabs(awaited_value);
}
static void await_value(UiHarness *h, const char *name, double value)
{
    awaited_name = name;
    awaited_value = value;
    for (int i = 0; i < 4000 && !has_value(h); i++) {
        usleep(2000);
        ui_harness_frame(h);
    }
    if (!has_value(h)) fail_msg("%s is %g, not %g", name, value_of(h, name), value);
}

static bool lab_is_exact(const UiHarness *h)
{
    return ui_analysis(&h->ui) && h->ui.lab->unstable.exact;
}

// Where a parameter's control is.
typedef struct Row {
    Rect name, number, track;
} Row;

static Row row_of(const UiHarness *h, const char *name)
{
    const ParamInfo *info = param_find(name);
    const LoggedText *label = ui_harness_find(h, "##controls", info->label);
    if (!label) fail_msg("%s is not to be seen", name);
    Row row = {.name = label->rect};
    float right = 0.0f;
    for (int i = 0; i < h->log.count; i++) {
        const LoggedText *text = &h->log.items[i];
        bool beside = strcmp(text->window, label->window) == 0 &&
                      fabsf(text->rect.y - label->rect.y) < 2.0f && text != label;
        if (!beside || text->rect.x + text->rect.width <= right) continue;
        right = text->rect.x + text->rect.width;
        row.number = text->rect;
    }
    float em = h->ui.em;
    row.track = (Rect){label->rect.x, label->rect.y + floorf(1.25f * em), right - label->rect.x,
                       roundf(1.1f * em)};
    return row;
}

static ImVec2 on_track(const UiHarness *h, const char *name, double value)
{
    Row row = row_of(h, name);
    float radius = 0.36f * h->ui.em;
    double t = quantity_to_slider(param_find(name), value);
    return (ImVec2){row.track.x + radius + (float)t * (row.track.width - 2.0f * radius),
                    row.track.y + 0.5f * row.track.height};
}

// ---- typing

static void expect_typed(const char *name, const char *unit, const char *text, double wanted)
{
    double value = -77.0;
    Error error;
    if (quantity_parse(param_find(name), text, unit, &value, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    if (value != wanted) fail_msg("'%s' of %s is %.17g", text, name, value);
}

static void expect_refused(const char *name, const char *unit, const char *text, const char *part)
{
    double value = -77.0;
    Error error;
    assert_int_not_equal(quantity_parse(param_find(name), text, unit, &value, &error), STATUS_OK);
    assert_true(value == -77.0);
    if (!strstr(error.text, part)) fail_msg("no '%s' in: %s", part, error.text);
}

static void typed_values_take_units(void **state)
{
    (void)state;
    expect_typed("step", "ms", "0.62", 0.00062); // the very number that a file would have
    expect_typed("step", "ms", "0.62 ms", 0.00062);
    expect_typed("step", "ms", "620us", 0.00062);
    expect_typed("step", "ms", " 620 µs ", 0.00062);
    expect_typed("step", "ms", "620 μs", 0.00062); // the Greek letter
    expect_typed("step", "µs", "1e-3 s", 1e-3);
    expect_typed("step", "s", "1e-3", 1e-3);
    expect_typed("step", "ms", "auto", PARAM_WORD);
    expect_typed("stretch", "N/m", "600", 600);
    expect_typed("stretch", "N/m", "0.6 kN/m", 600);
    expect_typed("stretch", "N/m", "1.2e3N/m", 1200);
    expect_typed("safety", "", "80 %", 0.8);
    expect_typed("safety", "", "0.8", 0.8);
    expect_typed("speed", "", "2 ×", 2);
    expect_typed("size", "m", "80 cm", 0.8);
    expect_typed("density", "kg/m²", "200 g/m2", 0.2);
    expect_typed("ground", "m", "−1.5", -1.5); // a true minus sign, as it is shown
    expect_typed("rows", "", "24", 24);
    expect_refused("step", "ms", "banana", "h = banana is not allowed");
    expect_refused("step", "ms", "0.62 kg", "in s, ms, µs or ns");
    expect_refused("step", "ms", "-1 s", "1e-06 to");
    expect_refused("step", "ms", "", "(nothing)");
    expect_refused("step", "ms", "nan", "not allowed");
    expect_refused("step", "ms", "0x10", "not allowed");
    expect_refused("stretch", "N/m", "1e99", "not allowed");
    expect_refused("stretch", "N/m", "1e99999999999999999999", "not allowed");
    expect_refused("rows", "", "24 %", "whole numbers");
    expect_refused("rows", "", "24.5", "whole numbers");
    expect_refused("safety", "", "3 s", "also in %");
    for (int i = 0; i < param_count; i++) { // what is shown in a field reads back as it was
        const ParamInfo *info = &param_table[i];
        if (info->kind == PARAM_CHOICE) continue;
        for (double t = 0.0; t <= 1.0; t += 0.037) {
            char text[48];
            double value = quantity_from_slider(info, t), again = NAN;
            QuantityText shown = quantity_text(value, info->unit);
            quantity_print(info, value, shown.unit, text, sizeof text);
            assert_int_equal(quantity_parse(info, text, shown.unit, &again, NULL), STATUS_OK);
            assert_true(again == value);
        }
    }
}

// The keys come any number of frames after the click, none included.
static void type_after(UiHarness *h, const char *name, int frames, const char *text)
{
    ui_harness_move(h, ui_harness_middle(row_of(h, name).number));
    ui_harness_press(h, true);
    ui_harness_press(h, false);
    for (int i = 0; i < frames; i++) ui_harness_frame(h);
    for (const char *c = text; *c; c++) {
        ImGuiIO_AddInputCharacter(igGetIO_Nil(), (unsigned)*c);
        ui_harness_frame(h);
    }
    ui_harness_frame(h);
    ui_harness_frame(h);
    ui_harness_enter(h);
}

static void no_digit_is_lost(void **state)
{
    (void)state;
    for (int lanes = 0; lanes < 2; lanes++) {
        for (int scale = 1; scale <= 2; scale++) {
            Scene scene = small_scene("drape", 0.0005);
            if (lanes) scene = with_lanes(scene);
            bool running = lanes == 1 && scale == 1;
            UiHarness *h = open_window(&scene, running, (float)scale);
            for (int frames = 0; frames < 5; frames++) {
                char text[16];
                snprintf(text, sizeof text, "%d", 600 + frames);
                type_after(h, "stretch", frames, text);
                await_value(h, "stretch", 600 + frames);
            }
            ui_harness_close(h);
        }
    }
}

static void a_number_means_the_unit_beside_it(void **state)
{
    (void)state;
    Scene scene = small_scene("drape", 0.00062);
    UiHarness *h = open_window(&scene, false, 1.0f);
    type_after(h, "step", 1, "0.5"); // beside ms
    await_value(h, "step", 0.0005);
    type_after(h, "step", 1, "0.0004 s");
    await_value(h, "step", 0.0004);
    type_after(h, "step", 1, "two");
    assert_true(value_of(h, "step") == 0.0004);
    assert_non_null(ui_harness_find_part(h, "##message", "h = two is not allowed"));
    type_after(h, "step", 1, "300 us");
    await_value(h, "step", 0.0003);
    ui_harness_close(h);
}

// ---- Escape, quitting, saving

static void escape_closes_and_never_quits(void **state)
{
    (void)state;
    Scene scene = small_scene("drape", 0.0005);
    UiHarness *h = open_window(&scene, false, 1.0f);
    Ui *ui = &h->ui;
    ui_harness_click(h, ui_harness_middle(row_of(h, "stretch").number));
    ui_harness_settle(h);
    assert_true(ui_is_typing(ui));
    ui_harness_key(h, GLFW_KEY_ESCAPE, 0);
    assert_true(ui->typed_param == UI_NO_PARAM && value_of(h, "stretch") == scene.params.stretch);
    const LoggedText *list = ui_harness_find(h, "##top", scene.name);
    ui_harness_click(h, ui_harness_middle(list->rect));
    assert_true(ui->list_is_open);
    ui_harness_key(h, GLFW_KEY_F1, 0); // opened later, closed later: the list lies above it
    ui_harness_key(h, GLFW_KEY_ESCAPE, 0);
    ui_harness_settle(h);
    assert_true(!ui->list_is_open && ui->show_keys);
    ui_harness_key(h, GLFW_KEY_ESCAPE, 0);
    assert_true(!ui->show_keys);
    ui_say(ui, "Hello.");
    assert_true(ui_harness_key(h, GLFW_KEY_ESCAPE, 0));
    assert_null(ui_harness_find(h, "##message", "Hello."));
    for (int i = 0; i < 3; i++) assert_false(ui_harness_key(h, GLFW_KEY_ESCAPE, 0));
    assert_false(ui->want_quit);
    assert_true(ui_harness_key(h, GLFW_KEY_Q, UI_CONTROL));
    assert_true(ui->want_quit);
    ui_harness_close(h);
}

static long size_of_file(const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file) return -1;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    fclose(file);
    return size;
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void click_text(UiHarness *h, const char *window, const char *part)
{
    const LoggedText *text = ui_harness_find_part(h, window, part);
    if (!text) fail_msg("'%s' is not in %s", part, window);
    if (!ui_harness_is_whole(h, text)) fail_msg("'%s' is cut", text->text);
    ui_harness_click(h, ui_harness_middle(text->rect));
}

static void saving_never_overwrites_unasked(void **state)
{
    (void)state;
    char folder[] = "/tmp/selvage-test-XXXXXX", before[512];
    assert_non_null(getcwd(before, sizeof before));
    assert_non_null(mkdtemp(folder));
    Scene scene = small_scene("drape", 0.0005);
    // as long as a name can be; cut, so that the files can be loaded
    memset(scene.name, 'n', sizeof scene.name - 1);
    scene.name[sizeof scene.name - 1] = '\0';
    char path[128], other[128], third[128];
    snprintf(path, sizeof path, "%.35s-edited.ini", scene.name);
    snprintf(other, sizeof other, "%.35s-edited-2.ini", scene.name);
    snprintf(third, sizeof third, "%.35s-edited-3.ini", scene.name);
    UiHarness *h = open_window(&scene, false, 2.0f);
    assert_int_equal(chdir(folder), 0);
    write_file(path, "mine\n");
    ui_harness_key(h, GLFW_KEY_S, UI_CONTROL);
    ui_harness_settle(h);
    assert_true(h->ui.saving.asks);
    assert_int_equal(size_of_file(path), 5);
    ui_harness_key(h, GLFW_KEY_ESCAPE, 0);
    assert_false(h->ui.saving.asks);
    ui_harness_key(h, GLFW_KEY_S, UI_CONTROL);
    ui_harness_settle(h);
    click_text(h, "##saving", "cancel");
    assert_false(h->ui.saving.asks);
    ui_harness_key(h, GLFW_KEY_S, UI_CONTROL);
    ui_harness_settle(h);
    click_text(h, "##saving", "new name");
    assert_true(size_of_file(path) == 5 && size_of_file(other) > 1000);
    ui_harness_settle(h);
    ui_harness_key(h, GLFW_KEY_S, UI_CONTROL);
    ui_harness_key(h, GLFW_KEY_ENTER, 0); // the answer that loses nothing
    assert_true(size_of_file(path) == 5 && size_of_file(third) > 1000);
    ui_harness_key(h, GLFW_KEY_S, UI_CONTROL);
    ui_harness_settle(h);
    click_text(h, "##saving", "overwrite");
    ui_harness_settle(h);
    assert_true(size_of_file(path) > 1000);
    Scene again;
    assert_int_equal(scene_load(path, &again, NULL), STATUS_OK);
    assert_int_equal(scene_load(third, &again, NULL), STATUS_OK);
    char said[1024] = ""; // the whole name, in one line or more
    for (int i = 0; i < h->log.count; i++) {
        const LoggedText *text = &h->log.items[i];
        if (strncmp(text->window, "##message", 9) != 0) continue;
        if (!ui_harness_is_whole(h, text)) fail_msg("'%s' is cut", text->text);
        strncat(said, text->text, sizeof said - strlen(said) - 1);
    }
    if (!strstr(said, path)) fail_msg("no '%s' in '%s'", path, said);
    remove(path);
    remove(other);
    remove(third);
    assert_int_equal(chdir(before), 0);
    assert_int_equal(rmdir(folder), 0);
    ui_harness_close(h);
}

// ---- sliders

static bool overlap(Rect a, Rect b)
{
    return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height &&
           b.y < a.y + a.height;
}

static void tooltips_leave_the_value_alone(void **state)
{
    (void)state;
    for (int scale = 1; scale <= 2; scale++) {
        for (int narrow = 0; narrow < 2; narrow++) {
            Scene scene = small_scene("drape", 0.0005);
            UiHarness *h = open_window(&scene, false, (float)scale);
            if (narrow)
                ui_harness_size(h, 360.0f * (float)scale, 1700.0f * (float)scale, (float)scale);
            ui_harness_settle(h);
            if (!ui_harness_find(h, "##controls", "stretch")) { // no room for the panel at all
                ui_harness_close(h);
                continue;
            }
            Row row = row_of(h, "stretch");
            Rect whole = row.name;
            whole.width = row.track.width;
            whole.height = row.track.y + row.track.height - row.name.y;
            ui_harness_move(h, ui_harness_middle(row.number));
            ui_harness_settle(h);
            int lines = 0;
            for (int i = 0; i < h->log.count; i++) {
                const LoggedText *text = &h->log.items[i];
                if (strncmp(text->window, "##Tooltip", 9) != 0) continue;
                lines++;
                if (overlap(text->rect, whole)) fail_msg("'%s' covers the value", text->text);
                assert_true(ui_harness_is_whole(h, text));
            }
            assert_true(lines > 2);
            assert_false(ui_harness_is_covered("##controls", whole));
            ui_harness_press(h, true); // typing: none at all
            ui_harness_press(h, false);
            ui_harness_settle(h);
            assert_null(ui_harness_find(h, "##Tooltip", NULL));
            ui_harness_key(h, GLFW_KEY_ESCAPE, 0);
            ui_harness_move(h, on_track(h, "stretch", 100.0)); // dragging: none either
            ui_harness_press(h, true);
            ui_harness_settle(h);
            assert_null(ui_harness_find(h, "##Tooltip", NULL));
            ui_harness_press(h, false);
            ui_harness_close(h);
        }
    }
}

static void double_click(UiHarness *h, ImVec2 at)
{
    igGetIO_Nil()->MouseDoubleClickTime = 5.0f;
    ui_harness_move(h, at);
    for (int i = 0; i < 2; i++) {
        ui_harness_press(h, true);
        ui_harness_press(h, false);
    }
    ui_harness_settle(h);
    igGetIO_Nil()->MouseDoubleClickTime = 0.3f;
}

static void the_limit_is_beside_the_red(void **state)
{
    (void)state;
    static const char *const names[] = {"step", "stretch", "shear", "bend", "alpha"};
    for (int scale = 1; scale <= 2; scale++) {
        Scene scene = small_scene("drape", 0.0015);
        scene.params.alpha = 1e-5;
        UiHarness *h = open_window(&scene, false, (float)scale);
        ui_harness_wait(h, lab_is_exact);
        int seen = 0;
        for (int i = 0; i < 5; i++) {
            const ParamInfo *info = param_find(names[i]);
            const UnstableRanges *red = &h->ui.lab->unstable;
            double limits[] = {h->ui.now->readings.limit.step, red->stretch.high, red->shear.high,
                               red->bend.high, red->alpha.high};
            Row row = row_of(h, names[i]);
            char text[96] = "";
            QuantityText number = quantity_text(limits[i], info->unit);
            snprintf(text, sizeof text, "stable up to %s %s", number.value, number.unit);
            if (!(limits[i] < info->max)) continue;
            const LoggedText *said = NULL;
            for (int k = 0; k < h->log.count; k++) {
                const LoggedText *item = &h->log.items[k];
                if (strcmp(item->text, text) == 0 && item->rect.y > row.track.y &&
                    item->rect.y < row.track.y + 2.5f * h->ui.em)
                    said = item;
            }
            if (!said) fail_msg("%s: no '%s' below the slider", names[i], text);
            assert_true(ui_harness_is_whole(h, said));
            seen++;
            // on the number, then on the red
            double wanted = 0.99 * limits[i];
            double_click(h, ui_harness_middle(said->rect));
            for (int k = 0; k < 4000 && fabs(value_of(h, names[i]) - wanted) > 1e-3 * wanted; k++) {
                usleep(2000);
                ui_harness_frame(h);
            }
            if (fabs(value_of(h, names[i]) - wanted) > 1e-3 * wanted)
                fail_msg("%s is %g, not 0.99 of %g", names[i], value_of(h, names[i]), limits[i]);
            assert_true(h->ui.now->readings.limit.step >= h->ui.now->readings.step);
            ui_harness_key(h, GLFW_KEY_Z, UI_CONTROL);
            await_value(h, names[i], param_get(&scene.params, info));
            ui_harness_wait(h, lab_is_exact);
        }
        assert_true(seen >= 4);
        ui_harness_close(h);
    }
}

static void a_double_click_on_the_red_is_never_unstable(void **state)
{
    (void)state;
    Scene scene = small_scene("drape", 0.0015);
    UiHarness *h = open_window(&scene, true, 1.0f);
    ui_harness_wait(h, lab_is_exact);
    double limit = h->ui.lab->unstable.stretch.high;
    assert_true(limit < 1e5);
    ImVec2 red = on_track(h, "stretch", 5.0 * limit);
    double_click(h, red);
    double most = 0.0;
    for (int i = 0; i < 50; i++) {
        usleep(2000);
        ui_harness_frame(h);
        most = fmax(most, value_of(h, "stretch"));
    }
    if (most > limit) fail_msg("stretch was %g with the limit %g", most, limit);
    assert_true(value_of(h, "stretch") > 0.9 * limit);
    // a single click there is obeyed, after a moment
    igGetIO_Nil()->MouseDoubleClickTime = 0.01f;
    usleep(20000);
    ui_harness_click(h, red);
    for (int i = 0; i < 4000 && value_of(h, "stretch") < 3.0 * limit; i++) {
        usleep(2000);
        ui_harness_frame(h);
    }
    assert_true(value_of(h, "stretch") > 3.0 * limit);
    ui_harness_close(h);
}

static void shift_drags_finely(void **state)
{
    (void)state;
    Scene scene = small_scene("drape", PARAM_WORD);
    UiHarness *h = open_window(&scene, false, 1.0f);
    const ParamInfo *info = param_find("stretch");
    double start = value_of(h, "stretch"), t = quantity_to_slider(info, start);
    ImVec2 at = on_track(h, "stretch", start);
    float far = 60.0f, length = row_of(h, "stretch").track.width - 0.72f * h->ui.em;
    at.x = floorf(at.x);
    ui_harness_shift(h, true);
    ui_harness_move(h, at);
    ui_harness_press(h, true);
    ui_harness_settle(h);
    assert_true(value_of(h, "stretch") == start); // touching it does not move it
    ui_harness_move(h, (ImVec2){at.x + far, at.y});
    ui_harness_settle(h);
    double fine = h->ui.held_value;
    ui_harness_press(h, false);
    ui_harness_shift(h, false);
    double moved = quantity_to_slider(info, fine) - t;
    if (fabs(moved - 0.1 * (double)(far / length)) > 0.01) fail_msg("moved by %g", moved);
    await_value(h, "stretch", fine);
    ui_harness_key(h, GLFW_KEY_Z, UI_CONTROL); // one drag is one change
    await_value(h, "stretch", start);
    ui_harness_close(h);
}

static void arrows_step_the_slider_under_the_mouse(void **state)
{
    (void)state;
    for (int lanes = 0; lanes < 2; lanes++) {
        Scene scene = small_scene("drape", 0.0005);
        if (lanes) scene = with_lanes(scene);
        UiHarness *h = open_window(&scene, false, 1.0f);
        double start = value_of(h, "stretch");
        long steps = h->ui.now->readings.step_count;
        ui_harness_move(h, ui_harness_middle(row_of(h, "stretch").track));
        ui_harness_settle(h);
        for (int i = 0; i < 5; i++) ui_harness_key(h, GLFW_KEY_RIGHT, 0);
        double coarse = h->ui.stepped_value;
        await_value(h, "stretch", coarse);
        double way = quantity_to_slider(param_find("stretch"), coarse) -
                     quantity_to_slider(param_find("stretch"), start);
        if (fabs(way - 0.05) > 0.01) fail_msg("five keys move it by %g", way);
        ui_harness_key(h, GLFW_KEY_LEFT, UI_SHIFT);
        double fine = h->ui.stepped_value;
        assert_true(fine < coarse && fine > 0.95 * coarse);
        await_value(h, "stretch", fine);
        assert_int_equal(h->ui.now->readings.step_count, steps); // time stands still
        ui_harness_key(h, GLFW_KEY_Z, UI_CONTROL);               // a run of keys is one change
        await_value(h, "stretch", start);
        ui_harness_move(h, (ImVec2){0.5f * h->width, 0.5f * h->height}); // over nothing
        ui_harness_settle(h);
        double time = h->ui.stage->time;
        ui_harness_key(h, GLFW_KEY_RIGHT, 0);
        for (int i = 0; i < 4000 && h->ui.stage->time == time; i++) {
            usleep(2000);
            ui_harness_frame(h);
        }
        assert_true(h->ui.stage->time > time && value_of(h, "stretch") == start);
        // whole numbers move by one
        ui_harness_move(h, ui_harness_middle(row_of(h, "rows").number));
        ui_harness_settle(h);
        ui_harness_key(h, GLFW_KEY_RIGHT, 0);
        await_value(h, "rows", 9);
        ui_harness_close(h);
    }
}

// ---- undo and redo

static void undo_and_redo(void **state)
{
    (void)state;
    for (int running = 0; running < 2; running++) {
        Scene scene = small_scene("drape", 0.0005);
        UiHarness *h = open_window(&scene, running, 1.0f);
        double start = value_of(h, "stretch");
        // a drag of many values
        ui_harness_move(h, on_track(h, "stretch", start));
        ui_harness_press(h, true);
        for (int i = 1; i <= 8; i++) {
            ImVec2 at = on_track(h, "stretch", start);
            ui_harness_move(h, (ImVec2){at.x - 4.0f * (float)i, at.y});
        }
        double dragged = h->ui.held_value;
        ui_harness_press(h, false);
        await_value(h, "stretch", dragged);
        ui_harness_key(h, GLFW_KEY_V, 0); // the filter on
        await_value(h, "filter", 1);
        type_after(h, "stretch", 2, "77");
        await_value(h, "stretch", 77);
        assert_int_equal(h->ui.history.count, 3);
        ui_harness_key(h, GLFW_KEY_Z, UI_CONTROL);
        await_value(h, "stretch", dragged);
        assert_non_null(ui_harness_find_part(h, "##message", "Undone: stretch is"));
        ui_harness_key(h, GLFW_KEY_Z, UI_CONTROL);
        await_value(h, "filter", 0);
        ui_harness_key(h, GLFW_KEY_Z, UI_CONTROL);
        await_value(h, "stretch", start);
        ui_harness_key(h, GLFW_KEY_Z, UI_CONTROL);
        ui_harness_settle(h);
        assert_non_null(ui_harness_find_part(h, "##message", "no change of a parameter to undo"));
        ui_harness_key(h, GLFW_KEY_Z, UI_CONTROL | UI_SHIFT);
        await_value(h, "stretch", dragged);
        ui_harness_key(h, GLFW_KEY_Y, UI_CONTROL);
        await_value(h, "filter", 1);
        ui_harness_key(h, GLFW_KEY_Y, UI_CONTROL);
        await_value(h, "stretch", 77);
        ui_harness_key(h, GLFW_KEY_Z, UI_CONTROL);
        await_value(h, "stretch", dragged);
        type_after(h, "stretch", 2, "88"); // another change: nothing is left to redo
        await_value(h, "stretch", 88);
        ui_harness_key(h, GLFW_KEY_Y, UI_CONTROL);
        ui_harness_settle(h);
        assert_true(value_of(h, "stretch") == 88);
        ui_harness_close(h);
    }
}

static bool third_owns_stretch(const UiHarness *h)
{
    return h->ui.stage->selected == 2 && lane_owns(&h->ui.now->lane, param_find("stretch"));
}
static bool third_shares_stretch(const UiHarness *h)
{
    return !lane_owns(&h->ui.stage->lanes[2].lane, param_find("stretch"));
}
static bool first_is_selected(const UiHarness *h)
{
    return h->ui.stage->selected == 0;
}
static bool third_is_selected(const UiHarness *h)
{
    return h->ui.stage->selected == 2;
}

static void undo_knows_lanes(void **state)
{
    (void)state;
    Scene scene = with_lanes(small_scene("drape", 0.0005));
    UiHarness *h = open_window(&scene, false, 1.0f);
    ui_harness_key(h, GLFW_KEY_3, 0);
    ui_harness_wait(h, third_is_selected);
    ui_own_param(&h->ui, param_find("stretch"), true);
    ui_harness_wait(h, third_owns_stretch);
    type_after(h, "stretch", 1, "55");
    await_value(h, "stretch", 55);
    assert_true(param_get(&h->ui.stage->lanes[0].scene.params, param_find("stretch")) != 55.0);
    type_after(h, "step", 1, "0.2 ms"); // its own from the start
    await_value(h, "step", 0.0002);
    int method = h->ui.now->scene.params.integrator;
    ui_harness_key(h, GLFW_KEY_I, 0);
    await_value(h, "integrator", method + 1);
    ui_harness_key(h, GLFW_KEY_1, 0); // undo does not depend on what is selected
    ui_harness_wait(h, first_is_selected);
    ui_harness_key(h, GLFW_KEY_Z, UI_CONTROL);
    ui_harness_key(h, GLFW_KEY_3, 0);
    ui_harness_wait(h, third_is_selected);
    await_value(h, "integrator", method);
    ui_harness_key(h, GLFW_KEY_Z, UI_CONTROL);
    await_value(h, "step", 0.0004);
    ui_harness_key(h, GLFW_KEY_Z, UI_CONTROL);
    await_value(h, "stretch", scene.params.stretch);
    ui_harness_key(h, GLFW_KEY_Z, UI_CONTROL);
    ui_harness_wait(h, third_shares_stretch);
    ui_harness_key(h, GLFW_KEY_Y, UI_CONTROL);
    ui_harness_wait(h, third_owns_stretch);
    ui_harness_key(h, GLFW_KEY_Y, UI_CONTROL);
    await_value(h, "stretch", 55);
    ui_harness_close(h);
}

// ---- the largest stable stretch

static double largest_by_analyze(const Scene *scene)
{
    Simulation *simulation;
    Lab lab;
    Analysis analysis;
    assert_int_equal(simulation_create(scene, &simulation, NULL), STATUS_OK);
    assert_int_equal(lab_init(&lab, simulation, NULL), STATUS_OK);
    lab_analyze(&lab, simulation, &analysis_thorough, &analysis);
    double limit = unstable_stiffness(&lab, simulation).stretch.high;
    lab_finish(&lab);
    simulation_destroy(simulation);
    return limit;
}

static void the_largest_stretch_is_one_click(void **state)
{
    (void)state;
    static const char label[] = "largest stable stretch";
    Scene scene = small_scene("drape", 0.0015);
    UiHarness *h = open_window(&scene, false, 1.0f);
    ui_harness_wait(h, lab_is_exact);
    click_text(h, "##controls", label);
    double limit = largest_by_analyze(&scene); // what `selvage analyze` prints
    for (int i = 0; i < 4000 && value_of(h, "stretch") == scene.params.stretch; i++) {
        usleep(2000);
        ui_harness_frame(h);
    }
    double got = value_of(h, "stretch");
    if (fabs(got - limit) > 3e-3 * limit) fail_msg("%g in the window, %g by analyze", got, limit);
    assert_true(h->ui.now->readings.limit.step >= 0.999 * h->ui.now->readings.step);
    // with an automatic step there is none, and the button says so
    ui_harness_key(h, GLFW_KEY_A, 0);
    await_value(h, "step", PARAM_WORD);
    const LoggedText *button = ui_harness_find(h, "##controls", label);
    ui_harness_move(h, ui_harness_middle(button->rect));
    ui_harness_settle(h);
    assert_non_null(ui_harness_find_part(h, "##Tooltip", "automatic step"));
    ui_harness_press(h, true);
    ui_harness_press(h, false);
    ui_harness_settle(h);
    assert_true(value_of(h, "stretch") == got);
    ui_harness_close(h);
}

// ---- lists

static void lists_show_all_of_their_labels(void **state)
{
    (void)state;
    for (int scale = 1; scale <= 2; scale++) {
        Scene scene = small_scene("drape", 0.0005);
        UiHarness *h = ui_harness_open(&scene, false);
        ui_harness_size(h, 1280.0f, 800.0f, (float)scale);
        ui_harness_settle(h);
        for (int i = 0; i < integrator_count; i++) {
            const char *label = integrator_table[h->ui.now->scene.params.integrator]->label;
            const LoggedText *box = ui_harness_find(h, "##controls", label);
            if (!box || !ui_harness_is_whole(h, box)) fail_msg("'%s' is cut", label);
            int next = (h->ui.now->scene.params.integrator + 1) % integrator_count;
            ui_harness_key(h, GLFW_KEY_I, 0);
            await_value(h, "integrator", next);
            ui_harness_settle(h);
        }
        if (scale == 1) { // as long as the screen is high enough, nothing has to be scrolled for
            const char *label = integrator_table[h->ui.now->scene.params.integrator]->label;
            ui_harness_click(h, ui_harness_middle(ui_harness_find(h, "##controls", label)->rect));
            ui_harness_settle(h);
            for (int i = 0; i < integrator_count; i++) {
                const LoggedText *item = ui_harness_find(h, "##Combo", integrator_table[i]->label);
                if (!item || !ui_harness_is_whole(h, item))
                    fail_msg("'%s' is not in the list", integrator_table[i]->label);
            }
        }
        ui_harness_close(h);
    }
}

static void all_keys_are_listed(void **state)
{
    (void)state;
    static const char *const keys[] = {
        "Space",  "S",   "Left", "Shift Left",  "Ctrl Z", "Ctrl Shift Z", "Ctrl S",
        "Ctrl Q", "Esc", "F11",  "on a slider", "on red", "left-drag",    "wheel"};
    Scene scene = small_scene("drape", 0.0005);
    UiHarness *h = ui_harness_open(&scene, false);
    ui_harness_size(h, 1024.0f, 640.0f, 1.0f);
    ui_harness_key(h, GLFW_KEY_F1, 0);
    ui_harness_settle(h);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const LoggedText *key = ui_harness_find(h, "##keys", keys[i]);
        if (!key || !ui_harness_is_whole(h, key)) fail_msg("no %s", keys[i]);
    }
    for (int i = 0; i < h->log.count;
         i++) { // no meaning is cut, and nothing has to be scrolled for
        const LoggedText *text = &h->log.items[i];
        if (strcmp(text->window, "##keys") == 0 && !ui_harness_is_whole(h, text))
            fail_msg("'%s' is cut", text->text);
    }
    ui_harness_close(h);
}

// ---- replays and the past

static bool replay_is_over(const UiHarness *h)
{
    return strstr(h->ui.now->notice, "The replay is over") != NULL;
}

// What does not change the simulation does not end a replay; a parameter does.
static void a_replay_goes_on_until_one_takes_over(void **state)
{
    (void)state;
    char path[] = "/tmp/selvage-test-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    static const char text[] =
        "selvage-record 1\nscene drape\n[cloth]\nrows = 8\ncolumns = 8\n[time]\nspeed = 1\n"
        "step = 0.0005\nend scene\n0.05 s set stretch 400\n0.1 s end\n";
    assert_int_equal(write(file, text, sizeof text - 1), (long)(sizeof text - 1));
    close(file);
    Recording recording;
    Error error;
    if (recording_read(path, &recording, &error) != STATUS_OK) fail_msg("%s", error.text);
    for (int takes_over = 0; takes_over < 2; takes_over++) {
        SimThread *sim;
        SimThreadPlan plan = {.replay = &recording, .running = false};
        assert_int_equal(sim_thread_open(&plan, &sim, &error), STATUS_OK);
        UiHarness *h = ui_harness_open(NULL, false);
        ui_harness_watch(h, sim);
        ui_harness_size(h, 1200.0f, 1700.0f, 1.0f);
        ui_harness_settle(h);
        if (takes_over) {
            type_after(h, "stretch", 0, "600");
            await_value(h, "stretch", 600);
            assert_non_null(strstr(h->ui.now->notice, "You took over"));
        } else {
            ui_harness_key(h, GLFW_KEY_Z, UI_CONTROL); // there is nothing to undo
            ui_harness_key(h, GLFW_KEY_Y, UI_CONTROL);
            ui_harness_click(h, ui_harness_middle(row_of(h, "stretch").number));
            ui_harness_key(h, GLFW_KEY_ESCAPE, 0);
            ui_harness_key(h, GLFW_KEY_SPACE, 0);
            ui_harness_wait(h, replay_is_over);
            assert_true(value_of(h, "stretch") == 400.0);
        }
        ui_harness_close(h);
        sim_thread_stop(sim);
    }
    recording_finish(&recording);
    remove(path);
}

static bool is_past(const UiHarness *h)
{
    return h->ui.now->in_past;
}
static bool is_present(const UiHarness *h)
{
    return !h->ui.now->in_past;
}
static bool has_run(const UiHarness *h)
{
    return h->ui.stage->time > 0.05;
}
static bool rests(const UiHarness *h)
{
    return !h->ui.now->running;
}

// Undone in the order in which it was done: a change in the past is going on from it.
static void undo_knows_the_past(void **state)
{
    (void)state;
    for (int lanes = 0; lanes < 2; lanes++) {
        Scene scene = small_scene("drape", 0.0005);
        if (lanes) scene = with_lanes(scene);
        UiHarness *h = open_window(&scene, true, 1.0f);
        ui_harness_wait(h, has_run);
        ui_harness_key(h, GLFW_KEY_SPACE, 0);
        ui_harness_wait(h, rests);
        type_after(h, "stretch", 0, "200");
        await_value(h, "stretch", 200);
        double present = h->ui.stage->time;
        ui_harness_key(h, GLFW_KEY_HOME, 0);
        ui_harness_wait(h, is_past);
        ui_harness_key(h, GLFW_KEY_Z, UI_CONTROL); // not from here
        ui_harness_settle(h);
        assert_true(h->ui.now->in_past);
        type_after(h, "stretch", 0, "500");
        await_value(h, "stretch", 500);
        ui_harness_wait(h, is_present);
        type_after(h, "stretch", 0, "510");
        await_value(h, "stretch", 510);
        ui_harness_key(h, GLFW_KEY_Z, UI_CONTROL);
        await_value(h, "stretch", 500);
        ui_harness_key(h, GLFW_KEY_Z, UI_CONTROL); // what came after is there again
        await_value(h, "stretch", 200);
        assert_true(fabs(h->ui.stage->time - present) < 1e-9);
        ui_harness_key(h, GLFW_KEY_Z, UI_CONTROL);
        await_value(h, "stretch", scene.params.stretch);
        ui_harness_close(h);
    }
}

// ---- steps

static const LoggedText *number_after(const UiHarness *h, const char *name)
{
    const LoggedText *label = ui_harness_find(h, "##top", name);
    if (!label) fail_msg("no %s in the top bar", name);
    return label + 1;
}

// S and the arrows change the time that is shown and the count of steps, in every way to see them.
static void a_step_is_to_be_seen(void **state)
{
    (void)state;
    for (int lanes = 0; lanes < 2; lanes++) {
        Scene scene = small_scene("drape", 0.0005);
        if (lanes) scene = with_lanes(scene);
        UiHarness *h = open_window(&scene, false, 1.0f);
        ui_harness_size(h, 1600.0f, 1000.0f, 1.0f);
        ui_harness_settle(h);
        ui_harness_move(h, (ImVec2){0.5f * h->width, 0.5f * h->height}); // over no slider
        static const int keys[] = {GLFW_KEY_S, GLFW_KEY_RIGHT, GLFW_KEY_LEFT};
        static const long counts[] = {1, 2, 1};
        for (int i = 0; i < 3; i++) {
            char time[sizeof((LoggedText *)0)->text], wanted[32];
            snprintf(time, sizeof time, "%s", number_after(h, "time")->text);
            ui_harness_key(h, keys[i], 0);
            for (int k = 0; k < 4000 && h->ui.now->readings.step_count != counts[i]; k++) {
                usleep(2000);
                ui_harness_frame(h);
            }
            ui_harness_settle(h);
            snprintf(wanted, sizeof wanted, "%ld", counts[i]);
            assert_string_equal(number_after(h, "steps")->text, wanted);
            assert_string_not_equal(number_after(h, "time")->text, time);
        }
        assert_string_equal(number_after(h, "time")->text, "0.0005 s");
        assert_null(ui_harness_find(h, "##top", "step")); // h is the step, nothing else
        ui_harness_close(h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(typed_values_take_units),
        cmocka_unit_test(no_digit_is_lost),
        cmocka_unit_test(a_number_means_the_unit_beside_it),
        cmocka_unit_test(escape_closes_and_never_quits),
        cmocka_unit_test(saving_never_overwrites_unasked),
        cmocka_unit_test(tooltips_leave_the_value_alone),
        cmocka_unit_test(the_limit_is_beside_the_red),
        cmocka_unit_test(a_double_click_on_the_red_is_never_unstable),
        cmocka_unit_test(shift_drags_finely),
        cmocka_unit_test(arrows_step_the_slider_under_the_mouse),
        cmocka_unit_test(undo_and_redo),
        cmocka_unit_test(undo_knows_lanes),
        cmocka_unit_test(the_largest_stretch_is_one_click),
        cmocka_unit_test(lists_show_all_of_their_labels),
        cmocka_unit_test(all_keys_are_listed),
        cmocka_unit_test(a_step_is_to_be_seen),
        cmocka_unit_test(a_replay_goes_on_until_one_takes_over),
        cmocka_unit_test(undo_knows_the_past),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
