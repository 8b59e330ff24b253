// Cuts a polygon in space into triangles.
#ifndef CLOTH_POLYGON_H
#define CLOTH_POLYGON_H

#include "linalg/vec3.h"

// Room that polygon_cut needs for a polygon of `count` corners.
typedef struct PolygonScratch {
    double (*flat)[2]; // per corner: its place in the polygon's plane
    int *next, *last;  // per corner: its neighbours among those that are left
    double *quality;   // per corner: of cutting it off; < 0: not possible
} PolygonScratch;

// Ear clipping, the shortest cut first: count - 2 triangles of numbers of corners, inside
// the polygon also where it is concave. A polygon that crosses itself is cut somehow.
void polygon_cut(const Vec3 *corners, int count, PolygonScratch *scratch, int (*triangles)[3]);

#endif
