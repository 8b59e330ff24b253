// What a cloth on a ball costs.
#ifndef BENCH_CONTACT_BENCH_H
#define BENCH_CONTACT_BENCH_H

#include "base/status.h"

typedef struct ContactBench {
    double frames;  // simulated frames of 1/60 s per second of computing
    double k0;      // 1/s^2, while it lies
    double step;    // s
    double touches; // share of the particles that touch the ball
} ContactBench;

// A cloth of side x side particles, as in the scene `sphere` but as stiff as k0 when it is flat,
// under symplectic Euler at its automatic step. It falls on the ball for `settle` simulated
// seconds; then `seconds` are measured three times, and the best counts.
Status bench_ball_contact(int side, double k0, double settle, double seconds, ContactBench *out,
                          Error *error);

#endif
