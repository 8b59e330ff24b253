// Private to self_contact.c: blocks of triangles, and how far they moved.
#ifndef CLOTH_SELF_BLOCKS_H
#define CLOTH_SELF_BLOCKS_H

#include "cloth/self_contact.h"

// After the boxes were made.
Status self_blocks_init(SelfContact *contact, const Mesh *mesh, Error *error);
void self_blocks_finish(SelfContact *contact);

// After a search: only blocks that are listed are followed.
void self_use_blocks(SelfContact *contact);

// Follows the blocks to the start of a step from old_x to x; `frame`, m, is the motion of the
// whole. Returns the rounding of distances between `now`, m.
float self_follow(SelfContact *contact, const Mesh *mesh, const double *old_x, const double *x,
                  Vec3 frame);

// Two blocks have come nearer by at most so much since they were looked at, m.
float self_nearing(const SelfContact *contact, const SelfClose *close);

// From here on, they are looked at from where they are.
void self_take_reference(SelfContact *contact, SelfClose *close);

#endif
