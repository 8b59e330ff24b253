#include "stage/session_state.h"

#include "base/clock.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

// s, of computing, that one move of the clock should take: a few of them fit into a frame.
#define STRIDE_SECONDS 0.004
// s, simulated: lanes are shown at least so often, however cheap they are.
#define LONGEST_STRIDE (1.0 / 120.0)
// s, simulated, from one distance in the plots to the next: with large cloths it takes time too.
#define DISTANCE_SECONDS (1.0 / 60.0)

// Share of a time by which a sum of steps may be off it.
#define CLOCK_ROUNDING 1e-9

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
    int count = session_lanes_of(scene) + (scene->lane_count > 0 && scene->fine);
    Scene scenes[SCENE_LANES_MAX + 1];
    for (int i = 0; i < count; i++) scenes[i] = session_scene_of(scene, i);
    return stage_init(stage, scenes, count, error);
}

static void free_contents(Session *self)
{
    stage_finish(&self->stage);
    session_forget_changes(&self->changes);
    session_forget_changes(&self->forgotten);
}

// `stage` becomes the session's, which had none.
static Status take_stage(Session *self, const Scene *scene, const Stage *stage, Error *error)
{
    self->start = self->scene = *scene;
    self->has_lanes = scene->lane_count > 0;
    self->stage = *stage;
    for (int i = 0; i < stage->count; i++)
        simulation_set_crew(stage->lanes[i].simulation, self->crew);
    session_set_cancel(self, self->cancel);
    self->stage.time = simulation_time(stage->lanes[0].simulation);
    self->goal = self->stage.time;
    self->left = NAN;
    self->in_past = false;
    self->selected = 0;
    self->compared = NAN;
    self->reference = scene->lane_count > 0 && scene->fine ? scene->lane_count : -1;
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
    Stage stage = {.count = 1, .lanes = {{.simulation = simulation}}};
    return create_with(&stage, scene, budget, out, error);
}

void session_set_crew(Session *self, Crew *crew)
{
    self->crew = crew;
    for (int i = 0; i < self->stage.count; i++)
        simulation_set_crew(self->stage.lanes[i].simulation, crew);
}

void session_set_cancel(Session *self, const atomic_bool *cancel)
{
    self->cancel = cancel;
    for (int i = 0; i < self->stage.count; i++)
        simulation_set_cancel(self->stage.lanes[i].simulation, cancel);
}

void session_destroy(Session *self)
{
    if (!self) return;
    free_contents(self);
    free(self);
}

// Other lanes than before: everything starts over. On failure nothing changes.
Status session_load(Session *self, const Scene *scene, Error *error)
{
    Session next = {.budget = self->budget, .crew = self->crew, .cancel = self->cancel};
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

// ---- to read

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

int session_lane_count(const Session *self)
{
    return session_lanes_of(&self->scene);
}

Simulation *session_first(const Session *self)
{
    return self->stage.lanes[0].simulation;
}

// s of computing per simulated second
double session_cost_rate(const Session *self, int lane)
{
    const StageLane *one = &self->stage.lanes[lane];
    double h = simulation_next_step(one->simulation), cost = simulation_step_cost(one->simulation);
    return h > 0.0 ? cost / h : 0.0;
}

// ---- the clock

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

bool session_has_reached(const Session *self, double time)
{
    return self->stage.time >= time * (1.0 - CLOCK_ROUNDING);
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
        rate += session_cost_rate(self, i);
        shortest = fmin(shortest, simulation_next_step(self->stage.lanes[i].simulation));
    }
    return fmax(fmin(rate > 0.0 ? STRIDE_SECONDS / rate : INFINITY, LONGEST_STRIDE), shortest);
}

int session_slowest(const Session *self)
{
    int slowest = -1;
    double most = 0.0;
    for (int i = 0; i < self->stage.count; i++) {
        double rate = self->stage.lanes[i].stopped ? 0.0 : session_cost_rate(self, i);
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
