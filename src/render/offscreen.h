// An OpenGL context with a framebuffer, without a window or display.
#ifndef RENDER_OFFSCREEN_H
#define RENDER_OFFSCREEN_H

#include "base/status.h"

typedef struct Offscreen Offscreen;

// Makes the context current on this thread and loads glad. Sides from 1 to OFFSCREEN_LARGEST.
enum { OFFSCREEN_LARGEST = 8192 }; // pixels; OpenGL 3.3 drivers reach at least 16384
Status offscreen_create(int width, int height, Offscreen **out, Error *error);
void offscreen_destroy(Offscreen *offscreen); // accepts NULL

// The pixels, 4 bytes each, rows from the bottom up.
void offscreen_read(const Offscreen *offscreen, unsigned char *rgba);

#endif
