// Where the panels are: docked to the window's edges, the cloth in the middle. Arithmetic only.
#ifndef UI_LAYOUT_H
#define UI_LAYOUT_H

#include <stdbool.h>

typedef struct Rect {
    float x, y, width, height; // window units, y downwards
} Rect;

typedef struct LayoutWish {
    bool controls, readouts; // panels that the user has not closed
    bool prefer_readouts;    // which one stays when there is room for only one
} LayoutWish;

typedef struct Layout {
    // a panel without room has width or height 0
    Rect top, controls, readouts, timeline, bottom, view;
} Layout;

// `em` is the height of text. Panels shrink or disappear before the cloth does.
Layout layout_compute(float width, float height, float em, LayoutWish wish);

// A lane's picture and, below it, the strip that says what it is.
typedef struct LaneLayout {
    Rect view, strip; // a strip without room has height 0
} LaneLayout;

// Divide the view among `count` lanes, 1 to 4, all of one shape: one, two beside or above each
// other, or two rows of two.
void layout_lanes(Rect view, int count, float em, LaneLayout *out);

// One picture for all, which is the selected lane's, and all strips below it. The others have views
// of width 0.
void layout_overlay(Rect view, int count, int selected, float em, LaneLayout *out);

#endif
