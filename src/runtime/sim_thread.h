// A simulation on a thread of its own: commands in, snapshots out.
//
// The thread owns the Simulation. The window sends commands (any thread) and reads the newest
// snapshot (one thread); neither ever waits for the other. While nothing is due the thread sleeps.
#ifndef RUNTIME_SIM_THREAD_H
#define RUNTIME_SIM_THREAD_H

#include "runtime/lab_thread.h"
#include "runtime/recording.h"
#include "simulation/command.h"
#include "simulation/snapshot.h"

typedef struct SimThread SimThread;

typedef struct SimThreadPlan {
    const Scene *scene; // copied; without effect for a replay
    bool running;       // or paused
    // Called on the simulation thread after each snapshot published while paused, so that an idle
    // window redraws. May be NULL.
    void (*wake)(void);
    // Where to write what is done, or NULL. When that fails, a notice says so and the simulation
    // goes on.
    const char *record;
    // What to play, or NULL; it outlives the thread. Steps keep the usual pace, and at the end it
    // pauses. A command that changes the simulation takes over: the replay ends there.
    const Recording *replay;
} SimThreadPlan;

// Build the scene and start its thread.
Status sim_thread_open(const SimThreadPlan *plan, SimThread **out, Error *error);
Status sim_thread_start(const Scene *scene, bool running, void (*wake)(void), SimThread **out,
                        Error *error); // without a file
// End the thread and the recording, and tell what went wrong with that since the beginning.
Status sim_thread_join(SimThread *thread, Error *error);
void sim_thread_stop(SimThread *thread); // joins, frees; accepts NULL

// Any thread. The command is copied, with the scene or shape it points to. False when the queue is
// full, or there is no memory for the copy, and the command was not taken.
bool sim_thread_send(SimThread *thread, const Command *command);
// COMMAND_EXCITE: adds `amplitude` (m/s) times a shape, such as lab_result_shape gives, to the
// velocities. What the person saw is what is excited, whatever the lab has found since.
bool sim_thread_excite(SimThread *thread, const float *shape, int particle_count, double amplitude);

// One reader thread. Never NULL; valid until the next call.
const Snapshot *sim_thread_latest(SimThread *thread);
// The same thread: the lab's newest result. Never NULL; valid until the next call.
const LabResult *sim_thread_lab(SimThread *thread);
// The same thread: whether either has something newer. Leaves both valid.
bool sim_thread_has_news(SimThread *thread);

#endif
