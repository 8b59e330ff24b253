#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

Status error_set(Error *error, Status status, const char *format, ...)
{
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
        error->status = status;
    }
    return status;
}
