#include "stage/session_state.h"

#include <math.h>
#include <string.h>

// s. Marks of one kind in several lanes that are closer are one.
#define SAME_MARK 0.05

// Positions of a lane at the clock that is shown. False when it has stopped before.
bool session_positions(const Session *self, int lane, double *positions)
{
    const Simulation *one = session_shown_lane(self, lane);
    double clock = session_shown_time(self);
    bool there = simulation_time(one) >= clock;
    simulation_positions_at(one, there ? clock : INFINITY, positions);
    return there;
}

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
    return session_shown_lane(self, self->selected);
}

int session_selected(const Session *self)
{
    return self->selected;
}

static void fill_distance(const double *reference, const double *positions, Snapshot *snapshot)
{
    if (reference && positions) {
        StageDistance d = stage_distance_between(positions, reference, snapshot->particle_count,
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
    snapshot->can_recall = session_can_recall(self);
    for (int i = 0; i < self->stage.count; i++) {
        TimelineInfo info;
        if (!self->stage.lanes[i].timeline) continue;
        timeline_info(self->stage.lanes[i].timeline, &info);
        snapshot->first_time = fmax(snapshot->first_time, info.first);
        snapshot->past_bytes += (double)info.bytes;
        merge_marks(snapshot, &info);
    }
}

static int particles_of(const Session *self, int lane)
{
    return simulation_particle_count(session_shown_lane(self, lane));
}

Status session_fill_snapshot(Session *self, StageSnapshot *snapshot, Error *error)
{
    int count = session_lane_count(self);
    double clock = session_shown_time(self);
    Scene scene = self->in_past && self->has_lanes ? session_scene_at(self, clock) : self->scene;
    double *positions = self->stage.positions[0], *reference = self->stage.positions[1];
    bool compares =
        self->reference >= 0 && reference && session_positions(self, self->reference, reference);
    for (int i = 0; i < count; i++) {
        Snapshot *one = &snapshot->lanes[i];
        Status status = simulation_fill_snapshot(session_shown_lane(self, i), one, error);
        if (status != STATUS_OK) return status;
        bool there = true;
        if (self->has_lanes && positions) {
            there = session_positions(self, i, positions);
            for (int k = 0; k < 3 * one->particle_count; k++)
                one->position[k] = (float)positions[k];
        }
        if (self->has_lanes && there) one->readings.time = clock;
        bool alike = compares && one->particle_count == particles_of(self, self->reference);
        fill_distance(alike ? reference : NULL, there ? positions : NULL, one);
        const Sampler *sampler = self->stage.lanes[i].sampler;
        if (sampler) status = series_show(&sampler->series, &one->series, error);
        if (status == STATUS_OK && sampler && sampler->film)
            status = film_show(sampler->film, &one->film, error);
        if (status != STATUS_OK) return status;
        one->lane = self->has_lanes ? scene.lanes[i] : (Lane){0};
        one->cost_rate = session_cost_rate(self, i);
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
