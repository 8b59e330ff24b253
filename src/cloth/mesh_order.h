// The order of particles in the flat arrays of a mesh that is not a grid. Particles keep their
// numbers; only their places change.
#ifndef CLOTH_MESH_ORDER_H
#define CLOTH_MESH_ORDER_H

#include "cloth/mesh.h"

// place[p] is the place of particle p, 0 .. particle_count - 1. Particles that springs join lie
// close to each other, so that what a spring reads is in the cache: breadth first through the mesh
// (Cuthill and McKee 1969). Within each ORDER_WINDOW places those with more springs come first, so
// that a register of particles has stars of about the same length (spring_stars.h; Kreutzer et al.
// 2014 sort rows of a sparse matrix so, SELL-C-sigma). `neighbours` of the mesh must be known.
enum { ORDER_WINDOW = 64 };
Status mesh_order(const Mesh *mesh, int *place, Error *error);

#endif
