// Where the particles of a small scene have been. Of a very small one since the start, so that one
// sees whether an orbit closes; of others some particles, for the last seconds.
#ifndef UI_TRAIL_H
#define UI_TRAIL_H

#include "simulation/snapshot.h"

enum { TRAIL_POINTS = 1200, TRAIL_PARTICLES = 4 }; // of which more would be a tangle
#define TRAIL_SECONDS 2.5                          // of scenes with more particles

bool trail_exists(const Snapshot *now); // cloths of more than FILM_SMALL particles have none
// Up to TRAIL_POINTS positions up to the moment that is shown, 3 numbers each; NaN after each
// particle. Returns how many.
int trail_points(const Snapshot *now, float *points);

#endif
