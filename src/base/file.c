#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Status file_read(const char *path, size_t limit, FileText *out, Error *error)
{
    *out = (FileText){0};
    FILE *file = fopen(path, "rb");
    if (!file) {
        return error_set(error, STATUS_FILE, "%s cannot be opened: %s", path, strerror(errno));
    }
    // Read in growing pieces instead of asking for the size: a pipe does not know its size.
    FileText text = {0};
    size_t capacity = 0;
    Status status = STATUS_OK;
    while (status == STATUS_OK) {
        if (text.size + 1 >= capacity) {
            capacity = capacity ? 2 * capacity : 16384;
            char *grown = realloc(text.data, capacity);
            if (!grown) {
                status =
                    error_set(error, STATUS_OUT_OF_MEMORY, "%s does not fit into memory", path);
                break;
            }
            text.data = grown;
        }
        size_t got = fread(text.data + text.size, 1, capacity - 1 - text.size, file);
        text.size += got;
        if (text.size > limit) {
            status = error_set(error, STATUS_FILE, "%s is larger than %zu bytes", path, limit);
        } else if (ferror(file)) {
            status = error_set(error, STATUS_FILE, "%s cannot be read: %s", path, strerror(errno));
        } else if (got == 0) {
            break;
        }
    }
    fclose(file);
    if (status != STATUS_OK) {
        file_text_finish(&text);
        return status;
    }
    text.data[text.size] = '\0';
    *out = text;
    return STATUS_OK;
}

void file_text_finish(FileText *text)
{
    free(text->data);
    *text = (FileText){0};
}
