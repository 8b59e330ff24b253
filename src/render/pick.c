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

int pick_particle(const Snapshot *snapshot, const Camera *camera, Viewport viewport, float x,
                  float y, float reach)
{
    vec3 eye, direction;
    camera_position(camera, eye);
    camera_drag_point(camera, viewport, x, y, camera->target, direction);
    glm_vec3_sub(direction, eye, direction);

    const uint32_t *foremost = NULL;
    float nearest = INFINITY;
    for (int i = 0; i < snapshot->triangle_count; i++) {
        const uint32_t *corner = snapshot->triangles + 3 * i;
        float t =
            ray_triangle(eye, direction, snapshot->position + 3 * corner[0],
                         snapshot->position + 3 * corner[1], snapshot->position + 3 * corner[2]);
        if (t < nearest) {
            nearest = t;
            foremost = corner;
        }
    }

    int best = -1;
    float best_distance2 = foremost ? INFINITY : reach * reach;
    int candidates = foremost ? 3 : snapshot->particle_count;
    for (int i = 0; i < candidates; i++) {
        int particle = foremost ? (int)foremost[i] : i;
        float distance2 = pixel_distance2(snapshot, particle, camera, viewport, x, y);
        if (distance2 <= best_distance2 && isfinite(distance2)) {
            best = particle;
            best_distance2 = distance2;
        }
    }
    return best;
}
