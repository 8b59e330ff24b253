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
    unsigned topology_version; // of its simulation; others may have the same
    int particle_count, triangle_count, edge_count, spring_count;
    uint32_t *triangles; // 3 per triangle
    // The border of the surface, or all springs if there is none: 2 particles per piece.
    int hem_count;
    uint32_t *hem;
    unsigned long revision; // counts the changes of positions or cloth
    // copies in main memory
    float *seen;           // positions last uploaded, as received
    ClothVertex *vertices; // computed from them
    SpringVertex *spring_vertices;
    float *colours; // see cloth_mesh_colour
    // OpenGL objects
    GLuint surface_array, edge_array, spring_array;
    GLuint vertex_buffer, triangle_buffer, edge_buffer, spring_buffer, colour_buffer;
} ClothMesh;

void cloth_mesh_init(ClothMesh *mesh);
void cloth_mesh_finish(ClothMesh *mesh);

// Update the buffers. Returns whether anything changed. Without memory for a larger cloth the mesh
// is empty.
bool cloth_mesh_update(ClothMesh *mesh, const Snapshot *snapshot);

// Springs have their own buffers, needed only while they are shown: call after cloth_mesh_update,
// with the same snapshot.
void cloth_mesh_update_springs(ClothMesh *mesh, const Snapshot *snapshot);

// Attribute 2 of the surface: a colour of its own for each particle, with 1 as the fourth number;
// uploaded if it changed. Call after cloth_mesh_update, with the same snapshot.
void cloth_mesh_colour_field(ClothMesh *mesh, const float *field, float field_max); // by colour_map
void cloth_mesh_colour_shape(ClothMesh *mesh, const float *shape); // 3 per particle, by length
void cloth_mesh_colour_none(ClothMesh *mesh);                      // the fourth number is 0

#endif
