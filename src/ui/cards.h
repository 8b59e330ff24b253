// Cards over the picture: a frame with an x, and text that scrolls if there is no room for it.
#ifndef UI_CARDS_H
#define UI_CARDS_H

#include "ui/ui.h"

// A window at exactly this place. Draw into it, then card_end.
void card_begin(Ui *ui, const char *id, Rect place, ImU32 edge, bool rounded);
void card_end(Ui *ui);

// The x at the card's upper right corner. True if it was pressed.
bool card_close_button(Ui *ui);
float card_close_width(const Ui *ui); // with the gap at its left

// A part that scrolls: `height` high, at the cursor, as wide as there is room.
void card_scroll_begin(Ui *ui, float width, float height);
void card_scroll_end(void);

// Height of a card of that width with nothing but text and the x, and the card. Returns true if it
// was closed. `place` has the card at its bottom, in the middle.
bool card_message(Ui *ui, const char *id, const char *text, Rect place, float *height);

#endif
