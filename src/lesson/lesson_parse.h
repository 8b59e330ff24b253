// Parses the text of a lesson file; docs/lessons.md says what may be in it.
#ifndef LESSON_LESSON_PARSE_H
#define LESSON_LESSON_PARSE_H

#include "lesson/lesson.h"

#include <stddef.h>

// `path` is for the error message, which also names the line. Scenes are loaded by name. The
// lesson's name in `out` is kept; on failure the rest of `out` is undefined.
Status lesson_parse(const char *path, const char *text, size_t size, Lesson *out, Error *error);

#endif
