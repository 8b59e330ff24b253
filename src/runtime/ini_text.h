// Texts of sections and values, as in scene, lesson and settings files.
//
//   [section]
//   name = value                 ; a comment
//   name = "text with ; in it"   ; inside, \" stands for " and \\ for \ itself
//     a line that starts with a blank continues the value above
//   ; a comment, and so is a line that starts with #
//
// A line ends with \n, \r\n or \r. A value is taken without the blanks around it, up to a blank
// before `;`, unless it is in quotes.
#ifndef RUNTIME_INI_TEXT_H
#define RUNTIME_INI_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { INI_LINE_SIZE = 4096, INI_NAME_SIZE = 64 };

typedef enum IniKind {
    INI_END,
    INI_SECTION,
    INI_VALUE,
    INI_MORE, // the value of the name above goes on
    INI_BAD,  // `wrong` says why, without the line's number
} IniKind;

typedef struct IniReader {
    const char *next, *end; // text not yet read
    int line;               // number of the last line read
    bool key_open; // a key followed the last section, so a line that starts with a blank continues
    char section[INI_NAME_SIZE];
    char name[INI_NAME_SIZE];
    const char *value; // in `text`
    char text[INI_LINE_SIZE];
    char wrong[120];
} IniReader;

// The mark that some editors begin a text with is skipped.
void ini_begin(IniReader *reader, const char *text, size_t size);
// The next line that says something.
IniKind ini_next(IniReader *reader);

// No control characters but blanks and line ends.
bool ini_is_text(const char *text, size_t size);
// The same without line ends: what a value can be.
bool ini_is_line(const char *text);

// "name = value", so that the same value is read again. `value` is a text, without line ends.
void ini_print(FILE *file, const char *name, const char *value);
// The same on lines of about 80 characters where the text allows that.
void ini_print_wrapped(FILE *file, const char *name, const char *value);

#endif
