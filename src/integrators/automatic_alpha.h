// Rayleigh's alpha from theory: enough damping for methods that need it, never so much that it
// makes the step unstable.
#ifndef INTEGRATORS_AUTOMATIC_ALPHA_H
#define INTEGRATORS_AUTOMATIC_ALPHA_H

#include "integrators/integrator.h"

typedef enum AlphaRule {
    ALPHA_CORRECTED, // strictly inside the stable region
    ALPHA_PAPER,     // Shinya's as printed, where he gives one; it may lie on the edge
    ALPHA_RULES,
} AlphaRule;

const char *alpha_rule_name(int rule); // NULL outside the enumeration

// alpha, s, >= 0, for a step h and modes 0 < k <= k0 (1/s^2) with air drag `air` (1/s).
double automatic_alpha(const Integrator *integrator, const StepOptions *options, AlphaRule rule,
                       double h, double k0, double air);

// The largest step that some alpha of these rules makes stable, s; INFINITY if there is no limit.
double automatic_alpha_step_limit(const Integrator *integrator, const StepOptions *options,
                                  double k0, double air);

#endif
