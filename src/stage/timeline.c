#include "stage/timeline.h"

#include "base/clock.h"
#include "simulation/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// s, of computing between two states, and at least so many times what it took to keep one: that is
// then 2 % of the computing at most.
#define STATE_SECONDS 0.02
#define KEEPING 50.0
// s. A kept state is worth the computing that it saves over the eighth root of its age plus this:
// older moments take longer to reach, but not much.
#define YOUNG 1.0
enum { STATES_MAX = 8192 };
#define MARK_GAP 0.05 // s, simulated: marks of one kind that are closer are one

typedef struct KeptState {
    long tick;
    double time;  // s, simulated
    double work;  // s, of computing since the start
    int commands; // that led to it, since the start
    bool fixed;   // must stay
    State *state;
} KeptState;

typedef struct KeptCommand {
    long tick;
    double clock; // s, when it was given
    Command command;
} KeptCommand;

// The future that timeline_resume cut off.
typedef struct Forgotten {
    State *head; // NULL: there is none
    long from;   // the tick at which it was cut off,
    int kept;    // and the commands that led there
    long tick;
    double work;
    int state_count, command_count, mark_count;
    KeptState *states;
    KeptCommand *commands;
    SnapshotMark marks[SNAPSHOT_MARKS];
} Forgotten;

struct Timeline {
    size_t budget, bytes; // the latter with what is forgotten
    long tick;            // of the head
    double work;          // s, of computing since the start
    unsigned serial;      // of the head's last divergence
    double last_time;     // s, of the head's last step
    double keeping;       // s, that it took to keep the last state
    bool lost; // a state that had to be kept was not: what is before it cannot be reached
    int state_count;
    KeptState states[STATES_MAX]; // by tick
    int command_count, command_capacity;
    KeptCommand *commands;
    int mark_count;
    SnapshotMark marks[SNAPSHOT_MARKS];
    Forgotten forgotten;

    // the past
    Simulation *past; // NULL: none was made yet
    bool looks_back;  // `past` is the moment below, or on the way to it
    bool seeks;
    SeekKind kind;
    double target;        // s
    int allowed_commands; // the moment has no more behind it, since the start
    long past_tick;       // of `past`
    int past_commands;    // applied to it, since the start
};

Status timeline_create(size_t budget, Timeline **out, Error *error)
{
    *out = calloc(1, sizeof **out);
    if (!*out) return error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for a timeline");
    (*out)->budget = budget;
    return STATUS_OK;
}

// ---- kept states and commands

// What it shares with another state stays counted.
static void drop_state(Timeline *self, State *state)
{
    if (state) self->bytes -= state_bytes(state);
    state_destroy(state);
}

static void drop_states(Timeline *self, int first, int count)
{
    for (int i = first; i < first + count; i++) {
        drop_state(self, self->states[i].state);
    }
    self->state_count -= count;
    memmove(&self->states[first], &self->states[first + count],
            (size_t)(self->state_count - first) * sizeof *self->states);
}

static void drop_commands_from(Timeline *self, int first)
{
    for (int i = first; i < self->command_count; i++) command_finish(&self->commands[i].command);
    if (first < self->command_count) self->command_count = first;
}

static void forget_for_good(Timeline *self)
{
    Forgotten *f = &self->forgotten;
    for (int i = 0; i < f->state_count; i++) drop_state(self, f->states[i].state);
    for (int i = 0; i < f->command_count; i++) command_finish(&f->commands[i].command);
    free(f->states);
    free(f->commands);
    drop_state(self, f->head);
    *f = (Forgotten){0};
}

// What it costs to be without this state, the smaller the better it is to drop it.
static double worth(const Timeline *self, int i)
{
    const KeptState *state = &self->states[i];
    double gap = self->states[i + 1].work - self->states[i - 1].work;
    return gap / sqrt(sqrt(sqrt(YOUNG + self->work - state->work)));
}

// Drop states until the budget holds and there is room for another one. The newest stays, so that
// the next can be compared with it.
static void thin_out(Timeline *self)
{
    if (self->bytes > self->budget) forget_for_good(self);
    while (self->state_count > 2 &&
           (self->bytes > self->budget || self->state_count >= STATES_MAX - 1)) {
        int worst = -1;
        double least = INFINITY;
        for (int i = 1; i < self->state_count - 1; i++) {
            double value = self->states[i].fixed ? INFINITY : worth(self, i);
            if (value < least) least = value, worst = i;
        }
        if (worst >= 0) {
            drop_states(self, worst, 1);
        } else { // all must stay: the oldest past is lost, up to the next
            drop_states(self, 0, 1);
            self->states[0].fixed = true;
        }
    }
}

static void keep_state(Timeline *self, const Simulation *head, bool fixed)
{
    KeptState kept = {.tick = self->tick,
                      .time = simulation_time(head),
                      .work = self->work,
                      .commands = self->command_count,
                      .fixed = fixed};
    double start = clock_seconds();
    // going back in time forgets what came after
    int first = self->state_count;
    while (first > 0 && self->states[first - 1].time > kept.time) first--;
    drop_states(self, first, self->state_count - first);
    while (self->mark_count > 0 && self->marks[self->mark_count - 1].time > kept.time)
        self->mark_count--;
    const State *before = self->state_count > 0 ? self->states[self->state_count - 1].state : NULL;
    bool saved = state_create(&kept.state, NULL) == STATUS_OK &&
                 state_save_compact(head, before, kept.state, NULL) == STATUS_OK;
    if (saved) {
        self->bytes += state_bytes(kept.state);
        thin_out(self);
        if (self->lost) drop_states(self, 0, self->state_count); // nothing leads from them to here
        self->lost = false;
        kept.fixed = fixed || self->state_count == 0;
        self->states[self->state_count++] = kept;
    } else {
        state_destroy(kept.state);
        self->lost = self->lost || fixed;
    }
    // a machine that was busy elsewhere for a moment must not leave a large gap
    double took = clock_seconds() - start;
    self->keeping = self->keeping > 0.0 ? fmin(took, 2.0 * self->keeping) : took;
}

static void mark(Timeline *self, double time, SnapshotMarkKind kind)
{
    SnapshotMark *last = self->mark_count > 0 ? &self->marks[self->mark_count - 1] : NULL;
    if (last && last->kind == kind && time - last->time < MARK_GAP) return;
    if (self->mark_count == SNAPSHOT_MARKS) {
        memmove(self->marks, self->marks + 1, (SNAPSHOT_MARKS - 1) * sizeof *self->marks);
        self->mark_count--;
    }
    self->marks[self->mark_count++] = (SnapshotMark){time, kind};
}

void timeline_destroy(Timeline *timeline)
{
    if (!timeline) return;
    forget_for_good(timeline);
    drop_states(timeline, 0, timeline->state_count);
    drop_commands_from(timeline, 0);
    free(timeline->commands);
    simulation_destroy(timeline->past);
    free(timeline);
}

// ---- the head

void timeline_begin(Timeline *self, const Simulation *head)
{
    timeline_return(self);
    simulation_destroy(self->past); // perhaps of another cloth
    self->past = NULL;
    forget_for_good(self);
    drop_states(self, 0, self->state_count);
    drop_commands_from(self, 0);
    self->mark_count = 0;
    self->work = 0.0;
    self->serial = simulation_divergences(head);
    self->last_time = simulation_time(head);
    keep_state(self, head, true);
}

void timeline_step(Timeline *self, const Simulation *head, double seconds)
{
    self->tick++;
    self->work += seconds;
    double time = simulation_time(head);
    unsigned serial = simulation_divergences(head);
    // A step refused once more, for the reason known, can be tried again from any state.
    bool diverged = serial != self->serial, went_back = time < self->last_time;
    self->serial = serial;
    self->last_time = time;
    double since =
        self->state_count > 0 ? self->work - self->states[self->state_count - 1].work : INFINITY;
    if (diverged) mark(self, time, SNAPSHOT_MARK_DIVERGENCE);
    bool must = diverged || went_back;
    if (must || since >= fmax(STATE_SECONDS, KEEPING * self->keeping)) keep_state(self, head, must);
}

static bool keep_command(Timeline *self, const Command *command, double clock)
{
    if (self->command_count == self->command_capacity) {
        int capacity = self->command_capacity ? 2 * self->command_capacity : 64;
        KeptCommand *commands = realloc(self->commands, (size_t)capacity * sizeof *commands);
        if (!commands) return false;
        self->commands = commands;
        self->command_capacity = capacity;
    }
    KeptCommand *kept = &self->commands[self->command_count];
    kept->tick = self->tick;
    kept->clock = clock;
    if (command_copy(command, &kept->command, NULL) != STATUS_OK) return false;
    self->command_count++;
    return true;
}

void timeline_command(Timeline *self, const Command *command, double clock, const Simulation *head)
{
    CommandKind kind = command->kind;
    double time = simulation_time(head);
    bool rebuilds = kind == COMMAND_SET_PARAM && param_table[command->param.index].rebuilds;
    if (time == 0.0 && (kind == COMMAND_RESET || kind == COMMAND_LOAD_SCENE || rebuilds)) {
        timeline_begin(self, head);
        return;
    }
    bool kept = keep_command(self, command, clock);
    // going back depends on the older states; a lost command cannot be repeated
    if (kind == COMMAND_REWIND || !kept) {
        self->last_time = time;
        keep_state(self, head, true);
    }
    if (kind == COMMAND_GRAB || kind == COMMAND_GRAB_BODY) mark(self, time, SNAPSHOT_MARK_HAND);
    if (kind == COMMAND_SET_PARAM || kind == COMMAND_TOGGLE_PIN || kind == COMMAND_EXCITE)
        mark(self, time, SNAPSHOT_MARK_CHANGE);
}

// ---- the past

// The commands that a moment may have behind it.
static int commands_until(const Timeline *self, SeekKind kind, double time)
{
    int count = self->command_count;
    while (kind == SEEK_REACH && count > 0 && self->commands[count - 1].clock > time) count--;
    return count;
}

// A search for `time` may start at `t`. One step at least is to be taken to SEEK_REACH it: between
// the two ends of a step a run can be seen at any time.
static bool is_before(SeekKind kind, double t, double time)
{
    return kind == SEEK_BEFORE || kind == SEEK_REACH ? t < time : t <= time;
}

// The last kept state that a search may start from.
static int start_of(const Timeline *self, SeekKind kind, double time)
{
    int start = 0, commands = commands_until(self, kind, time);
    for (int i = 1; i < self->state_count; i++) {
        const KeptState *state = &self->states[i];
        if (is_before(kind, state->time, time) && state->commands <= commands) start = i;
    }
    return start;
}

static Status restore(Timeline *self, const Simulation *head, int i, Error *error)
{
    const KeptState *kept = &self->states[i];
    if (!self->past) { // a simulation of the same cloth
        State *whole = NULL;
        Status status = state_create(&whole, error);
        if (status == STATUS_OK) status = state_save(head, whole, error);
        if (status == STATUS_OK) status = state_create_simulation(whole, &self->past, error);
        state_destroy(whole);
        if (status != STATUS_OK) return status;
    }
    Status status = state_restore(kept->state, self->past, error);
    self->past_tick = kept->tick;
    self->past_commands = kept->commands;
    return status;
}

// The step that led to what is shown is the one that reached `time`.
static bool is_reached(const Timeline *self, double time)
{
    if (!self->looks_back || self->seeks) return false;
    double end = simulation_time(self->past), begin = end - simulation_last_step(self->past);
    return begin < time && time <= end &&
           self->past_commands == commands_until(self, SEEK_REACH, time);
}

Status timeline_seek(Timeline *self, const Simulation *head, SeekKind kind, double time,
                     Error *error)
{
    if (self->state_count == 0) // there was never memory for one
        return error_set(error, STATUS_OUT_OF_MEMORY, "no past was kept for want of memory");
    double now = simulation_time(head);
    if (kind != SEEK_REACH && (kind == SEEK_BEFORE ? time > now : time >= now)) {
        timeline_return(self);
        return STATUS_OK;
    }
    if (kind == SEEK_REACH && is_reached(self, time)) {
        self->kind = kind;
        self->target = time;
        self->allowed_commands = commands_until(self, kind, time);
        self->seeks = false;
        return STATUS_OK;
    }
    int start = start_of(self, kind, time);
    // what is shown now may be nearer
    bool on = self->looks_back && self->past_tick >= self->states[start].tick;
    if (on) {
        on = is_before(kind, simulation_time(self->past), time) &&
             self->past_commands <= commands_until(self, kind, time);
    }
    if (!on) {
        Status status = restore(self, head, start, error);
        if (status != STATUS_OK) {
            timeline_return(self);
            return status;
        }
    }
    self->looks_back = self->seeks = true;
    self->kind = kind;
    self->target = time;
    self->allowed_commands = commands_until(self, kind, time);
    return STATUS_OK;
}

bool timeline_seeks(const Timeline *timeline)
{
    return timeline->seeks;
}

static Status apply_due_commands(Timeline *self, Error *error)
{
    while (self->past_commands < self->allowed_commands &&
           self->commands[self->past_commands].tick == self->past_tick) {
        const Command *command = &self->commands[self->past_commands++].command;
        Status status = simulation_apply(self->past, command, error);
        if (status != STATUS_OK) return status;
    }
    return STATUS_OK;
}

static bool is_there(const Timeline *self)
{
    double time = simulation_time(self->past), h = simulation_next_step(self->past);
    switch (self->kind) {
    case SEEK_BEFORE:
        return time + h >= self->target;
    case SEEK_AFTER:
        return time > self->target;
    case SEEK_REACH: {
        int next = self->past_commands; // it had stopped, and something was done only later
        bool waits = next < self->command_count && self->commands[next].tick == self->past_tick;
        return time >= self->target || waits || self->past_tick >= self->tick;
    }
    default:
        return time + 0.5 * h > self->target;
    }
}

// A later state of the same time, which going back led to; -1: none.
static int same_time(const Timeline *self)
{
    double time = simulation_time(self->past);
    for (int i = self->state_count - 1; i >= 0 && self->states[i].time >= time; i--) {
        const KeptState *state = &self->states[i];
        bool allowed = state->commands <= self->allowed_commands;
        // a step that was refused comes after the clock has passed, and so after what reached it
        if (self->kind == SEEK_REACH && state->commands == self->past_commands) continue;
        if (state->time == time && state->tick > self->past_tick && allowed) return i;
    }
    return -1;
}

// A state that must stay and that the next step would lead to; -1: none.
static int fixed_next(const Timeline *self)
{
    for (int i = self->state_count - 1; i >= 0 && self->states[i].tick > self->past_tick; i--) {
        const KeptState *state = &self->states[i];
        bool allowed = state->commands <= self->allowed_commands;
        if (state->fixed && state->tick == self->past_tick + 1 && allowed) return i;
    }
    return -1;
}

Status timeline_go_on(Timeline *self, double deadline, Error *error)
{
    while (self->seeks) {
        Status status = apply_due_commands(self, error);
        bool at_head = self->past_tick >= self->tick;
        if (status == STATUS_OK && at_head && self->kind != SEEK_REACH) {
            timeline_return(self);
            break;
        }
        bool there = status == STATUS_OK && is_there(self);
        int kept = there ? same_time(self) : fixed_next(self);
        if (there && kept < 0) {
            self->seeks = false;
            break;
        }
        if (status == STATUS_OK && kept >= 0) {
            status = restore(self, NULL, kept, error);
        } else if (status == STATUS_OK) {
            simulation_step(self->past, NULL); // a refused one was tried, too
            self->past_tick++;
        }
        if (status != STATUS_OK) {
            timeline_return(self);
            return status;
        }
        if (clock_seconds() >= deadline) break;
    }
    return STATUS_OK;
}

const Simulation *timeline_past(const Timeline *timeline)
{
    return timeline->looks_back ? timeline->past : NULL;
}

void timeline_return(Timeline *timeline)
{
    timeline->looks_back = timeline->seeks = false;
}

// The first kept state after a tick and so many commands.
static int first_after(const Timeline *self, long tick, int commands)
{
    int first = self->state_count;
    while (first > 0 &&
           (self->states[first - 1].tick > tick || self->states[first - 1].commands > commands))
        first--;
    return first;
}

// Move what comes after the past to `forgotten`, with the head's state there, or drop it if that is
// NULL or there is no memory.
static void cut_off(Timeline *self, State *head)
{
    int first = first_after(self, self->past_tick, self->past_commands);
    int states = self->state_count - first, commands = self->command_count - self->past_commands;
    Forgotten f = {.head = head,
                   .from = self->past_tick,
                   .kept = self->past_commands,
                   .tick = self->tick,
                   .work = self->work,
                   .state_count = states,
                   .command_count = commands,
                   .mark_count = self->mark_count,
                   .states = malloc(((size_t)states + 1) * sizeof *f.states),
                   .commands = malloc(((size_t)commands + 1) * sizeof *f.commands)};
    memcpy(f.marks, self->marks, sizeof f.marks);
    forget_for_good(self);
    if (!f.head || !f.states || !f.commands) {
        free(f.states);
        free(f.commands);
        state_destroy(f.head);
        drop_states(self, first, states);
        drop_commands_from(self, self->past_commands);
        return;
    }
    memcpy(f.states, &self->states[first], (size_t)states * sizeof *f.states);
    if (commands > 0)
        memcpy(f.commands, &self->commands[self->past_commands],
               (size_t)commands * sizeof *f.commands);
    self->bytes += state_bytes(f.head); // the others are counted already
    self->state_count = first;
    self->command_count = self->past_commands;
    self->forgotten = f;
}

static void start_from(Timeline *self, const Simulation *head, long tick)
{
    self->tick = tick;
    self->serial = simulation_divergences(head);
    self->last_time = simulation_time(head);
    timeline_return(self);
}

Status timeline_resume(Timeline *self, Simulation *head, long *tick, Error *error)
{
    State *now = NULL, *old = NULL;
    Status status = state_create(&now, error);
    if (status == STATUS_OK) status = state_save(self->past, now, error);
    bool kept = state_create(&old, NULL) == STATUS_OK && state_save(head, old, NULL) == STATUS_OK;
    if (!kept) { // it goes on without an undo
        state_destroy(old);
        old = NULL;
    }
    if (status == STATUS_OK) status = state_restore(now, head, error);
    state_destroy(now);
    if (status != STATUS_OK) {
        state_destroy(old);
        return status;
    }
    cut_off(self, old);
    if (self->state_count > 0) self->work = self->states[self->state_count - 1].work;
    double time = simulation_time(head);
    while (self->mark_count > 0 && self->marks[self->mark_count - 1].time > time)
        self->mark_count--;
    *tick = self->past_tick;
    start_from(self, head, self->past_tick);
    return STATUS_OK;
}

Status timeline_recall(Timeline *self, Simulation *head, long *tick, Error *error)
{
    Forgotten *f = &self->forgotten;
    if (!f->head)
        return error_set(error, STATUS_BAD_PARAMETER,
                         "there is nothing to bring back: what came after the past was not "
                         "forgotten, or is gone for good");
    int first = first_after(self, f->from, f->kept), room = f->kept + f->command_count;
    if (room > self->command_capacity) {
        KeptCommand *commands = realloc(self->commands, (size_t)room * sizeof *commands);
        if (!commands) return error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory");
        self->commands = commands;
        self->command_capacity = room;
    }
    Status status = state_restore(f->head, head, error);
    if (status != STATUS_OK) return status;
    drop_states(self, first, self->state_count - first);
    drop_commands_from(self, f->kept);
    for (int i = 0; i < f->state_count && self->state_count < STATES_MAX; i++)
        self->states[self->state_count++] = f->states[i];
    for (int i = 0; i < f->command_count; i++)
        self->commands[self->command_count++] = f->commands[i];
    self->work = f->work;
    self->mark_count = f->mark_count;
    memcpy(self->marks, f->marks, sizeof f->marks);
    *tick = f->tick;
    start_from(self, head, f->tick);
    // the states are counted where they are now
    drop_state(self, f->head);
    free(f->states);
    free(f->commands);
    *f = (Forgotten){0};
    return STATUS_OK;
}

void timeline_info(const Timeline *timeline, TimelineInfo *out)
{
    *out = (TimelineInfo){.first = timeline->state_count > 0 ? timeline->states[0].time : NAN,
                          .bytes = timeline->bytes,
                          .states = timeline->state_count,
                          .can_recall = timeline->forgotten.head != NULL,
                          .mark_count = timeline->mark_count};
    memcpy(out->marks, timeline->marks, sizeof out->marks);
}
