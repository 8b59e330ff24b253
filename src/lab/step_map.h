// rho of one real step: the spectral radius of the step map's Jacobian J about a shape at rest, by
// Krylov iterations on products  J u = (S(s + e u) - S(s - e u)) / 2e,  where S is the step itself.
// This assumes nothing about the method: filters and models are included as they are.
//
// Ritz values lie in the field of values of J, which a badly chosen norm makes far larger than the
// spectrum: with |x|^2 + |v|^2 a stable cloth shows 1.02 to 1.07. Here the norm is the energy,
//   |u|^2 = x'(K+ + s M) x + v' M v,
// with K+ the clamped tangent: in this norm free oscillations are rotations, and a polynomial of
// them (explicit Runge-Kutta, backward Euler) is normal. The shift s covers directions without
// stiffness. Restarts are Krylov-Schur (Stewart 2001). Held degrees of freedom are left out.
//
// Read a value together with its residual |J u - theta u| / |u|: theta is an eigenvalue of a matrix
// that differs from J by no more than that.
//
// Where the cloth buckles, J has real values z > 1 that belong to the physics. They are told from
// numerical growth by their shape p, not by their size. Put x_n = z^n p into the scheme and
// multiply by p': a step of backward Euler with the matrix A >= M, for example, gives
//   (z - 1) (p'A p - p'M p / z) = -h^2 p'K p,
// so p'K p < 0. The same holds for the explicit methods, except where the method itself grows one
// way (Jury's J1, where damping is far too strong): there p'K p > 0.
#ifndef LAB_STEP_MAP_H
#define LAB_STEP_MAP_H

#include "lab/free_dofs.h"

enum {
    STEP_MAP_BASIS = 48,      // Krylov vectors before a restart: enough to detect instability
    STEP_MAP_BASIS_MAX = 400, // up to this many states J is taken as a whole
    STEP_MAP_VALUES = 8,      // Ritz values reported
};

typedef struct StepMapProblem {
    const System *system; // masses, and K for the norm
    const double *x;      // flat, the shape to linearise about, v = 0
    double h;             // s
    double length;        // m, over which forces change: of a spring
    double shift;         // 1/s^2, at least; give -k_min where the cloth buckles
    double deadline;      // by clock_seconds, the latest start of a product; 0: none
    double soft;          // 1/s^2: what grows one way in a shape with less stiffness is buckling
    bool beyond_pole;     // an implicit step longer than buckling takes: any growth may be buckling
    // One step from (x, v), in place, with no other effect. False when it fails.
    bool (*step)(void *self, double *x, double *v);
    void *self;
} StepMapProblem;

typedef struct RitzValue {
    double re, im;   // of a pair only the one with im > 0
    double residual; // relative, see above
    bool buckling;   // above 1, and physics
} RitzValue;

// The largest converged value of a kind, unless a larger one is certain.
typedef struct StepMapRho {
    double value;    // 0: none was found
    double residual; // of that value
    bool converged;  // residual <= tolerance
    bool buckling;   // above 1, and physics
} StepMapRho;

// Is it known well enough to be shown with a digit?
bool step_map_rho_is_legible(const StepMapRho *rho);

typedef struct StepMapResult {
    StepMapRho rho;       // of all values
    StepMapRho numerical; // of those that are not buckling
    bool exact;           // of J as a whole: values are known to rounding
    bool failed;          // a step about this state failed: the other fields are invalid
    int products;         // two steps each
    int count;
    RitzValue values[STEP_MAP_VALUES]; // largest first
} StepMapResult;

typedef struct StepMap {
    double *shape; // flat displacements of the mode of rho, largest coordinate 1

    Arena memory;
    FreeDofs free;
    int size;      // of the basis
    double *basis; // size + 1 states: packed positions, then packed velocities
    double *kept;  // as many as a restart keeps, + 1
    double *dual;  // one state: (K+ + s M) x and v
    double *start; // one state, the end of the last call: a warm start
    int warm;      // number of free degrees of freedom then; 0: none
    double *plus_x, *plus_v, *minus_x, *minus_v; // flat
    double *H, *T, *Q, *Y;                       // (size + 1)^2, by columns
    double *re, *im, *work;                      // size + 1, size + 1, 8 (size + 1)
    int *order, *select;                         // size + 1
    bool *buckling;                              // size + 1, by column
    bool exact;                                  // StepMapResult's, so far
    int filled;                                  // states of the basis that have their product
    double used_shift;                           // 1/s^2, in the norm of the present measurement
    bool ended;                                  // the present measurement
    StepMapResult result;                        // of it, so far
    unsigned noise;
} StepMap;

// `basis` is STEP_MAP_BASIS, or more for more exact values on the stable side.
Status step_map_init(StepMap *map, int dofs, int basis, Error *error);
void step_map_finish(StepMap *map); // accepts a zeroed one
void step_map_forget(StepMap *map); // the cloth has changed
bool step_map_has_shape(const StepMap *map);

// Are `products` and the basis enough for J as a whole?
bool step_map_has_whole(StepMap *map, const StepMapProblem *problem, int products);

// J as a whole if `products` and the basis are enough for it. Else at most `products` products,
// fewer when the largest value that is not buckling has a residual of `tolerance`.
StepMapResult step_map_measure(StepMap *map, const StepMapProblem *problem, int products,
                               double tolerance);

// The same in parts, about one shape: begin once, then go on until it has ended. `products` counts
// those of all parts. A part stops at the problem's deadline, after one product at least; then
// map->result has what is known so far, with its residuals. The problem may be given anew, but it
// must be the same.
void step_map_begin(StepMap *map, const StepMapProblem *problem);
void step_map_go_on(StepMap *map, const StepMapProblem *problem, int products, double tolerance);

#endif
