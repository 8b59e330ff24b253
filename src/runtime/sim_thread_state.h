// Private to runtime/. The parts of the simulation thread.
//   sim_thread.c    the thread: its loop, its start and end, what it publishes
//   sim_director.c  what it does with its session: commands, replay, steps, the past
#ifndef RUNTIME_SIM_THREAD_STATE_H
#define RUNTIME_SIM_THREAD_STATE_H

#include "runtime/command_queue.h"
#include "runtime/pacer.h"
#include "runtime/recorder.h"
#include "runtime/replay.h"
#include "runtime/sim_thread.h"
#include "runtime/snapshot_exchange.h"
#include "runtime/worker_crew.h"
#include "stage/session.h"

#define PUBLISH_INTERVAL (1.0 / 120.0) // s, twice per frame of a usual display
// s, while it is late and the window has not taken the last one: a snapshot costs as much as some
// steps, and frames are fewer then (frame_share.h)
#define LATE_PUBLISH_INTERVAL (1.0 / 40.0)
// share of the pace that is asked for
#define FAR_BEHIND 0.6
#define LONGEST_BURST 0.005 // s, of computing between two checks of the queue

struct SimThread {
    pthread_t thread;
    CommandQueue queue;
    SnapshotExchange exchange;
    void (*wake)(void);
    LabThread *lab;         // has a thread of its own
    atomic_bool late;       // it falls behind its pace
    atomic_bool far_behind; // and has not even FAR_BEHIND of it
    atomic_bool hurries;    // it has had its time to end a stride

    // ---- the simulation thread's own ----
    Session *session;
    WorkerCrew *workers; // help with its steps; NULL: nobody
    Pacer pacer;         // meaningful while running or playing
    bool running;        // the present
    double until;        // s, of the clock: it pauses there; INFINITY: nowhere
    bool plays;          // the past, along which the moment shown moves
    bool quit;
    bool joined;        // the thread has ended
    Recorder *recorder; // NULL: none
    Error record_error; // why it could not start; STATUS_OK: no failure
    bool replaying;     // `replay` is active
    Replay replay;
    double stride_from;   // s, of the clock that is being moved
    bool grew;            // something did after the last step
    double slow_until;    // s, real: slow motion
    double hold;          // s, simulated: it runs no further
    double published;     // s, time of the last snapshot
    double shown;         // s, simulated, in that snapshot
    double seek_begun;    // s, time of the last search, or when its way was shown
    bool lab_due;         // the lab has not seen the present state
    bool lab_saw_stopped; // its last one was of a lane that has stopped
    unsigned notice_serial;
    char notice[sizeof((Snapshot *)0)->notice];
    Command batch[COMMAND_CAPACITY];
};

// ---- sim_director.c

void sim_set_notice(SimThread *self, const char *text);
void sim_tell_of_mesh(SimThread *self); // what was left out of its file, if anything was
// Simulated per real second; INFINITY: as fast as possible.
double sim_wanted_speed(const SimThread *self);
bool sim_is_slowed(const SimThread *self); // slow motion
// s, by how much time should move at once.
double sim_stride(const SimThread *self);
bool sim_is_held(const SimThread *self); // it has come to where it is to wait
void sim_obey(SimThread *self, const Command *command);
// Until all lanes have reached the clock, as before a command; less far when that is in vain.
void sim_settle(SimThread *self);
void sim_settle_in_bursts(SimThread *self); // the same, a little further
// A step ends in the middle for a new start, another scene or the end of the thread. Only one that
// is taken because it is due does so for any urgent command, too: one that was asked for is taken.
void sim_cancel_in_vain(SimThread *self);
// Take steps until none is due, or until the queue or the window needs attention.
void sim_step_what_is_due(SimThread *self);
// Move along the past by the steps that are due.
void sim_play_what_is_due(SimThread *self);
// Go on looking for a moment of the past.
void sim_search(SimThread *self, double deadline);

#endif
