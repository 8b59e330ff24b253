// The cloth as an integrator sees it: where cloth/ and integrators/ meet.
#ifndef SIMULATION_CLOTH_SYSTEM_H
#define SIMULATION_CLOTH_SYSTEM_H

#include "cloth/filter.h"
#include "integrators/integrator.h"
#include "scene/params.h"

typedef struct ClothSystem {
    Cloth *cloth;
    bool filters_forces;
    bool filters_afterwards; // velocities, after the method's step
    SpringList springs;
    bool filter_metered; // add to filter_loss what the filter of velocities takes
    double filter_loss;  // J
    // N, flat, a constant force beside the cloth's own; NULL: none. For the lab, which holds a
    // moving cloth's shape in balance with it.
    const double *extra;
} ClothSystem;

// Take material and filter over from the parameters. `hooks` must outlive the System it gives.
System cloth_system_init(ClothSystem *hooks, Cloth *cloth, const Params *params);
// v = what the velocity filter makes of v at x, wherever in the step it is used. `hooks` is the
// ClothSystem. Only for parameters with a filter.
void cloth_system_filter(void *hooks, const double *x, double *v);
// After a step of the method: filter its velocities if that is where the filter has its place.
void cloth_system_filter_step(ClothSystem *hooks, const double *x, double *v);

#endif
