// A simulation's state as a value: everything a run continues from. It owns its memory and can be
// put into the same Simulation later, or into another one. Going on from a restored state gives the
// same bits as never having stopped. The lab's worker computes on one while the original moves on.
//
// Not part of it: the states kept to go back to, and how long steps take on this machine.
#ifndef SIMULATION_STATE_H
#define SIMULATION_STATE_H

#include "simulation/simulation.h"

#include <stdint.h>

typedef struct State State;

Status state_create(State **out, Error *error);
void state_destroy(State *state); // accepts NULL

// Allocates only when the cloth has another size than at the last time. On failure the state is
// empty.
Status state_save(const Simulation *simulation, State *state, Error *error);
// Builds the cloth anew only when it is another one. On failure the simulation is as it was.
Status state_restore(const State *state, Simulation *simulation, Error *error);

const double *state_positions(const State *state); // flat, m

// A new simulation at that state. Reads no file.
Status state_create_simulation(const State *state, Simulation **out, Error *error);

// Of the simulation that was saved; all 0 in an empty state.
typedef struct StateInfo {
    unsigned topology_version; // counts the cloths it has built
    unsigned revision;         // of its parameters
    int particle_count;
    long step_count;
} StateInfo;
StateInfo state_info(const State *state);

// One number for all of that state: particles, pins, hand, clock, parameters, estimates, meters and
// what the method remembers, by their bits. Two runs with the same number are the same run; other
// kernels (SELVAGE_NO_SIMD, another processor) round differently. Names and texts do not count.
uint64_t state_hash(const State *state);
uint64_t simulation_hash(const Simulation *simulation); // of the state it is in now

#endif
