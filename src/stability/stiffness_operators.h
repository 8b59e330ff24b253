// Private to stability/. K, C and a filter as operators in coordinates scaled by M^1/2, where K is
// symmetric; see stiffness.c.
#ifndef STABILITY_STIFFNESS_OPERATORS_H
#define STABILITY_STIFFNESS_OPERATORS_H

#include "stability/stiffness.h"

#include <stdint.h>

// p'Kp and p'K_clamped p of a random p that differ by less than this share are the same; likewise
// q'F p and p'F q.
#define SAME_STIFFNESS 1e-6
// Share of noise in a warm start: the old mode alone would miss a new, stiffer mode that is
// orthogonal to it.
#define STIFFNESS_NOISE 0.1
// Degree of the polynomial for f / (1 + f) on [0, 1]: its error is 1.4 * 0.17^(degree + 1), 1e-6,
// or 2e-4 for estimates of so few products that they miss more.
enum { DEGREE = 7, COARSE_DEGREE = 4, COARSE_PRODUCTS = 32 };

typedef struct Scaled { // the operators in scaled coordinates
    const System *system;
    const double *x;
    bool without_implicit; // subtract P from K
    Tangent implicit;      // of P
    double sign;           // of filtered_force
    VelocityFilter filter;
    Tangent tangent;
    double with_stiffness, with_damping; // a and b in  a K + b C
    double *scale;                       // sqrt(M^-1)
    double *unscale;                     // sqrt(M), 0 where held
    double *q, *r;                       // work
    double *previous, *before, *rest;
    int degree;
    double coefficient[DEGREE + 1]; // of f / (1 + f), Chebyshev on [0, 1]
} Scaled;

Scaled stiffness_scaled(const System *system, const double *x, Arena *scratch);
// out = (a K + b C) p; leaves K p in `previous`
void stiffness_combined(void *self, const double *p, double *out);
// The largest eigenvalue of an operator, from a start with a little noise.
KrylovReport stiffness_largest(Scaled *S, void (*multiply)(void *, const double *, double *),
                               KrylovEffort effort, double *mode, Arena *scratch);
// p'K p and p'C p of a unit vector
void stiffness_pair_of(Scaled *S, const double *mode, double *k, double *c);
// Noise in [-1, 1], the same on every run from the same state.
double stiffness_noise(uint32_t *state);
#define STIFFNESS_SEED 2463534242u

// ---- stiffness_follow.c

// The largest eigenvalue of K of a tangent again, with at least `fewest` and at most `products`
// products, which are STIFFNESS_FOLLOW_MAX or fewer.
KrylovReport stiffness_follow(const System *system, const double *x, Tangent tangent, int fewest,
                              int products, double *mode, Arena *scratch);

// ---- stiffness_pairs.c

// Is D = alpha K not good enough?
bool stiffness_needs_pairs(const System *system, const double *x, const Scheme *scheme,
                           Arena *scratch);
// The corners of the polygon, and the pair that decides.
void stiffness_find_corners(const System *system, const double *x, const Scheme *scheme,
                            const KrylovEffort efforts[STIFFNESS_MODES],
                            double *modes[STIFFNESS_MODES], Stiffness *stiffness, Arena *scratch);

#endif
