// Reads whole files into memory.
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/status.h"

#include <stddef.h>

typedef struct FileText {
    char *data;  // `size` bytes and a terminating 0; free with file_text_finish
    size_t size; // bytes, without the terminating 0
} FileText;

// Fails if the file is larger than `limit` bytes or cannot be read to its end.
Status file_read(const char *path, size_t limit, FileText *out, Error *error);
void file_text_finish(FileText *text); // accepts a zeroed one

#endif
