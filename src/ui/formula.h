// Draws formulas as lesson/formula_syntax.h reads them. Render thread only.
//
// `height` is the height of a line of the formula's text, window units; a fraction is about twice
// as high. Ascent and descent are measured from the baseline, both positive.
#ifndef UI_FORMULA_H
#define UI_FORMULA_H

#include "lesson/formula_syntax.h"
#include "ui/theme.h"

typedef struct FormulaSize {
    float width, ascent, descent; // window units
} FormulaSize;

FormulaSize formula_size(const Fonts *fonts, float height, const Formula *formula);
void formula_draw(ImDrawList *list, const Fonts *fonts, float height, ImU32 colour, float x,
                  float baseline, const Formula *formula);

// A formula as an item at ImGui's cursor. One that cannot be read is shown as it stands.
void formula_item(const Fonts *fonts, float height, ImU32 colour, const char *text);

#endif
