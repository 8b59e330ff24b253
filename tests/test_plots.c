// Plots: every one can be enlarged, and what is exported is what was drawn.
#include "support/ui_harness.h"

#include "base/file.h"
#include "lesson/formula_syntax.h"
#include "simulation/simulation.h"
#include "stability/filter_symbol.h"
#include "ui/plot.h"
#include "ui/plot_tape.h"
#include "ui/plots.h"
#include "ui/wave_spectrum.h"

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

static void every_formula_can_be_read(void **state)
{
    (void)state;
    for (int i = 0; i < plot_count; i++) {
        Formula formula;
        Error error;
        if (plot_table[i].formula &&
            formula_parse(plot_table[i].formula, &formula, &error) != STATUS_OK)
            fail_msg("%s: %s", plot_table[i].name, error.text);
    }
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

// ---- the map

static bool map_is_complete(const UiHarness *h)
{
    return h->ui.lab->has_map && h->ui.lab->map.complete;
}

static bool has_fixed_step(const UiHarness *h)
{
    const Params *params = &h->ui.now->scene.params;
    return params->step != PARAM_WORD && params->stretch != 400.0;
}

// A click on the map takes both values, and the map stays where it is.
static void a_click_on_the_map_goes_there(void **state)
{
    (void)state;
    Scene scene = scene_named("pair");
    UiHarness *h = ui_harness_open(&scene, false);
    ui_harness_size(h, 1600, 1000, 1.0f);
    ui_harness_wait(h, lab_has_spoken);
    plots_toggle(&h->ui, "map");
    ui_harness_wait(h, map_is_complete);
    MapRequest request = h->ui.lab->map.request;
    Rect view = h->ui.layout.view;
    ImVec2 at = {view.x + 0.4f * view.width, view.y + 0.7f * view.height};
    ui_harness_move(h, at);
    ui_harness_settle(h);
    const LoggedText *text = ui_harness_find_part(h, NULL, "Click: go there.");
    if (!text) text = ui_harness_find_part(h, NULL, "stable");
    assert_non_null(text);
    ui_harness_click(h, at);
    ui_harness_wait(h, has_fixed_step);
    const Params *params = &h->ui.now->scene.params;
    assert_true(params->step > request.x.min && params->step < request.x.max);
    assert_true(params->stretch > request.y.min && params->stretch < request.y.max);
    ui_harness_settle(h);
    assert_true(map_request_same(&h->ui.lab->map.request, &request));
    // the verdict of the cell is that of the limit now in use
    const StabilityMap *map = &h->ui.lab->map;
    int column =
        (int)(MAP_COLUMNS * log(params->step / request.x.min) / log(request.x.max / request.x.min));
    int row =
        (int)(MAP_ROWS * log(params->stretch / request.y.min) / log(request.y.max / request.y.min));
    double ratio = params->step / h->ui.now->readings.limit.step;
    if (fabs(log(ratio)) > 0.1)
        assert_int_equal(map->cell[row][column], ratio < 1.0 ? POINT_STABLE : POINT_UNSTABLE);
    ui_harness_close(h);
}

// ---- spectra

static int largest_of(const float *values, int count)
{
    int best = 0;
    for (int i = 1; i < count; i++) {
        if (values[i] > values[best]) best = i;
    }
    return best;
}

// A wave of known length and direction has its peak where it must, as large as it is.
static void a_wave_has_its_peak_in_its_place(void **state)
{
    (void)state;
    enum { ROWS = 24, COLUMNS = 31 };
    const int waves[][2] = {{0, 0}, {3, 0}, {0, 5}, {7, 9}, {-4, 11}, {11, 15}};
    float field[3 * ROWS * COLUMNS], out[ROWS * COLUMNS];
    WaveSpectrum *spectrum = wave_spectrum_create(ROWS, COLUMNS);
    assert_non_null(spectrum);
    for (size_t w = 0; w < sizeof waves / sizeof waves[0]; w++) {
        double amplitude = 0.25 * (double)(w + 1);
        for (int i = 0; i < ROWS * COLUMNS; i++) {
            double phase = 2.0 * acos(-1.0) *
                           (waves[w][0] * (i / COLUMNS) / (double)ROWS +
                            waves[w][1] * (i % COLUMNS) / (double)COLUMNS);
            // round and round: of one component alone, half of it runs the other way
            field[3 * i] = (float)(amplitude * cos(phase));
            field[3 * i + 1] = (float)(amplitude * sin(phase));
            field[3 * i + 2] = 0.0f;
        }
        wave_spectrum_compute(spectrum, field, out);
        int peak = largest_of(out, ROWS * COLUMNS);
        int row = peak / COLUMNS - ROWS / 2, column = peak % COLUMNS - COLUMNS / 2;
        bool here = row == waves[w][0] && column == waves[w][1];
        bool opposite = row == -waves[w][0] && column == -waves[w][1]; // the same wave
        assert_true(here || opposite);
        double expected = w == 0 ? amplitude : amplitude / sqrt(2.0);
        assert_true(fabs((double)out[peak] - expected) < 1e-3 * expected);
        // and nothing three waves further
        for (int i = 0; i < ROWS * COLUMNS; i++) {
            int r = i / COLUMNS - ROWS / 2, c = i % COLUMNS - COLUMNS / 2;
            bool near = false;
            for (int side = -1; side <= 1; side += 2) {
                int dr = abs(r - side * waves[w][0]), dc = abs(c - side * waves[w][1]);
                if (dr > ROWS / 2) dr = ROWS - dr;
                if (dc > COLUMNS / 2) dc = COLUMNS - dc;
                near |= dr < 3 && dc < 3;
            }
            if (!near) assert_true((double)out[i] < 1e-5);
        }
    }
    wave_spectrum_destroy(spectrum);
}

// What the snapshot has as "before" becomes "after" by the filter's symbol, wave by wave.
static void the_filter_is_seen_in_the_spectrum(void **state)
{
    (void)state;
    enum { SIDE = 32 };
    Scene scene = scene_default();
    scene.pins = 0;
    scene.params.rows = scene.params.columns = SIDE;
    scene.params.filter = 1;
    scene.params.lambda = 1.2;
    scene.params.step = 2e-4;
    Simulation *simulation;
    assert_int_equal(simulation_create(&scene, &simulation, NULL), STATUS_OK);
    float shape[3 * SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++) { // noise: every wave is in it
        for (int a = 0; a < 3; a++) shape[3 * i + a] = (float)(sin(7919.0 * (3 * i + a + 1)));
    }
    Command excite = {.kind = COMMAND_EXCITE, .excite = {shape, SIDE * SIDE, 0.5}};
    assert_int_equal(simulation_apply(simulation, &excite, NULL), STATUS_OK);
    assert_int_equal(simulation_step(simulation, NULL), STATUS_OK);
    Snapshot now = {0};
    assert_int_equal(simulation_fill_snapshot(simulation, &now, NULL), STATUS_OK);
    assert_true(now.has_unfiltered);
    WaveSpectrum *spectrum = wave_spectrum_create(SIDE, SIDE);
    float before[SIDE * SIDE], after[SIDE * SIDE];
    wave_spectrum_compute(spectrum, now.unfiltered, before);
    wave_spectrum_compute(spectrum, now.velocity, after);
    FilterSymbol symbol = filter_symbol_of(false, 1.2, false, false);
    double squares[2] = {0};
    for (int i = 0; i < SIDE * SIDE; i++) {
        double p = 2.0 * acos(-1.0) * (i % SIDE - SIDE / 2) / SIDE;
        double q = 2.0 * acos(-1.0) * (i / SIDE - SIDE / 2) / SIDE;
        double f = filter_symbol_at(&symbol, p, q), expected = f * (double)before[i];
        squares[0] += ((double)after[i] - expected) * ((double)after[i] - expected);
        squares[1] += (double)before[i] * (double)before[i];
    }
    // the window and the borders mix neighbouring waves a little
    assert_true(squares[0] < 0.01 * squares[1]);
    snapshot_finish(&now);
    wave_spectrum_destroy(spectrum);
    simulation_destroy(simulation);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_click_enlarges_and_closes),
        cmocka_unit_test(every_formula_can_be_read),
        cmocka_unit_test(every_plot_is_readable),
        cmocka_unit_test(exported_files_hold_what_was_drawn),
        cmocka_unit_test(a_file_that_cannot_be_written_is_one_sentence),
        cmocka_unit_test(a_click_on_the_map_goes_there),
        cmocka_unit_test(a_wave_has_its_peak_in_its_place),
        cmocka_unit_test(the_filter_is_seen_in_the_spectrum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
