// Each triangle is projected along the light onto the floor and drawn into the layers just below
// and above its height. Higher layers are blurred more and count less; then all layers are added.
// So the shadow of a hanging cloth is crisp at its lower edge and soft at its upper one.
#include "render/shadow.h"

#include <math.h>
#include <string.h>

// The light is high, a little behind and to the right of the cloth, so the shadow falls to the
// front, where the usual camera sees it. Metres of shift per metre of height:
static const float SHIFT_X = -0.10f, SHIFT_Z = 0.22f;

// Heights of the layers in units of the cloth's side.
static const float LAYER_HEIGHT[SHADOW_LAYERS] = {0.0f, 0.5f, 1.3f};

// Standard deviation.
static float blur_of(float height)
{
    return 0.02f + 0.10f * height;
}
static float strength_of(float height)
{
    return 1.0f / (1.0f + 0.7f * height);
}

// fminf and fmaxf are slow calls into libm because they handle NaN; there is none here.
static inline float smaller(float a, float b)
{
    return a < b ? a : b;
}
static inline float larger(float a, float b)
{
    return a > b ? a : b;
}

typedef struct Point {
    float x, z, height; // m on the floor and above it; later x and z in texels
} Point;

static Point project(const float *p, float ground)
{
    float height = larger(p[1] - ground, 0.0f);
    return (Point){p[0] + SHIFT_X * height, p[2] + SHIFT_Z * height, height};
}

// Choose a square that holds the shadow and its blur. Its side grows in steps and its middle moves
// in whole texels, so that the image does not shimmer while the cloth moves a little.
static void fit(Shadow *shadow, const ClothMesh *mesh, const SolidSet *set, float ground,
                float size)
{
    float low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int i = 0; i < mesh->particle_count; i++) {
        Point p = project(mesh->vertices[i].position, ground);
        low[0] = smaller(low[0], p.x), high[0] = larger(high[0], p.x);
        low[1] = smaller(low[1], p.z), high[1] = larger(high[1], p.z);
    }
    for (int i = 0; i < set->count; i++) {
        Point p = project(set->items[i].centre, ground);
        float reach = solid_reach(&set->items[i]);
        low[0] = smaller(low[0], p.x - reach), high[0] = larger(high[0], p.x + reach);
        low[1] = smaller(low[1], p.z - reach), high[1] = larger(high[1], p.z + reach);
    }
    float margin = 2.5f * size * blur_of(LAYER_HEIGHT[SHADOW_LAYERS - 1]);
    float wanted = 0.5f * larger(high[0] - low[0], high[1] - low[1]) + margin;
    shadow->half_side = size;
    for (int i = 0; i < 8 && shadow->half_side < wanted; i++) shadow->half_side *= 1.25f;
    float texel = 2.0f * shadow->half_side / SHADOW_SIDE;
    for (int k = 0; k < 2; k++) {
        shadow->centre[k] = texel * roundf(0.5f * (low[k] + high[k]) / texel);
    }
}

static float edge(Point a, Point b, float x, float z)
{
    return (b.x - a.x) * (z - a.z) - (b.z - a.z) * (x - a.x);
}

static void fill_triangle(ShadowScratch *scratch, Point a, Point b, Point c, float size)
{
    const float last = SHADOW_SIDE - 1;
    float x0 = ceilf(larger(smaller(a.x, smaller(b.x, c.x)), 0.0f));
    float z0 = ceilf(larger(smaller(a.z, smaller(b.z, c.z)), 0.0f));
    float x1 = smaller(larger(a.x, larger(b.x, c.x)), last);
    float z1 = smaller(larger(a.z, larger(b.z, c.z)), last);

    // The layers just below and above share the triangle.
    float height =
        smaller((a.height + b.height + c.height) / (3.0f * size), LAYER_HEIGHT[SHADOW_LAYERS - 1]);
    int below = 0;
    while (below < SHADOW_LAYERS - 2 && height > LAYER_HEIGHT[below + 1]) below++;
    float share = (height - LAYER_HEIGHT[below]) / (LAYER_HEIGHT[below + 1] - LAYER_HEIGHT[below]);

    float orientation = edge(a, b, c.x, c.z) < 0.0f ? -1.0f : 1.0f;
    for (float z = z0; z <= z1; z += 1.0f) {
        for (float x = x0; x <= x1; x += 1.0f) {
            if (orientation * edge(a, b, x, z) < 0.0f || orientation * edge(b, c, x, z) < 0.0f ||
                orientation * edge(c, a, x, z) < 0.0f) {
                continue;
            }
            int i = (int)z * SHADOW_SIDE + (int)x;
            float *low = &scratch->layers[below][i], *high = &scratch->layers[below + 1][i];
            *low = larger(*low, 1.0f - share);
            *high = larger(*high, share);
        }
    }
}

// Mean over 2 reach + 1 texels of each row, written transposed; two calls blur both directions.
static void box_blur_transposed(const float *in, float *out, int reach)
{
    float scale = 1.0f / (float)(2 * reach + 1);
    for (int row = 0; row < SHADOW_SIDE; row++) {
        const float *line = in + row * SHADOW_SIDE;
        float sum = 0.0f;
        for (int i = 0; i < reach; i++) sum += line[i];
        for (int i = 0; i < SHADOW_SIDE; i++) {
            if (i + reach < SHADOW_SIDE) sum += line[i + reach];
            if (i - reach > 0) sum -= line[i - reach - 1];
            out[i * SHADOW_SIDE + row] = scale * sum;
        }
    }
}

static void fill_solids(const Shadow *shadow, ShadowScratch *scratch, const SolidRenderer *solids,
                        const SolidSet *set, float ground, float size)
{
    float texel = 2.0f * shadow->half_side / SHADOW_SIDE;
    float left = shadow->centre[0] - shadow->half_side, top = shadow->centre[1] - shadow->half_side;
    for (int number = 0; number < set->count; number++) {
        // Rods of what has flown apart would cover the image many times.
        if (number >= set->body_count && solid_reach(&set->items[number]) > size) continue;
        const SolidShape *shape = solids_surface(solids, set, number, scratch->points);
        for (int i = 0; i < shape->triangle_count; i++) {
            Point corner[3];
            for (int k = 0; k < 3; k++) {
                Point p = project(scratch->points[shape->triangles[3 * i + k]], ground);
                corner[k] =
                    (Point){(p.x - left) / texel - 0.5f, (p.z - top) / texel - 0.5f, p.height};
            }
            fill_triangle(scratch, corner[0], corner[1], corner[2], size);
        }
    }
}

void shadow_cast(Shadow *shadow, ShadowScratch *scratch, const ClothMesh *mesh,
                 const SolidRenderer *solids, const SolidSet *set, float ground, float size)
{
    fit(shadow, mesh, set, ground, size);
    float texel = 2.0f * shadow->half_side / SHADOW_SIDE;
    float left = shadow->centre[0] - shadow->half_side, top = shadow->centre[1] - shadow->half_side;

    memset(scratch->layers, 0, sizeof scratch->layers);
    const uint32_t *triangles = cloth_mesh_whole(mesh);
    for (int i = 0; i < mesh->whole_count; i++) {
        Point corner[3];
        for (int k = 0; k < 3; k++) {
            Point p = project(mesh->vertices[triangles[3 * i + k]].position, ground);
            // Texel centres are at whole numbers.
            corner[k] = (Point){(p.x - left) / texel - 0.5f, (p.z - top) / texel - 0.5f, p.height};
        }
        fill_triangle(scratch, corner[0], corner[1], corner[2], size);
    }
    fill_solids(shadow, scratch, solids, set, ground, size);

    for (int layer = 0; layer < SHADOW_LAYERS; layer++) {
        // Three boxes of width w approximate a Gaussian of variance (w^2 - 1) / 4.
        // One of a texel hides the texels where the image is large.
        float deviation = larger(size * blur_of(LAYER_HEIGHT[layer]) / texel, 1.0f);
        int reach = (int)lroundf(0.5f * (sqrtf(4.0f * deviation * deviation + 1.0f) - 1.0f));
        for (int pass = 0; pass < 3 && reach > 0; pass++) {
            box_blur_transposed(scratch->layers[layer], scratch->blurred, reach);
            box_blur_transposed(scratch->blurred, scratch->layers[layer], reach);
        }
    }
    for (int i = 0; i < SHADOW_SIDE * SHADOW_SIDE; i++) {
        float darkness = 0.0f;
        for (int layer = 0; layer < SHADOW_LAYERS; layer++) {
            darkness += strength_of(LAYER_HEIGHT[layer]) * scratch->layers[layer][i];
        }
        shadow->texels[i] = (uint8_t)(255.0f * smaller(darkness, 1.0f) + 0.5f);
    }
}
