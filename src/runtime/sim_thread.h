// A simulation on a thread of its own: commands in, snapshots out.
//
// The thread owns the Simulation. The window sends commands (any thread) and reads the newest
// snapshot (one thread); neither waits for the other. The thread sleeps while nothing is due.
#ifndef RUNTIME_SIM_THREAD_H
#define RUNTIME_SIM_THREAD_H

#include "runtime/lab_thread.h"
#include "runtime/recording.h"
#include "simulation/command.h"
#include "stage/stage_snapshot.h"

// The past can be looked at and resumed (COMMAND_SEEK); everything that changes the simulation, and
// COMMAND_RUN, go on from what is shown.
typedef struct SimThread SimThread;

typedef struct SimThreadPlan {
    const Scene *scene; // copied; ignored for a replay
    bool running;       // false: paused
    // Called on the simulation thread after each snapshot published while paused, so that an idle
    // window redraws. May be NULL.
    void (*wake)(void);
    // Where to record, or NULL. If that fails, a notice says so and the simulation goes on.
    const char *record;
    // What to replay, or NULL; must outlive the thread. Steps keep the usual pace; it pauses at the
    // end. A command that changes the simulation takes over: the replay ends there.
    const Recording *replay;
    int threads; // that share a step, with the simulation's own; 0 or 1: only that
} SimThreadPlan;

// Build the scene and start its thread.
Status sim_thread_open(const SimThreadPlan *plan, SimThread **out, Error *error);
Status sim_thread_start(const Scene *scene, bool running, void (*wake)(void), SimThread **out,
                        Error *error); // without a file
// End the thread and the recording, and report the recording's first error.
Status sim_thread_join(SimThread *thread, Error *error);
void sim_thread_stop(SimThread *thread); // joins, frees; accepts NULL

// Any thread. Copies the command with the scene or shape it points to. False when the queue is full
// or there is no memory; the command is then not taken.
bool sim_thread_send(SimThread *thread, const Command *command);
// COMMAND_EXCITE: adds `amplitude` (m/s) times a shape, such as lab_result_shape gives, to the
// velocities. It excites the shape the user saw, not a newer result of the lab.
bool sim_thread_excite(SimThread *thread, const float *shape, int particle_count, double amplitude);

// One reader thread. Never NULL; valid until the next call.
const StageSnapshot *sim_thread_stage(SimThread *thread);
const Snapshot *sim_thread_latest(SimThread *thread); // of the same, the first lane
// On the same thread: the lab's newest result. Never NULL; valid until the next call.
const LabResult *sim_thread_lab(SimThread *thread);
// On the same thread: which map of two parameters the lab should make; NULL: none.
void sim_thread_ask_map(SimThread *thread, const MapRequest *request);
// Any thread: whether it falls behind its pace just now. Who competes with it should give way.
bool sim_thread_is_late(SimThread *thread);
// and far behind: not nearly at the pace that is asked for
bool sim_thread_is_far_behind(SimThread *thread);
// On the same thread: whether there is a newer snapshot, or a newer result of the lab. What was
// returned stays valid.
bool sim_thread_has_snapshot(SimThread *thread);
bool sim_thread_has_result(SimThread *thread);

#endif
