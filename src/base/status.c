#include "base/status.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// Is this byte inside a UTF-8 character, not its first?
static bool is_inside(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

// A text that was too long ends where a character ends, and says so.
static void mark_cut(char *text, size_t size)
{
    static const char mark[] = "...";
    size_t end = size - sizeof mark;
    while (end > 0 && is_inside(text[end])) end--;
    memcpy(text + end, mark, sizeof mark);
}

// The character that a text starts with, and its bytes; -1: there is no whole one.
static long first_character(const char *text, int *bytes)
{
    static const long least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char first = (unsigned char)*text;
    int length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    long c = length == 1 ? first : first & (0xff >> (length + 1));
    for (int i = 1; i < length; i++) {
        if (!is_inside(text[i])) return -1;
        c = c << 6 | (text[i] & 0x3f);
    }
    *bytes = length;
    bool exists = c >= least[length] && c <= 0x10ffff && (c < 0xd800 || c > 0xdfff);
    return exists && first < 0xf8 && !is_inside(*text) ? c : -1;
}

// What a message quotes, from a file or a command line, may have bytes that a terminal obeys, or
// end within a character, where a format has shortened it.
static void make_harmless(char *text)
{
    char *to = text;
    while (*text) {
        int bytes = 0;
        long c = first_character(text, &bytes);
        if (c < ' ' || (c >= 0x7f && c < 0xa0)) {
            *to++ = '?';
            for (text++; is_inside(*text); text++) continue; // of the same
        } else {
            for (; bytes > 0; bytes--) *to++ = *text++;
        }
    }
    *to = '\0';
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
