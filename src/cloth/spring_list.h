// What follows from the tangents of a cloth's springs (Cloth.tangents), spring by spring. For
// models of springs where there is no loop for the mesh: those of a grid are in grid_springs.h,
// those of any other mesh in spring_stars.h.
#ifndef CLOTH_SPRING_LIST_H
#define CLOTH_SPRING_LIST_H

#include "cloth/cloth.h"

// See ForceModel.
void spring_list_product(const Cloth *cloth, const double *p, double *Kp);
void spring_list_damping_product(const Cloth *cloth, const double *p, double *Dp);
LinearOperator spring_list_assemble(Cloth *cloth, double a, double b, double c);

// out += B (p_a - p_b) at one end, minus that at the other
void spring_list_add_product(const Mesh *mesh, int spring, const SpringTangent *block,
                             const double *p, double *out);

#endif
