// A picture of a few thousand pixels that changes often, as a texture. Needs the window's OpenGL
// context; without one (a test) nothing is made, and `name` stays 0.
#ifndef RENDER_PIXEL_TEXTURE_H
#define RENDER_PIXEL_TEXTURE_H

#include <stdint.h>

typedef struct PixelTexture {
    unsigned name; // OpenGL's; 0: none
    int width, height;
} PixelTexture;

// Pixels as RGBA bytes, row by row.
void pixel_texture_update(PixelTexture *texture, int width, int height, const uint32_t *pixels);
void pixel_texture_finish(PixelTexture *texture); // accepts a zeroed one

#endif
