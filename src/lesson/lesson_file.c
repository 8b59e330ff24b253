#include "lesson/lesson_file.h"

#include "base/file.h"
#include "lesson/lesson_parse.h"
#include "runtime/asset_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LESSON_SIZE_LIMIT = 128 * 1024 }; // bytes; ours have about 4000

// The lesson's name is the file's name without directory and .ini.
static Status name_from_path(const char *path, char *out, size_t size, Error *error)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    size_t length = strlen(name);
    if (file_has_ending(name, ".ini")) length -= strlen(".ini");
    if (length >= size)
        return error_set(error, STATUS_BAD_PARAMETER,
                         "the lesson name \"%.100s\" is longer than %zu bytes", name, size - 1);
    memcpy(out, name, length);
    out[length] = '\0';
    return STATUS_OK;
}

static Status load_file(const char *path, Lesson **out, Error *error)
{
    Lesson *lesson = calloc(1, sizeof *lesson);
    FileText text = {0};
    *out = NULL;
    Status status =
        lesson ? STATUS_OK : error_set(error, STATUS_OUT_OF_MEMORY, "out of memory for a lesson");
    if (status == STATUS_OK)
        status = name_from_path(path, lesson->name, sizeof lesson->name, error);
    if (status == STATUS_OK) status = file_read(path, LESSON_SIZE_LIMIT, &text, error);
    if (status == STATUS_OK) status = lesson_parse(path, text.data, text.size, lesson, error);
    file_text_finish(&text);
    if (status == STATUS_OK) {
        *out = lesson;
    } else {
        free(lesson);
    }
    return status;
}

static Status fail_unknown(const char *name, Error *error)
{
    LessonList list;
    Status status = lesson_list(&list, error);
    if (status != STATUS_OK) return status;
    char names[360] = "none (SELVAGE_ASSETS may name the directory that holds lessons/)";
    size_t length = 0;
    for (int i = 0; i < list.count && length < sizeof names; i++) {
        length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", i > 0 ? ", " : "",
                                   list.items[i].name);
    }
    lesson_list_finish(&list);
    return error_set(
        error, STATUS_BAD_PARAMETER,
        "there is no lesson \"%.60s\"; there are %s; a path to an .ini file will do too", name,
        names);
}

Status lesson_load(const char *name, Lesson **out, Error *error)
{
    *out = NULL;
    if (strchr(name, '/') || file_has_ending(name, ".ini")) return load_file(name, out, error);
    char file[ASSET_PATH_SIZE];
    if (strlen(name) < sizeof(*out)->name && asset_find("lessons", name, file))
        return load_file(file, out, error);
    return fail_unknown(name, error);
}

void lesson_destroy(Lesson *lesson)
{
    free(lesson);
}

static bool list_has(const LessonList *list, const char *name)
{
    for (int i = 0; i < list->count; i++) {
        if (strcmp(list->items[i].name, name) == 0) return true;
    }
    return false;
}

static Status fail_memory(Error *error)
{
    return error_set(error, STATUS_OUT_OF_MEMORY, "out of memory for the lessons");
}

static Status append(LessonList *list, const Lesson *lesson, Error *error)
{
    LessonEntry *items = realloc(list->items, (size_t)(list->count + 1) * sizeof *items);
    if (!items) return fail_memory(error);
    list->items = items;
    LessonEntry *entry = &list->items[list->count++];
    *entry = (LessonEntry){.step_count = lesson->step_count};
    memcpy(entry->name, lesson->name, sizeof entry->name);
    memcpy(entry->title, lesson->title, sizeof entry->title);
    memcpy(entry->about, lesson->about, sizeof entry->about);
    return STATUS_OK;
}

static Status add(void *self, const char *file, Error *error)
{
    LessonList *list = self;
    Lesson *lesson;
    Status status = load_file(file, &lesson, NULL);
    if (status == STATUS_OUT_OF_MEMORY) return fail_memory(error);
    if (status != STATUS_OK) return STATUS_OK; // broken: those beside it are listed
    if (!list_has(list, lesson->name)) status = append(list, lesson, error);
    lesson_destroy(lesson);
    return status;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const LessonEntry *)a)->name, ((const LessonEntry *)b)->name);
}

Status lesson_list(LessonList *out, Error *error)
{
    *out = (LessonList){0};
    Status status = asset_each("lessons", add, out, error);
    if (status != STATUS_OK) {
        lesson_list_finish(out);
        return status;
    }
    if (out->count > 1) qsort(out->items, (size_t)out->count, sizeof *out->items, compare_names);
    return STATUS_OK;
}

void lesson_list_finish(LessonList *list)
{
    free(list->items);
    *list = (LessonList){0};
}
