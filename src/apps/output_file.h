// A file requested on the command line. It is written under a temporary name in the same directory
// and renamed at the end, so that a failure neither leaves a partial file nor damages an old one. A
// file that is not regular (a pipe, a device) is written directly.
#ifndef APPS_OUTPUT_FILE_H
#define APPS_OUTPUT_FILE_H

#include "base/status.h"

#include <limits.h>
#include <stdbool.h>

typedef struct OutputFile {
    bool wanted;
    bool direct;
    char path[PATH_MAX];  // final name
    char write[PATH_MAX]; // name to write to
} OutputFile;

// Check, before any work is done, that the file can be written. With path NULL no file is wanted,
// and the other two functions do nothing.
Status output_file_begin(OutputFile *output, const char *path, Error *error);
// Call when `write` is complete and closed: renames it to its final name.
Status output_file_commit(OutputFile *output, Error *error);
// Remove a file that was not committed. Accepts a zeroed one.
void output_file_finish(OutputFile *output);

#endif
