// What is kept of the window from frame to frame: real panels over real pictures, without a
// display.
#include "apps/window_canvas.h"
#include "base/clock.h"
#include "render/offscreen.h"
#include "render/row_order.h"
#include "runtime/sim_thread.h"
#include "ui/imgui_versions.h"
#include "ui/plots.h"

#include <glad/gl.h>

#include <cimgui_impl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define PATIENCE 60.0 // s, of a slow machine
enum { WIDTH = 1100, HEIGHT = 700, SETTLE = 4, PIXEL = 4 };

typedef struct Window {
    Offscreen *offscreen;
    Renderer *renderer;
    SimThread *sim;
    Ui ui;
    Camera camera;
    bool framed;
    WindowCanvas canvas;
    unsigned char *shown, *before; // pixels
} Window;

static Window *open_window(int lanes)
{
    Window *w = calloc(1, sizeof *w);
    assert_non_null(w);
    Error error;
    Scene scene = scene_default();
    scene.params.rows = scene.params.columns = 12;
    scene.lane_count = lanes > 1 ? lanes : 0;
    for (int i = 0; i < scene.lane_count; i++) scene.lanes[i] = (Lane){.params = scene.params};
    if (offscreen_create(WIDTH, HEIGHT, &w->offscreen, &error) != STATUS_OK ||
        renderer_create(NULL, &w->renderer, &error) != STATUS_OK ||
        sim_thread_start(&scene, true, NULL, &w->sim, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    w->shown = malloc((size_t)PIXEL * WIDTH * HEIGHT);
    w->before = malloc((size_t)PIXEL * WIDTH * HEIGHT);
    assert_true(w->shown && w->before);
    igCreateContext(NULL);
    ImGuiIO *io = igGetIO_Nil();
    io->IniFilename = NULL;
    io->DeltaTime = 1 / 60.0f;
    io->DisplaySize = (ImVec2){WIDTH, HEIGHT};
    ImGui_ImplOpenGL3_Init("#version 330 core");
    ui_init(&w->ui, w->sim);
    w->ui.em = LANE_TEXT_PIXELS;
    w->ui.palette = theme_palette(false);
    theme_apply(&w->ui.palette, w->ui.em);
    w->ui.fonts = theme_load_fonts(w->ui.em, 1.0f);
    return w;
}

static void close_window(Window *w)
{
    assert_int_equal(glGetError(), GL_NO_ERROR);
    ui_finish(&w->ui);
    window_canvas_finish(&w->canvas);
    ImGui_ImplOpenGL3_Shutdown();
    igDestroyContext(NULL);
    sim_thread_stop(w->sim);
    renderer_destroy(w->renderer);
    offscreen_destroy(w->offscreen);
    free(w->shown);
    free(w->before);
    free(w);
}

// Look at what the simulation has computed since.
static void look(Window *w)
{
    Ui *ui = &w->ui;
    ui->stage = sim_thread_stage(w->sim);
    ui->now = &ui->stage->lanes[ui->stage->selected];
    ui->lab = sim_thread_lab(w->sim);
}

static LanePictures pictures_of(Window *w)
{
    Ui *ui = &w->ui;
    ui_place(ui, WIDTH, HEIGHT);
    if (!w->framed)
        camera_frame(&w->camera, ui->now->centre, ui->now->radius,
                     lane_viewport(ui->lanes[0].view, 1.0f, HEIGHT));
    w->framed = true;
    return (LanePictures){.renderer = w->renderer,
                          .camera = &w->camera,
                          .framebuffer_height = HEIGHT,
                          .ratio = 1.0f,
                          .hovered = -1,
                          .detail = DETAIL_SMOOTH};
}

static void show(Window *w)
{
    window_canvas_show(&w->canvas);
    unsigned char *shown = w->shown;
    w->shown = w->before;
    w->before = shown;
    offscreen_read(w->offscreen, w->shown);
}

// Of the snapshot that was last looked at.
static void draw_whole(Window *w)
{
    LanePictures pictures = pictures_of(w);
    window_canvas_begin(&w->canvas, WIDTH, HEIGHT);
    window_canvas_clear(&w->ui);
    if (!plots_hide_view(&w->ui)) lane_pictures_draw(&w->ui, &pictures);
    ImGui_ImplOpenGL3_NewFrame();
    igNewFrame();
    ui_draw(&w->ui);
    igRender();
    window_canvas_draw_panels(&w->canvas, &w->ui, &pictures);
    show(w);
}

static void settle(Window *w)
{
    for (int i = 0; i < SETTLE; i++) draw_whole(w);
}

static void draw_pictures(Window *w)
{
    LanePictures pictures = pictures_of(w);
    window_canvas_begin(&w->canvas, WIDTH, HEIGHT);
    lane_pictures_draw(&w->ui, &pictures);
    window_canvas_draw_kept(&w->canvas);
    show(w);
}

static bool fits(Window *w)
{
    pictures_of(w);
    return window_canvas_fits(&w->canvas, &w->ui);
}

// Until the cloth has moved on by some hundredths of a second.
static void let_it_move(Window *w)
{
    double until = clock_seconds() + PATIENCE, time = w->ui.stage->time;
    while (look(w), w->ui.stage->time < time + 0.05) {
        if (clock_seconds() > until) fail_msg("the simulation does not move");
        nanosleep(&(struct timespec){0, 2000000}, NULL);
    }
}

// Pixels that differ from those of the frame before, inside and outside of the cloths' pictures.
static void count_changes(const Window *w, int *inside, int *outside)
{
    *inside = *outside = 0;
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++) {
            size_t at = (size_t)PIXEL * (size_t)((HEIGHT - 1 - y) * WIDTH + x);
            if (memcmp(w->shown + at, w->before + at, PIXEL) == 0) continue;
            bool in_picture = false;
            for (int i = 0; i < w->ui.stage->count; i++) {
                Rect v = w->ui.lanes[i].view;
                in_picture |= x >= (int)v.x && y >= (int)v.y && x < (int)v.x + (int)v.width &&
                              y < (int)v.y + (int)v.height;
            }
            *(in_picture ? inside : outside) += 1;
        }
    }
}

// Panels stay to the pixel, and the pictures are what a whole frame would show.
static void check_pictures(Window *w)
{
    int inside, outside;
    assert_true(fits(w));
    let_it_move(w);
    assert_true(fits(w));
    draw_pictures(w);
    count_changes(w, &inside, &outside);
    assert_true(inside > 200);
    assert_int_equal(outside, 0);
    draw_whole(w); // of the same snapshot
    count_changes(w, &inside, &outside);
    assert_int_equal(inside, 0);
    assert_true(outside > 20); // the time goes on
}

static void test_a_frame_of_pictures(void **state)
{
    (void)state;
    for (int lanes = 1; lanes <= 4; lanes += 3) {
        Window *w = open_window(lanes);
        look(w);
        settle(w);
        for (int i = 0; i < 3; i++) check_pictures(w);
        ui_say(&w->ui, "A card over the cloths, with rounded corners.");
        settle(w);
        for (int i = 0; i < 3; i++) check_pictures(w);
        close_window(w);
    }
}

static void test_a_closed_card_leaves_no_trace(void **state)
{
    (void)state;
    int inside, outside;
    Window *w = open_window(1);
    look(w);
    settle(w);
    ui_say(&w->ui, "A card over the cloth.");
    settle(w);
    draw_pictures(w);
    w->ui.message_until = 0.0;
    assert_false(fits(w));
    settle(w);
    window_canvas_finish(&w->canvas); // a fresh one
    draw_whole(w);
    count_changes(w, &inside, &outside);
    assert_int_equal(inside, 0);
    assert_int_equal(outside, 0);
    draw_pictures(w);
    count_changes(w, &inside, &outside);
    assert_int_equal(inside + outside, 0);
    close_window(w);
}

static void test_what_needs_a_whole_frame(void **state)
{
    (void)state;
    Window *w = open_window(1);
    Ui *ui = &w->ui;
    look(w);
    assert_false(fits(w)); // nothing was drawn yet
    settle(w);
    assert_true(fits(w));

    ui->light = true;
    assert_false(fits(w));
    ui->light = false;
    ui->em += 1.0f;
    assert_false(fits(w));
    ui->em -= 1.0f;
    ui_say(ui, "A message.");
    assert_false(fits(w));
    settle(w);
    assert_true(fits(w));
    ui->video.on = true;
    assert_false(fits(w));
    ui->video.on = false;
    ui->wish.readouts = false;
    assert_false(fits(w)); // the view is wider
    ui->wish.readouts = true;
    ui->torn[0] = 3;
    assert_false(fits(w));
    ui->torn[0] = 0;
    assert_true(fits(w));

    plots_toggle_whole(ui);
    settle(w);
    assert_false(fits(w));
    plots_close(ui);
    settle(w);
    assert_true(fits(w));

    window_canvas_begin(&w->canvas, WIDTH - 10, HEIGHT); // resized
    assert_false(fits(w));
    window_canvas_show(&w->canvas);
    settle(w);
    assert_true(fits(w));

    ui_send(ui, (Command){.kind = COMMAND_PAUSE});
    double until = clock_seconds() + PATIENCE;
    while (look(w), ui->now->running) assert_true(clock_seconds() < until);
    assert_false(fits(w));
    settle(w);
    assert_false(fits(w)); // what rests is drawn whole
    close_window(w);
}

// The canvas follows the order of rows of the framebuffer that stands for the window. The smooth
// edges and a resting ground are copied as well.
static void test_the_order_of_rows_does_not_show(void **state)
{
    (void)state;
    Window *w = open_window(1);
    look(w);
    settle(w);
    if (!row_order_can_be_window()) {
        close_window(w);
        skip();
    }
    assert_false(row_order_is_window());
    assert_true(row_order_set_window());
    assert_true(row_order_is_window());
    window_canvas_finish(&w->canvas);
    unsigned char *before = malloc((size_t)PIXEL * WIDTH * HEIGHT);
    assert_non_null(before);
    memcpy(before, w->shown, (size_t)PIXEL * WIDTH * HEIGHT);
    settle(w);
    int changed = 0;
    for (int i = 0; i < PIXEL * WIDTH * HEIGHT; i++) changed += abs(before[i] - w->shown[i]) > 4;
    assert_in_range(changed, 0, WIDTH * HEIGHT / 1000);
    free(before);
    close_window(w);
}

static void test_canvas_without_a_driver_for_it(void **state)
{
    (void)state;
    Window *w = open_window(1);
    GLint before = 0, after = 0;
    Canvas canvas = {0};
    glGetIntegerv(GL_FRAMEBUFFER_BINDING, &before);
    const int sizes[][2] = {{0, 100}, {100, 0}, {1 << 20, 100}, {-1, -1}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (int again = 0; again < 2; again++) {
            assert_false(canvas_begin(&canvas, sizes[i][0], sizes[i][1]));
            glGetIntegerv(GL_FRAMEBUFFER_BINDING, &after);
            assert_int_equal(after, before); // everything goes straight to the window
            canvas_show(&canvas);
        }
    }
    assert_false(canvas_begin(&canvas, 100, 100)); // new
    glGetIntegerv(GL_FRAMEBUFFER_BINDING, &after);
    assert_int_not_equal(after, before);
    canvas_show(&canvas);
    assert_true(canvas_begin(&canvas, 100, 100)); // kept
    canvas_show(&canvas);
    glGetIntegerv(GL_FRAMEBUFFER_BINDING, &after);
    assert_int_equal(after, before);
    canvas_finish(&canvas);
    close_window(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_frame_of_pictures),
        cmocka_unit_test(test_a_closed_card_leaves_no_trace),
        cmocka_unit_test(test_what_needs_a_whole_frame),
        cmocka_unit_test(test_the_order_of_rows_does_not_show),
        cmocka_unit_test(test_canvas_without_a_driver_for_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
