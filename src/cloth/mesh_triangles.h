// A cloth of any shape: a mesh from triangles.
//
// Every edge becomes a stretch spring. Triangles cannot shear without stretching an edge, so there
// are no shear springs. The two particles opposite an edge that two triangles share are joined by a
// bend spring. Rest lengths are distances between the given positions, so the given shape is the
// one at rest, flat or not. A particle's area is a third of that of its triangles.
#ifndef CLOTH_MESH_TRIANGLES_H
#define CLOTH_MESH_TRIANGLES_H

#include "cloth/mesh.h"

#include <stdbool.h>

typedef struct TriangleList {
    int particle_count;
    const Vec3 *position;
    int triangle_count;
    const uint32_t (*triangles)[3]; // which way they wind does not matter to the forces
} TriangleList;

// What makes triangles useless as a cloth.
typedef struct MeshFault {
    const char *what; // NULL: nothing. "the triangle has no area"
    int triangle;     // where, -1 if it is not a triangle's
    int particle;     // likewise
} MeshFault;

// A number that is not finite, a corner that is no particle, a triangle without area, two with the
// same corners, an edge of three, a particle of none or of too many. Fails only without memory.
Status mesh_find_fault(const TriangleList *list, MeshFault *fault, Error *error);

// The shape is moved and scaled into the box of Mesh, whose longest side measures `size` metres.
// Refuses triangles with a fault.
Status mesh_init_triangles(Mesh *mesh, const TriangleList *list, double size, Error *error);

#endif
