// Private to self_contact.c: blocks of triangles.
#ifndef CLOTH_SELF_BLOCKS_H
#define CLOTH_SELF_BLOCKS_H

#include "cloth/self_contact.h"

// After the boxes were made.
Status self_blocks_init(SelfContact *contact, const Mesh *mesh, Error *error);
void self_blocks_finish(SelfContact *contact);

#endif
