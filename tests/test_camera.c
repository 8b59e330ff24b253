// The camera: all functions agree on which pixel belongs to which point, and the usual view shows
// the cloth.
#include "render/camera.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const Viewport VIEWPORTS[] = {
    {0, 0, 1280, 800}, {230, 48, 735, 640}, {10, 0, 300, 900}, {0, 0, 64, 64}};
enum { VIEWPORT_COUNT = sizeof VIEWPORTS / sizeof VIEWPORTS[0] };

static const float CENTRE[3] = {0.5f, 0.0f, 0.5f}; // of a flat cloth of 1 m
static const float RADIUS = 0.70711f;

static void assert_near(float a, float b, float tolerance)
{
    if (!(fabsf(a - b) <= tolerance)) fail_msg("%g is not %g +- %g", a, b, tolerance);
}

static void project(const Camera *camera, Viewport viewport, const float point[3], float pixel[2])
{
    assert_true(camera_project(camera, viewport, point, &pixel[0], &pixel[1]));
}

static void test_drag_point_is_the_inverse_of_project(void **state)
{
    (void)state;
    Camera camera = {.target = {0.2f, -0.4f, 0.1f}, .distance = 2.5f};
    for (int i = 0; i < VIEWPORT_COUNT; i++) {
        for (int k = 0; k < 12; k++) {
            camera_orbit(&camera, 0.7f, 0.2f * sinf((float)k));
            float point[3] = {0.1f * (float)k, -0.05f * (float)k, 0.3f}, pixel[2], back[3];
            project(&camera, VIEWPORTS[i], point, pixel);
            camera_drag_point(&camera, VIEWPORTS[i], pixel[0], pixel[1], point, back);
            for (int c = 0; c < 3; c++) assert_near(back[c], point[c], 1e-5f);

            // Another pixel gives another point at the same depth.
            float moved[3], moved_pixel[2];
            camera_drag_point(&camera, VIEWPORTS[i], pixel[0] + 30, pixel[1] - 20, point, moved);
            project(&camera, VIEWPORTS[i], moved, moved_pixel);
            assert_near(moved_pixel[0], pixel[0] + 30, 0.02f);
            assert_near(moved_pixel[1], pixel[1] - 20, 0.02f);
        }
    }
}

static void test_matrices_agree_with_project(void **state)
{
    (void)state;
    for (int i = 0; i < VIEWPORT_COUNT; i++) {
        Camera camera;
        camera_frame(&camera, CENTRE, RADIUS, VIEWPORTS[i]);
        mat4 view, projection;
        camera_matrices(&camera, VIEWPORTS[i], view, projection);
        vec4 point = {0.3f, -0.6f, 0.2f, 1.0f}, clip;
        float pixel[2];
        project(&camera, VIEWPORTS[i], point, pixel);
        glm_mat4_mulv(view, point, clip);
        glm_mat4_mulv(projection, clip, clip);
        float x = (0.5f + 0.5f * clip[0] / clip[3]) * (float)VIEWPORTS[i].width;
        float y = (0.5f - 0.5f * clip[1] / clip[3]) * (float)VIEWPORTS[i].height;
        assert_near(x, pixel[0], 0.01f);
        assert_near(y, pixel[1], 0.01f);
        assert_true(clip[2] > -clip[3] && clip[2] < clip[3]); // between near and far
    }
}

static void test_frame_shows_start_hanging_cloth_and_shadow(void **state)
{
    (void)state;
    static const float POINTS[][3] = {
        {0, 0, 0},        {1, 0, 0},        {0, 0, 1}, {1, 0, 1}, // flat, and the top edge
        {0, -1, 0},       {1, -1, 0},                             // hanging
        {0, -1.3f, 0.3f}, {1, -1.3f, 0.3f},                       // its shadow
    };
    for (int i = 0; i < VIEWPORT_COUNT; i++) {
        Viewport v = VIEWPORTS[i];
        Camera camera;
        camera_frame(&camera, CENTRE, RADIUS, v);
        for (size_t k = 0; k < sizeof POINTS / sizeof POINTS[0]; k++) {
            float pixel[2];
            project(&camera, v, POINTS[k], pixel);
            assert_true(pixel[0] >= 0.5f && pixel[0] < (float)v.width - 0.5f);
            assert_true(pixel[1] >= 0.5f && pixel[1] < (float)v.height - 0.5f);
        }
        float top[2], bottom[2];
        project(&camera, v, POINTS[0], top);
        project(&camera, v, POINTS[4], bottom);
        float smaller = fminf((float)v.width, (float)v.height);
        assert_true(bottom[1] - top[1] > 0.25f * smaller); // large enough
    }
}

static void test_frame_scales_with_the_cloth(void **state)
{
    (void)state;
    Camera small, large;
    camera_frame(&small, CENTRE, RADIUS, VIEWPORTS[0]);
    camera_frame(&large, (float[3]){5.0f, 0.0f, 5.0f}, 10.0f * RADIUS, VIEWPORTS[0]);
    float a[2], b[2];
    project(&small, VIEWPORTS[0], (float[3]){0.25f, -0.5f, 0.1f}, a);
    project(&large, VIEWPORTS[0], (float[3]){2.5f, -5.0f, 1.0f}, b);
    assert_near(a[0], b[0], 0.05f);
    assert_near(a[1], b[1], 0.05f);
}

static void test_looks_from_the_front_and_above(void **state)
{
    (void)state;
    Camera camera;
    camera_frame(&camera, CENTRE, RADIUS, VIEWPORTS[0]);
    vec3 eye;
    camera_position(&camera, eye);
    assert_true(eye[2] > 1.0f);
    assert_true(eye[1] > camera.target[1]);

    camera.yaw = camera.pitch = 0.0f; // then straight along -z
    camera_position(&camera, eye);
    assert_near(eye[0], camera.target[0], 1e-6f);
    assert_near(eye[1], camera.target[1], 1e-6f);
    assert_near(eye[2], camera.target[2] + camera.distance, 1e-6f);
}

static void test_orbit_and_zoom_have_limits(void **state)
{
    (void)state;
    Camera camera = {.distance = 3.0f};
    camera_orbit(&camera, 0.0f, 10.0f);
    assert_near(camera.pitch, 89.0f * (float)M_PI / 180.0f, 1e-3f);
    camera_orbit(&camera, 0.0f, -10.0f);
    assert_near(camera.pitch, -89.0f * (float)M_PI / 180.0f, 1e-3f);
    for (int i = 0; i < 1000; i++) camera_orbit(&camera, 1.0f, 0.0f);
    assert_true(fabsf(camera.yaw) <= 3.15f);

    camera_zoom(&camera, 3.0f);
    camera_zoom(&camera, -3.0f);
    assert_near(camera.distance, 3.0f, 1e-5f);
    camera_zoom(&camera, 1000.0f);
    assert_near(camera.distance, 0.05f, 1e-6f);
    camera_zoom(&camera, -1000.0f);
    assert_near(camera.distance, 100.0f, 1e-4f);
}

static void test_pan_follows_the_cursor(void **state)
{
    (void)state;
    Camera camera;
    camera_frame(&camera, CENTRE, RADIUS, VIEWPORTS[1]);
    float point[3], before[2], after[2];
    glm_vec3_copy(camera.target, point);
    project(&camera, VIEWPORTS[1], point, before);
    camera_pan(&camera, 40.0f, -25.0f, VIEWPORTS[1].height);
    project(&camera, VIEWPORTS[1], point, after);
    assert_near(after[0] - before[0], 40.0f, 0.05f);
    assert_near(after[1] - before[1], -25.0f, 0.05f);
}

static void test_what_cannot_be_seen(void **state)
{
    (void)state;
    Camera camera;
    camera_frame(&camera, CENTRE, RADIUS, VIEWPORTS[0]);
    float x, y, out[3];
    assert_false(camera_project(&camera, VIEWPORTS[0], (float[3]){0.5f, 5.0f, 20.0f}, &x, &y));
    assert_false(camera_project(&camera, VIEWPORTS[0], (float[3]){NAN, 0.0f, 0.0f}, &x, &y));
    assert_false(camera_project(&camera, VIEWPORTS[0], (float[3]){INFINITY, 0.0f, 0.0f}, &x, &y));

    // Panels may leave a viewport of size 0.
    Viewport none = {0, 0, 0, 0};
    mat4 view, projection;
    camera_frame(&camera, CENTRE, RADIUS, none);
    camera_matrices(&camera, none, view, projection);
    camera_drag_point(&camera, none, 0.0f, 0.0f, CENTRE, out);
    assert_true(isfinite(camera.distance) && isfinite(projection[0][0]) && isfinite(out[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drag_point_is_the_inverse_of_project),
        cmocka_unit_test(test_matrices_agree_with_project),
        cmocka_unit_test(test_frame_shows_start_hanging_cloth_and_shadow),
        cmocka_unit_test(test_frame_scales_with_the_cloth),
        cmocka_unit_test(test_looks_from_the_front_and_above),
        cmocka_unit_test(test_orbit_and_zoom_have_limits),
        cmocka_unit_test(test_pan_follows_the_cursor),
        cmocka_unit_test(test_what_cannot_be_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
