// One scene under several methods on one clock, measured: cost, distance to a reference, energy.
#ifndef APPS_COMPARISON_H
#define APPS_COMPARISON_H

#include "base/output_file.h"
#include "scene/scene.h"
#include "stage/stage.h"

#include <stdio.h>

enum { COMPARED_MAX = STAGE_LANES_MAX - 1 }; // one place is for a hidden reference

// A lane at one moment.
typedef struct ComparisonSample {
    StageDistance error; // to the reference
    Energy energy;
    double step;    // s
    double seconds; // s, of computing so far
} ComparisonSample;

typedef struct Comparison {
    Scene scene; // what the lanes share
    int lane_count;
    Lane lanes[STAGE_LANES_MAX]; // then perhaps the hidden reference
    int reference;               // index of a lane; lane_count: the hidden one
    Stage stage;
    int sample_count;          // moments
    double *times;             // s, of each
    ComparisonSample *samples; // stage.count for each
    bool interrupted;
} Comparison;

// `reference` is the index of a lane, or -1 for lane_fine. On failure nothing is allocated.
Status comparison_init(Comparison *comparison, const Scene *scene, const Lane *lanes, int count,
                       int reference, Error *error);
void comparison_finish(Comparison *comparison); // accepts a zeroed one

// Simulate, and take a sample 60 times a simulated second, or less often in a long run. A lane that
// diverges is a result.
Status comparison_run(Comparison *comparison, double seconds, bool (*is_interrupted)(void),
                      Error *error);

void comparison_print_table(const Comparison *comparison, FILE *file);
void comparison_print_json(const Comparison *comparison, FILE *file);
void comparison_print_csv(const Comparison *comparison, FILE *file); // every sample of every lane
void comparison_draw(const Comparison *comparison, FILE *file);      // errors over time, as SVG
// Another thread may set this flag to end a step in the middle.
void comparison_set_cancel(Comparison *comparison, const atomic_bool *cancel);
// All lanes at the end, side by side and in rows, the first at the upper left.
Status comparison_write_picture(const Comparison *comparison, OutputFile *output, Error *error);

#endif
