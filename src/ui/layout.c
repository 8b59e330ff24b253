#include "ui/layout.h"

#include <math.h>

enum { TOP_EMS = 3, BOTTOM_EMS = 3, TIMELINE_EMS = 2, PANEL_EMS = 18, NARROW_EMS = 13 };
enum { LOW_WINDOW_EMS = 14, LOW_TIMELINE_EMS = 20 }; // lower windows go without that bar
#define PANEL_SHARE 0.36f // of the window: the widest a panel gets with large text
#define VIEW_SHARE 0.30f  // of the window: the least the cloth keeps
#define STRIP_EMS 2.4f
#define LOW_STRIP_EMS 1.6f
#define OVERLAY_STRIP_EMS 2.0f
enum { TWO_STRIPS_EMS = 34 };                    // a wider view has two beside each other
enum { LOW_LANE_EMS = 12, LOWEST_LANE_EMS = 5 }; // lower lanes have a low strip, then none

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
    float timeline = height < LOW_TIMELINE_EMS * em ? 0.0f : TIMELINE_EMS * em;
    float middle = floorf(fmaxf(height - top - timeline - bottom, 0.0f));
    panel = floorf(panel);

    Layout layout = {
        .top = {0, 0, width, top},
        .timeline = {0, top + middle, width, timeline},
        .bottom = {0, top + middle + timeline, width, fmaxf(height - top - middle - timeline, 0)},
        .controls = {0, top, controls ? panel : 0, middle},
        .readouts = {width - (readouts ? panel : 0), top, readouts ? panel : 0, middle},
    };
    float left = layout.controls.width;
    layout.view = (Rect){left, top, layout.readouts.x - left, middle};
    return layout;
}

void layout_lanes(Rect view, int count, float em, LaneLayout *out)
{
    bool wide = view.width >= view.height;
    int columns = count > 2 || (count == 2 && wide) ? 2 : 1;
    int rows = count > 2 || (count == 2 && !wide) ? 2 : 1;
    float width = floorf(view.width / (float)columns), height = floorf(view.height / (float)rows);
    float strip = height < LOWEST_LANE_EMS * em ? 0.0f
                  : height < LOW_LANE_EMS * em  ? LOW_STRIP_EMS * em
                                                : STRIP_EMS * em;
    strip = floorf(strip);
    for (int i = 0; i < count; i++) {
        Rect cell = {view.x + width * (float)(i % columns), view.y + height * (float)(i / columns),
                     width, height};
        out[i].view = (Rect){cell.x, cell.y, width, height - strip};
        out[i].strip = (Rect){cell.x, cell.y + height - strip, width, strip};
    }
}

void layout_overlay(Rect view, int count, int selected, float em, LaneLayout *out)
{
    int columns = count > 1 && view.width >= TWO_STRIPS_EMS * em ? 2 : 1;
    int rows = (count + columns - 1) / columns;
    float width = floorf(view.width / (float)columns), strip = floorf(OVERLAY_STRIP_EMS * em);
    if (3.0f * strip * (float)rows > view.height) strip = 0.0f;
    float top = view.y + view.height - strip * (float)rows;
    for (int i = 0; i < count; i++) {
        out[i].view = (Rect){0};
        out[i].strip = (Rect){view.x + width * (float)(i % columns),
                              top + strip * (float)(i / columns), width, strip};
    }
    out[selected].view = (Rect){view.x, view.y, view.width, top - view.y};
}
