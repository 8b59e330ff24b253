// Draws backdrop, floor grid and shadow.
#ifndef RENDER_GROUND_RENDERER_H
#define RENDER_GROUND_RENDERER_H

#include "render/frame.h"
#include "render/shadow.h"

typedef struct GroundShadow {
    GLuint texture;
    bool present;
    unsigned long revision; // of the mesh in it
    float ground;           // m, height of the floor in it
    Shadow image;
} GroundShadow;

typedef struct GroundRenderer {
    GLuint empty_array;                     // corners come from gl_VertexID
    GroundShadow shadows[RENDER_LANES_MAX]; // by lane
    ShadowScratch scratch;
} GroundRenderer;

void ground_init(GroundRenderer *ground);
void ground_finish(GroundRenderer *ground); // accepts a zeroed one

// Draws without depth: the floor never hides the cloth, which may lie on it or, seen from below, be
// behind it. `mesh` is that of the lane, whose shadow is shown.
void ground_draw(GroundRenderer *ground, const Frame *frame, const ClothMesh *mesh, int lane);

#endif
