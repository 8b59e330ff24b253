#include "stability/filter_symbol.h"

#include <math.h>

FilterSymbol filter_symbol_of(bool gaussian, double lambda, bool half, bool rope)
{
    double l = gaussian ? lambda * lambda : lambda;
    return (FilterSymbol){.near = exp(-l),
                          .diagonal = exp(-l * (gaussian ? 2.0 : sqrt(2.0))),
                          .far = exp(-l * (gaussian ? 4.0 : 2.0)),
                          .half = half,
                          .rope = rope};
}

double filter_symbol_at(const FilterSymbol *filter, double p, double q)
{
    double sum = 1.0 + 2.0 * filter->near * cos(p) + 2.0 * filter->far * cos(2.0 * p);
    double all = 1.0 + 2.0 * filter->near + 2.0 * filter->far;
    if (!filter->rope) {
        sum += 2.0 * filter->near * cos(q) + 2.0 * filter->far * cos(2.0 * q) +
               4.0 * filter->diagonal * cos(p) * cos(q);
        all += 2.0 * filter->near + 2.0 * filter->far + 4.0 * filter->diagonal;
    }
    double mean = sum / all;
    return filter->half ? 0.5 * (1.0 + mean) : mean;
}

double filter_symbol_zero(const FilterSymbol *filter, bool diagonal)
{
    enum { LOOKS = 256, BISECTIONS = 50 };
    const double end = acos(-1.0);
    for (int i = 1; i <= LOOKS; i++) {
        double high = end * i / LOOKS, low = end * (i - 1) / LOOKS;
        if (filter_symbol_at(filter, high, diagonal ? high : 0.0) >= 0.0) continue;
        for (int k = 0; k < BISECTIONS; k++) {
            double middle = 0.5 * (low + high);
            if (filter_symbol_at(filter, middle, diagonal ? middle : 0.0) < 0.0)
                high = middle;
            else
                low = middle;
        }
        return 0.5 * (low + high);
    }
    return NAN;
}

double filter_symbol_least(const FilterSymbol *filter)
{
    enum { LOOKS = 128 };
    const double end = acos(-1.0);
    double least = INFINITY;
    for (int i = 0; i <= LOOKS; i++) {
        for (int k = 0; k <= (filter->rope ? 0 : i); k++) // it is symmetric
            least = fmin(least, filter_symbol_at(filter, end * i / LOOKS, end * k / LOOKS));
    }
    return least;
}
