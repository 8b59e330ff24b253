#include "lab/measured_limit.h"

#include <math.h>

#define TOLERANCE 2e-5 // residual at which a measurement ends
#define WIDEST 16.0    // of the guess
// Buckling may grow this much faster in a step than in k_min's theory: springs taken one by one
// (harmonic) push a seventh too hard.
#define SLACK 0.3
#define PRECISION 1e-3

double buckling_rho(const Buckling *buckling, const Scheme *scheme, double h)
{
    if (!(buckling->k_min < 0.0)) return 1.0;
    double d = buckling->air;
    // If the true K is implicit, 1 / (1 + h d0 + (h^2 + h alpha) k) has a pole between k_min and 0:
    // some mode may grow without bound. (Newton's damping uses the clamped K.)
    unsigned traits = scheme->integrator->traits;
    bool newton = traits & INTEGRATOR_CONVERGES;
    bool full = (traits & INTEGRATOR_IMPLICIT) && scheme->options.tangent == TANGENT_FULL;
    double alpha = full && !newton ? buckling->alpha : 0.0;
    if ((newton || full) && -(h * h + h * alpha) * buckling->k_min >= 1.0 + h * d) return INFINITY;
    double rate = -0.5 * d + sqrt(0.25 * d * d - buckling->k_min); // 1/s
    double exact = exp(h * rate);
    double stepped = scheme->integrator->amplification
                         ? amplification_of(scheme, h, buckling->k_min, d, 0.0, 1.0).rho
                         : 1.0;
    return fmax(exact, stepped);
}

bool value_is_buckling(const RitzValue *value, double buckling)
{
    if (isinf(buckling)) return true;
    double size = hypot(value->re, value->im);
    // A multiple eigenvalue appears as a pair with a small imaginary part. A slowly growing
    // oscillation has an imaginary part far larger than its growth.
    double real_enough = value->residual + 0.1 * (size - 1.0);
    return buckling > 1.0 && value->re > 0.0 && value->im <= real_enough &&
           size - value->residual <= buckling + SLACK * (buckling - 1.0) + MEASURED_NEUTRAL;
}

double numerical_rho(const StepMapResult *result, double buckling, double *residual)
{
    for (int i = 0; i < result->count; i++) {
        const RitzValue *value = &result->values[i];
        double size = hypot(value->re, value->im);
        if (value_is_buckling(value, buckling)) continue;
        if (value->residual > TOLERANCE && size - value->residual < 1.0) continue;
        *residual = value->residual;
        return size;
    }
    *residual = 0.0;
    return 0.0;
}

bool measured_unstable(const StepMapResult *result, double buckling)
{
    double residual, rho = numerical_rho(result, buckling, &residual);
    return rho - residual > 1.0 + MEASURED_NEUTRAL ||
           (rho > 1.0 + MEASURED_NEUTRAL && residual < 0.1 * (rho - 1.0));
}

static bool step(void *self, double *x, double *v)
{
    return simulation_probe_step(self, x, v);
}

StepMapProblem probe_problem(SimulationProbe *probe, double shift)
{
    SimulationView view = simulation_view(probe->simulation);
    return (StepMapProblem){.system = view.system,
                            .x = probe->x,
                            .h = probe->h,
                            .length = view.spacing,
                            .shift = shift,
                            .step = step,
                            .self = probe};
}

static bool unstable_at(StepMap *map, SimulationProbe *probe, const Scheme *scheme,
                        const Buckling *buckling, double h, int products)
{
    simulation_probe_set_step(probe, h);
    StepMapProblem problem = probe_problem(probe, fmax(0.0, -buckling->k_min));
    StepMapResult result = step_map_measure(map, &problem, products, TOLERANCE);
    return result.failed || measured_unstable(&result, buckling_rho(buckling, scheme, h));
}

double measured_limit(StepMap *map, SimulationProbe *probe, const Scheme *scheme,
                      const Buckling *buckling, double guess, int products)
{
    double ratio = 1.1, stable = 0.0, unstable = INFINITY, h = guess;
    while (h > guess / WIDEST && h < guess * WIDEST && !(stable > 0.0 && isfinite(unstable))) {
        if (unstable_at(map, probe, scheme, buckling, h, products)) {
            unstable = h;
            h /= ratio;
        } else {
            stable = h;
            h *= ratio;
        }
        ratio = fmin(2.0, ratio * ratio);
    }
    if (!(stable > 0.0) || !isfinite(unstable)) return stable > 0.0 ? INFINITY : 0.0;
    while (unstable - stable > PRECISION * stable) {
        h = 0.5 * (stable + unstable);
        if (unstable_at(map, probe, scheme, buckling, h, products)) {
            unstable = h;
        } else {
            stable = h;
        }
    }
    return 0.5 * (stable + unstable);
}
