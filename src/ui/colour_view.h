// Colour on the cloths: the list to choose from, the colours of every lane, and the bar over the
// view that says what they mean.
#ifndef UI_COLOUR_VIEW_H
#define UI_COLOUR_VIEW_H

#include "render/cloth_colour.h"
#include "scene/scene.h"

typedef struct Ui Ui;

typedef struct ColourView {
    ColourBy chosen;
    // Of the last frame.
    ColourBy shown;            // what the bar is about; COLOUR_FABRIC: nothing
    float scale;               // where the bar ends
    int room[SCENE_LANES_MAX]; // particles that there is memory for
    float *values[SCENE_LANES_MAX], *rgb[SCENE_LANES_MAX];
    bool present[SCENE_LANES_MAX]; // rgb is to be shown
} ColourView;

void colour_view_finish(ColourView *view); // accepts a zeroed one

// Once per frame, before the pictures are drawn.
void colour_view_update(Ui *ui);
// The colours of a lane's particles, 3 numbers each; NULL: its fabric.
const float *colour_view_rgb(const Ui *ui, int lane);

void colour_view_list(Ui *ui); // in a panel
void colour_view_bar(Ui *ui);  // over the view
// The only lane that the bar is about, in whose picture it is; -1: it is over all of them.
int colour_view_bar_lane(const Ui *ui);

#endif
