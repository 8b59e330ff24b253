// Private to lesson/. The parts of reading a lesson file.
//   lesson_parse.c  lines, sections, and what a whole step must be
//   lesson_keys.c   what each key of a step may say
#ifndef LESSON_LESSON_PARSER_H
#define LESSON_LESSON_PARSER_H

#include "lesson/lesson.h"
#include "runtime/ini_text.h"

#include <stddef.h>

typedef struct Parser {
    const char *path; // for error messages
    IniReader ini;
    int line;       // number of the last line read
    bool continues; // it goes on with the key above
    bool changed;   // this step has settings or lanes
    bool has_lanes; // it has lanes of its own
    unsigned keys;  // one bit per row of step_keys that this step has set
    int caption_line, ask_line, equation_line;
    int failed_line; // 0: no failure
    Lesson *lesson;
    Error *error;
} Parser;

// Refuse the file, with the line. The first refusal counts.
__attribute__((format(printf, 3, 4))) void lesson_fail(Parser *parser, int line, const char *format,
                                                       ...);
LessonStep *lesson_current(Parser *parser); // the step being read
int lesson_lanes_of(const LessonStep *step);
// Appends to a text, after a blank.
void lesson_read_text(Parser *parser, const char *name, const char *value, char *text, size_t size);
// One key of a step, or a line that goes on with it.
void lesson_read_key(Parser *parser, const char *name, const char *value);

#endif
