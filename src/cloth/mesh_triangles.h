// A mesh from any triangles.
//
// Every edge becomes a stretch spring. Triangles cannot shear without stretching an edge, so there
// are no shear springs. A bend spring joins the two particles opposite an edge that two triangles
// share. Where struts are given, they are the shear springs, and take the place of bend springs: a
// strut that is an edge or there twice is one spring. Rest lengths are distances between the given
// positions, so the given shape is the rest shape, flat or not. A particle's area is a third of
// that of its triangles.
#ifndef CLOTH_MESH_TRIANGLES_H
#define CLOTH_MESH_TRIANGLES_H

#include "cloth/mesh.h"

#include <stdbool.h>

#define MESH_FARTHEST 1e6 // m; the largest coordinate

typedef struct TriangleList {
    int particle_count;
    const Vec3 *position;
    int triangle_count;
    const uint32_t (*triangles)[3]; // either winding; the forces do not depend on it
    int strut_count;                // springs beside the edges, between particles
    const uint32_t (*struts)[2];
} TriangleList;

// Why triangles cannot be used as a cloth.
typedef struct MeshFault {
    const char *what; // NULL: no fault. "the triangle has no area"
    int triangle;     // where; -1 if the fault is not at a triangle
    int particle;     // where; -1 if the fault is not at a particle
} MeshFault;

// False for one that is a line or a point, up to rounding.
bool triangle_has_area(Vec3 a, Vec3 b, Vec3 c);

// Finds a number that is not finite, a corner that is not a particle, a triangle without area, two
// with the same corners, an edge of three triangles, a particle with no triangle or too many. Fails
// only without memory.
Status mesh_find_fault(const TriangleList *list, MeshFault *fault, Error *error);

// Moves and scales the shape into the box of Mesh, whose longest side measures `size` metres. Fails
// if the triangles have a fault.
Status mesh_init_triangles(Mesh *mesh, const TriangleList *list, double size, Error *error);

#endif
