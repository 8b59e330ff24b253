// A recording played again: the same commands before the same steps.
#ifndef RUNTIME_REPLAY_H
#define RUNTIME_REPLAY_H

#include "runtime/recording.h"
#include "stage/session.h"

// The simulation at its start, of a recording without lanes.
Status replay_start(const Recording *recording, Simulation **out, Error *error);
// The same for any recording. `budget`: see session_create.
Status replay_start_session(const Recording *recording, size_t budget, Session **out, Error *error);
// Does any of its scenes have lanes?
bool recording_has_lanes(const Recording *recording);

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

// `time`: what the clock shows, s.
ReplayMove replay_move(const Replay *replay, double time);
// s, where the clock must stop for what comes next; INFINITY when a tick decides, or nothing comes.
double replay_next_time(const Replay *replay);
// Apply the next command, and return it in `out` (may be NULL), which borrows it. A refused command
// or a changed mesh is reported with file and line.
Status replay_apply(Replay *replay, Simulation *simulation, const Command **out, Error *error);
Status replay_apply_to(Replay *replay, Session *session, const Command **out, Error *error);
// One step, or all lanes to where something comes next, by at most `most` s.
Status replay_move_on(Replay *replay, Session *session, double most, Error *error);
// Play it from where the session is to its end. STATUS_INTERRUPTED when `is_interrupted` (NULL:
// never), asked now and then, returned true.
Status replay_play(Replay *replay, Session *session, bool (*is_interrupted)(void), Error *error);
// True when a refused step would be tried forever: time stands still, and the next command waits
// for a time.
bool replay_waits_in_vain(const Replay *replay);
// At the end: true when the state is the recorded one, or when no hash was recorded.
bool replay_agrees(const Replay *replay, const Simulation *simulation, Error *error);
bool replay_agrees_with(const Replay *replay, const Session *session, Error *error);

#endif
