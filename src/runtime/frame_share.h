// How often the window draws beside a simulation that falls behind its pace: a software driver and
// the simulation share the processors. Arithmetic only; times are given.
//
// While the simulation is late, frames come no faster than a motion needs to be seen, and what they
// leave is the simulation's; when it is in time again, they come back slowly. Where that does not
// help for some seconds, it is too slow by itself, and frames are worth more.
#ifndef RUNTIME_FRAME_SHARE_H
#define RUNTIME_FRAME_SHARE_H

#include <stdbool.h>

typedef struct FrameShare {
    double now;           // s, of the last call
    double interval;      // s, then; 0: never called
    double late_since;    // s; meaningful while `late`
    double gave_up_until; // s
    bool late;
} FrameShare;

// s, least time from the start of a frame to that of the next. Call it for each frame or more
// often.
double frame_share_interval(FrameShare *share, double now, bool late);

#endif
