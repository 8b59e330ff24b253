// A simulation's state as a value: a copy that owns its memory and can be put into another
// Simulation. The lab's worker computes on one while the original moves on.
//
// Copied are the scene with its parameters, positions, velocities, masses, pins, the hand and the
// clock. What a method remembers between steps is not: after state_copy_apply it begins afresh.
#ifndef SIMULATION_STATE_COPY_H
#define SIMULATION_STATE_COPY_H

#include "simulation/simulation.h"

typedef struct StateCopy {
    Scene scene;               // params are those in use
    unsigned topology_version; // of the simulation it was taken from; 0 = empty
    int dofs, particle_count;  // of the arrays
    double *x, *v;             // m, m/s, flat
    double *mass;              // kg, flat
    bool *pinned;              // per particle
    int grabbed;               // -1: nobody
    Vec3 hand;                 // m
    double time;               // s
    long step_count;
    double k0, k_across, k0_time; // 1/s^2, s: so that an automatic step is the same one
    bool k0_due;
    unsigned revision; // of the parameters
} StateCopy;

// Allocates only when the sizes differ from those of the last copy. On failure the copy is empty.
Status state_copy_take(const Simulation *simulation, StateCopy *copy, Error *error);

// Builds the cloth anew only when it is another one. On failure the simulation is as it was.
Status state_copy_apply(const StateCopy *copy, Simulation *simulation, Error *error);

void state_copy_finish(StateCopy *copy); // accepts a zeroed one

#endif
