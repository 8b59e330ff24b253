// Draws the cloth as a surface, as the edges of its mesh, as its springs, or as a ghost.
#ifndef RENDER_CLOTH_RENDERER_H
#define RENDER_CLOTH_RENDERER_H

#include "render/cloth_mesh.h"
#include "render/frame.h"

void cloth_draw(ClothMesh *mesh, const Frame *frame);

// A translucent surface in the palette's colours, over what is drawn already. Of its own layers
// only the nearest shows, so a fold does not look like another cloth. Blends; leaves its depth
// behind.
void cloth_draw_ghost(ClothMesh *mesh, const Frame *frame);

#endif
