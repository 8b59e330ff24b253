// Places in a lesson's text where a number of the running cloth is filled in: {limit}, or {2.limit}
// for that of lane 2; in equations \value{limit}.
#ifndef LESSON_PLACEHOLDER_H
#define LESSON_PLACEHOLDER_H

#include "lesson/promise.h"

#include <stddef.h>

#define PLACEHOLDER_IN_TEXT "{"
#define PLACEHOLDER_IN_EQUATION "\\value{"

enum { PLACEHOLDER_VERDICT = -2 };

typedef struct Placeholder {
    const char *begin, *end; // of the text, with its braces
    int lane;                // from 0
    int value;               // index into value_table, PLACEHOLDER_VERDICT, or VALUE_NONE: unknown
} Placeholder;

// The first one in a text; false if there is none. `opening` is one of the above.
bool placeholder_find(const char *text, const char *opening, Placeholder *out);

// Refuses unknown names and lanes, and braces that are not closed.
Status placeholders_check(const char *text, const char *opening, int lane_count, Error *error);

// Copies the text with each placeholder as `print` writes it. Cuts what does not fit.
typedef void (*PlaceholderPrint)(void *user, const Placeholder *placeholder, char *out,
                                 size_t size);
void placeholders_fill(const char *text, const char *opening, PlaceholderPrint print, void *user,
                       char *out, size_t size);

#endif
