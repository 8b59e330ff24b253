#include "scene/param_range.h"

#include <math.h>

double param_range_value(const ParamRange *range, double share)
{
    if (range->logarithmic) return range->min * pow(range->max / range->min, share);
    return range->min + share * (range->max - range->min);
}

bool param_range_same(const ParamRange *a, const ParamRange *b)
{
    return a->param == b->param && a->min == b->min && a->max == b->max &&
           a->logarithmic == b->logarithmic;
}
