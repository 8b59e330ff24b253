// What no source shows: error against cost, predictions against measurements.
#include "figures/sources.h"
#include "figures/verdicts.h"
#include "scene/combination.h"
#include "stage/stage.h"
#include "sweep/sweep_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- error against cost

enum { SMALL = 12, SMALL_PARTICLES = SMALL * SMALL };

// Positions at `time`; false if it diverged before.
static bool positions_after(const Figure *figure, Simulation *simulation, double time,
                            double *positions, double *cost)
{
    const Integrator *method = integrator_table[simulation_params(simulation)->integrator];
    *cost = 0.0;
    simulation_set_cancel(simulation, figure->cancel);
    while (simulation_time(simulation) < time - 1e-9) {
        if (figure_check(figure, NULL) != STATUS_OK) return false;
        if (simulation_step(simulation, NULL) != STATUS_OK) return false;
        *cost += step_evaluations(method, simulation_last_report(simulation));
    }
    *cost /= simulation_time(simulation);
    simulation_positions_at(simulation, time, positions);
    return true;
}

static Status end_of(const Figure *figure, const Scene *scene, double time, double *positions,
                     double *cost, bool *there, Error *error)
{
    Simulation *simulation = NULL;
    Status status = simulation_create(scene, &simulation, error);
    if (status == STATUS_OK) *there = positions_after(figure, simulation, time, positions, cost);
    simulation_destroy(simulation);
    return status == STATUS_OK ? figure_check(figure, error) : status;
}

static Status precision_panel(Figure *figure, Panel *panel, const char *model, Error *error)
{
    double time = 0.4, reference[3 * SMALL_PARTICLES], positions[3 * SMALL_PARTICLES], cost;
    Scene scene;
    bool there;
    char text[96];
    snprintf(text, sizeof text, "integrator=rk4 step=0.00005 alpha=1e-4 model=%s", model);
    Status status = cloth_with(SMALL, 1e5, text, &scene, error);
    if (status == STATUS_OK) status = end_of(figure, &scene, time, reference, &cost, &there, error);
    for (int m = 0; m < integrator_count && status == STATUS_OK; m++) {
        scene.params.integrator = m;
        if (params_refusal(&scene.params)) continue;
        Curve *curve = panel_curve(panel, integrator_table[m]->short_label, CURVE_BOTH);
        for (double h = 0.02; h > (figure->quick ? 0.001 : 0.0001) && status == STATUS_OK;
             h *= 0.5) {
            scene.params.step = h;
            status = end_of(figure, &scene, time, positions, &cost, &there, error);
            if (!there) continue;
            curve_add(curve, cost,
                      stage_distance_between(positions, reference, SMALL_PARTICLES, NULL).rms);
        }
    }
    return status;
}

// Where the curve of a method crosses an error of 1 mm: its cost, INFINITY if it does not.
static double cost_of_error(const Curve *curve, double error)
{
    double least = INFINITY;
    for (int i = 0; i < curve->count; i++) {
        if (curve->points[i].y <= error) least = fmin(least, curve->points[i].x);
    }
    return least;
}

static const Curve *cheapest(const Panel *panel, double error)
{
    const Curve *best = &panel->curves[0];
    for (int i = 1; i < panel->curve_count; i++) {
        if (cost_of_error(&panel->curves[i], error) < cost_of_error(best, error))
            best = &panel->curves[i];
    }
    return best;
}

// Adds the errors that some method reaches, and those that an implicit one reaches at least cost.
static void count_cheapest(const Panel *panel, int *implicit, int *cases)
{
    const double errors[] = {1e-2, 1e-3, 1e-6};
    for (int e = 0; e < 3; e++) {
        const Curve *best = cheapest(panel, errors[e]);
        if (isinf(cost_of_error(best, errors[e]))) continue;
        ++*cases;
        for (int m = 0; m < integrator_count; m++) {
            const Integrator *method = integrator_table[m];
            if (strcmp(method->short_label, best->name) == 0)
                *implicit += (method->traits & INTEGRATOR_IMPLICIT) != 0;
        }
    }
}

// Adds to the words which methods have no point.
static void figure_missing(Figure *figure, const Panel *springs, const Panel *triangles)
{
    char names[160] = "";
    for (int i = 0; i < springs->curve_count; i++) {
        bool none = springs->curves[i].count == 0;
        for (int k = 0; k < triangles->curve_count; k++)
            if (strcmp(triangles->curves[k].name, springs->curves[i].name) == 0)
                none = none && triangles->curves[k].count == 0;
        if (none)
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s",
                     *names ? ", " : "", springs->curves[i].name);
    }
    size_t used = strlen(figure->found);
    if (*names)
        snprintf(figure->found + used, sizeof figure->found - used,
                 " At all of these steps diverge: %s.", names);
}

Status our_precision(Figure *figure, Error *error)
{
    SvgAxis x = {.logarithmic = true, .label = "forces and products per simulated second"};
    SvgAxis y = {.min = 1e-10, .max = 1.0, .logarithmic = true, .label = "error, rms (m)"};
    Panel *springs = figure_panel(figure, "Springs", x, y);
    Status status = precision_panel(figure, springs, "springs", error);
    Panel *triangles = figure_panel(figure, "Baraff-Witkin", x, y);
    if (status == STATUS_OK) status = precision_panel(figure, triangles, "baraff-witkin", error);
    if (status != STATUS_OK) return status;
    const Curve *coarse = cheapest(springs, 1e-2), *middle = cheapest(springs, 1e-3),
                *fine = cheapest(springs, 1e-6);
    figure_fact(figure, cost_of_error(middle, 1e-3), NAN, "least cost of 1 mm, springs: %s",
                middle->name);
    figure_found(
        figure,
        "12 x 12 particles after 0.4 s, k0 = 1e5/s^2, α = 0.1 ms, against RK4 at 50 µs. Each "
        "point halves the step; where a curve ends, larger steps diverge. With springs the "
        "cheapest way to 1 cm is %s, to 1 mm %s, to 1 µm %s.",
        coarse->name, middle->name, fine->name);
    figure_missing(figure, springs, triangles);
    int implicit = 0, cases = 0;
    count_cheapest(springs, &implicit, &cases);
    count_cheapest(triangles, &implicit, &cases);
    verdict_precision(figure, implicit, cases);
    return status;
}

// ---- limits

static const struct {
    const char *name, *assignments;
} limited[] = {
    {"explicit Euler, α", "integrator=explicit-euler alpha=0.0016"},
    {"symplectic Euler", "integrator=symplectic-euler"},
    {"symplectic Euler, α", "integrator=symplectic-euler alpha=0.0005"},
    {"velocity Verlet", "integrator=velocity-verlet"},
    {"midpoint, α", "integrator=midpoint alpha=0.0005"},
    {"RK4", "integrator=rk4"},
    {"LEU, α", "integrator=leu alpha=0.0016"},
    {"harmonic", "integrator=harmonic harmonic=corrected"},
    {"filter before x, λ = 1", "integrator=symplectic-euler filter=exponential lambda=1"},
    {"half filter, λ = 1",
     "integrator=symplectic-euler filter=exponential lambda=1 filter_form=half"},
    {"filter after, λ = 1",
     "integrator=symplectic-euler filter=exponential lambda=1 filter_place=after"},
    {"RK4, filter after", "integrator=rk4 filter=exponential lambda=1 filter_place=after"},
};
enum { LIMITED = sizeof limited / sizeof limited[0], LIMIT_MOMENTS = 3 };

Status our_limits(Figure *figure, Error *error)
{
    static const char *const heads[] = {"method", "theory", "real steps", "ratio", "theory is"};
    const double moments[LIMIT_MOMENTS] = {0.5, 0.75, 1.0}; // of the time that it hangs
    Panel *panel = figure_panel(figure, "", (SvgAxis){.label = "predicted, in 2/sqrt(k0)"},
                                (SvgAxis){.label = "measured, in 2/sqrt(k0)"});
    Curve *line = panel_curve(panel, "equal", CURVE_DASHED);
    Curve *dots = panel_curve(panel, "theory is exact", CURVE_DOTS);
    Curve *bounds = panel_curve(panel, "theory is a bound", CURVE_DOTS);
    curve_add(line, 0.4, 0.4);
    curve_add(line, 1.8, 1.8);
    for (int c = 0; c < 5; c++) figure_cell(figure, 0, c, "%s", heads[c]);
    double worst = 0.0;
    Status status = STATUS_OK;
    for (int i = 0; i < LIMITED && status == STATUS_OK; i++) {
        Scene scene;
        Limits limits;
        double low = INFINITY, high = -INFINITY;
        status = cloth_with(figure->quick ? 5 : 8, 1e6, limited[i].assignments, &scene, error);
        scene.params.air = 4.0;
        for (int k = 0; k < LIMIT_MOMENTS && status == STATUS_OK; k++) {
            status = measure_limits(figure, &scene, moments[k] * (figure->quick ? 0.2 : 2.0),
                                    &limits, error);
            low = fmin(low, limits.measured / limits.theory);
            high = fmax(high, limits.measured / limits.theory);
        }
        if (status != STATUS_OK) break;
        double unit = 2.0 / sqrt(limits.k0), x = limits.theory / unit;
        if (!limits.is_bound) worst = fmax(worst, fmax(fabs(low - 1.0), fabs(high - 1.0)));
        curve_add_spread(limits.is_bound ? bounds : dots, x, limits.measured / unit, low * x,
                         high * x);
        if (limits.measured > 1.1 * limits.theory)
            panel_note(panel, x, limits.measured / unit, "%s", limited[i].name);
        figure_cell(figure, i + 1, 0, "%s", limited[i].name);
        figure_cell(figure, i + 1, 1, "%.4f", limits.theory / unit);
        figure_cell(figure, i + 1, 2, "%.4f", limits.measured / unit);
        figure_cell(figure, i + 1, 3, "%.4f to %.4f", low, high);
        figure_cell(figure, i + 1, 4, "%s", limits.is_bound ? "a bound" : "exact");
        figure_fact_spread(figure, limits.measured / limits.theory, limits.is_bound ? NAN : 1.0,
                           low, high, "measured / predicted, %s", limited[i].name);
    }
    figure_found(
        figure,
        "k0 = 1e6/s^2 at rest, air 4/s. Measured is where the spectral radius of the real step "
        "crosses 1, to 0.05 %%, at three moments while the cloth hangs; the last is in the table "
        "and "
        "the picture, the ratio is of all three. Where theory calls itself exact the two differ "
        "by at most %.2g; where it gives a bound, larger steps are stable too.",
        worst);
    figure_verdict(
        figure, worst < 0.02 ? "prediction and measurement agree." : "they differ by up to %.2g.",
        worst);
    return status;
}

// ---- growth

Status our_growth(Figure *figure, Error *error)
{
    static const struct {
        const char *name, *assignments;
    } methods[] = {
        {"symplectic Euler", "integrator=symplectic-euler"},
        {"velocity Verlet", "integrator=velocity-verlet"},
        {"RK4", "integrator=rk4"},
        {"midpoint", "integrator=midpoint alpha=0.0005"},
        {"explicit Euler", "integrator=explicit-euler alpha=0.0016"},
    };
    enum { METHODS = sizeof methods / sizeof methods[0], SHARES = 8 };
    const double shares[SHARES] = {1.002, 1.005, 1.01, 1.02, 1.05, 1.1, 1.2, 1.5};
    SvgAxis axis = {.logarithmic = true, .label = "step / largest stable step - 1"};
    SvgAxis growth = {.logarithmic = true, .label = "growth per step - 1"};
    Panel *panel = figure_panel(figure, "", axis, growth);
    double worst = 0.0;
    Status status = STATUS_OK;
    for (int m = 0; m < METHODS && status == STATUS_OK; m++) {
        Sweep sweep = {.shard = 1, .shards = 1};
        Limits limits;
        Measured values[2 * SHARES];
        char text[160] = "step=";
        status =
            cloth_with(figure->quick ? 5 : 8, 1e6, methods[m].assignments, &sweep.scene, error);
        if (status == STATUS_OK) status = measure_limits(figure, &sweep.scene, 0.0, &limits, error);
        for (int i = 0; i < SHARES; i++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%.9g", i > 0 ? "," : "",
                     shares[i] * limits.theory);
        if (status == STATUS_OK) status = sweep_add_axis(&sweep, text, error);
        if (status == STATUS_OK)
            status = sweep_set_measures(&sweep, "rho_predicted,rho_measured", error);
        if (status == STATUS_OK)
            status = sweep_measure(&sweep, figure->threads, figure->cancel, values, error);
        Curve *line = panel_curve(panel, methods[m].name, CURVE_LINE);
        Curve *dots = panel_curve(panel, m == 0 ? "measured" : "", CURVE_DOTS);
        line->colour = dots->colour = m;
        for (int i = 0; i < SHARES && status == STATUS_OK; i++) {
            double predicted = values[2 * i].number, found = values[2 * i + 1].number;
            curve_add(line, shares[i] - 1.0, predicted - 1.0);
            curve_add(dots, shares[i] - 1.0, found - 1.0);
            worst = fmax(worst, fabs(found - predicted) / (predicted - 1.0));
            figure_fact(figure, found, predicted, "rho measured at %g of the limit, %s", shares[i],
                        methods[m].name);
        }
        sweep_finish(&sweep);
    }
    figure_found(
        figure,
        "A cloth at rest, steps from 1.002 to 1.5 of the limit. Lines: rho predicted from k0 "
        "through the 2 x 2 matrix; dots: measured on the real step by Krylov iterations. The "
        "largest relative difference of rho - 1 is %.2g: both are computed, nothing is drawn by "
        "lot, and a second run gives the same.",
        worst);
    figure_verdict(figure,
                   worst < 0.05 ? "the growth that the window predicts is what happens."
                                : "they differ by up to %.2g.",
                   worst);
    return status;
}

// ---- energy

// What the numerics have added: the remainder of the energy's account, in units of the energy that
// the cloth can lose.
typedef struct EnergyRun {
    Curve *curve;             // of every fifth sample; NULL: none
    double fall;              // J
    int samples;              // so far
    double end;               // the last
    double extreme;           // the largest, with its sign
    double shortest, longest; // s, steps
    bool whole;               // it did not diverge
    double time;              // s, of its end
} EnergyRun;

static void sample_energy(void *context, const Simulation *simulation)
{
    enum { DRAWN = 5 };
    EnergyRun *self = context;
    Readings now = simulation_readings(simulation);
    double step = simulation_next_step(simulation);
    self->end = now.balance.remainder / self->fall;
    if (fabs(self->end) > fabs(self->extreme)) self->extreme = self->end;
    self->shortest = self->samples == 0 ? step : fmin(self->shortest, step);
    self->longest = fmax(self->longest, step);
    self->time = now.time;
    if (self->curve && self->samples % DRAWN == 0) curve_add(self->curve, now.time, self->end);
    self->samples++;
}

// `step`: s, or PARAM_WORD for the automatic one.
static Status energy_run(const Figure *figure, int method, double step, double seconds,
                         EnergyRun *run, Error *error)
{
    enum { SAMPLES = 600 };
    Scene scene;
    Simulation *simulation = NULL;
    Status status = cloth_with(SMALL, 1e5, "air=0", &scene, error);
    scene.params.integrator = method;
    scene.params.step = step;
    if (status == STATUS_OK) status = simulation_create(&scene, &simulation, error);
    if (status == STATUS_OK)
        run->whole = run_until(figure, simulation, seconds, seconds / SAMPLES, sample_energy, run);
    simulation_destroy(simulation);
    return status == STATUS_OK ? figure_check(figure, error) : status;
}

// Energy at the start less the energy at rest, J: a cloth in thick air comes to rest.
static Status energy_of_fall(const Figure *figure, double *out, Error *error)
{
    Scene scene;
    Simulation *simulation = NULL;
    Status status =
        cloth_with(SMALL, 1e5, "integrator=backward-euler step=0.02 air=3", &scene, error);
    if (status == STATUS_OK) status = simulation_create(&scene, &simulation, error);
    if (status != STATUS_OK) return status;
    double start = energy_total(simulation_energy(simulation));
    run_until(figure, simulation, 20.0, 20.0, NULL, NULL);
    *out = start - energy_total(simulation_energy(simulation));
    simulation_destroy(simulation);
    return figure_check(figure, error);
}

// The same method with the automatic step, with that step held, and with a quarter of it.
enum { AUTOMATIC, HELD, QUARTER, ENERGY_RUNS };

static Status energy_of_method(const Figure *figure, int method, double seconds, EnergyRun *runs,
                               Error *error)
{
    Status status = energy_run(figure, method, PARAM_WORD, seconds, &runs[AUTOMATIC], error);
    double step = runs[AUTOMATIC].shortest;
    bool changes = runs[AUTOMATIC].longest > step;
    if (status == STATUS_OK && changes)
        status = energy_run(figure, method, step, seconds, &runs[HELD], error);
    else
        runs[HELD] = runs[AUTOMATIC];
    if (status == STATUS_OK)
        status = energy_run(figure, method, 0.25 * step, seconds, &runs[QUARTER], error);
    return status;
}

static void count_energy(EnergyCount *count, const Integrator *method, const EnergyRun *run)
{
    const double kept = 0.05; // of the fall, at every moment
    bool keeps = run->whole && fabs(run->extreme) < kept,
         is_symplectic = method->traits & INTEGRATOR_SYMPLECTIC;
    count->methods++;
    count->kept += keeps;
    count->symplectic += is_symplectic;
    count->symplectic_kept += is_symplectic && keeps;
    count->diverged += !run->whole;
    if (!run->whole || keeps) return;
    count->created += run->extreme > 0.0;
    count->destroyed += run->extreme < 0.0;
    if (run->end > count->most_created)
        count->most_created = run->end, count->creator = method->short_label;
    if (-run->end > count->most_destroyed)
        count->most_destroyed = -run->end, count->destroyer = method->short_label;
}

static void energy_cell(Figure *figure, int row, int column, const EnergyRun *run)
{
    if (run->whole)
        figure_cell(figure, row, column, "%+.1f %%", 100.0 * run->end);
    else
        figure_cell(figure, row, column, "diverges at %.2g s", run->time);
}

static void energy_row(Figure *figure, const char *name, const EnergyRun *runs)
{
    static const char *const kinds[] = {"automatic step", "step held", "quarter of the step"};
    int row = figure->table_rows;
    figure_cell(figure, row, 0, "%s", name);
    figure_cell(figure, row, 1, "%.3g", 1e3 * runs[AUTOMATIC].shortest);
    for (int k = 0; k < ENERGY_RUNS; k++) {
        energy_cell(figure, row, k + 2, &runs[k]);
        figure_fact(figure, runs[k].end, NAN, "energy created / fall, %s%s, %s", kinds[k],
                    runs[k].whole ? "" : ", when it diverged", name);
    }
    figure_cell(figure, row, 5, "%+.1f %%", 100.0 * runs[QUARTER].extreme);
}

Status our_energy(Figure *figure, Error *error)
{
    static const char *const heads[] = {"method",         "step (ms)",       "automatic",
                                        "the same, held", "a quarter of it", "its largest"};
    double seconds = figure->quick ? 5.0 : 60.0, fall = 1.0;
    SvgAxis x = {.max = seconds, .label = "simulated time (s)"};
    SvgAxis y = {.min = -1.1, .max = 1.1, .label = "energy created / fall"};
    snprintf(figure->title, sizeof figure->title, "Energy that the methods create or destroy in %s",
             figure->quick ? "5 seconds" : "a minute");
    figure->across = 2;
    Panel *left = figure_panel(figure, "Automatic step", x, y);
    Panel *right = figure_panel(figure, "A quarter of it", x, y);
    EnergyCount automatic = {0}, quarter = {0};
    double symplectic[ENERGY_RUNS] = {0};
    for (int c = 0; c < 6; c++) figure_cell(figure, 0, c, "%s", heads[c]);
    Status status = energy_of_fall(figure, &fall, error);
    for (int m = 0; m < integrator_count && status == STATUS_OK; m++) {
        const Integrator *method = integrator_table[m];
        Scene scene;
        status = cloth_with(SMALL, 1e5, "air=0", &scene, error);
        scene.params.integrator = m;
        if (status != STATUS_OK || params_refusal(&scene.params)) continue;
        EnergyRun runs[ENERGY_RUNS];
        for (int k = 0; k < ENERGY_RUNS; k++) runs[k] = (EnergyRun){.fall = fall};
        runs[AUTOMATIC].curve = panel_curve(left, method->short_label, CURVE_LINE);
        runs[QUARTER].curve = panel_curve(right, method->short_label, CURVE_LINE);
        status = energy_of_method(figure, m, seconds, runs, error);
        if (status != STATUS_OK) break;
        energy_row(figure, method->short_label, runs);
        count_energy(&automatic, method, &runs[AUTOMATIC]);
        count_energy(&quarter, method, &runs[QUARTER]);
        for (int k = 0; k < ENERGY_RUNS && strcmp(method->name, "symplectic-euler") == 0; k++)
            symplectic[k] = 100.0 * runs[k].end;
    }
    if (status != STATUS_OK) return status;
    figure_fact(figure, fall, NAN, "energy of the fall (J)");
    figure_found(
        figure,
        "12 x 12 particles fall and hang, k0 = 1e5/s^2, no damping and no air, %g s. Nothing but "
        "the "
        "method can then create or destroy energy: it is the numerical remainder of the energy's "
        "account. The unit is the fall, the %.3g J that the cloth loses until it hangs still: at "
        "-100 %% the method has stopped it. A "
        "symplectic method keeps the energy of a system near the true one. Close to the limit "
        "that system is a rather different one, and the automatic step is 0.8 of the limit and "
        "changes with k0, which changes the system too: symplectic Euler comes to %+.0f %%, with "
        "the step held to %+.0f %%, with a quarter of it to %+.1f %%.",
        seconds, fall, symplectic[AUTOMATIC], symplectic[HELD], symplectic[QUARTER]);
    verdict_energy(figure, automatic, quarter);
    return status;
}

// ---- divergence, how early

// Steps until the run differs from the reference by 5 cm somewhere.
static Status steps_to_harm(const Figure *figure, Simulation *simulation, Simulation *reference,
                            long *out, Error *error)
{
    int count = simulation_particle_count(simulation);
    double *a = malloc(6 * (size_t)count * sizeof *a);
    if (!a) return error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for positions");
    for (long n = 1; n <= 100000 && figure_check(figure, NULL) == STATUS_OK; n++) {
        Status status = simulation_step(simulation, NULL);
        double time = simulation_time(simulation);
        while (simulation_time(reference) < time) simulation_step(reference, NULL);
        simulation_positions_at(simulation, time, a);
        simulation_positions_at(reference, time, a + 3 * count);
        *out = n;
        if (status != STATUS_OK || stage_distance_between(a, a + 3 * count, count, NULL).max > 0.05)
            break;
    }
    free(a);
    return figure_check(figure, error);
}

// Cloths that differ in size and stiffness: what they have in common is not chance.
static const struct {
    int side;
    double k0; // 1/s^2
} falling[] = {{16, 1e6}, {12, 1e6}, {24, 1e6}, {16, 1e5}, {16, 1e7}};
enum { FALLING = sizeof falling / sizeof falling[0] };

static Status falling_cloth(int cloth, Scene *out, Error *error)
{
    char text[96];
    snprintf(text, sizeof text, "integrator=symplectic-euler alpha=%g",
             1e-2 / sqrt(falling[cloth].k0)); // 0.005 of 2/sqrt(k0)
    return cloth_with(falling[cloth].side, falling[cloth].k0, text, out, error);
}

static Status lead_at(const Figure *figure, const Scene *cloth, double step, long *caught,
                      long *harm, Error *error)
{
    Scene scene = *cloth, fine = *cloth;
    Simulation *run = NULL, *reference = NULL, *careless = NULL;
    scene.params.step = step;
    Status status = assign_all(&fine.params, "integrator=rk4 step=auto safety=0.3", error);
    if (status == STATUS_OK) status = simulation_create(&scene, &run, error);
    if (status == STATUS_OK)
        status = assign_all(&scene.params,
                            "on_divergence=continue speed_limit=1000 strain_limit=1000", error);
    if (status == STATUS_OK) status = simulation_create(&scene, &careless, error);
    if (status == STATUS_OK) status = simulation_create(&fine, &reference, error);
    if (status == STATUS_OK) {
        *caught = 1;
        while (simulation_step(run, NULL) == STATUS_OK && *caught < 100000 &&
               figure_check(figure, NULL) == STATUS_OK)
            ++*caught;
        status = steps_to_harm(figure, careless, reference, harm, error);
    }
    simulation_destroy(run);
    simulation_destroy(careless);
    simulation_destroy(reference);
    return status;
}

// Steps until something happens, of all cloths; the first is the one that is drawn.
typedef struct StepCount {
    double first, low, high;
} StepCount;

static void count_steps(StepCount *count, bool first, long steps)
{
    double n = (double)steps;
    count->first = first ? n : count->first;
    count->low = first ? n : fmin(count->low, n);
    count->high = first ? n : fmax(count->high, n);
}

Status our_divergence(Figure *figure, Error *error)
{
    enum { SHARES = 4 };
    const double shares[SHARES] = {1.01, 1.05, 1.2, 1.5};
    StepCount harm[SHARES], caught[SHARES], lead[SHARES];
    int late = 0;
    Status status = STATUS_OK;
    for (int c = 0; c < FALLING && status == STATUS_OK; c++) {
        Scene scene;
        Limits limits;
        status = falling_cloth(c, &scene, error);
        if (status == STATUS_OK) status = measure_limits(figure, &scene, 0.0, &limits, error);
        for (int i = 0; i < SHARES && status == STATUS_OK; i++) {
            long noticed = 0, harmed = 0;
            status = lead_at(figure, &scene, shares[i] * limits.theory, &noticed, &harmed, error);
            count_steps(&harm[i], c == 0, harmed);
            count_steps(&caught[i], c == 0, noticed);
            count_steps(&lead[i], c == 0, harmed - noticed);
            late += harmed <= noticed;
        }
    }
    if (status != STATUS_OK) return status;
    Panel *panel = figure_panel(figure, "", (SvgAxis){.label = "step / largest stable step"},
                                (SvgAxis){.logarithmic = true, .label = "steps from the start"});
    Curve *harm_curve = panel_curve(panel, "a particle is 5 cm off", CURVE_BOTH);
    Curve *caught_curve = panel_curve(panel, "divergence is noticed", CURVE_BOTH);
    for (int i = 0; i < SHARES; i++) {
        curve_add_spread(harm_curve, shares[i], harm[i].first, harm[i].low, harm[i].high);
        curve_add_spread(caught_curve, shares[i], caught[i].first, caught[i].low, caught[i].high);
        figure_fact_spread(figure, lead[i].first, NAN, lead[i].low, lead[i].high,
                           "steps of warning at %g of the limit", shares[i]);
    }
    figure_found(
        figure,
        "A cloth falls under symplectic Euler. Beyond the limit, and without a watch, a particle "
        "comes to be 5 cm from where RK4 with small steps has it. The watch stops the run before: "
        "%.0f, %.0f, %.0f and %.0f steps at 1.01, 1.05, 1.2 and 1.5 of the limit with 16 x 16 "
        "particles and k0 = 1e6/s^2. Bars: also 12 x 12 and 24 x 24 particles, k0 = 1e5 and 1e7; "
        "of all, %.0f to %.0f, %.0f to %.0f, %.0f to %.0f and %.0f to %.0f steps of warning.",
        lead[0].first, lead[1].first, lead[2].first, lead[3].first, lead[0].low, lead[0].high,
        lead[1].low, lead[1].high, lead[2].low, lead[2].high, lead[3].low, lead[3].high);
    if (late == 0)
        figure_verdict(figure, "divergence is caught before it does harm, in all %d runs.",
                       SHARES * FALLING);
    else
        figure_verdict(figure, "not always caught before it does harm: too late in %d of %d runs.",
                       late, SHARES * FALLING);
    return status;
}
