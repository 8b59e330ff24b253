// Coordinates: x and y across the light in texels, z towards the light in metres. Each texel has
// the largest z of the cloth in it. A vertex well below that lies in the shadow. A vertex below the
// mean of its surroundings lies in a fold, one above it on a ridge.
#include "render/self_shadow.h"

#include "render/box_blur.h"

#include <cglm/cglm.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NONE (-1e30f)
enum { SIDE = SELF_SHADOW_SIDE, FOLD_REACH = 5, MARGIN = 3 }; // texels

// A difference of depth that is not a shadow yet, and what it takes more to be a full one. In
// texels, and in distances between vertices: neighbours of a coarse cloth differ in depth as well.
static const float SHADOW_FROM = 3.0f, SHADOW_FROM_SPACINGS = 0.5f;
static const float SHADOW_RANGE = 9.0f, SHADOW_RANGE_SPACINGS = 1.0f;
// In texels: the depth of a fold that is as dark as can be.
static const float DEEPEST_FOLD = 7.0f;

typedef LightImage LightView;

typedef struct LightPoint {
    float x, y, z;
} LightPoint;

static inline float smaller(float a, float b)
{
    return a < b ? a : b;
}
static inline float larger(float a, float b)
{
    return a > b ? a : b;
}

static inline LightPoint seen(const LightView *view, const float *p)
{
    float x = p[0] * view->across[0] + p[1] * view->across[1] + p[2] * view->across[2];
    float y = p[0] * view->up[0] + p[1] * view->up[1] + p[2] * view->up[2];
    float z = p[0] * view->towards[0] + p[1] * view->towards[1] + p[2] * view->towards[2];
    return (LightPoint){(x - view->left) * view->per_metre, (y - view->bottom) * view->per_metre,
                        z};
}

// The image holds the cloth, but no more than a few times its size: one that has flown apart has
// no folds to show.
static LightView fit(const ClothMesh *mesh, const float light[3], float size)
{
    LightView view = {.per_metre = 1.0f};
    glm_vec3_copy((float *)light, view.towards);
    glm_vec3_crossn((vec3){0.13f, 0.97f, 0.21f}, view.towards, view.across);
    glm_vec3_cross(view.towards, view.across, view.up);
    float low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int i = 0; i < mesh->particle_count; i++) {
        LightPoint p = seen(&view, mesh->vertices[i].position);
        low[0] = smaller(low[0], p.x), high[0] = larger(high[0], p.x);
        low[1] = smaller(low[1], p.y), high[1] = larger(high[1], p.y);
    }
    float extent = larger(high[0] - low[0], high[1] - low[1]);
    extent = smaller(larger(extent, 0.2f * size), 4.0f * size);
    view.per_metre = (float)(SIDE - 2 * MARGIN) / extent;
    view.left = 0.5f * (low[0] + high[0]) - 0.5f * (float)SIDE / view.per_metre;
    view.bottom = 0.5f * (low[1] + high[1]) - 0.5f * (float)SIDE / view.per_metre;
    return view;
}

static inline void put(float *image, int x, int y, float z)
{
    float *texel = &image[y * SIDE + x];
    if (z > *texel) *texel = z;
}

static void fill_triangle(float *image, LightPoint a, LightPoint b, LightPoint c)
{
    const float last = SIDE - 1;
    float x0 = ceilf(larger(smaller(a.x, smaller(b.x, c.x)), 0.0f));
    float y0 = ceilf(larger(smaller(a.y, smaller(b.y, c.y)), 0.0f));
    float x1 = smaller(larger(a.x, larger(b.x, c.x)), last);
    float y1 = smaller(larger(a.y, larger(b.y, c.y)), last);
    float area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
    float scale = fabsf(area) > 1e-6f ? 1.0f / area : 0.0f;
    if (scale == 0.0f) return;
    const float slack = -0.01f; // rounding leaves no gaps between triangles
    for (float y = y0; y <= y1; y += 1.0f) {
        for (float x = x0; x <= x1; x += 1.0f) {
            float to_b = scale * ((x - a.x) * (c.y - a.y) - (y - a.y) * (c.x - a.x));
            float to_c = scale * ((b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x));
            if (to_b < slack || to_c < slack || to_b + to_c > 1.0f - slack) continue;
            put(image, (int)x, (int)y, a.z + to_b * (b.z - a.z) + to_c * (c.z - a.z));
        }
    }
}

static void fill_dots(float *image, const LightPoint *points, int count)
{
    for (int i = 0; i < count; i++) {
        LightPoint p = points[i];
        if (!(p.x >= 0.0f && p.y >= 0.0f && p.x < SIDE - 1 && p.y < SIDE - 1)) continue;
        int x = (int)p.x, y = (int)p.y;
        put(image, x, y, p.z);
        put(image, x + 1, y, p.z);
        put(image, x, y + 1, p.z);
        put(image, x + 1, y + 1, p.z);
    }
}

// Mean depth of the cloth around each texel, in `smooth`.
static void blur(SelfShadowScratch *scratch, float reference)
{
    for (int i = 0; i < SIDE * SIDE; i++) {
        bool cloth = scratch->nearest[i] > NONE;
        scratch->covered[i] = cloth ? 1.0f : 0.0f;
        scratch->smooth[i] = cloth ? scratch->nearest[i] - reference : 0.0f;
    }
    box_sums(scratch->smooth, scratch->blurred, FOLD_REACH, 2); // two boxes: nearly a cone
    box_sums(scratch->covered, scratch->blurred, FOLD_REACH, 2);
    for (int i = 0; i < SIDE * SIDE; i++) {
        float covered = scratch->covered[i];
        scratch->smooth[i] = covered > 0.0f ? scratch->smooth[i] / covered + reference : NONE;
    }
}

static float bilinear(const float *image, int x, int y, float along, float above)
{
    const float *at = image + y * SIDE + x;
    float low = at[0] + along * (at[1] - at[0]);
    float high = at[SIDE] + along * (at[SIDE + 1] - at[SIDE]);
    return low + above * (high - low);
}

static inline float clamp01(float t)
{
    return t < 0.0f ? 0.0f : t > 1.0f ? 1.0f : t;
}

// How much of the light reaches the point, from 4 x 4 texels around it.
static float lit_share(const float *image, LightPoint p, float texel, float spacing)
{
    int x = (int)p.x - 1, y = (int)p.y - 1;
    float from = p.z + SHADOW_FROM * texel + SHADOW_FROM_SPACINGS * spacing;
    float scale = 1.0f / (SHADOW_RANGE * texel + SHADOW_RANGE_SPACINGS * spacing);
    float hidden = 0.0f;
    for (int j = 0; j < 4; j++) {
        for (int i = 0; i < 4; i++)
            hidden += clamp01((image[(y + j) * SIDE + x + i] - from) * scale);
    }
    return 1.0f - hidden / 16.0f;
}

// Near the border the mean is of one side only, and tells nothing.
static float trust(float covered)
{
    const float most = (2 * FOLD_REACH + 1) * (2 * FOLD_REACH + 1);
    return clamp01(4.0f * covered / (most * most) - 3.0f);
}

static void shade_vertices(const SelfShadowScratch *scratch, ClothMesh *mesh,
                           const LightPoint *points, float texel, float spacing)
{
    for (int i = 0; i < mesh->particle_count; i++) {
        LightPoint p = points[i];
        VertexShade *shade = &mesh->shade[i];
        *shade = (VertexShade){.lit = 255, .height = 128};
        if (!(p.x >= 1.0f && p.y >= 1.0f && p.x < SIDE - 3 && p.y < SIDE - 3)) continue;
        int x = (int)p.x, y = (int)p.y;
        float around = bilinear(scratch->smooth, x, y, p.x - (float)x, p.y - (float)y);
        float height = around > 0.5f * NONE ? (p.z - around) / (DEEPEST_FOLD * texel) : 0.0f;
        height *= trust(scratch->covered[y * SIDE + x]);
        height = height < -1.0f ? -1.0f : height > 1.0f ? 1.0f : height;
        float lit = lit_share(scratch->nearest, p, texel, spacing);
        height *= lit; // what another part hides is dark already, and the mean is of that part
        shade->lit = (uint8_t)(255.0f * lit + 0.5f);
        shade->height = (uint8_t)(128.5f + 127.0f * height);
    }
}

// Between far vertices the border of a shadow would have steps: average with the neighbours.
// `sums` has room for three numbers per vertex.
static void soften(ClothMesh *mesh, float *sums)
{
    for (int i = 0; i < 3 * mesh->particle_count; i++) sums[i] = 0.0f;
    for (int i = 0; i < mesh->edge_count; i++) {
        uint32_t a = mesh->edges[2 * i], b = mesh->edges[2 * i + 1];
        float *at_a = sums + 3 * a, *at_b = sums + 3 * b;
        at_a[0] += mesh->shade[b].lit;
        at_b[0] += mesh->shade[a].lit;
        at_a[1] += mesh->shade[b].height;
        at_b[1] += mesh->shade[a].height;
        at_a[2] += 1.0f;
        at_b[2] += 1.0f;
    }
    for (int i = 0; i < mesh->particle_count; i++) {
        const float *s = sums + 3 * i;
        VertexShade *shade = &mesh->shade[i];
        if (s[2] == 0.0f) continue;
        shade->lit = (uint8_t)(0.35f * shade->lit + 0.65f * s[0] / s[2] + 0.5f);
        shade->height = (uint8_t)(0.6f * shade->height + 0.4f * s[1] / s[2] + 0.5f);
    }
}

static void fill_solids(SelfShadowScratch *scratch, const SolidRenderer *solids,
                        const SolidSet *set, const LightView *view)
{
    for (int number = 0; number < set->body_count; number++) {
        const SolidShape *shape = solids_surface(solids, set, number, scratch->points);
        for (int i = 0; i < shape->triangle_count; i++) {
            const uint32_t *t = shape->triangles + 3 * i;
            fill_triangle(scratch->nearest, seen(view, scratch->points[t[0]]),
                          seen(view, scratch->points[t[1]]), seen(view, scratch->points[t[2]]));
        }
    }
}

void self_shadow_cast(SelfShadowScratch *scratch, ClothMesh *mesh, const SolidRenderer *solids,
                      const SolidSet *set, const float light[3], float size)
{
    LightView view = fit(mesh, light, size);
    LightPoint *points = malloc((size_t)mesh->particle_count * sizeof *points);
    if (!points) return; // the shades of before
    for (int i = 0; i < mesh->particle_count; i++)
        points[i] = seen(&view, mesh->vertices[i].position);
    for (int i = 0; i < SIDE * SIDE; i++) scratch->nearest[i] = NONE;
    // Vertices closer than texels cover the image by themselves.
    float spacing = mesh->particle_count > 0 ? size / sqrtf((float)mesh->particle_count) : size;
    if (spacing * view.per_metre < 1.1f) {
        fill_dots(scratch->nearest, points, mesh->particle_count);
    } else {
        const uint32_t *triangles = cloth_mesh_whole(mesh);
        for (int i = 0; i < mesh->whole_count; i++) {
            const uint32_t *t = triangles + 3 * i;
            fill_triangle(scratch->nearest, points[t[0]], points[t[1]], points[t[2]]);
        }
    }
    blur(scratch, mesh->particle_count > 0 ? points[0].z : 0.0f);
    view.spacing = spacing;
    scratch->light = view;
    memcpy(scratch->cloth, scratch->nearest, sizeof scratch->cloth);
    fill_solids(scratch, solids, set, &view);
    shade_vertices(scratch, mesh, points, 1.0f / view.per_metre, spacing);
    int passes = spacing * view.per_metre < 1.1f ? 3 : 6;
    for (int i = 0; i < passes; i++) soften(mesh, &points[0].x);
    free(points);
}
