// A scene being run, looked at and changed: one simulation, or several lanes on one clock, with
// their past. It uses no thread and no window; runtime/sim_thread gives it both.
//
// A scene without lanes is one simulation, and its time is the clock. It takes one step at a time.
// A scene with lanes has its own clock (stage/stage.h). A command is given when the clock shows
// some time; each lane obeys at the end of its first step at that time or later, or where it
// stopped. Times and commands then decide every bit of every lane, however the clock was moved in
// between.
//
// Not thread-safe: one thread at a time.
#ifndef STAGE_SESSION_H
#define STAGE_SESSION_H

#include "stage/stage.h"
#include "stage/stage_snapshot.h"

typedef struct Session Session;

// `budget`: bytes for the past of all lanes; 0: none is kept, nor anything for plots.
Status session_create(const Scene *scene, size_t budget, Session **out, Error *error);
// Around a simulation that was made from that scene, which has no lanes. Takes it, also on failure.
Status session_create_around(Simulation *simulation, const Scene *scene, size_t budget,
                             Session **out, Error *error);
void session_destroy(Session *session); // accepts NULL
// From now on these threads help all lanes, one after the other; NULL: nobody.
void session_set_crew(Session *session, Crew *crew);
// Another thread may set this flag to end a step in the middle: see session_advance. NULL: nobody.
void session_set_cancel(Session *session, const atomic_bool *cancel);

bool session_has_lanes(const Session *session);
int session_lane_count(const Session *session);       // without the fine one
double session_time(const Session *session);          // s, the clock at present
const Params *session_params(const Session *session); // those that the lanes share
// A lane's present, to read. Lane `count` is the fine one, if there is one.
const Simulation *session_simulation(const Session *session, int lane);
// Has it diverged, so that it takes no steps?
bool session_has_stopped(const Session *session, int lane);

// Apply a command to all lanes, or to one. A refused command changes nothing.
Status session_apply(Session *session, const Command *command, Error *error);

// Move the clock. Without lanes: by one step, whatever `until` says; STATUS_DIVERGED when it was
// refused. With lanes: to `until` or, if `deadline` (clock_seconds) comes first, not at all: then
// some lanes are ahead, session_is_settled is false, and the same call must follow before anything
// else. STATUS_DIVERGED: all lanes have stopped. A step that is cancelled was not tried:
// STATUS_INTERRUPTED without lanes, and with them as if the deadline had come.
Status session_advance(Session *session, double until, double deadline, Error *error);
bool session_is_settled(const Session *session);
// Is the clock at that time, or past it? Without lanes, where the last step that begins before it
// ends.
bool session_has_reached(const Session *session, double time);
// s, by how much the clock should move at once: a step, or what takes a few milliseconds.
double session_stride(const Session *session);
// s, the length of the next step of the lane that is selected.
double session_next_step(const Session *session);
// Lanes that stopped and may go further: something was done to them since, or all have stopped. Bit
// i: apply COMMAND_RETRY to lane i + 1 before the clock moves on.
unsigned session_lanes_to_retry(const Session *session);

// ---- the past, of all lanes at once

// Look for a moment. It is shown when session_seeks returns false. At the present or after it: the
// present.
Status session_seek(Session *session, SeekKind kind, double time, Error *error);
bool session_seeks(const Session *session);
Status session_go_on(Session *session, double deadline, Error *error);
bool session_in_past(const Session *session);
double session_shown_time(const Session *session);             // s, of the clock
bool session_shows(const Session *session, unsigned topology); // a cloth, by its snapshots' version

// Where a run went on from: a tick without lanes, otherwise a time of the clock.
typedef struct SessionMoment {
    long tick;
    double time; // s
} SessionMoment;
// The past that is shown becomes the present. COMMAND_RESUME must follow.
Status session_resume(Session *session, SessionMoment *moment, Error *error);
// Undo that. The same must follow.
Status session_recall(Session *session, SessionMoment *moment, Error *error);

// ---- to look at

void session_select(Session *session, int lane);       // its steps count, the lab studies it
void session_compare_with(Session *session, int lane); // -1: nothing; the lane count: the fine one
// The selected lane as it is shown.
const Simulation *session_shown(const Session *session);
int session_selected(const Session *session);
// The lane that takes most computing per simulated second.
int session_slowest(const Session *session);

// All lanes as they are shown, with the timeline. `slowest` and what the simulation's thread fills
// are left alone.
Status session_fill_snapshot(Session *session, StageSnapshot *snapshot, Error *error);

#endif
