// Pictures drawn without a display: what must be visible is visible, and nothing else changes.
#include "base/colour_map.h"
#include "embedded.h"
#include "render/cloth_mesh.h"
#include "render/offscreen.h"
#include "render/picture.h"
#include "render/renderer.h"

#include "support/hanging_cloth.h"

#include <dirent.h>
#include <glad/gl.h>
#include <math.h>
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
#include <unistd.h>

#include <cmocka.h>

enum { WIDTH = 400, HEIGHT = 300, ROWS = 17, MIDDLE = ROWS * ROWS / 2 };
static const Viewport WHOLE = {0, 0, WIDTH, HEIGHT};
static const RenderOptions PLAIN = {.pixel_scale = 1.0f, .hovered = -1};

typedef struct Stage {
    Offscreen *offscreen;
    Renderer *renderer;
    Snapshot cloth;
    Camera camera;
    char directory[64];                       // for shaders and pictures
    unsigned char pixels[WIDTH * HEIGHT * 4]; // rows from the bottom
} Stage;

static void assert_ok(Status status, const Error *error)
{
    if (status != STATUS_OK) fail_msg("%s", error->text);
}

static int setup(void **state)
{
    Stage *stage = calloc(1, sizeof *stage);
    assert_non_null(stage);
    *state = stage;
    Error error = {0};
    assert_ok(offscreen_create(WIDTH, HEIGHT, &stage->offscreen, &error), &error);
    assert_ok(renderer_create(NULL, &stage->renderer, &error), &error);
    stage->cloth = hanging_cloth(ROWS);
    camera_frame(&stage->camera, stage->cloth.centre, stage->cloth.radius, WHOLE);
    strcpy(stage->directory, "/tmp/selvage-render-XXXXXX");
    assert_non_null(mkdtemp(stage->directory));
    return 0;
}

// Number of entries in the stage's directory.
static int file_count(const Stage *stage)
{
    DIR *directory = opendir(stage->directory);
    assert_non_null(directory);
    int count = -2; // "." and ".."
    while (readdir(directory)) count++;
    closedir(directory);
    return count;
}

static int teardown(void **state)
{
    Stage *stage = *state;
    DIR *directory = opendir(stage->directory);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        unlinkat(dirfd(directory), entry->d_name, 0);
    }
    if (directory) closedir(directory);
    rmdir(stage->directory);
    snapshot_finish(&stage->cloth);
    renderer_destroy(stage->renderer);
    offscreen_destroy(stage->offscreen);
    free(stage);
    return 0;
}

static void draw(Stage *stage, const Snapshot *snapshot, RenderOptions options)
{
    renderer_draw(stage->renderer, snapshot, &stage->camera, WHOLE, &options);
    assert_int_equal(glGetError(), GL_NO_ERROR);
    offscreen_read(stage->offscreen, stage->pixels);
}

// x right and y down, from the top left corner.
static const unsigned char *pixel(const Stage *stage, int x, int y)
{
    assert_true(x >= 0 && x < WIDTH && y >= 0 && y < HEIGHT);
    return stage->pixels + 4 * ((size_t)(HEIGHT - 1 - y) * WIDTH + (size_t)x);
}

static const unsigned char *pixel_of(const Stage *stage, const float point[3])
{
    float x, y;
    assert_true(camera_project(&stage->camera, WHOLE, point, &x, &y));
    return pixel(stage, (int)x, (int)y);
}

static int brightness(const unsigned char *p)
{
    return p[0] + p[1] + p[2];
}

static void assert_colour(const unsigned char *p, unsigned rgb, int tolerance)
{
    for (int k = 0; k < 3; k++) {
        int wanted = (int)(rgb >> (16 - 8 * k) & 255);
        if (abs(p[k] - wanted) > tolerance) {
            fail_msg("colour %02x%02x%02x is not %06x", p[0], p[1], p[2], rgb);
        }
    }
}

static void test_backdrop_of_both_themes(void **state)
{
    Stage *stage = *state;
    Snapshot empty = {0};
    draw(stage, &empty, PLAIN);
    assert_colour(pixel(stage, 0, 0), 0x12141a, 2);
    assert_colour(pixel(stage, WIDTH - 1, 0), 0x12141a, 2);
    assert_true(brightness(pixel(stage, WIDTH / 2, 20)) > brightness(pixel(stage, 0, 0)));
    assert_int_equal(pixel(stage, WIDTH / 2, HEIGHT / 2)[3], 255); // opaque

    RenderOptions options = PLAIN;
    options.light = true;
    draw(stage, &empty, options);
    assert_colour(pixel(stage, 0, 0), 0xeef1f5, 2);
    assert_true(brightness(pixel(stage, WIDTH / 2, 20)) > brightness(pixel(stage, 0, 0)));
}

static void test_front_is_red_and_back_is_blue(void **state)
{
    Stage *stage = *state;
    const float *middle = stage->cloth.position + 3 * MIDDLE;
    draw(stage, &stage->cloth, PLAIN);
    const unsigned char *p = pixel_of(stage, middle);
    assert_true(p[0] > 150 && p[0] > 2 * p[2]);

    camera_orbit(&stage->camera, (float)M_PI, 0.0f);
    draw(stage, &stage->cloth, PLAIN);
    p = pixel_of(stage, middle);
    assert_true(p[2] > 100 && p[2] > 2 * p[0]);
}

static void test_pins_are_amber(void **state)
{
    Stage *stage = *state;
    draw(stage, &stage->cloth, PLAIN);
    assert_colour(pixel_of(stage, stage->cloth.position), 0xffb454, 6);
    assert_colour(pixel_of(stage, stage->cloth.position + 3 * (ROWS - 1)), 0xffb454, 6);
    stage->cloth.pinned[0] = 0;
    stage->cloth.pinned[MIDDLE] = 1;
    draw(stage, &stage->cloth, PLAIN);
    assert_colour(pixel_of(stage, stage->cloth.position + 3 * MIDDLE), 0xffb454, 6);
    const unsigned char *p = pixel_of(stage, stage->cloth.position);
    assert_true(abs(p[1] - 0xb4) > 30); // the pin is gone
}

static void test_hovered_ring_and_hand(void **state)
{
    Stage *stage = *state;
    float *at = stage->cloth.position + 3 * MIDDLE, x, y;
    assert_true(camera_project(&stage->camera, WHOLE, at, &x, &y));
    RenderOptions options = PLAIN;
    options.hovered = MIDDLE;
    draw(stage, &stage->cloth, options);
    const unsigned char *inside = pixel(stage, (int)x, (int)y);
    assert_true(inside[0] > 2 * inside[2]); // the ring leaves the cloth visible
    int brightest = 0;
    for (int i = 6; i < 14; i++) {
        int b = brightness(pixel(stage, (int)x + i, (int)y));
        brightest = b > brightest ? b : brightest;
    }
    assert_true(brightest > 3 * 220);

    stage->cloth.grabbed = MIDDLE;
    glm_vec3_copy((float[3]){at[0] + 0.3f, at[1] + 0.1f, at[2] + 0.3f}, stage->cloth.hand);
    draw(stage, &stage->cloth, PLAIN);
    assert_colour(pixel(stage, (int)x, (int)y), 0xffffff, 6);
    assert_colour(pixel_of(stage, stage->cloth.hand), 0xffffff, 12);
}

static void test_shadow_under_the_cloth(void **state)
{
    Stage *stage = *state;
    // The shadow of the lower edge, compared with the same floor beside it.
    float ground = (float)stage->cloth.scene.params.ground;
    float below[3] = {0.5f, ground, 0.08f};
    RenderOptions options = PLAIN;
    options.light = true;
    draw(stage, &stage->cloth, options);
    int shaded = brightness(pixel_of(stage, below));
    float away[3] = {1.5f, ground, 0.08f};
    int lit = brightness(pixel_of(stage, away));
    assert_true(shaded < lit - 60);

    // Higher above the floor the shadow is fainter.
    stage->cloth.scene.params.ground = ground - 0.6;
    camera_pan(&stage->camera, 0.0f, -40.0f, HEIGHT);
    draw(stage, &stage->cloth, options);
    below[1] = ground - 0.6f;
    below[2] += 0.12f;
    assert_true(brightness(pixel_of(stage, below)) > shaded + 20);
}

static int differing_pixels(const Stage *stage, const unsigned char *other)
{
    int count = 0;
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        count += memcmp(stage->pixels + 4 * i, other + 4 * i, 4) != 0;
    }
    return count;
}

// Pixels of which a colour differs by more than a little.
static int visibly_differing_pixels(const Stage *stage, const unsigned char *other)
{
    int count = 0;
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        bool differs = false;
        for (int k = 0; k < 4; k++)
            differs |= abs(stage->pixels[4 * i + k] - other[4 * i + k]) > 16;
        count += differs;
    }
    return count;
}

static void test_three_styles_differ(void **state)
{
    Stage *stage = *state;
    static unsigned char cloth[sizeof stage->pixels], wireframe[sizeof stage->pixels];
    RenderOptions options = PLAIN;
    draw(stage, &stage->cloth, options);
    memcpy(cloth, stage->pixels, sizeof cloth);
    options.surface = SURFACE_WIREFRAME;
    draw(stage, &stage->cloth, options);
    memcpy(wireframe, stage->pixels, sizeof wireframe);
    assert_true(differing_pixels(stage, cloth) > 1000);
    options.surface = SURFACE_SPRINGS;
    draw(stage, &stage->cloth, options);
    assert_true(differing_pixels(stage, cloth) > 1000);
    assert_true(differing_pixels(stage, wireframe) > 1000);
    options.surface = SURFACE_CLOTH; // and none of them remains
    draw(stage, &stage->cloth, options);
    assert_int_equal(differing_pixels(stage, cloth), 0);
}

// Red minus blue, summed over the picture: orange raises it, blue lowers it.
static long warmth(const Stage *stage)
{
    long sum = 0;
    for (int i = 0; i < WIDTH * HEIGHT; i++) sum += stage->pixels[4 * i] - stage->pixels[4 * i + 2];
    return sum;
}

static void test_springs_show_strain(void **state)
{
    Stage *stage = *state;
    RenderOptions options = PLAIN;
    options.surface = SURFACE_SPRINGS;
    long shown[3];
    const float scales[3] = {0.9f, 1.0f, 1.1f}; // compressed, relaxed, stretched
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < stage->cloth.spring_count; i++) {
            stage->cloth.rest_length[i] /= scales[k];
        }
        draw(stage, &stage->cloth, options);
        shown[k] = warmth(stage);
        for (int i = 0; i < stage->cloth.spring_count; i++) {
            stage->cloth.rest_length[i] *= scales[k];
        }
    }
    assert_true(shown[0] < shown[1] - 100000);
    assert_true(shown[2] > shown[1] + 100000);
}

static void test_moves_with_the_snapshot(void **state)
{
    Stage *stage = *state;
    static unsigned char before[sizeof stage->pixels];
    draw(stage, &stage->cloth, PLAIN);
    memcpy(before, stage->pixels, sizeof before);
    for (int i = 0; i < stage->cloth.particle_count; i++) stage->cloth.position[3 * i + 2] += 0.3f;
    draw(stage, &stage->cloth, PLAIN);
    assert_true(differing_pixels(stage, before) > 1000);

    // Another mesh in the same place looks nearly the same, and disappears with its snapshot.
    Snapshot finer = hanging_cloth(ROWS + 8);
    finer.topology_version = stage->cloth.topology_version + 1;
    draw(stage, &finer, PLAIN);
    assert_true(visibly_differing_pixels(stage, before) < 1500);
    snapshot_finish(&finer);
    draw(stage, &finer, PLAIN);
    const unsigned char *p = pixel_of(stage, (float[3]){0.5f, -0.5f, 0.0f});
    assert_true(p[0] < 60); // the backdrop
}

static void copy_pixels(const Stage *stage, unsigned char *out)
{
    offscreen_read(stage->offscreen, out);
    assert_int_equal(glGetError(), GL_NO_ERROR);
}

// Draws lane i of four into its quarter.
static void draw_quarter(const Stage *stage, Renderer *renderer, const Snapshot *cloths, int i)
{
    RenderOptions options = PLAIN;
    options.lane = i;
    static float rgb[3 * ROWS * ROWS];
    for (int k = 0; k < cloths[i].particle_count; k++)
        colour_map(cloths[i].distance[k], rgb + 3 * k);
    options.rgb = i == 2 ? rgb : NULL;
    Viewport view = {WIDTH / 2 * (i % 2), HEIGHT / 2 * (i / 2), WIDTH / 2, HEIGHT / 2};
    renderer_draw(renderer, &cloths[i], &stage->camera, view, &options);
}

// One renderer for all, which has drawn before, against a new one for each.
static void assert_quarters_as_alone(Stage *stage, const Snapshot *cloths)
{
    static unsigned char together[sizeof stage->pixels];
    for (int i = 0; i < 4; i++) draw_quarter(stage, stage->renderer, cloths, i);
    copy_pixels(stage, together);
    for (int i = 0; i < 4; i++) {
        Renderer *alone = NULL;
        Error error = {0};
        assert_ok(renderer_create(NULL, &alone, &error), &error);
        draw_quarter(stage, alone, cloths, i);
        renderer_destroy(alone);
    }
    copy_pixels(stage, stage->pixels);
    assert_int_equal(differing_pixels(stage, together), 0);
}

static void test_four_lanes_as_four_renderers(void **state)
{
    Stage *stage = *state;
    Snapshot cloths[4];
    for (int i = 0; i < 4; i++) {
        cloths[i] = hanging_cloth(i == 3 ? ROWS - 4 : ROWS);
        // versions count within a simulation: here all are equal
        assert_int_equal(cloths[i].topology_version, cloths[0].topology_version);
        for (int k = 0; k < cloths[i].particle_count; k++) {
            float *p = cloths[i].position + 3 * k;
            p[2] += 0.1f * (float)i * sinf(5.0f * p[0] + (float)i);
        }
    }
    cloths[2].distance[MIDDLE] = 1.0f;

    for (int i = 0; i < 4; i++) assert_quarters_as_alone(stage, cloths); // nothing new
    cloths[1].position[3 * MIDDLE + 2] += 0.2f;                          // one lane has moved
    assert_quarters_as_alone(stage, cloths);
    cloths[2].distance[0] = 0.5f;
    assert_quarters_as_alone(stage, cloths);
    for (int i = 0; i < 3; i++) { // another cloth with the same numbers: its diagonals are turned
        uint32_t *t = cloths[i].triangles;
        uint32_t first = t[0];
        memmove(t, t + 3, (size_t)(3 * cloths[i].triangle_count - 3) * sizeof *t);
        t[3 * cloths[i].triangle_count - 3] = t[3 * cloths[i].triangle_count - 2] = first;
        t[3 * cloths[i].triangle_count - 1] = first;
    }
    assert_quarters_as_alone(stage, cloths);
    camera_orbit(&stage->camera, 0.3f, 0.1f);
    for (int i = 0; i < 3; i++) assert_quarters_as_alone(stage, cloths);
    cloths[0].scene.params.ground -= 0.1; // the floor alone
    assert_quarters_as_alone(stage, cloths);

    // In an overlay only the selected lane's shadow is shown; the others' do not stay behind.
    const Snapshot *lanes[] = {&cloths[0], &cloths[1], &cloths[2], &cloths[3]};
    const float colours[4][3] = {{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}};
    for (int k = 0; k < cloths[1].particle_count; k++) cloths[1].position[3 * k] += 0.2f;
    renderer_draw_overlay(stage->renderer, lanes, 4, 0, &stage->camera, WHOLE, &PLAIN, colours);
    assert_quarters_as_alone(stage, cloths);
    for (int i = 0; i < 4; i++) snapshot_finish(&cloths[i]);
}

// CIE lightness, 0 to 100.
static double lightness(const float rgb[3])
{
    const double weights[3] = {0.2126, 0.7152, 0.0722};
    double sum = 0.0;
    for (int k = 0; k < 3; k++) sum += weights[k] * pow((rgb[k] + 0.055) / 1.055, 2.4);
    return 116.0 * cbrt(sum) - 16.0;
}

static void test_colour_map_is_ordered(void **state)
{
    (void)state;
    float rgb[3], end[3];
    double last = 0.0;
    for (int i = 0; i <= 64; i++) {
        colour_map((float)i / 64.0f, rgb);
        for (int k = 0; k < 3; k++) assert_true(rgb[k] >= 0.0f && rgb[k] <= 1.0f);
        double now = lightness(rgb), step = now - last;
        last = now;
        if (i > 0) assert_true(step > 0.4 && step < 1.4);
        if (i == 0) assert_true(now > 25.0); // the dark theme's backdrop: 6
    }
    assert_true(last < 90.0); // the light theme's: 95
    const float outside[][2] = {
        {-1.0f, 0.0f}, {-INFINITY, 0.0f}, {2.0f, 1.0f}, {INFINITY, 1.0f}, {NAN, 1.0f}};
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++) {
        colour_map(outside[i][0], rgb);
        colour_map(outside[i][1], end);
        assert_memory_equal(rgb, end, sizeof end);
    }
}

static unsigned packed(const float rgb[3])
{
    unsigned out = 0;
    for (int k = 0; k < 3; k++) out = out << 8 | (unsigned)lroundf(255.0f * rgb[k]);
    return out;
}

static void test_colours_show(void **state)
{
    Stage *stage = *state;
    int count = stage->cloth.particle_count;
    float *rgb = calloc(3 * (size_t)count, sizeof *rgb), top[3], bottom[3];
    assert_non_null(rgb);
    colour_map(1.0f, top);
    colour_map(0.0f, bottom);
    const float *at = stage->cloth.position + 3 * MIDDLE;
    const float *low = stage->cloth.position + 3 * (MIDDLE + 5 * ROWS);
    for (int i = 0; i < count; i++) memcpy(rgb + 3 * i, i == MIDDLE ? top : bottom, sizeof top);
    RenderOptions options = PLAIN;
    options.rgb = rgb;
    for (int light = 0; light < 2; light++) {
        options.light = light;
        draw(stage, &stage->cloth, options);
        assert_colour(pixel_of(stage, at), packed(top), 30);
        assert_colour(pixel_of(stage, low), packed(bottom), 20);
    }
    colour_map(0.5f, rgb + 3 * MIDDLE);
    camera_orbit(&stage->camera, (float)M_PI, 0.0f); // on both sides
    draw(stage, &stage->cloth, options);
    assert_colour(pixel_of(stage, at), packed(rgb + 3 * MIDDLE), 30);
    camera_orbit(&stage->camera, (float)M_PI, 0.0f);
    draw(stage, &stage->cloth, PLAIN); // and nothing of it remains
    const unsigned char *p = pixel_of(stage, at);
    assert_true(p[0] > 150 && p[0] > 2 * p[2]);
    free(rgb);
}

static int hue_difference(const unsigned char *p, int more, int less)
{
    return p[more] - p[less];
}

static void test_overlay_shows_all_lanes(void **state)
{
    Stage *stage = *state;
    Snapshot other = hanging_cloth(ROWS);
    for (int i = 0; i < other.particle_count; i++) { // to the right, and behind
        other.position[3 * i] += 0.4f;
        other.position[3 * i + 2] -= 0.2f;
    }
    const Snapshot *lanes[] = {&stage->cloth, &other};
    const float colours[2][3] = {{1.0f, 0.2f, 0.2f}, {0.2f, 0.9f, 0.2f}};
    const float only_first[3] = {0.15f, -0.45f, 0.0f}, only_other[3] = {1.25f, -0.45f, -0.2f};
    const float both[3] = {0.8f, -0.45f, 0.0f};
    RenderOptions options = PLAIN;
    options.lane = 1;
    draw(stage, &stage->cloth, PLAIN);
    int ground = brightness(pixel_of(stage, only_other));

    // Without a reference both are cloths in their colours, and the nearer one hides the other.
    renderer_draw_overlay(stage->renderer, lanes, 2, -1, &stage->camera, WHOLE, &options, colours);
    copy_pixels(stage, stage->pixels);
    assert_true(hue_difference(pixel_of(stage, only_first), 0, 1) > 80);
    assert_true(hue_difference(pixel_of(stage, both), 0, 1) > 80);
    assert_true(hue_difference(pixel_of(stage, only_other), 1, 0) > 80);
    // The hidden border shows all the same.
    assert_true(hue_difference(pixel_of(stage, (float[3]){0.4f, -0.5f, -0.2f}), 1, 0) > 80);

    // The first as a ghost: grey, and the other shows through it.
    renderer_draw_overlay(stage->renderer, lanes, 2, 0, &stage->camera, WHOLE, &options, colours);
    copy_pixels(stage, stage->pixels);
    assert_true(abs(hue_difference(pixel_of(stage, only_first), 0, 1)) < 30);
    assert_true(brightness(pixel_of(stage, only_first)) > ground + 90);
    assert_true(hue_difference(pixel_of(stage, both), 1, 0) > 40);
    int plain = hue_difference(pixel_of(stage, only_other), 1, 0);
    assert_true(hue_difference(pixel_of(stage, both), 1, 0) < plain - 20); // a veil before it
    assert_true(hue_difference(pixel_of(stage, (float[3]){0.0f, -0.5f, 0.0f}), 0, 1) > 80);

    // A ghost behind hides nothing; one in the same place leaves the cloth's colour.
    renderer_draw_overlay(stage->renderer, lanes, 2, 1, &stage->camera, WHOLE, &options, colours);
    copy_pixels(stage, stage->pixels);
    assert_true(hue_difference(pixel_of(stage, both), 0, 1) > 80);
    const Snapshot *twice[] = {&other, &other};
    renderer_draw_overlay(stage->renderer, twice, 2, 0, &stage->camera, WHOLE, &options, colours);
    copy_pixels(stage, stage->pixels);
    assert_int_equal(hue_difference(pixel_of(stage, only_other), 1, 0), plain);
    snapshot_finish(&other);
}

static void test_overlay_of_anything(void **state)
{
    Stage *stage = *state;
    Snapshot empty = {.grabbed = -1}, finer = hanging_cloth(ROWS + 3);
    Snapshot broken = hanging_cloth(ROWS), rope = hanging_cloth(ROWS);
    rope.triangle_count = 0;
    const float bad[] = {NAN, INFINITY, -INFINITY, 3e38f, -1e20f};
    for (int i = 0; i < 3 * broken.particle_count; i += 7) broken.position[i] = bad[i % 5];
    const Snapshot *lanes[] = {&stage->cloth, NULL,   &empty,  &broken,
                               &rope,         &finer, &broken, &stage->cloth};
    const float colours[8][3] = {{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}};
    for (int first = 0; first < 4; first++) {
        for (int reference = -2; reference < 6; reference++) {
            RenderOptions options = {.surface = (SurfaceStyle)(first % 3),
                                     .lane = reference,
                                     .pixel_scale = 2.0f,
                                     .hovered = 40,
                                     .rgb = stage->cloth.position};
            renderer_draw_overlay(stage->renderer, lanes + first, reference + 2, reference,
                                  &stage->camera, WHOLE, &options, colours);
            assert_int_equal(glGetError(), GL_NO_ERROR);
        }
    }
    snapshot_finish(&finer);
    snapshot_finish(&broken);
    snapshot_finish(&rope);
}

static void test_positions_that_are_not_finite(void **state)
{
    Stage *stage = *state;
    const float bad[] = {NAN, INFINITY, -INFINITY, 3e38f, -1e20f};
    for (int style = SURFACE_CLOTH; style <= SURFACE_SPRINGS; style++) {
        for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
            stage->cloth.position[3 * 40 + (int)i] = bad[i];
            RenderOptions options = {
                .surface = (SurfaceStyle)style, .pixel_scale = 1, .hovered = 40};
            draw(stage, &stage->cloth, options);
        }
    }
    // Drivers differ in what they do with NaN, so none may reach them.
    ClothMesh mesh;
    cloth_mesh_init(&mesh);
    assert_true(cloth_mesh_update(&mesh, &stage->cloth));
    assert_false(cloth_mesh_update(&mesh, &stage->cloth)); // nothing new
    for (int i = 0; i < mesh.particle_count; i++) {
        for (int k = 0; k < 3; k++) {
            assert_true(isfinite(mesh.vertices[i].position[k]));
            assert_true(isfinite(mesh.vertices[i].normal[k]));
        }
    }
    cloth_mesh_finish(&mesh);

    for (int i = 0; i < 3 * stage->cloth.particle_count; i++) stage->cloth.position[i] = NAN;
    stage->cloth.grabbed = 3;
    stage->cloth.hand[0] = NAN;
    draw(stage, &stage->cloth, PLAIN);
    assert_colour(pixel(stage, 0, 0), 0x12141a, 2);
}

static void test_stays_inside_its_viewport(void **state)
{
    Stage *stage = *state;
    glDisable(GL_SCISSOR_TEST);
    glClearColor(0.0f, 1.0f, 0.0f, 1.0f);
    glClearDepth(0.25);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glClearDepth(1.0);
    Viewport part = {100, 60, 200, 150};
    renderer_draw(stage->renderer, &stage->cloth, &stage->camera, part, &PLAIN);
    assert_int_equal(glGetError(), GL_NO_ERROR);
    assert_false(glIsEnabled(GL_SCISSOR_TEST));
    assert_false(glIsEnabled(GL_DEPTH_TEST));
    float depth = 0.0f;
    glReadPixels(part.x - 1, part.y, 1, 1, GL_DEPTH_COMPONENT, GL_FLOAT, &depth);
    assert_true(fabsf(depth - 0.25f) < 1e-4f);
    offscreen_read(stage->offscreen, stage->pixels);
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++) {
            int up = HEIGHT - 1 - y;
            bool inside =
                x >= part.x && x < part.x + part.width && up >= part.y && up < part.y + part.height;
            bool untouched = pixel(stage, x, y)[1] == 255 && pixel(stage, x, y)[0] == 0;
            assert_true(inside != untouched);
        }
    }

    static unsigned char before[sizeof stage->pixels];
    memcpy(before, stage->pixels, sizeof before);
    for (int i = 0; i < 2; i++) {
        Viewport none = {0, 0, i ? WIDTH : 0, i ? 0 : HEIGHT};
        renderer_draw(stage->renderer, &stage->cloth, &stage->camera, none, &PLAIN);
    }
    offscreen_read(stage->offscreen, stage->pixels);
    assert_int_equal(differing_pixels(stage, before), 0);
}

static void write_file(const Stage *stage, const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", stage->directory, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static const char *built_in(const char *name)
{
    const EmbeddedFile *file = embedded_find(name);
    assert_non_null(file);
    return (const char *)file->data;
}

static void test_broken_shader_keeps_the_last_good_one(void **state)
{
    Stage *stage = *state;
    static const char *const NAMES[] = {"backdrop", "grid",   "shadow", "smooth",
                                        "cloth",    "fabric", "line",   "mark"};
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s.vert", NAMES[i]);
        write_file(stage, name, built_in(name));
        snprintf(name, sizeof name, "%s.frag", NAMES[i]);
        write_file(stage, name, built_in(name));
    }
    write_file(stage, "solid.vert", built_in("solid.vert"));
    write_file(stage, "solid.frag", built_in("solid.frag"));
    static unsigned char good[sizeof stage->pixels];
    Error error = {0};
    bool reloaded = true;
    draw(stage, &stage->cloth, PLAIN);
    memcpy(good, stage->pixels, sizeof good);
    renderer_destroy(stage->renderer);
    stage->renderer = NULL;
    assert_ok(renderer_create(stage->directory, &stage->renderer, &error), &error);
    assert_ok(renderer_reload(stage->renderer, &reloaded, &error), &error);
    assert_false(reloaded);
    draw(stage, &stage->cloth, PLAIN);
    assert_int_equal(differing_pixels(stage, good), 0); // files and built-in shaders are the same

    write_file(stage, "cloth.frag", "#version 330 core\nvoid main() { this is not a shader }\n");
    for (int i = 0; i < 2; i++) { // the second time nothing has changed, and it is still broken
        error = (Error){0};
        assert_int_equal(renderer_reload(stage->renderer, &reloaded, &error), STATUS_GPU);
        assert_int_equal(error.status, STATUS_GPU);
        assert_non_null(strstr(error.text, "cloth.frag"));
        assert_non_null(strstr(error.text, "2")); // the driver names the line
        assert_false(reloaded);
        draw(stage, &stage->cloth, PLAIN);
        assert_int_equal(differing_pixels(stage, good), 0);
    }

    char path[128];
    snprintf(path, sizeof path, "%s/cloth.frag", stage->directory);
    assert_int_equal(remove(path), 0);
    assert_int_equal(renderer_reload(stage->renderer, &reloaded, &error), STATUS_GPU);
    assert_non_null(strstr(error.text, "cloth.frag"));
    draw(stage, &stage->cloth, PLAIN);
    assert_int_equal(differing_pixels(stage, good), 0);

    write_file(stage, "cloth.frag",
               "#version 330 core\nout vec4 c;\nvoid main() { c = vec4(0.0, 1.0, 0.0, 1.0); }\n");
    assert_ok(renderer_reload(stage->renderer, &reloaded, &error), &error);
    assert_true(reloaded);
    draw(stage, &stage->cloth, PLAIN);
    assert_colour(pixel_of(stage, stage->cloth.position + 3 * MIDDLE), 0x00ff00, 0);

    write_file(stage, "cloth.frag", built_in("cloth.frag"));
    assert_ok(renderer_reload(stage->renderer, &reloaded, &error), &error);
    assert_true(reloaded);
    draw(stage, &stage->cloth, PLAIN);
    assert_int_equal(differing_pixels(stage, good), 0);

    // A backdrop kept from the last picture is out of date, too.
    write_file(stage, "backdrop.frag",
               "#version 330 core\nout vec4 c;\nvoid main() { c = vec4(0.0, 1.0, 0.0, 1.0); }\n");
    assert_ok(renderer_reload(stage->renderer, &reloaded, &error), &error);
    draw(stage, &stage->cloth, PLAIN);
    assert_colour(pixel(stage, 0, 0), 0x00ff00, 0);
}

static void test_missing_shader_directory(void **state)
{
    (void)state;
    Renderer *renderer = NULL;
    Error error = {0};
    assert_int_equal(renderer_create("/no/such/place", &renderer, &error), STATUS_GPU);
    assert_non_null(strstr(error.text, "/no/such/place/backdrop.vert"));
    assert_null(renderer);
}

static Status write_picture(const Stage *stage, const char *path, int width, int height,
                            Error *error)
{
    OutputFile output;
    Status status = output_file_begin(&output, path, error);
    if (status == STATUS_OK)
        status = picture_write(&stage->cloth, 1, &output, width, height, error);
    output_file_finish(&output);
    return status;
}

static void test_picture_is_written(void **state)
{
    Stage *stage = *state;
    char path[128];
    snprintf(path, sizeof path, "%s/picture.png", stage->directory);
    Error error = {0};
    assert_ok(write_picture(stage, path, 320, 200, &error), &error);
    assert_int_equal(file_count(stage), 1);
    png_image image = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&image, path));
    image.format = PNG_FORMAT_RGB;
    unsigned char *rgb = malloc(PNG_IMAGE_SIZE(image));
    assert_true(png_image_finish_read(&image, NULL, rgb, 0, NULL));
    int width = 320;
    assert_int_equal(image.width, width);
    assert_int_equal(image.height, 200);
    assert_colour(rgb, 0x12141a, 2);

    // The right way up: the pin is where the camera projects it.
    Viewport viewport = {0, 0, width, 200};
    Camera camera;
    camera_frame(&camera, stage->cloth.centre, stage->cloth.radius, viewport);
    float x, y;
    assert_true(camera_project(&camera, viewport, stage->cloth.position, &x, &y));
    assert_colour(rgb + 3 * ((int)y * width + (int)x), 0xffb454, 6);
    free(rgb);
}

static void test_picture_that_cannot_be_written(void **state)
{
    Stage *stage = *state;
    Error error = {0};
    assert_int_equal(write_picture(stage, "/no/such/place/a.png", 64, 48, &error), STATUS_FILE);
    assert_non_null(strstr(error.text, "/no/such/place/a.png"));
    assert_non_null(strstr(error.text, "No such file"));

    assert_int_equal(write_picture(stage, "/dev/full", 64, 48, &error), STATUS_FILE);
    assert_non_null(strstr(error.text, "No space left"));
    assert_int_equal(write_picture(stage, stage->directory, 64, 48, &error), STATUS_FILE);

    assert_int_equal(write_picture(stage, "a.png", 0, 48, &error), STATUS_BAD_PARAMETER);
    assert_int_equal(write_picture(stage, "a.png", 64, 5000, &error), STATUS_BAD_PARAMETER);
    assert_non_null(strstr(error.text, "4096"));

    // A disk that is full after 2000 bytes: the old picture stays, and no partial file is left.
    char path[128];
    snprintf(path, sizeof path, "%s/picture.png", stage->directory);
    write_file(stage, "picture.png", "the old one");
    struct rlimit limit, tight;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    tight = limit;
    tight.rlim_cur = 2000;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    Status status = write_picture(stage, path, 320, 200, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_int_equal(status, STATUS_FILE);
    assert_non_null(strstr(error.text, "File too large"));
    assert_int_equal(file_count(stage), 1);
    char text[32] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(text, sizeof text, file));
    fclose(file);
    assert_string_equal(text, "the old one");
}

#define STAGED(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STAGED(test_backdrop_of_both_themes),
        STAGED(test_front_is_red_and_back_is_blue),
        STAGED(test_pins_are_amber),
        STAGED(test_hovered_ring_and_hand),
        STAGED(test_shadow_under_the_cloth),
        STAGED(test_three_styles_differ),
        STAGED(test_springs_show_strain),
        STAGED(test_moves_with_the_snapshot),
        STAGED(test_positions_that_are_not_finite),
        STAGED(test_four_lanes_as_four_renderers),
        cmocka_unit_test(test_colour_map_is_ordered),
        STAGED(test_colours_show),
        STAGED(test_overlay_shows_all_lanes),
        STAGED(test_overlay_of_anything),
        STAGED(test_stays_inside_its_viewport),
        STAGED(test_broken_shader_keeps_the_last_good_one),
        STAGED(test_missing_shader_directory),
        STAGED(test_picture_is_written),
        STAGED(test_picture_that_cannot_be_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
