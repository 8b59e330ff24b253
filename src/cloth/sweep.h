// What the loops over forces and steps of a grid and of any other mesh have in common.
#ifndef CLOTH_SWEEP_H
#define CLOTH_SWEEP_H

#include "cloth/cloth.h"

// With the cloth's material and masses. A step without new_x wants forces only.
GridSweep sweep_of(const Cloth *cloth, const ForceStep *step, GridRowSums *sums);
// Of `count` rows, in their order, whatever the bands were.
ForceSums sweep_sums(int count, const GridRowSums *sums);

#endif
