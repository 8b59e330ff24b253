// Time, for costs and pacing; never for the physics.
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

double clock_seconds(void);     // s, on the wall, monotonic, from an arbitrary start
double clock_cpu_seconds(void); // s that the processor has spent on this thread

#endif
