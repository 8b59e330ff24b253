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
// Signals are blocked here, so a handler always runs on one of the application's own threads.
#include "runtime/sim_thread_state.h"

#include "base/clock.h"
#include "simulation/state.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double LAB_PATIENCE = 0.02; // s between two checks whether the lab is ready
static const double SEEK_PATIENCE = 0.1; // s of a search after which its way is shown
enum { QUIT_PATIENCE = 50000000 };       // ns for recorded lanes to reach their clock at the end

// A clock that is slower than this share of its speed is worth a word.
#define SLOW 0.95

// The lane that keeps the clock from its speed; -1: none. A clock that is held waits for nobody.
static int slow_lane(const SimThread *self, double factor)
{
    double speed = self->pacer.speed;
    bool slow = self->running && !sim_is_held(self) && isfinite(speed) && factor > 0.0 &&
                factor < SLOW * speed;
    return slow && session_has_lanes(self->session) ? session_slowest(self->session) : -1;
}

// Without memory the last published snapshot stays and the notice waits for the next one.
static Status publish(SimThread *self, Error *error)
{
    self->published = clock_seconds();
    self->shown = session_time(self->session);
    StageSnapshot *stage = snapshot_exchange_back(&self->exchange);
    Status status = session_fill_snapshot(self->session, stage, error);
    if (status != STATUS_OK) return status;
    bool moves = self->running || self->plays;
    double factor = moves ? pacer_real_time_factor(&self->pacer, sim_stride(self)) : 0.0;
    bool late =
        self->running && !sim_is_held(self) && pacer_is_late(&self->pacer, sim_stride(self));
    atomic_store_explicit(&self->late, late, memory_order_relaxed);
    atomic_store_explicit(&self->far_behind, late && factor < FAR_BEHIND * self->pacer.speed,
                          memory_order_relaxed);
    if (self->lab) lab_thread_set_late(self->lab, late);
    stage->slowest = slow_lane(self, factor);
    for (int i = 0; i < stage->count; i++) {
        Snapshot *snapshot = &stage->lanes[i];
        snapshot->running = moves;
        snapshot->slowed = self->running && isfinite(self->pacer.speed) && sim_is_slowed(self);
        snapshot->real_time_factor = factor;
        snapshot->notice_serial = self->notice_serial;
        memcpy(snapshot->notice, self->notice, sizeof snapshot->notice);
    }
    snapshot_exchange_publish(&self->exchange);
    return STATUS_OK;
}

// s, from the last snapshot to the next. A window that has taken the last one gets another, however
// late the simulation is.
static double publish_interval(SimThread *self)
{
    bool waits = snapshot_exchange_has_news(&self->exchange);
    return waits && sim_thread_is_late(self) ? LATE_PUBLISH_INTERVAL : PUBLISH_INTERVAL;
}

// How long to wait for commands: forever while paused, not at all while a step is due.
static double next_look(const SimThread *self)
{
    if (session_seeks(self->session) || !session_is_settled(self->session)) return 0.0;
    bool held = self->running && !self->plays && sim_is_held(self);
    if ((!self->running && !self->plays) || held)
        return self->lab_due ? clock_seconds() + LAB_PATIENCE : INFINITY;
    double h = sim_stride(self);
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

// Which commands need all lanes to be at the clock. Others would have to wait for that. A recording
// knows lanes at their clock only: a pause is not in it, and a new start is the same from anywhere.
static bool needs_settled(const Command *command)
{
    return !commands_start_over(command, 1) && command->kind != COMMAND_PAUSE;
}

// Whether it only changes what moment is shown, or what follows from it.
static bool moves_time(const Command *command)
{
    switch (command->kind) {
    case COMMAND_JUMP:
    case COMMAND_STEP:
    case COMMAND_SEEK:
    case COMMAND_PLAY:
    case COMMAND_RECALL:
    case COMMAND_REWIND:
        return true;
    default:
        return false;
    }
}

// Of a command that is not obeyed the next scene only has to know whether it runs.
static void leave_out(SimThread *self, const Command *command)
{
    if (command->kind == COMMAND_RUN && !self->running) {
        pacer_start(&self->pacer, clock_seconds(), sim_wanted_speed(self));
        self->running = true;
    }
    if (command->kind == COMMAND_PAUSE || moves_time(command)) self->running = false;
}

// Before another scene or QUIT nothing needs to be obeyed. Before a RESET, what moves time is in
// vain, except that a jump or a step pauses; the rest is obeyed wherever the lanes are, because
// nothing but its effect on parameters and pins is left.
static void obey_one(SimThread *self, const Command *command, bool ends, bool over)
{
    bool unsettled = !session_is_settled(self->session);
    if (ends && (unsettled || command->kind == COMMAND_JUMP)) {
        leave_out(self, command);
        return;
    }
    bool waits = needs_settled(command);
    if (waits && !(over && unsettled)) sim_settle(self); // less far when a new start comes in
    bool in_vain = waits && !session_is_settled(self->session);
    if ((in_vain && moves_time(command)) || (over && command->kind == COMMAND_JUMP))
        leave_out(self, command);
    else
        sim_obey(self, command);
}

static void obey_all(SimThread *self, int count)
{
    for (int i = 0; i < count; i++) {
        const Command *rest = &self->batch[i + 1];
        int left = count - i - 1;
        if (!self->quit)
            obey_one(self, &self->batch[i], commands_end_scene(rest, left),
                     commands_start_over(rest, left));
        command_finish(&self->batch[i]);
    }
}

// The thread is asleep or about to be when `rests`: an idle window has to be woken to see it.
static void show(SimThread *self, bool rests)
{
    Error error;
    if (publish(self, &error) != STATUS_OK)
        sim_set_notice(self, error.text);
    else if (rests && self->wake)
        self->wake();
}

static void *run(void *argument)
{
    SimThread *self = argument;
    for (;;) {
        int count = command_queue_drain(&self->queue, self->batch, next_look(self));
        bool was_running = self->running || self->plays;
        if (was_running) pacer_advance(&self->pacer, clock_seconds(), sim_stride(self));
        obey_all(self, count);
        if (self->quit) break; // no more snapshots are needed
        // what a command did is shown before the next step, which may take long
        bool told = count > 0 && self->running;
        if (told) show(self, false);
        bool settled = false; // from a pause in the middle of a stride, which was shown first
        if (self->running) {
            sim_step_what_is_due(self);
        } else if (count == 0 && !session_is_settled(self->session)) {
            sim_settle_in_bursts(self);
            settled = session_is_settled(self->session);
        }
        if (self->plays) sim_play_what_is_due(self);
        bool runs = self->running || self->plays;
        bool sought = session_seeks(self->session);
        if (sought) sim_search(self, clock_seconds() + LONGEST_BURST);
        bool seeks = session_seeks(self->session);
        if (count > 0 || sought || settled || ((was_running || runs) && !lab_knows(self)))
            self->lab_due = true;

        // a search is shown when it is over, or takes long
        bool obeyed = count > 0 && !told;
        bool at_once = (obeyed || was_running != runs || sought || settled) && !seeks;
        if (seeks && clock_seconds() >= self->seek_begun + SEEK_PATIENCE) {
            self->seek_begun = clock_seconds();
            at_once = true;
        }
        bool held = self->running && sim_is_held(self); // whoever holds it waits to see it there
        if (held && self->shown != session_time(self->session)) at_once = true;
        bool in_time = runs && clock_seconds() >= self->published + publish_interval(self);
        if (at_once || in_time) show(self, !runs || held);
        if (!seeks) serve_lab(self); // after it: no result is of parameters that are not shown yet
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
    if (status == STATUS_OK && plan->threads > 1)
        status = worker_crew_start(plan->threads, &self->workers, error);
    if (status != STATUS_OK) return status;
    session_set_crew(self->session, worker_crew(self->workers));
    self->replaying = replay != NULL;
    self->replay.recording = replay;
    if (plan->record &&
        recorder_create(plan->record, replay ? &replay->scene : plan->scene,
                        replay && replay->particles, session_simulation(self->session, 0),
                        &self->recorder, &self->record_error) != STATUS_OK)
        sim_set_notice(self, self->record_error.text);
    sim_cancel_in_vain(self);
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
    self->hold = INFINITY;
    self->until = INFINITY;
    self->lab_due = true; // also for a start at rest
    snapshot_exchange_init(&self->exchange);

    Status status = create_simulation(self, plan, error);
    if (status == STATUS_OK) {
        pacer_start(&self->pacer, clock_seconds(), sim_wanted_speed(self));
        sim_tell_of_mesh(self);
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
    worker_crew_stop(self->workers);
    snapshot_exchange_finish(&self->exchange);
    free(self);
    return status;
}

// Once it has had its time to end what a recording wants whole.
static void join_soon(SimThread *thread)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += QUIT_PATIENCE;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    if (pthread_timedjoin_np(thread->thread, NULL, &until) == 0) return;
    atomic_store(&thread->hurries, true);
    pthread_join(thread->thread, NULL);
}

// Lanes that did not reach their clock have no hash that a replay could come to.
static Status end_recording(SimThread *thread, Error *error)
{
    const Session *session = thread->session;
    if (!session_has_lanes(session))
        return recorder_end(thread->recorder, session_simulation(session, 0), error);
    uint64_t hashes[SCENE_LANES_MAX];
    int count = session_is_settled(session) ? session_lane_count(session) : 0;
    for (int i = 0; i < count; i++) hashes[i] = simulation_hash(session_simulation(session, i));
    return recorder_end_at(thread->recorder, session_time(session), hashes, count, error);
}

Status sim_thread_join(SimThread *thread, Error *error)
{
    if (!thread->joined) {
        command_queue_push(&thread->queue, &(Command){.kind = COMMAND_QUIT});
        join_soon(thread);
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
    worker_crew_stop(thread->workers);
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

void sim_thread_ask_map(SimThread *thread, const MapRequest *request)
{
    lab_thread_ask_map(thread->lab, request);
}

bool sim_thread_is_late(SimThread *thread)
{
    return atomic_load_explicit(&thread->late, memory_order_relaxed);
}

bool sim_thread_is_far_behind(SimThread *thread)
{
    return atomic_load_explicit(&thread->far_behind, memory_order_relaxed);
}

bool sim_thread_has_snapshot(SimThread *thread)
{
    return snapshot_exchange_has_news(&thread->exchange);
}

bool sim_thread_has_result(SimThread *thread)
{
    return lab_thread_has_news(thread->lab);
}
