#include "render/camera.h"

#include <math.h>

static const float FIELD_OF_VIEW = 0.61f; // rad, 35 degrees: a long lens, little distortion
static const float USUAL_YAW = 0.30f;     // rad, a little from the right
static const float USUAL_PITCH = 0.36f;   // rad, a little from above, so that the floor is visible
static const float LARGEST_PITCH = 1.5533f;            // rad, 89 degrees: `up` stays defined
static const float NEAREST = 0.05f, FARTHEST = 100.0f; // m
static const float ZOOM_PER_STEP = 0.12f;              // of the distance, per wheel step

typedef struct Basis { // orthonormal, right-handed: right x up = -forward
    vec3 right, up, forward;
} Basis;

static Basis camera_basis(const Camera *camera)
{
    float cy = cosf(camera->yaw), sy = sinf(camera->yaw);
    float cp = cosf(camera->pitch), sp = sinf(camera->pitch);
    return (Basis){
        .right = {cy, 0.0f, -sy},
        .up = {-sy * sp, cp, -cy * sp},
        .forward = {-sy * cp, -sp, -cy * cp},
    };
}

// The panels may leave no room for the view; then compute with one pixel.
static float aspect_of(Viewport viewport)
{
    return (float)(viewport.width > 0 ? viewport.width : 1) /
           (float)(viewport.height > 0 ? viewport.height : 1);
}

void camera_frame(Camera *camera, const float centre[3], float radius, Viewport viewport)
{
    // A square cloth that starts flat has sides of radius * sqrt 2. Hung by one side it swings
    // through the box of that size below its start; a little lower is the floor with the shadow.
    // This ball, found by trial, holds all of that without making the cloth small.
    const float drop = 0.80f * radius;
    const float reach = 1.35f * radius;

    float half_height = 0.5f * FIELD_OF_VIEW;
    float half_width = atanf(tanf(half_height) * aspect_of(viewport));
    *camera = (Camera){
        .target = {centre[0], centre[1] - drop, centre[2]},
        .yaw = USUAL_YAW,
        .pitch = USUAL_PITCH,
        .distance = glm_clamp(reach / sinf(fminf(half_height, half_width)), NEAREST, FARTHEST),
    };
}

void camera_orbit(Camera *camera, float yaw, float pitch)
{
    camera->yaw = remainderf(camera->yaw + yaw, 2.0f * (float)M_PI);
    camera->pitch = glm_clamp(camera->pitch + pitch, -LARGEST_PITCH, LARGEST_PITCH);
}

void camera_pan(Camera *camera, float dx, float dy, int height)
{
    // Points at the target's depth follow the cursor exactly.
    float metres_per_pixel =
        2.0f * camera->distance * tanf(0.5f * FIELD_OF_VIEW) / (float)(height > 0 ? height : 1);
    Basis basis = camera_basis(camera);
    glm_vec3_muladds(basis.right, -dx * metres_per_pixel, camera->target);
    glm_vec3_muladds(basis.up, dy * metres_per_pixel, camera->target);
}

void camera_zoom(Camera *camera, float steps)
{
    camera->distance =
        glm_clamp(camera->distance * expf(-ZOOM_PER_STEP * steps), NEAREST, FARTHEST);
}

void camera_matrices(const Camera *camera, Viewport viewport, mat4 view, mat4 projection)
{
    Basis basis = camera_basis(camera);
    vec3 eye;
    camera_position(camera, eye);
    glm_look(eye, basis.forward, basis.up, view);
    // Near and far scale with the distance, so the depth buffer is most precise at the cloth.
    glm_perspective(FIELD_OF_VIEW, aspect_of(viewport), 0.02f * camera->distance,
                    40.0f * camera->distance + 20.0f, projection);
}

void camera_position(const Camera *camera, vec3 out)
{
    Basis basis = camera_basis(camera);
    glm_vec3_copy((float *)camera->target, out);
    glm_vec3_muladds(basis.forward, -camera->distance, out);
}

void camera_drag_point(const Camera *camera, Viewport viewport, float x, float y,
                       const float point[3], float out[3])
{
    Basis basis = camera_basis(camera);
    vec3 eye, to_point;
    camera_position(camera, eye);
    glm_vec3_sub((float *)point, eye, to_point);
    float depth = glm_vec3_dot(to_point, basis.forward);

    // Half the view's height in metres at that depth, per half the viewport's height in pixels.
    float metres_per_pixel = 2.0f * depth * tanf(0.5f * FIELD_OF_VIEW) /
                             (float)(viewport.height > 0 ? viewport.height : 1);
    glm_vec3_copy(eye, out);
    glm_vec3_muladds(basis.forward, depth, out);
    glm_vec3_muladds(basis.right, (x - 0.5f * (float)viewport.width) * metres_per_pixel, out);
    glm_vec3_muladds(basis.up, (0.5f * (float)viewport.height - y) * metres_per_pixel, out);
}

bool camera_project(const Camera *camera, Viewport viewport, const float point[3], float *x,
                    float *y)
{
    Basis basis = camera_basis(camera);
    vec3 eye, to_point;
    camera_position(camera, eye);
    glm_vec3_sub((float *)point, eye, to_point);
    float depth = glm_vec3_dot(to_point, basis.forward);
    if (!(depth > 0.0f)) return false; // NaN too

    float pixels_per_metre = 0.5f * (float)viewport.height / (depth * tanf(0.5f * FIELD_OF_VIEW));
    *x = 0.5f * (float)viewport.width + glm_vec3_dot(to_point, basis.right) * pixels_per_metre;
    *y = 0.5f * (float)viewport.height - glm_vec3_dot(to_point, basis.up) * pixels_per_metre;
    return isfinite(*x) && isfinite(*y);
}
