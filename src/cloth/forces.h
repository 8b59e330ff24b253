// All forces on the particles of a cloth, for every model, and their energies.
#ifndef CLOTH_FORCES_H
#define CLOTH_FORCES_H

#include "cloth/cloth.h"

// These return the power that their damping takes, W:  v.(D v + d0 M v),  over all particles.

// f = model + gravity + air drag, N. Held particles get theirs too.
double cloth_forces(const Cloth *cloth, const double *x, const double *v, double *f);
// Gravity and air drag only.
double cloth_external_forces(const Cloth *cloth, const double *v, double *f);
// f += the part of Rayleigh damping across springs, N: -alpha k max(1 - L/l, 0) of what two ends
// move across their spring.
double cloth_add_damping_across(const Cloth *cloth, const double *x, const double *v, double *f);

double cloth_elastic_energy(const Cloth *cloth, const double *x); // J
double cloth_gravity_energy(const Cloth *cloth, const double *x); // J, zero at y = 0
double cloth_kinetic_energy(const Cloth *cloth, const double *v); // J, particles that are not held
double cloth_max_speed(const Cloth *cloth, const double *v); // m/s, of the same; NaN if one is NaN
// Largest |l - L| / L over the springs.
double cloth_max_strain(const Cloth *cloth, const double *x);

#endif
