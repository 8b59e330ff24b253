// What one step does to one mode: its amplification matrix G, which maps (x, h v) to that of the
// next step, in the plane X = h d, Y = h^2 k. Everything in this directory follows from it.
//
// Jury's test, T = trace G, D = det G: stable iff
//   J1  1 - T + D > 0   else an eigenvalue above +1: monotone growth
//   J2  1 + T + D > 0   else one below -1: the sign flips every step
//   J3  D < 1           else a growing oscillation
#ifndef STABILITY_AMPLIFICATION_H
#define STABILITY_AMPLIFICATION_H

#include "integrators/integrator.h"

// Where a filter of symbol f acts. It multiplies the mode by its symbol.
typedef enum SchemeFilter {
    SCHEME_UNFILTERED,
    SCHEME_FILTER_BEFORE, // on v, between velocity and position update
    SCHEME_FILTER_AFTER,  // on v, after the step
    SCHEME_FILTER_FORCE,  // on f
} SchemeFilter;

// A method as linear stability sees it.
typedef struct Scheme {
    const Integrator *integrator;
    StepOptions options;
    SchemeFilter filter;
    double coupling;  // Mode's; 1 for a single spring
    double wind;      // 1/s, damping that the wind adds to a mode
    double air_share; // of X in a region: what air drag has of all damping
} Scheme;

typedef enum Jury {
    JURY_STABLE,
    JURY_MARGINAL,    // an eigenvalue on the unit circle, to rounding
    JURY_MONOTONE,    // J1 fails
    JURY_FLIP,        // J2 fails
    JURY_OSCILLATION, // J3 fails
} Jury;

const char *jury_name(Jury jury); // "stable", "marginal", "monotone growth", ...

typedef struct Amplification {
    double G[2][2];
    double re[2], im[2]; // eigenvalues
    double rho;
    double slack; // the smallest slack in J1, J2, J3: negative when unstable
    Jury jury;
} Amplification;

// At one point of the plane; the scheme's air_share of X is air drag, symbol is the filter's (1:
// none).
Amplification amplification_at(const Scheme *scheme, double X, double Y, double symbol);
// A mode of stiffness k, 1/s^2, under a step h, s, with d = air + alpha k.
Amplification amplification_of(const Scheme *scheme, double h, double k, double air, double alpha,
                               double symbol);
// The same with d = air + alpha c, where damping has modes of its own.
Amplification amplification_of_pair(const Scheme *scheme, double h, double k, double c, double air,
                                    double alpha, double symbol);
// Any 2x2 matrix.
Amplification amplification_judge(double G[2][2]);

#endif
