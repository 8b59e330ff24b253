// Contact with the floor.
#ifndef CLOTH_COLLIDE_H
#define CLOTH_COLLIDE_H

#include "cloth/cloth.h"

// The floor y = ground. After a step from old_x, a particle below it is moved up to it; its
// downward velocity becomes 0, and friction reduces the rest and the way of this step. Held
// particles stay where they are held. Returns the kinetic and gravity energy that the floor added,
// J: mostly negative.
double collide_floor(Cloth *cloth, double ground, const double *old_x);

// True when a free particle lies on the floor.
bool collide_is_touching(const Cloth *cloth, const double *x, double ground);

#endif
