// A recording played again: the same commands before the same steps.
#ifndef RUNTIME_REPLAY_H
#define RUNTIME_REPLAY_H

#include "runtime/recording.h"

// The simulation at its start.
Status replay_start(const Recording *recording, Simulation **out, Error *error);

// The position of a replay. Zero `next` and `tick` is the start.
typedef struct Replay {
    const Recording *recording;
    int next;  // command
    long tick; // steps tried; the caller counts each one here
} Replay;

typedef enum ReplayMove {
    REPLAY_COMMAND, // replay->next is due: replay_apply
    REPLAY_STEP,    // take a step
    REPLAY_OVER,
} ReplayMove;

ReplayMove replay_move(const Replay *replay, const Simulation *simulation);
// Apply the next command, and return it in `out` (may be NULL), which borrows it. A refused command
// or a changed mesh is reported with file and line.
Status replay_apply(Replay *replay, Simulation *simulation, const Command **out, Error *error);
// True when a refused step would be tried forever: time stands still, and the next command waits
// for a time.
bool replay_waits_in_vain(const Replay *replay);
// At the end: true when the state is the recorded one, or when no hash was recorded.
bool replay_agrees(const Replay *replay, const Simulation *simulation, Error *error);

#endif
