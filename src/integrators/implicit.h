// Code shared by the implicit methods: the linear system of one Newton step, and retrying a step.
#ifndef INTEGRATORS_IMPLICIT_H
#define INTEGRATORS_IMPLICIT_H

#include "integrators/integrator.h"

// Solve (M (1 + h d0) + h^2 K + h D) dv = b + J with K and D of the last linearisation, and add to
// the report. J are the impulses of the system's contacts, which depend on the velocities v that dv
// is added to. False when PCG met negative curvature: the caller then uses the clamped tangent and
// counts a fallback. b must be 0 at held degrees of freedom. If report->cancelled is set, the
// caller returns at once, with x, v and memory unchanged.
bool implicit_solve(const Step *step, const double *b, const double *v, double *dv);
// Between solves: whether the step was cancelled.
bool implicit_is_cancelled(const Step *step);
bool implicit_has_contacts(const System *system);
size_t implicit_scratch_size(int dofs);
// v' = v + dv,   v' = F v' if there is a filter,   x' = x + h v'
void implicit_finish(const Step *step, const double *dv, double *x, double *v);
// G when all stiffness and damping are implicit: (1 + X + Y) w' = w - Y x, f, x' = x + w'.
void implicit_amplification(const StepOptions *options, const Mode *mode, double G[2][2]);
double implicit_step_limit(const StepOptions *options, double k0, double air, double alpha);

// One step of a method that may fail: `attempt` tries to advance by step->h and returns whether it
// worked; if not, it leaves x and v unchanged unless `anyhow`. The step is then taken in 2, 4, ...
// parts, each counted in report->retries (Shinya 5.2: a smaller step keeps the matrix definite). If
// the smallest parts fail too, their result is kept and report->unconverged is set. An attempt that
// is cancelled returns false.
typedef bool StepAttempt(const Step *step, bool anyhow, double *x, double *v);
void step_in_parts(const Step *step, StepAttempt *attempt, double *x, double *v);
size_t step_in_parts_scratch_size(int dofs); // in addition to that of one attempt

#endif
