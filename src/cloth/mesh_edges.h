// The edges of a triangle mesh, each once, with the triangles on its two sides.
#ifndef CLOTH_MESH_EDGES_H
#define CLOTH_MESH_EDGES_H

#include "base/status.h"

#include <stdint.h>

typedef struct MeshEdge {
    int ends[2];     // particles, the lower number first
    int side[2];     // triangles; the second is -1 on a border
    int opposite[2]; // particles: their third corners; the second is -1 on a border
} MeshEdge;

typedef struct MeshEdges {
    int count;
    MeshEdge *items; // ordered by their ends
    int crowded;     // a triangle at an edge that three or more triangles share; -1 if none
} MeshEdges;

Status mesh_edges_init(MeshEdges *edges, int particle_count, int triangle_count,
                       const uint32_t (*triangles)[3], Error *error);
void mesh_edges_finish(MeshEdges *edges); // accepts a zeroed one

#endif
