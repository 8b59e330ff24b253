// Private to self_contact.c: lists of the pairs of two blocks.
#ifndef CLOTH_SELF_LIST_H
#define CLOTH_SELF_LIST_H

#include "cloth/self_contact.h"

// Lists pairs of two blocks, at contact->now, that are nearer than their thickness and `margin`, m,
// unless the blocks are further apart altogether; `rounding` is that of `now`. False when there is
// no room.
bool self_list(SelfContact *contact, const Mesh *mesh, SelfClose *close, float margin,
               float rounding);

// Lists that are no longer in use give their room, the others come to lie one after the other.
void self_list_compact(SelfContact *contact);

// Forgets all lists.
void self_list_none(SelfContact *contact);

#endif
