#include "render/quality.h"

#include <math.h>

// s, the longest that a frame of each detail may take. 20 frames a second are enough for a motion
// with threads, which hardly cost anything on a large cloth; smooth edges are worth less than 43.
static const double LATE[DETAILS] = {INFINITY, 0.050, 0.023};
// s, below which there is time for the next detail: with threads a frame takes up to a quarter
// longer, with smooth edges up to a half.
static const double IDLE[DETAILS] = {0.040, 0.015, 0.0};
#define SMOOTHING 0.06 // over frames with panels, which take twice as long, and without
#define WORTH 0.9      // of the time is what is left when a detail was worth leaving out
enum {
    WARM_UP = 4, // frames that tell nothing: they compile shaders
    SETTLE = 16, // more until a mean can be trusted
    PATIENCE = 90,
    MOST_PATIENCE = 90 * 32,
};

Quality quality_start(void)
{
    return (Quality){.detail = DETAIL_SMOOTH, .patience = PATIENCE};
}

RenderDetail quality_detail(const Quality *quality, bool spares)
{
    return spares && quality->detail > DETAIL_WOVEN ? DETAIL_WOVEN : quality->detail;
}

// The mean starts again.
static void forget(Quality *quality)
{
    quality->mean = 0.0;
    quality->counted = 0;
    quality->is_late = false;
}

static void change(Quality *quality, int by)
{
    quality->detail = (RenderDetail)((int)quality->detail + by);
    quality->frames = 0;
    quality->kept_until = 0;
    forget(quality);
}

static void count(Quality *quality, double seconds)
{
    int counted = ++quality->counted;
    // One frame that had to wait for something else is not a slow machine.
    double taken = counted > 1 ? fmin(seconds, 3.0 * quality->mean) : seconds;
    quality->mean += fmax(SMOOTHING, 1.0 / counted) * (taken - quality->mean);
}

static bool leave_out(Quality *quality)
{
    if (!quality->is_late) { // a second look, with a mean of frames that are all from now
        forget(quality);
        quality->is_late = true;
        return false;
    }
    // Tried too early: wait longer next time.
    if (quality->frames < 4 * PATIENCE && quality->patience < MOST_PATIENCE)
        quality->patience *= 2.0;
    quality->finer_mean = quality->mean;
    change(quality, -1);
    return true;
}

bool quality_frame(Quality *quality, RenderDetail drawn, double seconds)
{
    if (drawn != quality->detail) return false; // it says nothing about this detail
    if (++quality->frames <= WARM_UP) return false;
    count(quality, seconds);
    if (quality->counted < SETTLE) return false;
    double before = quality->finer_mean;
    quality->finer_mean = 0.0;
    // A machine that is busy with something else is slow with every detail.
    if (before > 0.0 && quality->mean > WORTH * before) {
        change(quality, 1);
        quality->kept_until = MOST_PATIENCE;
        return true;
    }
    if (quality->mean > LATE[quality->detail] && quality->frames > quality->kept_until)
        return leave_out(quality);
    quality->is_late = false;
    if (quality->mean < IDLE[quality->detail] && quality->frames > quality->patience) {
        change(quality, 1);
        return true;
    }
    return false;
}
