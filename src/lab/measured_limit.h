// The largest stable step as the real step has it: the h at which the step map's rho crosses 1, by
// bisection on measurements. For filters, methods and damping that no 2x2 matrix describes.
#ifndef LAB_MEASURED_LIMIT_H
#define LAB_MEASURED_LIMIT_H

#include "lab/step_map.h"
#include "simulation/probe.h"

// The cloth's own growth where it buckles: eigenvalues of the step that physics has too.
typedef struct Buckling {
    double k_min; // 1/s^2; >= 0: none
    double air;   // 1/s
    double alpha; // s
} Buckling;

// A measured value counts as growth from here on: neutral modes show 1 to within the step map's
// shift.
#define MEASURED_NEUTRAL 2e-4

// By how much a step h makes buckling grow, at least 1: exactly, and as the scheme does it.
// INFINITY where an implicit step is longer than buckling takes.
double buckling_rho(const Buckling *buckling, const Scheme *scheme, double h);

// A growth that physics has too: real, positive, and as far as its residual tells no faster than
// the softest direction's. Beyond an implicit method's pole nothing can be told apart.
bool value_is_buckling(const RitzValue *value, double buckling_rho);

// The largest |theta| of a measurement that is no buckling, with the residual of its value: that of
// a value which says more than its residual; 0 when there is none.
double numerical_rho(const StepMapResult *result, double buckling_rho, double *residual);
// Is there one above 1, beyond its residual?
bool measured_unstable(const StepMapResult *result, double buckling_rho);

// The probe's steps for step_map_measure, about its shape; `shift` as there.
StepMapProblem probe_problem(SimulationProbe *probe, double shift);

// Between guess / 16 and 16 guess, to a relative 0.1 %; INFINITY when stable throughout, 0 when
// unstable throughout. `products` per measurement.
double measured_limit(StepMap *map, SimulationProbe *probe, const Scheme *scheme,
                      const Buckling *buckling, double guess, int products);

#endif
