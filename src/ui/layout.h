// Where everything is: bars at the top and the bottom, panels at the sides, the cloth in the
// middle. Arithmetic only.
//
//   top                      lamp, play or pause, time: at every size
//   controls | view | readouts
//            | caption |     of a lesson, when one is wanted
//            | dock    |     of a divergence, when one is wanted
//   timeline
//   bottom                   in a low window one row with the timeline, in a very low one nothing
//
// A panel for which there is no room is a drawer: it lies over the view, at its side of the window,
// while it is open. A tab at the edge opens and closes it.
#ifndef UI_LAYOUT_H
#define UI_LAYOUT_H

#include <stdbool.h>

typedef struct Rect {
    float x, y, width, height; // window units, y downwards
} Rect;

typedef struct LayoutWish {
    bool controls, readouts;               // docked panels that the user has not closed
    bool controls_drawer, readouts_drawer; // drawers that the user has opened
    float caption;                         // height that a lesson's caption would like; 0: none
    float dock, dock_least;                // that the dock would like, and needs; 0: none
    float message;                         // height of the message that is shown; 0: none
} LayoutWish;

typedef struct Layout {
    // one without room has width or height 0
    Rect top, controls, readouts, timeline, bottom, view, caption, dock;
    bool controls_are_drawer, readouts_are_drawer; // open or not, they would lie over the view
    Rect controls_tab, readouts_tab;               // at the edges, over the view; width 0: none
    Rect free;    // the view between open drawers and the tabs: for what is written on the picture
    Rect cards;   // where cards over the picture go: the view without open drawers, if that is wide
    bool one_row; // the timeline is a part of the bottom bar
} Layout;

// `em` is the height of text.
Layout layout_compute(float width, float height, float em, LayoutWish wish);
// Whether there is room for both drawers at a time.
bool layout_both_drawers_fit(float width, float em);

// A lane's picture and, below it, the strip that says what it is.
typedef struct LaneLayout {
    Rect view, strip; // a strip without room has height 0
    bool two_lines;   // in the strip: the name above the rest
    int title_lines;  // lines of the name
} LaneLayout;

// Divide the view among `count` lanes, 1 to 4, all of one shape: one, two beside or above each
// other, or two rows of two. Names want so many lines
// of their own, 0: only in narrow lanes, and get them where lanes are high enough.
void layout_lanes(Rect view, int count, float em, int title_lines, LaneLayout *out);

// One picture for all, which is the selected lane's, and all strips below it. The others have views
// of width 0.
void layout_overlay(Rect view, int count, int selected, float em, LaneLayout *out);

#endif
