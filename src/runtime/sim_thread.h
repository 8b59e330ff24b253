// A simulation on a thread of its own: commands in, snapshots out.
//
// The thread owns the Simulation. The window sends commands (any thread) and reads the newest
// snapshot (one thread); neither ever waits for the other. While nothing is due the thread sleeps.
#ifndef RUNTIME_SIM_THREAD_H
#define RUNTIME_SIM_THREAD_H

#include "simulation/command.h"
#include "simulation/snapshot.h"

typedef struct SimThread SimThread;

// Build the scene and start its thread, running or paused. `wake` (may be NULL) is called on the
// simulation thread after each snapshot published while paused, so that an idle window redraws.
Status sim_thread_start(const Scene *scene, bool running, void (*wake)(void), SimThread **out,
                        Error *error);
void sim_thread_stop(SimThread *thread); // asks, joins, frees; accepts NULL

// Any thread. False when the queue is full and the command was not taken.
bool sim_thread_send(SimThread *thread, const Command *command);

// One reader thread. Never NULL; valid until the next call.
const Snapshot *sim_thread_latest(SimThread *thread);

#endif
