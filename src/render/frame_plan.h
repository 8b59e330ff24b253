// When the window draws its next frame, and how: arithmetic only, times are given.
//
// While something moves, frames follow each other and show as much as there is time for. With a
// software driver, panels take half of that time; while nobody does anything, they are drawn a few
// times a second, and in between only the pictures of the cloths. What rests is drawn once more
// with all there is, and so is every frame after it in which only words and curves are new. So two
// pictures of the same state are the same, however slow the machine is, and after that nothing is
// drawn until something happens.
#ifndef RENDER_FRAME_PLAN_H
#define RENDER_FRAME_PLAN_H

#include "render/quality.h"

typedef enum FrameKind {
    FRAME_NONE,     // not yet
    FRAME_WHOLE,    // pictures and panels
    FRAME_PICTURES, // the panels stay as they are
    FRAME_CAREFUL,  // no cloth moves any more: all, with every detail
} FrameKind;

typedef struct FramePlan {
    int wanted;         // frames to draw at least
    int panels;         // the same, of a cloth that may rest
    double last;        // s, start of the last frame
    double last_moving; // s, start of the last wanted frame
    double interval;    // s, until the next one at least; 0: a sixtieth
    RenderDetail drawn; // in the last frame; with every detail if it had no picture of a cloth
    bool keeps_panels;  // between frames
    double last_whole;  // s, start of the last frame with panels
    double busy_until;  // s, panels are drawn in every frame
} FramePlan;

// At least this many more frames are needed.
void frame_plan_want(FramePlan *plan, int frames);
// The same where only panels have something new, such as a result of the lab.
void frame_plan_want_panels(FramePlan *plan, int frames);
// Somebody does something, or the panels have to follow at once for another reason.
void frame_plan_touch(FramePlan *plan, double now);
// Which frame is to be drawn at the time `now`. If none, `until` says how long nothing has to be
// done unless something happens; INFINITY: for ever. Otherwise the frame counts as begun.
FrameKind frame_plan_next(FramePlan *plan, double now, double *until);
// What the frame that was begun has shown.
void frame_plan_drawn(FramePlan *plan, RenderDetail detail);

#endif
