#include "ui/quantity.h"

#include "base/certain.h"
#include "base/ticks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DECADES_ABOVE_ZERO 1e-6 // smallest non-zero value of a logarithmic slider, over its largest
#define ZERO_END 0.02           // share of such a slider's length that means 0

// Up to three significant digits, without an exponent. Trailing zeros stay, so that a changing
// number does not jump.
static void print_digits(double value, int digits, char *out, size_t size)
{
    double magnitude = fabs(value);
    int decimals = magnitude >= 99.95 ? 0 : magnitude >= 9.995 ? 1 : 2;
    if (magnitude > 0.0 && magnitude < 0.0995) decimals = magnitude < 0.00995 ? 4 : 3;
    if (digits < 3 && magnitude > 0.0) {
        int most = digits - 1 - (int)floor(log10(magnitude) + 1e-9);
        decimals = most < 0 ? 0 : most < decimals ? most : decimals;
    }
    snprintf(out, size, "%s%.*f", value < 0.0 ? "−" : "", decimals, magnitude); // a true minus sign
}

static QuantityText text_of(double value, int digits, const char *unit)
{
    QuantityText text = {0};
    snprintf(text.unit, sizeof text.unit, "%s", unit);
    if (isnan(value)) {
        snprintf(text.value, sizeof text.value, "–");
    } else if (isinf(value)) {
        snprintf(text.value, sizeof text.value, value > 0 ? "∞" : "−∞");
        text.unit[0] = '\0';
    } else if (strcmp(unit, "s") == 0 && value != 0.0 && fabs(value) < 0.0995) {
        bool micro = fabs(value) < 0.995e-4;
        print_digits(value * (micro ? 1e6 : 1e3), digits, text.value, sizeof text.value);
        snprintf(text.unit, sizeof text.unit, micro ? "µs" : "ms");
    } else if (value != 0.0 && (fabs(value) >= 99950.0 || fabs(value) < 0.000995)) {
        int exponent = (int)floor(log10(fabs(value)) + 2.1e-4); // 9.995 and above print as 10.0
        char mantissa[16], power[20];
        print_digits(value / pow(10.0, exponent), digits, mantissa, sizeof mantissa);
        ticks_power_of_ten(exponent, power, sizeof power);
        snprintf(text.value, sizeof text.value, "%s·%s", mantissa, power);
    } else {
        print_digits(value, digits, text.value, sizeof text.value);
    }
    return text;
}

QuantityText quantity_text(double value, const char *unit)
{
    return text_of(value, 3, unit);
}

void quantity_time(double seconds, double step, char *out, size_t size)
{
    double decimals = step > 0.0 ? ceil(-log10(step) - 1e-9) : 2.0;
    snprintf(out, size, "%.*f s", (int)fmin(fmax(decimals, 2.0), 7.0), seconds);
}

QuantityText quantity_text_length(double metres)
{
    static const struct {
        double below, factor;
        const char *unit;
    } scales[] = {{1e-4, 1e6, "µm"}, {1e-2, 1e3, "mm"}, {1.0, 1e2, "cm"}, {INFINITY, 1.0, "m"}};
    if (metres == 0.0) return (QuantityText){"0", "m"};
    int i = 0;
    while (metres >= 0.995 * scales[i].below && i < 3) i++;
    if (!isfinite(metres)) i = 3;
    return text_of(metres * scales[i].factor, 2, scales[i].unit);
}

QuantityText quantity_text_certain(double value, double error, const char *unit)
{
    Certain known = certain(value, error, 3);
    QuantityText text = text_of(known.value, known.digits, unit), marked = text;
    if (known.is_bound || known.is_rough)
        snprintf(marked.value, sizeof marked.value, "%s%.34s", known.is_bound ? "< " : "≈ ",
                 text.value);
    return marked;
}

static double lowest_above_zero(const ParamInfo *info)
{
    return info->min > 0.0 ? info->min : info->max * DECADES_ABOVE_ZERO;
}

double quantity_to_slider(const ParamInfo *info, double value)
{
    if (!(value > info->min)) return 0.0;
    if (value >= info->max) return 1.0;
    if (!info->logarithmic) return (value - info->min) / (info->max - info->min);
    double low = lowest_above_zero(info), start = info->min > 0.0 ? 0.0 : ZERO_END;
    double t = log(value / low) / log(info->max / low);
    return start + (1.0 - start) * fmax(t, 0.0);
}

double quantity_from_slider(const ParamInfo *info, double position)
{
    position = fmin(fmax(position, 0.0), 1.0);
    double value;
    if (!info->logarithmic) {
        value = info->min + position * (info->max - info->min);
    } else {
        double low = lowest_above_zero(info), start = info->min > 0.0 ? 0.0 : ZERO_END;
        if (position < start) return 0.0;
        value = low * pow(info->max / low, (position - start) / (1.0 - start));
    }
    if (info->kind != PARAM_REAL) return round(value);
    if (value == 0.0) return 0.0;
    // three significant digits: nobody wants 331.0478 N/m
    char rounded[32];
    snprintf(rounded, sizeof rounded, "%.3g", value);
    return fmin(fmax(strtod(rounded, NULL), info->min), info->max);
}
