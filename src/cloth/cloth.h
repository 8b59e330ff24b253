// A cloth: its mesh, its material, and the state that moves.
//
// Flat arrays hold 3 numbers per particle in the order mesh_vector knows. The functions that work
// on them are sorted by question: springs.h (forces, energies), stiffness.h (the tangent K),
// filter.h (the velocity filter), collide.h (the floor).
#ifndef CLOTH_CLOTH_H
#define CLOTH_CLOTH_H

#include "cloth/mesh.h"

#include <stdbool.h>

// m; a spring shorter than this has no direction: it exerts no force and has no stiffness.
#define LENGTH_TINY 1e-12

typedef struct Material {
    double stiffness[SPRING_KINDS]; // N/m
    double air;                     // d0, 1/s    damping force: -d0 M v - alpha K_clamped v
    double alpha;                   // s
    double gravity;                 // m/s^2, along -y
} Material;

// A spring's tangent block  B = isotropic I + axial u u',  N/m.
typedef struct SpringTangent {
    Vec3 u;
    double isotropic, axial;
} SpringTangent;

typedef struct Cloth {
    Mesh mesh;
    Material material;

    // state, flat
    double *x, *v;        // m, m/s
    double *mass;         // kg, per degree of freedom, > 0
    double *inverse_mass; // 1/kg, 0 where held
    bool *pinned;         // per particle
    int grabbed;          // the particle in the hand, -1 if none

    // of the last linearisation
    SpringTangent *tangents; // per spring
    BlockMatrix matrix;      // a M + b K, see stiffness_assemble

    // of the filter
    double *filter_weights; // per entry of mesh.neighbours, rows sum to 1
    double *filter_source;  // flat, the velocities before the filter
} Cloth;

// Flat and at rest, nothing pinned, every particle with the same share of the mass. The material is
// the caller's to fill in.
Status cloth_init_grid(Cloth *cloth, int rows, int columns, double size, double density,
                       Error *error);
void cloth_finish(Cloth *cloth); // accepts a zeroed one

void cloth_set_mass(Cloth *cloth, int particle, double mass); // kg
double cloth_mass(const Cloth *cloth, int particle);
void cloth_set_pinned(Cloth *cloth, int particle, bool pinned);
void cloth_set_grabbed(Cloth *cloth, int particle); // -1: nobody
// A held particle is pinned or in the hand: forces do not move it.
static inline bool cloth_is_held(const Cloth *cloth, int particle)
{
    return cloth->pinned[particle] || cloth->grabbed == particle;
}

#endif
