// Status codes, and the type that carries an error message to the user.
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

typedef enum Status {
    STATUS_OK,
    STATUS_OUT_OF_MEMORY,
    STATUS_BAD_PARAMETER, // an invalid name or value; the message says what is allowed
    STATUS_FILE,          // a file could not be read, written or understood
    STATUS_GPU,           // OpenGL, a shader, or no display
    STATUS_DIVERGED,      // the simulation is no longer finite, or too fast
    STATUS_INTERRUPTED,   // by Ctrl-C, a signal, or a cancel flag
} Status;

typedef struct Error {
    Status status;
    char text[768]; // one sentence, without the program's name and without control characters
} Error;

// Record a failure and return its status: `return error_set(error, ...)`. `error` may be NULL.
// Control characters and what is no UTF-8 become `?`, and a text that does not fit ends with "...".
Status error_set(Error *error, Status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
