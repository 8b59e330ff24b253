// Fabrics, smooth edges, folds and the detail that a slow machine leaves out.
#include "base/colour_map.h"
#include "render/offscreen.h"
#include "render/post_filter.h"
#include "render/renderer.h"
#include "render/self_shadow.h"

#include "support/hanging_cloth.h"

#include <glad/gl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WIDTH = 400, HEIGHT = 300, ROWS = 17, MIDDLE = ROWS * ROWS / 2 };
static const Viewport WHOLE = {0, 0, WIDTH, HEIGHT};

typedef struct Stage {
    Offscreen *offscreen;
    Renderer *renderer;
    Snapshot cloth;
    Camera camera;
    unsigned char pixels[WIDTH * HEIGHT * 4]; // rows from the bottom
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

static void draw(Stage *stage, FabricName fabric, RenderDetail detail)
{
    RenderOptions options = {
        .fabric = fabric, .detail = detail, .pixel_scale = 1.0f, .hovered = -1};
    renderer_draw(stage->renderer, &stage->cloth, &stage->camera, WHOLE, &options);
    assert_int_equal(glGetError(), GL_NO_ERROR);
    offscreen_read(stage->offscreen, stage->pixels);
}

static const unsigned char *pixel(const Stage *stage, int x, int y)
{
    assert_true(x >= 0 && x < WIDTH && y >= 0 && y < HEIGHT);
    return stage->pixels + 4 * ((size_t)(HEIGHT - 1 - y) * WIDTH + (size_t)x);
}

static int brightness(const unsigned char *p)
{
    return p[0] + p[1] + p[2];
}

// A point of the flat cloth, by its shares of the sides from the upper left corner.
static void point_on(float across, float down, float out[3])
{
    out[0] = across;
    out[1] = -down;
    out[2] = 0.0f;
}

static void project(const Stage *stage, float across, float down, int *x, int *y)
{
    float at[3], px, py;
    point_on(across, down, at);
    assert_true(camera_project(&stage->camera, WHOLE, at, &px, &py));
    *x = (int)px;
    *y = (int)py;
}

// Mean difference of neighbouring pixels in a square of 40 around a point.
static double roughness(const Stage *stage, float across, float down)
{
    int x0, y0;
    long sum = 0;
    project(stage, across, down, &x0, &y0);
    for (int y = y0 - 20; y < y0 + 20; y++) {
        for (int x = x0 - 20; x < x0 + 20; x++)
            sum += abs(brightness(pixel(stage, x, y)) - brightness(pixel(stage, x + 1, y)));
    }
    return (double)sum / (40.0 * 40.0);
}

// Look at a point from near.
static void approach(Stage *stage, float across, float down, float steps)
{
    point_on(across, down, stage->camera.target);
    camera_zoom(&stage->camera, steps);
}

static void test_threads_show_from_near_only(void **state)
{
    Stage *stage = *state;
    Camera usual = stage->camera;
    for (int fabric = FABRIC_LINEN; fabric < FABRICS; fabric++) {
        stage->camera = usual;
        approach(stage, 0.5f, 0.5f, 14.0f);
        draw(stage, (FabricName)fabric, DETAIL_PLAIN);
        double plain = roughness(stage, 0.5f, 0.5f);
        draw(stage, (FabricName)fabric, DETAIL_WOVEN);
        double woven = roughness(stage, 0.5f, 0.5f);
        assert_true(plain < 2.0);
        assert_true(woven > plain + 3.0);

        // Threads finer than a pixel would shimmer.
        stage->camera = usual;
        point_on(0.5f, 0.5f, stage->camera.target);
        camera_zoom(&stage->camera, fabric == FABRIC_WOOL ? -9.0f : -3.0f);
        draw(stage, (FabricName)fabric, DETAIL_WOVEN);
        int x, y;
        project(stage, 0.5f, 0.5f, &x, &y);
        for (int i = -8; i < 8; i++)
            assert_true(abs(brightness(pixel(stage, x + i, y)) -
                            brightness(pixel(stage, x + i + 1, y))) < 24);
    }
    // The plain fabric has none, and colours with a legend are not disturbed.
    stage->camera = usual;
    approach(stage, 0.5f, 0.5f, 14.0f);
    draw(stage, FABRIC_PLAIN, DETAIL_WOVEN);
    assert_true(roughness(stage, 0.5f, 0.5f) < 2.0);
    RenderOptions options = {.fabric = FABRIC_WOOL,
                             .detail = DETAIL_WOVEN,
                             .pixel_scale = 1.0f,
                             .hovered = -1,
                             .rgb = stage->cloth.mode};
    renderer_draw(stage->renderer, &stage->cloth, &stage->camera, WHOLE, &options);
    offscreen_read(stage->offscreen, stage->pixels);
    assert_true(roughness(stage, 0.5f, 0.5f) < 2.0);
}

static void test_hem_along_the_border(void **state)
{
    Stage *stage = *state;
    approach(stage, 0.0f, 0.5f, 20.0f);
    draw(stage, FABRIC_LINEN, DETAIL_WOVEN);
    // Mean brightness over many threads, at a distance from the left border.
    double mean[2] = {0.0, 0.0}, brightest_seam = 0.0;
    const float from[2] = {0.003f, 0.030f}, to[2] = {0.012f, 0.045f};
    for (int band = 0; band < 2; band++) {
        int count = 0;
        for (float across = from[band]; across < to[band]; across += 0.0005f) {
            for (float down = 0.46f; down < 0.54f; down += 0.0005f, count++) {
                int x, y;
                project(stage, across, down, &x, &y);
                mean[band] += brightness(pixel(stage, x, y));
            }
        }
        mean[band] /= count;
    }
    for (float down = 0.46f; down < 0.54f; down += 0.0005f) {
        int x, y;
        project(stage, 0.022f * 0.78f, down, &x, &y);
        brightest_seam = fmax(brightest_seam, pixel(stage, x, y)[2]);
    }
    assert_true(mean[0] < 0.97 * mean[1]);
    assert_true(brightest_seam > 130.0); // the stitches are nearly white, the cloth is red
}

static double lightness(const float rgb[3])
{
    const double weights[3] = {0.2126, 0.7152, 0.0722};
    double sum = 0.0;
    for (int k = 0; k < 3; k++) sum += weights[k] * pow((rgb[k] + 0.055) / 1.055, 2.4);
    return 116.0 * cbrt(sum) - 16.0;
}

static void test_sides_are_told_apart(void **state)
{
    Stage *stage = *state;
    for (int fabric = 0; fabric < FABRICS; fabric++) {
        const Fabric *f = fabric_of((FabricName)fabric);
        assert_true(fabs(lightness(f->front) - lightness(f->back)) > 8.0);
        float seen[2][3] = {{0}};
        for (int side = 0; side < 2; side++) {
            draw(stage, (FabricName)fabric, DETAIL_WOVEN);
            int x, y;
            project(stage, 0.5f, 0.5f, &x, &y);
            for (int i = -6; i < 6; i++) {
                for (int k = 0; k < 3; k++) seen[side][k] += (float)pixel(stage, x + i, y)[k];
            }
            camera_orbit(&stage->camera, (float)M_PI, 0.0f);
        }
        float difference = 0.0f; // of the shares of the colours
        for (int k = 0; k < 3; k++) {
            float front = seen[0][k] / (seen[0][0] + seen[0][1] + seen[0][2]);
            float back = seen[1][k] / (seen[1][0] + seen[1][1] + seen[1][2]);
            difference += fabsf(front - back);
        }
        if (difference < 0.15f) fail_msg("%s: sides differ by %g", f->name, (double)difference);
    }
    assert_ptr_equal(fabric_of((FabricName)-1), fabric_of(FABRIC_PLAIN));
    assert_ptr_equal(fabric_of((FabricName)99), fabric_of(FABRIC_PLAIN));
}

#define SLANT 0.21f // of the borders, so that they have steps

// Steps from one pixel to the next, across the left border, that are nearly as large as the whole
// difference between cloth and backdrop.
static int hard_steps(const Stage *stage)
{
    int count = 0;
    for (float down = 0.2f; down < 0.8f; down += 0.004f) {
        int x, y;
        project(stage, -SLANT * down, down, &x, &y);
        for (int i = -3; i < 3; i++) {
            int step = pixel(stage, x + i + 1, y)[0] - pixel(stage, x + i, y)[0];
            int whole = pixel(stage, x + 6, y)[0] - pixel(stage, x - 6, y)[0];
            assert_true(whole > 60);
            count += abs(step) > 0.85 * whole;
        }
    }
    return count;
}

static void test_edges_are_smoothed(void **state)
{
    Stage *stage = *state;
    static unsigned char hard[sizeof stage->pixels];
    for (int k = 0; k < stage->cloth.particle_count; k++) // slanted borders
        stage->cloth.position[3 * k] += SLANT * stage->cloth.position[3 * k + 1];
    for (int fabric = 0; fabric < 2; fabric++) {
        draw(stage, (FabricName)fabric, DETAIL_WOVEN);
        memcpy(hard, stage->pixels, sizeof hard);
        draw(stage, (FabricName)fabric, DETAIL_SMOOTH);
        int changed = 0;
        for (int i = 0; i < WIDTH * HEIGHT; i++)
            changed += memcmp(hard + 4 * i, stage->pixels + 4 * i, 3) != 0;
        assert_true(changed > 200);                 // edges
        assert_true(changed < WIDTH * HEIGHT / 10); // and little else
    }
    draw(stage, FABRIC_PLAIN, DETAIL_WOVEN);
    int before = hard_steps(stage);
    draw(stage, FABRIC_PLAIN, DETAIL_SMOOTH);
    int after = hard_steps(stage);
    assert_true(before > 60);
    if (after > before / 2) fail_msg("%d hard steps became %d", before, after);
}

// A box around the cloth, never outside of the viewport.
static void test_box_of_the_filter(void **state)
{
    Stage *stage = *state;
    ClothMesh mesh;
    cloth_mesh_init(&mesh);
    cloth_mesh_update(&mesh, &stage->cloth);
    Viewport part = {100, 50, 200, 150};
    Frame frame = {.viewport = part};
    for (int zoom = -20; zoom < 60; zoom += 2) {
        Camera camera = stage->camera;
        camera_zoom(&camera, (float)zoom);
        camera_orbit(&camera, 0.1f * (float)zoom, 0.0f);
        camera_matrices(&camera, part, frame.view, frame.projection);
        glm_mat4_mul(frame.projection, frame.view, frame.view_projection);
        Viewport box = post_filter_box(&frame, &mesh);
        assert_true(box.x >= part.x && box.x + box.width <= part.x + part.width);
        assert_true(box.y >= part.y && box.y + box.height <= part.y + part.height);
        for (int i = 0; i < mesh.particle_count; i++) {
            float x, y;
            if (!camera_project(&camera, part, mesh.vertices[i].position, &x, &y)) continue;
            int px = part.x + (int)x, py = part.y + part.height - 1 - (int)y;
            bool seen = x >= 0.0f && y >= 0.0f && x < 200.0f && y < 150.0f;
            assert_true(!seen || (px >= box.x && px < box.x + box.width && py >= box.y &&
                                  py < box.y + box.height));
        }
    }
    Viewport a = {1, 2, 3, 4}, none = {0}, b = {10, 0, 5, 3};
    Viewport joined = post_filter_join(a, b);
    assert_memory_equal(&joined, (&(Viewport){1, 0, 14, 6}), sizeof joined);
    joined = post_filter_join(none, a);
    assert_memory_equal(&joined, &a, sizeof joined);
    cloth_mesh_finish(&mesh);
}

static void test_folds_and_shadows(void **state)
{
    Stage *stage = *state;
    static SelfShadowScratch scratch;
    const SolidRenderer shapes = {0}; // nothing beside the cloth
    const SolidSet alone = {0};
    const float light[3] = {0.0f, 0.0f, 1.0f};
    const int sizes[2] = {33, 141}; // triangles, and dots
    for (int s = 0; s < 2; s++) {
        int rows = sizes[s], half = rows / 2;
        Snapshot cloth = hanging_cloth(rows);
        ClothMesh mesh;
        cloth_mesh_init(&mesh);
        cloth_mesh_update(&mesh, &cloth);
        self_shadow_cast(&scratch, &mesh, &shapes, &alone, light, 1.0f);
        for (int i = 0; i < mesh.particle_count; i++) { // flat: neither
            assert_int_equal(mesh.shade[i].lit, 255);
            assert_in_range(mesh.shade[i].height, 124, 132);
        }
        // A wave across: folds are darker, ridges lighter.
        for (int i = 0; i < mesh.particle_count; i++)
            cloth.position[3 * i + 2] = 0.06f * cosf(6.0f * (float)M_PI * cloth.position[3 * i]);
        cloth_mesh_update(&mesh, &cloth);
        self_shadow_cast(&scratch, &mesh, &shapes, &alone, light, 1.0f);
        int ridge = half * rows + (int)lroundf((float)(rows - 1) / 3.0f);
        int fold = half * rows + half;
        assert_true(mesh.shade[ridge].height > 150);
        assert_true(mesh.shade[fold].height < 105);
        // Folded over: what is behind lies in the shadow.
        for (int i = 0; i < mesh.particle_count; i++) {
            float *p = cloth.position + 3 * i;
            bool upper = i / rows < half;
            p[1] = upper ? p[1] : -1.0f - p[1];
            p[2] = upper ? 0.3f : 0.0f;
        }
        cloth_mesh_update(&mesh, &cloth);
        self_shadow_cast(&scratch, &mesh, &shapes, &alone, light, 1.0f);
        assert_int_equal(mesh.shade[half / 2 * rows + half].lit, 255);
        assert_true(mesh.shade[(rows - 1 - half / 2) * rows + half].lit < 60);
        cloth_mesh_finish(&mesh);
        snapshot_finish(&cloth);
    }
    (void)stage;
}

static void test_hand_shows_through_the_cloth(void **state)
{
    Stage *stage = *state;
    float *hand = stage->cloth.hand, x, y;
    glm_vec3_copy((float[3]){0.3f, -0.5f, -0.3f}, hand); // behind
    assert_true(camera_project(&stage->camera, WHOLE, hand, &x, &y));
    draw(stage, FABRIC_LINEN, DETAIL_SMOOTH);
    int without = pixel(stage, (int)x, (int)y)[2];
    stage->cloth.grabbed = MIDDLE;
    draw(stage, FABRIC_LINEN, DETAIL_SMOOTH);
    assert_true(pixel(stage, (int)x, (int)y)[2] > without + 60);
    int behind = pixel(stage, (int)x, (int)y)[2];
    hand[2] = 0.3f; // and in front it is fully there
    assert_true(camera_project(&stage->camera, WHOLE, hand, &x, &y));
    draw(stage, FABRIC_LINEN, DETAIL_SMOOTH);
    assert_true(pixel(stage, (int)x, (int)y)[2] > behind + 30);
}

// Red minus blue, mean over the lower third of the picture.
static double warmth_of_the_floor(const Stage *stage)
{
    long sum = 0;
    for (int i = 0; i < WIDTH * HEIGHT / 3; i++)
        sum += stage->pixels[4 * i] - stage->pixels[4 * i + 2];
    return (double)sum / (WIDTH * HEIGHT / 3.0);
}

static void test_floor_differs_from_below(void **state)
{
    Stage *stage = *state;
    draw(stage, FABRIC_LINEN, DETAIL_WOVEN);
    double above = warmth_of_the_floor(stage);
    camera_orbit(&stage->camera, 0.0f, -0.9f);
    draw(stage, FABRIC_LINEN, DETAIL_WOVEN);
    double below = warmth_of_the_floor(stage);
    assert_true(above < -2.0); // bluish
    assert_true(below > above + 8.0);
    // Nothing remains when the camera is above again.
    camera_orbit(&stage->camera, 0.0f, 0.9f);
    draw(stage, FABRIC_LINEN, DETAIL_WOVEN);
    assert_true(fabs(warmth_of_the_floor(stage) - above) < 0.5);
}

// ---- stepping down

static Quality after_frames(Quality quality, const double cost[DETAILS], int frames, int *changes)
{
    for (int i = 0; i < frames; i++)
        *changes += quality_frame(&quality, quality.detail, cost[quality.detail]);
    return quality;
}

static void test_detail_follows_the_time(void **state)
{
    (void)state;
    int changes = 0;
    const double fast[DETAILS] = {0.002, 0.003, 0.004}, slow[DETAILS] = {0.05, 0.06, 0.08};
    const double medium[DETAILS] = {0.025, 0.031, 0.045}; // smooth edges are too much
    const double edge[DETAILS] = {0.010, 0.013, 0.045};   // and seem to be affordable
    Quality quality = after_frames(quality_start(), fast, 1000, &changes);
    assert_int_equal(quality.detail, DETAIL_SMOOTH);
    assert_int_equal(changes, 0);

    quality_frame(&quality, quality.detail, 2.0); // one frame that waited for something
    quality = after_frames(quality, fast, 100, &changes);
    assert_int_equal(changes, 0);

    quality = after_frames(quality, medium, 2000, &changes);
    assert_int_equal(quality.detail, DETAIL_WOVEN);
    assert_int_equal(changes, 1);
    quality = after_frames(quality, slow, 200, &changes);
    assert_int_equal(quality.detail, DETAIL_PLAIN);
    assert_int_equal(changes, 2);
    quality = after_frames(quality, fast, 10000, &changes); // and back
    assert_int_equal(quality.detail, DETAIL_SMOOTH);
    assert_int_equal(changes, 4);

    // 33 frames a second with smooth edges: they go, and threads stay down to 20
    const double steps[][DETAILS] = {{0.014, 0.018, 0.030}, {0.030, 0.038, 0.044}};
    for (int i = 0; i < 2; i++) {
        changes = 0;
        Quality stepped = after_frames(quality_start(), steps[i], 20000, &changes);
        assert_int_equal(stepped.detail, DETAIL_WOVEN);
        assert_int_equal(changes, 1);
    }

    changes = 0; // each failed trial doubles the wait
    after_frames(quality_start(), edge, 20000, &changes);
    assert_in_range(changes, 3, 19);
}

// A driver compiles the shaders of a detail in its first frames.
static void test_first_frames_do_not_count(void **state)
{
    (void)state;
    const double cost[DETAILS] = {0.030, 0.036, 0.045};
    Quality quality = quality_start();
    int changes = 0;
    RenderDetail last = quality.detail;
    for (int i = 0, since = 0; i < 2000; i++, since++) {
        changes += quality_frame(&quality, quality.detail, since < 3 ? 1.5 : cost[quality.detail]);
        if (quality.detail != last) since = -1;
        last = quality.detail;
    }
    assert_int_equal(quality.detail, DETAIL_WOVEN);
    assert_int_equal(changes, 1);
}

// Where something else takes the time, the cloth is not made plain for nothing.
static void test_what_costs_little_stays_on_a_busy_machine(void **state)
{
    (void)state;
    const double cost[DETAILS] = {0.058, 0.060, 0.080};
    int changes = 0, plain = 0;
    Quality quality = quality_start();
    for (int i = 0; i < 10000; i++) {
        changes += quality_frame(&quality, quality.detail, cost[quality.detail]);
        plain += quality.detail == DETAIL_PLAIN;
    }
    assert_int_equal(quality.detail, DETAIL_WOVEN);
    assert_true(plain > 0 && plain < 100); // tried, now and then
    assert_in_range(changes, 3, 9);
}

#define STAGED(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STAGED(test_threads_show_from_near_only),
        STAGED(test_hem_along_the_border),
        STAGED(test_sides_are_told_apart),
        STAGED(test_edges_are_smoothed),
        STAGED(test_box_of_the_filter),
        STAGED(test_folds_and_shadows),
        STAGED(test_hand_shows_through_the_cloth),
        STAGED(test_floor_differs_from_below),
        cmocka_unit_test(test_detail_follows_the_time),
        cmocka_unit_test(test_first_frames_do_not_count),
        cmocka_unit_test(test_what_costs_little_stays_on_a_busy_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
