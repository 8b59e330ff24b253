// Shared by the tests of the solver: cmocka, reference data, scenes from a line of text.
#ifndef TESTS_SOLVER_TEST_H
#define TESTS_SOLVER_TEST_H

#include "scene/scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

typedef struct Table {
    int rows, columns;
    double *values;
} Table;

// A file of numbers from tests/golden, without its header line. Fails the test if it cannot be
// read.
Table golden_read(const char *name);
double table_at(const Table *table, int row, int column);
void table_finish(Table *table);

// The default scene with assignments such as "rows=3 columns=3 step=1e-3".
Scene scene_with(const char *assignments);

// |a - b| <= tolerance, and neither is NaN
#define assert_near(a, b, tolerance) assert_near_at((a), (b), (tolerance), __FILE__, __LINE__)
void assert_near_at(double a, double b, double tolerance, const char *file, int line);

// Noise in [-1, 1], the same on every run.
double noise(uint32_t *state);

#endif
