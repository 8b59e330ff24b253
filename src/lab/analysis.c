#include "lab/analysis.h"

#include "base/clock.h"
#include "linalg/krylov.h"

#include <math.h>
#include <string.h>

// The 2x2 prediction is exact to rounding.
#define PREDICTION_ROUNDING 1e-9
// A mode as soft as this, in units of k0, is among those of any cloth that hangs.
#define SOFT 1e-4
// Products per measurement: all states of a small cloth.
enum { MAP_PRODUCTS = STEP_MAP_BASIS_MAX };
#define LONGEST_STEP 0.1 // s, that a step may be
// Matrices and stiffnesses closer than this are the same.
#define SAME_MATRIX 1e-9

enum { STEPS = 30 }; // of a Krylov space
#define FOR_ALPHA                                                                                  \
    {                                                                                              \
        .steps = STEPS, .products = 2 * STEPS, .tolerance = 1e-5                                   \
    }
#define FOR_LIVE_ALPHA                                                                             \
    {                                                                                              \
        .steps = 8, .products = 16, .tolerance = 1e-3                                              \
    }
static const KrylovEffort for_alpha = FOR_ALPHA;

const AnalysisPlan analysis_following = {.spectrum_products = 32,
                                         .spectrum_tolerance = 1e-4,
                                         .follow = true,
                                         .damping = FOR_LIVE_ALPHA,
                                         .filter = {.steps = 8, .products = 8}};
const AnalysisPlan analysis_live = {.spectrum_products = 32,
                                    .spectrum_tolerance = 1e-4,
                                    .damping = FOR_LIVE_ALPHA,
                                    .filter = {.steps = 8, .products = 16, .tolerance = 1e-3}};
const AnalysisPlan analysis_measured = {.spectrum_products = 32,
                                        .spectrum_tolerance = 1e-4,
                                        .damping = FOR_LIVE_ALPHA,
                                        .filter = {.steps = 8, .products = 16, .tolerance = 1e-3},
                                        .density_probes = 2,
                                        .map_products = 96};
const AnalysisPlan analysis_thorough = {
    .spectrum_products = 2000,
    .spectrum_tolerance = 1e-6,
    .damping = FOR_ALPHA,
    .density_probes = 8,
    .refine = true,
    .filter = {.steps = STEPS, .products = 300, .tolerance = 1e-7},
    .map_products = MAP_PRODUCTS,
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
        status = arena_init(&lab->memory, 4 * flat, error);
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
    lab->damped = ARENA_ALLOC(&lab->memory, dofs, double);
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
    size_t bytes = (size_t)lab->spectrum.free.dofs * sizeof(double);
    memset(lab->printed, 0, bytes);
    lab->excess = 0.0;
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
    out->followed = plan->follow && spectrum_follow(spectrum, view->system, view->x);
    if (!out->followed)
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
    system->damping_product_at(system->self, view->x, false, mode->shape, lab->extra, lab->shape);
    for (int i = 0; i < system->dofs; i++) {
        if (!(system->inverse_mass[i] > 0.0)) continue;
        product += mode->shape[i] * lab->shape[i];
        square += system->mass[i] * mode->shape[i] * mode->shape[i];
    }
    return square > 0.0 ? product / square : 0.0;
}

// p'D_w p of mode m in the masses' inner product. The wind's force is linear in v.
static double wind_of(Lab *lab, const SimulationView *view, int m)
{
    const System *system = view->system;
    const double *shape = lab->spectrum.modes[m].shape;
    if (!system->add_wind) return 0.0;
    size_t bytes = (size_t)system->dofs * sizeof(double);
    memset(lab->extra, 0, bytes); // v = 0
    memset(lab->shape, 0, bytes);
    system->add_wind(system->self, view->x, lab->extra, lab->shape);
    for (int i = 0; i < system->dofs; i++) lab->shape[i] = -lab->shape[i];
    system->add_wind(system->self, view->x, shape, lab->shape);
    double product = 0.0, square = 0.0;
    for (int i = 0; i < system->dofs; i++) {
        if (!(system->inverse_mass[i] > 0.0)) continue;
        product -= shape[i] * lab->shape[i];
        square += system->mass[i] * shape[i] * shape[i];
    }
    return square > 0.0 ? fmax(product / square, 0.0) : 0.0;
}

// Across a single spring the harmonic method's impulse acts by its share of the spring's stiffness.
static Scheme scheme_of_mode(const SimulationView *view, const Scheme *scheme, double k)
{
    Scheme own = *scheme;
    double spring = view->stiffest_spring;
    bool by_impulses = scheme->integrator->traits & INTEGRATOR_NEEDS_SPRINGS;
    if (by_impulses && view->stiffness.single && k > 0.0 && k < (1.0 - SAME_MATRIX) * spring)
        own.coupling = k / spring;
    return own;
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
        mode->wind = wind_of(lab, view, m);
        mode->X = view->step * (view->system->air + mode->wind + view->system->alpha * mode->c);
        mode->Y = view->step * view->step * mode->k;
        Scheme own = scheme_of_mode(view, scheme, mode->k);
        own.wind = mode->wind;
        Amplification a =
            amplification_of_pair(&own, view->step, mode->k, mode->c, view->system->air,
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

// The modes used to predict rho where not all are known: all along the line of k, from the softest
// to the stiffest. k_min is a Rayleigh quotient: softer modes may exist as far as its residual
// allows. theory_is_exact leaves out filters and damping with modes of its own.
static ModeSet modes_of(const Scheme *scheme, const Analysis *out)
{
    Stiffness stiffness = out->stiffness;
    stiffness.corner_count = 0;
    ModeSet modes = mode_set_of(scheme, &stiffness);
    double softest = out->k_min - out->k_min_residual;
    for (int i = 0; i < modes.count; i++) {
        modes.k[i] = fmax(modes.k[i], softest);
        modes.c[i] = modes.k[i];
    }
    modes.k[0] = modes.c[0] = fmax(softest, SOFT * out->k0);
    return modes;
}

// Where all modes are known: that of those with stiffness.
static double largest_of_modes(const Analysis *out)
{
    double largest = 0.0;
    for (int m = 0; m < out->mode_count; m++) {
        if (out->modes[m].k > SAME_MATRIX * out->k0) largest = fmax(largest, out->modes[m].rho);
    }
    return largest;
}

// Is the matrix that an implicit method solves with the K of its forces? Not where springs are
// compressed and the clamp drops a part.
static bool solves_with_K(Lab *lab, const SimulationView *view)
{
    const System *system = view->system;
    Tangent tangent = view->scheme.options.tangent;
    int n = system->dofs;
    unsigned noise = 7u;
    double apart = 0.0, size = 0.0;
    for (int i = 0; i < n; i++)
        lab->extra[i] = system->inverse_mass[i] > 0.0 ? packed_noise(&noise) : 0.0;
    for (int pass = 0; pass < 2; pass++) {
        system->stiffness_product_at(system->self, view->x, pass == 0 ? TANGENT_FULL : tangent,
                                     lab->extra, lab->shape);
        for (int i = 0; i < n; i++) {
            if (!(system->inverse_mass[i] > 0.0)) continue;
            size += pass == 0 ? lab->shape[i] * lab->shape[i] : 0.0;
            apart += lab->extra[i] * lab->shape[i] * (pass == 0 ? 1.0 : -1.0);
        }
    }
    return fabs(apart) <= SAME_MATRIX * sqrt(size);
}

// True when one 2x2 matrix per mode describes the step: the limit from k0 and rho are then exact.
static bool theory_is_exact(Lab *lab, const SimulationView *view, const Analysis *out)
{
    const Integrator *integrator = view->scheme.integrator;
    unsigned traits = integrator->traits;
    if (!integrator->amplification || view->scheme.filter != SCHEME_UNFILTERED) return false;
    if (traits & INTEGRATOR_NEEDS_SPRINGS) { // a single spring, whose modes are all known
        return !view->scheme.options.sequence && view->stiffness.single &&
               out->free_count <= out->mode_count &&
               (view->system->rayleigh || view->system->alpha == 0.0);
    }
    if ((traits & INTEGRATOR_PARTLY_IMPLICIT) || view->system->add_wind) return false;
    if (view->system->alpha > 0.0 &&
        (!view->system->rayleigh || view->stiffness.corner_count > 0)) {
        return false;
    }
    if (view->stiffness.taut > 1.001 * view->stiffness.k0)
        return false; // slack springs may stay so
    // an implicit method's slowest mode decides, which is not known where others buckle
    return !(traits & INTEGRATOR_IMPLICIT) || (out->k_min > 0.0 && solves_with_K(lab, view));
}

// c0 / k0 where Rayleigh damping, alpha times the clamped K, is taken for alpha K: at least 1. On
// the step it hardly shows, but at the largest alpha damping is nearly all.
static double excess_of_damping(Lab *lab, const SimulationView *view, const AnalysisPlan *plan,
                                const Analysis *out)
{
    const System *system = view->system;
    double k0 = fmax(view->stiffness.k0, view->stiffness.taut);
    if (!system->damping_product_at || view->stiffness.corner_count > 0 || !(k0 > 0.0)) return 1.0;
    if (out->followed && lab->excess > 0.0) return lab->excess;
    arena_reset(&lab->scratch);
    size_t bytes = (size_t)system->dofs * sizeof(double);
    if (lab->excess == 0.0) memcpy(lab->damped, lab->spectrum.modes[0].shape, bytes);
    double c0 =
        stiffness_of_damping(system, view->x, plan->damping.steps > 0 ? plan->damping : for_alpha,
                             lab->damped, &lab->scratch);
    lab->excess = fmax(c0 / k0, 1.0);
    return lab->excess;
}

static double alpha_of(const Scheme *scheme, const ModeSet *modes, double h, double air)
{
    AlphaRange range = modes_alpha_range(scheme, modes, h, air);
    return range.low <= range.high ? range.high : 0.0;
}

// A method that is stable while  h^2 k + 2 h alpha c  is below a constant: Newton's method, the
// mode that decides for an alpha gives the next one. From a bound, which is below. In wind it stays
// one: the mode that decides may meet less drag than the most.
static double exact_alpha(Lab *lab, const SimulationView *view, const Scheme *scheme, double alpha)
{
    enum { ROUNDS = 8 };
    const System *system = view->system;
    double h = view->step, before = 0.0;
    memset(lab->shape, 0, (size_t)system->dofs * sizeof(double));
    for (int i = 0; i < ROUNDS && fabs(alpha - before) > 1e-5 * alpha; i++) {
        ModeSet decides = {.count = 1, .symbol = {1.0}, .wind = view->stiffness.wind};
        arena_reset(&lab->scratch);
        stiffness_weighed(system, view->x, h * h, 2.0 * h * alpha, for_alpha, lab->shape,
                          &lab->scratch, &decides.k[0], &decides.c[0]);
        before = alpha;
        alpha = alpha_of(scheme, &decides, h, system->air);
    }
    return alpha;
}

static void find_alpha_limit(Lab *lab, const SimulationView *view, const AnalysisPlan *plan,
                             const Scheme *scheme, Analysis *out)
{
    const Stiffness *stiffness = &out->stiffness;
    double h = view->step, air = view->system->air;
    ModeSet modes = mode_set_of(scheme, stiffness);
    out->alpha_limit = alpha_of(scheme, &modes, h, air) / excess_of_damping(lab, view, plan, out);
    out->alpha_is_bound = out->limit.is_bound || stiffness->wind > 0.0;
    if (stiffness->corner_count == 0) return;
    Stiffness line = stiffness_on_line(stiffness);
    ModeSet on_line = mode_set_of(scheme, &line);
    bool separable = scheme->integrator->traits & INTEGRATOR_SEPARABLE;
    if (separable && scheme->filter == SCHEME_UNFILTERED && out->alpha_limit > 0.0) {
        out->alpha_limit = exact_alpha(lab, view, scheme, out->alpha_limit);
    } else if (!bound_is_close(stiffness, out->alpha_limit, alpha_of(scheme, &on_line, h, air))) {
        out->alpha_is_bound = true;
    }
}

static void predict(Lab *lab, const SimulationView *view, const AnalysisPlan *plan,
                    const Scheme *scheme, Analysis *out)
{
    double h = view->step, air = view->system->air, alpha = view->system->alpha;
    out->alpha_limit = out->rho_predicted = NAN;
    if (out->theory_is_exact && out->free_count <= out->mode_count && out->k0 > 0.0) {
        out->rho_predicted = largest_of_modes(out);
    } else if (out->theory_is_exact) {
        ModeSet modes = modes_of(scheme, out);
        out->rho_predicted = out->k0 > 0.0 ? modes_largest_rho(scheme, &modes, h, air, alpha)
                                           : amplification_of(scheme, h, 0.0, air, 0.0, 1.0).rho;
    }
    // no 2x2 matrix describes springs that see each other's impulses
    if ((scheme->integrator->traits & INTEGRATOR_NEEDS_SPRINGS) && scheme->options.sequence) return;
    out->alpha_limit = INFINITY;
    if (out->k0 > 0.0 && scheme->integrator->amplification)
        find_alpha_limit(lab, view, plan, scheme, out);
}

// Springs taken in sequence see each other's impulses, so that no constant force holds a cloth in
// balance (simulation/probe.c). Where the floor holds a part of it, the map is then that of another
// motion: it may warn, but it proves nothing.
static bool is_balanced(const Analysis *out)
{
    const Scheme *scheme = &out->scheme;
    bool sequence =
        (scheme->integrator->traits & INTEGRATOR_NEEDS_SPRINGS) && scheme->options.sequence;
    return !(sequence && out->stiffness.contact);
}

// The limit, where theory only models it. Not of an implicit method on a large cloth: a thousand of
// its solves for each of many steps take minutes, and its limit lies far beyond its accuracy.
static bool is_worth_measuring(const Lab *lab, const Analysis *out)
{
    unsigned traits = out->scheme.integrator->traits;
    bool quick = !(traits & INTEGRATOR_IMPLICIT) || (traits & INTEGRATOR_EXPLICIT_ACROSS) ||
                 2 * out->free_count <= lab->map.size;
    return !out->theory_is_exact && is_balanced(out) && out->k0 > 0.0 && quick;
}

static void measure(Lab *lab, Simulation *simulation, const AnalysisPlan *plan,
                    const GrowthTheory *theory, Analysis *out)
{
    SimulationProbe probe;
    if (simulation_probe_begin(simulation, out->step, lab->saved, lab->extra, &probe, NULL) !=
        STATUS_OK) {
        return; // no memory: rho is not measured
    }
    if (plan->map_products > 0) {
        StepMapProblem problem = probe_problem(&probe, theory);
        if (plan->map_seconds > 0.0) problem.deadline = clock_seconds() + plan->map_seconds;
        out->map =
            step_map_measure(&lab->map, &problem, plan->map_products, ANALYSIS_RHO_TOLERANCE);
        out->measured = !out->map.failed;
        out->measured_time = out->time;
        out->measured_step = out->step;
    }
    if (plan->limits && is_worth_measuring(lab, out)) {
        double step = out->limit.step;
        double guess = isfinite(step) && step > 0.0 ? step : 2.0 / out->omega_max;
        out->measured_limit =
            measured_limit(&lab->map, &probe, theory, guess, LONGEST_STEP, MAP_PRODUCTS);
    }
    simulation_probe_end(&probe);
}

// What theory says by itself: by rho where it knows it, else by the limit. Beyond a bound it does
// not know, nor of soft modes that a filter feeds.
static Verdict verdict_of_theory(const Analysis *out)
{
    double rho = out->rho_predicted;
    if (!isnan(rho)) {
        return rho > 1.0 + PREDICTION_ROUNDING   ? VERDICT_UNSTABLE
               : rho > 1.0 - PREDICTION_ROUNDING ? VERDICT_MARGINAL
                                                 : VERDICT_STABLE;
    }
    if (out->step <= out->limit.step)
        return out->limit.but_soft ? VERDICT_MARGINAL : VERDICT_STABLE;
    return out->limit.is_bound ? VERDICT_MARGINAL : VERDICT_UNSTABLE;
}

// Does a measurement show growth? It may contradict theory as far as it is certain: where J is far
// from normal in the norm of the map, no value may be as near as the residual. A rope that crumples
// under backward Euler showed 1.04 with 0.017 after 96 products; its largest value is 0.998.
static bool shows_growth(const Analysis *out)
{
    const StepMapResult *map = &out->map;
    return out->verdict == VERDICT_STABLE ? measured_surely(map) : measured_unstable(map);
}

static void conclude(Analysis *out)
{
    out->step_ratio = out->step / out->limit.step; // 0 without a limit
    double rho = out->rho_predicted;
    out->verdict = verdict_of_theory(out);
    bool unknown = isnan(rho) && out->verdict == VERDICT_MARGINAL;
    bool measured = out->measured && !out->outdated;
    if (measured && shows_growth(out)) {
        out->verdict = VERDICT_UNSTABLE;
        rho = out->map.numerical.value;
    } else if (measured && is_balanced(out) && !out->theory_is_exact &&
               (out->map.exact || (unknown && out->map.numerical.converged))) {
        out->verdict = VERDICT_STABLE;
    }
    out->growth_steps =
        out->verdict == VERDICT_UNSTABLE && rho > 1.0 ? log(1000.0) / log(rho) : INFINITY;
}

// A Rayleigh quotient is never too low: the true k_min may be lower by up to the residual.
GrowthTheory analysis_theory(const Analysis *analysis)
{
    return (GrowthTheory){.scheme = &analysis->scheme,
                          .stiffness = &analysis->stiffness,
                          .k_min = fmin(analysis->k_min - analysis->k_min_residual, 0.0),
                          .air = analysis->air,
                          .alpha = analysis->alpha};
}

void analysis_set_rho(Analysis *analysis, const StepMapResult *map)
{
    analysis->map = *map;
    analysis->measured = !map->failed && map->products > 0;
    analysis->measured_time = analysis->time;
    analysis->measured_step = analysis->step;
    conclude(analysis);
}

const StepMapRho *analysis_own_rho(const Analysis *analysis)
{
    const StepMapResult *map = &analysis->map;
    bool unstable = analysis->verdict == VERDICT_UNSTABLE && map->numerical.value > 0.0;
    return map->rho.buckling || unstable ? &map->numerical : &map->rho;
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

    Scheme scheme = scheme_on(&view.scheme, &view.stiffness);
    out->mu_sigma =
        view.stiffest_spring > 0.0 ? view.step * sqrt(view.stiffest_spring) / M_PI : NAN;
    place_modes(lab, &view, &scheme, out);
    if (scheme.filter != SCHEME_UNFILTERED) find_filter_limit(lab, &view, plan, out);
    out->scheme = scheme;
    out->air = view.system->air;
    out->alpha = view.system->alpha;
    out->theory_is_exact = theory_is_exact(lab, &view, out);
    predict(lab, &view, plan, &scheme, out);
    if (plan->map_products > 0 || plan->limits) {
        GrowthTheory theory = analysis_theory(out);
        measure(lab, simulation, plan, &theory, out);
        find_softest(lab, &view, out);
    }
    conclude(out);
}

static bool is_near(double a, double b, double share)
{
    return fabs(a - b) <= share * fabs(b);
}

void analysis_adopt_rho(Analysis *analysis, const Analysis *earlier)
{
    bool other = earlier->free_count != analysis->free_count; // a particle was pinned or grabbed
    if (!earlier->measured || other) return;
    analysis->measured = true;
    analysis->outdated = !is_near(earlier->step, analysis->step, 0.02) ||
                         !is_near(earlier->alpha, analysis->alpha, 0.02) ||
                         !is_near(earlier->k0, analysis->k0, 0.05);
    analysis->measured_time = earlier->measured_time;
    analysis->measured_step = earlier->measured_step;
    analysis->map = earlier->map;
    conclude(analysis);
}

void lab_mode_shape(const Lab *lab, const Simulation *simulation, int mode, float *out)
{
    const double *shape = mode == LAB_SOFTEST   ? lab->spectrum.soft.shape
                          : mode == LAB_GROWING ? lab->map.shape
                                                : lab->spectrum.modes[mode].shape;
    simulation_particles(simulation, shape, out);
}

double lab_measure_limit(Lab *lab, Simulation *simulation, double guess, double longest,
                         int products)
{
    Analysis analysis;
    AnalysisPlan plan = analysis_thorough;
    plan.map_products = 0;
    plan.limits = false;
    lab_forget(lab);
    lab_analyze(lab, simulation, &plan, &analysis);
    GrowthTheory theory = {.scheme = &analysis.scheme,
                           .stiffness = &analysis.stiffness,
                           .k_min = fmin(analysis.k_min, 0.0),
                           .air = analysis.air,
                           .alpha = analysis.alpha};
    SimulationProbe probe;
    if (simulation_probe_begin(simulation, guess, lab->saved, lab->extra, &probe, NULL) !=
        STATUS_OK)
        return NAN;
    double limit = measured_limit(&lab->map, &probe, &theory, guess, longest, products);
    simulation_probe_end(&probe);
    return limit;
}
