// The spectrum of M^-1 K at one state, from products with K alone: its two ends with error bounds,
// the shapes of the stiffest modes, and the density of modes.
//
// K is the full tangent, so it is indefinite where springs are compressed: a negative eigenvalue is
// a direction in which the cloth buckles, with any integrator. Held degrees of freedom and padding
// are left out. One thread at a time; only spectrum_init allocates memory.
#ifndef LAB_SPECTRUM_H
#define LAB_SPECTRUM_H

#include "lab/free_dofs.h"
#include "linalg/krylov.h"

enum {
    SPECTRUM_BASIS = 64, // Lanczos vectors kept before a restart
    SPECTRUM_MODES = 8,  // stiffest modes with a shape
    SPECTRUM_SOFT = 4,   // softest Ritz vectors kept; the first one has a shape
    SPECTRUM_BINS = 48,
    SPECTRUM_PROBE_STEPS = 96, // per probe of the density
};

typedef struct SpectrumMode {
    double k;        // 1/s^2
    double residual; // 1/s^2: M^-1 K has an eigenvalue within this distance of k
    double *shape;   // flat displacements, the largest coordinate is 1; owned by the Spectrum
} SpectrumMode;

// Fractions of all modes, by stochastic Lanczos quadrature. Bin b covers |k| from
// low (high/low)^(b/BINS) to low (high/low)^((b+1)/BINS).
typedef struct SpectrumDensity {
    double low, high; // 1/s^2
    double positive[SPECTRUM_BINS];
    double negative[SPECTRUM_BINS]; // buckling modes, by |k|
    double near_zero;               // |k| < low
} SpectrumDensity;

typedef struct Spectrum {
    // results
    int free_count;               // number of modes
    int products;                 // used by the last spectrum_lanczos
    double k0, k0_residual;       // largest eigenvalue, 1/s^2; 0 when nothing is free
    double k_min, k_min_residual; // smallest; a Rayleigh quotient, so negative is certain
    int mode_count;
    SpectrumMode modes[SPECTRUM_MODES]; // stiffest first
    SpectrumMode soft;                  // of k_min
    SpectrumDensity density;

    // work
    Arena memory;
    FreeDofs free;
    Krylov krylov;  // of packed vectors
    double *kept;   // vectors that a restart keeps
    double *ritz;   // SPECTRUM_MODES + SPECTRUM_SOFT packed vectors of the last call: a warm start
    int warm;       // how many of them are valid
    double *off;    // subdiagonal of a probe
    double *S;      // small dense matrix: eigenvectors, by columns
    double *theta;  // Ritz values
    unsigned noise; // state of packed_noise
} Spectrum;

Status spectrum_init(Spectrum *spectrum, int dofs, Error *error);
void spectrum_finish(Spectrum *spectrum); // accepts a zeroed one

// Both ends by Lanczos with full re-orthogonalisation and thick restarts (Wu & Simon 2000),
// starting from the modes of the last call. Stops after `products` products, or when k0 and k_min
// are known to `tolerance` times k0.
void spectrum_lanczos(Spectrum *spectrum, const System *system, const double *x, int products,
                      double tolerance);
// The modes of the last call at a new shape: Rayleigh quotients of the old shapes with residuals of
// now, by one product each, and the softest one by a few steps of Lanczos from the old one. k0 and
// k_min are the largest and the smallest of them; modes that have become stiffer since are not
// seen. False, and nothing is done, when there are none to follow.
bool spectrum_follow(Spectrum *spectrum, const System *system, const double *x);
// The caller may pass a guess of the softest mode, flat. It is used if its Rayleigh quotient is
// below k_min, which Lanczos finds slowly. One product.
void spectrum_try_soft(Spectrum *spectrum, const System *system, const double *x,
                       const double *shape);
// Forget the modes of the last call: the cloth has changed.
void spectrum_forget(Spectrum *spectrum);

// The density over [low, high] = k0 [1e-6, 1], from `probes` random vectors (Ubaru, Chen & Saad
// 2017), SPECTRUM_PROBE_STEPS products each. Needs k0.
void spectrum_density(Spectrum *spectrum, const System *system, const double *x, int probes);

// The power method as in the papers, from a random start, for teaching: value[i] is the Rayleigh
// quotient after i + 1 products.
void spectrum_power(Spectrum *spectrum, const System *system, const double *x, int products,
                    double *value);

#endif
