// The step limit under a velocity filter F, as the paper estimates it and as it is.
//
//   Algorithm 1  (Ahmad et al.) the power method on F M^-1 K gives a, and h = 2 / sqrt(a). It never
//                under-estimates: per mode of symbol f the truth is sqrt((1 + f) / 2) of it.
//   corrected    with F between velocity and position update of symplectic Euler stability is lost
//                at the eigenvalue -1, where h^2 K = 2 (I + F^-1):  h = sqrt(2 / a),
//                a = rho(F (I + F)^-1 M^-1 K),  with (I + F)^-1 w = 1/2 sum_n ((I - F) / 2)^n w.
//   neither      where the symbol turns negative: then no step is stable, whatever they return.
#ifndef LAB_FILTER_LIMIT_H
#define LAB_FILTER_LIMIT_H

#include "lab/spectrum.h"

typedef struct FilteredMode {
    double k;      // 1/s^2
    double symbol; // what F multiplies it with
} FilteredMode;

typedef struct FilterLimit {
    double algorithm1; // s
    double corrected;  // s; 0 when the symbol turns negative
    double smallest_symbol;
    bool negative; // the symbol does, or is 0
    // The modes that decide, for the 2x2 matrix: largest f k, largest f k / (1 + f), smallest f.
    FilteredMode printed_mode, corrected_mode, smallest_mode;
} FilterLimit;

// `spectrum` lends its memory. `filter` and `self` as for free_dofs_filter; 25
// iterations of the power method are 2 % low, 50 are 1 %.
FilterLimit filter_limit(Spectrum *spectrum, const System *system, const double *x,
                         void (*filter)(void *self, const double *x, double *v), void *self,
                         int iterations);

#endif
