// Colour on the cloth means what the colour bar says; a torn cloth does not fill the view; a mode
// swings as far as can be seen.
#include "base/colour_map.h"
#include "render/cloth_colour.h"
#include "render/offscreen.h"
#include "render/renderer.h"
#include "ui/colour_view.h"
#include "ui/mode_view.h"

#include "support/hanging_cloth.h"
#include "support/ui_harness.h"

#include <glad/gl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WIDTH = 400, HEIGHT = 300, ROWS = 17, COUNT = ROWS * ROWS, MIDDLE = COUNT / 2 };
static const Viewport WHOLE = {0, 0, WIDTH, HEIGHT};

static void assert_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance)) fail_msg("%g is not %g", a, b);
}

static void test_values_are_the_snapshots(void **state)
{
    (void)state;
    Snapshot cloth = hanging_cloth(ROWS);
    float values[COUNT];
    for (int i = 0; i < 3 * COUNT; i++) cloth.velocity[i] = 0.01f * (float)(i % 7);
    float *v = cloth.velocity + 3 * MIDDLE;
    v[0] = 3.0f, v[1] = 0.0f, v[2] = -4.0f;
    assert_near(colour_values(COLOUR_SPEED, &cloth, NULL, values), 5.0, 1e-6);
    assert_near(values[MIDDLE], 5.0, 1e-6);
    assert_near(values[0], hypot(0.01, 0.02), 1e-6);
    assert_near(colour_values(COLOUR_ENERGY, &cloth, NULL, values),
                12.5 * cloth.scene.params.density, 1e-4);
    cloth.distance[3] = 0.25f;
    assert_near(colour_values(COLOUR_ERROR, &cloth, NULL, values), 0.25, 1e-6);
    assert_near(values[3], 0.25, 1e-6);

    // One spring is a tenth longer than at rest, another a fifth shorter.
    for (int i = 0; i < cloth.spring_count; i++) {
        const float *a = cloth.position + 3 * cloth.springs[2 * i];
        const float *b = cloth.position + 3 * cloth.springs[2 * i + 1];
        cloth.rest_length[i] = hypotf(hypotf(b[0] - a[0], b[1] - a[1]), b[2] - a[2]);
    }
    cloth.rest_length[0] /= 1.1f;
    cloth.rest_length[40] /= 0.8f;
    assert_near(colour_values(COLOUR_STRAIN, &cloth, NULL, values), 20.0, 1e-3);
    assert_near(values[cloth.springs[0]], 10.0, 1e-3);
    assert_near(values[cloth.springs[81]], -20.0, 1e-3);

    float shape[3 * COUNT] = {0};
    shape[3 * MIDDLE] = 0.3f, shape[3 * MIDDLE + 1] = 0.4f, shape[1] = 0.25f;
    assert_near(colour_values(COLOUR_MODE, &cloth, shape, values), 1.0, 1e-6);
    assert_near(values[0], 0.5, 1e-6);

    // What is not finite is off the scale and does not stretch it.
    v[0] = NAN;
    cloth.velocity[0] = INFINITY;
    float most = colour_values(COLOUR_SPEED, &cloth, NULL, values);
    assert_true(most < 1.0f && isinf(values[MIDDLE]) && isinf(values[0]));
    snapshot_finish(&cloth);
}

static void test_scale_is_round_and_holds_still(void **state)
{
    (void)state;
    assert_near(colour_scale(COLOUR_SPEED, 0.7f, 0.0f), 1.0, 1e-6);
    assert_near(colour_scale(COLOUR_SPEED, 1.4f, 0.0f), 2.0, 1e-6);
    assert_near(colour_scale(COLOUR_SPEED, 32.0f, 0.0f), 50.0, 1e-4);
    assert_near(colour_scale(COLOUR_SPEED, 0.7f, 2.0f), 2.0, 1e-6); // large enough
    assert_near(colour_scale(COLOUR_SPEED, 0.1f, 2.0f), 0.1, 1e-6); // far too large
    assert_near(colour_scale(COLOUR_SPEED, 2.1f, 2.0f), 5.0, 1e-6);
    assert_near(colour_scale(COLOUR_SPEED, 0.0f, 0.0f), 1e-3, 1e-9); // rest
    assert_near(colour_scale(COLOUR_MODE, 0.3f, 0.0f), 1.0, 1e-6);
    float rgb[3];
    colour_map_signed(-1.0f, rgb);
    assert_true(rgb[2] > rgb[0] + 0.4f);
    colour_map_signed(1.0f, rgb);
    assert_true(rgb[0] > rgb[2] + 0.4f);
    colour_map_signed(0.0f, rgb);
    assert_true(fabsf(rgb[0] - rgb[2]) < 0.1f);
    for (int i = COLOUR_MODE; i < COLOURS; i++) {
        const ColourInfo *info = colour_info((ColourBy)i);
        assert_true(info->name[0] && info->label[0] && info->help[0]);
        assert_true(info->unit[0] || i == COLOUR_MODE);
    }
}

typedef struct Stage {
    Offscreen *offscreen;
    Renderer *renderer;
    Snapshot cloth;
    Camera camera;
    unsigned char pixels[WIDTH * HEIGHT * 4];
} Stage;

static int setup(void **state)
{
    Stage *stage = calloc(1, sizeof *stage);
    assert_non_null(stage);
    *state = stage;
    Error error = {0};
    if (offscreen_create(WIDTH, HEIGHT, &stage->offscreen, &error) != STATUS_OK ||
        renderer_create(NULL, &stage->renderer, &error) != STATUS_OK) {
        fail_msg("%s", error.text);
    }
    stage->cloth = hanging_cloth(ROWS);
    camera_frame(&stage->camera, stage->cloth.centre, stage->cloth.radius, WHOLE);
    return 0;
}

static int teardown(void **state)
{
    Stage *stage = *state;
    snapshot_finish(&stage->cloth);
    renderer_destroy(stage->renderer);
    offscreen_destroy(stage->offscreen);
    free(stage);
    return 0;
}

static void draw(Stage *stage, RenderOptions options)
{
    options.pixel_scale = 1.0f;
    options.hovered = -1;
    renderer_draw(stage->renderer, &stage->cloth, &stage->camera, WHOLE, &options);
    assert_int_equal(glGetError(), GL_NO_ERROR);
    offscreen_read(stage->offscreen, stage->pixels);
}

static void test_cloth_has_the_bars_colours(void **state)
{
    Stage *stage = *state;
    float values[COUNT], rgb[3 * COUNT], x, y;
    for (int i = 0; i < COUNT; i++) stage->cloth.velocity[3 * i + 1] = 1.5f;
    const ColourBy shown[] = {COLOUR_SPEED, COLOUR_ENERGY, COLOUR_VELOCITY};
    for (size_t s = 0; s < sizeof shown / sizeof shown[0]; s++) {
        float most = colour_values(shown[s], &stage->cloth, NULL, values);
        float scale = colour_scale(shown[s], most, 0.0f);
        colour_particles(shown[s], &stage->cloth, values, scale, rgb);
        draw(stage,
             (RenderOptions){
                 .rgb = rgb, .fabric = FABRIC_WOOL, .detail = DETAIL_SMOOTH, .light = s % 2});
        assert_true(
            camera_project(&stage->camera, WHOLE, stage->cloth.position + 3 * MIDDLE, &x, &y));
        const unsigned char *p = stage->pixels + 4 * ((HEIGHT - 1 - (int)y) * WIDTH + (int)x);
        float wanted[3];
        if (shown[s] == COLOUR_VELOCITY)
            colour_of_velocity(stage->cloth.velocity + 3 * MIDDLE, scale, wanted);
        else
            colour_of_value(shown[s], values[MIDDLE], scale, wanted);
        for (int k = 0; k < 3; k++) assert_near(p[k], 255.0 * (double)wanted[k], 30.0);
    }
}

static int red_pixels(const Stage *stage)
{
    int count = 0;
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        const unsigned char *p = stage->pixels + 4 * i;
        count += p[0] > 90 && p[0] > 3 * p[2] / 2;
    }
    return count;
}

static void test_torn_triangles_are_left_out(void **state)
{
    Stage *stage = *state;
    int triangles, torn;
    draw(stage, (RenderOptions){0});
    int whole = red_pixels(stage);
    renderer_torn(stage->renderer, 0, &triangles, &torn);
    assert_int_equal(triangles, stage->cloth.triangle_count);
    assert_int_equal(torn, 0);

    // One particle far to the side: only its own triangles are missing.
    float *p = stage->cloth.position + 3 * MIDDLE, x = p[0];
    p[0] = 60.0f;
    draw(stage, (RenderOptions){0});
    renderer_torn(stage->renderer, 0, &triangles, &torn);
    assert_in_range(torn, 4, 8);
    assert_true(red_pixels(stage) < whole && red_pixels(stage) > 9 * whole / 10);

    // Stretched, but still a cloth.
    p[0] = x + 5.0f * stage->cloth.spacing;
    draw(stage, (RenderOptions){0});
    renderer_torn(stage->renderer, 0, &triangles, &torn);
    assert_int_equal(torn, 0);

    // All of it in pieces, and whole again.
    float *kept = malloc(3 * COUNT * sizeof *kept);
    assert_non_null(kept);
    p[0] = x;
    memcpy(kept, stage->cloth.position, 3 * COUNT * sizeof *kept);
    for (int i = 0; i < 3 * COUNT; i++)
        stage->cloth.position[i] += i % 2 ? 400.0f : -300.0f * (float)i;
    for (int style = SURFACE_CLOTH; style <= SURFACE_WIREFRAME; style++)
        draw(stage, (RenderOptions){.surface = (SurfaceStyle)style});
    renderer_torn(stage->renderer, 0, &triangles, &torn);
    assert_int_equal(torn, triangles);
    assert_true(red_pixels(stage) < 100);
    memcpy(stage->cloth.position, kept, 3 * COUNT * sizeof *kept);
    draw(stage, (RenderOptions){0});
    assert_int_equal(red_pixels(stage), whole);
    free(kept);
}

static void test_swing_is_seen_and_tears_nothing(void **state)
{
    (void)state;
    Snapshot cloth = hanging_cloth(ROWS);
    float shape[3 * COUNT] = {0};
    for (int i = 0; i < COUNT; i++) shape[3 * i] = (i % 2) ? 1.0f : -1.0f; // neighbours opposed
    double amplitude = mode_view_amplitude(cloth.position, cloth.springs, cloth.rest_length,
                                           cloth.spring_count, shape, 0.5);
    assert_true(amplitude > 0.1 * (double)cloth.spacing && amplitude < 0.5 * (double)cloth.spacing);
    for (int i = 0; i < COUNT; i++) shape[3 * i] = 0.0f, shape[3 * i + 2] = 1.0f; // across
    amplitude = mode_view_amplitude(cloth.position, cloth.springs, cloth.rest_length,
                                    cloth.spring_count, shape, 0.07);
    assert_near(amplitude, 0.07, 1e-9);
    snapshot_finish(&cloth);
}

static bool has_modes(const UiHarness *h)
{
    const Analysis *a = ui_analysis(&h->ui);
    return a && a->mode_count > 0 && ui_harness_find(h, NULL, "softest");
}

static bool is_paused(const UiHarness *h)
{
    return !h->ui.now->running;
}

static void test_panel_shows_bars_and_swings(void **state)
{
    (void)state;
    Scene scene = scene_default();
    scene.params.rows = scene.params.columns = 8;
    UiHarness *h = ui_harness_open(&scene, true);
    ui_harness_size(h, 1600, 1000, 1.0f);
    ui_harness_wait(h, has_modes);
    assert_null(ui_harness_find(h, NULL, "growing")); // nothing grows
    assert_null(ui_harness_find(h, "##colours", NULL));

    for (int by = COLOUR_STRAIN; by <= COLOUR_ENERGY; by++) {
        h->ui.colours.chosen = (ColourBy)by;
        colour_view_update(&h->ui);
        assert_int_equal(h->ui.colours.shown, by);
        float values[64], most = colour_values((ColourBy)by, h->ui.now, NULL, values);
        assert_true(h->ui.colours.scale >= most);
        char end[48];
        snprintf(end, sizeof end, "%g %s", (double)h->ui.colours.scale,
                 colour_info((ColourBy)by)->unit);
        ui_harness_frame(h);
        assert_non_null(ui_harness_find(h, "##colours", colour_info((ColourBy)by)->label));
        const LoggedText *number = ui_harness_find(h, "##colours", end);
        if (!number) fail_msg("no %s", end);
        assert_true(ui_harness_is_whole(h, number));
    }
    h->ui.colours.chosen = COLOUR_FABRIC;
    colour_view_update(&h->ui);
    ui_harness_frame(h);
    assert_null(ui_harness_find(h, "##colours", NULL));

    // A mode swings about the paused cloth, and running ends it.
    h->ui.shown_mode = 0;
    ui_harness_settle(h);
    ui_harness_click(h, ui_harness_middle(ui_harness_find(h, NULL, "let it swing")->rect));
    assert_true(h->ui.swing.on);
    ui_harness_wait(h, is_paused);
    double quarter = h->ui.swing.start + 0.25 / 0.6;
    const float *moved = mode_view_positions(&h->ui, quarter);
    assert_non_null(moved);
    double most = 0.0;
    for (int i = 0; i < 3 * 64; i += 3) {
        double d[3];
        for (int k = 0; k < 3; k++) d[k] = (double)(moved[i + k] - h->ui.now->position[i + k]);
        most = fmax(most, hypot(hypot(d[0], d[1]), d[2]));
    }
    assert_near(most, h->ui.swing.amplitude, 1e-3 * most);
    assert_true(most > 0.005);
    ui_harness_settle(h);
    assert_non_null(ui_harness_find_part(h, "##swing", "Hz, slowed"));
    ui_send(&h->ui, (Command){.kind = COMMAND_RUN});
    while (h->ui.swing.on) {
        ui_harness_frame(h);
        mode_view_positions(&h->ui, h->ui.swing.start + 5.0);
    }
    ui_harness_settle(h);
    const LoggedText *kick = ui_harness_find_part(h, NULL, "kick it by");
    assert_non_null(kick);
    ui_harness_click(h, ui_harness_middle(kick->rect));
    assert_non_null(strstr(h->ui.message, "Kicked"));
    assert_non_null(strstr(h->ui.message, "Hz"));
    ui_harness_close(h);
}

#define STAGED(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_are_the_snapshots),
        cmocka_unit_test(test_scale_is_round_and_holds_still),
        STAGED(test_cloth_has_the_bars_colours),
        STAGED(test_torn_triangles_are_left_out),
        cmocka_unit_test(test_swing_is_seen_and_tears_nothing),
        cmocka_unit_test(test_panel_shows_bars_and_swings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
