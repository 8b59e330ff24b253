// Contact with the floor.
#ifndef CLOTH_COLLIDE_H
#define CLOTH_COLLIDE_H

#include "cloth/cloth.h"

// The floor y = ground. After a step, a particle below it is moved up to it; its downward velocity
// becomes 0 and friction reduces the rest. Held particles stay where they are held. Returns the
// kinetic and gravity energy that the floor added, J: mostly negative.
double collide_floor(Cloth *cloth, double ground);
// The same for one particle, even if it is not below the floor: a contact that lasts.
double collide_particle(Cloth *cloth, int particle, double ground);

#endif
