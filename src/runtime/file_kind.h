// What a file is that the user drops on the window or opens by its path.
#ifndef RUNTIME_FILE_KIND_H
#define RUNTIME_FILE_KIND_H

#include "base/status.h"

typedef enum FileKind { FILE_SCENE, FILE_LESSON, FILE_MESH, FILE_RECORDING } FileKind;

// By its name and its first lines. A file that is none of these gives one sentence with what can be
// opened. The file itself may still have mistakes.
Status file_kind(const char *path, FileKind *out, Error *error);

#endif
