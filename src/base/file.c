#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// Line ends become \n, and the mark is removed that some editors begin a text with.
static void normalise(FileText *text)
{
    const char mark[] = "\xef\xbb\xbf", *from = text->data, *end = text->data + text->size;
    char *to = text->data;
    if (text->size >= strlen(mark) && memcmp(from, mark, strlen(mark)) == 0) from += strlen(mark);
    for (; from < end; from++) {
        if (*from == '\r' && from + 1 < end && from[1] == '\n') continue;
        *to++ = *from == '\r' ? '\n' : *from;
    }
    *to = '\0';
    text->size = (size_t)(to - text->data);
}

Status file_read(const char *path, size_t limit, FileText *out, Error *error)
{
    *out = (FileText){0};
    FILE *file = fopen(path, "rb");
    if (!file) {
        return error_set(error, errno == ENOMEM ? STATUS_OUT_OF_MEMORY : STATUS_FILE,
                         "%s cannot be opened: %s", file_shown(path), strerror(errno));
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
                status = error_set(error, STATUS_OUT_OF_MEMORY, "%s does not fit into memory",
                                   file_shown(path));
                break;
            }
            text.data = grown;
        }
        size_t got = fread(text.data + text.size, 1, capacity - 1 - text.size, file);
        text.size += got;
        if (text.size > limit) {
            status = error_set(error, STATUS_FILE, "%s is larger than %zu bytes", file_shown(path),
                               limit);
        } else if (ferror(file)) {
            status = error_set(error, STATUS_FILE, "%s cannot be read: %s", file_shown(path),
                               strerror(errno));
        } else if (got == 0) {
            break;
        }
    }
    fclose(file);
    if (status != STATUS_OK) {
        file_text_finish(&text);
        return status;
    }
    normalise(&text);
    *out = text;
    return STATUS_OK;
}

// At most so many bytes from the end, from where a character begins.
static const char *end_of(const char *path, size_t most)
{
    size_t length = strlen(path);
    if (length <= most) return path;
    path += length - most;
    while (((unsigned char)*path & 0xc0) == 0x80) path++; // inside a UTF-8 character
    return path;
}

const char *file_shown(const char *path)
{
    return end_of(path, 240);
}

const char *file_shown_briefly(const char *path)
{
    return end_of(path, 120);
}

bool file_is_regular(const char *path)
{
    struct stat there;
    return stat(path, &there) == 0 && S_ISREG(there.st_mode);
}

bool file_has_ending(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length >= tail && strcmp(path + length - tail, ending) == 0;
}

void file_text_finish(FileText *text)
{
    free(text->data);
    *text = (FileText){0};
}
