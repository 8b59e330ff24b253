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

// The lower, and the higher, of each component.
static inline Float4 float4_lower(Float4 a, Float4 b)
{
#ifdef __SSE2__
    return _mm_min_ps(a, b);
#else
    Int4 mask = a < b;
    return (Float4)((mask & (Int4)a) | (~mask & (Int4)b));
#endif
}

static inline Float4 float4_higher(Float4 a, Float4 b)
{
#ifdef __SSE2__
    return _mm_max_ps(a, b);
#else
    Int4 mask = a > b;
    return (Float4)((mask & (Int4)a) | (~mask & (Int4)b));
#endif
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

static inline void box_add(Box *box, Float4 a)
{
    box->low = float4_lower(box->low, a);
    box->high = float4_higher(box->high, a);
}

static inline Box box_join(const Box *a, const Box *b)
{
    return (Box){float4_lower(a->low, b->low), float4_higher(a->high, b->high)};
}

static inline bool box_has(const Box *box, Float4 at)
{
    return !any_of((at > box->high) | (box->low > at));
}

// By so many metres on each side.
static inline Box box_wider(const Box *box, float by)
{
    Float4 more = {by, by, by, 0.0f};
    return (Box){box->low - more, box->high + more};
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

// Two nodes beside each other whose normals all lie within CONE of one direction; false for others.
bool boxes_are_smooth(const Boxes *boxes, int first, int second);

// Do all normals of these leaves lie within a narrower cone around the axis?
bool boxes_leaves_are_smooth(const Boxes *boxes, const int *leaves, int count, Float4 axis);

#endif
