// Which values of two parameters are stable, all others unchanged: a map, from theory, and checked
// at some points by short runs of real steps.
//
// Both are lab/point_judge.h's, as in a sweep, here at the simulation's present shape.
//
// It is made line by line, coarsely first, so that it can be done now and then. One thread at a
// time.
#ifndef LAB_STABILITY_MAP_H
#define LAB_STABILITY_MAP_H

#include "lab/point_judge.h"
#include "scene/param_range.h"

enum {
    MAP_COLUMNS = 48,
    MAP_ROWS = 36,
    MAP_RUNS_ACROSS = 6,
    MAP_RUNS_DOWN = 4,
    MAP_RUNS = MAP_RUNS_ACROSS * MAP_RUNS_DOWN,
};

typedef struct MapRequest {
    ParamRange x, y; // numbers that do not rebuild the cloth
} MapRequest;
bool map_request_same(const MapRequest *a, const MapRequest *b);

typedef struct MapRun {
    int column, row;
    PointRun outcome;
} MapRun;

typedef struct StabilityMap {
    MapRequest request;
    double time; // s, of the state
    double step; // s, where it is not one of the two
    double k0;   // 1/s^2, of the state
    // PointTheory at the middle of a cell, the lowest row first. While it is made, a cell may have
    // the value of a neighbour.
    unsigned char cell[MAP_ROWS][MAP_COLUMNS];
    // Where the step is one of the two, and alpha is not automatic: its limit at the middle of each
    // line of cells, for the other one's value, s; NaN: not known yet. Lines are rows if the step
    // is along x.
    double edge[MAP_COLUMNS];
    int run_count;
    MapRun runs[MAP_RUNS];
    bool complete;
} StabilityMap;
double map_x(const StabilityMap *map, int column); // at the middle
double map_y(const StabilityMap *map, int row);

typedef struct Mapper Mapper;
Status mapper_create(Mapper **out, Error *error);
void mapper_destroy(Mapper *mapper); // accepts NULL

// Begin a map at a state of a simulation, which is copied.
Status mapper_begin(Mapper *mapper, const Simulation *simulation, const MapRequest *request,
                    Error *error);
// Go on until `deadline`, clock_seconds; at least one line or run. False when it was complete.
bool mapper_go_on(Mapper *mapper, double deadline);
const StabilityMap *mapper_map(const Mapper *mapper); // as far as it is made

#endif
