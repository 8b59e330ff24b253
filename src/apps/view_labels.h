// What Dear ImGui's last frame wrote on the view and belongs to its pictures, for pictures and
// videos of the view: the strips of lanes and the bar of colours. Not the panels.
//
// Render thread only, between igRender and the next frame of ImGui, with a current OpenGL context.
#ifndef APPS_VIEW_LABELS_H
#define APPS_VIEW_LABELS_H

#include "ui/ui.h"

// A framebuffer that shows a part of the window's plane: its upper left corner, and pixels per
// window unit. It may lie outside the window.
typedef struct LabelTarget {
    float x, y, scale;
    int width, height; // pixels
} LabelTarget;

void view_labels_draw_strip(const LabelTarget *target, int lane);
void view_labels_draw_bar(const LabelTarget *target);

#endif
