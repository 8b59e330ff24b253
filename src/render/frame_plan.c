#include "render/frame_plan.h"

#include <math.h>

#define FRAME_SECONDS (1 / 60.0)
#define REST_SECONDS 0.3         // without a frame: nothing moves
#define BUSY_SECONDS 0.3         // after an input
#define PANEL_SECONDS (1 / 14.0) // between panels that nobody touches: words and curves

void frame_plan_want(FramePlan *plan, int frames)
{
    if (plan->wanted < frames) plan->wanted = frames;
}

void frame_plan_want_panels(FramePlan *plan, int frames)
{
    if (plan->panels < frames) plan->panels = frames;
}

void frame_plan_touch(FramePlan *plan, double now)
{
    plan->busy_until = now + BUSY_SECONDS;
    plan->last_whole = now;
}

// The last of the wanted frames shows where the motion ended, so it is whole.
static FrameKind kind_of(const FramePlan *plan, double now)
{
    if (plan->wanted == 0) return FRAME_CAREFUL;
    bool kept = plan->keeps_panels && plan->wanted > 1 && now >= plan->busy_until &&
                now < plan->last_whole + PANEL_SECONDS;
    return kept ? FRAME_PICTURES : FRAME_WHOLE;
}

FrameKind frame_plan_next(FramePlan *plan, double now, double *until)
{
    FrameKind kind = kind_of(plan, now);
    bool moves = plan->wanted > 0;
    bool needed = moves || plan->panels > 0 || plan->drawn < DETAIL_SMOOTH;
    double due = plan->last + fmax(plan->interval, FRAME_SECONDS);
    if (!moves) due = fmax(due, plan->last_moving + REST_SECONDS);
    *until = needed ? due : INFINITY;
    if (now < *until) return FRAME_NONE;
    if (moves) {
        plan->wanted--;
        plan->last_moving = now;
    }
    if (kind != FRAME_PICTURES) {
        if (plan->panels > 0) plan->panels--;
        plan->last_whole = now;
    }
    plan->last = now;
    return kind;
}

void frame_plan_drawn(FramePlan *plan, RenderDetail detail)
{
    plan->drawn = detail;
}
