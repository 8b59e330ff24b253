#include "lab/analysis.h"

#include "base/clock.h"
#include "linalg/krylov.h"

#include <math.h>
#include <string.h>

// The 2x2 prediction is exact to rounding.
#define PREDICTION_ROUNDING 1e-9
#define MAP_TOLERANCE 1e-3
// A mode as soft as this, in units of k0, is among those of any cloth that hangs.
#define SOFT 1e-4
// Products per measurement while the limit is searched.
enum { LIMIT_PRODUCTS = 240 };

enum { STEPS = 30 }; // of a Krylov space

const AnalysisPlan analysis_live = {.spectrum_products = 32,
                                    .spectrum_tolerance = 1e-4,
                                    .filter = {.steps = 8, .products = 16, .tolerance = 1e-3}};
const AnalysisPlan analysis_measured = {.spectrum_products = 32,
                                        .spectrum_tolerance = 1e-4,
                                        .filter = {.steps = 8, .products = 16, .tolerance = 1e-3},
                                        .density_probes = 2,
                                        .map_products = 96};
const AnalysisPlan analysis_thorough = {
    .spectrum_products = 2000,
    .spectrum_tolerance = 1e-6,
    .density_probes = 8,
    .refine = true,
    .filter = {.steps = STEPS, .products = 300, .tolerance = 1e-7},
    .map_products = 400,
    .limits = true};

const char *verdict_name(Verdict verdict)
{
    static const char *const names[] = {"stable", "marginal", "unstable"};
    return names[verdict];
}

Status lab_init(Lab *lab, Simulation *simulation, Error *error)
{
    *lab = (Lab){0};
    int dofs = simulation_view(simulation).system->dofs;
    Status status = spectrum_init(&lab->spectrum, dofs, error);
    // where it is cheap, a basis as large as the state: rho is then exact on the stable side too
    int basis = dofs <= STEP_MAP_BASIS_MAX ? STEP_MAP_BASIS_MAX : STEP_MAP_BASIS;
    if (status == STATUS_OK) status = step_map_init(&lab->map, dofs, basis, error);
    if (status == STATUS_OK) {
        size_t flat = arena_footprint((size_t)dofs * sizeof(double));
        status = arena_init(&lab->memory, 3 * flat, error);
    }
    if (status == STATUS_OK)
        status = arena_init(&lab->scratch, stiffness_scratch_size(dofs, STEPS), error);
    if (status == STATUS_OK) status = state_create(&lab->saved, error);
    if (status != STATUS_OK) {
        lab_finish(lab);
        return status;
    }
    lab->extra = ARENA_ALLOC(&lab->memory, dofs, double);
    lab->shape = ARENA_ALLOC(&lab->memory, dofs, double);
    lab->printed = ARENA_ALLOC(&lab->memory, dofs, double);
    lab_forget(lab);
    return STATUS_OK;
}

void lab_finish(Lab *lab)
{
    spectrum_finish(&lab->spectrum);
    step_map_finish(&lab->map);
    arena_finish(&lab->memory);
    arena_finish(&lab->scratch);
    state_destroy(lab->saved);
    *lab = (Lab){0};
}

bool lab_fits(const Lab *lab, Simulation *simulation)
{
    return lab->shape && lab->spectrum.free.dofs == simulation_view(simulation).system->dofs;
}

void lab_forget(Lab *lab)
{
    spectrum_forget(&lab->spectrum);
    step_map_forget(&lab->map);
    memset(lab->printed, 0, (size_t)lab->spectrum.free.dofs * sizeof(double));
}

// The mode that grew in the last measurement of rho is often softer than what a few products find.
static void find_softest(Lab *lab, const SimulationView *view, Analysis *out)
{
    Spectrum *spectrum = &lab->spectrum;
    if (step_map_has_shape(&lab->map)) {
        spectrum_try_soft(spectrum, view->system, view->x, lab->map.shape);
    }
    out->k_min = spectrum->k_min;
    out->k_min_residual = spectrum->k_min_residual;
    out->buckling = out->k_min < -PREDICTION_ROUNDING * out->k0;
}

static void find_spectrum(Lab *lab, const SimulationView *view, const AnalysisPlan *plan,
                          Analysis *out)
{
    Spectrum *spectrum = &lab->spectrum;
    spectrum_lanczos(spectrum, view->system, view->x, plan->spectrum_products,
                     plan->spectrum_tolerance);
    if (plan->density_probes > 0) {
        spectrum_density(spectrum, view->system, view->x, plan->density_probes);
        out->density = spectrum->density;
    }
    out->free_count = spectrum->free_count;
    out->k0 = view->stiffness.k0; // refined from the lab's own mode, where the plan says so
    out->k0_residual = spectrum->k0_residual + fmax(spectrum->k0 - out->k0, 0.0);
    out->omega_max = sqrt(out->k0);
    find_softest(lab, view, out);
}

// The filter's factor for mode m: its Rayleigh quotient in the mass inner product.
static double symbol_of(Lab *lab, const SimulationView *view, int m)
{
    if (view->scheme.filter == SCHEME_UNFILTERED) return 1.0;
    const double *shape = lab->spectrum.modes[m].shape, *mass = view->system->mass;
    memcpy(lab->shape, shape, (size_t)view->system->dofs * sizeof(double));
    view->filter.apply(view->filter.self, view->x, lab->shape);
    double product = 0.0, square = 0.0;
    for (int i = 0; i < view->system->dofs; i++) {
        product += mass[i] * shape[i] * lab->shape[i];
        square += mass[i] * shape[i] * shape[i];
    }
    return square > 0.0 ? product / square : 1.0;
}

// p'C p of mode m in the masses' inner product; k where damping shares the modes of K.
static double damping_of(Lab *lab, const SimulationView *view, int m)
{
    const System *system = view->system;
    const SpectrumMode *mode = &lab->spectrum.modes[m];
    if (!system->damping_product_at) return mode->k;
    double product = 0.0, square = 0.0;
    system->damping_product_at(system->self, view->x, mode->shape, lab->extra, lab->shape);
    for (int i = 0; i < system->dofs; i++) {
        if (!(system->inverse_mass[i] > 0.0)) continue;
        product += mode->shape[i] * lab->shape[i];
        square += system->mass[i] * mode->shape[i] * mode->shape[i];
    }
    return square > 0.0 ? product / square : 0.0;
}

static void place_modes(Lab *lab, const SimulationView *view, const Scheme *scheme, Analysis *out)
{
    out->mode_count = lab->spectrum.mode_count;
    for (int m = 0; m < out->mode_count; m++) {
        AnalysisMode *mode = &out->modes[m];
        *mode = (AnalysisMode){.k = lab->spectrum.modes[m].k,
                               .residual = lab->spectrum.modes[m].residual,
                               .symbol = symbol_of(lab, view, m)};
        mode->c = damping_of(lab, view, m);
        mode->X = view->step * (view->system->air + view->system->alpha * mode->c);
        mode->Y = view->step * view->step * mode->k;
        Amplification a =
            amplification_of_pair(scheme, view->step, mode->k, mode->c, view->system->air,
                                  view->system->alpha, mode->symbol);
        memcpy(mode->re, a.re, sizeof a.re);
        memcpy(mode->im, a.im, sizeof a.im);
        mode->rho = a.rho;
    }
}

static void find_filter_limit(Lab *lab, const SimulationView *view, const AnalysisPlan *plan,
                              Analysis *out)
{
    const Stiffness *stiffness = &view->stiffness;
    arena_reset(&lab->scratch);
    FilteredMode printed = stiffness_filtered_force(view->system, view->x, view->filter,
                                                    plan->filter, lab->printed, &lab->scratch);
    double a = printed.k * printed.symbol, lowest = stiffness->lowest.symbol;
    out->has_filter_limit = true;
    out->filter = (FilterLimit){.algorithm1 = a > 0.0 ? 2.0 / sqrt(a) : INFINITY,
                                .smallest_symbol = lowest,
                                .negative = lowest < 0.0};
    if (out->filter.negative) return;
    FilteredMode decisive = stiffness->decisive;
    if (view->scheme.filter != SCHEME_FILTER_BEFORE) {
        arena_reset(&lab->scratch);
        memcpy(lab->shape, lab->printed, (size_t)view->system->dofs * sizeof(double));
        decisive = stiffness_filtered(view->system, view->x, view->filter, plan->filter, lab->shape,
                                      &lab->scratch);
    }
    a = decisive.k * decisive.symbol / (1.0 + decisive.symbol);
    out->filter.corrected = a > 0.0 ? sqrt(2.0 / a) : INFINITY;
}

static void add_mode(ModeSet *modes, double k, double c, double symbol)
{
    modes->k[modes->count] = k;
    modes->c[modes->count] = c;
    modes->symbol[modes->count++] = symbol;
}

// The modes used to predict rho: all along the line of k, or, where it is not known which damping
// or symbol belongs to which k, those that are known.
static ModeSet modes_of(const Scheme *scheme, const Analysis *out)
{
    bool filtered = scheme->filter != SCHEME_UNFILTERED;
    bool pairs = out->stiffness.corner_count > 0, all_known = out->free_count <= out->mode_count;
    ModeSet modes = mode_set_of(scheme, &out->stiffness);
    if (!filtered && !pairs && !all_known) {
        for (int i = 0; i < modes.count; i++) {
            modes.k[i] = fmax(modes.k[i], out->k_min);
            modes.c[i] = modes.k[i];
        }
        return modes;
    }
    if (out->limit.is_bound || pairs || all_known) modes.count = 0;
    for (int m = 0; m < out->mode_count; m++) {
        if (out->modes[m].k > 0.0)
            add_mode(&modes, out->modes[m].k, out->modes[m].c, out->modes[m].symbol);
    }
    if (all_known) return modes;
    double soft = fmax(out->k_min, SOFT * out->k0); // which a filter leaves alone
    add_mode(&modes, soft, soft, 1.0);
    const FilteredMode lowest = out->stiffness.lowest;
    if (filtered && lowest.k > 0.0) add_mode(&modes, lowest.k, lowest.k, lowest.symbol);
    return modes;
}

// True when one 2x2 matrix per mode describes the step: the limit from k0 is then exact.
static bool theory_is_exact(const SimulationView *view)
{
    const Integrator *integrator = view->scheme.integrator;
    if (integrator->traits & INTEGRATOR_EXPLICIT_ACROSS) return false;
    return view->scheme.filter == SCHEME_UNFILTERED && view->system->rayleigh &&
           !(integrator->traits & INTEGRATOR_NEEDS_SPRINGS) && integrator->amplification;
}

// No 2x2 matrix describes springs that see each other's impulses.
static bool has_theory(const Scheme *scheme)
{
    return scheme->integrator->amplification &&
           !((scheme->integrator->traits & INTEGRATOR_NEEDS_SPRINGS) && scheme->options.sequence);
}

static void predict(const SimulationView *view, const Scheme *scheme, Analysis *out)
{
    double h = view->step, air = view->system->air, alpha = view->system->alpha;
    ModeSet modes = modes_of(scheme, out);
    out->alpha_limit = out->rho_predicted = NAN;
    if (!has_theory(scheme)) return;
    out->alpha_limit = INFINITY;
    out->rho_predicted = out->k0 > 0.0 ? modes_largest_rho(scheme, &modes, h, air, alpha)
                                       : amplification_of(scheme, h, 0.0, air, 0.0, 1.0).rho;
    if (out->k0 > 0.0) {
        modes = mode_set_of(scheme, &out->stiffness);
        AlphaRange range = modes_alpha_range(scheme, &modes, h, air);
        out->alpha_limit = range.low <= range.high ? range.high : 0.0;
    }
}

// A method that is explicit across springs has modes beyond those of k0:
//   a z^2 - (a + 1 - h^2 k) z + 1 = 0,   a = 1 + h d0 + (h^2 + h alpha) p,
// where k and p are the parts of K and of its axial part in the decisive mode.
static void predict_across(Lab *lab, const SimulationView *view, const AnalysisPlan *plan,
                           Analysis *out)
{
    double h = view->step, air = view->system->air, *mode = lab->shape;
    if (h <= out->limit.step || view->scheme.filter != SCHEME_UNFILTERED) return;
    memcpy(mode, view->across, (size_t)view->system->dofs * sizeof(double));
    arena_reset(&lab->scratch);
    AcrossMode across =
        stiffness_across(view->system, view->x, 2.0, plan->filter, mode, &lab->scratch);
    // at the axial tangent D is alpha P or more, for every kind of damping
    double a = 1.0 + h * air + (h * h + h * view->system->alpha) * across.axial;
    double G[2][2] = {{(a + 1.0 - h * h * across.full) / a, -1.0 / a}, {1.0, 0.0}};
    if (across.full > 0.0)
        out->rho_predicted = fmax(out->rho_predicted, amplification_judge(G).rho);
}

static void measure(Lab *lab, Simulation *simulation, const AnalysisPlan *plan,
                    const Buckling *buckling, const Scheme *scheme, Analysis *out)
{
    SimulationProbe probe;
    if (simulation_probe_begin(simulation, out->step, lab->saved, lab->extra, &probe, NULL) !=
        STATUS_OK) {
        return; // no memory: rho is not measured
    }
    if (plan->map_products > 0) {
        StepMapProblem problem = probe_problem(&probe, fmax(0.0, -out->k_min));
        if (plan->map_seconds > 0.0) problem.deadline = clock_seconds() + plan->map_seconds;
        StepMapResult result =
            step_map_measure(&lab->map, &problem, plan->map_products, MAP_TOLERANCE);
        out->measured = !result.failed;
        out->measured_time = out->time;
        out->rho_measured = result.rho;
        out->rho_residual = result.residual;
        out->rho_converged = result.converged;
        out->value_count = result.count;
        memcpy(out->values, result.values, sizeof result.values);
    }
    if (plan->limits && !out->theory_is_exact && out->k0 > 0.0) {
        double step = out->limit.step;
        double guess = isfinite(step) && step > 0.0 ? step : 2.0 / out->omega_max;
        out->measured_limit =
            measured_limit(&lab->map, &probe, scheme, buckling, guess, LIMIT_PRODUCTS);
    }
    simulation_probe_end(&probe);
}

// The prediction decides unless a measurement contradicts it beyond its residual. Where theory is
// only a model, a measurement may also say stable.
static void conclude(Analysis *out)
{
    out->step_ratio = out->step / out->limit.step; // 0 without a limit
    double rho = out->rho_predicted;
    out->verdict = rho > 1.0 + PREDICTION_ROUNDING   ? VERDICT_UNSTABLE
                   : rho > 1.0 - PREDICTION_ROUNDING ? VERDICT_MARGINAL
                                                     : VERDICT_STABLE;
    if (out->measured) {
        StepMapResult result = {.count = out->value_count};
        memcpy(result.values, out->values, sizeof out->values);
        out->rho_numerical =
            numerical_rho(&result, out->rho_buckling, &out->rho_numerical_residual);
        // only a value that is not buckling, under a filter that inverts no mode, can contradict
        // theory
        bool speaks = out->rho_converged && out->rho_numerical > 0.0 && !out->filter.negative;
        if (measured_unstable(&result, out->rho_buckling)) {
            out->verdict = VERDICT_UNSTABLE;
            rho = out->rho_numerical;
        } else if (out->verdict == VERDICT_UNSTABLE && speaks) {
            out->verdict = out->theory_is_exact ? VERDICT_MARGINAL : VERDICT_STABLE;
        }
        out->rho_is_buckling = out->rho_measured - out->rho_residual > 1.0 + MEASURED_NEUTRAL &&
                               result.count > 0 &&
                               value_is_buckling(&result.values[0], out->rho_buckling);
    }
    out->growth_steps =
        out->verdict == VERDICT_UNSTABLE && rho > 1.0 ? log(1000.0) / log(rho) : INFINITY;
}

// A Rayleigh quotient is never too low: the true k_min may be lower by up to the residual.
static Buckling buckling_of(const SimulationView *view, const Analysis *out)
{
    return (Buckling){fmin(out->k_min - out->k_min_residual, 0.0), view->system->air,
                      view->system->alpha};
}

void lab_analyze(Lab *lab, Simulation *simulation, const AnalysisPlan *plan, Analysis *out)
{
    if (plan->refine) simulation_refine_stiffness(simulation);
    SimulationView view = simulation_view(simulation);
    *out = (Analysis){.time = view.time,
                      .step = view.step,
                      .stiffness = view.stiffness,
                      .limit = view.limit,
                      .measured_limit = NAN};
    find_spectrum(lab, &view, plan, out);

    Scheme scheme = view.scheme;
    if (view.stiffest_spring > 0.0) scheme.coupling = fmax(1.0, out->k0 / view.stiffest_spring);
    out->mu_sigma =
        view.stiffest_spring > 0.0 ? view.step * sqrt(view.stiffest_spring) / M_PI : NAN;
    place_modes(lab, &view, &scheme, out);
    if (scheme.filter != SCHEME_UNFILTERED) find_filter_limit(lab, &view, plan, out);
    out->scheme = scheme;
    out->air = view.system->air;
    out->alpha = view.system->alpha;
    predict(&view, &scheme, out);
    if (scheme.integrator->traits & INTEGRATOR_EXPLICIT_ACROSS) {
        predict_across(lab, &view, plan, out);
    }

    out->theory_is_exact = theory_is_exact(&view);
    Buckling buckling = buckling_of(&view, out);
    out->rho_buckling = buckling_rho(&buckling, &scheme, view.step);
    if (plan->map_products > 0 || plan->limits) {
        measure(lab, simulation, plan, &buckling, &scheme, out);
        find_softest(lab, &view, out);
        buckling = buckling_of(&view, out);
        out->rho_buckling = fmax(out->rho_buckling, buckling_rho(&buckling, &scheme, view.step));
    }
    conclude(out);
}

static bool is_near(double a, double b, double share)
{
    return fabs(a - b) <= share * fabs(b);
}

void analysis_adopt_rho(Analysis *analysis, const Analysis *earlier)
{
    if (!earlier->measured || !is_near(earlier->step, analysis->step, 0.02) ||
        !is_near(earlier->alpha, analysis->alpha, 0.02) ||
        !is_near(earlier->k0, analysis->k0, 0.05) ||
        earlier->free_count != analysis->free_count) { // a particle was pinned or grabbed
        return;
    }
    analysis->measured = true;
    analysis->measured_time = earlier->measured_time;
    analysis->rho_measured = earlier->rho_measured;
    analysis->rho_residual = earlier->rho_residual;
    analysis->rho_converged = earlier->rho_converged;
    analysis->value_count = earlier->value_count;
    memcpy(analysis->values, earlier->values, sizeof earlier->values);
    // values that were buckling then still count as buckling
    analysis->rho_buckling = fmax(analysis->rho_buckling, earlier->rho_buckling);
    conclude(analysis);
}

void lab_mode_shape(const Lab *lab, const Simulation *simulation, int mode, float *out)
{
    const double *shape = mode == LAB_SOFTEST   ? lab->spectrum.soft.shape
                          : mode == LAB_GROWING ? lab->map.shape
                                                : lab->spectrum.modes[mode].shape;
    simulation_particles(simulation, shape, out);
}
