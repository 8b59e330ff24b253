// Which part of a slider theory calls unstable, with all other parameters unchanged.
//
// alpha: above the largest that the step allows. A stiffness: where the limit with it is the step,
// found with a few estimates of the stiffness; until they are made, from above: k0 is a convex
// function of it, so k0 grows at least along its tangent, whose slope is the share of this
// stiffness in the energy of the decisive mode. Where that line meets the largest k0 that the step
// allows, the cloth is certainly unstable; it may be unstable a little earlier. lambda: where the
// limit with that filter is below the step. The automatic step follows the limit, so no such part
// exists there. For the step itself the part starts at its limit.
#ifndef LAB_UNSTABLE_RANGE_H
#define LAB_UNSTABLE_RANGE_H

#include "lab/analysis.h"

// Stable from low to high; the rest is red.
typedef struct StableRange {
    double low, high;
} StableRange;

typedef struct UnstableRanges {
    StableRange stretch, shear, bend, alpha, lambda;
    bool exact; // stretch, shear and bend are limits, not estimates from above
} UnstableRanges;

extern const UnstableRanges unstable_nowhere;

// All except lambda: a few products. `analysis` is the newest of the simulation.
UnstableRanges unstable_ranges(Lab *lab, Simulation *simulation, const Analysis *analysis);
// Stretch, shear and bend exactly: up to a dozen estimates of the stiffness for each. Nowhere where
// unstable_ranges has none. The simulation must be the caller's own; it is changed and restored.
UnstableRanges unstable_stiffness(Lab *lab, Simulation *simulation);
// lambda: about twenty estimates of the filtered stiffness. The simulation must be the caller's
// own; it is changed and restored.
StableRange unstable_lambda(Lab *lab, Simulation *simulation, const Analysis *analysis);

#endif
