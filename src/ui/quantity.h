// How numbers are shown and how sliders map values. Arithmetic and text only.
#ifndef UI_QUANTITY_H
#define UI_QUANTITY_H

#include "scene/params.h"

// A value with its unit as people write it: three digits, seconds as s, ms or µs, large and small
// numbers as 1.05·10⁷. "∞" and "–" for infinite and undefined.
typedef struct QuantityText {
    char value[40];
    char unit[16];
} QuantityText;
QuantityText quantity_text(double value, const char *unit);
// With no more digits than the error leaves: "≈ 0.02", "−1.3·10⁻⁶", "< 3·10⁻⁷".
QuantityText quantity_text_certain(double value, double error, const char *unit);

// A time with as many decimals as a step changes, two to seven: "3.1994 s".
void quantity_time(double seconds, double step, char *out, size_t size);

// A distance in µm, mm, cm or m, to two digits: "0.41 mm", "15 cm". "0 m" and "–" as above.
QuantityText quantity_text_length(double metres);

// Read what was typed as a value of a parameter: a number with or without a unit, or the
// parameter's word. A number without a unit is in `unit`, which is shown beside it. What is not a
// value that the parameter takes is refused with a sentence, and `value` is unchanged.
Status quantity_parse(const ParamInfo *info, const char *text, const char *unit, double *value,
                      Error *error);
// The shortest number that reads back as the same value in that unit.
void quantity_print(const ParamInfo *info, double value, const char *unit, char *out, size_t size);

// Position (0 to 1) of a value on its slider, and back. A logarithmic slider whose range starts at
// 0 has 0 at its left end and six decades to the right of it.
double quantity_to_slider(const ParamInfo *info, double value);
double quantity_from_slider(const ParamInfo *info, double position);

#endif
