// The stable region of a scheme in the plane X = h d, Y = h^2 k, as outlines to draw.
#ifndef STABILITY_REGION_H
#define STABILITY_REGION_H

#include "stability/amplification.h"

// A part of the plane.
typedef struct RegionBox {
    double x0, x1, y0, y1;
} RegionBox;
RegionBox region_default_box(const Integrator *integrator); // where its boundary is

// The boundary of the stable region inside a box, as polylines.
typedef struct RegionBoundary {
    int line_count;
    int *first;         // per line, and one past the last: where its points start
    double (*point)[2]; // X, Y
} RegionBoundary;

// `closed`: points outside the box count as unstable, so every line is a closed outline of the
// stable part, ready to fill.
Status region_boundary(const Scheme *scheme, RegionBox box, double symbol, bool closed,
                       RegionBoundary *out, Error *error);
void region_boundary_finish(RegionBoundary *boundary); // accepts a zeroed one

#endif
