// Pictures larger than the screen: of the right size, the same in tiles as whole, in a file of
// their own.
#include "apps/screenshot.h"
#include "render/large_picture.h"
#include "render/offscreen.h"
#include "render/png_file.h"

#include "support/hanging_cloth.h"

#include <dirent.h>
#include <glad/gl.h>
#include <png.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { WIDTH = 150, HEIGHT = 110, LARGE_WIDTH = 4 * WIDTH, LARGE_HEIGHT = 4 * HEIGHT };

typedef struct Stage {
    Offscreen *offscreen;
    Renderer *renderer;
    Snapshot cloth;
    Camera camera;
    int tiles;
    char home[1024], folder[64];
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
    stage->cloth = hanging_cloth(17);
    camera_frame(&stage->camera, stage->cloth.centre, stage->cloth.radius,
                 (Viewport){0, 0, WIDTH, HEIGHT});
    strcpy(stage->folder, "/tmp/selvage-shot-XXXXXX");
    assert_non_null(mkdtemp(stage->folder));
    assert_non_null(getcwd(stage->home, sizeof stage->home));
    assert_int_equal(chdir(stage->folder), 0);
    return 0;
}

static int teardown(void **state)
{
    Stage *stage = *state;
    chmod(stage->folder, 0700);
    DIR *directory = opendir(stage->folder);
    for (struct dirent *entry; directory && (entry = readdir(directory));)
        unlinkat(dirfd(directory), entry->d_name, 0);
    if (directory) closedir(directory);
    assert_int_equal(chdir(stage->home), 0);
    rmdir(stage->folder);
    snapshot_finish(&stage->cloth);
    renderer_destroy(stage->renderer);
    offscreen_destroy(stage->offscreen);
    free(stage);
    return 0;
}

static void draw(void *context, Viewport viewport, const RenderTile *tile)
{
    Stage *stage = context;
    stage->tiles++;
    RenderOptions options = {.fabric = FABRIC_LINEN,
                             .detail = DETAIL_WOVEN,
                             .tile = tile,
                             .pixel_scale = 8.0f,
                             .hovered = -1};
    renderer_draw(stage->renderer, &stage->cloth, &stage->camera, viewport, &options);
    assert_int_equal(glGetError(), GL_NO_ERROR);
}

static unsigned char *large(Stage *stage, int largest_tile)
{
    unsigned char *rgb = calloc(3, LARGE_WIDTH * LARGE_HEIGHT);
    assert_non_null(rgb);
    LargePicture picture = {.width = LARGE_WIDTH,
                            .height = LARGE_HEIGHT,
                            .largest_tile = largest_tile,
                            .draw = draw,
                            .context = stage};
    GLint before = 0, after = -1;
    Error error;
    glGetIntegerv(GL_FRAMEBUFFER_BINDING, &before);
    stage->tiles = 0;
    if (large_picture_draw(&picture, rgb, 3 * LARGE_WIDTH, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    glGetIntegerv(GL_FRAMEBUFFER_BINDING, &after);
    assert_int_equal(before, after);
    return rgb;
}

static void test_tiles_make_the_same_picture(void **state)
{
    Stage *stage = *state;
    unsigned char *whole = large(stage, 0);
    assert_int_equal(stage->tiles, 1);
    const int sides[] = {700, 333, 250};
    for (int s = 0; s < 3; s++) {
        unsigned char *parts = large(stage, sides[s]);
        assert_true(stage->tiles >= 4);
        int differing = 0;
        for (int i = 0; i < 3 * LARGE_WIDTH * LARGE_HEIGHT; i++)
            differing += abs(whole[i] - parts[i]) > 12;
        // rounding at the borders of pixels; a seam or a shift would be hundreds
        assert_true(differing < 3 * LARGE_WIDTH * LARGE_HEIGHT / 300);
        free(parts);
    }
    // The right way up and as the camera sees it: the pins are amber.
    Viewport view = {0, 0, LARGE_WIDTH, LARGE_HEIGHT};
    float x, y;
    assert_true(camera_project(&stage->camera, view, stage->cloth.position, &x, &y));
    const unsigned char *pin = whole + 3 * ((int)y * LARGE_WIDTH + (int)x);
    assert_true(abs(pin[0] - 0xff) < 8 && abs(pin[1] - 0xb4) < 8 && abs(pin[2] - 0x54) < 8);
    free(whole);
}

static int files_in(const char *folder)
{
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    int count = -2; // "." and ".."
    while (readdir(directory)) count++;
    closedir(directory);
    return count;
}

static void test_file_has_a_free_name(void **state)
{
    Stage *stage = *state;
    unsigned char *rgb = large(stage, 0);
    char path[4096], wanted[4096];
    Error error;
    FILE *other = fopen("selvage-drape-2.png", "w");
    assert_non_null(other);
    fputs("mine", other);
    fclose(other);
    const int numbers[] = {1, 3, 4};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(png_file_write_new("selvage-drape", LARGE_WIDTH, LARGE_HEIGHT, rgb, path,
                                            sizeof path, &error),
                         STATUS_OK);
        snprintf(wanted, sizeof wanted, "%s/selvage-drape-%d.png", stage->folder, numbers[i]);
        assert_string_equal(path, wanted);
        png_image image = {.version = PNG_IMAGE_VERSION};
        assert_true(png_image_begin_read_from_file(&image, path));
        assert_int_equal(image.width, LARGE_WIDTH);
        assert_int_equal(image.height, LARGE_HEIGHT);
        png_image_free(&image);
    }
    struct stat info;
    assert_int_equal(stat("selvage-drape-2.png", &info), 0);
    assert_int_equal(info.st_size, 4); // never overwritten
    assert_int_equal(files_in(stage->folder), 4);

    // A full disk: a sentence, and no empty or partial file.
    struct rlimit limit, tight;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    tight = limit;
    tight.rlim_cur = 2000;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    Status status = png_file_write_new("selvage-drape", LARGE_WIDTH, LARGE_HEIGHT, rgb, path,
                                       sizeof path, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_int_equal(status, STATUS_FILE);
    assert_non_null(strstr(error.text, "File too large"));
    assert_int_equal(files_in(stage->folder), 4);

    // A folder that is gone.
    char gone[80];
    snprintf(gone, sizeof gone, "%s-gone", stage->folder);
    assert_int_equal(mkdir(gone, 0700), 0);
    assert_int_equal(chdir(gone), 0);
    assert_int_equal(rmdir(gone), 0);
    assert_int_equal(png_file_write_new("a", 4, 4, rgb, path, sizeof path, &error), STATUS_FILE);
    assert_non_null(strstr(error.text, "Cannot write"));
    assert_int_equal(chdir(stage->folder), 0);
    if (geteuid() != 0) { // root may write anywhere
        assert_int_equal(chmod(stage->folder, 0500), 0);
        assert_int_equal(png_file_write_new("a", 4, 4, rgb, path, sizeof path, &error),
                         STATUS_FILE);
        assert_non_null(strstr(error.text, "Permission denied"));
    }
    free(rgb);
}

// In a window that is too small for it.
static void test_a_view_without_room(void **state)
{
    (void)state;
    Ui *ui = calloc(1, sizeof *ui);
    assert_non_null(ui);
    screenshot_view(ui, &(LanePictures){.ratio = 1.0f}, 2);
    assert_non_null(strstr(ui->message, "no room for the view"));
    free(ui);
}

#define STAGED(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STAGED(test_tiles_make_the_same_picture),
        STAGED(test_file_has_a_free_name),
        cmocka_unit_test(test_a_view_without_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
