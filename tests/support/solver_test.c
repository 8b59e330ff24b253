#include "solver_test.h"

#include "base/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_golden(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", GOLDEN_DIRECTORY, name);
    FileText text;
    Error error;
    if (file_read(path, 1 << 20, &text, &error) != STATUS_OK) fail_msg("%s", error.text);
    return text.data;
}

Table golden_read(const char *name)
{
    char *text = read_golden(name), *at = strchr(text, '\n');
    Table table = {.columns = 1};
    for (const char *c = text; c < at; c++) table.columns += *c == ',';
    size_t capacity = strlen(text); // an upper bound for the count of numbers
    table.values = calloc(capacity, sizeof(double));
    assert_non_null(table.values);
    size_t count = 0;
    for (at++; *at; at++) { // `at` steps over each comma and line end
        char *end;
        table.values[count++] = strtod(at, &end);
        if (end == at) fail_msg("%s: '%.20s' is not a number", name, at);
        at = end;
    }
    free(text);
    table.rows = (int)count / table.columns;
    return table;
}

double table_at(const Table *table, int row, int column)
{
    assert_true(row < table->rows && column < table->columns);
    return table->values[row * table->columns + column];
}

void table_finish(Table *table)
{
    free(table->values);
    *table = (Table){0};
}

Scene scene_with(const char *assignments)
{
    Scene scene = scene_default();
    char text[512], *rest = text;
    snprintf(text, sizeof text, "%s", assignments);
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        Error error;
        if (params_assign(&scene.params, word, &error) != STATUS_OK) fail_msg("%s", error.text);
    }
    return scene;
}

void assert_near_at(double a, double b, double tolerance, const char *file, int line)
{
    if (fabs(a - b) <= tolerance) return;
    print_error("%.17g differs from %.17g by %g, allowed is %g\n", a, b, a - b, tolerance);
    _fail(file, line);
}

double noise(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u; // Numerical Recipes
    return (double)*state / 2147483648.0 - 1.0;
}
