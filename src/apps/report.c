#include "apps/report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int report_error(const Error *error)
{
    fprintf(stderr, "selvage: %s\n", error->text);
    switch (error->status) {
    case STATUS_OK:
        return EXIT_DONE;
    case STATUS_BAD_PARAMETER:
        return EXIT_USAGE;
    case STATUS_DIVERGED:
        return EXIT_DIVERGED;
    default:
        return EXIT_FAILED;
    }
}

void report_notice(const char *text)
{
    if (*text) fprintf(stderr, "selvage: %s\n", text);
}

int report_stdout(int code)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    // It failed earlier, and the reason is forgotten: a further line fails for the same.
    if (errno == 0) {
        clearerr(stdout);
        putchar('\n');
        fflush(stdout);
    }
    Error error;
    error_set(&error, STATUS_FILE, "cannot write to standard output: %s",
              errno ? strerror(errno) : "not all of it was taken");
    return report_error(&error);
}
