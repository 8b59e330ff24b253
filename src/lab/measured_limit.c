#include "lab/measured_limit.h"

#include <math.h>

enum { FEW_PRODUCTS = STEP_MAP_BASIS };
#define TOLERANCE 2e-5 // residual at which a measurement ends
#define LOWEST 200.0   // the smallest step looked at is the guess over this
#define RATIO 1.1      // between two steps of the search
#define RATIO_MAX 1.3  // the same, far from the guess
#define PRECISION 5e-4
// Of a value on the unit circle: a double one splits by the root of a difference's error, 1e-10.
#define ROUNDING 5e-6
// Growth is certain when its residual is less than this share of it.
#define SURE 0.1
// Springs that go slack, and strips that have just buckled, change their stiffness over this share
// of a spring's length.
#define SHARP 0.05
// What grows one way buckles if its shape is softer than this share of k0. Impulses weaken stiff
// springs more than soft ones. A filter mixes shapes: a little, or near the pole of an implicit
// method more.
#define SOFTENED 0.05
#define MIXED 1e-3
#define MIXED_IMPLICIT 0.05

bool measured_surely(const StepMapResult *result)
{
    double rho = result->numerical.value, residual = result->numerical.residual;
    return rho > 1.0 + ROUNDING && residual < SURE * (rho - 1.0);
}

bool measured_unstable(const StepMapResult *result)
{
    double rho = result->numerical.value, residual = result->numerical.residual;
    return rho - residual > 1.0 + ROUNDING || measured_surely(result);
}

// If the true K is implicit, 1 / (1 + h d0 + (h^2 + h alpha) k) has a pole between k_min and 0:
// beyond it a mode that buckles may do anything. (Newton's damping uses the clamped K.)
static bool is_beyond_pole(const GrowthTheory *theory, double h)
{
    unsigned traits = theory->scheme->integrator->traits;
    bool newton = traits & INTEGRATOR_CONVERGES;
    bool full = (traits & INTEGRATOR_IMPLICIT) && theory->scheme->options.tangent == TANGENT_FULL;
    double alpha = full && !newton ? theory->alpha : 0.0;
    return (newton || full) && -(h * h + h * alpha) * theory->k_min >= 1.0 + h * theory->air;
}

static bool step(void *self, double *x, double *v)
{
    return simulation_probe_step(self, x, v);
}

// The difference of two solutions, each to a tolerance, must not become too small.
static bool is_sharp(const Scheme *scheme, const System *system)
{
    return system->goes_slack && !(scheme->integrator->traits & INTEGRATOR_IMPLICIT);
}

static double soft_share(const Scheme *scheme)
{
    unsigned traits = scheme->integrator->traits;
    if (traits & INTEGRATOR_NEEDS_SPRINGS) return SOFTENED;
    if (scheme->filter == SCHEME_UNFILTERED) return 0.0;
    return traits & INTEGRATOR_IMPLICIT ? MIXED_IMPLICIT : MIXED;
}

StepMapProblem probe_problem(SimulationProbe *probe, const GrowthTheory *theory)
{
    SimulationView view = simulation_view(probe->simulation);
    return (StepMapProblem){.system = view.system,
                            .x = probe->x,
                            .h = probe->h,
                            .length = (is_sharp(theory->scheme, view.system) ? SHARP : 1.0) *
                                      view.spacing,
                            .shift = fmax(0.0, -theory->k_min),
                            .soft = soft_share(theory->scheme) * theory->stiffness->k0,
                            .beyond_pole = is_beyond_pole(theory, probe->h),
                            .step = step,
                            .self = probe};
}

// Is the largest growth one way, in a shape that is not yet certain? Such a shape is mixed with
// stiff ones, which hide that it gives way.
static bool may_be_buckling(const StepMapResult *result)
{
    for (int i = 0; i < result->count; i++) {
        RitzValue v = result->values[i];
        double growth = hypot(v.re, v.im) - 1.0;
        if (v.buckling || growth <= 0.0) continue;
        return v.re > 0.0 && v.im <= v.residual + growth && v.residual > TOLERANCE;
    }
    return false;
}

// One measurement after another; `few` products first, because most growth shows in a small space.
typedef struct Search {
    StepMap *map;
    SimulationProbe *probe;
    const GrowthTheory *theory;
    int few, products;
} Search;

static bool unstable_at(const Search *search, double h)
{
    simulation_probe_set_step(search->probe, h);
    StepMapProblem problem = probe_problem(search->probe, search->theory);
    StepMapResult result = step_map_measure(search->map, &problem, search->few, TOLERANCE);
    bool certain =
        measured_unstable(&result) && !(search->theory->k_min < 0.0 && may_be_buckling(&result));
    if (!result.failed && !certain && search->products > search->few)
        result = step_map_measure(search->map, &problem, search->products, TOLERANCE);
    return result.failed || measured_unstable(&result);
}

// The last stable and the first unstable step; INFINITY when no step is unstable, 0 when all are.
typedef struct Crossing {
    double stable, unstable;
} Crossing;

static Crossing find_crossing(const Search *search, double guess, double longest)
{
    double first = fmin(guess, longest);
    double stable = 0.0, unstable = INFINITY, h = first, ratio = RATIO;
    while (!(stable > 0.0 && isfinite(unstable))) {
        if (h < first / LOWEST) return (Crossing){0.0, 0.0};
        if (stable == longest) return (Crossing){INFINITY, INFINITY};
        if (unstable_at(search, h)) {
            unstable = h;
            h /= ratio;
        } else {
            stable = h;
            h = fmin(ratio * h, longest);
        }
        ratio = fmin(RATIO_MAX, 1.03 * ratio);
    }
    while (unstable - stable > PRECISION * stable) {
        h = 0.5 * (stable + unstable);
        if (unstable_at(search, h)) {
            unstable = h;
        } else {
            stable = h;
        }
    }
    return (Crossing){stable, unstable};
}

// Ritz values of a map that is far from normal may lie outside the unit circle where no eigenvalue
// does. Where the Jacobian can be had as a whole, it is asked whether the growth is real.
static bool is_confirmed(const Search *search, double unstable)
{
    if (!(unstable > 0.0 && isfinite(unstable))) return true;
    simulation_probe_set_step(search->probe, unstable);
    StepMapProblem problem = probe_problem(search->probe, search->theory);
    if (!step_map_has_whole(search->map, &problem, search->products)) return true;
    StepMapResult whole = step_map_measure(search->map, &problem, search->products, TOLERANCE);
    return whole.failed || measured_unstable(&whole);
}

double measured_limit(StepMap *map, SimulationProbe *probe, const GrowthTheory *theory,
                      double guess, double longest, int products)
{
    Search search = {map, probe, theory, FEW_PRODUCTS, products};
    Crossing crossing = find_crossing(&search, guess, longest);
    if (!is_confirmed(&search, crossing.unstable)) {
        search.few = products;
        crossing = find_crossing(&search, guess, longest);
    }
    return 0.5 * (crossing.stable + crossing.unstable);
}
