#include "runtime/asset_path.h"

#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DIRECTORIES = 4 };

typedef struct AssetPath {
    char directories[DIRECTORIES][PATH_MAX]; // "" for an unused place
} AssetPath;

static AssetPath asset_path(const char *kind)
{
    AssetPath path = {0};
    const char *assets = getenv("SELVAGE_ASSETS");
    if (assets && *assets) snprintf(path.directories[0], PATH_MAX, "%s/%s", assets, kind);

    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length > 0) {
        program[length] = '\0';
        char *slash = strrchr(program, '/');
        if (slash) *slash = '\0';
        if (strlen(program) < PATH_MAX / 2) {
            sprintf(path.directories[1], "%s/../share/selvage/%s", program, kind);
        }
    }
    snprintf(path.directories[2], PATH_MAX, "%s/%s", SELVAGE_SOURCE_ASSETS, kind);
    snprintf(path.directories[3], PATH_MAX, "%s/%s", SELVAGE_DATADIR, kind);
    return path;
}

bool asset_find(const char *kind, const char *name, char file[ASSET_PATH_SIZE])
{
    AssetPath path = asset_path(kind);
    for (int i = 0; i < DIRECTORIES && *name != '\0'; i++) {
        if (!*path.directories[i]) continue;
        int length = snprintf(file, ASSET_PATH_SIZE, "%s/%s.ini", path.directories[i], name);
        if (length < ASSET_PATH_SIZE && file_is_regular(file)) return true;
    }
    return false;
}

static Status visit_directory(const char *kind, const char *directory, AssetVisit *visit,
                              void *self, Error *error)
{
    DIR *entries = opendir(directory);
    if (!entries && errno == ENOMEM)
        return error_set(error, STATUS_OUT_OF_MEMORY, "out of memory for the %s", kind);
    if (!entries) return STATUS_OK;
    Status status = STATUS_OK;
    for (struct dirent *entry; status == STATUS_OK && (entry = readdir(entries));) {
        char file[ASSET_PATH_SIZE];
        if (entry->d_name[0] == '.' || !file_has_ending(entry->d_name, ".ini")) continue;
        snprintf(file, sizeof file, "%s/%s", directory, entry->d_name);
        if (!file_is_regular(file)) continue; // a pipe would wait for a writer
        status = visit(self, file, error);
    }
    closedir(entries);
    return status;
}

Status asset_each(const char *kind, AssetVisit *visit, void *self, Error *error)
{
    AssetPath path = asset_path(kind);
    Status status = STATUS_OK;
    for (int i = 0; i < DIRECTORIES && status == STATUS_OK; i++) {
        if (*path.directories[i])
            status = visit_directory(kind, path.directories[i], visit, self, error);
    }
    return status;
}
