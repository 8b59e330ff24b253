// The simulation thread.
//
// Design
//   One thread owns one Session and everything below the line in struct SimThread. It repeats:
//   take the queued commands (sleep while nothing is due), obey them, take the steps that are due,
//   publish a snapshot.
//
//   window's thread ---- queue: commands, in order ----> simulation thread
//   window's thread <--- exchange: newest snapshot ----- simulation thread
//   window's thread <--- results --- lab's thread <----- simulation thread: a copy on request
//
// Only `queue` (a mutex, held for a copy) and `exchange` (lock-free) are shared. The thread's
// fields are written before it is created and read after it is joined. It ends only by
// sim_thread_stop (sim_thread_join is its first half), which sends QUIT, joins and frees; the queue
// always accepts QUIT. This thread frees the commands it takes from the queue.
//
// Only `take_step`, `move_clock` and `apply` change a simulation's bits; they inform the recorder.
// RUN, PAUSE and STEP set the pace. A replay is a second source of commands, checked before each
// step.
//
// Without lanes the session takes one step at a time, and the recording counts them. With lanes it
// moves their clock by a stride, to which each lane takes the steps it needs, and the recording has
// the clock's times. Commands are obeyed only when all lanes have reached the clock.
//
// SEEK shows a moment of the past, which are simulations of the timelines'; this thread computes it
// in bursts between two looks at the queue. What changes the past makes it the present.
//
// Signals are blocked here, so a handler always runs on one of the application's own threads.
#include "runtime/sim_thread.h"

#include "base/clock.h"
#include "runtime/command_queue.h"
#include "runtime/pacer.h"
#include "runtime/recorder.h"
#include "runtime/replay.h"
#include "runtime/snapshot_exchange.h"
#include "simulation/state.h"
#include "stage/session.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PUBLISH_INTERVAL = 1.0 / 120.0; // s, twice per frame of a usual display
static const double LONGEST_BURST = 0.005; // s, of stepping between two checks of the queue
// s, of moving the lanes' clock by a stride, which takes a few milliseconds: longer only when a
// lane has to catch up. Between two strides all lanes can be seen at one moment.
static const double LONGEST_CATCH_UP = 0.25;
static const double LAB_PATIENCE = 0.02; // s between two checks whether the lab is ready
static const double SEEK_PATIENCE = 0.1; // s of a search after which its way is shown

struct SimThread {
    pthread_t thread;
    CommandQueue queue;
    SnapshotExchange exchange;
    void (*wake)(void);
    LabThread *lab; // has a thread of its own

    // ---- the simulation thread's own ----
    Session *session;
    Pacer pacer;  // meaningful while running or playing
    bool running; // the present
    bool plays;   // the past, along which the moment shown moves
    bool quit;
    bool joined;        // the thread has ended
    Recorder *recorder; // NULL: none
    Error record_error; // why it could not start; STATUS_OK: no failure
    bool replaying;     // `replay` is active
    Replay replay;
    double stride_from;   // s, of the clock that is being moved
    bool grew;            // something did after the last step
    double slow_until;    // s, real: slow motion
    double published;     // s, time of the last snapshot
    double seek_begun;    // s, time of the last search, or when its way was shown
    bool lab_due;         // the lab has not seen the present state
    bool lab_saw_stopped; // its last one was of a lane that has stopped
    unsigned notice_serial;
    char notice[sizeof((Snapshot *)0)->notice];
    Command batch[COMMAND_CAPACITY];
};

// The speed of slow motion, simulated per real second: a hundredth, and no fewer than so many steps
// per second, since long steps are slow enough.
#define SLOW_SPEED 0.01
#define SLOW_STEPS 20.0
static const double SLOW_SECONDS = 4.0; // s, real, at most

static bool is_slowed(const SimThread *self)
{
    return clock_seconds() < self->slow_until;
}

static double wanted_speed(const SimThread *self)
{
    double speed = session_params(self->session)->speed;
    if (speed == PARAM_WORD) return INFINITY;
    if (!is_slowed(self)) return speed;
    return fmin(speed, fmax(SLOW_SPEED, SLOW_STEPS * session_next_step(self->session)));
}

static bool something_grows(const SimThread *self)
{
    for (int i = 0; i < session_lane_count(self->session); i++) {
        bool stopped = session_has_stopped(self->session, i);
        const Monitor *monitor = simulation_monitor(session_simulation(self->session, i));
        if (!stopped && monitor->state == MONITOR_GROWING) return true;
    }
    return false;
}

// Slow motion starts when growth does, and ends with it or after some seconds. It changes no bit.
static void watch_growth(SimThread *self)
{
    bool grows = something_grows(self), wanted = session_params(self->session)->slow_motion;
    if (grows && !self->grew && wanted) {
        self->slow_until = clock_seconds() + SLOW_SECONDS;
        self->pacer.debt = 0.0; // what was due at the old speed
    }
    if (!grows || !wanted) self->slow_until = 0.0;
    self->grew = grows;
    self->pacer.speed = wanted_speed(self);
}

static void set_notice(SimThread *self, const char *text)
{
    snprintf(self->notice, sizeof self->notice, "%s", text);
    self->notice_serial++;
}

// s, by how much time should move at once. Lanes can be seen at any time, so their clock moves
// smoothly also when it is slow.
static double stride_of(const SimThread *self)
{
    double stride = session_stride(self->session), speed = self->pacer.speed;
    if (!session_has_lanes(self->session) || !isfinite(speed)) return stride;
    return fmin(stride, speed * PUBLISH_INTERVAL);
}

// A clock that is slower than this share of its speed is worth a word.
#define SLOW 0.95

// The lane that keeps the clock from its speed; -1: none.
static int slow_lane(const SimThread *self, double factor)
{
    double speed = self->pacer.speed;
    bool slow = self->running && isfinite(speed) && factor > 0.0 && factor < SLOW * speed;
    return slow && session_has_lanes(self->session) ? session_slowest(self->session) : -1;
}

// Without memory the last published snapshot stays and the notice waits for the next one.
static Status publish(SimThread *self, Error *error)
{
    self->published = clock_seconds();
    StageSnapshot *stage = snapshot_exchange_back(&self->exchange);
    Status status = session_fill_snapshot(self->session, stage, error);
    if (status != STATUS_OK) return status;
    bool moves = self->running || self->plays;
    double factor = moves ? pacer_real_time_factor(&self->pacer, stride_of(self)) : 0.0;
    stage->slowest = slow_lane(self, factor);
    for (int i = 0; i < stage->count; i++) {
        Snapshot *snapshot = &stage->lanes[i];
        snapshot->running = moves;
        snapshot->slowed = self->running && isfinite(self->pacer.speed) && is_slowed(self);
        snapshot->real_time_factor = factor;
        snapshot->notice_serial = self->notice_serial;
        memcpy(snapshot->notice, self->notice, sizeof snapshot->notice);
    }
    snapshot_exchange_publish(&self->exchange);
    return STATUS_OK;
}

// Where the session was when a command was applied.
typedef struct Moment {
    bool has_lanes;
    double time; // s
} Moment;

static Moment moment_of(const SimThread *self)
{
    return (Moment){session_has_lanes(self->session), session_time(self->session)};
}

static void note(SimThread *self, Moment then, const Command *command)
{
    Error error;
    if (!self->recorder) return;
    const Simulation *after = session_simulation(self->session, 0);
    Status status = (then.has_lanes ? recorder_add_at : recorder_add)(self->recorder, then.time,
                                                                      command, after, &error);
    if (status != STATUS_OK) set_notice(self, error.text);
}

static void apply(SimThread *self, const Command *command)
{
    Moment then = moment_of(self);
    Error error;
    if (session_apply(self->session, command, &error) == STATUS_OK) {
        note(self, then, command);
    } else {
        set_notice(self, error.text);
    }
    self->pacer.speed = wanted_speed(self);
}

static void end_replay(SimThread *self, const char *notice)
{
    self->replaying = self->running = false;
    set_notice(self, notice);
}

static void judge_replay(SimThread *self)
{
    const Recording *recording = self->replay.recording;
    Error error;
    if (!replay_agrees_with(&self->replay, self->session, &error)) {
        end_replay(self, error.text);
    } else if (recording->has_end && recording->hash_count > 0) {
        end_replay(self, "The replay is over; it agrees with the recording to the last bit.");
    } else {
        end_replay(self, "The replay is over.");
    }
}

// Apply the replay's commands for the next step. False when the replay is over.
static bool follow_replay(SimThread *self)
{
    for (;;) {
        ReplayMove move = replay_move(&self->replay, session_time(self->session));
        if (move == REPLAY_STEP) return true;
        if (move == REPLAY_OVER) {
            judge_replay(self);
            return false;
        }
        Moment then = moment_of(self);
        const Command *command;
        Error error;
        if (replay_apply_to(&self->replay, self->session, &command, &error) != STATUS_OK) {
            end_replay(self, error.text);
            return false;
        }
        note(self, then, command);
        self->pacer.speed = wanted_speed(self);
    }
}

// Without lanes. False when the step failed; time then stands still.
static bool take_step(SimThread *self)
{
    if (self->replaying && !follow_replay(self)) return false;
    if (session_has_lanes(self->session)) return true; // a scene was loaded that has some
    double h = session_next_step(self->session);
    Error error;
    Status status = session_advance(self->session, 0.0, 0.0, &error);
    self->replay.tick++;
    if (self->recorder) recorder_tick(self->recorder);
    if (status == STATUS_OK) {
        pacer_stepped(&self->pacer, h);
        return true;
    }
    // the recorded run also went on after a refused step
    bool goes_on = status == STATUS_DIVERGED && self->replaying;
    if (goes_on && !replay_waits_in_vain(&self->replay)) return true;
    self->running = self->replaying = false;
    if (status != STATUS_DIVERGED) set_notice(self, error.text); // the snapshot reports divergence
    return false;
}

// All lanes to a time of their clock, or as far as they come until `deadline`: then it must be
// called again. False when nothing moves any more.
static bool move_clock(SimThread *self, double until, double deadline)
{
    if (session_is_settled(self->session)) {
        if (self->replaying && !follow_replay(self)) return false;
        if (!session_has_lanes(self->session)) return true; // another scene was loaded
        self->stride_from = session_time(self->session);
        if (self->replaying) until = fmin(until, replay_next_time(&self->replay));
    }
    Status status = session_advance(self->session, until, deadline, NULL);
    if (!session_is_settled(self->session)) return true;
    double moved = session_time(self->session) - self->stride_from;
    if (moved > 0.0) pacer_stepped(&self->pacer, moved);
    // lanes that all stopped wait for a command, the recorded ones too
    if (status == STATUS_DIVERGED && !self->replaying) self->running = false;
    return self->running;
}

// Until all lanes have reached the clock.
static void settle(SimThread *self)
{
    while (!session_is_settled(self->session)) move_clock(self, 0.0, INFINITY);
}

// By one step of the selected lane, to its end.
static void step_once(SimThread *self)
{
    if (!session_has_lanes(self->session)) {
        take_step(self);
        return;
    }
    const Simulation *lane = session_simulation(self->session, session_selected(self->session));
    bool stopped = session_has_stopped(self->session, session_selected(self->session));
    double clock = session_time(self->session), ahead = simulation_time(lane);
    double half = 0.5 * simulation_next_step(lane);
    if (ahead <= clock || stopped) move_clock(self, fmax(ahead, clock) + half, INFINITY);
    settle(self);
    double end = simulation_time(lane);
    if (!self->replaying || end <= replay_next_time(&self->replay))
        move_clock(self, fmax(end, session_time(self->session)), INFINITY);
    settle(self);
}

static void seek(SimThread *self, SeekKind kind, double time)
{
    Error error;
    self->running = false;
    if (session_seek(self->session, kind, time, &error) != STATUS_OK) set_notice(self, error.text);
    self->seek_begun = clock_seconds();
}

static void search(SimThread *self, double deadline)
{
    Error error;
    if (session_go_on(self->session, deadline, &error) != STATUS_OK) set_notice(self, error.text);
}

// Make what is shown the present. False when it stays the past, for want of memory.
static bool resume(SimThread *self)
{
    search(self, INFINITY);
    if (!session_in_past(self->session)) return true;
    Error error;
    SessionMoment to;
    Moment left = moment_of(self);
    if (session_resume(self->session, &to, &error) != STATUS_OK) {
        set_notice(self, error.text);
        return false;
    }
    char text[120];
    snprintf(text, sizeof text, "What came after %.4g s is forgotten; Ctrl Z brings it back.",
             session_time(self->session));
    set_notice(self, self->replaying ? "You took over: the replay ends here." : text);
    self->replaying = false;
    if (self->recorder) {
        Status status = left.has_lanes
                            ? recorder_back_to(self->recorder, left.time, to.time, &error)
                            : recorder_back(self->recorder, left.time, to.tick, &error);
        if (status != STATUS_OK) set_notice(self, error.text);
    }
    apply(self, &(Command){.kind = COMMAND_RESUME});
    return true;
}

static void recall(SimThread *self)
{
    Error error;
    SessionMoment to;
    Moment left = moment_of(self);
    self->running = false;
    if (session_recall(self->session, &to, &error) != STATUS_OK) {
        set_notice(self, error.text);
        return;
    }
    if (self->recorder) {
        Status status = left.has_lanes
                            ? recorder_recall_at(self->recorder, left.time, &error)
                            : recorder_recall(self->recorder, left.time, to.tick, &error);
        if (status != STATUS_OK) set_notice(self, error.text);
    }
    apply(self, &(Command){.kind = COMMAND_RESUME});
}

// Lanes that stopped try again, if there is a reason to.
static void retry(SimThread *self)
{
    unsigned lanes = session_lanes_to_retry(self->session);
    for (int i = 0; i < SCENE_LANES_MAX; i++) {
        if (lanes & (1u << i)) apply(self, &(Command){.kind = COMMAND_RETRY, .lane = i + 1});
    }
}

// A new start needs no past, and the hand that still holds the present lets it go.
static bool goes_on_from_past(const Command *command)
{
    return command->kind != COMMAND_RESET && command->kind != COMMAND_LOAD_SCENE &&
           command->kind != COMMAND_MOVE_HAND && command->kind != COMMAND_RELEASE;
}

static bool only_looks(const Command *command)
{
    return command->kind == COMMAND_SELECT || command->kind == COMMAND_REFERENCE;
}

static void obey(SimThread *self, const Command *command)
{
    bool in_past = session_in_past(self->session);
    if (!only_looks(command)) self->plays = false;
    switch (command->kind) {
    case COMMAND_RUN: // also after a divergence: tries again from the last good state
        if (!resume(self)) break;
        if (!self->replaying) retry(self);
        if (!self->running) pacer_start(&self->pacer, clock_seconds(), wanted_speed(self));
        self->running = true;
        break;
    case COMMAND_PAUSE:
        self->running = false;
        break;
    case COMMAND_STEP:
        self->running = false;
        if (in_past) {
            search(self, INFINITY);
            seek(self, SEEK_AFTER, session_shown_time(self->session));
        } else {
            if (!self->replaying) retry(self);
            step_once(self);
        }
        break;
    case COMMAND_SEEK:
        seek(self, (SeekKind)command->seek.kind, command->seek.time);
        break;
    case COMMAND_RECALL:
        recall(self);
        break;
    case COMMAND_PLAY:
        self->plays = in_past && command->play.speed > 0.0;
        if (self->plays) pacer_start(&self->pacer, clock_seconds(), command->play.speed);
        break;
    case COMMAND_SELECT:
        session_select(self->session, command->lane - 1);
        break;
    case COMMAND_REFERENCE:
        session_compare_with(self->session, command->lane == COMMAND_FINE_LANE
                                                ? session_lane_count(self->session)
                                                : command->lane - 1);
        break;
    case COMMAND_QUIT:
        self->quit = true;
        break;
    default:
        if (goes_on_from_past(command) && !resume(self)) break;
        if (self->replaying) set_notice(self, "You took over: the replay ends here.");
        self->replaying = false;
        apply(self, command);
    }
}

// Take steps until none is due, or until the queue or the window needs attention.
static void step_what_is_due(SimThread *self)
{
    double now = self->pacer.now;
    double end = fmin(now + LONGEST_BURST, fmax(now, self->published + PUBLISH_INTERVAL));
    bool goes_on = true;
    do {
        bool lanes = session_has_lanes(self->session);
        double stride = stride_of(self);
        if (session_is_settled(self->session) && pacer_due(&self->pacer, stride) == 0) break;
        watch_growth(self);
        goes_on =
            lanes ? move_clock(self, session_time(self->session) + stride, now + LONGEST_CATCH_UP)
                  : take_step(self);
    } while (goes_on && clock_seconds() < end);
}

// Move along the past by the steps that are due.
static void play_what_is_due(SimThread *self)
{
    double end = clock_seconds() + LONGEST_BURST;
    search(self, INFINITY);
    while (self->plays && clock_seconds() < end) {
        double h = stride_of(self), here = session_shown_time(self->session);
        if (pacer_due(&self->pacer, h) == 0) return;
        if (session_has_lanes(self->session))
            seek(self, SEEK_NEAREST, here + h);
        else
            seek(self, SEEK_AFTER, here);
        search(self, INFINITY);
        pacer_stepped(&self->pacer, h);
        self->plays = session_in_past(self->session);
    }
}

// How long to wait for commands: forever while paused, not at all while a step is due.
static double next_look(const SimThread *self)
{
    if (session_seeks(self->session) || !session_is_settled(self->session)) return 0.0;
    if (!self->running && !self->plays)
        return self->lab_due ? clock_seconds() + LAB_PATIENCE : INFINITY;
    double h = stride_of(self);
    if (pacer_due(&self->pacer, h) > 0) return 0.0;
    // short steps run together once per publication: the window shows none in between
    return fmax(pacer_next_due(&self->pacer, h), self->published + PUBLISH_INTERVAL);
}

// Without memory for a copy the lab keeps its last result.
static void serve_lab(SimThread *self)
{
    if (!self->lab_due || !lab_thread_wants_state(self->lab)) return;
    lab_thread_offer(self->lab, session_shown(self->session), session_selected(self->session),
                     NULL);
    self->lab_due = false;
    self->lab_saw_stopped = session_has_stopped(self->session, session_selected(self->session));
}

// A lane that has stopped is the same however long the others run, and remedies need their time.
static bool lab_knows(const SimThread *self)
{
    return self->lab_saw_stopped &&
           session_has_stopped(self->session, session_selected(self->session));
}

static void *run(void *argument)
{
    SimThread *self = argument;
    for (;;) {
        int count = command_queue_drain(&self->queue, self->batch, next_look(self));
        bool was_running = self->running || self->plays;
        if (was_running) pacer_advance(&self->pacer, clock_seconds(), stride_of(self));
        if (count > 0) settle(self);
        for (int i = 0; i < count; i++) {
            if (!self->quit) obey(self, &self->batch[i]);
            command_finish(&self->batch[i]);
        }
        if (self->quit) break; // no more snapshots are needed
        if (self->running) step_what_is_due(self);
        if (self->plays) play_what_is_due(self);
        bool runs = self->running || self->plays;
        bool sought = session_seeks(self->session);
        if (sought) search(self, clock_seconds() + LONGEST_BURST);
        bool seeks = session_seeks(self->session);
        if (count > 0 || sought || ((was_running || runs) && !lab_knows(self)))
            self->lab_due = true;
        if (!seeks) serve_lab(self);

        // a search is shown when it is over, or takes long
        bool at_once = (count > 0 || was_running != runs || sought) && !seeks;
        if (seeks && clock_seconds() >= self->seek_begun + SEEK_PATIENCE) {
            self->seek_begun = clock_seconds();
            at_once = true;
        }
        bool in_time = runs && clock_seconds() >= self->published + PUBLISH_INTERVAL;
        if (at_once || in_time) {
            Error error;
            if (publish(self, &error) != STATUS_OK) {
                set_notice(self, error.text);
            } else if (!runs && self->wake) {
                self->wake();
            }
        }
    }
    return NULL;
}

static int create_thread(SimThread *self)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); // a new thread inherits the mask
    int code = pthread_create(&self->thread, NULL, run, self);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}

// Create the simulation, and its recorder if requested and possible.
static Status create_simulation(SimThread *self, const SimThreadPlan *plan, Error *error)
{
    const Recording *replay = plan->replay;
    Status status = replay ? replay_start_session(replay, TIMELINE_BUDGET, &self->session, error)
                           : session_create(plan->scene, TIMELINE_BUDGET, &self->session, error);
    if (status != STATUS_OK) return status;
    self->replaying = replay != NULL;
    self->replay.recording = replay;
    if (plan->record &&
        recorder_create(plan->record, replay ? &replay->scene : plan->scene,
                        replay && replay->particles, session_simulation(self->session, 0),
                        &self->recorder, &self->record_error) != STATUS_OK)
        set_notice(self, self->record_error.text);
    return STATUS_OK;
}

Status sim_thread_start(const Scene *scene, bool running, void (*wake)(void), SimThread **out,
                        Error *error)
{
    return sim_thread_open(&(SimThreadPlan){.scene = scene, .running = running, .wake = wake}, out,
                           error);
}

Status sim_thread_open(const SimThreadPlan *plan, SimThread **out, Error *error)
{
    SimThread *self = calloc(1, sizeof *self);
    if (!self) return error_set(error, STATUS_OUT_OF_MEMORY, "out of memory for a simulation");
    self->wake = plan->wake;
    self->running = plan->running;
    self->lab_due = true; // also for a start at rest
    snapshot_exchange_init(&self->exchange);

    Status status = create_simulation(self, plan, error);
    if (status == STATUS_OK) {
        pacer_start(&self->pacer, clock_seconds(), wanted_speed(self));
        status = publish(self, error); // before the window reads one
    }
    if (status == STATUS_OK) status = lab_thread_start(plan->wake, &self->lab, error);
    if (status == STATUS_OK) status = command_queue_init(&self->queue, error);
    if (status == STATUS_OK) {
        int code = create_thread(self);
        if (code == 0) {
            *out = self;
            return STATUS_OK;
        }
        status = error_set(error, STATUS_OUT_OF_MEMORY, "cannot start the simulation thread: %s",
                           strerror(code));
        command_queue_finish(&self->queue);
    }
    lab_thread_stop(self->lab);
    recorder_destroy(self->recorder);
    session_destroy(self->session);
    snapshot_exchange_finish(&self->exchange);
    free(self);
    return status;
}

static Status end_recording(SimThread *thread, Error *error)
{
    const Session *session = thread->session;
    if (!session_has_lanes(session))
        return recorder_end(thread->recorder, session_simulation(session, 0), error);
    uint64_t hashes[SCENE_LANES_MAX];
    int count = session_lane_count(session);
    for (int i = 0; i < count; i++) hashes[i] = simulation_hash(session_simulation(session, i));
    return recorder_end_at(thread->recorder, session_time(session), hashes, count, error);
}

Status sim_thread_join(SimThread *thread, Error *error)
{
    if (!thread->joined) {
        command_queue_push(&thread->queue, &(Command){.kind = COMMAND_QUIT});
        pthread_join(thread->thread, NULL);
        thread->joined = true;
    }
    if (!thread->recorder) {
        if (error) *error = thread->record_error;
        return thread->record_error.status;
    }
    Status status = end_recording(thread, error);
    recorder_destroy(thread->recorder);
    thread->recorder = NULL;
    return status;
}

void sim_thread_stop(SimThread *thread)
{
    if (!thread) return;
    sim_thread_join(thread, NULL);
    lab_thread_stop(thread->lab);
    command_queue_finish(&thread->queue);
    session_destroy(thread->session);
    snapshot_exchange_finish(&thread->exchange);
    free(thread);
}

bool sim_thread_send(SimThread *thread, const Command *command)
{
    return command_queue_push(&thread->queue, command);
}

bool sim_thread_excite(SimThread *thread, const float *shape, int particle_count, double amplitude)
{
    Command command = {.kind = COMMAND_EXCITE, .excite = {shape, particle_count, amplitude}};
    return sim_thread_send(thread, &command);
}

const LabResult *sim_thread_lab(SimThread *thread)
{
    return lab_thread_latest(thread->lab);
}

const StageSnapshot *sim_thread_stage(SimThread *thread)
{
    return snapshot_exchange_latest(&thread->exchange);
}

const Snapshot *sim_thread_latest(SimThread *thread)
{
    return &sim_thread_stage(thread)->lanes[0];
}

bool sim_thread_has_news(SimThread *thread)
{
    return snapshot_exchange_has_news(&thread->exchange) || lab_thread_has_news(thread->lab);
}
