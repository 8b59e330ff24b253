// A file asked for on the command line. It is written under a temporary name beside its place and
// renamed at the end, so that a failure leaves neither half a file nor a spoilt old one. What is
// no regular file (a pipe, a device) is written directly.
#ifndef APPS_OUTPUT_FILE_H
#define APPS_OUTPUT_FILE_H

#include "base/status.h"

#include <limits.h>
#include <stdbool.h>

typedef struct OutputFile {
    bool wanted;
    bool direct;
    char path[PATH_MAX];  // its place
    char write[PATH_MAX]; // where to write it
} OutputFile;

// Make sure, before any work is done, that the file can be written. Without a path there is
// nothing wanted, and the other two do nothing.
Status output_file_begin(OutputFile *output, const char *path, Error *error);
// `write` is complete and closed: put it in its place.
Status output_file_commit(OutputFile *output, Error *error);
// Remove what was not committed. Accepts a zeroed one.
void output_file_finish(OutputFile *output);

#endif
