// Private to self_contact.c: the search for pairs, and the way out of crossings.
#ifndef CLOTH_SELF_SEARCH_H
#define CLOTH_SELF_SEARCH_H

#include "cloth/self_contact.h"

// Pairs at state->seen and, if they are looked for, crossings.
void self_search(SelfContact *contact, const Mesh *mesh, const SelfState *state, bool crossings);

// Move crossing edges and triangles apart by what is due in a step of length h, at the positions of
// the search. Returns the gravity energy that the particles get, J.
double self_untangle(SelfContact *contact, Cloth *cloth, double h);

#endif
