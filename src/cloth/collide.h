// What a cloth may not pass through.
#ifndef CLOTH_COLLIDE_H
#define CLOTH_COLLIDE_H

#include "cloth/cloth.h"

// The floor y = ground: after a step, a particle below it is put onto it, its downward velocity is
// taken away and the rest reduced by friction. Held particles go where they are held. Returns the
// kinetic and gravity energy that the floor gave, J: mostly negative.
double collide_floor(Cloth *cloth, double ground);
// The same for one particle, wherever it is: a contact that lasts.
double collide_particle(Cloth *cloth, int particle, double ground);

#endif
