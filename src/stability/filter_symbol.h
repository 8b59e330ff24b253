// What a filter does to waves on an endless grid: it multiplies the wave exp(i (p column + q row))
// by its symbol. The filter is described by its weights at the distances of a grid's springs.
#ifndef STABILITY_FILTER_SYMBOL_H
#define STABILITY_FILTER_SYMBOL_H

#include <stdbool.h>

typedef struct FilterSymbol {
    double near, diagonal, far; // weights at distances 1, sqrt 2 and 2 times the spacing; own: 1
    bool rope;                  // one row: no diagonals, no rows above and below
    bool half;                  // the mean with the old value
} FilterSymbol;

// Weights exp(-lambda d), or exp(-(lambda d)^2).
FilterSymbol filter_symbol_of(bool gaussian, double lambda, bool half, bool rope);
double filter_symbol_at(const FilterSymbol *filter, double p, double q);

// Along the threads (p, 0) or along the diagonal (p, p), 0 <= p <= pi: where the symbol turns
// negative. NaN if it stays positive. A rope has no diagonal.
double filter_symbol_zero(const FilterSymbol *filter, bool diagonal);
// The smallest symbol of all waves.
double filter_symbol_least(const FilterSymbol *filter);

#endif
