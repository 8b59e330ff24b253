// A picture of snapshots without a window or a display: the viewer's renderer on an EGL surfaceless
// context, written as PNG.
#ifndef RENDER_PICTURE_H
#define RENDER_PICTURE_H

#include "base/output_file.h"
#include "simulation/snapshot.h"

// Several snapshots have a view each, side by side and in rows, seen by the first one's camera.
Status picture_write(const Snapshot *snapshots, int count, OutputFile *output, int width,
                     int height, Error *error);

#endif
