#include "render/quality.h"

#include <math.h>

// s, the longest that a frame of each detail may take. 20 frames a second are enough for a motion
// with threads, which hardly cost anything on a large cloth; smooth edges are worth less than 43.
static const double LATE[DETAILS] = {INFINITY, 0.050, 0.023};
// s, below which there is time for the next detail: with threads a frame takes up to a quarter
// longer, with smooth edges up to a half.
static const double IDLE[DETAILS] = {0.040, 0.015, 0.0};
#define SMOOTHING 0.06 // over frames with panels, which take twice as long, and without
enum {
    SETTLE = 12, // frames until a mean can be trusted: the first ones compile shaders
    PATIENCE = 90,
    MOST_PATIENCE = 90 * 32,
};

Quality quality_start(void)
{
    return (Quality){.detail = DETAIL_SMOOTH, .patience = PATIENCE};
}

static void change(Quality *quality, int by)
{
    quality->detail = (RenderDetail)((int)quality->detail + by);
    quality->frames = 0;
}

bool quality_frame(Quality *quality, double seconds)
{
    // One frame that had to wait for something else is not a slow machine.
    double taken =
        quality->frames > 0 && seconds > 3.0 * quality->mean ? 3.0 * quality->mean : seconds;
    double share = quality->frames == 0 ? 1.0 : SMOOTHING;
    quality->mean += share * (taken - quality->mean);
    quality->frames++;
    if (quality->frames < SETTLE) return false;
    if (quality->mean > LATE[quality->detail]) {
        // Tried too early: wait longer next time.
        if (quality->frames < 4 * PATIENCE && quality->patience < MOST_PATIENCE)
            quality->patience *= 2.0;
        change(quality, -1);
        return true;
    }
    if (quality->mean < IDLE[quality->detail] && quality->frames > quality->patience) {
        change(quality, 1);
        return true;
    }
    return false;
}
