// Whole runs against the reference data, through the public simulation.
#include "support/solver_test.h"

#include "simulation/simulation_state.h"
#include "stability/stiffness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Case {
    const char *name;
    const char *assignments; // in addition to the common ones
    double slack; // added to the tolerance: the residual of the reference's Newton method
} Case;

static const char COMMON[] =
    "stretch=50 shear=25 bend=5 step=1e-3 alpha=1e-3 air=0.5 pcg_tolerance=1e-15 ground=-100";

static const Case cases[] = {
    {"se", "integrator=symplectic-euler", 0.0},
    {"se_undamped", "integrator=symplectic-euler air=0 alpha=0", 0.0},
    {"se_filt_asym_pre",
     "integrator=symplectic-euler filter=exponential lambda=2 filter_distance=current", 0.0},
    {"se_filt_ahmadsym_pre",
     "integrator=symplectic-euler filter=exponential lambda=2 filter_distance=current "
     "filter_form=half",
     0.0},
    {"se_filt_truesym_pre",
     "integrator=symplectic-euler filter=exponential lambda=2 filter_distance=current "
     "filter_form=conserving",
     0.0},
    {"se_filt_asym_post",
     "integrator=symplectic-euler filter=exponential lambda=2 filter_distance=current "
     "filter_place=after",
     0.0},
    {"rk4_filt_asym_post",
     "integrator=rk4 filter=exponential lambda=2 filter_distance=current filter_place=after", 0.0},
    {"se_axialdamp", "integrator=symplectic-euler damping=projected", 0.0},
    {"be", "integrator=backward-euler", 0.0},
    {"be_h10ms", "integrator=backward-euler step=1e-2", 0.0},
    {"be_fulltangent", "integrator=backward-euler tangent=full", 0.0},
    {"eu", "integrator=explicit-euler", 0.0},
    {"vv", "integrator=velocity-verlet", 0.0},
    {"rk2", "integrator=midpoint", 0.0},
    {"rk4", "integrator=rk4", 0.0},
    {"ben", "integrator=backward-euler-newton newton_tolerance=1e-14", 5e-12},
    {"ben_h10ms", "integrator=backward-euler-newton newton_tolerance=1e-14 step=1e-2", 5e-12},
    {"imex", "integrator=imex damping=difference", 0.0},
    {"imex_h10ms", "integrator=imex step=1e-2 damping=difference", 0.0},
    {"leu_clamped", "integrator=leu leu_interval=0.01", 0.0},
    {"leu_full", "integrator=leu leu_interval=0.01 tangent=full", 0.0},
    {"kang_jacobi", "integrator=harmonic damping=projected", 0.0},
    {"kang_jacobi_undamped", "integrator=harmonic damping=projected alpha=0", 0.0},
    {"kang_gs", "integrator=harmonic damping=projected sequence=on", 0.0},
    {"kang_gs_clamp1",
     "integrator=harmonic damping=projected harmonic=clamped sequence=on step=1e-2", 0.0},
    {"kang_jacobi_ksplit_clamp1",
     "integrator=harmonic damping=projected harmonic=clamped step=1e-2", 0.0},
};
enum { CASES = sizeof cases / sizeof cases[0] };

static const char *const grids[] = {"3x3", "8x8"};
static const int sides[] = {3, 8};

static Simulation *start(int g, const char *assignments)
{
    char all[400], path[512];
    snprintf(all, sizeof all, "rows=%d columns=%d %s %s", sides[g], sides[g], COMMON, assignments);
    Scene scene = scene_with(all);
    Simulation *simulation;
    Error error;
    assert_int_equal(simulation_create(&scene, &simulation, &error), STATUS_OK);
    snprintf(path, sizeof path, "%s/%s_initial.csv", GOLDEN_DIRECTORY, grids[g]);
    if (simulation_read_state(simulation, path, &error) != STATUS_OK) fail_msg("%s", error.text);
    return simulation;
}

static bool golden_exists(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", GOLDEN_DIRECTORY, name);
    FILE *file = fopen(path, "r");
    if (file) fclose(file);
    return file != NULL;
}

// One row of summary.csv: grid,case,h,N,kinetic,elastic,gravity,max_speed,max_strain.
static void check_summary(const Simulation *simulation, const char *grid, const char *name, int N,
                          double tolerance)
{
    char path[512], row_grid[16], row_case[64];
    snprintf(path, sizeof path, "%s/summary.csv", GOLDEN_DIRECTORY);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%*[^\n]"), 0);
    double h, kinetic, elastic, gravity, speed, strain;
    int row_N;
    bool found = false;
    while (!found && fscanf(file, " %15[^,],%63[^,],%lf,%d,%lf,%lf,%lf,%lf,%lf", row_grid, row_case,
                            &h, &row_N, &kinetic, &elastic, &gravity, &speed, &strain) == 9) {
        found = strcmp(row_grid, grid) == 0 && strcmp(row_case, name) == 0 && row_N == N;
    }
    fclose(file);
    assert_true(found);
    Readings readings = simulation_readings(simulation);
    assert_near(readings.energy.kinetic, kinetic, tolerance);
    assert_near(readings.energy.elastic, elastic, tolerance);
    assert_near(readings.energy.gravity, gravity, tolerance);
    assert_near(readings.max_speed, speed, tolerance);
    assert_near(readings.max_strain, strain, tolerance);
    if (N > 0) assert_near(readings.time, N * h, 1e-12);
    assert_int_equal(readings.step_count, N);
}

static void compare_state(const Simulation *simulation, const char *file, double tolerance)
{
    double largest = 0.0; // compared after the loop, so that a failure names its file
    const Cloth *cloth = &simulation->body.cloth;
    Table table = golden_read(file);
    assert_int_equal(table.rows, cloth->mesh.particle_count);
    for (int p = 0; p < table.rows; p++) {
        Vec3 x = mesh_vector(&cloth->mesh, cloth->x, p), v = mesh_vector(&cloth->mesh, cloth->v, p);
        const double got[6] = {x.x, x.y, x.z, v.x, v.y, v.z};
        for (int c = 0; c < 6; c++) {
            double difference = fabs(got[c] - table_at(&table, p, 1 + c));
            if (!(difference <= largest)) largest = difference;
        }
    }
    if (!(largest <= tolerance)) {
        fail_msg("%s: off by %g, allowed is %g", file, largest, tolerance);
    }
    table_finish(&table);
}

static void runs_follow_the_reference(void **state)
{
    (void)state;
    const int counts[] = {1, 10, 100};
    const double tolerances[] = {1e-12, 1e-10, 1e-7};
    int compared = 0;
    for (int g = 0; g < 2; g++) {
        for (int c = 0; c < CASES; c++) {
            Simulation *simulation = start(g, cases[c].assignments);
            check_summary(simulation, grids[g], "initial", 0, 1e-14);
            int done = 0;
            for (int k = 0; k < 3; k++) {
                char file[96];
                snprintf(file, sizeof file, "%s_%s_N%d.csv", grids[g], cases[c].name, counts[k]);
                if (!golden_exists(file)) continue;
                for (; done < counts[k]; done++) {
                    assert_int_equal(simulation_step(simulation, NULL), STATUS_OK);
                }
                double tolerance = tolerances[k] + cases[c].slack;
                compare_state(simulation, file, tolerance);
                check_summary(simulation, grids[g], cases[c].name, counts[k], tolerance);
                compared++;
            }
            simulation_destroy(simulation);
        }
    }
    // three of each for 3x3 and one for 8x8; vv, rk2, leu_full and ben_h10ms have no N100
    assert_int_equal(compared, 4 * CASES - 4);
}

// The estimate with as many products as needed.
static double converged_k0(Simulation *simulation)
{
    const System *system = &simulation->system;
    Arena scratch;
    assert_int_equal(arena_init(&scratch, stiffness_scratch_size(system->dofs, 64), NULL),
                     STATUS_OK);
    double *mode = calloc((size_t)system->dofs, sizeof(double)), value = 0.0;
    for (int k = 0; k < 3; k++) {
        arena_reset(&scratch);
        value = stiffness_k0(system, simulation->body.cloth.x,
                             (KrylovEffort){.steps = 64, .products = 64}, mode, &scratch)
                    .value;
    }
    free(mode);
    arena_finish(&scratch);
    return value;
}

static double reference_k0(const char *grid, const char *what)
{
    char path[512], name[64];
    snprintf(path, sizeof path, "%s/%s_k0.csv", GOLDEN_DIRECTORY, grid);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%*[^\n]"), 0);
    double value, result = NAN;
    while (fscanf(file, " %63[^,],%lf", name, &value) == 2) {
        if (strcmp(name, what) == 0) result = value;
    }
    fclose(file);
    return result;
}

static void k0_agrees_with_the_reference(void **state)
{
    (void)state;
    for (int g = 0; g < 2; g++) {
        Simulation *simulation = start(g, "");
        double initial = reference_k0(grids[g], "k0_initial_full");
        double rest = reference_k0(grids[g], "k0_rest_flat");
        assert_near(converged_k0(simulation), initial, 1e-9 * initial);
        // the window's value, from a few products
        assert_near(simulation_readings(simulation).k0, initial, 2e-3 * initial);

        const Command reset = {.kind = COMMAND_RESET};
        assert_int_equal(simulation_apply(simulation, &reset, NULL), STATUS_OK);
        assert_near(converged_k0(simulation), rest, 1e-9 * rest);
        assert_near(simulation_readings(simulation).k0, rest, 2e-3 * rest);
        simulation_destroy(simulation);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_follow_the_reference),
        cmocka_unit_test(k0_agrees_with_the_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
