// Numbers with units, as people type them.
#include "ui/quantity.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TYPED_SIZE = 64, SEVENTEEN_DIGITS = 17 };

// All units of one kind, the parameter's own first; equal powers of ten are other spellings.
typedef struct Unit {
    const char *name;
    int exponent; // of ten, to the first unit of its kind
    const char *of;
} Unit;

// clang-format off
static const Unit units[] = {
    {"s",   0, "s"}, {"ms", -3, "s"}, {"µs", -6, "s"}, {"μs", -6, "s"}, {"us", -6, "s"},
    {"ns", -9, "s"},
    {"N/m", 0, "N/m"}, {"kN/m", 3, "N/m"}, {"mN/m", -3, "N/m"},
    {"m",   0, "m"}, {"cm", -2, "m"}, {"mm", -3, "m"},
    {"1/s", 0, "1/s"}, {"s⁻¹", 0, "1/s"}, {"/s", 0, "1/s"}, {"1/ms", 3, "1/s"},
    {"m/s", 0, "m/s"}, {"cm/s", -2, "m/s"}, {"mm/s", -3, "m/s"},
    {"m/s²", 0, "m/s²"}, {"m/s2", 0, "m/s²"}, {"m/s^2", 0, "m/s²"}, {"cm/s²", -2, "m/s²"},
    {"cm/s2", -2, "m/s²"}, {"cm/s^2", -2, "m/s²"},
    {"kg/m²", 0, "kg/m²"}, {"kg/m2", 0, "kg/m²"}, {"kg/m^2", 0, "kg/m²"}, {"g/m²", -3, "kg/m²"},
    {"g/m2", -3, "kg/m²"}, {"g/m^2", -3, "kg/m²"},
    {"kg/m²s", 0, "kg/m²s"}, {"kg/m2s", 0, "kg/m²s"}, {"g/m²s", -3, "kg/m²s"}, {"g/m2s", -3, "kg/m²s"},
    {"°",   0, "°"}, {"deg", 0, "°"}, {"degrees", 0, "°"},
    {"",    0, ""}, {"%", -2, ""}, {"×", 0, ""}, {"x", 0, ""},
};
// clang-format on
enum { UNIT_COUNT = sizeof units / sizeof units[0] };

static const Unit *unit_find(const ParamInfo *info, const char *name)
{
    for (int i = 0; i < UNIT_COUNT; i++) {
        bool fits = strcmp(units[i].of, info->unit) == 0 && strcmp(units[i].name, name) == 0;
        // a whole number is a count of something
        if (fits && (info->kind == PARAM_REAL || name[0] == '\0')) return &units[i];
    }
    return NULL;
}

// ", in s, ms, µs or ns"
static void name_units(const ParamInfo *info, char *out, size_t size)
{
    const char *names[UNIT_COUNT];
    int count = 0, last = 1000;
    for (int i = 0; i < UNIT_COUNT; i++) {
        bool spelling = units[i].exponent == last;
        if (strcmp(units[i].of, info->unit) != 0 || !unit_find(info, units[i].name)) continue;
        last = units[i].exponent;
        if (!spelling && units[i].name[0]) names[count++] = units[i].name;
    }
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < count && used < size; i++) {
        const char *joint = i == 0 ? (info->unit[0] ? ", in " : ", also in ") : ", ";
        if (i > 0 && i == count - 1) joint = " or ";
        used += (size_t)snprintf(out + used, size - used, "%s%s", joint, names[i]);
    }
}

static Status refuse(const ParamInfo *info, const char *text, Error *error)
{
    char allowed[PARAM_ALLOWED_SIZE], in[128];
    param_allowed(info, allowed, sizeof allowed);
    name_units(info, in, sizeof in);
    return error_set(error, STATUS_BAD_PARAMETER, "%s = %.60s is not allowed: it takes %s%s.",
                     info->label, text[0] ? text : "(nothing)", allowed, in);
}

// The length of a decimal number at the start of a text, 0 if there is none. Where its exponent
// begins.
static size_t number_length(const char *text, size_t *mantissa)
{
    const char *c = text;
    int digits = 0;
    if (*c == '-' || *c == '+') c++;
    for (; isdigit((unsigned char)*c); c++) digits++;
    if (*c == '.') c++;
    for (; isdigit((unsigned char)*c); c++) digits++;
    *mantissa = (size_t)(c - text);
    if (digits == 0) return 0;
    if (*c == 'e' || *c == 'E') {
        const char *e = c + 1;
        if (*e == '-' || *e == '+') e++;
        if (isdigit((unsigned char)*e)) {
            while (isdigit((unsigned char)*e)) e++;
            c = e;
        }
    }
    return (size_t)(c - text);
}

// The typed text without blanks around it, and with an ASCII minus sign.
static bool tidy(const char *text, char out[TYPED_SIZE])
{
    static const char minus[] = "−";
    size_t length = 0;
    while (isspace((unsigned char)*text)) text++;
    while (*text && length + 1 < TYPED_SIZE) {
        bool is_minus = strncmp(text, minus, sizeof minus - 1) == 0;
        out[length++] = is_minus ? '-' : *text;
        text += is_minus ? sizeof minus - 1 : 1;
    }
    while (length > 0 && isspace((unsigned char)out[length - 1])) length--;
    out[length] = '\0';
    return *text == '\0';
}

// With the unit's power of ten in the number's own exponent, so that it is rounded only once.
static double scaled(const char *number, size_t mantissa, size_t length, int exponent)
{
    char text[TYPED_SIZE + 16];
    long own = mantissa < length ? strtol(number + mantissa + 1, NULL, 10) : 0;
    if (own > 999 || own < -999) own = own > 0 ? 999 : -999;
    snprintf(text, sizeof text, "%.*se%ld", (int)mantissa, number, own + exponent);
    return strtod(text, NULL);
}

Status quantity_parse(const ParamInfo *info, const char *text, const char *unit, double *value,
                      Error *error)
{
    char typed[TYPED_SIZE];
    if (!tidy(text, typed)) return refuse(info, text, error);
    if (info->word && strcmp(typed, info->word) == 0) {
        *value = PARAM_WORD;
        return STATUS_OK;
    }
    size_t mantissa, length = number_length(typed, &mantissa);
    const char *after = typed + length;
    while (isspace((unsigned char)*after)) after++;
    const Unit *in = unit_find(info, *after ? after : unit);
    if (length == 0 || !in) return refuse(info, typed, error);
    double number = scaled(typed, mantissa, length, in->exponent);
    Params params = params_default();
    // the word has its own text; its number is not a value a user may write
    if (number < info->min || param_set(&params, info, number, NULL) != STATUS_OK)
        return refuse(info, typed, error);
    *value = number;
    return STATUS_OK;
}

void quantity_print(const ParamInfo *info, double value, const char *unit, char *out, size_t size)
{
    const Unit *in = unit_find(info, unit);
    double power = pow(10.0, in ? in->exponent : 0);
    for (int digits = 3; digits <= SEVENTEEN_DIGITS; digits++) {
        double again;
        snprintf(out, size, "%.*g", digits, value / power);
        if (quantity_parse(info, out, unit, &again, NULL) == STATUS_OK && again == value) return;
    }
}
