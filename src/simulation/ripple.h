// How much neighbours shake against each other: the part of a velocity field that is not smooth,
// v - F v, where F v is the mean over a particle and its spring neighbours.
#ifndef SIMULATION_RIPPLE_H
#define SIMULATION_RIPPLE_H

#include "cloth/cloth.h"

double ripple_energy(const Cloth *cloth, const double *v); // J, kinetic energy of that part
// out = v - F v, flat; 0 where held and in padding. `out` must not be v.
void ripple_extract(const Cloth *cloth, const double *v, double *out);

#endif
