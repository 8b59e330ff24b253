#include "runtime/settings.h"

#include "base/file.h"
#include "runtime/ini_text.h"
#include "runtime/user_files.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_NAME "settings.ini"
enum { SIZE_LIMIT = 64 * 1024 };

static const struct Row {
    const char *name;
    size_t offset; // of the int in Settings
    int min, max;
} rows[] = {
    {"width", offsetof(Settings, width), SETTINGS_SMALLEST, SETTINGS_LARGEST},
    {"height", offsetof(Settings, height), SETTINGS_SMALLEST, SETTINGS_LARGEST},
    {"text_size", offsetof(Settings, text_size), 100, 300},
};
enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

typedef struct Reader {
    const char *path;
    Settings *settings;
    bool failed;
    Error *error;
} Reader;

Settings settings_default(void)
{
    return (Settings){.width = 1280, .height = 800, .text_size = 100, .fabric = "linen"};
}

static void fail(Reader *reader, const char *name, const char *allowed, const char *value)
{
    if (reader->failed) return;
    reader->failed = true;
    error_set(reader->error, STATUS_FILE, "%.300s: %s takes %s, not \"%.60s\"; the default is used",
              reader->path, name, allowed, value);
}

// Names of other versions are ignored.
static void read_value(Reader *reader, const char *name, const char *value)
{
    if (strcmp(name, "theme") == 0) {
        bool light = strcmp(value, "light") == 0;
        if (light || strcmp(value, "dark") == 0)
            reader->settings->light = light;
        else
            fail(reader, name, "dark or light", value);
    }
    if (strcmp(name, "fabric") == 0) {
        size_t length = strspn(value, "abcdefghijklmnopqrstuvwxyz-");
        if (length > 0 && !value[length] && length < sizeof reader->settings->fabric)
            memcpy(reader->settings->fabric, value, length + 1);
        else
            fail(reader, name, "the name of a fabric", value);
    }
    for (int i = 0; i < ROW_COUNT; i++) {
        if (strcmp(name, rows[i].name) != 0) continue;
        char *end, allowed[48];
        long number = strtol(value, &end, 10);
        snprintf(allowed, sizeof allowed, "%d to %d", rows[i].min, rows[i].max);
        if (end == value || *end || number < rows[i].min || number > rows[i].max)
            fail(reader, name, allowed, value);
        else
            *(int *)((char *)reader->settings + rows[i].offset) = (int)number;
    }
}

// Returns the first line that cannot be read, or 0.
static int read_lines(Reader *reader, const FileText *text)
{
    IniReader ini;
    IniKind kind;
    int bad_line = 0;
    ini_begin(&ini, text->data, text->size);
    while ((kind = ini_next(&ini)) != INI_END) {
        if (kind == INI_BAD && bad_line == 0) bad_line = ini.line;
        if (kind == INI_VALUE && strcmp(ini.section, "window") == 0)
            read_value(reader, ini.name, ini.value);
    }
    return bad_line;
}

static Status load_file(const char *path, Settings *out, Error *error)
{
    if (!file_is_regular(path) || access(path, R_OK) != 0)
        return STATUS_OK; // no file yet, or a failure that saving will report
    FileText text;
    Status status = file_read(path, SIZE_LIMIT, &text, error);
    if (status != STATUS_OK) return status;
    Reader reader = {path, out, false, error};
    bool binary = !ini_is_text(text.data, text.size);
    int line = read_lines(&reader, &text);
    file_text_finish(&text);
    if (line > 0 && !reader.failed) {
        return error_set(error, STATUS_FILE,
                         "%.300s, line %d: this is neither [section] nor name = value; the default "
                         "is used",
                         path, line);
    }
    if (binary && !reader.failed)
        return error_set(error, STATUS_FILE, "%.300s holds bytes that are no text", path);
    return reader.failed ? STATUS_FILE : STATUS_OK;
}

Status settings_load(Settings *out, Error *error)
{
    *out = settings_default();
    char path[PATH_MAX];
    if (user_file_path(USER_CONFIG, FILE_NAME, path, sizeof path, error) != STATUS_OK)
        return STATUS_OK; // nothing is remembered; saving reports it
    return load_file(path, out, error);
}

static bool same(const Settings *a, const Settings *b)
{
    return a->width == b->width && a->height == b->height && a->light == b->light &&
           a->text_size == b->text_size && strcmp(a->fabric, b->fabric) == 0;
}

Status settings_save_changes(const Settings *before, const Settings *now, Error *error)
{
    if (same(before, now)) return STATUS_OK;
    char path[PATH_MAX], text[400];
    Status status = user_file_path(USER_CONFIG, FILE_NAME, path, sizeof path, error);
    if (status != STATUS_OK) return status;
    Settings stored = settings_default();
    load_file(path, &stored, NULL);
    if (before->width != now->width || before->height != now->height) {
        stored.width = now->width;
        stored.height = now->height;
    }
    if (before->light != now->light) stored.light = now->light;
    if (before->text_size != now->text_size) stored.text_size = now->text_size;
    if (strcmp(before->fabric, now->fabric) != 0)
        memcpy(stored.fabric, now->fabric, sizeof stored.fabric);
    int length = snprintf(text, sizeof text,
                          "; What Selvage's window remembers; written when it is closed.\n"
                          "[window]\nwidth = %d\nheight = %d\n"
                          "; dark or light\ntheme = %s\n; percent, 100 to 300\ntext_size = %d\n"
                          "fabric = %s\n",
                          stored.width, stored.height, stored.light ? "light" : "dark",
                          stored.text_size, stored.fabric);
    return user_file_write(path, text, (size_t)length, error);
}
