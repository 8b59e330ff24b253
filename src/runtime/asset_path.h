// The .ini files that come with the program, and the user's own beside them.
//
// Files of one kind, such as "scenes", are in directories of that name. The first directory that
// has a file wins: the one the user sets ($SELVAGE_ASSETS/KIND), the one installed with this
// program (wherever it is now), the sources it was built from, the prefix it was built for.
#ifndef RUNTIME_ASSET_PATH_H
#define RUNTIME_ASSET_PATH_H

#include "base/status.h"

#include <limits.h>
#include <stdbool.h>

enum { ASSET_PATH_SIZE = PATH_MAX + 256 }; // bytes

// The path of NAME.ini. False when no directory has it.
bool asset_find(const char *kind, const char *name, char file[ASSET_PATH_SIZE]);

// Calls `visit` with the path of every .ini file of the kind, those of the first directory first,
// until it fails. Directories need not exist.
typedef Status AssetVisit(void *self, const char *file, Error *error);
Status asset_each(const char *kind, AssetVisit *visit, void *self, Error *error);

#endif
