#include "solver_test.h"

#include "base/file.h"
#include "simulation/simulation_state.h"

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

void scene_assign(Scene *scene, const char *assignments)
{
    char text[512], *rest = text;
    snprintf(text, sizeof text, "%s", assignments);
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        Error error;
        if (params_assign(&scene->params, word, &error) != STATUS_OK) fail_msg("%s", error.text);
    }
}

Scene scene_with(const char *assignments)
{
    Scene scene = scene_default();
    scene_assign(&scene, assignments);
    return scene;
}

const char *const method_variants[] = {
    "explicit-euler",
    "symplectic-euler",
    "symplectic-euler-implicit-air",
    "velocity-verlet",
    "midpoint",
    "rk4",
    "backward-euler tangent=clamped",
    "backward-euler tangent=full",
    "backward-euler-newton tangent=clamped",
    "backward-euler-newton tangent=full",
    "imex",
    "imex-axial",
    "leu leu_interval=auto tangent=clamped",
    "leu leu_interval=auto tangent=full",
    "leu leu_interval=0.002 tangent=clamped",
    "leu leu_interval=0.002 tangent=full",
    "harmonic harmonic=printed sequence=off",
    "harmonic harmonic=printed sequence=on",
    "harmonic harmonic=corrected sequence=off",
    "harmonic harmonic=corrected sequence=on",
    "harmonic harmonic=clamped sequence=off",
    "harmonic harmonic=clamped sequence=on",
};
const int method_variant_count = (int)(sizeof method_variants / sizeof method_variants[0]);

Simulation *simulation_of(const Scene *scene)
{
    Simulation *simulation;
    Error error = {0};
    if (simulation_create(scene, &simulation, &error) != STATUS_OK) fail_msg("%s", error.text);
    return simulation;
}

Simulation *simulation_with(const char *assignments)
{
    Scene scene = scene_with(assignments);
    return simulation_of(&scene);
}

void run_steps(Simulation *simulation, int steps)
{
    for (int s = 0; s < steps; s++) assert_int_equal(simulation_step(simulation, NULL), STATUS_OK);
}

void apply_command(Simulation *simulation, Command command)
{
    Error error;
    if (simulation_apply(simulation, &command, &error) != STATUS_OK) {
        fail_msg("%s", error.text);
    }
}

void change_params(Simulation *simulation, const char *assignments)
{
    scene_assign(&simulation->scene, assignments);
    simulation_sync_params(simulation);
    simulation_update_stiffness(simulation);
}

Vec3 particle_position(const Simulation *simulation, int particle)
{
    return mesh_vector(&simulation->body.cloth.mesh, simulation->body.cloth.x, particle);
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

double noise_between(uint32_t *state, double low, double high)
{
    return low + 0.5 * (noise(state) + 1.0) * (high - low);
}

double noise_scaled(uint32_t *state, double low, double high)
{
    return low * pow(high / low, noise_between(state, 0.0, 1.0));
}

int noise_choice(uint32_t *state, int count)
{
    int choice = (int)noise_between(state, 0.0, count);
    return choice < count ? choice : count - 1;
}

void write_irregular_mesh(uint32_t seed, int side, const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int r = 0; r < side; r++) {
        for (int c = 0; c < side; c++) {
            double dx = 0.25 * noise(&seed), dz = 0.25 * noise(&seed);
            fprintf(file, "v %g 0 %g\n", c + dx, r + dz);
        }
    }
    for (int r = 0; r + 1 < side; r++) {
        for (int c = 0; c + 1 < side; c++) {
            int a = r * side + c + 1, b = a + 1, d = a + side, e = d + 1;
            if (noise(&seed) > 0.0)
                fprintf(file, "f %d %d %d\nf %d %d %d\n", a, d, e, a, e, b);
            else
                fprintf(file, "f %d %d %d\nf %d %d %d\n", a, d, b, b, d, e);
        }
    }
    fclose(file);
}

int test_share(void)
{
    const char *text = getenv("SELVAGE_SHARE");
    int share = text ? atoi(text) : 1;
    return share > 0 ? share : 1;
}
