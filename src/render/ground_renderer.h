// Draws backdrop, floor grid and shadow.
#ifndef RENDER_GROUND_RENDERER_H
#define RENDER_GROUND_RENDERER_H

#include "render/frame.h"
#include "render/shadow.h"

typedef struct GroundShadow {
    GLuint texture;
    bool present;
    unsigned long revision; // of the mesh in it
    unsigned long solid_revision;
    float ground; // m, height of the floor in it
    Shadow image;
} GroundShadow;

// All that backdrop and grid depend on, except the shaders.
typedef struct GroundView {
    Viewport viewport;
    mat4 view_projection;
    float centre[3], height, size, pixel_scale;
    bool light;
} GroundView;

// Backdrop and grid of a camera that does not move. A software driver needs half of a frame for
// them, and a twentieth to copy them from another framebuffer.
typedef struct GroundStill {
    GLuint framebuffer, colour;
    int width, height; // pixels
    bool refused;      // by the driver, in this size
    GroundView view;   // last drawn; zeroed: none
    bool present;      // the framebuffer holds it
} GroundStill;

typedef struct GroundRenderer {
    GLuint empty_array; // corners come from gl_VertexID
    bool keeps_stills;
    GroundStill stills[RENDER_LANES_MAX];   // by lane
    GroundShadow shadows[RENDER_LANES_MAX]; // by lane
    ShadowScratch scratch;
} GroundRenderer;

// `keep_stills` needs a framebuffer without multisampling.
void ground_init(GroundRenderer *ground, bool keep_stills);
void ground_finish(GroundRenderer *ground); // accepts a zeroed one
void ground_forget(GroundRenderer *ground); // the stills: a shader changed

// Draws without depth: the floor never hides the cloth, which may lie on it. Seen from below, it is
// left to ground_draw_underside. `mesh` and `set` are those of the lane, whose
// shadow is shown.
void ground_draw(GroundRenderer *ground, const Frame *frame, const ClothMesh *mesh,
                 const SolidRenderer *solids, const SolidSet *set, int lane);

// After the cloth, which is behind the floor then: a veil with hatching. Nothing from above.
// Blends, without depth.
void ground_draw_underside(GroundRenderer *ground, const Frame *frame);

#endif
