#include "stage/session.h"

#include "base/clock.h"
#include "scene/combination.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// s, of computing, that one move of the clock should take: a few of them fit into a frame.
#define STRIDE_SECONDS 0.004
// s, simulated: lanes are shown at least so often, however cheap they are.
#define LONGEST_STRIDE (1.0 / 120.0)
// s, simulated, from one distance in the plots to the next: with large cloths it takes time too.
#define DISTANCE_SECONDS (1.0 / 60.0)
// s. Marks of one kind in several lanes that are closer are one.
#define SAME_MARK 0.05

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
    Changes changes;
    Changes forgotten; // those that session_resume cut off
    int kept;          // of the others, then,
    double left;       // s, and the clock; NaN: nothing can be recalled
    double goal;       // s, where the clock is being moved to; it is there when that is its time
    bool in_past;
    double shown_time; // s, of the past that is shown or sought
    int selected, reference;
    double compared; // s, the clock when distances were last measured for the plots; NaN: never
    double *positions[2]; // 3 per particle
};

// ---- the scene and its lanes

static int lanes_of(const Scene *scene)
{
    return scene->lane_count > 0 ? scene->lane_count : 1;
}

int session_lane_count(const Session *self)
{
    return lanes_of(&self->scene);
}

static Simulation *first_of(const Session *self)
{
    return self->stage.lanes[0].simulation;
}

static Scene scene_of(const Scene *scene, int lane)
{
    if (scene->lane_count == 0) return *scene;
    Lane fine = lane_fine();
    return lane_scene(lane < scene->lane_count ? &scene->lanes[lane] : &fine, scene);
}

static void apply_to_scene(Scene *scene, const Command *command)
{
    const ParamInfo *info = &param_table[command->param.index];
    if (command->lane == COMMAND_ALL_LANES) {
        param_set(&scene->params, info, command->param.value, NULL);
    } else if (command->kind == COMMAND_SHARE_PARAM) {
        lane_share(&scene->lanes[command->lane - 1], info);
    } else {
        lane_own(&scene->lanes[command->lane - 1], info, command->param.value);
    }
}

// The scene as it was when the clock showed `time`.
static Scene scene_at(const Session *self, double time)
{
    Scene scene = self->start;
    for (int i = 0; i < self->changes.count && self->changes.items[i].clock <= time; i++)
        apply_to_scene(&scene, &self->changes.items[i].command);
    return scene;
}

static Status keep_change(Session *self, const Command *command, Error *error)
{
    Changes *changes = &self->changes;
    if (changes->count == changes->capacity) {
        int capacity = changes->capacity ? 2 * changes->capacity : 64;
        Change *items = realloc(changes->items, (size_t)capacity * sizeof *items);
        if (!items) return error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory");
        changes->items = items;
        changes->capacity = capacity;
    }
    changes->items[changes->count++] = (Change){self->stage.time, *command};
    return STATUS_OK;
}

static void forget_changes(Changes *changes)
{
    free(changes->items);
    *changes = (Changes){0};
}

// ---- creation

static Status begin_past(Session *self, Error *error)
{
    if (self->budget == 0) return STATUS_OK;
    for (int i = 0; i < self->stage.count; i++) {
        StageLane *lane = &self->stage.lanes[i];
        Status status =
            timeline_create(self->budget / (size_t)self->stage.count, &lane->timeline, error);
        if (status == STATUS_OK) status = sampler_create(&lane->sampler, error);
        if (status != STATUS_OK) return status;
        timeline_begin(lane->timeline, lane->simulation);
        sampler_jump(lane->sampler, lane->simulation);
    }
    return STATUS_OK;
}

static Status make_stage(const Scene *scene, Stage *stage, Error *error)
{
    int count = lanes_of(scene) + (scene->lane_count > 0 && scene->fine);
    Scene scenes[SCENE_LANES_MAX + 1];
    for (int i = 0; i < count; i++) scenes[i] = scene_of(scene, i);
    return stage_init(stage, scenes, count, error);
}

static void free_contents(Session *self)
{
    stage_finish(&self->stage);
    forget_changes(&self->changes);
    forget_changes(&self->forgotten);
    for (int i = 0; i < 2; i++) free(self->positions[i]);
}

// `stage` becomes the session's, which had none.
static Status take_stage(Session *self, const Scene *scene, const Stage *stage, Error *error)
{
    self->start = self->scene = *scene;
    self->has_lanes = scene->lane_count > 0;
    self->stage = *stage;
    self->stage.time = simulation_time(stage->lanes[0].simulation);
    self->goal = self->stage.time;
    self->left = NAN;
    self->in_past = false;
    self->selected = 0;
    self->compared = NAN;
    self->reference = scene->lane_count > 0 && scene->fine ? scene->lane_count : -1;
    for (int i = 0; i < 2; i++) {
        self->positions[i] = malloc(3 * (size_t)self->stage.particle_count * sizeof(double));
        if (!self->positions[i])
            return error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for the lanes");
    }
    return begin_past(self, error);
}

static Status create_with(Stage *stage, const Scene *scene, size_t budget, Session **out,
                          Error *error)
{
    Session *self = calloc(1, sizeof *self);
    *out = NULL;
    if (!self) {
        stage_finish(stage);
        return error_set(error, STATUS_OUT_OF_MEMORY, "out of memory for a simulation");
    }
    self->budget = budget;
    Status status = take_stage(self, scene, stage, error);
    if (status == STATUS_OK) {
        *out = self;
    } else {
        session_destroy(self);
    }
    return status;
}

Status session_create(const Scene *scene, size_t budget, Session **out, Error *error)
{
    Stage stage;
    *out = NULL;
    Status status = make_stage(scene, &stage, error);
    return status == STATUS_OK ? create_with(&stage, scene, budget, out, error) : status;
}

Status session_create_around(Simulation *simulation, const Scene *scene, size_t budget,
                             Session **out, Error *error)
{
    assert(scene->lane_count == 0);
    Stage stage = {.count = 1,
                   .lanes = {{.simulation = simulation}},
                   .particle_count = simulation_particle_count(simulation)};
    return create_with(&stage, scene, budget, out, error);
}

void session_destroy(Session *self)
{
    if (!self) return;
    free_contents(self);
    free(self);
}

// Other lanes than before: everything starts over. On failure nothing changes.
static Status load_lanes(Session *self, const Scene *scene, Error *error)
{
    Session next = {.budget = self->budget};
    Stage stage;
    Status status = make_stage(scene, &stage, error);
    if (status != STATUS_OK) return status;
    unsigned topology = 0;
    for (int i = 0; i < self->stage.count; i++) {
        unsigned old = simulation_topology(self->stage.lanes[i].simulation);
        if (old > topology) topology = old;
    }
    for (int i = 0; i < stage.count; i++)
        simulation_set_topology(stage.lanes[i].simulation, topology + 1);
    status = take_stage(&next, scene, &stage, error);
    if (status != STATUS_OK) {
        free_contents(&next);
        return status;
    }
    free_contents(self);
    *self = next;
    return STATUS_OK;
}

// ---- commands

static void return_to_present(Session *self)
{
    for (int i = 0; i < self->stage.count; i++) {
        if (self->stage.lanes[i].timeline) timeline_return(self->stage.lanes[i].timeline);
    }
    self->in_past = false;
}

bool session_has_lanes(const Session *self)
{
    return self->has_lanes;
}

double session_time(const Session *self)
{
    return self->stage.time;
}

const Params *session_params(const Session *self)
{
    return &self->scene.params;
}

const Simulation *session_simulation(const Session *self, int lane)
{
    return self->stage.lanes[lane].simulation;
}

bool session_has_stopped(const Session *self, int lane)
{
    return self->stage.lanes[lane].stopped;
}

static Status apply_to_lane(Session *self, int lane, const Command *command, Error *error)
{
    StageLane *one = &self->stage.lanes[lane];
    double clock = self->has_lanes ? self->stage.time : simulation_time(one->simulation);
    Status status = simulation_apply(one->simulation, command, error);
    if (status != STATUS_OK) return status;
    one->changed = one->stopped;
    if (one->timeline) timeline_command(one->timeline, command, clock, one->simulation);
    if (one->sampler) sampler_jump(one->sampler, one->simulation);
    return STATUS_OK;
}

// Without lanes, its clock is its time.
static Status apply_to_only(Session *self, const Command *command, Error *error)
{
    Status status = apply_to_lane(self, 0, command, error);
    if (status != STATUS_OK) return status;
    Simulation *simulation = self->stage.lanes[0].simulation;
    if (command->kind == COMMAND_LOAD_SCENE) self->start = self->scene = *command->scene;
    self->scene.params = *simulation_params(simulation);
    self->stage.time = self->goal = simulation_time(simulation);
    return STATUS_OK;
}

static void start_clock_again(Session *self)
{
    self->stage.time = self->goal = 0.0;
    self->start = self->scene;
    self->changes.count = 0;
    forget_changes(&self->forgotten);
    self->left = NAN;
    for (int i = 0; i < self->stage.count; i++) self->stage.lanes[i].stopped = false;
}

static Status reset_lanes(Session *self)
{
    for (int i = 0; i < self->stage.count; i++)
        apply_to_lane(self, i, &(Command){.kind = COMMAND_RESET}, NULL); // cannot be refused
    start_clock_again(self);
    return STATUS_OK;
}

static Status check_lane(const Session *self, const Command *command, Error *error)
{
    int count = self->scene.lane_count;
    if (command->kind == COMMAND_SHARE_PARAM && command->lane == COMMAND_ALL_LANES)
        return error_set(error, STATUS_BAD_PARAMETER, "only one lane can share a value again");
    if (command->lane >= 0 && command->lane <= count) return STATUS_OK;
    return error_set(error, STATUS_BAD_PARAMETER, "there is no lane %d; this scene has %d",
                     command->lane, count);
}

// Would each lane accept this scene's parameters?
static Status check_lanes(const Scene *scene, Error *error)
{
    for (int i = 0; i < lanes_of(scene) + scene->fine; i++) {
        Scene one = scene_of(scene, i);
        const char *refusal = params_refusal(&one.params);
        if (!refusal) continue;
        const char *name = i < scene->lane_count ? scene->lanes[i].name : "the fine one";
        return error_set(error, STATUS_BAD_PARAMETER, "lane %d, %.60s: %s", i + 1, name, refusal);
    }
    return scene_check(scene, error);
}

// A parameter of all lanes that have no value of their own, or of one.
static Status set_param(Session *self, const Command *command, Error *error)
{
    int index = command->param.index;
    if (index < 0 || index >= param_count)
        return error_set(error, STATUS_BAD_PARAMETER, "there is no parameter number %d", index);
    const ParamInfo *info = &param_table[index];
    const char *reason = command->lane > 0 ? lane_shares_because(info) : NULL;
    if (reason)
        return error_set(error, STATUS_BAD_PARAMETER, "a lane cannot have %s of its own: %s",
                         info->name, reason);
    Params tried = self->scene.params;
    Status status = command->kind == COMMAND_SET_PARAM
                        ? param_set(&tried, info, command->param.value, error)
                        : STATUS_OK;
    Scene scene = self->scene;
    if (status == STATUS_OK) {
        apply_to_scene(&scene, command);
        status = check_lanes(&scene, error);
    }
    if (status == STATUS_OK) status = keep_change(self, command, error);
    if (status != STATUS_OK) return status;
    bool rebuilt = false;
    for (int i = 0; i < self->stage.count; i++) {
        Scene before = scene_of(&self->scene, i), after = scene_of(&scene, i);
        double value = param_get(&after.params, info);
        if (value == param_get(&before.params, info)) continue;
        rebuilt = rebuilt || info->rebuilds;
        Command set = {.kind = COMMAND_SET_PARAM, .param = {index, value}};
        status = apply_to_lane(self, i, &set, error);
        if (status != STATUS_OK) return status; // for want of memory
    }
    self->scene = scene;
    if (!rebuilt) return STATUS_OK;
    self->scene.toggled_pins = (PinToggles){0};
    self->stage.particle_count = simulation_particle_count(self->stage.lanes[0].simulation);
    for (int i = 0; i < 2; i++) { // as many as now, or nothing is compared
        free(self->positions[i]);
        self->positions[i] = malloc(3 * (size_t)self->stage.particle_count * sizeof(double));
    }
    return reset_lanes(self);
}

// To the lanes that it is for. They are alike in what may be refused here, so the first one
// decides.
static Status pass_on(Session *self, const Command *command, Error *error)
{
    for (int i = 0; i < self->stage.count; i++) {
        bool stopped = self->stage.lanes[i].stopped;
        if (command->lane > 0 && i != command->lane - 1) continue;
        if (command->kind == COMMAND_RETRY && !stopped) continue;
        Status status = apply_to_lane(self, i, command, error);
        if (status != STATUS_OK) return status;
        if (command->kind == COMMAND_RETRY) self->stage.lanes[i].stopped = false;
    }
    if (command->kind == COMMAND_TOGGLE_PIN)
        pin_toggles_flip(&self->scene.toggled_pins, command->particle);
    return STATUS_OK;
}

Status session_apply(Session *self, const Command *command, Error *error)
{
    bool loads = command->kind == COMMAND_LOAD_SCENE;
    if (loads && (self->has_lanes || command->scene->lane_count > 0)) {
        Status status = check_lanes(command->scene, error);
        return status == STATUS_OK ? load_lanes(self, command->scene, error) : status;
    }
    Status status = check_lane(self, command, error);
    if (status != STATUS_OK) return status;
    if (loads || command->kind == COMMAND_RESET) return_to_present(self);
    if (!self->has_lanes) return apply_to_only(self, command, error);
    switch (command->kind) {
    case COMMAND_SET_PARAM:
    case COMMAND_SHARE_PARAM:
        return set_param(self, command, error);
    case COMMAND_RESET:
        return reset_lanes(self);
    default:
        return pass_on(self, command, error);
    }
}

// ---- the clock

static bool all_stopped(const Session *self)
{
    for (int i = 0; i < session_lane_count(self); i++) {
        if (!self->stage.lanes[i].stopped) return false;
    }
    return true;
}

bool session_is_settled(const Session *self)
{
    return self->goal == self->stage.time;
}

// For the plots, while all lanes are at the clock.
static void sample_distances(Session *self)
{
    Stage *stage = &self->stage;
    if (self->reference < 0 || fabs(stage->time - self->compared) < DISTANCE_SECONDS) return;
    self->compared = stage->time;
    for (int i = 0; i < stage->count; i++) {
        if (i == self->reference || !stage->lanes[i].sampler) continue;
        sampler_distance(stage->lanes[i].sampler, stage_distance(stage, i, self->reference).rms);
    }
}

Status session_advance(Session *self, double until, double deadline, Error *error)
{
    Stage *stage = &self->stage;
    if (!self->has_lanes) {
        Status status = stage_step(&stage->lanes[0], error);
        stage->time = self->goal = simulation_time(stage->lanes[0].simulation);
        return status;
    }
    if (session_is_settled(self)) self->goal = fmax(until, stage->time);
    if (stage_advance(stage, self->goal, deadline, NULL)) sample_distances(self);
    if (!all_stopped(self)) return STATUS_OK;
    int last = 0; // the one that went furthest
    for (int i = 1; i < session_lane_count(self); i++) {
        const Simulation *one = stage->lanes[i].simulation;
        if (simulation_time(one) > simulation_time(stage->lanes[last].simulation)) last = i;
    }
    return error_set(error, STATUS_DIVERGED, "%.500s", stage->lanes[last].failure.text);
}

// s of computing per simulated second
static double cost_rate(const Session *self, int lane)
{
    const StageLane *one = &self->stage.lanes[lane];
    double h = simulation_next_step(one->simulation), cost = simulation_step_cost(one->simulation);
    return h > 0.0 ? cost / h : 0.0;
}

double session_next_step(const Session *self)
{
    return simulation_next_step(session_shown(self));
}

double session_stride(const Session *self)
{
    if (!self->has_lanes) return session_next_step(self);
    double rate = 0.0, shortest = LONGEST_STRIDE;
    for (int i = 0; i < self->stage.count; i++) {
        if (self->stage.lanes[i].stopped) continue;
        rate += cost_rate(self, i);
        shortest = fmin(shortest, simulation_next_step(self->stage.lanes[i].simulation));
    }
    return fmax(fmin(rate > 0.0 ? STRIDE_SECONDS / rate : INFINITY, LONGEST_STRIDE), shortest);
}

int session_slowest(const Session *self)
{
    int slowest = -1;
    double most = 0.0;
    for (int i = 0; i < self->stage.count; i++) {
        double rate = self->stage.lanes[i].stopped ? 0.0 : cost_rate(self, i);
        if (rate > most) most = rate, slowest = i;
    }
    return slowest;
}

unsigned session_lanes_to_retry(const Session *self)
{
    unsigned lanes = 0;
    bool all = all_stopped(self);
    for (int i = 0; self->has_lanes && i < session_lane_count(self); i++) {
        const StageLane *lane = &self->stage.lanes[i];
        if (lane->stopped && (lane->changed || all)) lanes |= 1u << i;
    }
    return lanes;
}

// ---- the past

bool session_in_past(const Session *self)
{
    return self->in_past;
}

double session_shown_time(const Session *self)
{
    return self->in_past ? self->shown_time : self->stage.time;
}

static const Simulation *shown(const Session *self, int lane)
{
    const StageLane *one = &self->stage.lanes[lane];
    const Simulation *past = self->in_past ? timeline_past(one->timeline) : NULL;
    return past ? past : one->simulation;
}

static Status seek_lane(Session *self, int lane, SeekKind kind, double time, Error *error)
{
    StageLane *one = &self->stage.lanes[lane];
    return timeline_seek(one->timeline, one->simulation, kind, time, error);
}

// All other lanes to where they were at that time.
static Status reach(Session *self, double time, int except, Error *error)
{
    for (int i = 0; i < self->stage.count; i++) {
        if (i == except) continue;
        Status status = seek_lane(self, i, SEEK_REACH, time, error);
        if (status != STATUS_OK) {
            return_to_present(self);
            return status;
        }
    }
    self->in_past = true;
    self->shown_time = time;
    return STATUS_OK;
}

// To a step of the selected lane, which the others follow.
static Status seek_step(Session *self, SeekKind kind, double time, Error *error)
{
    StageLane *lane = &self->stage.lanes[self->selected];
    Status status = seek_lane(self, self->selected, kind, time, error);
    if (status == STATUS_OK) status = timeline_go_on(lane->timeline, INFINITY, error);
    const Simulation *past = status == STATUS_OK ? timeline_past(lane->timeline) : NULL;
    if (!past || simulation_time(past) >= self->stage.time) {
        return_to_present(self);
        return status;
    }
    return reach(self, simulation_time(past), self->selected, error);
}

Status session_seek(Session *self, SeekKind kind, double time, Error *error)
{
    if (self->budget == 0)
        return error_set(error, STATUS_BAD_PARAMETER, "no past is kept of this run");
    if (!self->has_lanes) {
        Status status = seek_lane(self, 0, kind, time, error);
        self->in_past = timeline_past(self->stage.lanes[0].timeline) != NULL;
        if (self->in_past) self->shown_time = time;
        return status;
    }
    if (kind == SEEK_BEFORE || kind == SEEK_AFTER) return seek_step(self, kind, time, error);
    if (time < self->stage.time) return reach(self, fmax(time, 0.0), -1, error);
    return_to_present(self);
    return STATUS_OK;
}

bool session_seeks(const Session *self)
{
    for (int i = 0; self->in_past && i < self->stage.count; i++) {
        if (timeline_seeks(self->stage.lanes[i].timeline)) return true;
    }
    return false;
}

Status session_go_on(Session *self, double deadline, Error *error)
{
    Status status = STATUS_OK;
    for (int i = 0; self->in_past && i < self->stage.count && status == STATUS_OK; i++)
        status = timeline_go_on(self->stage.lanes[i].timeline, deadline, error);
    if (status != STATUS_OK) {
        return_to_present(self);
    } else if (!self->has_lanes && self->in_past) { // it may have come to the present
        const Simulation *past = timeline_past(self->stage.lanes[0].timeline);
        self->in_past = past != NULL;
        if (past && !session_seeks(self)) self->shown_time = simulation_time(past);
    }
    return status;
}

// A lane that did not come as far as the clock has stopped.
static void find_stopped(Session *self)
{
    for (int i = 0; i < self->stage.count; i++) {
        StageLane *lane = &self->stage.lanes[i];
        lane->stopped = self->has_lanes && simulation_time(lane->simulation) < self->stage.time;
        lane->changed = false;
    }
}

static void cut_changes(Session *self, double time)
{
    Changes *changes = &self->changes;
    int kept = changes->count;
    while (kept > 0 && changes->items[kept - 1].clock > time) kept--;
    forget_changes(&self->forgotten);
    size_t tail = (size_t)(changes->count - kept);
    self->forgotten.items = malloc((tail + 1) * sizeof *changes->items);
    if (!self->forgotten.items) {
        self->left = NAN; // it goes on without an undo
    } else if (tail > 0) {
        memcpy(self->forgotten.items, changes->items + kept, tail * sizeof *changes->items);
        self->forgotten.count = (int)tail;
    }
    changes->count = self->kept = kept;
}

Status session_resume(Session *self, SessionMoment *moment, Error *error)
{
    double time = session_shown_time(self), left = self->stage.time;
    for (int i = 0; i < self->stage.count; i++) {
        StageLane *lane = &self->stage.lanes[i];
        Status status = timeline_resume(lane->timeline, lane->simulation, &moment->tick, error);
        if (status != STATUS_OK) return status;
        sampler_forget(lane->sampler);
    }
    self->left = left;
    self->stage.time = self->has_lanes ? time : simulation_time(first_of(self));
    self->goal = moment->time = self->stage.time;
    if (self->has_lanes) {
        self->scene = scene_at(self, time);
        cut_changes(self, time);
    } else {
        self->scene.params = *simulation_params(first_of(self));
    }
    self->scene.toggled_pins = simulation_toggled_pins(first_of(self));
    find_stopped(self);
    self->in_past = false;
    return STATUS_OK;
}

static bool can_recall(const Session *self)
{
    if (self->has_lanes && isnan(self->left)) return false;
    for (int i = 0; i < self->stage.count; i++) {
        TimelineInfo info;
        if (!self->stage.lanes[i].timeline) return false;
        timeline_info(self->stage.lanes[i].timeline, &info);
        if (!info.can_recall) return false;
    }
    return true;
}

Status session_recall(Session *self, SessionMoment *moment, Error *error)
{
    if (!can_recall(self))
        return error_set(error, STATUS_BAD_PARAMETER,
                         "there is nothing to bring back: what came after the past was not "
                         "forgotten, or is gone for good");
    return_to_present(self);
    for (int i = 0; i < self->stage.count; i++) {
        StageLane *lane = &self->stage.lanes[i];
        Status status = timeline_recall(lane->timeline, lane->simulation, &moment->tick, error);
        if (status != STATUS_OK) return status;
        sampler_recall(lane->sampler);
    }
    self->stage.time = self->has_lanes ? self->left : simulation_time(first_of(self));
    self->goal = moment->time = self->stage.time;
    if (self->has_lanes) {
        self->changes.count = self->kept;
        for (int i = 0; i < self->forgotten.count; i++) // they fitted before
            self->changes.items[self->changes.count++] = self->forgotten.items[i];
        self->scene = scene_at(self, INFINITY);
    } else {
        self->scene.params = *simulation_params(first_of(self));
    }
    self->scene.toggled_pins = simulation_toggled_pins(first_of(self));
    forget_changes(&self->forgotten);
    self->left = NAN;
    find_stopped(self);
    return STATUS_OK;
}

// ---- to look at

void session_select(Session *self, int lane)
{
    if (lane >= 0 && lane < session_lane_count(self)) self->selected = lane;
}

void session_compare_with(Session *self, int lane)
{
    if (lane < -1 || lane >= self->stage.count || !self->has_lanes || lane == self->reference)
        return;
    self->reference = lane;
    self->compared = NAN;
    for (int i = 0; i < self->stage.count; i++) {
        if (self->stage.lanes[i].sampler) sampler_forget_distance(self->stage.lanes[i].sampler);
    }
}

const Simulation *session_shown(const Session *self)
{
    return shown(self, self->selected);
}

int session_selected(const Session *self)
{
    return self->selected;
}

// Positions of a lane at the clock that is shown. False when it has stopped before.
static bool positions_of(const Session *self, int lane, double *positions)
{
    const Simulation *one = shown(self, lane);
    double clock = session_shown_time(self);
    bool there = simulation_time(one) >= clock;
    simulation_positions_at(one, there ? clock : INFINITY, positions);
    return there;
}

static void fill_distance(const Session *self, const double *reference, bool there,
                          const double *positions, Snapshot *snapshot)
{
    if (reference && there) {
        StageDistance d = stage_distance_between(positions, reference, self->stage.particle_count,
                                                 snapshot->distance);
        snapshot->distance_max = d.max;
        snapshot->distance_rms = d.rms;
    } else {
        memset(snapshot->distance, 0, (size_t)snapshot->particle_count * sizeof(float));
        snapshot->distance_max = snapshot->distance_rms = NAN;
    }
}

// The marks of all lanes in their order. A lane's own change is a mark too.
static void merge_marks(Snapshot *snapshot, const TimelineInfo *info)
{
    SnapshotMark merged[SNAPSHOT_MARKS];
    int a = snapshot->mark_count - 1, b = info->mark_count - 1, at = SNAPSHOT_MARKS;
    while (at > 0 && (a >= 0 || b >= 0)) { // the newest first
        bool first = b < 0 || (a >= 0 && snapshot->marks[a].time >= info->marks[b].time);
        SnapshotMark next = first ? snapshot->marks[a--] : info->marks[b--];
        bool same = at < SNAPSHOT_MARKS && merged[at].kind == next.kind &&
                    fabs(merged[at].time - next.time) < SAME_MARK;
        if (!same) merged[--at] = next;
    }
    snapshot->mark_count = SNAPSHOT_MARKS - at;
    memmove(snapshot->marks, merged + at, (size_t)snapshot->mark_count * sizeof *merged);
}

static void fill_timeline(const Session *self, Snapshot *snapshot)
{
    snapshot->in_past = self->in_past;
    snapshot->last_time = self->stage.time;
    snapshot->first_time = snapshot->past_bytes = 0.0;
    snapshot->mark_count = 0;
    snapshot->can_recall = can_recall(self);
    for (int i = 0; i < self->stage.count; i++) {
        TimelineInfo info;
        if (!self->stage.lanes[i].timeline) continue;
        timeline_info(self->stage.lanes[i].timeline, &info);
        snapshot->first_time = fmax(snapshot->first_time, info.first);
        snapshot->past_bytes += (double)info.bytes;
        merge_marks(snapshot, &info);
    }
}

Status session_fill_snapshot(Session *self, StageSnapshot *snapshot, Error *error)
{
    int count = session_lane_count(self);
    double clock = session_shown_time(self);
    Scene scene = self->in_past && self->has_lanes ? scene_at(self, clock) : self->scene;
    const double *reference = NULL;
    if (self->reference >= 0 && self->positions[1] &&
        positions_of(self, self->reference, self->positions[1]))
        reference = self->positions[1];
    for (int i = 0; i < count; i++) {
        Snapshot *one = &snapshot->lanes[i];
        Status status = simulation_fill_snapshot(shown(self, i), one, error);
        if (status != STATUS_OK) return status;
        bool there = true;
        if (self->has_lanes && self->positions[0]) {
            there = positions_of(self, i, self->positions[0]);
            for (int k = 0; k < 3 * one->particle_count; k++)
                one->position[k] = (float)self->positions[0][k];
        }
        if (self->has_lanes && there) one->readings.time = clock;
        fill_distance(self, reference, there, self->positions[0], one);
        const Sampler *sampler = self->stage.lanes[i].sampler;
        if (sampler) status = series_show(&sampler->series, &one->series, error);
        if (status != STATUS_OK) return status;
        one->lane = self->has_lanes ? scene.lanes[i] : (Lane){0};
        one->cost_rate = cost_rate(self, i);
        fill_timeline(self, one);
    }
    snapshot->time = self->has_lanes ? clock : snapshot->lanes[0].readings.time;
    if (!self->has_lanes) scene = snapshot->lanes[0].scene;
    scene.toggled_pins = snapshot->lanes[0].scene.toggled_pins;
    snapshot->scene = scene;
    snapshot->count = count;
    snapshot->selected = self->selected;
    snapshot->reference = self->reference;
    return STATUS_OK;
}
