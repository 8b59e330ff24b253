// The window's picture, kept from frame to frame. A whole frame draws the pictures of the cloths
// and all panels. A frame of pictures draws the cloths again, and over them what Dear ImGui drew
// there in the last whole frame; all other pixels stay as they are.
//
// Render thread only, with a current OpenGL context.
#ifndef APPS_WINDOW_CANVAS_H
#define APPS_WINDOW_CANVAS_H

#include "apps/lane_pictures.h"
#include "render/canvas.h"
#include "ui/kept_panels.h"

// What the panels of a frame depend on, apart from numbers, which may be a little late.
typedef struct PanelsKey {
    int lanes, selected, reference;
    bool running, in_past;
    struct {
        Rect view, strip;
        unsigned topology, notice;
        bool diverged;
        int torn;
    } lane[SCENE_LANES_MAX];
    Rect caption, dock, cards;
    double message_until;
    float em;
    bool light;
} PanelsKey;

typedef struct WindowCanvas {
    Canvas canvas;
    KeptPanels panels;
    PanelsKey key;
    bool kept; // the canvas shows a whole frame, and `panels` and `key` belong to it
} WindowCanvas;

// Draw into the canvas from now on.
void window_canvas_begin(WindowCanvas *self, int width, int height);
// Before the pictures and panels of a whole frame: all of it in the colour of panels.
void window_canvas_clear(const Ui *ui);
// Whether only the pictures need be drawn now, if nothing was done by hand.
bool window_canvas_fits(const WindowCanvas *self, const Ui *ui);
// Draw the panels of ImGui's frame, and keep them.
void window_canvas_draw_panels(WindowCanvas *self, const Ui *ui, const LanePictures *pictures);
// Draw those that lie over the pictures once more.
void window_canvas_draw_kept(WindowCanvas *self);
// Show the canvas in the framebuffer that was bound before it.
void window_canvas_show(WindowCanvas *self);
void window_canvas_finish(WindowCanvas *self);

#endif
