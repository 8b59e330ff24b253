// The cloth's soft shadow on the floor, as a small greyscale image. Arithmetic only, no OpenGL: the
// image is so small that computing it here costs less than drawing and blurring it with a software
// driver, and almost nothing beside a graphics card.
#ifndef RENDER_SHADOW_H
#define RENDER_SHADOW_H

#include "render/box_blur.h"
#include "render/cloth_mesh.h"
#include "render/solids.h"

enum {
    SHADOW_SIDE = BOX_SIDE, // texels
    SHADOW_LAYERS = 3,      // by height; higher layers are blurred more
};

typedef struct Shadow {
    float centre[2];                           // m, x and z of the image's middle
    float half_side;                           // m
    int first[2], last[2];                     // column and row of the part that is not all light
    uint8_t texels[SHADOW_SIDE * SHADOW_SIDE]; // 255 = no light; rows along x, first at low z
} Shadow;

typedef struct ShadowScratch {
    float layers[SHADOW_LAYERS][SHADOW_SIDE * SHADOW_SIDE];
    float blurred[SHADOW_SIDE * SHADOW_SIDE];
    float points[SOLID_POINTS_MAX][3]; // of one solid
} ShadowScratch;

// `ground` is the floor's height and `size` the length of the cloth's side, both in metres. All
// vertices must be finite.
// `set` are the solids beside the cloth, in the shapes of `solids`.
void shadow_cast(Shadow *shadow, ShadowScratch *scratch, const ClothMesh *mesh,
                 const SolidRenderer *solids, const SolidSet *set, float ground, float size);

#endif
