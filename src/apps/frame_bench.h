// How many frames a second the window reaches with the simulation beside it: the same pictures and
// panels, without a display.
#ifndef APPS_FRAME_BENCH_H
#define APPS_FRAME_BENCH_H

#include "base/status.h"

#include <stdbool.h>

enum { FRAME_BENCH_CASES = 5 };

typedef struct FrameBenchLine {
    const char *name;
    int width, height;   // of the window, pixels
    double frames;       // per second
    double goal;         // frames per second, with threads
    double pace_goal;    // 0: none
    bool reached;        // both
    double woven;        // share of the frames that were drawn with threads
    double pictures;     // share of a frame's time that drawing the cloths takes, with the driver's
    double panels;       // the same of the panels, and of copying the canvas
    double panel_frames; // per second, with panels
    double all_panels;   // frames per second if panels are drawn in every one
    double pace;         // simulated per real second, measured here
    double shown_pace;   // and as the window shows it, mean
    const char *detail;
} FrameBenchLine;

// `quick`: a second for each instead of eight.
Status frame_bench_run(bool quick, FrameBenchLine lines[FRAME_BENCH_CASES], Error *error);

#endif
