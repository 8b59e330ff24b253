// rho of the real step, against the reference spectral radii about a draped equilibrium.
#include "support/solver_test.h"

#include "lab/measured_limit.h"
#include "lab/spectrum.h"
#include "linalg/vectors.h"
#include "simulation/simulation_state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Method {
    const char *name; // in eq8_rho.csv
    const char *assignments;
} Method;

static const Method schemes[] = {
    {"eu", "integrator=explicit-euler"},
    {"se", "integrator=symplectic-euler"},
    {"vv", "integrator=velocity-verlet"},
    {"rk2", "integrator=midpoint"},
    {"rk4", "integrator=rk4"},
    {"be", "integrator=backward-euler"},
    {"ben", "integrator=backward-euler-newton"},
    {"imex", "integrator=imex"},
    {"kang_jacobi", "integrator=harmonic harmonic=corrected sequence=off"},
    {"kang_gs", "integrator=harmonic harmonic=corrected sequence=on"},
};

// The 8x8 equilibrium: springs of the reference, at rest.
static Simulation *equilibrium(const char *assignments)
{
    char text[300];
    snprintf(text, sizeof text, "rows=8 columns=8 air=0.5 ground=-100 %s", assignments);
    Scene scene = scene_with(text);
    Table springs = golden_read("eq8_springs.csv"), x = golden_read("eq8_equilibrium.csv");
    scene.params.stretch = table_at(&springs, 0, 3);
    scene.params.shear = table_at(&springs, 112, 3);
    scene.params.bend = table_at(&springs, springs.rows - 1, 3);
    Simulation *simulation;
    assert_int_equal(simulation_create(&scene, &simulation, NULL), STATUS_OK);
    const Mesh *mesh = &simulation->body.cloth.mesh;
    assert_int_equal(mesh->spring_count, springs.rows);
    for (int p = 0; p < x.rows; p++) {
        mesh_set_vector(mesh, simulation->body.cloth.x, p,
                        (Vec3){table_at(&x, p, 1), table_at(&x, p, 2), table_at(&x, p, 3)});
    }
    table_finish(&springs);
    table_finish(&x);
    return simulation;
}

typedef struct Row {
    char scheme[32];
    double alpha, air, h, ratio, rho;
} Row;

static int read_rows(Row *rows, int room)
{
    char path[512];
    snprintf(path, sizeof path, "%s/eq8_rho.csv", GOLDEN_DIRECTORY);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%*[^\n]"), 0);
    int count = 0;
    while (count < room) {
        Row *row = &rows[count];
        if (fscanf(file, " %31[^,],%lf,%lf,%lf,%lf,%lf", row->scheme, &row->alpha, &row->air,
                   &row->h, &row->ratio, &row->rho) != 6) {
            break;
        }
        count++;
    }
    fclose(file);
    return count;
}

static StepMapResult measure(Simulation *simulation, double h, int basis, int products,
                             double tolerance)
{
    const Mesh *mesh = &simulation->body.cloth.mesh;
    double *extra = mesh_flat_create(mesh);
    State *saved;
    StepMap map;
    SimulationProbe probe;
    assert_int_equal(state_create(&saved, NULL), STATUS_OK);
    assert_int_equal(step_map_init(&map, mesh->dofs, basis, NULL), STATUS_OK);
    assert_int_equal(simulation_probe_begin(simulation, h, saved, extra, &probe, NULL), STATUS_OK);
    SimulationView view = simulation_view(simulation);
    GrowthTheory theory = {.scheme = &view.scheme,
                           .stiffness = &view.stiffness,
                           .air = view.system->air,
                           .alpha = view.system->alpha};
    StepMapProblem problem = probe_problem(&probe, &theory);
    StepMapResult result = step_map_measure(&map, &problem, products, tolerance);
    simulation_probe_end(&probe);
    assert_false(result.failed);
    step_map_finish(&map);
    state_destroy(saved);
    free(extra);
    return result;
}

static StepMapResult measure_row(const Row *row, int basis, int products, double tolerance)
{
    size_t s = 0;
    while (strcmp(schemes[s].name, row->scheme) != 0) s++;
    Simulation *simulation = equilibrium(schemes[s].assignments);
    simulation->scene.params.alpha = row->alpha;
    simulation->scene.params.air = row->air;
    simulation_sync_params(simulation);
    StepMapResult result = measure(simulation, row->h, basis, products, tolerance);
    simulation_destroy(simulation);
    return result;
}

static void spectrum_matches_the_reference(void **state)
{
    (void)state;
    Table k = golden_read("eq8_k.csv");
    Simulation *simulation = equilibrium("integrator=symplectic-euler");
    Spectrum spectrum;
    assert_int_equal(spectrum_init(&spectrum, simulation->system.dofs, NULL), STATUS_OK);
    spectrum_lanczos(&spectrum, &simulation->system, simulation->body.cloth.x, 2000, 1e-10);
    assert_near(spectrum.k_min, table_at(&k, 0, 0), 1e-5);
    assert_near(spectrum.k0, table_at(&k, 0, 1), 1e-4);
    spectrum_finish(&spectrum);
    simulation_destroy(simulation);
    table_finish(&k);
}

// With a basis as large as the state the values are exact.
static void rho_matches_the_reference(void **state)
{
    (void)state;
    Row rows[64];
    int count = read_rows(rows, 64);
    assert_int_equal(count, 40);
    double worst = 0.0;
    for (int i = 0; i < count; i++) {
        StepMapResult result = measure_row(&rows[i], STEP_MAP_BASIS_MAX, 1000, 1e-5);
        double off = result.rho.value - rows[i].rho;
        if (!(result.rho.converged && fabs(off) <= 1e-5)) { // docs/stability.md
            fail_msg("%s at %g of 2/omega: rho %.6f, measured %.6f, residual %.1e", rows[i].scheme,
                     rows[i].ratio, rows[i].rho, result.rho.value, result.rho.residual);
        }
        worst = fmax(worst, fabs(off));
    }
    print_message("40 radii, the worst is off by %.1e\n", worst);
}

// The live analysis, with a small basis and few products, finds every instability and gives no
// false alarm.
static void few_products_do_not_cry_wolf(void **state)
{
    (void)state;
    Row rows[64];
    int count = read_rows(rows, 64);
    double highest = 0.0;
    for (int i = 0; i < count; i++) {
        StepMapResult result = measure_row(&rows[i], STEP_MAP_BASIS, 120, 1e-3);
        if (rows[i].rho > 1.0) {
            assert_true(result.rho.converged);
            assert_near(result.rho.value, rows[i].rho, 1e-3);
        } else {
            assert_true(result.rho.value < 1.0);
            highest = fmax(highest, result.rho.value);
        }
    }
    print_message("highest rho shown where the truth is below 1: %.6f\n", highest);
}

static void probing_leaves_no_trace(void **state)
{
    (void)state;
    Simulation *simulation = equilibrium("integrator=leu"), *other = equilibrium("integrator=leu");
    for (int i = 0; i < 20; i++) {
        simulation_step(simulation, NULL);
        simulation_step(other, NULL);
    }
    measure(simulation, 3e-3, STEP_MAP_BASIS, 20, 1e-3);
    for (int i = 0; i < 20; i++) {
        simulation_step(simulation, NULL);
        simulation_step(other, NULL);
    }
    size_t bytes = (size_t)simulation->system.dofs * sizeof(double);
    assert_memory_equal(simulation->body.cloth.x, other->body.cloth.x, bytes);
    assert_memory_equal(simulation->body.cloth.v, other->body.cloth.v, bytes);
    assert_true(simulation->now.time == other->now.time &&
                simulation->now.step_count == other->now.step_count);
    assert_memory_equal(&simulation->scene.params, &other->scene.params, sizeof(Params));
    simulation_destroy(simulation);
    simulation_destroy(other);
}

// Whichever particle it holds, and wherever it would pull it.
static void the_hand_of_a_probe_holds_still(void **state)
{
    (void)state;
    const char *const methods[] = {"integrator=symplectic-euler", "integrator=rk4",
                                   "integrator=backward-euler"};
    const Vec3 targets[] = {{1.0, 0.0, 4.0}, {-3.0, 0.5, 0.0}};
    const int particles[] = {0, 27, 63};
    for (int m = 0; m < 3; m++) {
        for (int i = 0; i < 3; i++) {
            double rho[2];
            for (int k = 0; k < 2; k++) {
                Simulation *simulation = equilibrium(methods[m]);
                Command grab = {.kind = COMMAND_GRAB, .hand = {particles[i], targets[k]}};
                assert_int_equal(simulation_apply(simulation, &grab, NULL), STATUS_OK);
                rho[k] = measure(simulation, 3e-3, STEP_MAP_BASIS, 60, 1e-3).rho.value;
                simulation_destroy(simulation);
            }
            assert_true(rho[0] == rho[1]);
        }
    }
}

// With no pins, free fall has the eigenvalues 1 and 1 - h d0, and none above.
static void rigid_motion_is_neutral(void **state)
{
    (void)state;
    Simulation *simulation = equilibrium("integrator=symplectic-euler gravity=0");
    cloth_set_pinned(&simulation->body.cloth, 0, false);
    cloth_set_pinned(&simulation->body.cloth, 7, false);
    simulation_start_over(simulation);
    cloth_set_pinned(&simulation->body.cloth, 0, false);
    cloth_set_pinned(&simulation->body.cloth, 7, false);
    StepMapResult result = measure(simulation, 3e-3, STEP_MAP_BASIS_MAX, 1000, 1e-6);
    assert_near(result.rho.value, 1.0, 2e-4);
    simulation_destroy(simulation);
}

// In parts of a few products it finds what it finds at once, to the bit.
static void parts_make_the_whole(void **state)
{
    (void)state;
    Simulation *simulation = equilibrium("integrator=symplectic-euler");
    SimulationView view = simulation_view(simulation);
    State *saved;
    assert_int_equal(state_create(&saved, NULL), STATUS_OK);
    double *extra = calloc((size_t)view.system->dofs, sizeof *extra);
    SimulationProbe probe;
    assert_int_equal(simulation_probe_begin(simulation, view.step, saved, extra, &probe, NULL),
                     STATUS_OK);
    GrowthTheory theory = {.scheme = &view.scheme, .stiffness = &view.stiffness};
    StepMapProblem problem = probe_problem(&probe, &theory);
    StepMap whole, parts;
    assert_int_equal(step_map_init(&whole, view.system->dofs, STEP_MAP_BASIS, NULL), STATUS_OK);
    assert_int_equal(step_map_init(&parts, view.system->dofs, STEP_MAP_BASIS, NULL), STATUS_OK);
    StepMapResult once = step_map_measure(&whole, &problem, 100, 1e-9);
    step_map_begin(&parts, &problem);
    for (int products = 7; !parts.ended && parts.result.products < 100; products += 7) {
        step_map_go_on(&parts, &problem, products < 100 ? products : 100, 1e-9);
        assert_true(parts.result.count > 0 && parts.result.rho.value > 0.0);
        // a residual is a distance to an eigenvalue: none of a stable step is far above 1
        assert_true(parts.result.rho.value - parts.result.rho.residual < 1.0 + 1e-3);
    }
    assert_int_equal(once.products, parts.result.products);
    assert_int_equal(once.count, parts.result.count);
    for (int i = 0; i < once.count; i++) {
        assert_true(once.values[i].re == parts.result.values[i].re);
        assert_true(once.values[i].residual == parts.result.values[i].residual);
    }
    simulation_probe_end(&probe);
    step_map_finish(&whole);
    step_map_finish(&parts);
    state_destroy(saved);
    free(extra);
    simulation_destroy(simulation);
}

// What is measured about a shape: the probe, and what theory says of it.
typedef struct Measured {
    Simulation *simulation;
    State *saved;
    double *extra;
    SimulationProbe probe;
    SimulationView view;
    GrowthTheory theory;
} Measured;

static void begin_measuring(Measured *self, Simulation *simulation)
{
    self->simulation = simulation;
    self->view = simulation_view(simulation);
    self->extra = mesh_flat_create(&simulation->body.cloth.mesh);
    assert_int_equal(state_create(&self->saved, NULL), STATUS_OK);
    assert_int_equal(simulation_probe_begin(simulation, self->view.step, self->saved, self->extra,
                                            &self->probe, NULL),
                     STATUS_OK);
    self->theory = (GrowthTheory){.scheme = &self->view.scheme,
                                  .stiffness = &self->view.stiffness,
                                  .air = self->view.system->air,
                                  .alpha = self->view.system->alpha};
}

static void end_measuring(Measured *self)
{
    simulation_probe_end(&self->probe);
    state_destroy(self->saved);
    free(self->extra);
    simulation_destroy(self->simulation);
}

// There is no growing shape before anything is measured, nor of another cloth.
static void only_what_was_measured_has_a_shape(void **state)
{
    (void)state;
    Measured m;
    begin_measuring(&m, simulation_with("rows=3 columns=3 step=1e-3"));
    StepMap map;
    assert_int_equal(step_map_init(&map, m.view.system->dofs, STEP_MAP_BASIS, NULL), STATUS_OK);
    assert_false(step_map_has_shape(&map));
    StepMapProblem problem = probe_problem(&m.probe, &m.theory);
    assert_false(step_map_measure(&map, &problem, 20, 1e-3).failed);
    assert_true(step_map_has_shape(&map));
    assert_near(vector_largest(m.view.system->dofs, map.shape), 1.0, 1e-12);
    step_map_forget(&map);
    assert_false(step_map_has_shape(&map));
    step_map_finish(&map);
    end_measuring(&m);
}

// Differences are short where springs may go slack within a long one, but not where each step is a
// solution to a tolerance, which would be most of a short one.
static void differences_are_short_only_across_a_kink(void **state)
{
    (void)state;
    static const struct {
        const char *assignments;
        bool is_short;
    } cases[] = {{"integrator=rk4 model=springs", false},
                 {"integrator=rk4 model=choi-ko", true},
                 {"integrator=backward-euler model=springs", false},
                 {"integrator=backward-euler model=choi-ko", false}};
    for (int i = 0; i < 4; i++) {
        char text[100];
        snprintf(text, sizeof text, "rows=4 columns=4 step=1e-4 %s", cases[i].assignments);
        Measured m;
        begin_measuring(&m, simulation_with(text));
        StepMapProblem problem = probe_problem(&m.probe, &m.theory);
        if (cases[i].is_short)
            assert_true(problem.length > 0.0 && problem.length < 0.2 * m.view.spacing);
        else
            assert_true(problem.length == m.view.spacing);
        end_measuring(&m);
    }
}

// Of one spring between two equal masses: k = 2 stretch / m, and beyond h^2 k + 2 h d = 4 a mode
// of symplectic Euler's begins to grow.
static void the_limit_of_a_spring_is_measured(void **state)
{
    (void)state;
    Scene scene = scene_with("rows=1 columns=2 gravity=0 air=2 alpha=0 ground=-100 stretch=55 "
                             "integrator=symplectic-euler step=1e-3");
    scene.pins = 0;
    Simulation *simulation;
    assert_int_equal(simulation_create(&scene, &simulation, NULL), STATUS_OK);
    double mass = simulation->system.mass[0], d = 2.0, k = 2.0 * 55.0 / mass;
    double limit = 4.0 / (d + sqrt(d * d + 4.0 * k));
    const double guesses[] = {0.7, 1.0, 1.4};
    for (int i = 0; i < 3; i++) {
        Measured m;
        if (i > 0) assert_int_equal(simulation_create(&scene, &simulation, NULL), STATUS_OK);
        begin_measuring(&m, simulation);
        StepMap map;
        assert_int_equal(step_map_init(&map, m.view.system->dofs, STEP_MAP_BASIS_MAX, NULL),
                         STATUS_OK);
        double measured =
            measured_limit(&map, &m.probe, &m.theory, guesses[i] * limit, 0.1, STEP_MAP_BASIS_MAX);
        print_message("limit %.6g, measured from %.1f of it: %.6g\n", limit, guesses[i], measured);
        assert_near(measured, limit, 5e-4 * limit);
        step_map_finish(&map);
        end_measuring(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_make_the_whole),
        cmocka_unit_test(spectrum_matches_the_reference),
        cmocka_unit_test(rho_matches_the_reference),
        cmocka_unit_test(few_products_do_not_cry_wolf),
        cmocka_unit_test(probing_leaves_no_trace),
        cmocka_unit_test(the_hand_of_a_probe_holds_still),
        cmocka_unit_test(rigid_motion_is_neutral),
        cmocka_unit_test(only_what_was_measured_has_a_shape),
        cmocka_unit_test(differences_are_short_only_across_a_kink),
        cmocka_unit_test(the_limit_of_a_spring_is_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
