// A multilevel preconditioner for the matrix of a grid's springs:
//   z = sum over levels of  P_l D_l^-1 P_l' r
// P_l interpolates bilinearly from every 2^l-th row and column, D_l has the diagonal blocks of
// P_l' A P_l, and level 0 is block Jacobi (Bramble, Pasciak & Xu 1990; multilevel diagonal scaling:
// Zhang 1992). Block Jacobi passes smooth motion on from particle to particle; here a level where
// it is no longer smooth solves for it. No matrix but A is multiplied with, so an iteration costs
// little more, and the sum is symmetric and positive definite whatever the shape.
//
// D_l follows from sums over cells. In a cell of a coarse grid with spacing H, in spacings of the
// mesh, a spring that goes s to the right and t down adds (s g_s + t g_t)^2 B, g being the gradient
// of the hat function: 1/3H^2 is the mean of g_s^2 and of g_t^2, and +-1/4H^2 that of g_s g_t.
#ifndef CLOTH_GRID_LEVELS_H
#define CLOTH_GRID_LEVELS_H

#include "base/crew.h"
#include "cloth/spring_kernels.h"

typedef struct GridLevels GridLevels;

Status grid_levels_create(const Mesh *mesh, GridLevels **out, Error *error);
void grid_levels_destroy(GridLevels *levels); // accepts NULL

typedef struct GridLevelsMatrix { // A = mass_factor M + springs, without held particles
    const SpringKernels *kernels;
    const GridStencil *stencil;
    BlockLaw law;
    const double *x, *geometry;
    double mass_factor;
    const double *mass;
    GridHeld held;            // borrowed until the next assembly
    const double *main, *off; // flat, the springs' diagonal blocks
} GridLevelsMatrix;
void grid_levels_assemble(GridLevels *levels, Crew *crew, const GridLevelsMatrix *A);

// z of all levels but that of the mesh, for GridTurn, and their part of r'z.
typedef struct GridCoarse {
    double rz;
    const double *z; // of the first level; kept until the next call
    long width;
} GridCoarse;
GridCoarse grid_levels_solve(GridLevels *levels, Crew *crew, const double *r);

#endif
