// Round numbers along an axis, and their labels: of the window's plots and of drawings in files.
#ifndef BASE_TICKS_H
#define BASE_TICKS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Ticks {
    double first, step; // step: a difference, or a factor if logarithmic
    bool logarithmic;
    bool fine; // logarithmic: 2 and 5 times a power of ten too
} Ticks;

// About `parts` of them; `whole`: whole numbers only. The first may lie below min.
Ticks ticks_of(double min, double max, bool logarithmic, bool whole, int parts);
double ticks_next(const Ticks *ticks, double tick);
void ticks_text(const Ticks *ticks, double value, char *out, size_t size);

// A step of 1, 2 or 5 times a power of ten that cuts `span` into about `parts`.
double ticks_round_step(double span, int parts);
// "10⁻⁶"
void ticks_power_of_ten(int exponent, char *out, size_t size);

#endif
