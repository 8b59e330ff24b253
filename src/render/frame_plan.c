#include "render/frame_plan.h"

#include <math.h>

#define FRAME_SECONDS (1 / 60.0)
#define REST_SECONDS 0.3 // without a frame: nothing moves

void frame_plan_want(FramePlan *plan, int frames)
{
    if (plan->wanted < frames) plan->wanted = frames;
}

FrameKind frame_plan_next(FramePlan *plan, double now, double *until)
{
    FrameKind kind = plan->wanted > 0 ? FRAME_WHOLE : FRAME_CAREFUL;
    bool needed = kind == FRAME_WHOLE || plan->drawn < DETAIL_SMOOTH;
    *until = needed ? plan->last + (kind == FRAME_WHOLE ? FRAME_SECONDS : REST_SECONDS) : INFINITY;
    if (now < *until) return FRAME_NONE;
    if (plan->wanted > 0) plan->wanted--;
    plan->last = now;
    return kind;
}

void frame_plan_drawn(FramePlan *plan, RenderDetail detail)
{
    plan->drawn = detail;
}
