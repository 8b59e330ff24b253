// The snapshot's cloth in OpenGL buffers, uploaded only when it has changed.
#ifndef RENDER_CLOTH_MESH_H
#define RENDER_CLOTH_MESH_H

#include "simulation/snapshot.h"

#include <glad/gl.h>

typedef struct ClothVertex {
    float position[3]; // m, always finite
    float normal[3];   // unit, towards the front
} ClothVertex;

typedef struct SpringVertex {
    float position[3]; // m
    float strain;      // (l - L) / L of its spring
} SpringVertex;

typedef struct ClothMesh {
    // which cloth is held
    unsigned topology_version;
    int particle_count, triangle_count, edge_count, spring_count;
    // copies in main memory
    float *seen;           // positions last uploaded, as received
    ClothVertex *vertices; // computed from them
    SpringVertex *spring_vertices;
    float *field; // see cloth_mesh_update_field
    // OpenGL objects
    GLuint surface_array, edge_array, spring_array;
    GLuint vertex_buffer, triangle_buffer, edge_buffer, spring_buffer, field_buffer;
} ClothMesh;

void cloth_mesh_init(ClothMesh *mesh);
void cloth_mesh_finish(ClothMesh *mesh);

// Update the buffers. Returns whether anything changed. Without memory for a larger cloth the mesh
// is empty.
bool cloth_mesh_update(ClothMesh *mesh, const Snapshot *snapshot);

// Springs have their own buffers, needed only while they are shown: call after cloth_mesh_update,
// with the same snapshot.
void cloth_mesh_update_springs(ClothMesh *mesh, const Snapshot *snapshot);

// Attribute 2 of the surface: how far each particle moves in a shape (3 per particle), from 0 to 1.
// With NULL the attribute is -1. Call after cloth_mesh_update, with the same snapshot.
void cloth_mesh_update_field(ClothMesh *mesh, const float *shape);

#endif
