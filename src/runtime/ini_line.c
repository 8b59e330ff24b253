#include "runtime/ini_line.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static bool is_comment(const char *line, size_t length)
{
    while (length > 0 && (*line == ' ' || *line == '\t')) line++, length--;
    return length > 0 && (*line == ';' || *line == '#');
}

bool ini_line_read(const char **next, const char *end, char *out, int size)
{
    const char *line = *next;
    size_t left = (size_t)(end - line);
    const char *newline = memchr(line, '\n', left);
    size_t length = newline ? (size_t)(newline - line) + 1 : left;
    *next = line + length;
    if (is_comment(line, length)) length = 0;
    if (length >= (size_t)size) return false;
    memcpy(out, line, length);
    out[length] = '\0';
    return true;
}

bool ini_line_section(const char *line, char name[INI_SECTION_SIZE])
{
    name[0] = '\0';
    sscanf(line, "[%63[^]\r\n]", name);
    return strchr(line, ']') != NULL;
}
