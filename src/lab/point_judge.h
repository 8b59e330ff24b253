// Is a simulation stable with its present parameters? Two answers, for a point of a map or a sweep:
// theory's, and that of a short run of real steps from noise.
//
// Theory is step_limit (stability/limits.h) at the present shape. A run starts from the same shape,
// at rest and in balance, with noise of a millionth of a spacing (simulation/probe.h); it has grown
// when its last quarter is three times as large as the one before the half.
#ifndef LAB_POINT_JUDGE_H
#define LAB_POINT_JUDGE_H

#include "simulation/probe.h"

typedef enum PointTheory {
    POINT_UNKNOWN,
    POINT_STABLE,
    POINT_UNSTABLE,
    POINT_BEYOND,  // more than is surely stable, where theory has only a bound
    POINT_REFUSED, // these values do not go together
} PointTheory;
const char *point_theory_name(int theory); // "stable", "unstable", "beyond", ...

PointTheory point_theory(const SimulationView *view, double h); // of a step h, s

typedef enum PointRun {
    POINT_STAYED,
    POINT_GREW,
    POINT_CLOSE,   // too little happened in so few steps
    POINT_BUCKLED, // what grew gives way, which is physics
} PointRun;
const char *point_run_name(int run); // "stayed", "grew", ...

enum { POINT_RUN_STEPS = 240 };

// Memory of such runs, for cloths of one size at a time.
typedef struct NoiseRun {
    State *saved;
    double *extra, *x, *v; // flat
    int dofs;
} NoiseRun;

Status noise_run_init(NoiseRun *self, Error *error);
void noise_run_finish(NoiseRun *self); // accepts a zeroed one
// From the present shape, with the step in use. The simulation is left as it was.
Status noise_run_judge(NoiseRun *self, Simulation *simulation, PointRun *out, Error *error);

#endif
