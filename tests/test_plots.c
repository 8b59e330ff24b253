// Plots: every one can be enlarged, and what is exported is what was drawn.
#include "support/ui_harness.h"

#include "base/file.h"
#include "ui/plot.h"
#include "ui/plot_tape.h"
#include "ui/plots.h"

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

static Scene scene_named(const char *name)
{
    Scene scene;
    Error error;
    if (scene_load(name, &scene, &error) != STATUS_OK) fail_msg("%s", error.text);
    return scene;
}

static bool lab_has_spoken(const UiHarness *h)
{
    return ui_analysis(&h->ui) != NULL;
}

static bool has_run(const UiHarness *h)
{
    return ui_analysis(&h->ui) && h->ui.now->readings.time > 0.2;
}

static void a_click_enlarges_and_closes(void **state)
{
    (void)state;
    Scene scene = scene_named("pair");
    UiHarness *h = ui_harness_open(&scene, false);
    ui_harness_size(h, 1600, 1000, 1.0f);
    ui_harness_wait(h, lab_has_spoken);
    ui_harness_settle(h);
    const LoggedText *axis = ui_harness_find(h, "##readouts", "Y = h² k");
    assert_non_null(axis);
    ImVec2 inside = {axis->rect.x + 40.0f, axis->rect.y + 60.0f};
    for (int round = 0; round < 2; round++) {
        ui_harness_click(h, inside);
        ui_harness_settle(h);
        assert_true(h->ui.plots.shown != PLOT_NONE);
        assert_string_equal(plot_table[h->ui.plots.shown].name, "region");
        assert_non_null(ui_harness_find(h, "##plot", "Y = h² k"));
        assert_true(ui_covers(&h->ui, h->ui.layout.view.x + 50.0f, h->ui.layout.view.y + 50.0f));
        ui_harness_click(h, inside); // the small one is still there
        ui_harness_settle(h);
        assert_int_equal(h->ui.plots.shown, PLOT_NONE);
        assert_null(ui_harness_find(h, "##plot", "Y = h² k"));
    }
    ui_harness_close(h);
}

// Every plot with something to show, at three text sizes, over the cloth and over the window: all
// that is written is in its window or can be scrolled to, and nothing unlogged is drawn.
static int read_plots_of(const Scene *scene)
{
    UiHarness *h = ui_harness_open(scene, true);
    ui_harness_wait(h, has_run);
    assert_true(ui_harness_key(h, GLFW_KEY_P, false));
    int drawn = 0;
    for (int i = 0; i < plot_count; i++) {
        const PlotInfo *info = &plot_table[i];
        h->ui.plots.shown = i;
        for (int size = 0; size < 6; size++) {
            h->ui.plots.whole = size % 2;
            h->ui.light = size == 2;
            ui_harness_size(h, 1600, 1000, (float)(1 + size / 2));
            ui_harness_settle(h);
            assert_non_null(ui_harness_find_part(h, "##plot", info->title));
            if (info->why_not && info->why_not(&h->ui)) continue;
            drawn++;
            for (int t = 0; t < h->log.count; t++) {
                const LoggedText *text = &h->log.items[t];
                if (strcmp(text->window, "##plot") != 0) continue;
                float right = h->ui.plots.whole ? h->width : h->ui.layout.readouts.x;
                if (text->rect.x + text->rect.width > right + 1.0f)
                    fail_msg("%s, %d: '%s' is cut", info->name, size, text->text);
            }
            ImVec2 at;
            const char *window;
            int unlogged = ui_harness_unlogged(h, &at, &window);
            if (unlogged > 0)
                fail_msg("%s, %d: text in %s is not logged: %d, at %.0f, %.0f", info->name, size,
                         window, unlogged, (double)at.x, (double)at.y);
        }
    }
    ui_harness_close(h);
    return drawn;
}

static void every_plot_is_readable(void **state)
{
    (void)state;
    Scene pair = scene_named("pair"), rope = scene_named("rope");
    rope.params.integrator = integrator_find("backward-euler");
    rope.params.filter = 1;
    rope.params.step = 0.002;
    assert_true(read_plots_of(&pair) >= 6 * 6);
    assert_true(read_plots_of(&rope) >= 6 * 8);
}

// ---- files

static void in_a_new_directory(char *path)
{
    strcpy(path, "/tmp/selvage-plots-XXXXXX");
    assert_non_null(mkdtemp(path));
    assert_int_equal(chdir(path), 0);
}

static FileText contents(const char *path)
{
    FileText text;
    Error error;
    if (file_read(path, 64 << 20, &text, &error) != STATUS_OK) fail_msg("%s", error.text);
    return text;
}

// Every tag is closed by its own end, in order.
static void check_is_xml(const char *text)
{
    char open[32][24];
    int depth = 0;
    for (const char *c = strchr(text, '<'); c; c = strchr(c + 1, '<')) {
        const char *end = strchr(c, '>');
        assert_non_null(end);
        char name[24] = "";
        sscanf(c + 1 + (c[1] == '/'), "%23[a-zA-Z]", name);
        assert_true(name[0] != '\0');
        if (c[1] == '/') {
            assert_true(depth > 0);
            assert_string_equal(open[--depth], name);
        } else if (end[-1] != '/') {
            assert_true(depth < 32);
            strcpy(open[depth++], name);
        }
    }
    assert_int_equal(depth, 0);
}

static void exported_files_hold_what_was_drawn(void **state)
{
    (void)state;
    char directory[64];
    Scene scene = scene_named("pair");
    in_a_new_directory(directory);
    UiHarness *h = ui_harness_open(&scene, true);
    ui_harness_wait(h, has_run);
    ui_harness_key(h, GLFW_KEY_SPACE, false);
    plots_toggle(&h->ui, "energy");
    ui_harness_settle(h);
    for (int i = 0; i < 2; i++) {
        plots_export(&h->ui, PLOT_FILE_CSV);
        ui_harness_settle(h);
        plots_export(&h->ui, PLOT_FILE_SVG);
        ui_harness_settle(h);
    }
    assert_non_null(strstr(h->ui.message, directory)); // the full name
    assert_non_null(strstr(h->ui.message, "pair-energy-2.svg"));

    FileText csv = contents("pair-energy.csv"), svg = contents("pair-energy.svg");
    check_is_xml(svg.data);
    assert_non_null(strstr(svg.data, "simulated time (s)"));
    assert_non_null(strstr(svg.data, "kinetic"));
    assert_int_equal(
        strncmp(csv.data, "\"what\",\"simulated time (s)\",\"energy (J)\",\"energy (J), up to\"\n",
                60),
        0);
    // the total of each sample is the sum of the others
    double sums[3] = {0};
    int rows = 0, totals = 0;
    for (char *line = strtok(csv.data, "\n"); line; line = strtok(NULL, "\n"), rows++) {
        char what[32];
        double t, low, high;
        if (sscanf(line, "\"%31[a-z]\",%lf,%lf,%lf", what, &t, &low, &high) != 4) continue;
        assert_true(low <= high);
        if (strcmp(what, "total") == 0)
            sums[1] += low, totals++;
        else
            sums[0] += low;
        sums[2] += fabs(low);
    }
    assert_true(totals > 10 && rows > 4 * totals);
    assert_true(fabs(sums[0] - sums[1]) <= 1e-3 * sums[2]);
    file_text_finish(&csv);
    file_text_finish(&svg);
    ui_harness_close(h);
    const char *const files[] = {"pair-energy.csv", "pair-energy-2.csv", "pair-energy.svg",
                                 "pair-energy-2.svg"};
    for (int i = 0; i < 4; i++) assert_int_equal(remove(files[i]), 0);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(directory), 0);
}

static void a_file_that_cannot_be_written_is_one_sentence(void **state)
{
    (void)state;
    PlotTape tape = {0};
    Error error;
    assert_int_not_equal(tape_write_csv(&tape, "/tmp/nothing.csv", &error), STATUS_OK);
    PlotAxis axis = {.max = 1.0, .label = "s"};
    tape_begin(&tape, &axis, &axis);
    assert_int_not_equal(tape_write_csv(&tape, "/nowhere/at/all.csv", &error), STATUS_OK);
    assert_non_null(strstr(error.text, "/nowhere/at/all.csv cannot be written: "));
    assert_int_not_equal(tape_write_svg(&tape, "t", "/nowhere/at/all.svg", &error), STATUS_OK);
    tape_finish(&tape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_click_enlarges_and_closes),
        cmocka_unit_test(every_plot_is_readable),
        cmocka_unit_test(exported_files_hold_what_was_drawn),
        cmocka_unit_test(a_file_that_cannot_be_written_is_one_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
