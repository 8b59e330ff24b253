// Where something that is stable becomes unstable: a scan and a bisection, for steps, damping and
// stiffness alike.
#ifndef STABILITY_SEARCH_H
#define STABILITY_SEARCH_H

#include <stdbool.h>

typedef struct StableAt {
    bool (*test)(const void *self, double value); // is it stable at this value?
    const void *self;
} StableAt;

// The last stable value between a stable and an unstable one, to rounding.
double search_between(StableAt stable, double inside, double outside);

// The largest value below which all are stable, by a scan from `first` > 0 upwards, each look
// `ratio` times the last, and bisection. 0 when `first` is unstable, INFINITY when `last` is
// reached.
double search_upwards(StableAt stable, double first, double last, double ratio);

#endif
