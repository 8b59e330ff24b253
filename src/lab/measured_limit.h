// The largest stable step, measured with real steps: the h at which the step map's rho crosses 1,
// by bisection. For filters, methods and damping that no 2x2 matrix describes.
#ifndef LAB_MEASURED_LIMIT_H
#define LAB_MEASURED_LIMIT_H

#include "lab/step_map.h"
#include "simulation/probe.h"

// The cloth's own growth where it buckles: eigenvalues of the step that belong to the physics.
typedef struct Buckling {
    double k_min; // 1/s^2; >= 0: none
    double air;   // 1/s
    double alpha; // s
} Buckling;

// A measured value counts as growth above this: neutral modes show 1 to within the step map's
// shift.
#define MEASURED_NEUTRAL 2e-4

// Growth of buckling in a step h, at least 1: the larger of the exact growth and the scheme's.
// INFINITY where an implicit step is longer than buckling takes.
double buckling_rho(const Buckling *buckling, const Scheme *scheme, double h);

// Growth that belongs to the physics: real, positive and, within its residual, no faster than that
// of the softest direction. Beyond an implicit method's pole all values count as buckling.
bool value_is_buckling(const RitzValue *value, double buckling_rho);

// The largest |theta| of a measurement that is not buckling, with its residual. Only values that
// say more than their residual count; 0 when there is none.
double numerical_rho(const StepMapResult *result, double buckling_rho, double *residual);
// True when such a value is above 1 by more than its residual.
bool measured_unstable(const StepMapResult *result, double buckling_rho);

// The probe's steps for step_map_measure, about its shape; `shift` as there.
StepMapProblem probe_problem(SimulationProbe *probe, double shift);

// Between guess / 16 and 16 guess, to a relative 0.1 %; INFINITY when stable throughout, 0 when
// unstable throughout. `products` per measurement.
double measured_limit(StepMap *map, SimulationProbe *probe, const Scheme *scheme,
                      const Buckling *buckling, double guess, int products);

#endif
