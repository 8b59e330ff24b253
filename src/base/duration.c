#include "base/duration.h"

#include <math.h>
#include <stdio.h>

// A step of 0.4 ms is not called 400 µs: most steps of a cloth are around a millisecond.
DurationText duration_text(double seconds)
{
    static const struct {
        double below, factor;
        const char *unit;
    } scales[] = {{0.995e-4, 1e6, "\u00b5s"}, {0.0995, 1e3, "ms"}};
    DurationText out;
    double size = fabs(seconds), factor = 1.0;
    const char *unit = "s";
    for (int i = 0; i < 2 && size > 0.0; i++) {
        if (size >= scales[i].below) continue;
        factor = scales[i].factor;
        unit = scales[i].unit;
        break;
    }
    snprintf(out.text, sizeof out.text, "%.3g %s", factor * seconds, unit);
    return out;
}
