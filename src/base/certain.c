#include "base/certain.h"

#include <math.h>
#include <stdio.h>

// The last place of `digits` significant ones.
static double place_of(double value, int digits)
{
    return pow(10.0, floor(log10(fabs(value))) + 1 - digits);
}

Certain certain(double value, double error, int most)
{
    if (value == 0.0 || !isfinite(value) || !isfinite(error)) return (Certain){value, most, 0, 0};
    double magnitude = fabs(value);
    if (!(magnitude > error)) {
        double bound = magnitude + error, place = place_of(bound, 1);
        return (Certain){ceil(bound / place) * place, 1, true, false};
    }
    double ratio = error > 0.0 ? magnitude / error : INFINITY;
    int digits = ratio < pow(10.0, most) ? (int)floor(log10(ratio)) : most;
    if (digits < 1) digits = 1;
    double place = place_of(value, digits);
    return (Certain){round(value / place) * place, digits, false, ratio < 10.0};
}

void certain_print(double value, double error, char *text, size_t size)
{
    Certain known = certain(value, error, 4);
    const char *mark = known.is_bound ? "below " : known.is_rough ? "about " : "";
    snprintf(text, size, "%s%.*g", mark, known.digits, known.value);
}
