// The eigenvalues of a cloth that decide about its stability, from products with K and F.
//
// Every estimate takes a flat array `mode`: the start on entry (all zero: no guess) and what it
// found on return, in coordinates scaled by M^1/2. A few products suffice from a warm start.
#ifndef STABILITY_STIFFNESS_H
#define STABILITY_STIFFNESS_H

#include "linalg/krylov.h"
#include "stability/limits.h"

size_t stiffness_scratch_size(int dofs, int steps); // bytes that an estimate takes from the scratch

// k0, the largest eigenvalue of M^-1 K over the free degrees of freedom, 1/s^2, with the full
// tangent K at x.
KrylovReport stiffness_k0(const System *system, const double *x, KrylovEffort effort, double *mode,
                          Arena *scratch);

// What bounds a method that is implicit along springs only (P, the axial part of K) and explicit
// across them. It is stable while  h^2 (K - 2 P) - 2 h D <= (4 + 2 h d0) M  (integrators/imex.c),
// and therefore while  h^2 k <= 4 + 2 h d0  for k, the largest eigenvalue of M^-1 (K - P): what
// tension adds across springs. Within 2 % of the true limit where the cloth is smooth, up to 45 %
// below it in folds, where the same motion runs along other springs. With share = 1 that is k. With
// share = 2 it is what the limit itself follows from, but found so slowly from a few products that
// it only shows instability for certain.
typedef struct AcrossMode {
    double k;     // 1/s^2, of M^-1 (K - share P); 0 or less: any step is stable
    double full;  // 1/s^2, the share of K in the mode
    double axial; // 1/s^2, that of P
} AcrossMode;
AcrossMode stiffness_across(const System *system, const double *x, double share,
                            KrylovEffort effort, double *mode, Arena *scratch);

// k (1/m_i + 1/m_j) of the stiffest spring, 1/s^2, held particles having infinite mass; 0 without
// springs.
double stiffness_of_spring(const System *system);

// A velocity filter F, wherever in the step it is used: v = F v at positions x.
typedef struct VelocityFilter {
    void (*apply)(void *self, const double *x, double *v);
    void *self;
} VelocityFilter;

// Where F has its smallest eigenvalue. Below 0 it turns modes round.
FilteredMode stiffness_lowest_symbol(const System *system, const double *x, VelocityFilter filter,
                                     KrylovEffort effort, double *mode, Arena *scratch);

// The largest eigenvalue a of F (I + F)^-1 M^-1 K: with F > 0 between velocity and position update
// symplectic Euler loses its stability at the eigenvalue -1, where h^2 K = 2 (I + F^-1), so at
// h = sqrt(2 / a). The mode is given as a pair with  f k / (1 + f) = a.
FilteredMode stiffness_filtered(const System *system, const double *x, VelocityFilter filter,
                                KrylovEffort effort, double *mode, Arena *scratch);

// The largest eigenvalue a of F M^-1 K, as a pair with  f k = a. It decides where forces are
// filtered. 2 / sqrt(a) is also what Algorithm 1 (Ahmad et al.) takes for the step limit under a
// filter of velocities: per mode of symbol f the truth is sqrt((1 + f) / 2) of it.
FilteredMode stiffness_filtered_force(const System *system, const double *x, VelocityFilter filter,
                                      KrylovEffort effort, double *mode, Arena *scratch);

// Where F M^-1 K has its smallest eigenvalue, as a pair with f < 0: what a filter that turns modes
// round makes grow fastest. k = 0 when it turns none round.
FilteredMode stiffness_turned(const System *system, const double *x, VelocityFilter filter,
                              KrylovEffort effort, double *mode, Arena *scratch);

// All that a scheme needs. What it does not need is left as it is. `first` is spent on a mode that
// was never estimated, `again` on one that was.
typedef struct StiffnessEffort {
    KrylovEffort first, again;
} StiffnessEffort;
enum { STIFFNESS_K0, STIFFNESS_ACROSS, STIFFNESS_LOWEST, STIFFNESS_DECISIVE, STIFFNESS_MODES };
void stiffness_estimate(const System *system, const double *x, const Scheme *scheme,
                        VelocityFilter filter, const StiffnessEffort *effort,
                        double *modes[STIFFNESS_MODES], Stiffness *stiffness, Arena *scratch);

#endif
