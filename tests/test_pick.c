// Picking: the particle that is visible under the cursor is picked.
#include "render/pick.h"

#include "support/hanging_cloth.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { ROWS = 9 };
static const Viewport VIEWPORT = {230, 48, 735, 640};
static const float REACH = 12.0f; // pixels

typedef struct Scenery {
    Snapshot snapshot;
    Camera camera;
} Scenery;

static int setup(void **state)
{
    static Scenery scenery;
    scenery.snapshot = hanging_cloth(ROWS);
    camera_frame(&scenery.camera, scenery.snapshot.centre, scenery.snapshot.radius, VIEWPORT);
    *state = &scenery;
    return 0;
}

static int teardown(void **state)
{
    snapshot_finish(&((Scenery *)*state)->snapshot);
    return 0;
}

static int particle_at(const Scenery *s, float x, float y)
{
    return pick_at(&s->snapshot, &s->camera, VIEWPORT, x, y, REACH).particle;
}

static void pixel_of(const Scenery *s, int particle, float *x, float *y)
{
    const float *point = s->snapshot.position + 3 * particle;
    assert_true(camera_project(&s->camera, VIEWPORT, point, x, y));
}

static void test_every_particle_is_found_at_its_pixel(void **state)
{
    const Scenery *s = *state;
    for (int i = 0; i < s->snapshot.particle_count; i++) {
        float x, y;
        pixel_of(s, i, &x, &y);
        assert_int_equal(particle_at(s, x, y), i);
        assert_int_equal(particle_at(s, x + 2.0f, y - 3.0f), i); // and near it
    }
}

static void test_inside_a_cell_the_nearest_corner(void **state)
{
    const Scenery *s = *state;
    int a = 3 * ROWS + 4, b = 4 * ROWS + 5; // across a cell
    float ax, ay, bx, by;
    pixel_of(s, a, &ax, &ay);
    pixel_of(s, b, &bx, &by);
    assert_int_equal(particle_at(s, ax + 0.3f * (bx - ax), ay + 0.3f * (by - ay)), a);
    assert_int_equal(particle_at(s, ax + 0.7f * (bx - ax), ay + 0.7f * (by - ay)), b);
}

// The lower half folded up in front of the upper one, half a cell lower and to the side.
static void fold(Scenery *s)
{
    for (int j = ROWS / 2 + 1; j < ROWS; j++) {
        for (int i = 0; i < ROWS; i++) {
            float *p = s->snapshot.position + 3 * (j * ROWS + i);
            const float *mirror = s->snapshot.position + 3 * ((ROWS - 1 - j) * ROWS + i);
            p[0] = mirror[0] + 0.05f;
            p[1] = mirror[1] - 0.05f;
            p[2] = 0.2f;
        }
    }
}

static void test_the_front_layer_hides_the_one_behind(void **state)
{
    Scenery *s = *state;
    fold(s);
    int in_front = (ROWS - 2) * ROWS + 4;
    float x, y;
    pixel_of(s, in_front, &x, &y);
    assert_int_equal(particle_at(s, x, y), in_front);

    // At a rear particle's pixel, a front one is picked.
    pixel_of(s, 2 * ROWS + 4, &x, &y);
    assert_true(particle_at(s, x, y) > ROWS * (ROWS / 2));

    // From behind it is the other way round.
    camera_orbit(&s->camera, (float)M_PI, 0.0f);
    int behind = 2 * ROWS + 4;
    pixel_of(s, behind, &x, &y);
    assert_int_equal(particle_at(s, x, y), behind);
}

static void test_beside_the_cloth(void **state)
{
    const Scenery *s = *state;
    int corner = ROWS * (ROWS - 1); // bottom left
    float x, y;
    pixel_of(s, corner, &x, &y);
    assert_int_equal(particle_at(s, x - 6.0f, y + 6.0f), corner);
    assert_int_equal(particle_at(s, x - 12.0f, y + 12.0f), -1); // 17 pixels away
    assert_int_equal(particle_at(s, 1.0f, 1.0f), -1);
    assert_int_equal(particle_at(s, -1e6f, 1e6f), -1);
}

static void test_positions_that_are_not_finite(void **state)
{
    Scenery *s = *state;
    int broken = 4 * ROWS + 4;
    float x, y;
    pixel_of(s, broken, &x, &y);
    s->snapshot.position[3 * broken] = NAN;
    assert_int_not_equal(particle_at(s, x, y), broken);
    for (int i = 0; i < 3 * s->snapshot.particle_count; i++) s->snapshot.position[i] = INFINITY;
    assert_int_equal(particle_at(s, x, y), -1);
}

// What is in front is picked: a ball before the cloth, the cloth before a ball; and a ball beside
// it, whatever particles are near.
static void test_bodies(void **state)
{
    Scenery *s = *state;
    Scene *scene = &s->snapshot.scene;
    int middle = 4 * ROWS + 4;
    const float *at = s->snapshot.position + 3 * middle;
    vec3 eye, to_eye;
    float x, y;
    pixel_of(s, middle, &x, &y);
    camera_position(&s->camera, eye);
    glm_vec3_sub(eye, (float *)at, to_eye);
    glm_vec3_normalize(to_eye);
    scene->collider_count = 1;
    scene->colliders[0] = collider_default();
    scene->colliders[0].radius = 0.1;
    for (int shape = 0; shape < COLLIDER_SHAPES; shape++) {
        scene->colliders[0].shape = (ColliderShape)shape;
        scene->colliders[0].half = shape == COLLIDER_SPHERE ? (Vec3){0} : (Vec3){0.15, 0.15, 0.15};
        for (int side = -1; side <= 1; side += 2) {
            vec3 centre;
            glm_vec3_copy((float *)at, centre);
            glm_vec3_muladds(to_eye, 0.5f * (float)side, centre);
            s->snapshot.motions[0].centre = (Vec3){centre[0], centre[1], centre[2]};
            Pick pick = pick_at(&s->snapshot, &s->camera, VIEWPORT, x, y, REACH);
            assert_int_equal(pick.particle, side > 0 ? -1 : middle);
            assert_int_equal(pick.body, side > 0 ? 0 : -1);
            Vec3 point = {pick.point[0], pick.point[1], pick.point[2]}, normal;
            double d = collider_distance(&scene->colliders[0], s->snapshot.motions[0].centre, point,
                                         &normal);
            if (side > 0) assert_true(fabs(d) < 1e-4);
        }
    }
    s->snapshot.motions[0].centre = (Vec3){NAN, 0.0, 0.0};
    assert_int_equal(particle_at(s, x, y), middle);
    scene->collider_count = 0;
}

static void test_nothing_to_pick(void **state)
{
    const Scenery *s = *state;
    Snapshot empty = {0};
    assert_int_equal(pick_at(&empty, &s->camera, VIEWPORT, 300.0f, 300.0f, REACH).particle, -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_every_particle_is_found_at_its_pixel, setup, teardown),
        cmocka_unit_test_setup_teardown(test_inside_a_cell_the_nearest_corner, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_front_layer_hides_the_one_behind, setup, teardown),
        cmocka_unit_test_setup_teardown(test_beside_the_cloth, setup, teardown),
        cmocka_unit_test_setup_teardown(test_positions_that_are_not_finite, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bodies, setup, teardown),
        cmocka_unit_test_setup_teardown(test_nothing_to_pick, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
