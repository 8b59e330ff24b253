// All code that depends on the version of Dear ImGui, 1.84 to 1.92 and newer. Other files use only
// what is the same in every version.
//
// Fonts: up to 1.91 a font has one size, and an atlas of all its glyphs is built in advance. From
// 1.92 on a font is a face that can be drawn at any size; glyphs are added when they are used.
#ifndef UI_IMGUI_VERSIONS_H
#define UI_IMGUI_VERSIONS_H

#include "base/status.h"

#include "cimgui.h"

// Whether the library was compiled the way the binding expects. Call before anything else.
Status imgui_check(Error *error);

// Slots of the style, ImGuiCol. The keyboard cursor was renamed. Since 1.92.8 a checked box has its
// own colour; before, it had the colour of all fields.
int imgui_cursor_slot(void);
int imgui_checked_slot(void);

// Width of a scroll bar including its margins. Since 1.92.3 the style has smaller margins.
void imgui_scrollbar(float width);

// Grey out what follows if `disabled`. 1.84 draws nothing after igBeginDisabled(false).
void imgui_begin_disabled(bool disabled);
void imgui_end_disabled(bool disabled);

// Up to 1.86 ImGui reads the keyboard once a frame. Since 1.87 it queues key presses and handles
// one or two a frame, so it sees Enter later than the window does.
bool imgui_misses_quick_keys(void);

// Fonts are loaded between frames: begin, one call per font, end. `em` is the height of ImGui's own
// text in window units, `ratio` the framebuffer pixels per window unit.
void imgui_fonts_begin(void);
ImFont *imgui_font(const char *name, const void *ttf, size_t size, float height, float ratio);
void imgui_fonts_end(float em, float ratio);

// ImDrawList_AddRect; 1.92.8 swapped its last two parameters.
void imgui_add_outline(ImDrawList *list, ImVec2 min, ImVec2 max, ImU32 colour, float rounding,
                       float thickness);

// An OpenGL texture with the corners of its first and its last pixel at these places. Since 1.92 a
// draw list takes a reference instead of a number.
void imgui_add_image(ImDrawList *list, unsigned texture, ImVec2 first, ImVec2 last);

// The draw lists of a frame; since 1.89.8 in an ImVector, since 1.92.9 perhaps without their count
// beside it. Setting copies nothing.
int imgui_draw_list_count(const ImDrawData *data);
ImDrawList *imgui_draw_list(const ImDrawData *data, int number);
void imgui_set_draw_lists(ImDrawData *data, ImDrawList **lists, int count);

#endif
