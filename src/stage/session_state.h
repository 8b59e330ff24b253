// Private to stage/. The parts of a Session.
//   session.c           creation, and the clock
//   session_scene.c     the scene, its lanes, and what is whose own at which time
//   session_apply.c     commands
//   session_past.c      the past of all lanes
//   session_snapshot.c  what the window sees
#ifndef STAGE_SESSION_STATE_H
#define STAGE_SESSION_STATE_H

#include "stage/session.h"

// A parameter changed in one lane or in all of them. Which values are a lane's own at a moment of
// the past follows from the scene at the start and the changes up to then.
typedef struct Change {
    double clock; // s
    Command command;
} Change;

typedef struct Changes {
    int count, capacity;
    Change *items;
} Changes;

struct Session {
    Scene start; // as it was loaded, or at the last reset
    Scene scene; // as it is now
    bool has_lanes;
    Stage stage; // its lanes, and the fine one after them
    size_t budget;
    Crew *crew;                // NULL: nobody
    const atomic_bool *cancel; // of steps; NULL: nobody cancels
    Changes changes;
    Changes forgotten; // those that session_resume cut off
    int kept;          // of the others, then,
    double left;       // s, and the clock; NaN: nothing can be recalled
    double goal;       // s, where the clock is being moved to; it is there when that is its time
    bool in_past;
    double shown_time; // s, of the past that is shown or sought
    int selected, reference;
    double compared; // s, the clock when distances were last measured for the plots; NaN: never
};

// ---- session_scene.c

int session_lanes_of(const Scene *scene);             // how many it has, without the fine one
Scene session_scene_of(const Scene *scene, int lane); // as a lane runs it
// A change of a parameter, as it is kept in `changes`.
void session_change_scene(Scene *scene, const Command *command);
// The scene as it was when the clock showed `time`.
Scene session_scene_at(const Session *self, double time);
Status session_keep_change(Session *self, const Command *command, Error *error);
void session_forget_changes(Changes *changes);

// ---- session.c

Simulation *session_first(const Session *self); // of the first lane
// Other lanes than before: everything starts over. On failure nothing changes.
Status session_load(Session *self, const Scene *scene, Error *error);
double session_cost_rate(const Session *self, int lane); // s of computing per simulated second

// ---- session_past.c

void session_return(Session *self); // to the present
const Simulation *session_shown_lane(const Session *self, int lane);
bool session_can_recall(const Session *self);

// ---- session_snapshot.c

// Positions of a lane at the clock that is shown. False when it has stopped before.
bool session_positions(const Session *self, int lane, double *positions);

#endif
