// The pictures of all lanes in the window's framebuffer, as the window and the benchmark of frames
// draw them.
#ifndef APPS_LANE_PICTURES_H
#define APPS_LANE_PICTURES_H

#include "render/renderer.h"
#include "ui/ui.h"

#define LANE_TEXT_PIXELS 15.0f // height of text at 100 %; dots and lines grow with it

typedef struct LanePictures {
    Renderer *renderer;
    const Camera *camera;
    int framebuffer_height;    // pixels
    float ratio;               // framebuffer pixels per window unit
    int hovered_lane, hovered; // the particle under the cursor, -1 if none
    int lit_body;              // of that lane, as in RenderOptions
    RenderDetail detail;
    bool depth_is_clear; // as in RenderOptions
    // Of a picture in parts, otherwise zero.
    const RenderTile *tile;
    Viewport tile_viewport;
    float magnification; // of dots and lines
} LanePictures;

// A place in the window, as pixels of the framebuffer.
Viewport lane_viewport(Rect place, float ratio, int framebuffer_height);

// Also says in `ui` what was left out.
void lane_pictures_draw(Ui *ui, const LanePictures *pictures);
// Where a plot hides all of them.
void lane_pictures_clear(const Ui *ui, const LanePictures *pictures);
// Of the same frame again, one lane.
void lane_picture_draw(Ui *ui, const LanePictures *pictures, int lane);

#endif
