// Pictures of snapshots without a window or a display, one after the other: the viewer's renderer
// on an EGL surfaceless context.
#ifndef RENDER_STUDIO_H
#define RENDER_STUDIO_H

#include "simulation/snapshot.h"

typedef struct Studio Studio;

enum { STUDIO_LARGEST_SIDE = 4096 }; // pixels

// Makes its context current on this thread.
Status studio_create(int width, int height, Studio **out, Error *error);
void studio_destroy(Studio *studio); // accepts NULL

// RGB, rows from the top. Several snapshots have a view each, side by side and in rows. The camera
// is pointed at the first one, and again only at another cloth.
void studio_draw(Studio *studio, const Snapshot *snapshots, int count, unsigned char *rgb);

#endif
