// Places in a lesson's text where a number of the running cloth is filled in: {limit}, or {2.limit}
// for that of lane 2; in equations \value{limit}.
#ifndef LESSON_LIVE_VALUE_H
#define LESSON_LIVE_VALUE_H

#include "lesson/promise.h"

#include <stddef.h>

#define LIVE_VALUE_IN_TEXT "{"
#define LIVE_VALUE_IN_EQUATION "\\value{"

enum { LIVE_VALUE_VERDICT = -2 };

typedef struct LiveValue {
    const char *begin, *end; // of the text, with its braces
    int lane;                // from 0
    int value;               // index into value_table, LIVE_VALUE_VERDICT, or VALUE_NONE: unknown
} LiveValue;

// The first one in a text; false if there is none. `opening` is one of the above.
bool live_value_find(const char *text, const char *opening, LiveValue *out);

// Refuses unknown names and lanes, and braces that are not closed.
Status live_values_check(const char *text, const char *opening, int lane_count, Error *error);

// Copies the text with each live value as `print` writes it. Cuts what does not fit.
typedef void (*LiveValuePrint)(void *user, const LiveValue *live, char *out, size_t size);
void live_values_fill(const char *text, const char *opening, LiveValuePrint print, void *user,
                      char *out, size_t size);

#endif
