// How the program ends, and its one way of complaining.
#ifndef APPS_REPORT_H
#define APPS_REPORT_H

#include "base/status.h"

enum {
    EXIT_DONE = 0,
    EXIT_FAILED = 1,   // a file could not be read or written, no memory, no GPU
    EXIT_USAGE = 2,    // a command, option, name or value that is not allowed
    EXIT_DIVERGED = 3, // the simulation did
};

// "selvage: " and the sentence on stderr. Returns the exit code for it.
int report_error(const Error *error);

// Flush stdout: `code`, or a complaint and EXIT_FAILED when not all of it was written.
int report_stdout(int code);

#endif
