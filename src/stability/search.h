// Finds where stability is lost, by a scan and a bisection, for steps, damping and stiffness.
#ifndef STABILITY_SEARCH_H
#define STABILITY_SEARCH_H

#include <stdbool.h>

typedef struct StableAt {
    bool (*test)(const void *self, double value); // is it stable at this value?
    const void *self;
} StableAt;

// The last stable value between a stable and an unstable one, to rounding.
double search_between(StableAt stable, double inside, double outside);

// The largest value below which all are stable: a scan from `first` > 0 upwards, by a factor
// `ratio` each time, then bisection. 0 when `first` is unstable, INFINITY when the scan reaches
// `last`.
double search_upwards(StableAt stable, double first, double last, double ratio);

#endif
