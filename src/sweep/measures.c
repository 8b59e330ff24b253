#include "sweep/measures.h"

#include "base/clock.h"
#include "scene/combination.h"
#include "simulation/simulation.h"

#include <math.h>
#include <string.h>

static Measured number(double value)
{
    return (Measured){.number = value};
}

static Measured word(const char *text)
{
    return (Measured){.number = NAN, .word = text};
}

#define NUMBER(name, value)                                                                        \
    static Measured get_##name(const PointData *data)                                              \
    {                                                                                              \
        return number(value);                                                                      \
    }
#define WORD(name, value)                                                                          \
    static Measured get_##name(const PointData *data)                                              \
    {                                                                                              \
        return word(value);                                                                        \
    }

// Without what buckles, which is physics; NaN if that grows faster than anything else.
static double rho_measured(const Analysis *analysis)
{
    const StepMapResult *map = &analysis->map;
    double rho = map->rho.buckling ? map->numerical.value : map->rho.value;
    return analysis->measured && rho > 0.0 ? rho : NAN;
}

// clang-format off
NUMBER(k0, data->view.stiffness.k0)
NUMBER(step, data->view.step)
NUMBER(limit, data->view.limit.step)
WORD(theory, point_theory_name(point_theory(&data->view, data->view.step)))
WORD(noise, point_run_name(data->noise))
NUMBER(k_min, data->analysis.k_min)
NUMBER(rho_predicted, data->analysis.rho_predicted)
NUMBER(rho_measured, rho_measured(&data->analysis))
NUMBER(limit_measured, data->analysis.measured_limit)
NUMBER(algorithm1, data->analysis.has_filter_limit ? data->analysis.filter.algorithm1 : NAN)
NUMBER(growth_steps, data->analysis.growth_steps)
WORD(verdict, verdict_name(data->analysis.verdict))
WORD(outcome, data->outcome)
NUMBER(end, data->readings.time)
NUMBER(steps, (double)data->readings.step_count)
NUMBER(energy, energy_total(data->readings.energy))
NUMBER(peak, data->peak)
NUMBER(added, data->readings.balance.remainder)
NUMBER(max_speed, data->readings.max_speed)
NUMBER(max_strain, data->readings.max_strain)
NUMBER(cost, data->readings.time > 0.0 ? data->evaluations / data->readings.time : NAN)
NUMBER(seconds, data->readings.time > 0.0 ? data->seconds / data->readings.time : NAN)

const Measure measure_table[] = {
    {"k0", "1/s^2", NEEDS_LIMIT, get_k0, "largest eigenvalue of M^-1 K"},
    {"step", "s", NEEDS_LIMIT, get_step, "the step in use, also an automatic one"},
    {"limit", "s", NEEDS_LIMIT, get_limit, "largest stable step by theory; inf: every step is stable"},
    {"theory", "", NEEDS_LIMIT, get_theory, "stable, unstable, or beyond what is surely stable"},
    {"noise", "", NEEDS_LIMIT | NEEDS_NOISE, get_noise, "240 real steps from noise: stayed, grew, close to the edge, or buckled"},
    {"k_min", "1/s^2", NEEDS_ANALYSIS, get_k_min, "smallest eigenvalue of M^-1 K"},
    {"rho_predicted", "", NEEDS_ANALYSIS, get_rho_predicted, "growth per step by theory"},
    {"rho_measured", "", NEEDS_ANALYSIS | NEEDS_RHO, get_rho_measured, "growth per step of the real step, without what buckles"},
    {"limit_measured", "s", NEEDS_ANALYSIS | NEEDS_RHO | NEEDS_CROSSING, get_limit_measured, "step at which that crosses 1, where theory only models it"},
    {"algorithm1", "s", NEEDS_ANALYSIS, get_algorithm1, "step limit under a filter as Ahmad et al. print it"},
    {"growth_steps", "", NEEDS_ANALYSIS | NEEDS_RHO, get_growth_steps, "steps until a thousandfold growth; inf: it does not grow"},
    {"verdict", "", NEEDS_ANALYSIS | NEEDS_RHO, get_verdict, "stable, marginal or unstable, as analyze says it"},
    {"outcome", "", NEEDS_RUN, get_outcome, "of a run: done or diverged"},
    {"end", "s", NEEDS_RUN, get_end, "simulated time at the end of the run"},
    {"steps", "", NEEDS_RUN, get_steps, "steps of the run"},
    {"energy", "J", NEEDS_RUN, get_energy, "total energy at the end"},
    {"peak", "J", NEEDS_RUN, get_peak, "most total energy in between, looked at 100 times a simulated second"},
    {"added", "J", NEEDS_RUN, get_added, "energy that the numerics added"},
    {"max_speed", "m/s", NEEDS_RUN, get_max_speed, "of the fastest particle at the end"},
    {"max_strain", "", NEEDS_RUN, get_max_strain, "largest strain of a spring at the end"},
    {"cost", "1/s", NEEDS_RUN, get_cost, "force evaluations and products with the matrix per simulated second, counted"},
    {"seconds", "s/s", NEEDS_RUN, get_seconds, "computing time per simulated second; another one each time"},
};
// clang-format on
const int measure_count = sizeof measure_table / sizeof measure_table[0];
_Static_assert(sizeof measure_table / sizeof measure_table[0] <= MEASURES_MAX,
               "raise MEASURES_MAX");

int measure_find(const char *name)
{
    for (int i = 0; i < measure_count; i++) {
        if (strcmp(measure_table[i].name, name) == 0) return i;
    }
    return -1;
}

Status point_work_init(PointWork *work, Error *error)
{
    return noise_run_init(&work->noise, error);
}

void point_work_finish(PointWork *work)
{
    noise_run_finish(&work->noise);
}

static bool is_stopped(const atomic_bool *stop)
{
    return stop && atomic_load_explicit(stop, memory_order_relaxed);
}

// Steps until `seconds` have passed; less than half a step may be missing.
static Status simulate(Simulation *simulation, double seconds, const atomic_bool *stop,
                       PointData *data, Error *error)
{
    double looked = -1.0;
    data->outcome = "done";
    data->peak = -INFINITY;
    while (simulation_time(simulation) < seconds - 0.5 * simulation_next_step(simulation)) {
        if (is_stopped(stop)) return error_set(error, STATUS_INTERRUPTED, "interrupted");
        double start = clock_cpu_seconds();
        Status status = simulation_step(simulation, NULL);
        data->seconds += clock_cpu_seconds() - start;
        data->evaluations +=
            step_evaluations(integrator_table[simulation_params(simulation)->integrator],
                             simulation_last_report(simulation));
        if (status != STATUS_OK) {
            data->outcome = "diverged";
            break;
        }
        if (simulation_time(simulation) - looked < 0.01) continue;
        looked = simulation_time(simulation);
        data->peak = fmax(data->peak, energy_total(simulation_energy(simulation)));
    }
    data->readings = simulation_readings(simulation);
    data->peak = fmax(data->peak, energy_total(data->readings.energy));
    return STATUS_OK;
}

static Status analyse(Simulation *simulation, unsigned needs, Analysis *out, Error *error)
{
    AnalysisPlan plan = analysis_thorough;
    plan.density_probes = 0;
    plan.limits = needs & NEEDS_CROSSING;
    if (!(needs & NEEDS_RHO)) plan.map_products = 0;
    Lab lab;
    Status status = lab_init(&lab, simulation, error);
    if (status == STATUS_OK) lab_analyze(&lab, simulation, &plan, out);
    lab_finish(&lab);
    return status;
}

// What is asked about the state at `time`.
static Status look_at_state(PointWork *work, const Scene *scene, unsigned needs, double time,
                            const atomic_bool *stop, Simulation **kept, PointData *data,
                            Error *error)
{
    PointData before = {0};
    Status status = simulation_create(scene, kept, error);
    if (status == STATUS_OK) status = simulate(*kept, time, stop, &before, error);
    if (status != STATUS_OK) return status;
    if (needs & NEEDS_ANALYSIS) status = analyse(*kept, needs, &data->analysis, error);
    simulation_refine_stiffness(*kept);
    if (status == STATUS_OK && needs & NEEDS_NOISE)
        status = noise_run_judge(&work->noise, *kept, &data->noise, error);
    data->view = simulation_view(*kept);
    return status;
}

static Status run(const Scene *scene, double seconds, const atomic_bool *stop, PointData *data,
                  Error *error)
{
    Simulation *simulation = NULL;
    Status status = simulation_create(scene, &simulation, error);
    if (status == STATUS_OK) status = simulate(simulation, seconds, stop, data, error);
    simulation_destroy(simulation);
    return status;
}

Status point_measure(PointWork *work, const Scene *scene, double time, double seconds,
                     const int *measures, int count, const atomic_bool *stop, Measured *out,
                     Error *error)
{
    if (params_refusal(&scene->params)) {
        for (int i = 0; i < count; i++) out[i] = word("refused");
        return STATUS_OK;
    }
    unsigned needs = 0;
    for (int i = 0; i < count; i++) needs |= measure_table[measures[i]].needs;
    PointData data = {0};
    Simulation *simulation = NULL;
    Status status = STATUS_OK;
    if (needs & ~(unsigned)NEEDS_RUN)
        status = look_at_state(work, scene, needs, time, stop, &simulation, &data, error);
    if (status == STATUS_OK && needs & NEEDS_RUN) status = run(scene, seconds, stop, &data, error);
    for (int i = 0; i < count && status == STATUS_OK; i++)
        out[i] = measure_table[measures[i]].get(&data);
    simulation_destroy(simulation);
    return status;
}
