#include "ui/layout.h"

#include <math.h>

enum { TOP_EMS = 3, BOTTOM_EMS = 3, PANEL_EMS = 18, NARROW_EMS = 13, LOW_WINDOW_EMS = 14 };
#define PANEL_SHARE 0.36f // of the window: the widest a panel gets with large text
#define VIEW_SHARE 0.30f  // of the window: the least the cloth keeps

Layout layout_compute(float width, float height, float em, LayoutWish wish)
{
    float panel = fminf(PANEL_EMS * em, fmaxf(NARROW_EMS * em, PANEL_SHARE * width));
    float room = width * (1.0f - VIEW_SHARE);
    bool controls = wish.controls && panel <= room;
    bool readouts = wish.readouts && panel <= room;
    if (controls && readouts && 2.0f * panel > room) {
        controls = !wish.prefer_readouts;
        readouts = wish.prefer_readouts;
    }
    float top = fminf(TOP_EMS * em, height);
    float bottom = height < LOW_WINDOW_EMS * em ? 0.0f : BOTTOM_EMS * em;
    float middle = floorf(fmaxf(height - top - bottom, 0.0f));
    panel = floorf(panel);

    Layout layout = {
        .top = {0, 0, width, top},
        .bottom = {0, top + middle, width, fmaxf(height - top - middle, 0.0f)},
        .controls = {0, top, controls ? panel : 0, middle},
        .readouts = {width - (readouts ? panel : 0), top, readouts ? panel : 0, middle},
    };
    float left = layout.controls.width;
    layout.view = (Rect){left, top, layout.readouts.x - left, middle};
    return layout;
}
