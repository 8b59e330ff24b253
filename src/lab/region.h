// Linear stability of an integrator in the plane X = h d, Y = h^2 k: everything follows from its
// amplification matrix G, which maps (x, h v) to the next step's.
//
// Jury's test, T = trace G, D = det G: stable iff
//   J1  1 - T + D > 0   else an eigenvalue above +1: monotone growth
//   J2  1 + T + D > 0   else one below -1: the sign flips every step
//   J3  D < 1           else a growing oscillation
#ifndef LAB_REGION_H
#define LAB_REGION_H

#include "integrators/integrator.h"

// Where a filter of symbol f acts.
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
    double coupling; // Mode's; 1 for a single spring
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
    double slack; // the smallest of J1, J2, J3's: negative when unstable
    Jury jury;
} Amplification;

// At one point; air_share of X is air drag, symbol is the filter's (1: none).
Amplification region_at(const Scheme *scheme, double X, double Y, double air_share, double symbol);
// A mode of stiffness k under a step h.
Amplification region_mode(const Scheme *scheme, double h, double k, double air, double alpha,
                          double symbol);

// Modes to judge together: stiffness, 1/s^2, and what the filter multiplies each with.
enum { MODE_SET_MAX = 256 };
typedef struct ModeSet {
    int count;
    double k[MODE_SET_MAX];
    double symbol[MODE_SET_MAX];
} ModeSet;

// The whole Rayleigh line 0 < k <= k0, unfiltered, the soft end more densely.
ModeSet mode_set_line(double k0);

double region_largest_rho(const Scheme *scheme, const ModeSet *modes, double h, double air,
                          double alpha);
// The largest h below which all modes, and rigid motion, are stable; INFINITY if any is, 0 if none
// is.
double region_step_limit(const Scheme *scheme, const ModeSet *modes, double air, double alpha);

// Rayleigh's alpha that a step allows: all modes are stable for low < alpha < high.
typedef struct AlphaRange {
    double low, high; // s; low > high when there is none, high may be INFINITY
} AlphaRange;
AlphaRange region_alpha_range(const Scheme *scheme, const ModeSet *modes, double h, double air);

// A part of the plane.
typedef struct RegionBox {
    double x0, x1, y0, y1;
} RegionBox;
RegionBox region_default_box(const Integrator *integrator); // where its boundary is

// The boundary of the stable region inside a box, as polylines.
typedef struct RegionBoundary {
    int line_count;
    int *first;         // per line, and one past the last: where its points start
    double (*point)[2]; // X, Y
} RegionBoundary;

// `closed`: what is outside the box counts as unstable, so that every line is a closed outline of
// the stable part, for filling.
Status region_boundary(const Scheme *scheme, RegionBox box, double symbol, bool closed,
                       RegionBoundary *out, Error *error);
void region_boundary_finish(RegionBoundary *boundary); // accepts a zeroed one

#endif
