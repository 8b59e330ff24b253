// The elements of a regular grid as a stencil, for every force model: see spring_kernels.h for the
// idea. Used while the mesh is a grid and every kind of spring has one stiffness; otherwise the
// models loop over lists.
#ifndef CLOTH_GRID_SPRINGS_H
#define CLOTH_GRID_SPRINGS_H

#include "cloth/cloth.h"
#include "cloth/spring_kernels.h"

typedef struct GridSprings GridSprings; // data for one cloth and its model

Status grid_springs_create(const Mesh *mesh, GridModel model, GridSprings **out, Error *error);
void grid_springs_destroy(GridSprings *grid); // accepts NULL

// Whether the stencil applies.
bool grid_springs_apply(const Cloth *cloth);

// all_forces and step of every model; false if the stencil does not apply.
bool grid_springs_forces(const Cloth *cloth, const double *x, const double *v, double *f,
                         double *power); // W
bool grid_springs_step(const Cloth *cloth, const ForceStep *step, ForceSums *sums);

// Call these only if grid_springs_apply; ForceModel says what they compute.
double grid_springs_energy(const Cloth *cloth, const double *x); // J
void grid_springs_linearise(const Cloth *cloth, const double *x, Tangent tangent);
void grid_springs_product_at(const Cloth *cloth, const double *x, Tangent tangent, const double *p,
                             double *Kp);
// Call after grid_springs_linearise; they use the material of that time.
void grid_springs_product(const Cloth *cloth, const double *p, double *Kp);
void grid_springs_damping_product(const Cloth *cloth, const double *p, double *Dp);
LinearOperator grid_springs_assemble(const Cloth *cloth, double a, double b, double c);

#endif
