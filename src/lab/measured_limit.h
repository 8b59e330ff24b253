// The largest stable step, measured with real steps: the h at which the step map's rho crosses 1,
// by bisection. For filters, methods and damping that no 2x2 matrix describes.
#ifndef LAB_MEASURED_LIMIT_H
#define LAB_MEASURED_LIMIT_H

#include "lab/step_map.h"
#include "simulation/probe.h"

// What theory says of growth at a step h, so that a measurement can tell buckling from numerics.
typedef struct GrowthTheory {
    const Scheme *scheme;
    const Stiffness *stiffness;
    double k_min; // 1/s^2, may be above the true one
    double air;   // 1/s
    double alpha; // s
} GrowthTheory;

// True when a measurement shows growth that is neither buckling nor rounding.
bool measured_unstable(const StepMapResult *result);
// The same where theory knows better: only growth with a residual far below it.
bool measured_surely(const StepMapResult *result);

// The probe's steps for step_map_measure, about its shape.
StepMapProblem probe_problem(SimulationProbe *probe, const GrowthTheory *theory);

// The h at which growth begins: above `guess`, up to `longest`, or, if the guess is unstable, below
// it, down to 1/200. To a relative 0.05 %; INFINITY when no step is unstable, 0 when all are.
// `products` per measurement.
double measured_limit(StepMap *map, SimulationProbe *probe, const GrowthTheory *theory,
                      double guess, double longest, int products);

#endif
