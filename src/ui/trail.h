// Where the particles of a very small scene have been: one sees whether an orbit closes.
#ifndef UI_TRAIL_H
#define UI_TRAIL_H

#include "simulation/snapshot.h"

enum { TRAIL_POINTS = 1200, TRAIL_PARTICLES = 4 }; // larger scenes have no trail

// Up to TRAIL_POINTS positions from the start to the moment that is shown, 3 numbers each; NaN
// between two particles. Returns how many.
int trail_points(const Snapshot *now, float *points);

#endif
