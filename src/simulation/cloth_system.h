// The cloth as an integrator sees it: where cloth/ and integrators/ meet.
#ifndef SIMULATION_CLOTH_SYSTEM_H
#define SIMULATION_CLOTH_SYSTEM_H

#include "cloth/filter.h"
#include "integrators/integrator.h"
#include "scene/params.h"

typedef struct ClothSystem {
    Cloth *cloth;
    bool filters_forces;
    bool filters_velocities; // inside the method's step
    bool filters_afterwards; // filters velocities after the method's step
    SpringList springs;
    bool damps_across; // the method has no damping across springs of its own
    // N, flat, a constant force added to the cloth's own; NULL: none. The lab uses it to hold the
    // shape of a moving cloth in balance.
    const double *extra;
    bool windy;            // the air exerts a force, at some time
    LinearOperator matrix; // of the model, of the last assembly
    double drag_factor;    // of D_w beside it
    bool holds_still;      // see cloth_system_hold_still
    double lowest;         // m, no particle is lower after kick_drift
    bool holds_input;      // filter_input is what the last step's filter was given
} ClothSystem;

// Copy material and filter from the parameters. `hooks` must outlive the returned System.
System cloth_system_init(ClothSystem *hooks, Cloth *cloth, const Params *params);
// Air and muscles from now on are those at this time, s, unless they are held.
void cloth_system_at(void *hooks, double time);
// From now on the wind pushes as it does at x, whatever moves: a constant force, which is left out
// like any that is in balance. Its drag acts, as it is at x. Muscles keep their present lengths.
void cloth_system_hold_still(ClothSystem *hooks, const double *x);
// v = F v at x, with the velocity filter F, wherever the step uses it. `hooks` is the ClothSystem.
// Only for parameters with a filter.
void cloth_system_filter(void *hooks, const double *x, double *v);
// After a step of the method: filter its velocities if the filter acts there. Returns the energy
// that this took, J.
double cloth_system_filter_step(ClothSystem *hooks, const double *x, double *v);

#endif
