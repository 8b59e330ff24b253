// Which part of a slider theory calls unstable, with the other parameters as they are.
//
// alpha: above the largest that the step allows. A stiffness: k0 depends on it as a convex
// function, so k0 grows at least along its tangent, whose slope is the share that this stiffness
// has in the energy of the mode that decides. From where that line meets the largest k0 the step
// allows, the cloth is unstable for certain; it may be so a little earlier. lambda: where the limit
// with that filter is below the step. With the automatic step there is no such part: the step
// follows. The step's own part begins at its limit.
#ifndef LAB_UNSTABLE_RANGE_H
#define LAB_UNSTABLE_RANGE_H

#include "lab/analysis.h"

// Stable from low to high; outside of it is red.
typedef struct StableRange {
    double low, high;
} StableRange;

typedef struct UnstableRanges {
    StableRange stretch, shear, bend, alpha, lambda;
} UnstableRanges;

extern const UnstableRanges unstable_nowhere;

// All but lambda: a few products. `analysis` is the newest of the simulation.
UnstableRanges unstable_ranges(Lab *lab, Simulation *simulation, const Analysis *analysis);
// lambda: some twenty estimates of the filtered stiffness. The simulation must be the caller's own;
// it is changed and put back.
StableRange unstable_lambda(Lab *lab, Simulation *simulation, const Analysis *analysis);

#endif
