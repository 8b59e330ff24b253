// How large a step may be: the stiffest mode of a system now, and the step that follows from it.
#ifndef ANALYSIS_STABLE_STEP_H
#define ANALYSIS_STABLE_STEP_H

#include "integrators/integrator.h"
#include "linalg/lanczos.h"

// k0, the largest eigenvalue of M^-1 K over the free degrees of freedom, 1/s^2, with the full
// tangent K at x. `mode` is the start on entry and the mode found on return (in coordinates scaled
// by M^1/2); all zero means no guess.
LanczosReport stable_step_k0(const System *system, const double *x, int products, double *mode,
                             Arena *scratch);
size_t stable_step_scratch_size(int dofs, int products);

// What bounds a method that is implicit along springs only (P, the axial part of K) and explicit
// across them. It is stable while  h^2 (K - 2 P) - 2 h D <= (4 + 2 h d0) M  (integrators/imex.c),
// and therefore while  h^2 k <= 4 + 2 h d0  for k, the largest eigenvalue of M^-1 (K - P): what
// tension adds across springs. Within 2 % of the true limit where the cloth is smooth, up to 45 %
// below it in folds, where the same motion runs along other springs. With share = 1 that is k. With
// share = 2 it is what the limit itself follows from, but found so slowly from a few products that
// it only shows instability for certain. `mode` as above.
typedef struct AcrossMode {
    double k;     // 1/s^2, of M^-1 (K - share P); 0 or less: any step is stable
    double full;  // 1/s^2, the share of K in the mode
    double axial; // 1/s^2, that of P
} AcrossMode;
AcrossMode stable_step_across(const System *system, const double *x, double share, int products,
                              double *mode, Arena *scratch);
// s; INFINITY if none. With a filter of symbol f after the step z = -1 is reached where h^2 k is
// 2 + 2 f + 2 h d0: `symbol` is the lowest f there may be, 1 without such a filter.
double stable_step_across_limit(double k, double air, double symbol);

// What `step = auto` takes, s: a share `safety` of the method's limit, but never more than the
// method's default, which is chosen for accuracy. A method that is unstable at (almost) every step,
// such as explicit Euler without damping, gets a small share of the stiffest period instead: it
// grows there as theory says, at a bearable cost.
double stable_step_automatic(const Integrator *integrator, double step_limit, double k0,
                             double safety);

#endif
