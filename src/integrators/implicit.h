// What the implicit methods share: the linear system of one Newton step, and taking a step back.
#ifndef INTEGRATORS_IMPLICIT_H
#define INTEGRATORS_IMPLICIT_H

#include "integrators/integrator.h"

// Solve (M (1 + h d0) + h^2 K + h D) dv = b with K and D of the last linearisation, adding to the
// report. False when PCG met negative curvature: the caller then works with the clamped tangent and
// counts a fallback. b of held degrees of freedom must be 0.
bool implicit_solve(const Step *step, const double *b, double *dv);
size_t implicit_scratch_size(int dofs);
// v' = v + dv,   v' = F v' if there is a filter,   x' = x + h v'
void implicit_finish(const Step *step, const double *dv, double *x, double *v);
// G when all stiffness and damping are implicit: (1 + X + Y) w' = w - Y x, f, x' = x + w'.
void implicit_amplification(const StepOptions *options, const Mode *mode, double G[2][2]);
double implicit_step_limit(const StepOptions *options, double k0, double air, double alpha);

// One step of a method that may fail: `attempt` tries to advance by step->h and says whether it
// worked; where not, it leaves x and v alone unless `anyhow`. The step is then taken in 2, 4, ...
// parts, each counted in report->retries (Shinya 5.2: a smaller step keeps the matrix definite). If
// the smallest parts fail too, their result stands and report->unconverged is set.
typedef bool StepAttempt(const Step *step, bool anyhow, double *x, double *v);
void step_in_parts(const Step *step, StepAttempt *attempt, double *x, double *v);
size_t step_in_parts_scratch_size(int dofs); // beside that of one attempt

#endif
