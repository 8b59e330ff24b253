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

// Vertices per texel, along a side, from which on dots do for triangles.
static const float DENSE = 1.4f;

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

// The layers just below and above share what is at a height, in units of the cloth's side.
typedef struct LayerShare {
    int below;
    float above; // share of the upper one
} LayerShare;

static LayerShare share_of(float height)
{
    height = smaller(height, LAYER_HEIGHT[SHADOW_LAYERS - 1]);
    int below = 0;
    while (below < SHADOW_LAYERS - 2 && height > LAYER_HEIGHT[below + 1]) below++;
    return (LayerShare){below, (height - LAYER_HEIGHT[below]) /
                                   (LAYER_HEIGHT[below + 1] - LAYER_HEIGHT[below])};
}

static void fill_triangle(ShadowScratch *scratch, Point a, Point b, Point c, float size)
{
    const float last = SHADOW_SIDE - 1;
    float x0 = ceilf(larger(smaller(a.x, smaller(b.x, c.x)), 0.0f));
    float z0 = ceilf(larger(smaller(a.z, smaller(b.z, c.z)), 0.0f));
    float x1 = smaller(larger(a.x, larger(b.x, c.x)), last);
    float z1 = smaller(larger(a.z, larger(b.z, c.z)), last);

    LayerShare in = share_of((a.height + b.height + c.height) / (3.0f * size));
    float orientation = edge(a, b, c.x, c.z) < 0.0f ? -1.0f : 1.0f;
    for (float z = z0; z <= z1; z += 1.0f) {
        for (float x = x0; x <= x1; x += 1.0f) {
            if (orientation * edge(a, b, x, z) < 0.0f || orientation * edge(b, c, x, z) < 0.0f ||
                orientation * edge(c, a, x, z) < 0.0f) {
                continue;
            }
            int i = (int)z * SHADOW_SIDE + (int)x;
            float *low = &scratch->layers[in.below][i], *high = &scratch->layers[in.below + 1][i];
            *low = larger(*low, 1.0f - in.above);
            *high = larger(*high, in.above);
        }
    }
}

// A vertex among others closer than texels, as for triangles.
static void fill_dot(ShadowScratch *scratch, Point p, float size)
{
    const float last = SHADOW_SIDE - 1;
    if (!(p.x >= 0.0f && p.z >= 0.0f && p.x < last && p.z < last)) return;
    LayerShare in = share_of(p.height / size);
    int i = (int)(p.z + 0.5f) * SHADOW_SIDE + (int)(p.x + 0.5f);
    float *low = &scratch->layers[in.below][i], *high = &scratch->layers[in.below + 1][i];
    *low = larger(*low, 1.0f - in.above);
    *high = larger(*high, in.above);
}

// Without a shadow, one texel.
static void find_dark_part(Shadow *shadow)
{
    int first[2] = {SHADOW_SIDE, SHADOW_SIDE}, last[2] = {0, 0};
    for (int z = 0; z < SHADOW_SIDE; z++) {
        const uint8_t *row = shadow->texels + z * SHADOW_SIDE;
        int left = 0, right = SHADOW_SIDE - 1;
        while (left < SHADOW_SIDE && row[left] == 0) left++;
        if (left == SHADOW_SIDE) continue;
        while (row[right] == 0) right--;
        if (left < first[0]) first[0] = left;
        if (right > last[0]) last[0] = right;
        if (z < first[1]) first[1] = z;
        last[1] = z;
    }
    for (int k = 0; k < 2; k++) {
        shadow->first[k] = first[k] < SHADOW_SIDE ? first[k] : 0;
        shadow->last[k] = last[k];
    }
}

// In texels; their centres are at whole numbers.
static Point place(const Shadow *shadow, const float *position, float ground, float texel)
{
    Point p = project(position, ground);
    float left = shadow->centre[0] - shadow->half_side, top = shadow->centre[1] - shadow->half_side;
    return (Point){(p.x - left) / texel - 0.5f, (p.z - top) / texel - 0.5f, p.height};
}

// Vertices closer than texels cover the image by themselves, also when the cloth is stretched.
static void fill(const Shadow *shadow, ShadowScratch *scratch, const ClothMesh *mesh, float ground,
                 float size, float texel)
{
    memset(scratch->layers, 0, sizeof scratch->layers);
    if (DENSE * size < texel * sqrtf((float)mesh->particle_count)) {
        for (int i = 0; i < mesh->particle_count; i++)
            fill_dot(scratch, place(shadow, mesh->vertices[i].position, ground, texel), size);
        return;
    }
    const uint32_t *triangles = cloth_mesh_whole(mesh);
    for (int i = 0; i < mesh->whole_count; i++) {
        Point corner[3];
        for (int k = 0; k < 3; k++)
            corner[k] = place(shadow, mesh->vertices[triangles[3 * i + k]].position, ground, texel);
        fill_triangle(scratch, corner[0], corner[1], corner[2], size);
    }
}

static void fill_solids(const Shadow *shadow, ShadowScratch *scratch, const SolidRenderer *solids,
                        const SolidSet *set, float ground, float size)
{
    float texel = 2.0f * shadow->half_side / SHADOW_SIDE;
    for (int number = 0; number < set->count; number++) {
        // Rods of what has flown apart would cover the image many times.
        if (number >= set->body_count && solid_reach(&set->items[number]) > size) continue;
        const SolidShape *shape = solids_surface(solids, set, number, scratch->points);
        for (int i = 0; i < shape->triangle_count; i++) {
            Point corner[3];
            for (int k = 0; k < 3; k++)
                corner[k] =
                    place(shadow, scratch->points[shape->triangles[3 * i + k]], ground, texel);
            fill_triangle(scratch, corner[0], corner[1], corner[2], size);
        }
    }
}

void shadow_cast(Shadow *shadow, ShadowScratch *scratch, const ClothMesh *mesh,
                 const SolidRenderer *solids, const SolidSet *set, float ground, float size)
{
    fit(shadow, mesh, set, ground, size);
    float texel = 2.0f * shadow->half_side / SHADOW_SIDE, scale[SHADOW_LAYERS];
    fill(shadow, scratch, mesh, ground, size, texel);
    fill_solids(shadow, scratch, solids, set, ground, size);
    for (int layer = 0; layer < SHADOW_LAYERS; layer++) {
        // Three boxes of width w approximate a Gaussian of variance (w^2 - 1) / 4.
        // One of a texel hides the texels where the image is large.
        float deviation = larger(size * blur_of(LAYER_HEIGHT[layer]) / texel, 1.0f);
        int reach = (int)lroundf(0.5f * (sqrtf(4.0f * deviation * deviation + 1.0f) - 1.0f));
        float side = (float)(2 * reach + 1);
        if (reach > 0) box_sums(scratch->layers[layer], scratch->blurred, reach, 3);
        scale[layer] = strength_of(LAYER_HEIGHT[layer]) / (side * side * side * side * side * side);
    }
    for (int i = 0; i < SHADOW_SIDE * SHADOW_SIDE; i++) {
        float darkness = 0.0f;
        for (int layer = 0; layer < SHADOW_LAYERS; layer++)
            darkness += scale[layer] * scratch->layers[layer][i];
        shadow->texels[i] = (uint8_t)(255.0f * larger(smaller(darkness, 1.0f), 0.0f) + 0.5f);
    }
    find_dark_part(shadow);
}
