// What the window says about a lane, the same in every panel.
#ifndef UI_LANES_H
#define UI_LANES_H

#include "ui/lane_names.h"
#include "ui/ui.h"

typedef struct Lamp {
    ImU32 colour;
    const char *word;
    char share[24]; // the step as a share of the limit: "0.80", "no limit"
    char caption[160];
} Lamp;

// The monitor's verdict on what happens and, of the selected lane, the lab's on what will; always
// with its word.
Lamp lamp_of(const Ui *ui, int lane);

// Inside a strip: between its items, and the lamp's radius. Times em.
#define STRIP_GAP 0.8f
#define STRIP_DOT 0.42f

// Its method and what tells it from the others, in full.
void lane_title(const Ui *ui, int lane, char *text, size_t size);
// What tells it from the others, for a legend in a panel.
void lane_legend(const Ui *ui, int lane, char *text, size_t size);
// For a strip of this size; all lanes have one.
LaneNames lane_strip_names(const Ui *ui, const LaneLayout *lane);
// Divide a view among all lanes, with as much room for their names as they need.
void lanes_place(const Ui *ui, Rect view, LaneLayout *out);
// "0.31 s/s": s of computing per simulated second.
void lane_cost(double rate, char *text, size_t size);
void lane_heading(Ui *ui); // which lane is selected, with its colour, as the title of a section
// A text, cut with "…" to at most `width`.
void lane_shorten(Font font, float width, char *text, size_t size);

// Change the set of lanes. Everything starts over, and a message says so.
void lanes_add(Ui *ui);
void lanes_remove_selected(Ui *ui);
void lanes_compare_four(Ui *ui);
// What the others are compared with: a lane, `count` for the fine one, or -1. The fine one starts
// everything over if it does not run yet.
void lanes_compare_with(Ui *ui, int reference);

#endif
