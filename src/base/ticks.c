#include "base/ticks.h"

#include <math.h>
#include <stdio.h>

double ticks_round_step(double span, int parts)
{
    double raw = span / parts, power = pow(10.0, floor(log10(raw)));
    double lead = raw / power;
    return power * (lead <= 1.0 ? 1.0 : lead <= 2.0 ? 2.0 : lead <= 5.0 ? 5.0 : 10.0);
}

void ticks_power_of_ten(int exponent, char *out, size_t size)
{
    static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char plain[16];
    snprintf(plain, sizeof plain, "%d", exponent);
    size_t used = (size_t)snprintf(out, size, "10");
    for (const char *c = plain; *c && used + 4 < size; c++)
        used += (size_t)snprintf(out + used, size - used, "%s", *c == '-' ? "⁻" : digits[*c - '0']);
}

Ticks ticks_of(double min, double max, bool logarithmic, bool whole, int parts)
{
    if (logarithmic) {
        double decades = log10(max / min);
        double step = pow(10.0, fmax(1.0, round(decades / parts)));
        bool fine = 3.0 * decades <= parts + 1;
        double first = pow(10.0, fine ? floor(log10(min) + 1e-9) : ceil(log10(min) - 1e-9));
        return (Ticks){first, step, true, fine};
    }
    double step = ticks_round_step(max - min, parts);
    if (whole) step = fmax(step, 1.0);
    return (Ticks){ceil(min / step) * step, step, false, false};
}

double ticks_next(const Ticks *ticks, double tick)
{
    if (!ticks->logarithmic) return tick + ticks->step;
    if (!ticks->fine) return tick * ticks->step;
    double lead = tick / pow(10.0, floor(log10(tick) + 1e-9));
    return tick * (lead > 1.5 && lead < 3.0 ? 2.5 : 2.0);
}

void ticks_text(const Ticks *ticks, double value, char *out, size_t size)
{
    if (ticks->logarithmic) {
        int exponent = (int)floor(log10(value) + 1e-9);
        int lead = (int)lround(value / pow(10.0, exponent));
        char power[24];
        ticks_power_of_ten(exponent, power, sizeof power);
        if (exponent > -3 && exponent < 5)
            snprintf(out, size, "%g", value);
        else if (lead == 1)
            snprintf(out, size, "%s", power);
        else
            snprintf(out, size, "%d·%s", lead, power);
        return;
    }
    int decimals = ticks->step >= 1.0 ? 0 : (int)ceil(-log10(ticks->step) - 1e-9);
    snprintf(out, size, "%.*f", decimals, fabs(value) < 0.5 * ticks->step ? 0.0 : value);
}
