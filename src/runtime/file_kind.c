#include "runtime/file_kind.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { LOOK_AT = 4096 }; // bytes

static bool has_ending(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcasecmp(path + length - tail, ending) == 0;
}

// Whether a line starts with these letters.
static bool has_line(const char *text, const char *start)
{
    size_t length = strlen(start);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        while (*line == '\n' || *line == '\r') line++;
        if (strncmp(line, start, length) == 0) return true;
    }
    return false;
}

static Status read_start(const char *path, char text[LOOK_AT + 1], Error *error)
{
    struct stat there;
    if (stat(path, &there) != 0)
        return error_set(error, STATUS_FILE, "%.400s cannot be opened: %s", path, strerror(errno));
    if (S_ISDIR(there.st_mode))
        return error_set(error, STATUS_FILE, "%.400s is a folder; open a file", path);
    if (!S_ISREG(there.st_mode)) return error_set(error, STATUS_FILE, "%.400s is no file", path);
    FILE *file = fopen(path, "rb");
    if (!file)
        return error_set(error, STATUS_FILE, "%.400s cannot be opened: %s", path, strerror(errno));
    size_t size = fread(text, 1, LOOK_AT, file);
    text[size] = '\0';
    fclose(file);
    return STATUS_OK;
}

Status file_kind(const char *path, FileKind *out, Error *error)
{
    char text[LOOK_AT + 1];
    Status status = read_start(path, text, error);
    if (status != STATUS_OK) return status;
    if (strncmp(text, "selvage-record", strlen("selvage-record")) == 0) {
        *out = FILE_RECORDING;
    } else if (has_ending(path, ".obj")) {
        *out = FILE_MESH;
    } else if (has_line(text, "[lesson]")) {
        *out = FILE_LESSON;
    } else if (has_ending(path, ".ini") || has_line(text, "[scene]") || has_line(text, "[cloth]")) {
        *out = FILE_SCENE;
    } else {
        return error_set(
            error, STATUS_FILE,
            "%.300s is neither a scene or lesson (.ini), a mesh (.obj) nor a recording", path);
    }
    return STATUS_OK;
}
