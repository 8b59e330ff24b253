// How often the window draws beside a simulation that falls behind its pace: a software driver and
// the simulation share the processors. Arithmetic only; times are given.
//
// While the simulation is late, frames come no faster than a motion needs to be seen, and what they
// leave is the simulation's; when it is in time again, they come back slowly. Where it stays far
// behind all the same for some seconds, it is too slow by itself, and frames are worth more.
#ifndef RUNTIME_FRAME_SHARE_H
#define RUNTIME_FRAME_SHARE_H

#include <stdbool.h>

typedef struct FrameShare {
    double now;           // s, of the last call
    double interval;      // s, then; 0: never called
    double behind_since;  // s; meaningful while `far_behind`
    double gave_up_until; // s
    double drawing;       // s that a frame takes; 0: not known
    bool far_behind;
} FrameShare;

// s, least time from the start of a frame to that of the next. Call it for each frame or more
// often. `far_behind`: late, and not nearly at the pace that is asked for.
double frame_share_interval(FrameShare *share, double now, bool late, bool far_behind);
// After a frame that took `seconds`: while the simulation is late, those that take little come a
// little sooner than others.
void frame_share_drawn(FrameShare *share, double seconds);
// Frames give way, or did some seconds ago: they do without what only makes them more beautiful.
bool frame_share_spares(const FrameShare *share);

#endif
