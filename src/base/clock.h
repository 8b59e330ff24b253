// Time on the wall, for costs and pacing; never for the physics.
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

double clock_seconds(void); // s, monotonic, from an arbitrary start

#endif
