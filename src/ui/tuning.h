// The parts of a parameter's control: its slider with what is stable, and a field to type in. For
// param_widget.c and the keys.
#ifndef UI_TUNING_H
#define UI_TUNING_H

#include "ui/quantity.h"
#include "ui/ui.h"

static inline int param_index(const ParamInfo *info)
{
    return (int)(info - param_table);
}

// The value to show: the one that is dragged, else the simulation's. Of a parameter set to its word
// the value in use, or a typical one; then `word` is true, and the word is to be shown.
double tuning_value(const Ui *ui, const ParamInfo *info, bool *word);

// Where theory calls a parameter stable, the others as they are.
StableRange tuning_stable_range(const Ui *ui, const ParamInfo *info);
// Can theory say so about it, the step being fixed? Then there is a line for it below the slider.
bool tuning_has_range(const Ui *ui, const ParamInfo *info);
// Just inside the end of that range: 0.99 of its upper limit, or 1.01 of its lower one.
double tuning_just_stable(const ParamInfo *info, StableRange range, bool upper);

// The largest stable stretch for the fixed step, four digits, rounded down. NaN if there is none;
// `why_not` then says why.
double tuning_largest_stretch(const Ui *ui, const char **why_not);

// The slider's track, `width` wide, at the cursor.
void tuning_track(Ui *ui, const ParamInfo *info, float width);
// The range in words below it; a double click goes just inside.
void tuning_range_line(Ui *ui, const ParamInfo *info, float width);

// The keyboard on the slider under the mouse: one hundredth of its length, or a tenth of that.
// False if there is none.
bool tuning_step_pointed(Ui *ui, int direction, bool fine);

// ---- typing

// `unit` is shown beside the field and is what a number without a unit means.
void typing_start(Ui *ui, const ParamInfo *info, const char *unit);
void typing_end(Ui *ui); // without a change
// Characters of this frame that come before the field is active. Call at the start of a frame.
void typing_catch(Ui *ui);
// The field, `width` wide, at the cursor: Enter accepts, Escape or a click elsewhere does not.
void typing_field(Ui *ui, const ParamInfo *info, float width);

#endif
