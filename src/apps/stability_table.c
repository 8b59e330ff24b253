#include "apps/stability_table.h"

#include "lab/analysis.h"
#include "simulation/state.h"

#include <math.h>
#include <string.h>

enum { SIDE = 16, RUN_STEPS = 20000, LONG_STEPS = 300, MAP_PRODUCTS = 240 };
#define SETTLE_TIME 12.0 // s, under SETTLE_AIR, until the cloth hangs still
#define AGAIN_TIME 4.0   // s, again under each method
#define SETTLE_AIR 4.0   // 1/s
#define AIR 0.5          // 1/s, in the table
#define NOISE 1e-6       // m/s, from which an instability may grow
#define GROWN 1e-3       // m/s, a thousandfold: a million times the energy
#define PRECISION 2e-3   // of a limit found by running, relative
#define LONGEST 0.1      // s, longest step tried

typedef struct Row {
    const char *name;
    const char *assignments;
    double alpha; // in units of 2 / omega_max
} Row;

// clang-format off
static const Row rows[] = {
    {"explicit-euler",                "integrator=explicit-euler", 0.8},
    {"symplectic-euler",              "integrator=symplectic-euler", 0.0},
    {"symplectic-euler, alpha",       "integrator=symplectic-euler", 0.25},
    {"symplectic-euler-implicit-air", "integrator=symplectic-euler-implicit-air", 0.0},
    {"velocity-verlet",               "integrator=velocity-verlet", 0.0},
    {"midpoint",                      "integrator=midpoint", 0.25},
    {"rk4",                           "integrator=rk4", 0.0},
    {"leu",                           "integrator=leu", 0.8},
    {"harmonic, summed",              "integrator=harmonic harmonic=corrected", 0.0},
    {"harmonic, in sequence",         "integrator=harmonic harmonic=corrected sequence=on", 0.0},
    {"harmonic, clamped",             "integrator=harmonic harmonic=clamped", 0.0},
    {"symplectic-euler, filter before", "integrator=symplectic-euler filter=exponential lambda=1", 0.0},
    {"symplectic-euler, half filter before", "integrator=symplectic-euler filter=exponential lambda=1 filter_form=half", 0.0},
    {"symplectic-euler, filter after", "integrator=symplectic-euler filter_place=after filter=exponential lambda=1", 0.0},
    {"velocity-verlet, filter after", "integrator=velocity-verlet filter_place=after filter=exponential lambda=1", 0.0},
    {"rk4, filter after",             "integrator=rk4 filter_place=after filter=exponential lambda=1", 0.0},
    {"backward-euler",                "integrator=backward-euler", 0.0},
    {"backward-euler-newton",         "integrator=backward-euler-newton", 0.0},
    {"imex",                          "integrator=imex", 0.0},
    {"imex-axial",                    "integrator=imex-axial", 0.0},
};
// clang-format on
enum { ROWS = sizeof rows / sizeof rows[0] };

// A cloth with the given k0 at rest: k0 is proportional to the stiffness.
static Status make_cloth(double k0, Simulation **out, Error *error)
{
    Scene scene = scene_default();
    Params *params = &scene.params;
    params->rows = params->columns = SIDE;
    params->ground = -100.0;
    params->air = SETTLE_AIR;
    params->alpha = 0.0;
    params->integrator = integrator_find("symplectic-euler");
    params->stretch = 100.0, params->shear = 50.0, params->bend = 10.0;
    Status status = simulation_create(&scene, out, error);
    if (status != STATUS_OK) return status;
    double factor = k0 / simulation_readings(*out).k0;
    simulation_destroy(*out);
    params->stretch *= factor, params->shear *= factor, params->bend *= factor;
    return simulation_create(&scene, out, error);
}

static Status settle(Simulation *simulation, Error *error)
{
    Status status = STATUS_OK;
    while (status == STATUS_OK && simulation_readings(simulation).time < SETTLE_TIME) {
        for (int i = 0; i < 200 && status == STATUS_OK; i++) {
            status = simulation_step(simulation, error);
        }
    }
    return status;
}

static Status set(Simulation *simulation, const char *name, double value, Error *error)
{
    Command command = command_set(name, value);
    return simulation_apply(simulation, &command, error);
}

// "integrator=rk4 filter=exponential": one after the other.
static Status set_all(Simulation *simulation, const char *assignments, Error *error)
{
    char text[200], *rest = text;
    Status status = STATUS_OK;
    snprintf(text, sizeof text, "%s", assignments);
    for (char *word = strtok_r(text, " ", &rest); word && status == STATUS_OK;
         word = strtok_r(NULL, " ", &rest)) {
        Params params = *simulation_params(simulation);
        status = params_assign(&params, word, error);
        *strchr(word, '=') = '\0';
        if (status == STATUS_OK)
            status = set(simulation, word, param_get(&params, param_find(word)), error);
    }
    return status;
}

static double total_energy(Simulation *simulation)
{
    return energy_total(simulation_readings(simulation).energy);
}

static Status shake(Simulation *simulation)
{
    enum { PARTICLES = SIDE * SIDE };
    float shape[3 * PARTICLES];
    unsigned noise = 99;
    for (int i = 0; i < 3 * PARTICLES; i++) shape[i] = (float)packed_noise(&noise);
    Command command = {.kind = COMMAND_EXCITE, .excite = {shape, PARTICLES, NOISE}};
    return simulation_apply(simulation, &command, NULL);
}

// Does a run from the settled state gain energy: at any time 2 % of m g H more than at the start,
// or at its end a million times what the noise brought? The first catches what flies apart and
// comes to rest elsewhere, the second a bounded buzz, whose energy stays far below m g H; what the
// start alone set in motion is damped by then.
static bool run_gains_energy(Simulation *simulation, const State *settled, double h, int steps)
{
    if (state_restore(settled, simulation, NULL) != STATUS_OK ||
        set(simulation, "step", h, NULL) != STATUS_OK || shake(simulation) != STATUS_OK) {
        return true;
    }
    const Params *params = simulation_params(simulation);
    double start = total_energy(simulation);
    double weight = params->density * params->size * params->size * params->gravity; // N
    for (int n = 1; n <= steps; n++) {
        if (simulation_step(simulation, NULL) != STATUS_OK) return true;
        if (n % 50 == 0 && !(total_energy(simulation) - start <= 0.02 * weight * params->size))
            return true;
    }
    return simulation_readings(simulation).max_speed > GROWN;
}

// The step where that begins, between half and twice a guess; INFINITY when even the longest does
// not; NaN when that one gains energy although rho stays below 1.
static double limit_by_running(Simulation *simulation, const State *settled, double guess)
{
    if (!isfinite(guess))
        return run_gains_energy(simulation, settled, LONGEST, LONG_STEPS) ? NAN : INFINITY;
    double stable = 0.9 * guess, unstable = 1.1 * guess;
    while (run_gains_energy(simulation, settled, stable, RUN_STEPS) && stable > 0.3 * guess)
        unstable = stable, stable *= 0.9;
    while (!run_gains_energy(simulation, settled, unstable, RUN_STEPS) && unstable < 3.0 * guess) {
        stable = unstable, unstable *= 1.1;
    }
    while (unstable - stable > PRECISION * stable) {
        double h = 0.5 * (stable + unstable);
        if (run_gains_energy(simulation, settled, h, RUN_STEPS)) {
            unstable = h;
        } else {
            stable = h;
        }
    }
    return 0.5 * (stable + unstable);
}

static Status settle_at(Simulation *simulation, double h, Error *error)
{
    double end = simulation_time(simulation) + AGAIN_TIME;
    Status status = set(simulation, "air", SETTLE_AIR, error);
    if (status == STATUS_OK) status = set(simulation, "step", h, error);
    while (status == STATUS_OK && simulation_time(simulation) < end)
        status = simulation_step(simulation, error);
    return status == STATUS_OK ? set(simulation, "air", AIR, error) : status;
}

// Hang still under the method itself: one that changes the springs' stiffness hangs elsewhere. With
// the drag that settles it some methods need a smaller step. `start` is room for a state.
static Status settle_again(Simulation *simulation, State *start, double limit, Error *error)
{
    Status status = state_save(simulation, start, error);
    for (double share = 0.98; status == STATUS_OK && share > 0.5; share -= 0.1) {
        status = settle_at(simulation, share * limit, error);
        if (status != STATUS_DIVERGED) return status;
        status = state_restore(start, simulation, error);
    }
    return status;
}

static void print_step(FILE *file, double h, double unit)
{
    if (isnan(h)) {
        fprintf(file, " | sags");
    } else if (isfinite(h)) {
        fprintf(file, " | %.4f", h / unit);
    } else {
        fprintf(file, " | none");
    }
}

static void print_difference(FILE *file, double a, double b)
{
    if (isfinite(a) && isfinite(b) && b > 0.0) {
        fprintf(file, " | %+.2f %%", 100.0 * (a / b - 1.0));
    } else {
        fprintf(file, " | ");
    }
}

static Status write_row(const Row *row, Lab *lab, Simulation *simulation, State *settled,
                        double unit, FILE *file, Error *error)
{
    Status status = set_all(simulation, row->assignments, error);
    if (status == STATUS_OK) status = set(simulation, "air", AIR, error);
    if (status == STATUS_OK) status = set(simulation, "alpha", row->alpha * unit, error);
    if (status == STATUS_OK) status = set(simulation, "step", 0.1 * unit, error);
    if (status != STATUS_OK) return status;

    simulation_refine_stiffness(simulation);
    StepLimit limit = simulation_readings(simulation).limit;
    double guess = isfinite(limit.step) && limit.step > 0.0 ? limit.step : unit;
    double measured = lab_measure_limit(lab, simulation, guess, LONGEST, MAP_PRODUCTS);
    if (isfinite(measured)) {
        status = settle_again(simulation, settled, measured, error);
        if (status != STATUS_OK) return status;
        measured = lab_measure_limit(lab, simulation, measured, LONGEST, MAP_PRODUCTS);
        simulation_refine_stiffness(simulation); // the limit where it hangs now
        limit = simulation_readings(simulation).limit;
    }
    status = state_save(simulation, settled, error);
    if (status != STATUS_OK) return status;
    double running = limit_by_running(simulation, settled, measured);

    fprintf(file, "| %s", row->name);
    print_step(file, limit.step, unit);
    print_step(file, measured, unit);
    print_step(file, running, unit);
    print_difference(file, running, measured);
    print_difference(file, limit.step, measured);
    fprintf(file, "%s |\n", limit.is_bound ? " (a bound)" : "");
    fflush(file);
    return STATUS_OK;
}

// "rk4, filter after" is a row of rk4.
static bool is_row_of(const Row *row, const char *method)
{
    size_t length = strcspn(row->name, ",");
    return strlen(method) == length && memcmp(row->name, method, length) == 0;
}

static Status write_rows(double k0, const char *only, FILE *file, Error *error)
{
    Simulation *simulation = NULL;
    State *draped = NULL, *settled = NULL;
    Lab lab = {0};
    Analysis rest;
    Status status = make_cloth(k0, &simulation, error);
    if (status == STATUS_OK) status = settle(simulation, error);
    if (status == STATUS_OK) status = state_create(&draped, error);
    if (status == STATUS_OK) status = state_create(&settled, error);
    if (status == STATUS_OK) status = state_save(simulation, draped, error);
    if (status == STATUS_OK) status = lab_init(&lab, simulation, error);
    if (status == STATUS_OK) {
        AnalysisPlan plan = analysis_thorough;
        plan.map_products = 0;
        plan.limits = false;
        lab_analyze(&lab, simulation, &plan, &rest);
        fprintf(
            file,
            "\n## k0 = %g 1/s^2 at rest\n\n"
            "Draped, k0 is %.5g and k_min %.4g 1/s^2. Steps in units of 2/omega_max = %.4g s.\n\n"
            "| method | step_limit | rho_measured = 1 | run | run against rho | "
            "step_limit against rho |\n|---|---|---|---|---|---|\n",
            k0, rest.k0, rest.k_min, 2.0 / rest.omega_max);
        for (int i = 0; i < ROWS && status == STATUS_OK; i++) {
            if (only && !is_row_of(&rows[i], only)) continue;
            status =
                write_row(&rows[i], &lab, simulation, settled, 2.0 / rest.omega_max, file, error);
            if (status == STATUS_OK) status = state_restore(draped, simulation, error);
        }
    }
    lab_finish(&lab);
    state_destroy(draped);
    state_destroy(settled);
    simulation_destroy(simulation);
    return status;
}

Status stability_table_write(const char *only, FILE *file, Error *error)
{
    fprintf(
        file,
        "# Step limits, three ways\n\n"
        "Written by `selvage analyze --table`: a %dx%d cloth draped from two corners, air drag "
        "%g 1/s. alpha is 0.8 of 2/omega_max for explicit Euler and LEU, a quarter of it for "
        "midpoint and where it says alpha, else 0. Filters are exponential with lambda = 1.\n\n"
        "- `step_limit` is the one limit that `analyze`, `run` and the window show, a bound where "
        "it says so;\n"
        "- `rho_measured = 1` is where rho of the real step crosses 1;\n"
        "- `run` is where the simulation starts to gain energy: within %d steps 2 %% of m g H, or "
        "at their end speeds a thousand times those of the noise at the start.\n\n"
        "`none`: stable at every step up to %g s, the longest. `sags`: bounded, but the clamped "
        "harmonic method softens springs as 1/h^2, and at 0.1 s "
        "the cloth hangs far down.\n",
        SIDE, SIDE, AIR, RUN_STEPS, LONGEST);
    Status status = write_rows(1e5, only, file, error);
    if (status == STATUS_OK) status = write_rows(1e6, only, file, error);
    return status;
}
