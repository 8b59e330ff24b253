// The topology of a cloth: particles, springs, triangles, neighbours. Constant after it is built.
#ifndef CLOTH_MESH_H
#define CLOTH_MESH_H

#include "base/status.h"
#include "linalg/block_matrix.h"
#include "linalg/vec3.h"

#include <stdint.h>

typedef enum SpringKind { SPRING_STRETCH, SPRING_SHEAR, SPRING_BEND, SPRING_KINDS } SpringKind;

// The layout of flat arrays:
//   regular grid  one row of particles after the other, each as a row of all x, one of all y, one
//                 of all z, `row_width` entries wide, a multiple of MESH_LANES: the widest SIMD
//                 register; then GRID_HALO_ROWS rows of padding, so that a stencil may look down
//                 and right without a branch.
//   any other     x, y, z and one entry of padding per particle: a register of four each, in the
//                 order of mesh_order.h, and padding behind up to a multiple of MESH_LANES
//                 particles.
// Padding behaves like a particle held at the origin without springs: x = v = f = 0, mass 1,
// inverse mass 0. Code that fills a flat array must fill the padding too.
enum { MESH_LANES = 8, GRID_HALO_ROWS = 2, MESH_ENTRIES = 4 };

typedef struct Mesh {
    int rows, columns; // particles along z and along x; 0 if not a grid
    int particle_count;
    int dofs;             // length of a flat array, padding included
    int *first_dof;       // per particle: where its x stands in a flat array
    int component_stride; // from its x to its y, and from its y to its z
    int row_width;        // of a regular grid, see above; 0 for any other mesh
    double spacing;       // m, of the grid at rest; the mean edge length of any other mesh
    double reach;         // m, radius of the smallest circle that the largest triangle fits in, at
                          // rest; of a rope, half its longest spring

    // at rest, in the box  0 <= x <= width,  -depth <= y <= 0,  0 <= z <= height
    double width, height, depth; // m
    Vec3 *rest_position;         // m, per particle
    double *area;                // m^2, per particle: its share of the cloth

    int spring_count;
    int (*springs)[2];   // the particles a spring joins
    double *rest_length; // m, per spring
    // springs of kind q are kind_start[q] .. kind_start[q + 1] - 1
    int kind_start[SPRING_KINDS + 1];

    int triangle_count;       // 0 for a rope
    uint32_t (*triangles)[3]; // of a grid: counter-clockwise seen from above while flat

    // Row p lists p and every particle that a spring joins to it.
    BlockPattern neighbours;
    double *rest_distance;  // m, per entry of `neighbours`; 0 on the diagonal
    int (*spring_entry)[2]; // per spring (a, b): the entries (a, b) and (b, a)
    char notice[320];       // what was left out of its file, one sentence for the user; "": nothing
    uint64_t fingerprint;   // hash of positions, springs and lengths, to recognise the same mesh
} Mesh;

// A rectangular grid of square cells: particle p = row * columns + column lies at
// (column * spacing, 0, row * spacing), and the longer side measures `size` metres. Every particle
// has the same share of the area. One row is a rope, two particles are a single spring; their area
// is that of a strip one spacing wide. Needs at least two particles.
Status mesh_init_grid(Mesh *mesh, int rows, int columns, double size, Error *error);
// The same mesh, `scale` times as large.
Status mesh_copy(const Mesh *from, double scale, Mesh *mesh, Error *error);
void mesh_finish(Mesh *mesh); // accepts a zeroed one

// The last part of building a mesh, after positions, springs and triangles: finds neighbours and
// lays out flat arrays (as a grid if the mesh has rows). On failure the mesh is finished.
Status mesh_join(Mesh *mesh, Error *error);

// A flat array of zeros, aligned to a cache line; release it with free(). NULL without memory.
double *mesh_flat_create(const Mesh *mesh);

SpringKind mesh_spring_kind(const Mesh *mesh, int spring);

static inline Vec3 mesh_vector(const Mesh *mesh, const double *flat, int particle)
{
    const double *q = flat + mesh->first_dof[particle];
    int stride = mesh->component_stride;
    return (Vec3){q[0], q[stride], q[2 * stride]};
}

static inline void mesh_set_vector(const Mesh *mesh, double *flat, int particle, Vec3 value)
{
    double *q = flat + mesh->first_dof[particle];
    int stride = mesh->component_stride;
    q[0] = value.x;
    q[stride] = value.y;
    q[2 * stride] = value.z;
}

#endif
