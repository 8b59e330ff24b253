// Forces on the particles of a cloth, and the energies they come from.
#ifndef CLOTH_SPRINGS_H
#define CLOTH_SPRINGS_H

#include "cloth/cloth.h"

// f = springs + gravity + damping, N. Held particles get theirs too.
void springs_force(const Cloth *cloth, const double *x, const double *v, double *f);

double springs_energy(const Cloth *cloth, const double *x);       // J, elastic
double cloth_gravity_energy(const Cloth *cloth, const double *x); // J, zero at y = 0
double cloth_kinetic_energy(const Cloth *cloth, const double *v); // J, particles that are not held
double cloth_max_speed(const Cloth *cloth, const double *v); // m/s, likewise; NaN when one is NaN
double springs_max_strain(const Cloth *cloth, const double *x); // largest |l - L| / L

#endif
