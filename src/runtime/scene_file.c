// Reads scene files and finds named scenes.
#include "runtime/scene_file.h"

#include "base/file.h"
#include "runtime/asset_path.h"
#include "runtime/ini_text.h"
#include "runtime/scene_parse.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SCENE_SIZE_LIMIT = 64 * 1024 }; // bytes; ours have about 2000

static bool is_mesh(const char *path)
{
    return file_has_ending(path, ".obj") || file_has_ending(path, ".OBJ");
}

// The scene's name is the file's name without directory and .ini.
static Status name_from_path(const char *path, Scene *scene, Error *error)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    size_t length = strlen(name);
    if (file_has_ending(name, ".ini") || is_mesh(name)) length -= strlen(".ini");
    if (length >= sizeof scene->name) {
        return error_set(error, STATUS_BAD_PARAMETER,
                         "the scene name \"%.100s\" is longer than %zu bytes", name,
                         sizeof scene->name - 1);
    }
    memcpy(scene->name, name, length);
    scene->name[length] = '\0';
    return STATUS_OK;
}

// Absolute, so that the scene can be saved elsewhere; reading reports a missing mesh.
static Status make_mesh_absolute(Scene *scene, Error *error)
{
    char mesh[PATH_MAX];
    if (scene->mesh[0] == '\0' || !realpath(scene->mesh, mesh)) return STATUS_OK;
    size_t length = strlen(mesh);
    if (length >= sizeof scene->mesh)
        return error_set(error, STATUS_BAD_PARAMETER,
                         "the whole path of the mesh has %zu bytes, and at most %zu are allowed",
                         length, sizeof scene->mesh - 1);
    if (!ini_is_line(mesh))
        return error_set(error, STATUS_BAD_PARAMETER,
                         "the path of the mesh has a control character, such as a line end, which "
                         "no scene file can hold");
    memcpy(scene->mesh, mesh, length + 1);
    return STATUS_OK;
}

// Where a scene that was opened by its path is found again.
static void note_source(const char *path, Scene *scene)
{
    char whole[PATH_MAX];
    if (realpath(path, whole) && strlen(whole) < sizeof scene->source) strcpy(scene->source, whole);
}

// A scene of a mesh alone: the rest is as by default.
static Status load_mesh(const char *path, Scene *out, Error *error)
{
    Scene scene = scene_default();
    if (strlen(path) >= sizeof scene.mesh) {
        return error_set(error, STATUS_BAD_PARAMETER,
                         "the path of the mesh is longer than %zu bytes", sizeof scene.mesh - 1);
    }
    Status status = name_from_path(path, &scene, error);
    if (status == STATUS_OK && access(path, R_OK) != 0)
        status = error_set(error, STATUS_FILE, "%s cannot be opened: %s", file_shown(path),
                           strerror(errno));
    if (status != STATUS_OK) return status;
    strcpy(scene.mesh, path);
    strcpy(scene.title, scene.name);
    strcpy(scene.about, "A mesh from a file, pinned at its two top corners.");
    status = make_mesh_absolute(&scene, error);
    if (status == STATUS_OK) *out = scene;
    return status;
}

static Status load_file(const char *path, Scene *out, Error *error)
{
    Scene scene = {0};
    FileText text;
    Status status = name_from_path(path, &scene, error);
    if (status == STATUS_OK) status = file_read(path, SCENE_SIZE_LIMIT, &text, error);
    if (status != STATUS_OK) return status;
    status = scene_parse(path, text.data, text.size, &scene, error);
    file_text_finish(&text);
    if (status == STATUS_OK) status = make_mesh_absolute(&scene, error);
    if (status == STATUS_OK) *out = scene;
    return status;
}

static Status fail_unknown(const char *name, Error *error)
{
    SceneList list;
    Status status = scene_list(&list, error);
    if (status != STATUS_OK) return status;
    char names[256] = "none (SELVAGE_ASSETS may name the directory that holds scenes/)";
    size_t length = 0;
    for (int i = 0; i < list.count && length < sizeof names; i++) {
        length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", i > 0 ? ", " : "",
                                   list.items[i].name);
    }
    scene_list_finish(&list);
    return error_set(
        error, STATUS_BAD_PARAMETER,
        "there is no scene \"%.60s\"; there are %s; a path to an .ini or .obj file will do too",
        name, names);
}

Status scene_load(const char *name, Scene *out, Error *error)
{
    bool mesh = is_mesh(name);
    if (mesh || strchr(name, '/') || file_has_ending(name, ".ini")) {
        Status status = mesh ? load_mesh(name, out, error) : load_file(name, out, error);
        if (status == STATUS_OK) note_source(name, out);
        return status;
    }
    char file[ASSET_PATH_SIZE];
    if (strlen(name) < sizeof out->name && asset_find("scenes", name, file))
        return load_file(file, out, error);
    return fail_unknown(name, error);
}

static bool list_has(const SceneList *list, const char *name)
{
    for (int i = 0; i < list->count; i++) {
        if (strcmp(list->items[i].name, name) == 0) return true;
    }
    return false;
}

static Status fail_memory(Error *error)
{
    return error_set(error, STATUS_OUT_OF_MEMORY, "out of memory for the scenes");
}

static Status add(void *self, const char *file, Error *error)
{
    SceneList *list = self;
    Scene scene;
    Status status = load_file(file, &scene, NULL);
    if (status == STATUS_OUT_OF_MEMORY) return fail_memory(error);
    if (status != STATUS_OK || list_has(list, scene.name)) return STATUS_OK; // broken, or hidden
    Scene *items = realloc(list->items, (size_t)(list->count + 1) * sizeof *items);
    if (!items) return fail_memory(error);
    list->items = items;
    list->items[list->count++] = scene;
    return STATUS_OK;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const Scene *)a)->name, ((const Scene *)b)->name);
}

Status scene_list(SceneList *out, Error *error)
{
    *out = (SceneList){0};
    Status status = asset_each("scenes", add, out, error);
    if (status != STATUS_OK) {
        scene_list_finish(out);
        return status;
    }
    if (out->count > 1) qsort(out->items, (size_t)out->count, sizeof *out->items, compare_names);
    return STATUS_OK;
}

void scene_list_finish(SceneList *list)
{
    free(list->items);
    *list = (SceneList){0};
}
