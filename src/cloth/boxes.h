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

typedef struct Box {
    float low[3], high[3];
} Box;

typedef struct BoxNode {
    Box place;    // m
    Box normals;  // range of the unit normals
    Box rest;     // m, of the mesh at rest
    int second;   // the other child; the first one is the next node; 0: a leaf
    int triangle; // of a leaf
} BoxNode;

typedef struct Boxes {
    int node_count;
    BoxNode *nodes; // the root first, children after their parents
    bool cones;     // normals are used
} Boxes;

Status boxes_init(Boxes *boxes, const Mesh *mesh, Error *error);
void boxes_finish(Boxes *boxes); // accepts a zeroed one

// Around the triangles at `x`, one vector per particle, and half of `reach` (m) more on each side:
// boxes of what is nearer than `reach` overlap.
void boxes_fit(Boxes *boxes, const Mesh *mesh, const Vec3 *x, double reach);

// Calls `visit` for each pair of different triangles whose boxes overlap, once, in an order that
// depends on the boxes alone.
void boxes_pairs(const Boxes *boxes, void (*visit)(void *self, int a, int b), void *self);

#endif
