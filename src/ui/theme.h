// Colours, fonts and spacing of the window, dark and light, at any text size.
#ifndef UI_THEME_H
#define UI_THEME_H

#include "cimgui.h"

typedef struct Palette { // colours packed as in ImGui
    bool light;
    ImU32 ground, panel, field, line, track;
    ImU32 text, dim, accent, on_accent;
    ImU32 green, amber, red;
    ImU32 series[4]; // Okabe and Ito: distinguishable to colour-blind people too
} Palette;

typedef struct Font {
    ImFont *face;
    float height; // window units
} Font;

typedef struct Fonts {
    Font regular, small, bold, title;
    Font caption, caption_bold;   // of a lesson
    Font formula, formula_italic; // for ui/formula.h, at the largest size it is used at
} Fonts;

Palette theme_palette(bool light);

// The same colour with its opacity multiplied by `opacity` (0 to 1).
ImU32 theme_fade(ImU32 colour, float opacity);

// A lane is a colour: on its strip, in plots and tables.
ImU32 theme_lane_colour(const Palette *palette, int lane);

// Give ImGui's own widgets our colours, with spacing in proportion to `em`, the text height.
void theme_apply(const Palette *palette, float em);

// Load the fonts for text `em` window units high, with `ratio` framebuffer pixels per unit. The
// embedded fonts cover Latin, Greek and the mathematical signs we use. Call between frames.
Fonts theme_load_fonts(float em, float ratio);

#endif
