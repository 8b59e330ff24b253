#include "lab/unstable_range.h"

#include <math.h>
#include <string.h>

// A stiffness with a smaller share in the mode has no influence.
#define LEAST_SHARE 1e-3
enum { LAMBDAS = 10 }; // values tested along the slider
enum { LAMBDA_BISECTIONS = 6 };
enum { STIFFNESS_TRIALS = 12 };
#define STIFFNESS_TOLERANCE 1e-3 // relative, on the stable side

#define EVERYWHERE                                                                                 \
    {                                                                                              \
        -INFINITY, INFINITY                                                                        \
    }
const UnstableRanges unstable_nowhere = {EVERYWHERE, EVERYWHERE, EVERYWHERE,
                                         EVERYWHERE, EVERYWHERE, false};

static bool has_fixed_step(const SimulationView *view)
{
    return view->params->step != PARAM_WORD && view->stiffness.k0 > 0.0;
}

// p'Kp of the decisive mode, which is in lab->shape, flat.
static double energy_with(Lab *lab, Simulation *simulation, Params params)
{
    return simulation_stiffness_quotient(simulation, &params, lab->shape, lab->extra);
}

UnstableRanges unstable_ranges(Lab *lab, Simulation *simulation, const Analysis *analysis)
{
    UnstableRanges ranges = unstable_nowhere;
    SimulationView view = simulation_view(simulation);
    const Params *params = view.params;
    if (!has_fixed_step(&view)) return ranges;
    if (params->alpha != PARAM_WORD && !isnan(analysis->alpha_limit) && !analysis->alpha_is_bound)
        ranges.alpha.high = analysis->alpha_limit;
    if (view.limit.is_bound) return ranges; // beyond a bound a step may be stable

    double room =
        stiffness_room(&view.scheme, &view.stiffness, view.step, analysis->air, analysis->alpha);
    if (isinf(room)) return ranges;
    for (int i = 0; i < view.system->dofs; i++)
        lab->shape[i] = sqrt(view.system->inverse_mass[i]) * view.decisive[i];
    double whole = energy_with(lab, simulation, *params);
    if (!(whole > 0.0)) return ranges;
    Params without[3] = {*params, *params, *params};
    without[0].stretch = without[1].shear = without[2].bend = 0.0;
    const double values[3] = {params->stretch, params->shear, params->bend};
    StableRange *const out[3] = {&ranges.stretch, &ranges.shear, &ranges.bend};
    for (int i = 0; i < 3; i++) {
        double share = 1.0 - energy_with(lab, simulation, without[i]) / whole;
        // k0 (1 + share (new / old - 1)) = room k0
        double factor = 1.0 + (room - 1.0) / share;
        if (share > LEAST_SHARE) out[i]->high = fmax(factor, 0.0) * values[i];
    }
    return ranges;
}

// The step limit over the step, with another value of a stiffness. 0: it was refused.
static double limit_ratio(Simulation *simulation, const ParamInfo *info, double value, double h)
{
    Command command = {.kind = COMMAND_SET_PARAM, .param = {(int)(info - param_table), value}};
    if (simulation_apply(simulation, &command, NULL) != STATUS_OK) return 0.0;
    return simulation_view(simulation).limit.step / h;
}

// The value at which the step is the limit, between a stable and an unstable one: secants of
// log(limit) over log(value), which are almost straight, or halves where those do not help.
static double stiffness_between(Simulation *simulation, const ParamInfo *info, double h,
                                double inside, double inside_ratio, double outside,
                                double outside_ratio)
{
    for (int i = 0; i < STIFFNESS_TRIALS; i++) {
        double a = log(inside), b = log(outside), f = log(inside_ratio), g = log(outside_ratio);
        double share = f / (f - g), middle;
        share = isfinite(share) ? fmin(fmax(share, 0.02), 0.98) : 0.5;
        if (i % 4 == 3) share = 0.5;
        middle = exp(a + share * (b - a));
        double ratio = limit_ratio(simulation, info, middle, h);
        if (ratio >= 1.0) {
            inside = middle;
            inside_ratio = ratio;
        } else {
            outside = middle;
            outside_ratio = ratio;
        }
        if (outside - inside < STIFFNESS_TOLERANCE * inside) break;
    }
    return inside;
}

static double stiffness_limit(Lab *lab, Simulation *simulation, const ParamInfo *info, double h)
{
    double now = param_get(simulation_params(simulation), info);
    double low = fmax(info->min, info->max * 1e-7), start = fmax(now, low);
    double ratio = limit_ratio(simulation, info, start, h), value = start, limit = INFINITY;
    bool stable = ratio >= 1.0;
    // from where it is in long steps until the step is the limit between two of them
    for (;;) {
        double last = value, last_ratio = ratio;
        if (stable ? value >= info->max : value <= low) {
            limit = stable ? INFINITY : 0.0;
            break;
        }
        double reach = fmax(1.3 * ratio * ratio, 2.0);
        if (!stable) reach = fmin(0.7 * ratio * ratio, 0.5);
        value = fmin(fmax(value * reach, low), info->max);
        ratio = limit_ratio(simulation, info, value, h);
        if ((ratio >= 1.0) == stable) continue;
        limit = stable ? stiffness_between(simulation, info, h, last, last_ratio, value, ratio)
                       : stiffness_between(simulation, info, h, value, ratio, last, last_ratio);
        break;
    }
    state_restore(lab->saved, simulation, NULL);
    return limit;
}

UnstableRanges unstable_stiffness(Lab *lab, Simulation *simulation)
{
    UnstableRanges ranges = unstable_nowhere;
    SimulationView view = simulation_view(simulation);
    if (!has_fixed_step(&view) || view.limit.is_bound || isinf(view.limit.step)) return ranges;
    if (state_save(simulation, lab->saved, NULL) != STATUS_OK) return ranges;
    double h = view.step;
    ranges.stretch.high = stiffness_limit(lab, simulation, param_find("stretch"), h);
    ranges.shear.high = stiffness_limit(lab, simulation, param_find("shear"), h);
    ranges.bend.high = stiffness_limit(lab, simulation, param_find("bend"), h);
    ranges.exact = true;
    return ranges;
}

static bool stable_with_lambda(Simulation *simulation, double lambda, double h)
{
    Command command = command_set("lambda", lambda);
    return simulation_apply(simulation, &command, NULL) == STATUS_OK &&
           simulation_view(simulation).limit.step >= h;
}

// The boundary between a stable and an unstable lambda, to the precision of a slider.
static double lambda_between(Simulation *simulation, double h, double inside, double outside)
{
    for (int i = 0; i < LAMBDA_BISECTIONS; i++) {
        double middle = 0.5 * (inside + outside);
        if (stable_with_lambda(simulation, middle, h)) {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    return inside;
}

StableRange unstable_lambda(Lab *lab, Simulation *simulation, const Analysis *analysis)
{
    StableRange range = unstable_nowhere.lambda;
    SimulationView view = simulation_view(simulation);
    if (!has_fixed_step(&view) || !analysis->has_filter_limit) return range;
    if (state_save(simulation, lab->saved, NULL) != STATUS_OK) return range;
    const ParamInfo *info = param_find("lambda");
    double ratio = pow(info->max / info->min, 1.0 / (LAMBDAS - 1)), before = 0.0, h = view.step;
    bool inside = false, found = false;
    for (int i = 0; i < LAMBDAS; i++) {
        double lambda = i == LAMBDAS - 1 ? info->max : info->min * pow(ratio, i);
        bool stable = stable_with_lambda(simulation, lambda, h);
        if (stable && !inside && i > 0) range.low = lambda_between(simulation, h, lambda, before);
        if (!stable && inside) {
            range.high = lambda_between(simulation, h, before, lambda);
            break; // stable values beyond it are another range
        }
        found = found || stable;
        inside = stable;
        before = lambda;
    }
    if (!found) range = (StableRange){INFINITY, INFINITY};
    state_restore(lab->saved, simulation, NULL);
    return range;
}
