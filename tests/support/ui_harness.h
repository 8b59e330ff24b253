// The whole window without a window: all panels are drawn by Dear ImGui into its draw lists, with
// our fonts, from the snapshots of a real simulation thread, at any size and text scale. No OpenGL,
// no display. Input comes as ImGui's events. What was written is logged with its place.
//
//   UiHarness *h = ui_harness_open(&scene, false);
//   ui_harness_size(h, 1024, 768, 2.0f);
//   ui_harness_settle(h);
//   const LoggedText *word = ui_harness_find(h, "##controls", "stretch");
//   ui_harness_click(h, ui_harness_middle(word->rect));
//   ui_harness_close(h);
//
// One at a time: it owns ImGui's current context. A mistake in its use fails the cmocka test.
#ifndef TESTS_UI_HARNESS_H
#define TESTS_UI_HARNESS_H

#include "ui/text_log.h"
#include "ui/ui.h"

typedef struct UiHarness {
    Ui ui;
    TextLog log; // of the last frame
    SimThread *sim;
    SimThread *own; // opened and closed by the harness
    float width, height, fonts_em;
    bool styled_light;
} UiHarness;

// `scene` may be NULL: no simulation yet, see ui_harness_watch.
UiHarness *ui_harness_open(const Scene *scene, bool running);
void ui_harness_close(UiHarness *h);
// Show another simulation; it stays the caller's. The choices of the window stay.
void ui_harness_watch(UiHarness *h, SimThread *sim);

// Window units; text_scale as in the window, 1 to UI_TEXT_SCALE_MAX.
void ui_harness_size(UiHarness *h, float width, float height, float text_scale);

// One frame of the newest snapshot. The log has what was written in it.
void ui_harness_frame(UiHarness *h);
// A few frames, so that sizes that ImGui finds by drawing are right.
void ui_harness_settle(UiHarness *h);
// Frames until the condition holds; fails after two minutes.
void ui_harness_wait(UiHarness *h, bool (*condition)(const UiHarness *h));

// Input. Each draws the frames that ImGui needs to take it in.
void ui_harness_move(UiHarness *h, ImVec2 to);
void ui_harness_click(UiHarness *h, ImVec2 at);
void ui_harness_press(UiHarness *h, bool down); // the left button, where the mouse is
void ui_harness_wheel(UiHarness *h, ImVec2 at, float notches);  // > 0: up
bool ui_harness_key(UiHarness *h, int glfw_key, int modifiers); // what ui_key says
void ui_harness_shift(UiHarness *h, bool down);                 // while the mouse is used
void ui_harness_enter(UiHarness *h);                            // in a text field
void ui_harness_type(UiHarness *h, const char *text);

// The first text that is `text`, in windows whose name starts with `window`; NULL if there is none.
// NULL for either means any.
const LoggedText *ui_harness_find(const UiHarness *h, const char *window, const char *text);
// The same for texts that contain `part`.
const LoggedText *ui_harness_find_part(const UiHarness *h, const char *window, const char *part);
ImVec2 ui_harness_middle(Rect r);
bool ui_harness_within(Rect inner, Rect outer, float tolerance);
// Whether all of it is to be seen: inside its clip rectangle and the window.
bool ui_harness_is_whole(const UiHarness *h, const LoggedText *text);
// Whether something of another ImGui window is drawn over a part of this rectangle of `window`.
bool ui_harness_is_covered(const char *window, Rect r);
const char *ui_harness_cover(const char *window, Rect r); // that window's name; NULL: none
// Vertices of glyphs that belong to no logged text: 0 if everything that was written is in the log.
// `place` gets the first one's.
int ui_harness_unlogged(const UiHarness *h, ImVec2 *place, const char **window);

#endif
