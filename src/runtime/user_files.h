// Small files that the program keeps for the user, in the XDG folders.
#ifndef RUNTIME_USER_FILES_H
#define RUNTIME_USER_FILES_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum UserFolder {
    USER_CONFIG, // $XDG_CONFIG_HOME/selvage, or ~/.config/selvage
    USER_STATE,  // $XDG_STATE_HOME/selvage, or ~/.local/state/selvage
} UserFolder;

// Where a file of that name is or would be. Fails if neither variable nor HOME has an absolute
// path.
Status user_file_path(UserFolder folder, const char *name, char *path, size_t size, Error *error);

// Write a whole file, or leave what was there. Makes the folders.
Status user_file_write(const char *path, const char *text, size_t length, Error *error);

#endif
