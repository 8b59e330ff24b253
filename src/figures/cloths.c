#include "figures/cloths.h"

#include "base/clock.h"
#include "lab/analysis.h"
#include "runtime/scene_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

Status assign_all(Params *params, const char *assignments, Error *error)
{
    char text[400], *rest = text;
    snprintf(text, sizeof text, "%s", assignments);
    Status status = STATUS_OK;
    for (char *word = strtok_r(text, " ", &rest); word && status == STATUS_OK;
         word = strtok_r(NULL, " ", &rest))
        status = params_assign(params, word, error);
    return status;
}

Status scene_with(const char *name, const char *assignments, Scene *out, Error *error)
{
    Status status = scene_load(name, out, error);
    out->lane_count = 0;
    out->fine = false;
    return status == STATUS_OK ? assign_all(&out->params, assignments, error) : status;
}

Status scene_k0(const Scene *scene, double *out, Error *error)
{
    Simulation *simulation = NULL;
    Status status = simulation_create(scene, &simulation, error);
    if (status != STATUS_OK) return status;
    simulation_refine_stiffness(simulation);
    *out = simulation_readings(simulation).k0;
    simulation_destroy(simulation);
    return STATUS_OK;
}

Status cloth_with(int side, double k0, const char *assignments, Scene *out, Error *error)
{
    *out = scene_default();
    Params *params = &out->params;
    params->rows = params->columns = side;
    Status status = assign_all(params,
                               "size=1 density=0.2 ground=-100 air=0.5 alpha=0 stretch=100 "
                               "shear=50 bend=10 integrator=symplectic-euler",
                               error);
    if (status == STATUS_OK) status = assign_all(params, assignments, error);
    double found = 1.0;
    if (status == STATUS_OK) status = scene_k0(out, &found, error);
    params->stretch *= k0 / found;
    params->shear *= k0 / found;
    params->bend *= k0 / found;
    return status;
}

Scheme scheme_named(const char *integrator)
{
    return (Scheme){.integrator = integrator_table[integrator_find(integrator)],
                    .options = {.harmonic = HARMONIC_CORRECTED},
                    .coupling = 1.0};
}

// ---- regions

// The best slack of all X at one Y, and that X: a scan, then a golden section.
static double best_slack(const Scheme *scheme, double x_max, double Y, double *X)
{
    enum { SCAN = 400, SECTIONS = 90 };
    const double GOLDEN = 0.6180339887498949;
    double best = -INFINITY, at = 0.0;
    for (int i = 0; i <= SCAN; i++) {
        double slack = amplification_at(scheme, x_max * i / SCAN, Y, 1.0).slack;
        if (slack > best) best = slack, at = x_max * i / SCAN;
    }
    double low = fmax(at - x_max / SCAN, 0.0), high = at + x_max / SCAN;
    for (int i = 0; i < SECTIONS; i++) {
        double a = high - GOLDEN * (high - low), b = low + GOLDEN * (high - low);
        if (amplification_at(scheme, a, Y, 1.0).slack > amplification_at(scheme, b, Y, 1.0).slack)
            high = b;
        else
            low = a;
    }
    *X = 0.5 * (low + high);
    return fmax(best, amplification_at(scheme, *X, Y, 1.0).slack);
}

void region_top(const Scheme *scheme, double x_max, double y_max, double *X, double *Y)
{
    double low = 0.5, high = y_max;
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        if (best_slack(scheme, x_max, middle, X) > 0.0)
            low = middle;
        else
            high = middle;
    }
    *Y = 0.5 * (low + high);
    best_slack(scheme, x_max, *Y, X);
}

double norm_of_power(const double (*G)[2], int n)
{
    double P[2][2] = {{1, 0}, {0, 1}};
    for (int i = 0; i < n; i++) {
        double Q[2][2];
        for (int r = 0; r < 2; r++)
            for (int c = 0; c < 2; c++) Q[r][c] = G[r][0] * P[0][c] + G[r][1] * P[1][c];
        for (int r = 0; r < 2; r++)
            for (int c = 0; c < 2; c++) P[r][c] = Q[r][c];
    }
    double s = P[0][0] * P[0][0] + P[0][1] * P[0][1] + P[1][0] * P[1][0] + P[1][1] * P[1][1];
    double det = P[0][0] * P[1][1] - P[0][1] * P[1][0];
    return sqrt(0.5 * (s + sqrt(fmax(s * s - 4.0 * det * det, 0.0))));
}

Status panel_region(Panel *panel, const char *name, const Scheme *scheme, Error *error)
{
    RegionBoundary outline = {0};
    RegionBox box = {panel->x.min, panel->x.max, panel->y.min, panel->y.max};
    Status status = region_boundary(scheme, box, 1.0, true, &outline, error);
    Curve *area = panel_curve(panel, name, CURVE_AREA);
    for (int line = 0; status == STATUS_OK && line < outline.line_count; line++) {
        for (int i = outline.first[line]; i < outline.first[line + 1]; i++)
            curve_add(area, outline.point[i][0], outline.point[i][1]);
        curve_add(area, NAN, NAN);
    }
    region_boundary_finish(&outline);
    return status;
}

// ---- runs

bool run_until(const Figure *figure, Simulation *simulation, double seconds, double interval,
               Sample *sample, void *context)
{
    double next = interval;
    simulation_set_cancel(simulation, figure->cancel);
    if (sample) sample(context, simulation);
    while (simulation_time(simulation) < seconds - 0.5 * simulation_next_step(simulation)) {
        if (figure_check(figure, NULL) != STATUS_OK) return false;
        if (simulation_step(simulation, NULL) != STATUS_OK) return false;
        if (!sample || simulation_time(simulation) < next - 1e-9) continue;
        sample(context, simulation);
        next += interval;
    }
    return true;
}

// Time of the steps: of the first, which find nothing in the caches, of those that estimated k0
// anew, and of the others.
typedef enum StepKind { STEP_PLAIN, STEP_FIRST, STEP_ESTIMATING, STEP_KINDS } StepKind;
typedef struct StepTimes {
    double spent[STEP_KINDS]; // s
    int count[STEP_KINDS];
} StepTimes;

static void add_step(StepTimes *times, StepKind kind, double spent)
{
    times->spent[kind] += spent;
    times->count[kind]++;
}

static double mean_step(const StepTimes *times, StepKind kind)
{
    return times->spent[kind] / fmax(times->count[kind], 1.0);
}

// The least time of each step over the rounds, s. A step does the same work in every round, so what
// it took more is the machine's: another program on the core, or in its caches.
typedef struct StepClock {
    double *least;
    int count, capacity;
} StepClock;

// The least time of the step so far. False without memory.
static bool clock_step(StepClock *clock, int step, double spent, double *out)
{
    if (step == clock->capacity) {
        int capacity = clock->capacity > 0 ? 2 * clock->capacity : 256;
        double *least = realloc(clock->least, (size_t)capacity * sizeof *least);
        if (!least) return false;
        clock->least = least;
        clock->capacity = capacity;
    }
    if (step == clock->count) clock->least[clock->count++] = spent;
    *out = clock->least[step] = fmin(clock->least[step], spent);
    return true;
}

// `now`: of this round; `best`: of each step in its best round.
static void add_round(const StepTimes *now, const StepTimes *best, double seconds, RunCost *cost)
{
    double steps = 0.0, all = 0.0, least = 0.0;
    for (int k = 0; k < STEP_KINDS; k++)
        steps += now->count[k], all += now->spent[k], least += best->spent[k];
    double each = mean_step(best, STEP_PLAIN);
    double stepping = mean_step(now, STEP_PLAIN) * steps / seconds;
    if (cost->rounds < MOST_ROUNDS) cost->stepping[cost->rounds++] = stepping;
    cost->best = least / seconds;
    cost->worst = fmax(cost->worst, all / seconds);
    cost->stepping_best = each * steps / seconds;
    cost->stepping_worst = fmax(cost->stepping_worst, stepping);
    cost->estimate =
        best->count[STEP_ESTIMATING] > 0 ? mean_step(best, STEP_ESTIMATING) - each : 0.0;
    cost->steps = steps / seconds;
}

static Status time_one(const Figure *figure, const Scene *scene, double seconds, StepClock *clock,
                       RunCost *out, Error *error)
{
    Simulation *simulation = NULL;
    StepTimes now = {0}, best = {0};
    double products = 0.0, forces = 0.0;
    Status status = simulation_create(scene, &simulation, error);
    if (status != STATUS_OK) return status;
    simulation_set_cancel(simulation, figure->cancel);
    double estimated = simulation_readings(simulation).k0_time;
    double cold = fmin(8.0, 0.25 * seconds / simulation_next_step(simulation));
    out->diverged = false;
    for (int step = 0; simulation_time(simulation) < seconds && !out->diverged &&
                       status == STATUS_OK && figure_check(figure, NULL) == STATUS_OK;
         step++) {
        double start = clock_cpu_seconds();
        out->diverged = simulation_step(simulation, NULL) != STATUS_OK;
        double spent = clock_cpu_seconds() - start, least = spent;
        double estimate = simulation_readings(simulation).k0_time;
        StepKind kind = estimate > estimated           ? STEP_ESTIMATING
                        : now.count[STEP_FIRST] < cold ? STEP_FIRST
                                                       : STEP_PLAIN;
        estimated = estimate;
        if (!clock_step(clock, step, spent, &least))
            status = error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for times");
        add_step(&now, kind, spent);
        add_step(&best, kind, least);
        const StepReport *report = simulation_last_report(simulation);
        products += report->pcg.iterations, forces += report->force_evaluations;
    }
    double time = fmax(simulation_time(simulation), 1e-12);
    add_round(&now, &best, time, out);
    out->products = products / time, out->forces = forces / time;
    simulation_destroy(simulation);
    return status == STATUS_OK ? figure_check(figure, error) : status;
}

Status time_runs(const Figure *figure, const Scene *scenes, int count, double seconds, int rounds,
                 RunCost *out, Error *error)
{
    StepClock *clocks = calloc((size_t)count, sizeof *clocks);
    Status status =
        clocks ? STATUS_OK : error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for times");
    for (int i = 0; i < count; i++) out[i] = (RunCost){0};
    for (int round = 0; round < rounds && status == STATUS_OK; round++) {
        for (int i = 0; i < count && status == STATUS_OK; i++)
            status = time_one(figure, &scenes[i], seconds, &clocks[i], &out[i], error);
    }
    for (int i = 0; i < count && clocks; i++) free(clocks[i].least);
    free(clocks);
    return status;
}

// ---- limits

Status measure_limits(const Figure *figure, const Scene *scene, double time, Limits *out,
                      Error *error)
{
    // so many that J is taken as a whole on 8 x 8 particles: a Krylov space of 240 saw growth below
    // the limit of a cloth that buckles, and the limit came out 1.2 % low
    enum { PRODUCTS = STEP_MAP_BASIS_MAX };
    const double LONGEST = 0.1; // s
    Simulation *simulation = NULL;
    Lab lab = {0};
    Analysis analysis;
    AnalysisPlan plan = analysis_thorough;
    plan.density_probes = plan.map_products = 0;
    plan.limits = false;
    Status status = simulation_create(scene, &simulation, error);
    if (status == STATUS_OK) run_until(figure, simulation, time, time, NULL, NULL);
    if (status == STATUS_OK) status = figure_check(figure, error);
    if (status == STATUS_OK) status = lab_init(&lab, simulation, error);
    if (status == STATUS_OK) {
        lab_analyze(&lab, simulation, &plan, &analysis);
        double limit = analysis.limit.step;
        double guess = isfinite(limit) && limit > 0.0 ? limit : 2.0 / analysis.omega_max;
        bool filtered = analysis.has_filter_limit;
        *out = (Limits){.k0 = analysis.k0,
                        .theory = limit,
                        .is_bound = analysis.limit.is_bound,
                        .measured = lab_measure_limit(&lab, simulation, guess, LONGEST, PRODUCTS),
                        .algorithm1 = filtered ? analysis.filter.algorithm1 : NAN,
                        .corrected = filtered ? analysis.filter.corrected : NAN};
    }
    lab_finish(&lab);
    simulation_destroy(simulation);
    return status == STATUS_OK ? figure_check(figure, error) : status;
}
