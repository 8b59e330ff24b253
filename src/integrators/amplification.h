// Linear stability of an integrator from its amplification matrix G: one step maps (x, h v) to
// G (x, h v). Everything here follows from Integrator.amplification, whatever the method.
#ifndef INTEGRATORS_AMPLIFICATION_H
#define INTEGRATORS_AMPLIFICATION_H

#include "integrators/integrator.h"

// A single spring without filter: X = h (air + stiff), Y = h^2 k.
Mode mode_at(double h, double k, double air, double alpha);

double spectral_radius(double G[2][2]);

// G with a filter of symbol f applied to v after the step: diag(1, f) G.
void amplification_filter_after(double f, double G[2][2]);

// Does every mode 0 <= k <= k0 stay bounded under a step h? By Jury's test on G: eigenvalues on the
// unit circle count as stable. `coupling` is Mode's.
bool modes_are_stable(const Integrator *integrator, const StepOptions *options, double coupling,
                      double h, double k0, double air, double alpha);

// The largest h below which every step keeps all modes stable, by a scan upwards and bisection.
double step_limit_search(const Integrator *integrator, const StepOptions *options, double coupling,
                         double k0, double air, double alpha);

// The integrator's own rule, or else the search for single springs.
double integrator_step_limit(const Integrator *integrator, const StepOptions *options, double k0,
                             double air, double alpha);

// The largest h below which every step keeps all modes 0 <= k <= k0 stable while a filter
// multiplies velocities after the step, whatever its symbol between `lowest` and 1 is for each of
// them.
double step_limit_filtered_after(const Integrator *integrator, const StepOptions *options,
                                 double k0, double air, double alpha, double lowest);

#endif
