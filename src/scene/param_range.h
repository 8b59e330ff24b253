// A range of values of one parameter, evenly divided or in equal ratios: an axis of a sweep or a
// map.
#ifndef SCENE_PARAM_RANGE_H
#define SCENE_PARAM_RANGE_H

#include <stdbool.h>

typedef struct ParamRange {
    int param; // index into param_table
    double min, max;
    bool logarithmic;
} ParamRange;

double param_range_value(const ParamRange *range, double share); // 0: min, 1: max
bool param_range_same(const ParamRange *a, const ParamRange *b);

#endif
