// Which particle is under the cursor.
#ifndef RENDER_PICK_H
#define RENDER_PICK_H

#include "render/camera.h"
#include "simulation/snapshot.h"

// The particle meant by a pixel (from the viewport's top left corner): where the cursor is on the
// cloth, the corner nearest to it of the foremost triangle there; beside the cloth, the particle
// nearest to the pixel within `reach` pixels. -1 when there is none.
int pick_particle(const Snapshot *snapshot, const Camera *camera, Viewport viewport, float x,
                  float y, float reach);

#endif
