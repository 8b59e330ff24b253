// A picture of a snapshot without a window or a display: the viewer's renderer on an EGL
// surfaceless context, written as PNG.
#ifndef RENDER_PICTURE_H
#define RENDER_PICTURE_H

#include "simulation/snapshot.h"

Status picture_write(const Snapshot *snapshot, const char *path, int width, int height,
                     Error *error);

#endif
