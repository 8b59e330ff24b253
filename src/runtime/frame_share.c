#include "runtime/frame_share.h"

#include <math.h>

#define SHORTEST (1 / 60.0)  // s, between two frames
#define LONGEST (1 / 21.0)   // s
#define SPARING (1 / 40.0)   // s, an interval that is still that of frames which give way
#define PATIENCE 3.0         // s of being far behind after which frames give up
#define GIVE_UP_SECONDS 30.0 // s until they try again
#define RECOVERY 6.0         // s in which the interval shrinks to a third

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
        share->interval = LONGEST;
    else
        share->interval = fmax(share->interval * exp(-elapsed / RECOVERY), SHORTEST);
    return share->interval;
}

bool frame_share_spares(const FrameShare *share)
{
    return share->interval > SPARING;
}
