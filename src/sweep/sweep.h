// A sweep: one scene on a grid of parameter values, and what to measure at each point of it.
//
// Points are numbered from 0, the first axis slowest. A point is a simulation of its own, so the
// result does not depend on the order in which points are computed, nor on which thread or machine
// does it.
#ifndef SWEEP_SWEEP_H
#define SWEEP_SWEEP_H

#include "scene/param_range.h"
#include "scene/scene.h"
#include "sweep/measures.h"

enum { SWEEP_AXES = 4, SWEEP_POINTS_MAX = 10000000 };

typedef struct SweepAxis {
    int param; // index into param_table
    int count;
    double *values; // each printed with ten digits is itself, unless it came from a list
    char text[160]; // "step=0.0001:0.01:log:40", in one spelling
} SweepAxis;

typedef struct Sweep {
    Scene scene; // without lanes
    int axis_count;
    SweepAxis axes[SWEEP_AXES];
    int measure_count;
    int measures[MEASURES_MAX]; // indices into measure_table
    double seconds;             // s, simulated by a run
    double time;                // s, simulated before an analysis
    int shard, shards;          // this part of so many, from 1; 1 of 1: all
} Sweep;

void sweep_finish(Sweep *sweep); // accepts a zeroed one

// "NAME=FROM:TO:lin|log:COUNT" or "NAME=VALUE,VALUE,...".
Status sweep_add_axis(Sweep *sweep, const char *text, Error *error);
// "NAME,NAME,..." of measure_table.
Status sweep_set_measures(Sweep *sweep, const char *text, Error *error);
Status sweep_set_shard(Sweep *sweep, const char *text, Error *error); // "2/3"
// Axes and measures are there, and the grid is not too large.
Status sweep_check(const Sweep *sweep, Error *error);

long sweep_points(const Sweep *sweep);          // of all shards
bool sweep_has(const Sweep *sweep, long point); // in this shard
double sweep_value(const Sweep *sweep, long point, int axis);
Scene sweep_scene(const Sweep *sweep, long point);

// What a file of this sweep starts with: comment lines that say what it is, then the columns'
// names. Files with equal definitions go together. malloc'ed; NULL without memory.
char *sweep_definition(const Sweep *sweep, Error *error);
// A row without its end of line: the point's number, its values and what was measured.
void sweep_print_row(const Sweep *sweep, long point, const Measured *measured, char *text,
                     size_t size);
enum { SWEEP_ROW_SIZE = 1024 };

#endif
