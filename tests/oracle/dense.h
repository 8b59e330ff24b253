// The oracle's own mathematics: dense matrices by finite differences of real steps and real forces,
// eigenvalues by LAPACK. Nothing of stability/ or lab/ is used.
//
// Everything is taken about the present shape, at rest and in balance: v = 0, and a constant force
// keeps in place what is not on the floor. The wind's push is a part of that; its drag acts as it
// does at this shape.
#ifndef TESTS_ORACLE_DENSE_H
#define TESTS_ORACLE_DENSE_H

#include "simulation/simulation_state.h"

// Eigenvalues of M^-1 K, 1/s^2.
typedef struct DenseStiffness {
    double largest, smallest;
    int negative; // how many of them are
} DenseStiffness;

typedef struct Dense {
    Simulation *simulation;
    int count;         // free degrees of freedom
    int *index;        // of each in a flat array
    bool touches;      // something lies on the floor
    double length;     // m, unit of the perturbations
    double *x, *extra; // flat: the shape, and the force that holds it in balance
    double *still;     // 2 count: x, h v after a step from that shape, less x
    double *K;         // count x count, by columns: -df/dx
    DenseStiffness stiffness;
    double *J;       // 2 count x 2 count, by columns: of one step, for (x, h v)
    double *vectors; // its eigenvectors, as LAPACK packs them
    double *re, *im; // its eigenvalues
    double *work[4]; // flat
} Dense;

void dense_init(Dense *dense, Simulation *simulation); // fails the test without memory
void dense_finish(Dense *dense);

// Of one step of size h.
typedef struct DenseStep {
    double rho;       // largest |z| of all that is not buckling
    double buckling;  // largest z of what is: z > 1 real, with a shape of negative stiffness
    double re, im, k; // of rho's: eigenvalue, and the stiffness of its shape, 1/s^2
    bool smooth;      // both differences agree: no kink within reach
} DenseStep;
DenseStep dense_step(Dense *dense, double h);

bool dense_is_stable(const DenseStep *step);

// The largest h with all steps between `first` and it stable, to 5e-4: 0 when `first` is unstable,
// INFINITY when `last` is stable, NaN when a kink is met.
double dense_limit(Dense *dense, double first, double last);

#endif
