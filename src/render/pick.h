// Finds the particle under the cursor.
#ifndef RENDER_PICK_H
#define RENDER_PICK_H

#include "render/camera.h"
#include "simulation/snapshot.h"

// The particle at a pixel (from the viewport's top left corner). If the pixel is on the cloth: the
// nearest corner of the foremost triangle there. If not: the nearest particle within `reach`
// pixels. -1 if there is none.
int pick_particle(const Snapshot *snapshot, const Camera *camera, Viewport viewport, float x,
                  float y, float reach);

#endif
