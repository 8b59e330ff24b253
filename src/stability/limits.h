// How large step, damping and stiffness may be: one answer for the automatic step, the monitor, the
// autopsy, the window, `run` and `analyze`.
//
// A cloth is described by a few eigenvalues (Stiffness), a method by its amplification matrix.
#ifndef STABILITY_LIMITS_H
#define STABILITY_LIMITS_H

#include "stability/amplification.h"

typedef struct FilteredMode {
    double k;      // 1/s^2
    double symbol; // the filter's factor for it
} FilteredMode;

// The eigenvalues that decide whether a cloth is stable. stability/stiffness.h estimates them.
enum { CORNERS_MAX = 24 };
typedef struct Stiffness {
    double k0;     // 1/s^2, the largest eigenvalue of M^-1 K
    double taut;   // 1/s^2, k0 when springs that are slack now are pulled; 0 when none can be slack
    double across; // 1/s^2, of M^-1 (K - P): what a method that solves with P leaves explicit
    double spring; // 1/s^2, k (1/m_i + 1/m_j) of the stiffest spring; 0 when there are none
    double wind;  // 1/s, no mode is damped more than this by the wind, and some not at all; 0: none
    bool single;  // there is only that one
    bool contact; // a particle lies on the floor, which holds it
    bool rayleigh; // C is the clamped K, and K itself for the stiffest mode, as far as one can tell
    // Where D = alpha C has other modes than K: corners of a polygon around all pairs
    // (p'K p, p'C p) of unit vectors p, which theory calls a joint field of values. A mode of the
    // damped cloth has one of these pairs. k < 0: it buckles, but must not flip. count = 0: C = K.
    int corner_count;
    double corner_k[CORNERS_MAX], corner_c[CORNERS_MAX]; // 1/s^2
    double deciding_k, deciding_c; // 1/s^2, of the mode that fails first; 0 when that is not known
    bool uneven; // a filter's mean is not symmetric: it takes from some modes and feeds others
    // only valid with a filter F:
    FilteredMode lowest;   // where F has its smallest eigenvalue
    FilteredMode decisive; // where F (I + F)^-1 K, or F K for a filter of forces, has its largest,
                           // with slack springs pulled too. Where F K has its smallest if F has
                           // negative ones: the mode that grows fastest when a filter inverts modes
} Stiffness;

// Modes to judge together.
enum { MODE_SET_MAX = 640 };
typedef struct ModeSet {
    int count;
    double k[MODE_SET_MAX];      // 1/s^2, the stiffest last
    double c[MODE_SET_MAX];      // 1/s^2, damping per alpha: d = air + alpha c
    double symbol[MODE_SET_MAX]; // the filter's factor for each
    double wind; // 1/s: the wind adds to the damping of each mode something from 0 to this
} ModeSet;

// The whole Rayleigh line 0 < k <= k0, denser at the soft end.
ModeSet mode_set_line(double k0, double symbol);
// The scheme with the coupling that springs have on this cloth, on the safe side.
Scheme scheme_on(const Scheme *scheme, const Stiffness *stiffness);
// The modes that decide whether a scheme is stable on a cloth.
ModeSet mode_set_of(const Scheme *scheme, const Stiffness *stiffness);

// The same as if C were K.
Stiffness stiffness_on_line(const Stiffness *stiffness);
// Are a bound from pairs and what C = K gives so close that both are the truth?
bool bound_is_close(const Stiffness *stiffness, double bound, double on_line);

double modes_largest_c(const ModeSet *modes); // 1/s^2
double modes_largest_rho(const Scheme *scheme, const ModeSet *modes, double h, double air,
                         double alpha);
// True when all modes and rigid motion stay bounded under a step h. Eigenvalues on the unit circle
// count as stable.
bool modes_are_stable(const Scheme *scheme, const ModeSet *modes, double h, double air,
                      double alpha);
// The largest h below which they are, s: INFINITY if every step is stable, 0 if none is.
double modes_step_limit(const Scheme *scheme, const ModeSet *modes, double air, double alpha);

// The range of Rayleigh's alpha at a step: all modes are stable for low < alpha < high.
typedef struct AlphaRange {
    double low, high; // s; low > high when there is none, high may be INFINITY
} AlphaRange;
AlphaRange modes_alpha_range(const Scheme *scheme, const ModeSet *modes, double h, double air);

typedef struct StepLimit {
    double step;   // s: INFINITY if every step is stable, 0 if none is
    bool is_bound; // every step up to it is stable, larger ones may be stable too
    bool but_soft; // but soft modes may grow slowly at any step: a filter feeds them, no air damps
} StepLimit;
StepLimit step_limit(const Scheme *scheme, const Stiffness *stiffness, double air, double alpha);
// "the limit" or "what is surely stable": the name of a limit wherever it is shown.
const char *step_limit_name(StepLimit limit);

// The factor by which all stiffness may grow until h is the limit; below 1 when h already exceeds
// it. INFINITY if there is no bound.
double stiffness_room(const Scheme *scheme, const Stiffness *stiffness, double h, double air,
                      double alpha);

// With stiffness k that an implicit method leaves explicit, and its Rayleigh damping alpha k: h^2 k
// + 2 h alpha k <= 4 + 2 h d0, s. A filter of symbol f after the step makes the 4 2 + 2 f: `symbol`
// is the lowest f.
double across_step_limit(double k, double air, double alpha, double symbol);

// The step of `step = auto`, s: a share `safety` of the limit, but never more than the method's
// default, which is chosen for accuracy. A method that is unstable at (almost) every step, such as
// explicit Euler without damping, gets a small share of the stiffest period instead: it then grows
// as theory says, at a bearable cost. Where springs go slack, the step is so small that they gain
// nothing when they snap taut, or no more than damping takes.
double automatic_step(const Integrator *integrator, const Stiffness *stiffness, StepLimit limit,
                      double air, double alpha, double safety);

#endif
