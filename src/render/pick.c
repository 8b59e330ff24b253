#include "render/pick.h"

#include <math.h>

// Distance along the ray  eye + t direction  to a triangle, from either side; INFINITY on a miss.
// Moeller & Trumbore 1997, "Fast, Minimum Storage Ray/Triangle Intersection".
static float ray_triangle(vec3 eye, vec3 direction, const float *a, const float *b, const float *c)
{
    vec3 ab, ac, p, q, from_a;
    glm_vec3_sub((float *)b, (float *)a, ab);
    glm_vec3_sub((float *)c, (float *)a, ac);
    glm_vec3_cross(direction, ac, p);
    float determinant = glm_vec3_dot(ab, p);
    glm_vec3_sub(eye, (float *)a, from_a);
    float u = glm_vec3_dot(from_a, p) / determinant;
    glm_vec3_cross(from_a, ab, q);
    float v = glm_vec3_dot(direction, q) / determinant;
    float t = glm_vec3_dot(ac, q) / determinant;
    // Written so that NaN (a degenerate triangle, a position that is not finite) is a miss.
    bool hit = u >= 0.0f && v >= 0.0f && u + v <= 1.0f && t > 0.0f;
    return hit ? t : INFINITY;
}

// Squared distance in pixels between a particle and a pixel; INFINITY behind the camera.
static float pixel_distance2(const Snapshot *snapshot, int particle, const Camera *camera,
                             Viewport viewport, float x, float y)
{
    float px, py;
    if (!camera_project(camera, viewport, snapshot->position + 3 * particle, &px, &py)) {
        return INFINITY;
    }
    return (px - x) * (px - x) + (py - y) * (py - y);
}

// Where the ray is in a body for the first time, in lengths of the unit vector `direction`;
// INFINITY on a miss. A body is nowhere nearer than its distance, so the ray may go that far at
// once.
static float ray_body(const Collider *body, Vec3 centre, vec3 eye, vec3 direction)
{
    enum { MOST_STEPS = 200 };
    const double close = 1e-4 * body->radius;
    Vec3 from = {eye[0], eye[1], eye[2]}, along = {direction[0], direction[1], direction[2]};
    Vec3 to_body = vec3_sub(centre, from), unused;
    double end = vec3_length(to_body) + collider_extent(body), t = 0.0;
    for (int i = 0; i < MOST_STEPS && t <= end; i++) {
        double d = collider_distance(body, centre, vec3_add_scaled(from, t, along), &unused);
        if (d < close) return t > 0.0 ? (float)t : INFINITY; // not from within
        if (!(d < INFINITY)) break;
        t += d;
    }
    return INFINITY;
}

static float foremost_body(const Snapshot *snapshot, vec3 eye, vec3 direction, int *body)
{
    float nearest = INFINITY;
    for (int i = 0; i < snapshot->scene.collider_count; i++) {
        float t =
            ray_body(&snapshot->scene.colliders[i], snapshot->motions[i].centre, eye, direction);
        if (t >= nearest) continue;
        nearest = t;
        *body = i;
    }
    return nearest;
}

static float foremost_triangle(const Snapshot *snapshot, vec3 eye, vec3 direction,
                               const uint32_t **triangle)
{
    float nearest = INFINITY;
    for (int i = 0; i < snapshot->triangle_count; i++) {
        const uint32_t *corner = snapshot->triangles + 3 * i;
        float t =
            ray_triangle(eye, direction, snapshot->position + 3 * corner[0],
                         snapshot->position + 3 * corner[1], snapshot->position + 3 * corner[2]);
        if (t >= nearest) continue;
        nearest = t;
        *triangle = corner;
    }
    return nearest;
}

Pick pick_at(const Snapshot *snapshot, const Camera *camera, Viewport viewport, float x, float y,
             float reach)
{
    vec3 eye, direction;
    camera_position(camera, eye);
    camera_drag_point(camera, viewport, x, y, camera->target, direction);
    glm_vec3_sub(direction, eye, direction);
    glm_vec3_normalize(direction);

    Pick pick = {.particle = -1, .body = -1};
    const uint32_t *foremost = NULL;
    float on_cloth = foremost_triangle(snapshot, eye, direction, &foremost);
    float on_body = foremost_body(snapshot, eye, direction, &pick.body);
    bool is_body = on_body < on_cloth;
    glm_vec3_copy(eye, pick.point);
    if (is_body) glm_vec3_muladds(direction, on_body, pick.point);
    if (is_body && snapshot->triangle_count > 0) return pick;

    float best_distance2 = foremost ? INFINITY : reach * reach;
    int candidates = foremost ? 3 : snapshot->particle_count;
    for (int i = 0; i < candidates; i++) {
        int particle = foremost ? (int)foremost[i] : i;
        float *at = snapshot->position + 3 * particle;
        if (is_body && glm_vec3_distance(eye, at) > on_body + (float)snapshot->spacing) continue;
        float distance2 = pixel_distance2(snapshot, particle, camera, viewport, x, y);
        if (distance2 <= best_distance2 && isfinite(distance2)) {
            pick.particle = particle;
            best_distance2 = distance2;
        }
    }
    if (pick.particle >= 0) pick.body = -1;
    return pick;
}
