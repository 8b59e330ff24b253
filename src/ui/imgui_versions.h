// The few places where our code depends on the version of Dear ImGui, 1.84 to 1.92 and newer. All
// other files use what is the same in every version.
//
// Fonts: up to 1.91 a font has one size, and an atlas of all its glyphs is built in advance. From
// 1.92 on a font is a face that can be drawn at any size; glyphs are added when they are used.
#ifndef UI_IMGUI_VERSIONS_H
#define UI_IMGUI_VERSIONS_H

#include "base/status.h"

#include "cimgui.h"

// Whether the library was compiled as the binding expects. Call before anything else.
Status imgui_check(Error *error);

// Slots of the style, ImGuiCol. The keyboard's cursor was renamed; a checked box has had a colour
// of its own since 1.92.8, and the colour of all fields before.
int imgui_cursor_slot(void);
int imgui_checked_slot(void);

// Width of a scroll bar with its margins. Since 1.92.3 the style has the margins, and smaller ones.
void imgui_scrollbar(float width);

// Grey out what follows if `disabled`; 1.84 draws nothing after igBeginDisabled(false).
void imgui_begin_disabled(bool disabled);
void imgui_end_disabled(bool disabled);

// Up to 1.86 ImGui looks at the keyboard once a frame. Since 1.87 it queues what was pressed, takes
// a key or two a frame, and so knows about Enter later than the window does.
bool imgui_misses_quick_keys(void);

// Fonts are loaded between frames: begin, one call per font, end. `em` is the height of ImGui's own
// text in window units, `ratio` the framebuffer pixels per window unit.
void imgui_fonts_begin(void);
ImFont *imgui_font(const char *name, const void *ttf, size_t size, float height, float ratio);
void imgui_fonts_end(float em, float ratio);

// ImDrawList_AddRect and ImDrawList_AddPolyline; 1.92.8 swapped their last two parameters.
void imgui_add_outline(ImDrawList *list, ImVec2 min, ImVec2 max, ImU32 colour, float rounding,
                       float thickness);
void imgui_add_polyline(ImDrawList *list, const ImVec2 *points, int count, ImU32 colour,
                        float thickness);

#endif
