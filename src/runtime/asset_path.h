// The directories where files that come with the program are looked for.
#ifndef RUNTIME_ASSET_PATH_H
#define RUNTIME_ASSET_PATH_H

#include <limits.h>

enum { ASSET_DIRECTORIES = 4 };

typedef struct AssetPath {
    char directories[ASSET_DIRECTORIES][PATH_MAX]; // "" for an unused place
} AssetPath;

// For files of one kind, such as "scenes". The first directory that has a file wins: the one the
// user sets ($SELVAGE_ASSETS/KIND), the one installed with this program (wherever it is now), the
// sources it was built from, the prefix it was built for.
AssetPath asset_path(const char *kind);

#endif
