#include "simulation/good_states.h"

#include <stdlib.h>
#include <string.h>

// A cloth too large for the limit keeps fewer states, but never fewer than this.
enum { FEWEST = 6 };
// Numbers of an array that are worth a thread: a tenth of a millisecond.
enum { PART_NUMBERS = 1 << 14 };

Status good_states_init(GoodStates *good, int dofs, Error *error)
{
    *good = (GoodStates){.dofs = dofs};
    size_t doubles = 2 * (size_t)dofs; // per state
    size_t fitting = GOOD_MEMORY / (doubles * sizeof(double) + 1);
    int total = GOOD_NEAR + GOOD_FAR;
    if (fitting < (size_t)total) total = fitting > FEWEST ? (int)fitting : FEWEST;
    int near = total * GOOD_NEAR / (GOOD_NEAR + GOOD_FAR);
    good->memory = calloc((size_t)total * doubles, sizeof(double));
    good->states = calloc((size_t)total, sizeof(GoodState));
    if (!good->memory || !good->states) {
        good_states_finish(good);
        return error_set(error, STATUS_OUT_OF_MEMORY,
                         "not enough memory for the last good states of %d numbers each", dofs);
    }
    for (int i = 0; i < total; i++) {
        good->states[i].x = good->memory + (size_t)i * doubles;
        good->states[i].v = good->states[i].x + dofs;
    }
    good->near = (GoodRing){.states = good->states, .capacity = near};
    good->far = (GoodRing){.states = good->states + near, .capacity = total - near};
    return STATUS_OK;
}

void good_states_finish(GoodStates *good)
{
    free(good->memory);
    free(good->states);
    *good = (GoodStates){0};
}

void good_states_clear(GoodStates *good)
{
    good->near.count = good->near.next = 0;
    good->far.count = good->far.next = 0;
}

// index 0 is the newest
static GoodState *ring_at(const GoodRing *ring, int index)
{
    return &ring->states[(ring->next - 1 - index + 2 * ring->capacity) % ring->capacity];
}

typedef struct CopyJob {
    const double *from[2];
    double *to[2];
    int count, parts;
} CopyJob;

static void copy_part(void *self, int part)
{
    const CopyJob *job = self;
    int first = crew_start(job->count, job->parts, part);
    size_t bytes = (size_t)(crew_start(job->count, job->parts, part + 1) - first) * sizeof(double);
    for (int i = 0; i < 2; i++) memcpy(job->to[i] + first, job->from[i] + first, bytes);
}

static void ring_keep(GoodRing *ring, const GoodState *state, int dofs, Crew *crew)
{
    GoodState *kept = &ring->states[ring->next];
    double *x = (double *)kept->x, *v = (double *)kept->v; // the ring's own, const for readers
    CopyJob job = {{state->x, state->v}, {x, v}, dofs, crew_parts(crew, dofs, PART_NUMBERS)};
    crew_run(crew, job.parts, copy_part, &job);
    *kept = *state;
    kept->x = x;
    kept->v = v;
    ring->next = (ring->next + 1) % ring->capacity;
    if (ring->count < ring->capacity) ring->count++;
}

static void ring_drop_after(GoodRing *ring, long step_count)
{
    while (ring->count > 0 && ring_at(ring, 0)->step_count > step_count) {
        ring->next = (ring->next - 1 + ring->capacity) % ring->capacity;
        ring->count--;
    }
}

void good_states_drop_after(GoodStates *good, long step_count)
{
    ring_drop_after(&good->near, step_count);
    ring_drop_after(&good->far, step_count);
}

// The newest state of a ring before a step; NULL if there is none.
static const GoodState *newest_before(const GoodRing *ring, long step_count)
{
    for (int i = 0; i < ring->count; i++) {
        const GoodState *state = ring_at(ring, i);
        if (state->step_count < step_count) return state;
    }
    return NULL;
}

static bool near_due(const GoodStates *good, long step_count, bool dense)
{
    const GoodState *last = newest_before(&good->near, step_count);
    return dense || !last || step_count - last->step_count >= GOOD_STRIDE;
}

static bool far_due(const GoodStates *good, long step_count, double time)
{
    const GoodState *last = newest_before(&good->far, step_count);
    return !last || time - last->time >= GOOD_INTERVAL;
}

bool good_states_due(const GoodStates *good, long step_count, double time, bool dense)
{
    return near_due(good, step_count, dense) || far_due(good, step_count, time);
}

void good_states_offer(GoodStates *good, const GoodState *state, bool dense)
{
    good_states_drop_after(good, state->step_count - 1);
    if (near_due(good, state->step_count, dense))
        ring_keep(&good->near, state, good->dofs, good->crew);
    if (far_due(good, state->step_count, state->time))
        ring_keep(&good->far, state, good->dofs, good->crew);
}

// How many of the newest far states are also in the near ring.
static int covered(const GoodStates *good)
{
    if (good->near.count == 0) return 0;
    long oldest = ring_at(&good->near, good->near.count - 1)->step_count;
    int count = 0;
    while (count < good->far.count && ring_at(&good->far, count)->step_count >= oldest) count++;
    return count;
}

int good_states_count(const GoodStates *good)
{
    return good->near.count + good->far.count - covered(good);
}

GoodState good_states_at(const GoodStates *good, int index)
{
    if (index < good->near.count) return *ring_at(&good->near, index);
    return *ring_at(&good->far, index - good->near.count + covered(good));
}
