// The last good states of a run, to go back to when it diverges.
//
// Two rings. `near` holds the last steps: every step near trouble, otherwise every GOOD_STRIDE-th,
// because a copy costs about a tenth of an explicit step. `far` holds one state per GOOD_INTERVAL
// of simulated time. All memory is allocated at the start; an untouched page costs nothing.
#ifndef SIMULATION_GOOD_STATES_H
#define SIMULATION_GOOD_STATES_H

#include "base/crew.h"
#include "simulation/energy_balance.h"

#include <stdbool.h>
#include <stddef.h>

enum { GOOD_NEAR = 32, GOOD_FAR = 48 }; // states, when memory allows
enum { GOOD_STRIDE = 16 };              // steps between two states of `near` in a calm run
#define GOOD_INTERVAL 0.05              // s, between two states of `far`
#define GOOD_MEMORY ((size_t)96 << 20)  // bytes, at most: reached above 128 x 128 particles

typedef struct GoodState {
    double time;          // s
    double muscle_offset; // s, see StateValues
    long step_count;
    Params params;        // at that time; going back keeps the present ones
    BalanceMeter balance; // of the energy up to then
    const double *x, *v;  // m, m/s, flat
    ColliderMotion motions[COLLIDERS_MAX];
} GoodState;

typedef struct GoodRing {
    GoodState *states; // oldest at (next - count) mod capacity
    int capacity, count, next;
} GoodRing;

typedef struct GoodStates {
    int dofs;
    double *memory;
    GoodState *states;
    GoodRing near, far;
    Crew *crew; // copies; NULL: the caller alone
} GoodStates;

Status good_states_init(GoodStates *good, int dofs, Error *error);
void good_states_finish(GoodStates *good); // accepts a zeroed one
void good_states_clear(GoodStates *good);

// Offer the state at a step; its arrays are copied. It is kept when it is due, and always when
// `dense`. A step repeated after a rewind replaces the earlier state.
void good_states_offer(GoodStates *good, const GoodState *state, bool dense);
// Whether it would be kept.
bool good_states_due(const GoodStates *good, long step_count, double time, bool dense);

// The kept states, newest first: 0 <= index < good_states_count.
int good_states_count(const GoodStates *good);
GoodState good_states_at(const GoodStates *good, int index);
// Drop all states after that step.
void good_states_drop_after(GoodStates *good, long step_count);

#endif
