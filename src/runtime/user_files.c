#include "runtime/user_files.h"

#include "base/output_file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// The XDG specification says to ignore a path that is not absolute.
static const char *absolute(const char *variable)
{
    const char *path = getenv(variable);
    return path && *path == '/' ? path : NULL;
}

Status user_file_path(UserFolder folder, const char *name, char *path, size_t size, Error *error)
{
    static const struct {
        const char *variable, *below_home;
    } places[] = {
        [USER_CONFIG] = {"XDG_CONFIG_HOME", "/.config"},
        [USER_STATE] = {"XDG_STATE_HOME", "/.local/state"},
    };
    const char *base = absolute(places[folder].variable), *home = absolute("HOME");
    if (!base && !home) {
        return error_set(error, STATUS_FILE, "there is no place for %s: neither %s nor HOME is set",
                         name, places[folder].variable);
    }
    int length = snprintf(path, size, "%s%s/selvage/%s", base ? base : home,
                          base ? "" : places[folder].below_home, name);
    if (length >= (int)size)
        return error_set(error, STATUS_FILE, "the path of %s is too long", name);
    return STATUS_OK;
}

// Make the folders above a file that are not there yet. Failures show when the file is opened.
static void make_folders(const char *path)
{
    char folder[PATH_MAX];
    if (strlen(path) >= sizeof folder) return;
    strcpy(folder, path);
    for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(folder, 0700);
        *slash = '/';
    }
}

Status user_file_write(const char *path, const char *text, size_t length, Error *error)
{
    make_folders(path);
    return output_file_write(path, text, length, error);
}
