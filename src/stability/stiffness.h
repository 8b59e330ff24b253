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

// The bound for a method that is implicit along springs only (P, the axial part of K) and explicit
// across them. It is stable while  h^2 (K - 2 P) - 2 h D <= (4 + 2 h d0) M  (integrators/imex.c),
// and therefore while  h^2 k <= 4 + 2 h d0,  where k is the largest eigenvalue of M^-1 (K - P):
// what tension adds across springs. This is within 2 % of the true limit where the cloth is smooth,
// and up to 45 % below it in folds, where the same motion runs along other springs. share = 1 gives
// this k. share = 2 gives what the limit itself follows from, but it converges so slowly that a few
// products can only prove instability.
typedef struct AcrossMode {
    double k;     // 1/s^2, of M^-1 (K - share P); 0 or less: any step is stable
    double full;  // 1/s^2, the part of K in the mode
    double axial; // 1/s^2, the part of P
} AcrossMode;
AcrossMode stiffness_across(const System *system, const double *x, double share,
                            KrylovEffort effort, double *mode, Arena *scratch);

// k (1/m_i + 1/m_j) of the stiffest spring, 1/s^2, with infinite mass for held particles; 0 without
// springs.
double stiffness_of_spring(const System *system);

// A velocity filter F, wherever the step uses it: v = F v at positions x.
typedef struct VelocityFilter {
    void (*apply)(void *self, const double *x, double *v);
    void *self;
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

// Where F M^-1 K has its smallest eigenvalue, as a pair with f < 0: the mode that grows fastest
// under a filter that inverts modes. k = 0 when it inverts none.
FilteredMode stiffness_turned(const System *system, const double *x, VelocityFilter filter,
                              KrylovEffort effort, double *mode, Arena *scratch);

// Estimate all that a scheme needs; the rest stays unchanged. `first` is the effort for a mode
// that was never estimated, `again` for the others.
typedef struct StiffnessEffort {
    KrylovEffort first, again;
} StiffnessEffort;
enum {
    STIFFNESS_K0,
    STIFFNESS_TAUT,
    STIFFNESS_ACROSS,
    STIFFNESS_DAMPING, // the largest eigenvalue of C
    STIFFNESS_CUT,     // of K and C together, as the method weighs them at its limit
    STIFFNESS_LOWEST,
    STIFFNESS_DECISIVE,
    STIFFNESS_MODES,
};
void stiffness_estimate(const System *system, const double *x, const Scheme *scheme,
                        VelocityFilter filter, const StiffnessEffort *effort,
                        double *modes[STIFFNESS_MODES], Stiffness *stiffness, Arena *scratch);

#endif
