// A file that is written whole or not at all. It is written under a temporary name in the same
// directory and renamed at the end, so that a failure neither leaves a partial file nor damages an
// old one. What is replaced keeps its permissions; a link to it stays a link. A file that is not
// regular (a pipe, a device) is written directly, and waiting for its reader ends with a signal
// that is blocked (apps/interrupt.h).
//
// The temporary file is locked while it is written: one that is not is left over from a run that
// was killed, and is removed. A link, a pipe or somebody else's file of that name is left alone.
#ifndef BASE_OUTPUT_FILE_H
#define BASE_OUTPUT_FILE_H

#include "base/status.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct OutputFile {
    bool wanted;
    bool direct;
    bool is_new;          // nothing is replaced
    int lock;             // descriptor of the temporary file
    char path[PATH_MAX];  // final name
    char write[PATH_MAX]; // name to write to
} OutputFile;

// Check, before any work is done, that the file can be written. With path NULL no file is wanted,
// and the other functions do nothing.
Status output_file_begin(OutputFile *output, const char *path, Error *error);
// The same for a file that does not exist, and is not replaced if it does in the end.
Status output_file_begin_new(OutputFile *output, const char *path, Error *error);

// A stream to write to; NULL after a failure.
FILE *output_file_open(OutputFile *output, Error *error);
// Close it and, if all of it was taken, give it its final name.
Status output_file_close(OutputFile *output, FILE *file, Error *error);

// Call when `write` is complete and closed: gives it its final name.
Status output_file_commit(OutputFile *output, Error *error);
// Remove a file that was not committed. Accepts a zeroed one.
void output_file_finish(OutputFile *output);

// All at once.
Status output_file_write(const char *path, const char *text, size_t length, Error *error);

#endif
