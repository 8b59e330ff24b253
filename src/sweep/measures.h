// What can be measured at a point of a sweep.
#ifndef SWEEP_MEASURES_H
#define SWEEP_MEASURES_H

#include "lab/analysis.h"
#include "lab/point_judge.h"
#include "scene/scene.h"

#include <stdatomic.h>

typedef struct Measured {
    double number;    // NaN: there is none
    const char *word; // instead, if not NULL
} Measured;

// What a measure needs.
enum {
    NEEDS_LIMIT = 1,     // stiffness and limit at `time`
    NEEDS_NOISE = 2,     // a short run from noise, likewise
    NEEDS_ANALYSIS = 4,  // the lab's, likewise
    NEEDS_RHO = 8,       // with rho of the real step
    NEEDS_CROSSING = 16, // with the step at which that crosses 1
    NEEDS_RUN = 32,      // `seconds` simulated from the start
};

// All that was computed at a point.
typedef struct PointData {
    SimulationView view;
    PointRun noise;
    Analysis analysis;
    Readings readings; // at the end of the run
    const char *outcome;
    double peak;        // J, the most energy in between
    double evaluations; // of forces, and products with the matrix
    double seconds;     // s of computing
} PointData;

typedef struct Measure {
    const char *name;
    const char *unit; // "" when it has none
    unsigned needs;
    Measured (*get)(const PointData *data);
    const char *help; // one sentence
} Measure;

enum { MEASURES_MAX = 32 };
extern const Measure measure_table[];
extern const int measure_count;
int measure_find(const char *name); // -1 when there is none

// Memory of one thread.
typedef struct PointWork {
    NoiseRun noise;
} PointWork;
Status point_work_init(PointWork *work, Error *error);
void point_work_finish(PointWork *work); // accepts a zeroed one

// Measure `count` things at one point; a scene that is refused has nothing but "refused".
// STATUS_INTERRUPTED when `stop` (may be NULL) became true.
Status point_measure(PointWork *work, const Scene *scene, double time, double seconds,
                     const int *measures, int count, const atomic_bool *stop, Measured *out,
                     Error *error);

#endif
