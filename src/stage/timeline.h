// The past of a run: every moment since its start, to the bit. Some states are kept; what lies
// between two of them is computed again from the commands.
//
// A run has a head, which its owner steps and commands, and which the timeline never touches. The
// past is a simulation of the timeline's own: to look at, or to go on from.
//
// A moment is a tick, the number of steps tried since the first start, with all commands that came
// before the next step. States are kept every STATE_SECONDS of computing and grow rarer with age
// within the budget. Always kept: the start, and what a divergence or going back left, because that
// depends on the older states to go back to (good_states.h), which are no part of a state.
#ifndef STAGE_TIMELINE_H
#define STAGE_TIMELINE_H

#include "simulation/simulation.h"

#define TIMELINE_BUDGET ((size_t)256 << 20) // bytes

typedef struct Timeline Timeline;

Status timeline_create(size_t budget, Timeline **out, Error *error);
void timeline_destroy(Timeline *timeline); // accepts NULL

// ---- what the head's owner tells. Without memory a state is not kept; then moments take longer to
// reach, or are lost at the old end.

void timeline_begin(Timeline *timeline, const Simulation *head); // also when it started over
// A step was tried, which took so many seconds of computing.
void timeline_step(Timeline *timeline, const Simulation *head, double seconds);
// A command was applied when the clock showed `clock`, s. Lanes that share a clock are up to a step
// ahead of it, or behind it when they have stopped.
void timeline_command(Timeline *timeline, const Command *command, double clock,
                      const Simulation *head);

// ---- the past

typedef enum SeekKind {
    SEEK_NEAREST, // the moment nearest to a time
    SEEK_BEFORE,  // the last one before it
    SEEK_AFTER,   // the first one after it
    SEEK_REACH, // where the run was when the clock showed it: the first step's end at that time or
                // later, or where it had stopped; with the commands up to then. It may be the
                // head, of which `past` is then a copy.
} SeekKind;

// Look for a moment. It is there when timeline_seeks returns false. At the head's time or after it:
// the same as timeline_return, but for SEEK_REACH.
Status timeline_seek(Timeline *timeline, const Simulation *head, SeekKind kind, double time,
                     Error *error);
bool timeline_seeks(const Timeline *timeline);
// Go on looking until `deadline` (clock_seconds).
Status timeline_go_on(Timeline *timeline, double deadline, Error *error);

// The simulation at that moment; NULL: the head.
const Simulation *timeline_past(const Timeline *timeline);
void timeline_return(Timeline *timeline); // to the head

// The past becomes the head, and its future is forgotten: `head` gets its state. Returns the number
// of its tick in `tick`. Next the owner must apply COMMAND_RESUME to the head, and tell it.
Status timeline_resume(Timeline *timeline, Simulation *head, long *tick, Error *error);
// Undo the last timeline_resume: the head is again what it was then, and what came since is
// forgotten for good. The same must follow. Fails when there is nothing to recall, or no longer.
Status timeline_recall(Timeline *timeline, Simulation *head, long *tick, Error *error);

typedef struct TimelineInfo {
    double first; // s, time of the oldest moment that can be reached
    size_t bytes; // in use
    int states;
    bool can_recall;
    int mark_count;
    SnapshotMark marks[SNAPSHOT_MARKS]; // the newest, in their order
} TimelineInfo;
void timeline_info(const Timeline *timeline, TimelineInfo *out);

#endif
