// Draws the cloth as a surface, as the edges of its mesh, or as its springs.
#ifndef RENDER_CLOTH_RENDERER_H
#define RENDER_CLOTH_RENDERER_H

#include "render/cloth_mesh.h"
#include "render/frame.h"

void cloth_draw(ClothMesh *mesh, const Frame *frame);

#endif
