#include "stage/session_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool session_in_past(const Session *self)
{
    return self->in_past;
}

double session_shown_time(const Session *self)
{
    return self->in_past ? self->shown_time : self->stage.time;
}

const Simulation *session_shown_lane(const Session *self, int lane)
{
    const StageLane *one = &self->stage.lanes[lane];
    const Simulation *past = self->in_past ? timeline_past(one->timeline) : NULL;
    return past ? past : one->simulation;
}

bool session_shows(const Session *self, unsigned topology)
{
    for (int i = 0; i < self->stage.count; i++) {
        if (simulation_topology(session_shown_lane(self, i)) == topology) return true;
    }
    return false;
}

void session_return(Session *self)
{
    for (int i = 0; i < self->stage.count; i++) {
        if (self->stage.lanes[i].timeline) timeline_return(self->stage.lanes[i].timeline);
    }
    self->in_past = false;
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
            session_return(self);
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
        session_return(self);
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
    session_return(self);
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
        session_return(self);
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
    session_forget_changes(&self->forgotten);
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
    self->stage.time = self->has_lanes ? time : simulation_time(session_first(self));
    self->goal = moment->time = self->stage.time;
    if (self->has_lanes) {
        self->scene = session_scene_at(self, time);
        cut_changes(self, time);
    } else {
        self->scene.params = *simulation_params(session_first(self));
    }
    self->scene.toggled_pins = simulation_toggled_pins(session_first(self));
    find_stopped(self);
    self->in_past = false;
    return STATUS_OK;
}

Status session_recall(Session *self, SessionMoment *moment, Error *error)
{
    if (!session_can_recall(self))
        return error_set(error, STATUS_BAD_PARAMETER,
                         "there is nothing to bring back: what came after the past was not "
                         "forgotten, or is gone for good");
    session_return(self);
    for (int i = 0; i < self->stage.count; i++) {
        StageLane *lane = &self->stage.lanes[i];
        Status status = timeline_recall(lane->timeline, lane->simulation, &moment->tick, error);
        if (status != STATUS_OK) return status;
        sampler_recall(lane->sampler);
    }
    self->stage.time = self->has_lanes ? self->left : simulation_time(session_first(self));
    self->goal = moment->time = self->stage.time;
    if (self->has_lanes) {
        self->changes.count = self->kept;
        for (int i = 0; i < self->forgotten.count; i++) // they fitted before
            self->changes.items[self->changes.count++] = self->forgotten.items[i];
        self->scene = session_scene_at(self, INFINITY);
    } else {
        self->scene.params = *simulation_params(session_first(self));
    }
    self->scene.toggled_pins = simulation_toggled_pins(session_first(self));
    session_forget_changes(&self->forgotten);
    self->left = NAN;
    find_stopped(self);
    return STATUS_OK;
}

bool session_can_recall(const Session *self)
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
