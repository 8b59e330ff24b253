// What is written in the window, with its place: for tests. Every function that draws text calls
// text_log_add; nothing is kept unless a test has set a log.
//
// Render thread only. The log hangs on Dear ImGui's context (ImGuiIO's UserData), so that there is
// no state at file scope.
#ifndef UI_TEXT_LOG_H
#define UI_TEXT_LOG_H

#include "ui/layout.h"
#include "ui/theme.h"

enum { TEXT_LOG_LENGTH = 256, TEXT_LOG_WINDOW = 64 };

typedef struct LoggedText {
    char text[TEXT_LOG_LENGTH];   // one line
    char window[TEXT_LOG_WINDOW]; // name of the ImGui window: "##top"; of a child "##x/body_1F"
    Rect rect;                    // where all of it would be
    Rect clip;                    // what may be seen
    bool continues;               // the line above it is of the same paragraph
} LoggedText;

typedef struct TextLog {
    LoggedText *items;
    int count, capacity;
    int lost; // for want of memory
} TextLog;

void text_log_set(TextLog *log); // of ImGui's current context; NULL: none
void text_log_clear(TextLog *log);
void text_log_finish(TextLog *log);

// A line of text, to `end` or its terminating 0, that a draw list gets.
void text_log_add(ImDrawList *list, Font font, float x, float y, const char *text, const char *end,
                  bool continues);
// The label of the ImGui item just drawn, `left` from its left edge and vertically in its middle;
// left < 0: in its middle. What stands after "##" is not shown.
void text_log_item(Font font, float left, const char *label);
// A drawn icon instead of a label: the item just drawn, logged as "[name]".
void text_log_icon(const char *name);

#endif
