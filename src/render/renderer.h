// Draws a snapshot: backdrop, floor with grid and soft shadow, cloth, springs, pins and hand.
// Needs a current OpenGL 3.3 core context, loaded by glad. Render thread only.
#ifndef RENDER_RENDERER_H
#define RENDER_RENDERER_H

#include "render/camera.h"
#include "simulation/snapshot.h"

typedef struct Renderer Renderer;

typedef enum SurfaceStyle {
    SURFACE_CLOTH,     // smooth, two colours
    SURFACE_WIREFRAME, // the mesh's edges over a faint cloth
    SURFACE_SPRINGS,   // every spring, coloured by strain
} SurfaceStyle;

typedef struct RenderOptions {
    SurfaceStyle surface;
    bool light;        // light theme
    float pixel_scale; // scale of dots and lines: 1 on an ordinary screen
    int hovered;       // particle under the cursor, -1 if none
    // A shape to show by colour, strongest where it moves most; 3 per particle, NULL for none.
    const float *shape;
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

void renderer_draw(Renderer *renderer, const Snapshot *snapshot, const Camera *camera,
                   Viewport viewport, const RenderOptions *options);

// True if the CPU does the current context's OpenGL: then no multisampling and fewer frames.
bool renderer_is_software(void);

#endif
