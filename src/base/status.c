#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// A text that was too long ends where a character ends, and says so.
static void mark_cut(char *text, size_t size)
{
    static const char mark[] = "...";
    size_t end = size - sizeof mark;
    while (end > 0 && ((unsigned char)text[end] & 0xc0) == 0x80) end--; // inside a UTF-8 character
    memcpy(text + end, mark, sizeof mark);
}

// What a message quotes, from a file or a command line, may have bytes that a terminal obeys.
static void make_harmless(char *text)
{
    for (; *text; text++) {
        if ((unsigned char)*text < ' ' || *text == 0x7f) *text = '?';
    }
}

Status error_set(Error *error, Status status, const char *format, ...)
{
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        int length = vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
        if (length >= (int)sizeof error->text) mark_cut(error->text, sizeof error->text);
        make_harmless(error->text);
        error->status = status;
    }
    return status;
}
