// The simulation thread.
//
// Design
//   One thread owns one Simulation and everything below the line in struct SimThread. It repeats:
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
// Only `take_step` and `apply` change the simulation's bits; both inform the recorder and the
// timeline. RUN, PAUSE and STEP set the pace. A replay is a second source of commands, checked
// before each step.
//
// SEEK shows a moment of the past, which is another simulation, the timeline's; this thread
// computes it in bursts between two looks at the queue. What changes the past makes it the present.
//
// Signals are blocked here, so a handler always runs on one of the application's own threads.
#include "runtime/sim_thread.h"

#include "base/clock.h"
#include "runtime/command_queue.h"
#include "runtime/pacer.h"
#include "runtime/recorder.h"
#include "runtime/replay.h"
#include "runtime/snapshot_exchange.h"
#include "simulation/simulation.h"
#include "stage/timeline.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PUBLISH_INTERVAL = 1.0 / 120.0; // s, twice per frame of a usual display
static const double LONGEST_BURST = 0.005; // s, of stepping between two checks of the queue
static const double LAB_PATIENCE = 0.02;   // s between two checks whether the lab is ready
static const double SEEK_PATIENCE = 0.1;   // s of a search after which its way is shown

struct SimThread {
    pthread_t thread;
    CommandQueue queue;
    SnapshotExchange exchange;
    void (*wake)(void);
    LabThread *lab; // has a thread of its own

    // ---- the simulation thread's own ----
    Simulation *simulation; // the present
    Timeline *timeline;
    Pacer pacer;  // meaningful while running or playing
    bool running; // the present
    bool plays;   // the past, along which the moment shown moves
    bool quit;
    bool joined;        // the thread has ended
    Recorder *recorder; // NULL: none
    Error record_error; // why it could not start; STATUS_OK: no failure
    bool replaying;     // `replay` is active
    Replay replay;
    double published;  // s, time of the last snapshot
    double seek_begun; // s, time of the last search, or when its way was shown
    bool lab_due;      // the lab has not seen the present state
    unsigned notice_serial;
    char notice[sizeof((Snapshot *)0)->notice];
    Command batch[COMMAND_CAPACITY];
};

static double wanted_speed(const SimThread *self)
{
    double speed = simulation_params(self->simulation)->speed;
    return speed == PARAM_WORD ? INFINITY : speed;
}

static void set_notice(SimThread *self, const char *text)
{
    snprintf(self->notice, sizeof self->notice, "%s", text);
    self->notice_serial++;
}

// What the window sees: a moment of the past, or the present.
static const Simulation *shown(const SimThread *self)
{
    const Simulation *past = timeline_past(self->timeline);
    return past ? past : self->simulation;
}

static void fill_timeline(const SimThread *self, Snapshot *snapshot)
{
    TimelineInfo info;
    timeline_info(self->timeline, &info);
    snapshot->in_past = timeline_past(self->timeline) != NULL;
    snapshot->first_time = info.first;
    snapshot->last_time = simulation_time(self->simulation);
    snapshot->past_bytes = (double)info.bytes;
    snapshot->can_recall = info.can_recall;
    snapshot->mark_count = info.mark_count;
    memcpy(snapshot->marks, info.marks, sizeof snapshot->marks);
}

// Without memory the last published snapshot stays and the notice waits for the next one.
static Status publish(SimThread *self, Error *error)
{
    self->published = clock_seconds();
    StageSnapshot *stage = snapshot_exchange_back(&self->exchange);
    Snapshot *snapshot = &stage->lanes[0];
    Status status = simulation_fill_snapshot(shown(self), snapshot, error);
    if (status != STATUS_OK) return status;
    stage->scene = snapshot->scene;
    stage->time = snapshot->readings.time;
    stage->count = 1;
    stage->reference = stage->slowest = -1;
    snapshot->lane = (Lane){0};
    snapshot->distance_max = snapshot->distance_rms = NAN;
    fill_timeline(self, snapshot);
    double h = snapshot->readings.step;
    snapshot->running = self->running || self->plays;
    snapshot->real_time_factor = snapshot->running ? pacer_real_time_factor(&self->pacer, h) : 0.0;
    snapshot->notice_serial = self->notice_serial;
    memcpy(snapshot->notice, self->notice, sizeof snapshot->notice);
    snapshot_exchange_publish(&self->exchange);
    return STATUS_OK;
}

// A command was applied at this time.
static void note(SimThread *self, double time, const Command *command)
{
    Error error;
    timeline_command(self->timeline, command, self->simulation);
    if (!self->recorder) return;
    if (recorder_add(self->recorder, time, command, self->simulation, &error) != STATUS_OK)
        set_notice(self, error.text);
}

static void apply(SimThread *self, const Command *command)
{
    double time = simulation_time(self->simulation);
    Error error;
    if (simulation_apply(self->simulation, command, &error) == STATUS_OK) {
        note(self, time, command);
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
    if (!replay_agrees(&self->replay, self->simulation, &error)) {
        end_replay(self, error.text);
    } else if (recording->has_end && recording->has_hash) {
        end_replay(self, "The replay is over; it agrees with the recording to the last bit.");
    } else {
        end_replay(self, "The replay is over.");
    }
}

// Apply the replay's commands for the next step. False when the replay is over.
static bool follow_replay(SimThread *self)
{
    for (;;) {
        ReplayMove move = replay_move(&self->replay, self->simulation);
        if (move == REPLAY_STEP) return true;
        if (move == REPLAY_OVER) {
            judge_replay(self);
            return false;
        }
        double time = simulation_time(self->simulation);
        const Command *command;
        Error error;
        if (replay_apply(&self->replay, self->simulation, &command, &error) != STATUS_OK) {
            end_replay(self, error.text);
            return false;
        }
        note(self, time, command);
        self->pacer.speed = wanted_speed(self);
    }
}

// False when the step failed; time then stands still.
static bool take_step(SimThread *self)
{
    if (self->replaying && !follow_replay(self)) return false;
    double h = simulation_next_step(self->simulation), start = clock_seconds();
    Error error;
    Status status = simulation_step(self->simulation, &error);
    timeline_step(self->timeline, self->simulation, clock_seconds() - start);
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

static void seek(SimThread *self, SeekKind kind, double time)
{
    Error error;
    self->running = false;
    if (timeline_seek(self->timeline, self->simulation, kind, time, &error) != STATUS_OK)
        set_notice(self, error.text);
    self->seek_begun = clock_seconds();
}

static void search(SimThread *self, double deadline)
{
    Error error;
    if (timeline_go_on(self->timeline, deadline, &error) != STATUS_OK) set_notice(self, error.text);
}

// Make what is shown the present. False when it stays the past, for want of memory.
static bool resume(SimThread *self)
{
    search(self, INFINITY);
    if (!timeline_past(self->timeline)) return true;
    Error error;
    long tick;
    double left = simulation_time(self->simulation);
    if (timeline_resume(self->timeline, self->simulation, &tick, &error) != STATUS_OK) {
        set_notice(self, error.text);
        return false;
    }
    char text[120];
    snprintf(text, sizeof text, "What came after %.4g s is forgotten; Ctrl Z brings it back.",
             simulation_time(self->simulation));
    set_notice(self, self->replaying ? "You took over: the replay ends here." : text);
    self->replaying = false;
    if (self->recorder && recorder_back(self->recorder, left, tick, &error) != STATUS_OK)
        set_notice(self, error.text);
    apply(self, &(Command){.kind = COMMAND_RESUME});
    return true;
}

static void recall(SimThread *self)
{
    Error error;
    long tick;
    double left = simulation_time(self->simulation);
    self->running = false;
    timeline_return(self->timeline);
    if (timeline_recall(self->timeline, self->simulation, &tick, &error) != STATUS_OK) {
        set_notice(self, error.text);
        return;
    }
    if (self->recorder && recorder_recall(self->recorder, left, tick, &error) != STATUS_OK)
        set_notice(self, error.text);
    apply(self, &(Command){.kind = COMMAND_RESUME});
}

// A new start needs no past, and the hand that still holds the present lets it go.
static bool goes_on_from_past(const Command *command)
{
    return command->kind != COMMAND_RESET && command->kind != COMMAND_LOAD_SCENE &&
           command->kind != COMMAND_MOVE_HAND && command->kind != COMMAND_RELEASE;
}

static void obey(SimThread *self, const Command *command)
{
    bool in_past = timeline_past(self->timeline) != NULL;
    self->plays = false;
    switch (command->kind) {
    case COMMAND_RUN: // also after a divergence: tries again from the last good state
        if (!resume(self)) break;
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
            seek(self, SEEK_AFTER, simulation_time(shown(self)));
        } else {
            take_step(self);
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
    while (pacer_due(&self->pacer, simulation_next_step(self->simulation)) > 0) {
        if (!take_step(self) || clock_seconds() >= end) break;
    }
}

// Move along the past by the steps that are due.
static void play_what_is_due(SimThread *self)
{
    double end = clock_seconds() + LONGEST_BURST;
    search(self, INFINITY);
    while (self->plays && clock_seconds() < end) {
        double h = simulation_next_step(shown(self));
        if (pacer_due(&self->pacer, h) == 0) return;
        seek(self, SEEK_AFTER, simulation_time(shown(self)));
        search(self, INFINITY);
        pacer_stepped(&self->pacer, h);
        self->plays = timeline_past(self->timeline) != NULL;
    }
}

// How long to wait for commands: forever while paused, not at all while a step is due.
static double next_look(const SimThread *self)
{
    if (timeline_seeks(self->timeline)) return 0.0;
    if (!self->running && !self->plays)
        return self->lab_due ? clock_seconds() + LAB_PATIENCE : INFINITY;
    double h = simulation_next_step(shown(self));
    if (pacer_due(&self->pacer, h) > 0) return 0.0;
    // short steps run together once per publication: the window shows none in between
    return fmax(pacer_next_due(&self->pacer, h), self->published + PUBLISH_INTERVAL);
}

// Without memory for a copy the lab keeps its last result.
static void serve_lab(SimThread *self)
{
    if (!self->lab_due || !lab_thread_wants_state(self->lab)) return;
    lab_thread_offer(self->lab, shown(self), NULL);
    self->lab_due = false;
}

static void *run(void *argument)
{
    SimThread *self = argument;
    for (;;) {
        int count = command_queue_drain(&self->queue, self->batch, next_look(self));
        bool was_running = self->running || self->plays;
        if (was_running)
            pacer_advance(&self->pacer, clock_seconds(), simulation_next_step(shown(self)));
        for (int i = 0; i < count; i++) {
            if (!self->quit) obey(self, &self->batch[i]);
            command_finish(&self->batch[i]);
        }
        if (self->quit) break; // no more snapshots are needed
        if (self->running) step_what_is_due(self);
        if (self->plays) play_what_is_due(self);
        bool runs = self->running || self->plays;
        bool sought = timeline_seeks(self->timeline);
        if (sought) search(self, clock_seconds() + LONGEST_BURST);
        bool seeks = timeline_seeks(self->timeline);
        if (count > 0 || was_running || runs || sought) self->lab_due = true;
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
    Status status = replay ? replay_start(replay, &self->simulation, error)
                           : simulation_create(plan->scene, &self->simulation, error);
    if (status != STATUS_OK) return status;
    self->replaying = replay != NULL;
    self->replay.recording = replay;
    status = timeline_create(TIMELINE_BUDGET, &self->timeline, error);
    if (status != STATUS_OK) return status;
    timeline_begin(self->timeline, self->simulation);
    if (plan->record && recorder_create(plan->record, replay ? &replay->scene : plan->scene,
                                        replay && replay->particles, self->simulation,
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
    timeline_destroy(self->timeline);
    simulation_destroy(self->simulation);
    snapshot_exchange_finish(&self->exchange);
    free(self);
    return status;
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
    Status status = recorder_end(thread->recorder, thread->simulation, error);
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
    timeline_destroy(thread->timeline);
    simulation_destroy(thread->simulation);
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
