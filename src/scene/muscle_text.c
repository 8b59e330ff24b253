#include "scene/muscle_text.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    size_t offset; // of a number; the springs are a list
    const char *takes;
} keys[] = {
    {"springs", 0, "pairs of particles that a spring joins, such as 3-4 7-8; at most 8"},
    {"amplitude", offsetof(Muscle, amplitude), "a number, a share of the rest length"},
    {"period", offsetof(Muscle, period), "a number (s)"},
    {"phase", offsetof(Muscle, phase), "a number (degrees)"},
    {"start", offsetof(Muscle, start), "a number (s)"},
};
enum { KEYS = sizeof keys / sizeof keys[0], KEY_SPRINGS = 0 };

// A whole number from 0 on; what follows, NULL if it is not there.
static const char *read_particle(const char *text, int *out)
{
    char *end;
    if (*text < '0' || *text > '9') return NULL; // strtol would take blanks and a sign
    long value = strtol(text, &end, 10);
    if (value > INT_MAX) return NULL;
    *out = (int)value;
    return end;
}

static bool read_springs(const char *text, Muscle *muscle)
{
    muscle->count = 0;
    for (text += strspn(text, " \t"); *text; text += strspn(text, " \t")) {
        if (muscle->count == MUSCLE_SPRINGS_MAX) return false;
        int *ends = muscle->ends[muscle->count++];
        text = read_particle(text, &ends[0]);
        if (!text || *text != '-') return false;
        text = read_particle(text + 1, &ends[1]);
        if (!text || (*text && !strchr(" \t", *text))) return false;
    }
    return muscle->count > 0;
}

static bool read_number(const char *text, double *out)
{
    char *end;
    *out = strtod(text, &end);
    return end != text && *end == '\0';
}

static double *number_of(Muscle *muscle, int key)
{
    return (double *)(void *)((char *)muscle + keys[key].offset);
}

Status muscle_assign(Muscle *muscle, unsigned *given, const char *name, const char *value,
                     Error *error)
{
    int key = 0;
    while (key < KEYS && strcmp(keys[key].name, name) != 0) key++;
    if (key == KEYS)
        return error_set(error, STATUS_BAD_PARAMETER,
                         "[muscle] has no \"%.60s\"; it takes springs, amplitude, period, phase, "
                         "start",
                         name);
    if (*given & 1u << key)
        return error_set(error, STATUS_BAD_PARAMETER, "%s is given twice", name);
    Muscle changed = *muscle;
    bool read = key == KEY_SPRINGS ? read_springs(value, &changed)
                                   : read_number(value, number_of(&changed, key));
    if (!read)
        return error_set(error, STATUS_BAD_PARAMETER, "%s = %.60s is not allowed: it takes %s",
                         name, value, keys[key].takes);
    *muscle = changed;
    *given |= 1u << key;
    return STATUS_OK;
}

// As many digits as it takes to read the same number again.
static void print_number(FILE *file, const char *name, double value)
{
    char text[32];
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    fprintf(file, "%s = %s\n", name, text);
}

void muscle_print(const Muscle *muscle, FILE *file)
{
    Muscle copy = *muscle;
    fprintf(file, "springs =");
    for (int i = 0; i < muscle->count; i++)
        fprintf(file, " %d-%d", muscle->ends[i][0], muscle->ends[i][1]);
    fprintf(file, "\n");
    for (int key = 1; key < KEYS; key++) print_number(file, keys[key].name, *number_of(&copy, key));
}
