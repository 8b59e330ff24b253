#include "runtime/asset_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

AssetPath asset_path(const char *kind)
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
