// The snapshot's cloth in OpenGL buffers, uploaded only when it has changed.
#ifndef RENDER_CLOTH_MESH_H
#define RENDER_CLOTH_MESH_H

#include "render/surface_shape.h"

#include <glad/gl.h>

typedef struct VertexShade { // see self_shadow.h
    uint8_t lit;             // 255: no other part of the cloth is before the light
    uint8_t height;          // 128: as its surroundings; less in a fold, more on a ridge
    uint8_t unused[2];       // attributes are aligned to 4 bytes
} VertexShade;

typedef struct SpringVertex {
    float position[3]; // m
    float strain;      // (l - L) / L of its spring
} SpringVertex;

typedef struct ClothMesh {
    // which cloth is held
    unsigned topology_version; // of its simulation; others may have the same
    int particle_count, triangle_count, edge_count, spring_count;
    bool has_struts;     // springs inside a surface: a body
    uint32_t *triangles; // 3 per triangle
    TriangleRest *rest;  // per triangle
    uint32_t *edges;     // 2 per edge
    // What is drawn: `triangles`, or without those that are stretched beyond any cloth.
    int whole_count;
    uint32_t *whole; // NULL: all
    // The border of the surface, or all springs if there is none: 2 particles per piece.
    int hem_count;
    uint32_t *hem;
    unsigned long revision; // counts the changes of positions or cloth
    // copies in main memory
    float *seen;           // positions last uploaded, as received
    ClothVertex *vertices; // computed from them
    SpringVertex *spring_vertices;
    float *colours; // see cloth_mesh_colour
    VertexShade *shade;
    unsigned long shaded_revision; // for which the shade was computed,
    float shaded_light[3];         // with this light
    // OpenGL objects
    GLuint surface_array, edge_array, spring_array;
    GLuint vertex_buffer, triangle_buffer, edge_buffer, spring_buffer, colour_buffer;
    GLuint weave_buffer, shade_buffer;
} ClothMesh;

void cloth_mesh_init(ClothMesh *mesh);
void cloth_mesh_finish(ClothMesh *mesh);

// Update the buffers. Returns whether anything changed. Without memory for a larger cloth the mesh
// is empty.
bool cloth_mesh_update(ClothMesh *mesh, const Snapshot *snapshot);

// Upload mesh->shade after it was changed.
void cloth_mesh_update_shade(ClothMesh *mesh);

// The triangles to draw, and how many.
static inline const uint32_t *cloth_mesh_whole(const ClothMesh *mesh)
{
    return mesh->whole ? mesh->whole : mesh->triangles;
}

// Springs have their own buffers, needed only while they are shown: call after cloth_mesh_update,
// with the same snapshot.
void cloth_mesh_update_springs(ClothMesh *mesh, const Snapshot *snapshot);

// Attribute 2 of the surface: a colour of its own for each particle, with 1 as the fourth number;
// uploaded if it changed. Call after cloth_mesh_update, with the same snapshot.
void cloth_mesh_colour_each(ClothMesh *mesh, const float *rgb); // 3 per particle
void cloth_mesh_colour_none(ClothMesh *mesh);                   // the fourth number is 0

// Springs inside a surface, which are then drawn as rods: see solids_show_springs.
bool cloth_mesh_has_struts(const Snapshot *snapshot);

#endif
