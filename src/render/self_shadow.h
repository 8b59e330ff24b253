// Which parts of the cloth lie in the shadow of others, and how deep in a fold: a small image of
// the distances to the light, compared with each vertex. Arithmetic only, no OpenGL: with a
// software driver a shadow map would cost several times as much.
#ifndef RENDER_SELF_SHADOW_H
#define RENDER_SELF_SHADOW_H

#include "render/box_blur.h"
#include "render/cloth_mesh.h"
#include "render/solids.h"

enum { SELF_SHADOW_SIDE = BOX_SIDE }; // texels

typedef struct SelfShadowScratch {
    float nearest[SELF_SHADOW_SIDE * SELF_SHADOW_SIDE]; // along the light, m; see the source
    float smooth[SELF_SHADOW_SIDE * SELF_SHADOW_SIDE];  // the same, blurred
    float covered[SELF_SHADOW_SIDE * SELF_SHADOW_SIDE]; // blurred: how much of it is cloth
    float blurred[SELF_SHADOW_SIDE * SELF_SHADOW_SIDE];
    LightImage light;                                 // of the last cast,
    float cloth[SELF_SHADOW_SIDE * SELF_SHADOW_SIDE]; // `nearest` without the solids
    float points[SOLID_POINTS_MAX][3];                // of one solid
} SelfShadowScratch;

// The solids throw shadows on the cloth as well. `light` is a unit vector towards the light, `size`
// the length of the cloth's side in metres. All vertices must be finite. Fills mesh->shade, and for
// the shadow of the cloth on solids scratch->light and scratch->cloth.
void self_shadow_cast(SelfShadowScratch *scratch, ClothMesh *mesh, const SolidRenderer *solids,
                      const SolidSet *set, const float light[3], float size);

#endif
