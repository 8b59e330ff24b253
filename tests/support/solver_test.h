// Shared by the tests of the solver: cmocka, reference data, scenes from a line of text.
#ifndef TESTS_SOLVER_TEST_H
#define TESTS_SOLVER_TEST_H

#include "simulation/simulation.h"

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

// Assignments such as "rows=3 columns=3 step=1e-3" to a scene; the default scene with them.
void scene_assign(Scene *scene, const char *assignments);
Scene scene_with(const char *assignments);

// Every method with each of its options: "leu leu_interval=auto tangent=full".
extern const char *const method_variants[];
extern const int method_variant_count;

// Tests of many cases take every so manieth: 1, or $SELVAGE_SHARE, which slow builds set.
int test_share(void);

// A simulation of a scene; so many steps, none of which may fail; a command that must be taken.
Simulation *simulation_with(const char *assignments);
Simulation *simulation_of(const Scene *scene);
void run_steps(Simulation *simulation, int steps);
void apply_command(Simulation *simulation, Command command);
// Assignments to a simulation that runs, without a command.
void change_params(Simulation *simulation, const char *assignments);
Vec3 particle_position(const Simulation *simulation, int particle); // m

// |a - b| <= tolerance, and neither is NaN
#define assert_near(a, b, tolerance) assert_near_at((a), (b), (tolerance), __FILE__, __LINE__)
void assert_near_at(double a, double b, double tolerance, const char *file, int line);

// Noise in [-1, 1], the same on every run; and made from it: a number from low to high, one with an
// evenly spread logarithm, and one of 0 .. count - 1.
double noise(uint32_t *state);
double noise_between(uint32_t *state, double low, double high);
double noise_scaled(uint32_t *state, double low, double high);
int noise_choice(uint32_t *state, int count);

// An irregular sheet of triangles with side x side particles, 1 m apart, as an OBJ file.
void write_irregular_mesh(uint32_t seed, int side, const char *path);

#endif
