// A picture of any size with smooth edges, larger than the driver's framebuffers if need be: drawn
// in tiles at twice the size and averaged.
#ifndef RENDER_LARGE_PICTURE_H
#define RENDER_LARGE_PICTURE_H

#include "render/renderer.h"

enum { LARGE_SUPERSAMPLING = 2 };

typedef struct LargePicture {
    int width, height; // of the picture, pixels
    int largest_tile;  // pixels before averaging; 0: what the driver allows, up to 2048
    // Draws a part into the current framebuffer: see RenderOptions.tile.
    void (*draw)(void *context, Viewport viewport, const RenderTile *tile);
    void *context;
} LargePicture;

// Into `rgb`, 3 bytes per pixel, rows from the top, `stride` bytes from one to the next. Keeps the
// bound framebuffer.
Status large_picture_draw(const LargePicture *picture, unsigned char *rgb, size_t stride,
                          Error *error);

#endif
