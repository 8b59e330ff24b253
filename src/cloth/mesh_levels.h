// The preconditioner of grid_levels.h for a mesh that is not a grid:
//   z = sum over levels of  P_l D_l^-1 P_l' r
// P_l interpolates from a cubic lattice, with 2^l times the mesh's spacing, over the positions at
// rest: trilinear hats, of which only those count that reach a particle. On a flat mesh they are
// bilinear, as on a grid. Level 0, block Jacobi, is the caller's.
//
// D_l follows from sums over hats. A spring of length L with the block B adds  (L g)^2 B  to a hat
// with the gradient g; over a plane the mean of g^2 in each direction is 1/3H^2 in the four cells
// of a hat, whose sum weighted with the hat counts a fourth of them: 4/3H^2. The mean square of a
// hat, 1/9, gives 4/9 of the weighted mass in the same way.
#ifndef CLOTH_MESH_LEVELS_H
#define CLOTH_MESH_LEVELS_H

#include "base/crew.h"
#include "cloth/mesh.h"
#include "linalg/mat3.h"

typedef struct MeshLevels MeshLevels;

Status mesh_levels_create(const Mesh *mesh, MeshLevels **out, Error *error);
void mesh_levels_destroy(MeshLevels *levels); // accepts NULL

// What a hat sums up, and the particles before all levels.
typedef struct HatSums {
    Sym3 springs; // N m: L^2 B, half of it at each end
    Sym3 held;    // N/m: of a particle that is held, the blocks of its springs, which no hat moves
    double mass;  // kg, times the matrix's factor
} HatSums;

// Where to write the sums of each particle, in the order of flat arrays; then assemble.
HatSums *mesh_levels_particles(MeshLevels *levels);
void mesh_levels_assemble(MeshLevels *levels, Crew *crew);

// z += the part of all levels, where a particle is free. Returns what they have of r'z. r is 0
// where a particle is held.
double mesh_levels_add(MeshLevels *levels, Crew *crew, const double *inverse_mass, const double *r,
                       double *z);

#endif
