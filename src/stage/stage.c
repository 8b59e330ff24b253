#include "stage/stage.h"

#include "base/clock.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum { LOOK = 16 }; // steps between two checks for an interruption

Status stage_init(Stage *stage, const Scene *scenes, int count, Error *error)
{
    assert(count > 0 && count <= STAGE_LANES_MAX);
    *stage = (Stage){0};
    Status status = STATUS_OK;
    for (int i = 0; i < count && status == STATUS_OK; i++) {
        status = simulation_create(&scenes[i], &stage->lanes[i].simulation, error);
        if (status == STATUS_OK) stage->count++;
    }
    if (status == STATUS_OK) {
        stage_make_room(stage);
        if (!stage->positions[0] || !stage->positions[1])
            status =
                error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for %d lanes", count);
    }
    if (status != STATUS_OK) stage_finish(stage);
    return status;
}

void stage_finish(Stage *stage)
{
    for (int i = 0; i < stage->count; i++) {
        timeline_destroy(stage->lanes[i].timeline);
        sampler_destroy(stage->lanes[i].sampler);
        simulation_destroy(stage->lanes[i].simulation);
    }
    for (int i = 0; i < 2; i++) free(stage->positions[i]);
    *stage = (Stage){0};
}

static int particles_of(const Stage *stage, int lane)
{
    return simulation_particle_count(stage->lanes[lane].simulation);
}

// For the largest lane: where memory has failed in between, they are not alike.
void stage_make_room(Stage *stage)
{
    int most = 0;
    for (int i = 0; i < stage->count; i++)
        most = particles_of(stage, i) > most ? particles_of(stage, i) : most;
    for (int i = 0; i < 2; i++) {
        free(stage->positions[i]);
        stage->positions[i] = malloc(3 * (size_t)most * sizeof(double));
    }
}

Status stage_step(StageLane *lane, Error *error)
{
    double start = clock_seconds();
    Status status = simulation_step(lane->simulation, error);
    double seconds = clock_seconds() - start;
    if (status == STATUS_INTERRUPTED) return status; // it was not tried
    lane->seconds += seconds;
    if (lane->timeline) timeline_step(lane->timeline, lane->simulation, seconds);
    if (lane->sampler) sampler_step(lane->sampler, lane->simulation, seconds);
    return status;
}

// Steps until the lane has reached `time`. False when interrupted.
static bool catch_up(StageLane *lane, double time, double deadline, bool (*is_interrupted)(void))
{
    for (long s = 1; !lane->stopped && simulation_time(lane->simulation) < time; s++) {
        Status status = stage_step(lane, &lane->failure);
        if (status == STATUS_INTERRUPTED) return false;
        lane->stopped = status != STATUS_OK;
        lane->changed = false;
        if (s % LOOK == 0 && is_interrupted && is_interrupted()) return false;
        if (clock_seconds() >= deadline) return false;
    }
    return true;
}

bool stage_advance(Stage *stage, double time, double deadline, bool (*is_interrupted)(void))
{
    for (int i = 0; i < stage->count; i++) {
        if (!catch_up(&stage->lanes[i], time, deadline, is_interrupted)) return false;
    }
    stage->time = time;
    return true;
}

void stage_positions(const Stage *stage, int lane, double *positions)
{
    const StageLane *one = &stage->lanes[lane];
    simulation_positions_at(one->simulation, one->stopped ? INFINITY : stage->time, positions);
}

StageDistance stage_distance(Stage *stage, int lane, int reference)
{
    int particles = particles_of(stage, lane);
    if (stage->lanes[lane].stopped || stage->lanes[reference].stopped || !stage->positions[0] ||
        !stage->positions[1] || particles != particles_of(stage, reference))
        return (StageDistance){NAN, NAN};
    stage_positions(stage, lane, stage->positions[0]);
    stage_positions(stage, reference, stage->positions[1]);
    return stage_distance_between(stage->positions[0], stage->positions[1], particles, NULL);
}

StageDistance stage_distance_between(const double *a, const double *b, int particle_count,
                                     float *each)
{
    double largest = 0.0, sum = 0.0;
    for (int p = 0; p < particle_count; p++) {
        double square = 0.0;
        for (int c = 0; c < 3; c++) {
            double d = a[3 * p + c] - b[3 * p + c];
            square += d * d;
        }
        largest = fmax(largest, square);
        sum += square;
        if (each) each[p] = (float)sqrt(square);
    }
    return (StageDistance){sqrt(largest), sqrt(sum / particle_count)};
}
