#include "ui/layout.h"

#include <math.h>

enum { TOP_EMS = 3, BOTTOM_EMS = 3, TIMELINE_EMS = 2, PANEL_EMS = 18 };
enum { BOTH_DOCKED_EMS = 60, ONE_DOCKED_EMS = 40 };   // narrower windows have drawers instead
enum { LOWEST_WITH_BAR_EMS = 16, TWO_ROWS_EMS = 26 }; // lower windows: no bar, one row
#define TAB_WIDTH_EMS 1.5f
#define TAB_HEIGHT_EMS 5.0f
#define LOWEST_TAB_EMS 2.0f
#define CAPTION_SHARE 0.55f // of the middle: the most that a caption gets
#define DOCK_SHARE 0.5f     // of the middle: the most that a dock gets, unless it needs more
enum { CARD_EMS = 16 };     // narrower places are no good for a card
#define STRIP_EMS 2.4f
#define TWO_LINES_EMS 3.2f
#define MORE_LINES_EMS 1.3f
#define LOW_STRIP_EMS 1.6f
#define OVERLAY_STRIP_EMS 2.0f
enum { TWO_STRIPS_EMS = 34 };                    // a wider view has two beside each other
enum { LOW_LANE_EMS = 12, LOWEST_LANE_EMS = 4 }; // lower lanes have a low strip, then none
enum { LEAST_OF_THREE_EMS = 14 };                // narrower ones do not stand in a row of three
enum { NARROW_LANE_EMS = 24, NARROWEST_LANE_EMS = 16, TWO_LINES_LANE_EMS = 8 }; // two lines

static float panel_width(float width, float em)
{
    return floorf(fmaxf(fminf(PANEL_EMS * em, width - 2.0f * ceilf(TAB_WIDTH_EMS * em)), 0.0f));
}

bool layout_both_drawers_fit(float width, float em)
{
    return 2.0f * (panel_width(width, em) + ceilf(TAB_WIDTH_EMS * em)) <= width;
}

// The bars, and the middle between them.
static void place_bars(float width, float height, float em, Layout *out)
{
    float top = fminf(floorf(TOP_EMS * em), height);
    bool none = height < LOWEST_WITH_BAR_EMS * em;
    out->one_row = !none && height < TWO_ROWS_EMS * em;
    float bottom = none ? 0.0f : floorf(BOTTOM_EMS * em);
    float timeline = none || out->one_row ? 0.0f : floorf(TIMELINE_EMS * em);
    float middle = fmaxf(floorf(height - top - timeline - bottom), 0.0f);
    out->top = (Rect){0, 0, width, top};
    out->timeline = (Rect){0, top + middle, width, timeline};
    out->bottom = (Rect){0, top + middle + timeline, width, bottom};
    out->view = (Rect){0, top, width, middle};
}

// The panels, docked or as drawers, and what is left for the view.
static void place_panels(float width, float em, const LayoutWish *wish, Layout *out)
{
    float panel = panel_width(width, em), top = out->view.y, middle = out->view.height;
    out->controls_are_drawer = width < ONE_DOCKED_EMS * em;
    out->readouts_are_drawer = width < BOTH_DOCKED_EMS * em;
    bool controls = out->controls_are_drawer ? wish->controls_drawer : wish->controls;
    bool readouts = out->readouts_are_drawer ? wish->readouts_drawer : wish->readouts;
    if (out->controls_are_drawer && controls && readouts && !layout_both_drawers_fit(width, em))
        readouts = false;
    out->controls = (Rect){0, top, controls ? panel : 0.0f, middle};
    out->readouts = (Rect){width - (readouts ? panel : 0.0f), top, readouts ? panel : 0.0f, middle};
    float left = out->controls_are_drawer ? 0.0f : out->controls.width;
    float right = out->readouts_are_drawer ? width : out->readouts.x;
    out->view = (Rect){left, top, right - left, middle};
}

// From the bottom of the view up: dock, then caption.
static void place_docks(const LayoutWish *wish, Layout *out)
{
    Rect *view = &out->view;
    float middle = view->height, most = fmaxf(middle - 1.0f, 0.0f);
    float dock = fminf(wish->dock, fmaxf(floorf(DOCK_SHARE * middle), wish->dock_least));
    dock = fminf(dock, most);
    float caption = fminf(fminf(wish->caption, floorf(CAPTION_SHARE * middle)), most - dock);
    view->height = middle - dock - caption;
    out->caption = (Rect){view->x, view->y + view->height, view->width, caption};
    out->dock = (Rect){view->x, view->y + view->height + caption, view->width, dock};
}

// In the upper half of the view, above the strips of lanes and above a message.
static void place_tabs(float width, float em, Layout *out)
{
    const Rect *view = &out->view;
    float tab = ceilf(TAB_WIDTH_EMS * em), height = floorf(TAB_HEIGHT_EMS * em);
    float half = 0.5f * fminf(view->height, out->controls.height) - floorf(LOW_STRIP_EMS * em);
    if (height > half) height = floorf(half);
    if (height < LOWEST_TAB_EMS * em) return; // something else has the room
    float y = floorf(view->y + 0.5f * (half - height));
    // an open docked panel has none: its key closes it
    if (out->controls_are_drawer || out->controls.width == 0.0f)
        out->controls_tab = (Rect){out->controls.width, y, tab, height};
    if (out->readouts_are_drawer || out->readouts.width == 0.0f)
        out->readouts_tab = (Rect){width - out->readouts.width - tab, y, tab, height};
}

// Between the drawers and their tabs. Where they leave no room for a card, they end above it.
static void place_cards(float em, const LayoutWish *wish, Layout *out)
{
    float tab = ceilf(TAB_WIDTH_EMS * em);
    bool left_tab = out->controls_are_drawer || out->controls.width == 0.0f;
    bool right_tab = out->readouts_are_drawer || out->readouts.width == 0.0f;
    float left = fmaxf(out->view.x, out->controls.width) + (left_tab ? tab : 0.0f);
    float right = fminf(out->view.x + out->view.width, out->readouts.x) - (right_tab ? tab : 0.0f);
    out->cards = out->free = out->view;
    out->free.x = left;
    out->free.width = fmaxf(right - left, 0.0f);
    if (right - left >= CARD_EMS * em) {
        out->cards = out->free;
    } else if (wish->message > 0.0f) {
        float middle = out->controls.height, room = fminf(wish->message, floorf(0.5f * middle));
        out->cards = (Rect){out->view.x, out->view.y + middle - room, out->view.width, room};
        out->controls.height = out->readouts.height = middle - room;
    }
}

Layout layout_compute(float width, float height, float em, LayoutWish wish)
{
    Layout layout = {0};
    place_bars(width, height, em, &layout);
    place_panels(width, em, &wish, &layout);
    place_docks(&wish, &layout);
    place_cards(em, &wish, &layout);
    place_tabs(width, em, &layout);
    return layout;
}

// How many pictures stand beside each other. Three in one row or column leave no place empty,
// unless that would make them much smaller.
static int lane_columns(Rect view, int count, float em)
{
    bool wide = view.width >= view.height;
    if (count != 3) return count > 2 || (count == 2 && wide) ? 2 : 1;
    float row = fminf(view.width / 3.0f, view.height),
          column = fminf(view.width, view.height / 3.0f);
    float square = 0.75f * 0.5f * fminf(view.width, view.height);
    if (row >= column && row >= square && view.width >= 3.0f * LEAST_OF_THREE_EMS * em) return 3;
    return column > square && view.height >= 3.0f * LOW_LANE_EMS * em ? 1 : 2;
}

void layout_lanes(Rect view, int count, float em, int title_lines, LaneLayout *out)
{
    int columns = lane_columns(view, count, em), rows = (count + columns - 1) / columns;
    float width = floorf(view.width / (float)columns), height = floorf(view.height / (float)rows);
    bool low = height < LOW_LANE_EMS * em;
    bool two_lines = low ? width < NARROWEST_LANE_EMS * em && height >= TWO_LINES_LANE_EMS * em
                         : width < NARROW_LANE_EMS * em;
    two_lines |= title_lines > 0 && !low;
    if (low || title_lines < 1) title_lines = 1;
    float lines = (TWO_LINES_EMS + MORE_LINES_EMS * (float)(title_lines - 1)) * em;
    float strip = height < LOWEST_LANE_EMS * em ? 0.0f
                  : two_lines                   ? lines
                  : low                         ? LOW_STRIP_EMS * em
                                                : STRIP_EMS * em;
    strip = floorf(strip);
    for (int i = 0; i < count; i++) {
        // a last row that is not full is in the middle
        int missing = i / columns == rows - 1 ? rows * columns - count : 0;
        Rect cell = {view.x + floorf(width * ((float)(i % columns) + 0.5f * (float)missing)),
                     view.y + height * (float)(i / columns), width, height};
        out[i].view = (Rect){cell.x, cell.y, width, height - strip};
        out[i].strip = (Rect){cell.x, cell.y + height - strip, width, strip};
        out[i].two_lines = two_lines;
        out[i].title_lines = title_lines;
    }
}

void layout_overlay(Rect view, int count, int selected, float em, LaneLayout *out)
{
    int columns = count > 2 || (count > 1 && view.width >= TWO_STRIPS_EMS * em) ? 2 : 1;
    int rows = (count + columns - 1) / columns;
    float width = floorf(view.width / (float)columns), strip = floorf(OVERLAY_STRIP_EMS * em);
    if (3.0f * strip * (float)rows > view.height) strip = floorf(LOW_STRIP_EMS * em);
    if (2.5f * strip * (float)rows > view.height) strip = 0.0f;
    float top = view.y + view.height - strip * (float)rows;
    for (int i = 0; i < count; i++) {
        out[i].view = (Rect){0};
        out[i].two_lines = false;
        out[i].title_lines = 1;
        out[i].strip = (Rect){view.x + width * (float)(i % columns),
                              top + strip * (float)(i / columns), width, strip};
    }
    out[selected].view = (Rect){view.x, view.y, view.width, top - view.y};
}
