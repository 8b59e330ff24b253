// The lines of a text, for a parser that feeds inih. inih cuts lines that do not fit its buffer and
// does not tell its handler their numbers, so the parser measures and counts them.
#ifndef RUNTIME_INI_LINE_H
#define RUNTIME_INI_LINE_H

#include <stdbool.h>

#define INI_BLANKS " \t\r" // what inih skips before a line, of that which counts as text

enum { INI_SECTION_SIZE = 64 };

// Copy the line at *next, with its end, and move on to the next one. A comment becomes an empty
// line, so it may be longer than `size`. False, with nothing copied, if another line is.
bool ini_line_read(const char **next, const char *end, char *out, int size);

// The name in "[name]", cut if it is too long. False without a closing bracket, which inih refuses.
bool ini_line_section(const char *line, char name[INI_SECTION_SIZE]);

#endif
