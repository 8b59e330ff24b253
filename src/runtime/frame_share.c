#include "runtime/frame_share.h"

#include <math.h>

#define SHORTEST (1 / 60.0)  // s, between two frames
#define LONGEST (1 / 21.0)   // s
#define LATE (1 / 26.0)      // s, the shortest while the simulation is late
#define LATE_SHARE 0.45      // of the time for frames, between these two
#define SPARING (1 / 40.0)   // s, an interval that is still that of frames which give way
#define PATIENCE 3.0         // s of being far behind after which frames give up
#define GIVE_UP_SECONDS 30.0 // s until they try again
#define RECOVERY 6.0         // s in which the interval shrinks to a third

static double late_interval(const FrameShare *share)
{
    if (share->drawing == 0.0) return LONGEST;
    return fmin(fmax(share->drawing / LATE_SHARE, LATE), LONGEST);
}

void frame_share_drawn(FrameShare *share, double seconds)
{
    const double weight = 0.1;
    share->drawing =
        share->drawing == 0.0 ? seconds : share->drawing + weight * (seconds - share->drawing);
}

double frame_share_interval(FrameShare *share, double now, bool late, bool far_behind)
{
    double elapsed = share->interval > 0.0 ? now - share->now : 0.0;
    if (far_behind && !share->far_behind) share->behind_since = now;
    share->far_behind = far_behind;
    share->now = now;
    if (far_behind && now - share->behind_since > PATIENCE) {
        share->gave_up_until = now + GIVE_UP_SECONDS;
        share->behind_since = share->gave_up_until; // once tried again, it has its time again
    }
    if (now < share->gave_up_until)
        share->interval = SHORTEST;
    else if (late)
        share->interval = late_interval(share);
    else
        share->interval = fmax(share->interval * exp(-elapsed / RECOVERY), SHORTEST);
    return share->interval;
}

bool frame_share_spares(const FrameShare *share)
{
    return share->interval > SPARING;
}
