// The eigenvalues that decide whether a cloth is stable, from products with K and F.
//
// Every estimate takes a flat array `mode`: the start on entry (all zero: no guess) and the mode
// found on return, in coordinates scaled by M^1/2. From a warm start a few products are enough.
#ifndef STABILITY_STIFFNESS_H
#define STABILITY_STIFFNESS_H

#include "linalg/krylov.h"
#include "stability/limits.h"

size_t stiffness_scratch_size(int dofs, int steps); // bytes that an estimate takes from the scratch

// k0, the largest eigenvalue of M^-1 K over the free degrees of freedom, 1/s^2, with the full
// tangent K at x.
KrylovReport stiffness_k0(const System *system, const double *x, KrylovEffort effort, double *mode,
                          Arena *scratch);

// c0, the same of C, where D = alpha C.
double stiffness_of_damping(const System *system, const double *x, KrylovEffort effort,
                            double *mode, Arena *scratch);

// The mode with the largest  a k + b c  of a unit vector, k = p'K p and c = p'C p.
void stiffness_weighed(const System *system, const double *x, double a, double b,
                       KrylovEffort effort, double *mode, Arena *scratch, double *k, double *c);

// What a method treats explicitly beside something stable: K - P, each a tangent. False when there
// is nothing.
//   implicit along springs   K - axial part: what tension adds across springs
//   implicit otherwise       K - the matrix it solves with, where that may be less than K. The
//                            clamped tangent of springs never is.
//   by impulses of springs   what Rayleigh damping has across springs, clamped - axial
typedef struct StiffnessParts {
    Tangent whole, implicit;
} StiffnessParts;
bool stiffness_parts(const System *system, const Scheme *scheme, StiffnessParts *parts);

// The largest eigenvalue of M^-1 (K - P), 1/s^2, or 0. A method that solves with P is stable while
// h^2 (K - 2 P) - 2 h D <= (4 + 2 h d0) M  (integrators/imex.c), and therefore while
// h^2 k <= 4 + 2 h d0. Across springs this is within 2 % of the true limit where the cloth is
// smooth, and lower in folds, where the same motion runs along other springs.
double stiffness_across(const System *system, const double *x, StiffnessParts parts,
                        KrylovEffort effort, double *mode, Arena *scratch);

// k (1/m_i + 1/m_j) of the stiffest spring, 1/s^2, with infinite mass for held particles; 0 without
// springs.
double stiffness_of_spring(const System *system);

// A velocity filter F, wherever the step uses it: v = F v at positions x.
typedef struct VelocityFilter {
    void (*apply)(void *self, const double *x, double *v);
    void *self;
    bool constant; // F does not depend on x
} VelocityFilter;

// Where F has its smallest eigenvalue. A negative one inverts modes.
FilteredMode stiffness_lowest_symbol(const System *system, const double *x, VelocityFilter filter,
                                     KrylovEffort effort, double *mode, Arena *scratch);

// The largest eigenvalue a of F (I + F)^-1 M^-1 K. With F > 0 between velocity and position update,
// symplectic Euler loses stability at the eigenvalue -1, where h^2 K = 2 (I + F^-1), so at
// h = sqrt(2 / a). Returns the mode as a pair with  f k / (1 + f) = a.
FilteredMode stiffness_filtered(const System *system, const double *x, VelocityFilter filter,
                                KrylovEffort effort, double *mode, Arena *scratch);

// The largest eigenvalue a of F M^-1 K, as a pair with  f k = a. It decides when forces are
// filtered. Algorithm 1 (Ahmad et al.) also takes 2 / sqrt(a) as the step limit of a velocity
// filter: for a mode of symbol f the true limit is sqrt((1 + f) / 2) of it.
FilteredMode stiffness_filtered_force(const System *system, const double *x, VelocityFilter filter,
                                      KrylovEffort effort, double *mode, Arena *scratch);

// Estimate all that a scheme needs; the rest stays unchanged. `first` is the effort for a mode
// that was never estimated, `again` for the others. `follow`: products for k0 and its like where
// they were estimated before and a few are enough; 0: as the others. After `follow_least` of them
// it ends where the value settles. `shape_only`: nothing but x has changed since the last estimate,
// so what depends on a constant filter alone is still known.
enum { STIFFNESS_FOLLOW_MAX = 8 };
typedef struct StiffnessEffort {
    KrylovEffort first, again;
    int follow_least, follow; // <= STIFFNESS_FOLLOW_MAX
    bool shape_only;
} StiffnessEffort;
enum {
    STIFFNESS_K0,
    STIFFNESS_TAUT,
    STIFFNESS_ACROSS,
    STIFFNESS_DAMPING,  // the largest eigenvalue of C
    STIFFNESS_DAMPED,   // of C - K
    STIFFNESS_UNDAMPED, // of K - C
    STIFFNESS_BUCKLING, // of -K
    STIFFNESS_CUT,      // of K and C together, as the method weighs them at its limit
    STIFFNESS_LOWEST,
    STIFFNESS_DECISIVE,
    STIFFNESS_MODES,
};
void stiffness_estimate(const System *system, const double *x, const Scheme *scheme,
                        VelocityFilter filter, const StiffnessEffort *effort,
                        double *modes[STIFFNESS_MODES], Stiffness *stiffness, Arena *scratch);

#endif
