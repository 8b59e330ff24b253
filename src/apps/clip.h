// A video of a run without a window: a frame every 1/fps simulated seconds.
#ifndef APPS_CLIP_H
#define APPS_CLIP_H

#include "apps/options.h"
#include "simulation/simulation.h"

typedef struct Clip Clip;

typedef struct ClipPlan {
    const char *path, *write;     // see VideoPlan
    int width, height;            // pixels
    double fps;                   // frames per simulated second
    double seconds;               // simulated, for the progress; NaN: not known
    bool (*is_interrupted)(void); // asked while waiting for ffmpeg; may be NULL
} ClipPlan;

// Starts ffmpeg. Fails in a build without the renderer.
Status clip_start(const ClipPlan *plan, Clip **out, Error *error);
// The same as --video, --size and --fps ask for it; `write` as in the plan.
Status clip_start_as_asked(const Options *options, const char *write, Clip **out, Error *error);
// Takes a frame, of one snapshot or of several side by side.
Status clip_show(Clip *clip, const Snapshot *snapshots, int count, Error *error);
double clip_due(const Clip *clip); // s, simulated since the start: of the next frame
// At the start and after a step: the frames that are due. `simulated` s have passed since the
// start, not counting what was taken back. Each frame is interpolated to its very time.
Status clip_follow(Clip *clip, const Simulation *simulation, double simulated, Error *error);
// Waits until the video is complete.
Status clip_finish(Clip *clip, Error *error);
void clip_destroy(Clip *clip); // accepts NULL

#endif
