// Pictures of the view have what belongs to them: the strips of lanes and the bar of colours.
#include "apps/screenshot.h"
#include "render/offscreen.h"
#include "support/ui_harness.h"

#include <cimgui_impl.h>
#include <glad/gl.h>
#include <png.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { SCALE = 2 };

typedef struct Picture {
    int width, height;
    unsigned char *rgb;
} Picture;

static Picture read_picture(const char *path)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&image, path));
    image.format = PNG_FORMAT_RGB;
    Picture picture = {(int)image.width, (int)image.height, malloc(PNG_IMAGE_SIZE(image))};
    assert_non_null(picture.rgb);
    assert_true(png_image_finish_read(&image, NULL, picture.rgb, 0, NULL));
    return picture;
}

// How many pixels of a place in the window are of this colour, nearly.
static int count_pixels(const UiHarness *h, const Picture *picture, Rect place, ImU32 colour)
{
    int count = 0;
    float left = SCALE * (place.x - h->ui.layout.view.x);
    float top = SCALE * (place.y - h->ui.layout.view.y);
    for (int y = (int)top; y < (int)(top + SCALE * place.height) && y < picture->height; y++) {
        for (int x = (int)left; x < (int)(left + SCALE * place.width) && x < picture->width; x++) {
            const unsigned char *p =
                picture->rgb + 3 * ((size_t)y * (size_t)picture->width + (size_t)x);
            bool same = true;
            for (int k = 0; k < 3; k++) same &= abs(p[k] - (int)(colour >> 8 * k & 0xff)) < 24;
            count += same;
        }
    }
    return count;
}

static void expect_word(const UiHarness *h, const Picture *picture, const char *window)
{
    const LoggedText *word = ui_harness_find(h, window, NULL);
    assert_non_null(word);
    int ink = count_pixels(h, picture, word->rect, h->ui.palette.text) +
              count_pixels(h, picture, word->rect, h->ui.palette.dim);
    Rect before = {word->rect.x - 4.0f, word->rect.y, 3.0f, word->rect.height};
    if (ink < 20) fail_msg("%s: no \"%s\" at its place", window, word->text);
    assert_int_equal(count_pixels(h, picture, before, h->ui.palette.text), 0);
}

static void look(UiHarness *h, const LanePictures *pictures)
{
    ui_harness_settle(h);
    lane_pictures_draw(&h->ui, pictures); // colours have a bar once they were drawn
    ui_harness_settle(h);
}

static void a_picture_of_the_view_has_its_labels(void **state)
{
    (void)state;
    Scene scene;
    Error error;
    Offscreen *offscreen = NULL;
    Renderer *renderer = NULL;
    Camera camera;
    char folder[] = "/tmp/selvage-labels-XXXXXX", home[4096];
    assert_non_null(getcwd(home, sizeof home));
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    if (offscreen_create(64, 64, &offscreen, &error) != STATUS_OK ||
        renderer_create(NULL, &renderer, &error) != STATUS_OK ||
        scene_load("drape", &scene, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    scene.params.rows = scene.params.columns = 5;
    assert_int_equal(lane_parse("integrator=rk4", &scene.lanes[0], &error), STATUS_OK);
    assert_int_equal(lane_parse("integrator=leu", &scene.lanes[1], &error), STATUS_OK);
    scene.lane_count = 2;
    UiHarness *h = ui_harness_open(&scene, false);
    ImGui_ImplOpenGL3_Init("#version 330 core");
    ImGui_ImplOpenGL3_NewFrame();
    h->ui.colours.chosen = COLOUR_SPEED;
    ui_harness_frame(h);
    camera_frame(&camera, h->ui.now->centre, h->ui.now->radius, (Viewport){0, 0, 300, 300});
    LanePictures pictures = {.renderer = renderer,
                             .camera = &camera,
                             .framebuffer_height = 800,
                             .ratio = 1.0f,
                             .hovered_lane = -1,
                             .hovered = -1};
    look(h, &pictures);
    screenshot_view(&h->ui, &pictures, SCALE);
    assert_int_equal(glGetError(), GL_NO_ERROR);

    Picture picture = read_picture("selvage-drape-1.png");
    assert_int_equal(picture.width, (int)(SCALE * h->ui.layout.view.width));
    for (int i = 0; i < 2; i++) {
        char window[24];
        snprintf(window, sizeof window, "##strip%d", i);
        Rect line = h->ui.lanes[i].strip;
        line.height = 1.0f;
        ImU32 colour = theme_lane_colour(&h->ui.palette, i);
        assert_true(count_pixels(h, &picture, line, colour) > (int)(1.5f * SCALE * line.width));
        expect_word(h, &picture, window);
    }
    expect_word(h, &picture, "##colours");
    free(picture.rgb);

    assert_int_equal(unlink("selvage-drape-1.png"), 0);
    assert_int_equal(chdir(home), 0);
    rmdir(folder);
    ImGui_ImplOpenGL3_Shutdown();
    ui_harness_close(h);
    renderer_destroy(renderer);
    offscreen_destroy(offscreen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_picture_of_the_view_has_its_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
