// A hierarchy of boxes over the triangles of a mesh: which of them come near each other?
//
// The tree is built once, from the mesh at rest, by halving. Its boxes follow the cloth
// (boxes_fit). Besides its place, a node knows the range of its triangles' normals. A part of a
// grid whose normals all lie within CONE of one direction does not fold back onto itself, so pairs
// inside it need not be looked at (Volino & Magnenat-Thalmann 1994): on a smooth cloth the search
// ends high up in the tree. Other meshes do without that.
#ifndef CLOTH_BOXES_H
#define CLOTH_BOXES_H

#include "cloth/mesh.h"

#include <stdbool.h>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

// Four numbers in one register; the last one is 0.
typedef float Float4 __attribute__((vector_size(16)));

typedef int Int4 __attribute__((vector_size(16)));

typedef struct Box {
    Float4 low, high;
} Box;

typedef struct BoxNode {
    Box normals;      // range of the unit normals
    Box rest;         // m, of the mesh at rest
    int second;       // the other child; the first one is the next node; 0: a leaf
    int triangles[2]; // of a leaf; the second may be -1
} BoxNode;

typedef struct Boxes {
    int node_count;
    BoxNode *nodes; // the root first, children after their parents
    Box *places;    // m, of each node: by themselves, as the search looks at little else
    bool cones;     // normals are used
} Boxes;

static inline Float4 float4(Vec3 a)
{
    return (Float4){(float)a.x, (float)a.y, (float)a.z, 0.0f};
}

static inline bool any_of(Int4 mask)
{
#ifdef __SSE2__
    return _mm_movemask_ps((Float4)mask) != 0;
#else
    return (mask[0] | mask[1] | mask[2] | mask[3]) != 0;
#endif
}

static inline bool box_overlaps(const Box *a, const Box *b)
{
    return !any_of((a->low > b->high) | (b->low > a->high));
}

Box box_around(Float4 a, Float4 b, float more); // two points, and so many metres more on each side

Status boxes_init(Boxes *boxes, const Mesh *mesh, Error *error);
void boxes_finish(Boxes *boxes); // accepts a zeroed one

// Where the particles are, and how far they may go.
typedef struct BoxesAt {
    const Float4 *x;     // m
    const Float4 *ahead; // m: normals count at x and at either end of this way
    const float *room;   // m, at least as much
    float reach;         // m
} BoxesAt;

// Around the triangles, with the largest room of their corners and half of `reach` more on each
// side: boxes of what may come nearer than `reach` overlap.
void boxes_fit(Boxes *boxes, const Mesh *mesh, const BoxesAt *at);

// Calls `visit` for each pair of leaves that overlap, once, and for each leaf with itself, unless
// they are smooth, in an order that depends on the boxes alone.
typedef void (*BoxVisit)(void *self, int a, int b);
void boxes_pairs(const Boxes *boxes, BoxVisit visit, void *self);

#endif
