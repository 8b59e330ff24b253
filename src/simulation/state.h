// A simulation's state as a value: everything a run continues from. It owns its memory and can be
// restored later, into the same Simulation or another one. Continuing from a restored state gives
// the same bits as an uninterrupted run. The lab's worker uses a copy while the original moves on.
//
// Not included: the states kept to go back to, and the time that steps take on this machine.
#ifndef SIMULATION_STATE_H
#define SIMULATION_STATE_H

#include "simulation/simulation.h"

#include <stdint.h>

typedef struct State State;

Status state_create(State **out, Error *error);
void state_destroy(State *state); // accepts NULL

// Allocates only when the size of the cloth has changed. On failure the state is empty.
Status state_save(const Simulation *simulation, State *state, Error *error);
// The same in as little memory as possible, for many states of one cloth. It can only be restored
// into a simulation of that cloth, and is saved once. Arrays that are as in `before`, a compact
// state or NULL, are shared with it; all that share belong to one thread.
Status state_save_compact(const Simulation *simulation, const State *before, State *state,
                          Error *error);
size_t state_bytes(const State *state); // of memory that destroying it would free
// Rebuilds the cloth only when it differs. On failure the simulation is unchanged.
Status state_restore(const State *state, Simulation *simulation, Error *error);

const double *state_positions(const State *state); // flat, m

// A new simulation at that state. Reads no file.
Status state_create_simulation(const State *state, Simulation **out, Error *error);

// Of the saved simulation; all 0 in an empty state.
typedef struct StateInfo {
    unsigned topology_version; // counts the cloths it has built
    unsigned revision;         // of its parameters
    int particle_count;
    long step_count;
} StateInfo;
StateInfo state_info(const State *state);

// One number for the whole state: particles, pins, hand, clock, parameters, estimates, meters and
// the method's memory, bit by bit. Runs with the same number are the same run; other kernels
// (SELVAGE_NO_SIMD, another processor) round differently. Names and texts do not count.
uint64_t state_hash(const State *state);
uint64_t simulation_hash(const Simulation *simulation); // of its present state

#endif
