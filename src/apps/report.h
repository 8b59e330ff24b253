// Exit codes and error messages of the program.
#ifndef APPS_REPORT_H
#define APPS_REPORT_H

#include "base/status.h"

enum {
    EXIT_DONE = 0,
    EXIT_FAILED = 1,   // a file could not be read or written, no memory, no GPU
    EXIT_USAGE = 2,    // a command, option, name or value that is not allowed
    EXIT_DIVERGED = 3, // the simulation diverged
};

// Prints "selvage: " and the sentence on stderr. Returns its exit code.
int report_error(const Error *error);

// Prints "selvage: " and the sentence on stderr; nothing if it is empty.
void report_notice(const char *text);

// Flush stdout. Returns `code`, or prints an error and returns EXIT_FAILED if not all was written.
int report_stdout(int code);

#endif
