// What the window says about a lane, the same in every panel.
#ifndef UI_LANES_H
#define UI_LANES_H

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

// What tells it from the others: its method, and what else is its own but the step.
enum { LANE_TITLE_SIZE = 160 };
void lane_title(const Ui *ui, int lane, char *text, size_t size);
// The same for a legend, with the step if that is its own.
void lane_legend(const Ui *ui, int lane, char *text, size_t size);
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
