// Files that were opened last, newest first: `recent` in the user's state folder, a path a line.
#ifndef RUNTIME_RECENT_H
#define RUNTIME_RECENT_H

#include "base/status.h"

#include <limits.h>

enum { RECENT_MAX = 8 };

typedef struct RecentFiles {
    int count;
    char path[RECENT_MAX][PATH_MAX]; // absolute
} RecentFiles;

// Without a file, or with one that cannot be read, there are none; that is no failure.
void recent_load(RecentFiles *out);

// Put a file first and store the list. The list in memory has it also if storing fails.
Status recent_add(RecentFiles *recent, const char *path, Error *error);
// Take one out, for example because it is gone.
Status recent_remove(RecentFiles *recent, const char *path, Error *error);

#endif
