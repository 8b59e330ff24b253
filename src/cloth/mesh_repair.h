// Triangles as files in the world have them, made fit for a cloth.
#ifndef CLOTH_MESH_REPAIR_H
#define CLOTH_MESH_REPAIR_H

#include "base/status.h"
#include "linalg/vec3.h"

#include <stddef.h>
#include <stdint.h>

// Vertices and triangles with the lines of the file that they come from.
typedef struct MeshDraft {
    int vertex_count;
    Vec3 *position;
    int *vertex_line;
    int triangle_count;
    uint32_t (*triangles)[3]; // every corner is a vertex
    int *triangle_line;
    int strut_count; // springs beside the edges
    uint32_t (*struts)[2];
} MeshDraft;

typedef struct MeshRepair {
    int merged;  // vertices at exactly the place of another: seams
    int flat;    // triangles without area
    int twice;   // triangles with the corners of another
    int crowded; // triangles at an edge that two others have
    int unused;  // vertices of no triangle
    int loose;   // struts that do not join two of the others
    int first_crowded_line;
} MeshRepair;

// Merges and leaves out, in place; what stays keeps its order. Fails only without memory.
Status mesh_repair(MeshDraft *draft, MeshRepair *done, Error *error);

// "merged 3 vertices ...; left out 2 triangles without area and 1 unused vertex", or "".
void mesh_repair_print(const MeshRepair *done, char *text, size_t size);

#endif
