// Solid bodies, rods and balls in pictures drawn without a display.
#include "cloth/collider.h"
#include "render/offscreen.h"
#include "render/renderer.h"
#include "render/solids.h"
#include "simulation/simulation.h"

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
static const RenderOptions DARK = {.pixel_scale = 1.0f, .hovered = -1};
static const RenderOptions LIGHT = {.pixel_scale = 1.0f, .hovered = -1, .light = true};
// Towards the light, in the camera's space; see cloth.frag.
static const float KEY[3] = {0.46f, 0.40f, 0.79f};

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
    Error error = {0};
    assert_non_null(stage);
    *state = stage;
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

static void draw(Stage *stage, const Snapshot *snapshot, RenderOptions options)
{
    renderer_draw(stage->renderer, snapshot, &stage->camera, WHOLE, &options);
    assert_int_equal(glGetError(), GL_NO_ERROR);
    offscreen_read(stage->offscreen, stage->pixels);
}

static const unsigned char *pixel_of(const Stage *stage, const float point[3])
{
    float x, y;
    assert_true(camera_project(&stage->camera, WHOLE, point, &x, &y));
    assert_true(x >= 0.0f && x < WIDTH && y >= 0.0f && y < HEIGHT);
    return stage->pixels + 4 * ((size_t)(HEIGHT - 1 - (int)y) * WIDTH + (size_t)x);
}

static int brightness(const unsigned char *p)
{
    return p[0] + p[1] + p[2];
}

static bool is_grey(const unsigned char *p)
{
    return abs(p[0] - p[2]) < 40 && brightness(p) > 120;
}

static int differing_pixels(const Stage *stage, const unsigned char *other)
{
    int count = 0;
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        count += memcmp(stage->pixels + 4 * i, other + 4 * i, 4) != 0;
    return count;
}

static void put_ball(Snapshot *snapshot, const float at[3], double radius)
{
    snapshot->scene.collider_count = 1;
    snapshot->scene.colliders[0] = collider_default();
    snapshot->scene.colliders[0].radius = radius;
    snapshot->motions[0] = (ColliderMotion){.centre = {at[0], at[1], at[2]}};
}

// A point moved along a direction of the camera's space.
static void moved(const Stage *stage, const float from[3], const float direction[3], float by,
                  float out[3])
{
    mat4 view, projection;
    camera_matrices(&stage->camera, WHOLE, view, projection);
    for (int k = 0; k < 3; k++) {
        out[k] = from[k] + by * (view[k][0] * direction[0] + view[k][1] * direction[1] +
                                 view[k][2] * direction[2]);
    }
}

static void a_ball_hides_what_is_behind_it(void **state)
{
    Stage *stage = *state;
    const float *middle = stage->cloth.position + 3 * MIDDLE, to_eye[3] = {0.0f, 0.0f, 1.0f};
    for (int theme = 0; theme < 2; theme++) {
        RenderOptions options = theme ? LIGHT : DARK;
        float at[3];
        moved(stage, middle, to_eye, 0.3f, at);
        put_ball(&stage->cloth, at, 0.15);
        draw(stage, &stage->cloth, options);
        assert_true(is_grey(pixel_of(stage, middle)));

        moved(stage, middle, to_eye, -0.3f, at);
        put_ball(&stage->cloth, at, 0.15);
        draw(stage, &stage->cloth, options);
        const unsigned char *p = pixel_of(stage, middle);
        assert_true(p[0] > 2 * p[2]); // the cloth's red

        // Half of it is before the cloth.
        put_ball(&stage->cloth, middle, 0.15);
        draw(stage, &stage->cloth, options);
        assert_true(is_grey(pixel_of(stage, middle)));
    }
}

static void a_ball_shades_the_floor(void **state)
{
    Stage *stage = *state;
    float ground = (float)stage->cloth.scene.params.ground;
    float at[3] = {1.45f, ground + 0.16f, 0.0f}, below[3] = {1.43f, ground, 0.14f};
    for (int theme = 0; theme < 2; theme++) {
        RenderOptions options = theme ? LIGHT : DARK;
        stage->cloth.scene.collider_count = 0;
        draw(stage, &stage->cloth, options);
        int before = brightness(pixel_of(stage, below));
        put_ball(&stage->cloth, at, 0.15);
        draw(stage, &stage->cloth, options);
        assert_true(brightness(pixel_of(stage, below)) < before * (theme ? 0.9 : 0.75));
        stage->cloth.motions[0].centre.z -= 0.8; // only the ball moves
        draw(stage, &stage->cloth, options);
        assert_true(abs(brightness(pixel_of(stage, below)) - before) < 12);
    }
}

static void cloth_and_ball_shade_each_other(void **state)
{
    Stage *stage = *state;
    const float *middle = stage->cloth.position + 3 * MIDDLE;
    float at[3];
    moved(stage, middle, KEY, 0.5f, at);
    draw(stage, &stage->cloth, DARK);
    int lit = brightness(pixel_of(stage, middle));
    put_ball(&stage->cloth, at, 0.2);
    draw(stage, &stage->cloth, DARK);
    assert_true(brightness(pixel_of(stage, middle)) < 0.9 * lit);

    // Beside the left edge of the cloth, which is between the light and a point of the ball.
    const float inside[3] = {0.12f, -0.5f, 0.0f};
    float front[3];
    moved(stage, inside, KEY, -0.45f, front);
    moved(stage, front, KEY, -0.15f, at);
    put_ball(&stage->cloth, at, 0.15);
    draw(stage, &stage->cloth, DARK);
    assert_true(is_grey(pixel_of(stage, front)));
    int shaded = brightness(pixel_of(stage, front));
    for (int i = 0; i < stage->cloth.particle_count; i++) stage->cloth.position[3 * i] += 0.6f;
    draw(stage, &stage->cloth, DARK);
    assert_true(shaded < 0.85 * brightness(pixel_of(stage, front)));
}

// Every vertex is on the body's surface as the solver knows it, and triangles face outwards.
static void surfaces_are_those_of_the_solver(void **state)
{
    (void)state;
    SolidRenderer solids;
    solids_init(&solids);
    Collider bodies[4];
    for (int i = 0; i < 4; i++) bodies[i] = collider_default();
    bodies[1].shape = COLLIDER_CAPSULE;
    bodies[1].half = (Vec3){0.3, -0.2, 0.1};
    bodies[2].shape = COLLIDER_BOX;
    bodies[2].radius = 0.05;
    bodies[2].half = (Vec3){0.3, 0.2, 0.1};
    bodies[2].turn = (Vec3){20.0, 40.0, -70.0};
    bodies[3] = bodies[2];
    bodies[3].radius = 0.0; // sharp edges
    static Snapshot snapshot;
    snapshot.scene.collider_count = 4;
    for (int i = 0; i < 4; i++) {
        collider_prepare(&bodies[i]);
        snapshot.scene.colliders[i] = bodies[i];
        snapshot.motions[i].centre = (Vec3){0.5 * i, -0.2, 0.3};
    }
    // Of a box with a ball rolled around it: box, sides, edges and corners.
    const double cx = 0.25, cy = 0.15, cz = 0.05, r = 0.05, ball = 4.0 / 3.0 * M_PI;
    const double volume[4] = {
        ball * pow(0.25, 3),
        ball * pow(0.25, 3) + M_PI * pow(0.25, 2) * 2.0 * vec3_length(bodies[1].half),
        8.0 * cx * cy * cz + 8.0 * r * (cx * cy + cy * cz + cz * cx) +
            2.0 * M_PI * r * r * (cx + cy + cz) + ball * r * r * r,
        8.0 * 0.3 * 0.2 * 0.1,
    };
    Frame frame = {.snapshot = &snapshot, .options = &DARK, .palette = palette_for(false)};
    ClothMesh none = {0};
    SolidSet set = {0};
    static float points[SOLID_POINTS_MAX][3];
    solid_set_update(&set, &frame, &none);
    assert_int_equal(set.count, 4);
    for (int i = 0; i < 4; i++) {
        const SolidShape *shape = solids_surface(&solids, &set, i, points);
        assert_true(shape->vertex_count > 100 && shape->vertex_count <= SOLID_POINTS_MAX);
        double six_volumes = 0.0;
        for (int v = 0; v < shape->vertex_count; v++) {
            Vec3 point = {points[v][0], points[v][1], points[v][2]}, normal;
            double off = collider_distance(&bodies[i], snapshot.motions[i].centre, point, &normal);
            assert_true(fabs(off) < 1e-5);
        }
        for (int t = 0; t < shape->triangle_count; t++) {
            Vec3 corner[3];
            for (int k = 0; k < 3; k++) {
                const float *p = points[shape->triangles[3 * t + k]];
                corner[k] = (Vec3){p[0], p[1], p[2]};
            }
            six_volumes += vec3_dot(corner[0], vec3_cross(corner[1], corner[2]));
        }
        double found = six_volumes / 6.0;
        assert_true(found > 0.95 * volume[i] && found < 1.001 * volume[i]);
    }
    solid_set_finish(&set);
    solids_finish(&solids);
}

static Snapshot spring_of(bool pinned)
{
    Scene scene = scene_default();
    scene.params.rows = 1;
    scene.params.columns = 2;
    scene.pins = pinned ? PIN_TOP_LEFT : 0;
    Simulation *simulation = NULL;
    Snapshot snapshot = {0};
    Error error = {0};
    if (simulation_create(&scene, &simulation, &error) != STATUS_OK ||
        simulation_fill_snapshot(simulation, &snapshot, &error) != STATUS_OK) {
        fail_msg("%s", error.text);
    }
    simulation_destroy(simulation);
    return snapshot;
}

static void rods_are_thick_and_masses_are_balls(void **state)
{
    Stage *stage = *state;
    static unsigned char empty[sizeof stage->pixels];
    Snapshot spring = spring_of(true), nothing = {.grabbed = -1};
    nothing.scene = spring.scene;
    nothing.radius = spring.radius;
    memcpy(nothing.centre, spring.centre, sizeof nothing.centre);
    camera_frame(&stage->camera, spring.view_centre, spring.view_radius, WHOLE);
    float from[2], to[2], quarter[3];
    assert_true(camera_project(&stage->camera, WHOLE, spring.position, &from[0], &from[1]));
    assert_true(camera_project(&stage->camera, WHOLE, spring.position + 3, &to[0], &to[1]));
    glm_vec3_lerp(spring.position, spring.position + 3, 0.25f, quarter);
    float length = hypotf(to[0] - from[0], to[1] - from[1]);
    for (int theme = 0; theme < 2; theme++) {
        RenderOptions options = theme ? LIGHT : DARK;
        draw(stage, &nothing, options);
        memcpy(empty, stage->pixels, sizeof empty);
        draw(stage, &spring, options);
        assert_true((float)differing_pixels(stage, empty) > 5.0f * length);
        const unsigned char *pin = pixel_of(stage, spring.position);
        const unsigned char *mass = pixel_of(stage, spring.position + 3);
        assert_true(pin[0] > 150 && pin[1] > 90 && pin[2] < pin[1]);
        assert_true(mass[0] > 130 && mass[0] > mass[1] + 60);

        // Compressed it is blue, stretched it is orange.
        float *end = spring.position + 3, start = end[0];
        end[0] = 0.8f * start;
        draw(stage, &spring, options);
        const unsigned char *p = pixel_of(stage, quarter);
        assert_true(p[2] > p[0] + 30);
        end[0] = 1.2f * start;
        draw(stage, &spring, options);
        p = pixel_of(stage, quarter);
        assert_true(p[0] > p[2] + 60);
        end[0] = start;
    }
    snapshot_finish(&spring);
}

// Lanes have bodies of their own, alone and over each other, also where a number is broken.
static void lanes_keep_their_bodies_apart(void **state)
{
    Stage *stage = *state;
    static unsigned char alone[sizeof stage->pixels];
    Snapshot other = hanging_cloth(ROWS), spring = spring_of(false);
    draw(stage, &stage->cloth, DARK);
    memcpy(alone, stage->pixels, sizeof alone);
    put_ball(&other, (float[3]){1.4f, -0.5f, 0.0f}, 0.2);
    RenderOptions second = DARK;
    second.lane = 1;
    draw(stage, &other, second);
    assert_true(differing_pixels(stage, alone) > 500);
    draw(stage, &stage->cloth, DARK);
    assert_int_equal(differing_pixels(stage, alone), 0);

    const Snapshot *lanes[] = {&stage->cloth, &other, &spring};
    const float colours[3][3] = {{1.0f, 0.2f, 0.2f}, {0.2f, 0.9f, 0.2f}, {0.2f, 0.2f, 0.9f}};
    const double bad[] = {1.4, NAN, INFINITY, -1e30, 3e38};
    for (int i = 0; i < 5; i++) {
        for (int reference = -1; reference < 3; reference++) {
            other.motions[0].centre.x = bad[i];
            renderer_draw_overlay(stage->renderer, lanes, 3, reference, &stage->camera, WHOLE,
                                  &DARK, colours);
            assert_int_equal(glGetError(), GL_NO_ERROR);
            if (i > 0) continue;
            offscreen_read(stage->offscreen, stage->pixels);
            assert_true(is_grey(pixel_of(stage, (float[3]){1.4f, -0.5f, 0.0f})));
        }
        draw(stage, &other, DARK);
    }
    snapshot_finish(&other);
    snapshot_finish(&spring);
}

static void edges_of_a_ball_are_smoothed(void **state)
{
    Stage *stage = *state;
    static unsigned char hard[sizeof stage->pixels];
    float beside, y_beside;
    put_ball(&stage->cloth, (float[3]){1.45f, -0.4f, 0.0f}, 0.2);
    assert_true(
        camera_project(&stage->camera, WHOLE, (float[3]){1.2f, -0.4f, 0.0f}, &beside, &y_beside));
    RenderOptions options = DARK;
    options.detail = DETAIL_WOVEN;
    draw(stage, &stage->cloth, options);
    memcpy(hard, stage->pixels, sizeof hard);
    options.detail = DETAIL_SMOOTH;
    draw(stage, &stage->cloth, options);
    int right = 0; // beside the cloth
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++) {
            size_t i = 4 * ((size_t)y * WIDTH + (size_t)x);
            right += (float)x > beside && memcmp(stage->pixels + i, hard + i, 4) != 0;
        }
    }
    assert_true(right > 20);
}

#define STAGED(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STAGED(a_ball_hides_what_is_behind_it),      STAGED(a_ball_shades_the_floor),
        STAGED(cloth_and_ball_shade_each_other),     STAGED(surfaces_are_those_of_the_solver),
        STAGED(rods_are_thick_and_masses_are_balls), STAGED(lanes_keep_their_bodies_apart),
        STAGED(edges_of_a_ball_are_smoothed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
