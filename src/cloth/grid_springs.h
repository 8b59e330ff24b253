// The springs of a regular grid as a stencil: see spring_kernels.h for the idea.
//
// Applies while the mesh is a grid and every kind of spring has one stiffness; otherwise the model
// `springs` goes through its list.
#ifndef CLOTH_GRID_SPRINGS_H
#define CLOTH_GRID_SPRINGS_H

#include "cloth/cloth.h"
#include "cloth/spring_kernels.h"

typedef struct GridSprings GridSprings; // what the model `springs` keeps of a cloth

Status grid_springs_create(const Cloth *cloth, void **out, Error *error);
void grid_springs_destroy(void *grid); // accepts NULL

// Whether the stencil applies.
bool grid_springs_apply(const Cloth *cloth);
DampingLaw damping_law(const Material *material);

// These need grid_springs_apply; what they compute is what ForceModel asks for.
void grid_springs_forces(const Cloth *cloth, const double *x, const double *v, double *f);
void grid_springs_linearise(const Cloth *cloth, const double *x, Tangent tangent);
void grid_springs_product_at(const Cloth *cloth, const double *x, Tangent tangent, const double *p,
                             double *Kp);
// After grid_springs_linearise, whose material they use.
void grid_springs_product(const Cloth *cloth, const double *p, double *Kp);
void grid_springs_damping_product(const Cloth *cloth, const double *p, double *Dp);
LinearOperator grid_springs_assemble(const Cloth *cloth, double a, double b, double c);

#endif
