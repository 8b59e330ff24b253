// Springs of a mesh that is not a grid, each particle with all that end at it: its star.
//
// Every spring is computed twice, once for each end, so a particle's force is a sum over its own
// star: nothing is added to others, threads need no atomics, and a step is one pass, as on a grid.
// MESH_LANES neighbours in the flat arrays are a group, whose stars are as long as its longest one;
// mesh_order.h puts particles with as many springs beside each other. Sums are formed per block of
// groups and added in their order, so results do not depend on the number of threads.
#ifndef CLOTH_SPRING_STARS_H
#define CLOTH_SPRING_STARS_H

#include "cloth/cloth.h"

typedef struct SpringStars SpringStars;

Status spring_stars_create(const Mesh *mesh, SpringStars **out, Error *error);
void spring_stars_destroy(SpringStars *stars); // accepts NULL
// After the cloth's stiffness or rest lengths have changed: of all springs, or the length of one.
void spring_stars_update(const Cloth *cloth);
void spring_stars_set_length(const Cloth *cloth, int spring);

// See ForceModel; the cloth has stars.
void spring_stars_forces(const Cloth *cloth, const double *x, const double *v, double *f,
                         double *power);
void spring_stars_step(const Cloth *cloth, const ForceStep *step, ForceSums *sums);
void spring_stars_linearise(const Cloth *cloth, const double *x, Tangent tangent);
void spring_stars_product(const Cloth *cloth, const double *p, double *Kp);
void spring_stars_damping_product(const Cloth *cloth, const double *p, double *Dp);
void spring_stars_product_at(const Cloth *cloth, const double *x, Tangent tangent, const double *p,
                             double *Kp);
// PCG on it takes three passes per iteration: a direction, the product, and what follows.
LinearOperator spring_stars_assemble(const Cloth *cloth, double a, double b, double c);

#endif
