// Draws backdrop, floor grid and shadow.
#ifndef RENDER_GROUND_RENDERER_H
#define RENDER_GROUND_RENDERER_H

#include "render/frame.h"
#include "render/shadow.h"

typedef struct GroundRenderer {
    GLuint empty_array; // corners come from gl_VertexID
    GLuint shadow_texture;
    bool has_shadow;
    float ground; // m, height of the floor in the shadow
    Shadow shadow;
} GroundRenderer;

void ground_init(GroundRenderer *ground);
void ground_finish(GroundRenderer *ground); // accepts a zeroed one

// Draws without depth: the floor never hides the cloth, which may lie on it or, seen from below, be
// behind it. `cloth_changed` says whether the shadow is out of date.
void ground_draw(GroundRenderer *ground, const Frame *frame, const ClothMesh *mesh,
                 bool cloth_changed);

#endif
