// Reads whole text files into memory.
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct FileText {
    char *data;  // `size` bytes and a terminating 0; free with file_text_finish
    size_t size; // bytes, without the terminating 0
} FileText;

// Fails if the file is larger than `limit` bytes or cannot be read to its end. Lines end with \n,
// whatever they end with in the file (\r\n, \r), and a mark of UTF-8 at its start is left out.
Status file_read(const char *path, size_t limit, FileText *out, Error *error);
void file_text_finish(FileText *text); // accepts a zeroed one

// The end of a long path, which says more than its beginning: for messages, which have little room.
const char *file_shown(const char *path);
const char *file_shown_briefly(const char *path); // where a line's number and a reason follow
bool file_is_regular(const char *path);           // or a link to such a file
bool file_has_ending(const char *path, const char *ending); // such as ".ini"

#endif
