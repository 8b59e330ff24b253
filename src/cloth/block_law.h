// Which blocks the springs have in the tangents K and D of a cloth: a BlockLaw, see
// spring_kernels.h.
#ifndef CLOTH_BLOCK_LAW_H
#define CLOTH_BLOCK_LAW_H

#include "cloth/cloth.h"

DampingLaw damping_law(const Material *material);

// Of K, by a Tangent.
BlockLaw block_law(GridModel model, Tangent tangent);
// Of D, if K has that law: Rayleigh damping is alpha times the K that the method uses.
BlockLaw block_law_of_damping(const Material *material, BlockLaw K);
// b K + c D
BlockLaw block_law_sum(double b, BlockLaw K, double c, BlockLaw D);

#endif
