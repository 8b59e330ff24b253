// The cloth as an integrator sees it: where cloth/ and integrators/ meet.
#ifndef SIMULATION_CLOTH_SYSTEM_H
#define SIMULATION_CLOTH_SYSTEM_H

#include "cloth/filter.h"
#include "integrators/integrator.h"
#include "simulation/params.h"

typedef struct ClothSystem {
    Cloth *cloth;
    double lambda;           // of the filter
    FilterDistance distance; // of the filter
    SpringList springs;
} ClothSystem;

// Take material and filter over from the parameters. `hooks` must outlive the System it gives.
System cloth_system_init(ClothSystem *hooks, Cloth *cloth, const Params *params);

#endif
