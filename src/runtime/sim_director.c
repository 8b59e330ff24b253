// What the simulation thread does with its session.
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
#include "runtime/sim_thread_state.h"

#include "base/clock.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// s, of moving the lanes' clock by a stride, which takes a few milliseconds: longer only when a
// lane has to catch up. Between two strides all lanes can be seen at one moment.
static const double LONGEST_CATCH_UP = 0.25;

void sim_cancel_in_vain(SimThread *self)
{
    session_set_cancel(self->session, &self->queue.starts_over);
}

void sim_set_notice(SimThread *self, const char *text)
{
    snprintf(self->notice, sizeof self->notice, "%s", text);
    self->notice_serial++;
}

// The speed of slow motion, simulated per real second: a hundredth, and no fewer than so many steps
// per second, since long steps are slow enough.
#define SLOW_SPEED 0.01
#define SLOW_STEPS 20.0
static const double SLOW_SECONDS = 4.0; // s, real, at most

bool sim_is_slowed(const SimThread *self)
{
    return clock_seconds() < self->slow_until;
}

double sim_wanted_speed(const SimThread *self)
{
    double speed = session_params(self->session)->speed;
    if (speed == PARAM_WORD) return INFINITY;
    if (!sim_is_slowed(self)) return speed;
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

void sim_tell_of_mesh(SimThread *self)
{
    const char *notice = simulation_mesh_notice(session_simulation(self->session, 0));
    if (*notice) sim_set_notice(self, notice);
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
    self->pacer.speed = sim_wanted_speed(self);
}

// s, by how much time should move at once. Lanes can be seen at any time, so their clock moves
// smoothly also when it is slow.
double sim_stride(const SimThread *self)
{
    double stride = session_stride(self->session), speed = self->pacer.speed;
    if (!session_has_lanes(self->session) || !isfinite(speed)) return stride;
    return fmin(stride, speed * PUBLISH_INTERVAL);
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
    if (status != STATUS_OK) sim_set_notice(self, error.text);
}

static void apply(SimThread *self, const Command *command)
{
    Moment then = moment_of(self);
    Error error;
    if (session_apply(self->session, command, &error) == STATUS_OK) {
        note(self, then, command);
        if (command->kind == COMMAND_LOAD_SCENE) sim_tell_of_mesh(self);
    } else {
        sim_set_notice(self, error.text);
    }
    self->pacer.speed = sim_wanted_speed(self);
}

static void end_replay(SimThread *self, const char *notice)
{
    self->replaying = self->running = false;
    sim_set_notice(self, notice);
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
        self->pacer.speed = sim_wanted_speed(self);
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
    if (status == STATUS_INTERRUPTED) return false; // a command waits
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
    if (status != STATUS_DIVERGED)
        sim_set_notice(self, error.text); // the snapshot reports divergence
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

// All lanes to the clock, until `flag` is set.
static void settle_unless(SimThread *self, const atomic_bool *flag)
{
    session_set_cancel(self->session, flag);
    while (!session_is_settled(self->session) && !atomic_load(flag))
        move_clock(self, 0.0, INFINITY);
    sim_cancel_in_vain(self);
}

void sim_settle(SimThread *self)
{
    settle_unless(self, &self->queue.starts_over);
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
    sim_settle(self);
    double end = simulation_time(lane);
    if (!self->replaying || end <= replay_next_time(&self->replay))
        move_clock(self, fmax(end, session_time(self->session)), INFINITY);
    sim_settle(self);
}

// The window waits for no step, so this thread may take many; but no more for a cloth that nobody
// wants any longer.
static void jump(SimThread *self, double until)
{
    while (!session_has_reached(self->session, until) && !atomic_load(&self->queue.starts_over)) {
        double time = session_time(self->session);
        if (!session_has_lanes(self->session)) {
            if (!take_step(self)) return;
            continue;
        }
        // in strides, as distances are measured between them
        move_clock(self, fmin(until, time + session_stride(self->session)), INFINITY);
        sim_settle(self);
        if (!session_is_settled(self->session) || !(session_time(self->session) > time))
            return; // in vain, or all lanes have stopped
    }
}

static void seek(SimThread *self, SeekKind kind, double time)
{
    Error error;
    self->running = false;
    if (session_seek(self->session, kind, time, &error) != STATUS_OK)
        sim_set_notice(self, error.text);
    self->seek_begun = clock_seconds();
}

void sim_search(SimThread *self, double deadline)
{
    Error error;
    if (session_go_on(self->session, deadline, &error) != STATUS_OK)
        sim_set_notice(self, error.text);
}

// Make what is shown the present. False when it stays the past, for want of memory.
static bool resume(SimThread *self)
{
    sim_search(self, INFINITY);
    if (!session_in_past(self->session)) return true;
    Error error;
    SessionMoment to;
    Moment left = moment_of(self);
    if (session_resume(self->session, &to, &error) != STATUS_OK) {
        sim_set_notice(self, error.text);
        return false;
    }
    char text[120];
    snprintf(text, sizeof text, "What came after %.4g s is forgotten; Ctrl Z brings it back.",
             session_time(self->session));
    sim_set_notice(self, self->replaying ? "You took over: the replay ends here." : text);
    self->replaying = false;
    if (self->recorder) {
        Status status = left.has_lanes
                            ? recorder_back_to(self->recorder, left.time, to.time, &error)
                            : recorder_back(self->recorder, left.time, to.tick, &error);
        if (status != STATUS_OK) sim_set_notice(self, error.text);
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
        sim_set_notice(self, error.text);
        return;
    }
    if (self->recorder) {
        Status status = left.has_lanes
                            ? recorder_recall_at(self->recorder, left.time, &error)
                            : recorder_recall(self->recorder, left.time, to.tick, &error);
        if (status != STATUS_OK) sim_set_notice(self, error.text);
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
    return command->kind == COMMAND_SELECT || command->kind == COMMAND_REFERENCE ||
           command->kind == COMMAND_HOLD;
}

void sim_obey(SimThread *self, const Command *command)
{
    // another scene was loaded since the picture was drawn in which a particle was pointed at
    if (command->cloth != 0 && !session_shows(self->session, command->cloth)) return;
    bool in_past = session_in_past(self->session);
    if (!only_looks(command)) self->plays = false;
    switch (command->kind) {
    case COMMAND_RUN: // also after a divergence: tries again from the last good state
        if (!resume(self)) break;
        if (!self->replaying) retry(self);
        if (!self->running) pacer_start(&self->pacer, clock_seconds(), sim_wanted_speed(self));
        self->until = command->until > 0.0 ? command->until : INFINITY;
        self->running = true;
        break;
    case COMMAND_JUMP:
        self->running = false;
        if (resume(self)) jump(self, command->until);
        break;
    case COMMAND_PAUSE:
        self->running = false;
        break;
    case COMMAND_STEP:
        self->running = false;
        if (in_past) {
            sim_search(self, INFINITY);
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
    case COMMAND_HOLD:
        self->hold = command->hold.time;
        break;
    case COMMAND_QUIT:
        if (self->recorder) settle_unless(self, &self->hurries); // its end has the lanes' hashes
        self->quit = true;
        break;
    default:
        if (goes_on_from_past(command) && !resume(self)) break;
        if (self->replaying) sim_set_notice(self, "You took over: the replay ends here.");
        self->replaying = false;
        if (command->kind == COMMAND_LOAD_SCENE || command->kind == COMMAND_RESET)
            self->until = INFINITY;
        apply(self, command);
    }
}

bool sim_is_held(const SimThread *self)
{
    return session_time(self->session) >= self->hold && session_is_settled(self->session);
}

void sim_step_what_is_due(SimThread *self)
{
    const atomic_bool *urgent = &self->queue.urgent;
    session_set_cancel(self->session, urgent);
    double now = self->pacer.now;
    double end = fmin(now + LONGEST_BURST, fmax(now, self->published + PUBLISH_INTERVAL));
    bool goes_on = true;
    do {
        if (sim_is_held(self)) break;
        bool lanes = session_has_lanes(self->session);
        double stride = sim_stride(self), clock = session_time(self->session);
        if (session_is_settled(self->session) && pacer_due(&self->pacer, stride) == 0) break;
        if (session_is_settled(self->session) && session_has_reached(self->session, self->until)) {
            self->running = false;
            break;
        }
        watch_growth(self);
        double time = fmin(clock + stride, fmin(self->until, fmax(clock, self->hold)));
        goes_on = lanes ? move_clock(self, time, now + LONGEST_CATCH_UP) : take_step(self);
    } while (goes_on && !atomic_load(urgent) && clock_seconds() < end);
    sim_cancel_in_vain(self);
}

void sim_settle_in_bursts(SimThread *self)
{
    session_set_cancel(self->session, &self->queue.urgent);
    move_clock(self, 0.0, clock_seconds() + LONGEST_BURST);
    sim_cancel_in_vain(self);
}

void sim_play_what_is_due(SimThread *self)
{
    double end = clock_seconds() + LONGEST_BURST;
    sim_search(self, INFINITY);
    while (self->plays && clock_seconds() < end) {
        double h = sim_stride(self), here = session_shown_time(self->session);
        if (pacer_due(&self->pacer, h) == 0) return;
        if (session_has_lanes(self->session))
            seek(self, SEEK_NEAREST, here + h);
        else
            seek(self, SEEK_AFTER, here);
        sim_search(self, INFINITY);
        pacer_stepped(&self->pacer, h);
        self->plays = session_in_past(self->session);
    }
}
