// The order of a framebuffer's rows in memory. A window's first row is at the top; that of a
// framebuffer of our own is at the bottom. A copy from one to the other is turned over pixel by
// pixel, which takes a software driver ten times as long as copying rows. Mesa can give a
// framebuffer of our own the window's order. What is drawn and read stays the same.
//
// Render thread only, with a current OpenGL context.
#ifndef RENDER_ROW_ORDER_H
#define RENDER_ROW_ORDER_H

#include <stdbool.h>

// Whether the framebuffer bound for drawing has the window's order; whether one of our own can.
bool row_order_is_window(void);
bool row_order_can_be_window(void);
// Give that order to the framebuffer bound for drawing, which is not the window's. False if the
// driver cannot.
bool row_order_set_window(void);

#endif
