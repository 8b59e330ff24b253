// Draws a snapshot: backdrop, floor with grid and soft shadow, cloth, springs, pins and hand; or
// several snapshots of one scene, side by side or over each other.
// Needs a current OpenGL 3.3 core context, loaded by glad, with the framebuffer drawn to also bound
// for reading. Render thread only.
#ifndef RENDER_RENDERER_H
#define RENDER_RENDERER_H

#include "render/camera.h"
#include "render/fabric.h"
#include "render/quality.h"
#include "simulation/snapshot.h"

typedef struct Renderer Renderer;

typedef enum SurfaceStyle {
    SURFACE_CLOTH,     // smooth, two colours
    SURFACE_WIREFRAME, // the mesh's edges over a faint cloth
    SURFACE_SPRINGS,   // every spring, coloured by strain
} SurfaceStyle;

enum { RENDER_LANES_MAX = SCENE_LANES_MAX };

// A picture that is drawn in parts: the viewport is one of `width` x `height` pixels, `x` and `y`
// from the lower left corner.
typedef struct RenderTile {
    int width, height, x, y;
} RenderTile;

typedef struct RenderOptions {
    // What is kept from one picture to the next is kept by lane, 0 to RENDER_LANES_MAX - 1: a cloth
    // that did not change costs nothing but its drawing. In an overlay, the selected lane.
    int lane;
    SurfaceStyle surface;
    FabricName fabric;   // colours and threads of the cloth
    RenderDetail detail; // what is shown of it; smooth edges only where there is no multisampling
    bool light;          // light theme
    float pixel_scale;   // scale of dots and lines: 1 on an ordinary screen
    int hovered;         // particle under the cursor, -1 if none
    int lit_body;        // body under the cursor or in the hand, + 1; 0 if none
    // A colour for each particle instead of the fabric: 3 numbers from 0 to 1; NULL for none.
    const float *rgb;
    bool depth_is_clear;    // by renderer_clear_depth; otherwise the viewport's is cleared first
    const RenderTile *tile; // NULL: the viewport is the whole picture
    // Where particles have been: a line through 3 numbers per point, ended by a NaN. NULL for none.
    const float *trail;
    int trail_count;
    // Springs to highlight, as indices into the snapshot's springs.
    const int *marked_springs;
    int marked_spring_count;
} RenderOptions;

// `shader_directory` NULL: the built-in shaders. Otherwise shaders are read from there, and
// renderer_reload looks for changes.
Status renderer_create(const char *shader_directory, Renderer **out, Error *error);
void renderer_destroy(Renderer *renderer);

// Reload shaders whose files changed. When one is missing or does not compile, returns STATUS_GPU
// with the file and the driver's message, and the old shader stays in use. Sets *reloaded when
// something changed.
Status renderer_reload(Renderer *renderer, bool *reloaded, Error *error);

// Clear the depth of the whole framebuffer, for all pictures of a frame that do not overlap: a
// software driver does that sooner than it clears a part.
void renderer_clear_depth(void);

void renderer_draw(Renderer *renderer, const Snapshot *snapshot, const Camera *camera,
                   Viewport viewport, const RenderOptions *options);

// Several snapshots in one view, lanes[i] as lane i: those with a NULL or without a cloth are left
// out. Ground, shadow, pins, hand, hovered particle and marked springs are those of the selected
// lane. `reference` (outside: none) is a grey ghost with a border in its colour; the others are
// cloths in their colours (sRGB, 0 to 1). `rgb` does not show.
void renderer_draw_overlay(Renderer *renderer, const Snapshot *const *lanes, int count,
                           int reference, const Camera *camera, Viewport viewport,
                           const RenderOptions *options, const float (*colours)[3]);

// The colour of a spring in SURFACE_SPRINGS: `amount` from -1, compressed, to 1, stretched. It
// grows evenly with the strain only where that is small, so that 0.2 % and 20 % both read.
float renderer_spring_amount(float strain);
void renderer_spring_colour(bool light, float amount, float rgb[3]);

// Triangles of a lane in the last picture, and how many of them were left out because they were
// stretched more than TORN_STRETCH times.
void renderer_torn(const Renderer *renderer, int lane, int *triangles, int *left_out);

// True if the CPU does the current context's OpenGL: then no multisampling and fewer frames.
bool renderer_is_software(void);
// A software driver allocates some megabytes for every frame. The C library would return them to
// the system each time, and clearing new pages takes a fifth of the frame: keep them from now on.
void renderer_keep_memory(void);
// Call now and then, after renderer_keep_memory: what lies free between blocks in use would add up
// over an hour of pictures, resizes and scenes. Returns it when it is much.
void renderer_return_memory(void);

#endif
