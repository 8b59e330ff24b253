#include "measured/document.h"

#include "support/falling_cloth.h"
#include "support/solver_test.h"

#include "lab/analysis.h"
#include "runtime/scene_file.h"
#include "simulation/simulation_state.h"

#include <math.h>
#include <string.h>

// ---- orders ----

enum { SMALL_DOFS = 400, COUNTS_MAX = 4 };

// Positions after some seconds in so many steps, flat; false if the scene is refused.
static bool end_of(const Scene *scene, double seconds, int steps, double x[SMALL_DOFS])
{
    Scene chosen = *scene;
    chosen.params.step = seconds / steps;
    Simulation *simulation;
    if (simulation_create(&chosen, &simulation, NULL) != STATUS_OK) return false;
    run_steps(simulation, steps);
    int dofs = simulation->system.dofs;
    assert_true(dofs <= SMALL_DOFS);
    memset(x, 0, SMALL_DOFS * sizeof *x);
    memcpy(x, simulation->body.cloth.x, (size_t)dofs * sizeof *x);
    simulation_destroy(simulation);
    return true;
}

// The mean logarithm of the error over a few counts of steps, from `steps` to almost twice as many:
// where forces have a kink, the error depends on where in a step it falls.
static double log_error(const Scene *scene, double seconds, int steps, int counts,
                        const double *exact)
{
    double sum = 0.0;
    for (int c = 0; c < counts; c++) {
        double x[SMALL_DOFS], largest = 0.0;
        if (!end_of(scene, seconds, (int)lround(steps * pow(2.0, (double)c / counts)), x))
            return NAN;
        for (int i = 0; i < SMALL_DOFS; i++) largest = fmax(largest, fabs(x[i] - exact[i]));
        sum += log2(largest);
    }
    return sum / counts;
}

static void exact_end(const Scene *scene, double seconds, double x[SMALL_DOFS])
{
    Scene reference = *scene;
    reference.params.integrator = integrator_find("rk4");
    assert_true(end_of(&reference, seconds, 20000, x));
}

// NaN if the scene is refused.
static double order(const Scene *scene, double seconds, const double *exact)
{
    bool first = integrator_table[scene->params.integrator]->order == 1;
    int steps = first ? 400 : 100, finer = first ? 4 : 8, counts = first ? 1 : COUNTS_MAX;
    return (log_error(scene, seconds, steps, counts, exact) -
            log_error(scene, seconds, finer * steps, counts, exact)) /
           log2(finer);
}

#define SMALL_SECONDS 0.2
enum { DAMPINGS = 5 };
static const char *const dampings[DAMPINGS] = {
    "air=0 alpha=0", "air=0.5 alpha=0", "damping=projected alpha=2e-3",
    "damping=difference alpha=2e-3", "damping=rayleigh alpha=2e-3"};

// 4 x 4 particles pulled apart by a tenth: springs pass from tension to compression.
static Scene small_cloth(const char *assignments, const char *damping)
{
    char text[300];
    snprintf(text, sizeof text,
             "rows=4 columns=4 stretch=20 shear=10 bend=2 ground=-100 pcg_tolerance=1e-10 "
             "newton_tolerance=1e-8 %s %s",
             damping, assignments);
    Scene scene = scene_with(text);
    scene.start_stretch = 1.1;
    return scene;
}

static Scene orbit(const char *assignments)
{
    Scene scene;
    Error error;
    if (scene_load("orbit", &scene, &error) != STATUS_OK) fail_msg("%s", error.text);
    scene_assign(&scene, assignments);
    return scene;
}

static void write_order_row(FILE *out, const char *name, const char *assignments,
                            double exact[DAMPINGS][SMALL_DOFS])
{
    fprintf(out, "| %s", name);
    for (int d = 0; d < DAMPINGS; d++) {
        Scene scene = small_cloth(assignments, dampings[d]);
        double found = order(&scene, SMALL_SECONDS, exact[d]);
        if (isnan(found)) {
            fprintf(out, " | refused");
        } else {
            fprintf(out, " | %.1f", found > 0.05 ? found : 0.0); // the error does not fall
        }
    }
    fprintf(out, " |\n");
}

static void write_orders(FILE *out)
{
    double exact[DAMPINGS][SMALL_DOFS];
    for (int d = 0; d < DAMPINGS; d++) {
        Scene scene = small_cloth("", dampings[d]);
        exact_end(&scene, SMALL_SECONDS, exact[d]);
    }
    fprintf(out,
            "## Orders\n\n"
            "By how fast the error of a 4 x 4 cloth after 0.2 s falls with the step: from 0.5 to "
            "0.125 ms, and for methods of higher order, as a mean over four steps, from 2 ms to "
            "0.25 ms. Air drag is 0.5/s but in the first column, alpha 2 ms. The cloth starts "
            "pulled apart by a tenth, and its springs pass their rest length.\n\n"
            "| method | no damping | air | projected | difference | rayleigh |\n"
            "|---|---|---|---|---|---|\n");
    for (int i = 0; i < integrator_count; i++) {
        char text[80];
        snprintf(text, sizeof text, "integrator=%s", integrator_name(i));
        write_order_row(out, integrator_name(i), text, exact);
    }
    write_order_row(out, "leu, an interval of 10 ms", "integrator=leu leu_interval=0.01", exact);
    write_order_row(out, "harmonic, printed", "integrator=harmonic harmonic=printed", exact);
    write_order_row(out, "harmonic, clamped", "integrator=harmonic harmonic=clamped", exact);
    write_order_row(out, "symplectic-euler, a filter",
                    "integrator=symplectic-euler filter=exponential", exact);
    Scene taut = orbit("integrator=rk4 damping=rayleigh alpha=0.01");
    exact_end(&taut, 1.0, exact[0]);
    fprintf(out,
            "\nRayleigh damping has a kink where a spring passes its rest length. RK4 has order "
            "%.1f with it in the scene `orbit`, whose spring stays under tension.\n\n",
            order(&taut, 1.0, exact[0]));
}

// ---- damping and turning ----

#define TWO_TURNS 3.24 // s, of `orbit` without damping

static double energy_lost(const char *assignments)
{
    Scene scene = orbit(assignments);
    scene.params.step = 1e-3;
    scene.params.integrator = integrator_find("rk4");
    Simulation *simulation;
    assert_int_equal(simulation_create(&scene, &simulation, NULL), STATUS_OK);
    double start = energy_total(simulation_readings(simulation).energy);
    run_steps(simulation, (int)lround(TWO_TURNS / scene.params.step));
    double end = energy_total(simulation_readings(simulation).energy);
    simulation_destroy(simulation);
    return 1.0 - end / start;
}

static void write_turning(FILE *out)
{
    fprintf(
        out,
        "## What resists turning\n\n"
        "Energy lost in the first %.2f s of `orbit`, two turns, with alpha = 10 ms under RK4 "
        "with h = 1 ms: projected %.1f %%, rayleigh %.0f %%, difference %.0f %%. The ball turns "
        "about the pin on a spring under tension. Only `projected` lets it: the other two "
        "resist what moves across a spring, `rayleigh` in proportion to the tension.\n\n",
        TWO_TURNS, 100.0 * energy_lost("damping=projected alpha=0.01"),
        100.0 * energy_lost("damping=rayleigh alpha=0.01"),
        100.0 * energy_lost("damping=difference alpha=0.01"));
}

// ---- a draped cloth in the lab ----

static Analysis analyze(Simulation *simulation)
{
    Lab lab;
    Analysis analysis;
    AnalysisPlan plan = analysis_thorough;
    plan.map_products = 0; // only the limits
    assert_int_equal(lab_init(&lab, simulation, NULL), STATUS_OK);
    lab_analyze(&lab, simulation, &plan, &analysis);
    lab_finish(&lab);
    return analysis;
}

static void write_lab(FILE *out)
{
    Simulation *simulation = falling_cloth("air=4");
    while (simulation_time(simulation) < 12.0) run_steps(simulation, 1);
    change_params(simulation, "air=0.5 step=1e-4 filter=exponential lambda=1");
    Analysis filter = analyze(simulation);
    double unit = 2.0 / filter.omega_max;
    change_params(simulation, "filter=off integrator=explicit-euler alpha=2e-3");
    Analysis corner = analyze(simulation);
    Scheme scheme = {.integrator = integrator_table[integrator_find("explicit-euler")],
                     .coupling = 1.0};
    double alone =
        step_limit(&scheme, &(Stiffness){.k0 = corner.k0}, corner.air, corner.alpha).step;
    change_params(simulation, "integrator=imex-axial alpha=0");
    double above = 1.03 * simulation->limit.step;
    simulation->scene.params.step = above;
    simulation_sync_params(simulation);
    double start = balance_energy(&simulation->body.cloth);
    run_steps(simulation, (int)lround(10.0 / above));
    Readings buzz = simulation_readings(simulation);
    double weight = 0.2 * simulation->scene.params.gravity * simulation->body.cloth.mesh.height;
    fprintf(
        out,
        "## A draped cloth in the lab\n\n"
        "16 x 16 particles with k0 = 1e6/s^2, as in [stability-table.md](stability-table.md); "
        "steps in units of 2/omega_max.\n\n"
        "- Symplectic Euler with the exponential filter, lambda = 1, before the position "
        "update: Algorithm 1 gives %.3f, its correction %.3f, and rho of real steps crosses 1 "
        "at %.3f.\n"
        "- Explicit Euler with alpha = 2 ms, the corner of its region: theory gives %.3f for "
        "k0 alone, the program the bound %.3f, and rho crosses 1 at %.3f.\n"
        "- imex-axial at 1.03 of its limit: after 10 s a buzz of %.1f m/s with %.2f %% of m g H "
        "more energy.\n",
        filter.filter.algorithm1 / unit, filter.filter.corrected / unit,
        filter.measured_limit / unit, alone / unit, corner.limit.step / unit,
        corner.measured_limit / unit, buzz.max_speed,
        100.0 * (balance_energy(&simulation->body.cloth) - start) / weight);
    simulation_destroy(simulation);
}

void measured_write_document(FILE *out)
{
    fprintf(out,
            "# Measured\n\n"
            "Written by `build-test/tests/test_measured --write`. As a test, the same program "
            "compares: words "
            "are equal, numbers differ by one in their last digit at most. It also checks what "
            "docs/integrators.md says was measured.\n\n");
    write_orders(out);
    write_turning(out);
    write_lab(out);
}
