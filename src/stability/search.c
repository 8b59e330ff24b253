#include "stability/search.h"

#include <math.h>

double search_between(StableAt stable, double inside, double outside)
{
    enum { BISECTIONS = 60 };
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = 0.5 * (inside + outside);
        if (middle == inside || middle == outside) break;
        if (stable.test(stable.self, middle)) {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    return inside;
}

double search_upwards(StableAt stable, double first, double last, double ratio)
{
    double inside = 0.0, value = first;
    while (value < last && stable.test(stable.self, value)) {
        inside = value;
        value *= ratio;
    }
    if (value >= last) return INFINITY;
    return inside > 0.0 ? search_between(stable, inside, value) : 0.0;
}
