// The vectors between particles and triangles, and between edges, four pairs at a time in single
// precision: for the search of self_search.c, which sorts out what is far apart. The exact nearest
// points are in nearest.h.
#ifndef CLOTH_NEAREST4_H
#define CLOTH_NEAREST4_H

#include "cloth/boxes.h"

// Of a distance found here, as a share of it.
#define NEAREST4_ERROR 2e-3f

// `of` names the four particles of each pair: a particle and three corners, or the ends of two
// edges; `count` is at most 4. Of the results, m, from the nearest point of the second to that of
// the first, the first `count` mean something.
typedef struct Float4x3 { // the components of four vectors
    Float4 x, y, z;
} Float4x3;

Float4x3 nearest4_triangles(const Float4 *place, const int (*of)[4], int count);
Float4x3 nearest4_edges(const Float4 *place, const int (*of)[4], int count);

#endif
