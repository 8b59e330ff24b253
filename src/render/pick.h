// Finds what is under the cursor.
#ifndef RENDER_PICK_H
#define RENDER_PICK_H

#include "render/camera.h"
#include "simulation/snapshot.h"

typedef struct Pick {
    int particle;   // -1: none
    int body;       // of the scene's colliders, -1: none; never both
    float point[3]; // m, of the body's surface
} Pick;

// What is foremost at a pixel (from the viewport's top left corner). On the cloth: the nearest
// corner of the triangle there. On a body: that. Beside the cloth, or on a body behind a rope: the
// nearest particle within `reach` pixels.
Pick pick_at(const Snapshot *snapshot, const Camera *camera, Viewport viewport, float x, float y,
             float reach);

#endif
