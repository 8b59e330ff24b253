// Cloths in random states, to compare loops over springs.
#ifndef CRUMPLED_H
#define CRUMPLED_H

#include "cloth/cloth.h"

#include <stdint.h>

// The triangles of a grid, as a general mesh whose particles are numbered at random.
Mesh mesh_of_triangles(int rows, int columns);

double *flat_array(const Cloth *cloth);
Material material_with(DampingKind damping, double alpha);
// Crumpled: some springs stretched and some compressed, two pairs of coincident particles, one
// particle pinned and one grabbed.
void crumple(Cloth *cloth, uint32_t seed);

// Equal up to rounding at the particles, and 0 in the padding of `got`.
void assert_same(const Cloth *cloth, const double *got, const double *want, double rounding);
// Fill with values that must not be read: a kernel writes its whole result.
void spoil(const Cloth *cloth, double *flat);
// v.(f(x, 0) - f(x, v)): what damping takes, by the forces themselves.
double power_of_forces(const Cloth *cloth);

// For a Crew: the parts in the order that differs most from that of the rows.
void run_backwards(Crew *crew, int parts, CrewWork *work, void *job);

#endif
