#include "runtime/recent.h"

#include "base/file.h"
#include "runtime/user_files.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_NAME "recent"
enum { SIZE_LIMIT = 256 * 1024 };

static bool has(const RecentFiles *recent, const char *path)
{
    for (int i = 0; i < recent->count; i++) {
        if (strcmp(recent->path[i], path) == 0) return true;
    }
    return false;
}

// A line that is no absolute path was not written by us.
static bool is_good(const char *path, size_t length)
{
    if (length == 0 || length >= PATH_MAX || path[0] != '/') return false;
    for (size_t i = 0; i < length; i++) {
        if ((unsigned char)path[i] < ' ') return false;
    }
    return true;
}

void recent_load(RecentFiles *out)
{
    *out = (RecentFiles){0};
    char path[PATH_MAX];
    FileText text;
    if (user_file_path(USER_STATE, FILE_NAME, path, sizeof path, NULL) != STATUS_OK ||
        !file_is_regular(path) || file_read(path, SIZE_LIMIT, &text, NULL) != STATUS_OK)
        return;
    const char *line = text.data;
    while (*line && out->count < RECENT_MAX) {
        size_t length = strcspn(line, "\n");
        if (is_good(line, length)) {
            char *item = out->path[out->count];
            memcpy(item, line, length);
            item[length] = '\0';
            if (!has(out, item)) out->count++;
        }
        line += length;
        if (*line) line++;
    }
    file_text_finish(&text);
}

static Status store(const RecentFiles *recent, Error *error)
{
    char path[PATH_MAX];
    Status status = user_file_path(USER_STATE, FILE_NAME, path, sizeof path, error);
    if (status != STATUS_OK) return status;
    char *text = malloc(RECENT_MAX * (PATH_MAX + 1)), *at = text;
    if (!text) return error_set(error, STATUS_OUT_OF_MEMORY, "out of memory for recent files");
    for (int i = 0; i < recent->count; i++) {
        size_t length = strlen(recent->path[i]);
        memcpy(at, recent->path[i], length);
        at += length;
        *at++ = '\n';
    }
    status = user_file_write(path, text, (size_t)(at - text), error);
    free(text);
    return status;
}

static void take_out(RecentFiles *recent, const char *path)
{
    int kept = 0;
    for (int i = 0; i < recent->count; i++) {
        if (strcmp(recent->path[i], path) == 0) continue;
        if (kept != i) strcpy(recent->path[kept], recent->path[i]);
        kept++;
    }
    recent->count = kept;
}

Status recent_add(RecentFiles *recent, const char *path, Error *error)
{
    char whole[PATH_MAX];
    if (!realpath(path, whole) || !is_good(whole, strlen(whole))) return STATUS_OK;
    take_out(recent, whole);
    if (recent->count == RECENT_MAX) recent->count--;
    for (int i = recent->count; i > 0; i--) strcpy(recent->path[i], recent->path[i - 1]);
    strcpy(recent->path[0], whole);
    recent->count++;
    return store(recent, error);
}

Status recent_remove(RecentFiles *recent, const char *path, Error *error)
{
    take_out(recent, path);
    return store(recent, error);
}
