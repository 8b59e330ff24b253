#include "render/surface_shape.h"

#include <cglm/cglm.h>
#include <math.h>

enum { BORDER_SWEEPS = 24 }; // rings of edges in which the distance to the border is known

void surface_rest(const Snapshot *snapshot, TriangleRest *rest)
{
    for (int i = 0; i < snapshot->triangle_count; i++) {
        const uint32_t *corner = snapshot->triangles + 3 * i;
        const float *a = snapshot->weave + 2 * corner[0];
        const float *b = snapshot->weave + 2 * corner[1];
        const float *c = snapshot->weave + 2 * corner[2];
        float u1 = b[0] - a[0], v1 = b[1] - a[1], u2 = c[0] - a[0], v2 = c[1] - a[1];
        float sign = u1 * v2 - u2 * v1 < 0.0f ? -1.0f : 1.0f;
        float longest = fmaxf(u1 * u1 + v1 * v1, u2 * u2 + v2 * v2);
        float typical = snapshot->spacing * snapshot->spacing; // also of a side seen end on
        rest[i] = (TriangleRest){{sign * v2, -sign * v1},
                                 TORN_STRETCH * TORN_STRETCH * fmaxf(longest, typical)};
    }
}

static bool is_torn(vec3 ab, vec3 ac, float torn)
{
    vec3 bc;
    glm_vec3_sub(ac, ab, bc);
    return glm_vec3_norm2(ab) > torn || glm_vec3_norm2(ac) > torn || glm_vec3_norm2(bc) > torn;
}

// Unit normals: the sum of the triangles' cross products, which weights them by area. Threads
// alike.
int surface_shape(ClothVertex *vertices, int particle_count, const uint32_t *triangles,
                  const TriangleRest *rest, int triangle_count)
{
    int torn = 0;
    for (int i = 0; i < particle_count; i++) {
        glm_vec3_zero(vertices[i].normal);
        glm_vec3_zero(vertices[i].thread);
    }
    for (int i = 0; i < triangle_count; i++) {
        ClothVertex *corner[3];
        vec3 ab, ac, normal, thread;
        for (int k = 0; k < 3; k++) corner[k] = &vertices[triangles[3 * i + k]];
        glm_vec3_sub(corner[1]->position, corner[0]->position, ab);
        glm_vec3_sub(corner[2]->position, corner[0]->position, ac);
        if (is_torn(ab, ac, rest[i].torn)) {
            torn++;
            continue;
        }
        glm_vec3_cross(ab, ac, normal);
        for (int k = 0; k < 3; k++)
            thread[k] = rest[i].thread[0] * ab[k] + rest[i].thread[1] * ac[k];
        for (int k = 0; k < 3; k++) {
            glm_vec3_add(corner[k]->normal, normal, corner[k]->normal);
            glm_vec3_add(corner[k]->thread, thread, corner[k]->thread);
        }
    }
    for (int i = 0; i < particle_count; i++) {
        glm_vec3_normalize(vertices[i].normal);
        glm_vec3_normalize(vertices[i].thread);
    }
    return torn;
}

int surface_whole(const ClothVertex *vertices, const uint32_t *triangles, const TriangleRest *rest,
                  int triangle_count, uint32_t *whole)
{
    int count = 0;
    for (int i = 0; i < triangle_count; i++) {
        const uint32_t *corner = triangles + 3 * i;
        vec3 ab, ac;
        const float *a = vertices[corner[0]].position;
        glm_vec3_sub((float *)vertices[corner[1]].position, (float *)a, ab);
        glm_vec3_sub((float *)vertices[corner[2]].position, (float *)a, ac);
        if (is_torn(ab, ac, rest[i].torn)) continue;
        for (int k = 0; k < 3; k++) whole[3 * count + k] = corner[k];
        count++;
    }
    return count;
}

static float rest_distance(const Weave *a, const Weave *b)
{
    return hypotf(a->place[0] - b->place[0], a->place[1] - b->place[1]);
}

void surface_weave(const Snapshot *snapshot, const uint32_t *edges, int edge_count,
                   const uint32_t *hem, int hem_count, Weave *weave)
{
    for (int i = 0; i < snapshot->particle_count; i++) {
        const float *place = snapshot->weave + 2 * i;
        weave[i] = (Weave){{place[0], place[1]}, WEAVE_INSIDE};
    }
    for (int i = 0; i < 2 * hem_count; i++) weave[hem[i]].to_border = 0.0f;
    bool shorter = hem_count > 0;
    for (int sweep = 0; sweep < BORDER_SWEEPS && shorter; sweep++) {
        shorter = false;
        for (int i = 0; i < edge_count; i++) {
            Weave *a = &weave[edges[2 * i]], *b = &weave[edges[2 * i + 1]];
            Weave *near = a->to_border < b->to_border ? a : b, *far = near == a ? b : a;
            float through = near->to_border + rest_distance(a, b);
            if (near->to_border >= WEAVE_INSIDE || through >= far->to_border) continue;
            far->to_border = through;
            shorter = true;
        }
    }
}
