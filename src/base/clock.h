// Clocks for measuring cost and for pacing; the physics never uses them.
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

double clock_seconds(void);     // s, wall clock, monotonic, from an arbitrary start
double clock_cpu_seconds(void); // s of processor time that this thread has used

#endif
