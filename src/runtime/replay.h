// A recording played again: the same commands before the same steps.
#ifndef RUNTIME_REPLAY_H
#define RUNTIME_REPLAY_H

#include "runtime/recording.h"

// The simulation at its beginning.
Status replay_start(const Recording *recording, Simulation **out, Error *error);

// Where a replay stands. Zero `next` and `tick` is the beginning.
typedef struct Replay {
    const Recording *recording;
    int next;  // command
    long tick; // steps tried; whoever tries one counts it here
} Replay;

typedef enum ReplayMove {
    REPLAY_COMMAND, // replay->next is due: replay_apply
    REPLAY_STEP,    // take a step
    REPLAY_OVER,
} ReplayMove;

ReplayMove replay_move(const Replay *replay, const Simulation *simulation);
// Apply the next command, and put it into `out` (may be NULL), which borrows it. A command that is
// refused, or a mesh that changed, is told with file and line.
Status replay_apply(Replay *replay, Simulation *simulation, const Command **out, Error *error);
// Whether a step that was refused would be tried for ever: time stands still, and the next command
// waits for a time.
bool replay_waits_in_vain(const Replay *replay);
// At the end: whether the state is the one recorded. True where no hash was.
bool replay_agrees(const Replay *replay, const Simulation *simulation, Error *error);

#endif
