// The few widgets of the panels, in our style: thin sliders with name left and value right,
// sections in small capitals, rows of readouts, buttons with drawn icons.
#ifndef UI_WIDGETS_H
#define UI_WIDGETS_H

#include "ui/quantity.h"
#include "ui/ui.h"

typedef enum Icon { ICON_RESET, ICON_PLAY, ICON_PAUSE, ICON_STEP, ICON_STEP_BACK } Icon;

// Text in one of our fonts and colours, at the cursor; the cursor moves to the next line.
void widget_text(Font font, ImU32 colour, const char *text);
// The same in several lines. They break at spaces only, and not between a number and its unit.
void widget_text_wrapped(Font font, ImU32 colour, const char *text);
float widget_wrapped_height(Font font, const char *text, float width);
// Text at a place, on a draw list. Returns its width.
float widget_draw_text(ImDrawList *list, Font font, ImU32 colour, float x, float y,
                       const char *text);
float widget_text_width(Font font, const char *text);
// For the item just drawn, when it is hovered; not while a value is typed or dragged.
void widget_tooltip(Ui *ui, const char *text);
// Beside the panel, or above or below the rectangle: never over it.
void widget_tooltip_beside(Ui *ui, ImVec2 min, ImVec2 max, const char *text);

void widget_section(Ui *ui, const char *title);

// Name left, value and unit right, thin line below. Not clickable.
void widget_readout(Ui *ui, const char *name, QuantityText value, const char *help);

// The control that fits a parameter: slider, slider with a word beside it, buttons or a list.
// `why_not` greys it out and is shown as the reason; NULL when it applies.
void widget_param(Ui *ui, const char *name, const char *why_not);

// Whether the selected lane has its own value of a parameter or shares that of all, at the cursor;
// a click changes it. Nothing with one lane, or where the lanes must share.
void widget_own(Ui *ui, const ParamInfo *info, const char *own, const char *shared);

// Only the track of a slider, `width` wide, for the transport bar.
void widget_slider_line(Ui *ui, const ParamInfo *info, float width);

bool widget_icon_button(Ui *ui, const char *id, Icon icon, bool strong, const char *help);
bool widget_icon_button_high(Ui *ui, const char *id, Icon icon, bool strong, float height,
                             const char *help);
bool widget_checkbox(Ui *ui, const char *label, bool *value);
bool widget_button(Ui *ui, const char *label, bool chosen);
// The next button goes beside the last one if its label fits there.
void widget_beside(Ui *ui, const char *label);

// A row of buttons of which one is chosen. Returns the new choice, or -1. `why_not` (may be NULL)
// has the reason for each one that cannot be chosen.
int widget_choice(Ui *ui, const char *id, const char *const *labels, const char *const *why_not,
                  int count, int chosen);

// A list box that shows `preview` while it is closed. If true, it is open: draw its items, then
// igEndCombo.
bool widget_begin_list(Ui *ui, const char *id, const char *preview, int imgui_flags);
// One item of a list box, greyed out with the reason if there is one. True if it was just chosen.
bool widget_list_item(Ui *ui, const char *label, bool chosen, const char *help,
                      const char *why_not);

// Why the parameter cannot take this value together with the others; NULL if it can.
const char *widget_refusal(const Ui *ui, const ParamInfo *info, double value);

#endif
