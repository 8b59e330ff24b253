// Rayleigh's alpha from theory: enough damping for methods that need it, never so much that it
// makes the step unstable.
#ifndef STABILITY_AUTOMATIC_ALPHA_H
#define STABILITY_AUTOMATIC_ALPHA_H

#include "stability/limits.h"

typedef enum AlphaRule {
    ALPHA_CORRECTED, // strictly inside the stable region
    ALPHA_PAPER,     // Shinya's as printed, where there is one; it may lie on the edge
    ALPHA_RULES,
} AlphaRule;

const char *alpha_rule_name(int rule); // NULL outside the enumeration

// alpha, s, >= 0, for a step h and air drag `air` (1/s).
double automatic_alpha(const Scheme *scheme, const Stiffness *stiffness, AlphaRule rule, double h,
                       double air);

// The largest step that becomes stable with some alpha of these rules.
StepLimit automatic_alpha_step_limit(const Scheme *scheme, const Stiffness *stiffness,
                                     AlphaRule rule, double air);

// automatic_step with the alpha of these rules for it.
double automatic_alpha_step(const Scheme *scheme, const Stiffness *stiffness, AlphaRule rule,
                            double air, double safety);

#endif
