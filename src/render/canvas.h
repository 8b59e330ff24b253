// A framebuffer of our own in which a window's picture is kept from frame to frame, so that only
// parts of it need be drawn again. A window's framebuffer has no defined contents after an exchange
// of buffers.
//
// Render thread only, with a current OpenGL context.
#ifndef RENDER_CANVAS_H
#define RENDER_CANVAS_H

#include <stdbool.h>

typedef struct Canvas {
    unsigned framebuffer, colour, depth; // OpenGL; 0: none
    int width, height;                   // pixels
    int target;                          // the framebuffer that was bound before
    bool bound;                          // between begin and show
    bool refused;                        // by the driver, in this size
} Canvas;

// Draw into the canvas from now on. True if it shows what was last drawn into it, in this size;
// what is new is black. Without a canvas, because the driver has none in this size, the framebuffer
// that is bound stays and everything has to be drawn.
bool canvas_begin(Canvas *canvas, int width, int height);
// Copy the canvas to the framebuffer that was bound before, and bind that.
void canvas_show(Canvas *canvas);
void canvas_finish(Canvas *canvas);

#endif
