// Makes the stencil of a grid, see GridStencil.
#ifndef CLOTH_GRID_STENCIL_H
#define CLOTH_GRID_STENCIL_H

#include "cloth/cloth.h"
#include "cloth/spring_kernels.h"

int grid_stencil_blocks(const Mesh *mesh); // per row
// Stiffness of the elements that a particle owns, by the cloth's material.
void grid_stencil_stiffness(const Cloth *cloth, GridModel model, double k[GRID_SPRINGS]);
GridStencil grid_stencil(const Mesh *mesh, GridModel model, const double k[GRID_SPRINGS]);

#endif
