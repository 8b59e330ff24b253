#include "ui/unstable_range.h"

#include "cloth/mesh.h"
#include "integrators/amplification.h"

#include <math.h>

// Share of each kind of springs in the elastic energy of a mode: w' B w over the springs, with
// B = k [ u u' + r (I - u u') ] and w the difference of the ends' displacements.
static void energy_shares(const Snapshot *now, const float *shape, double share[SPRING_KINDS])
{
    const Params *params = &now->scene.params;
    const double stiffness[SPRING_KINDS] = {params->stretch, params->shear, params->bend};
    double total = 0.0;
    for (int kind = 0; kind < SPRING_KINDS; kind++) share[kind] = 0.0;
    for (int s = 0; s < now->spring_count; s++) {
        const float *xa = now->position + 3 * now->springs[2 * s];
        const float *xb = now->position + 3 * now->springs[2 * s + 1];
        const float *pa = shape + 3 * now->springs[2 * s];
        const float *pb = shape + 3 * now->springs[2 * s + 1];
        double along = 0.0, square = 0.0, length = 0.0;
        for (int c = 0; c < 3; c++) {
            double d = (double)xa[c] - (double)xb[c], w = (double)pa[c] - (double)pb[c];
            along += d * w;
            square += w * w;
            length += d * d;
        }
        if (!(length > 0.0)) continue;
        length = sqrt(length);
        along /= length;
        double r = 1.0 - (double)now->rest_length[s] / length;
        int kind = now->spring_kind[s];
        double energy = stiffness[kind] * (along * along + r * (square - along * along));
        share[kind] += energy;
        total += energy;
    }
    for (int kind = 0; kind < SPRING_KINDS; kind++)
        share[kind] = total > 0.0 ? share[kind] / total : 0.0;
}

// The largest k0 that this step can bear.
static double largest_k0(const Analysis *analysis, double h, double air, double alpha)
{
    enum { BISECTIONS = 24 };
    const Scheme *scheme = &analysis->scheme;
    double low = 1e-4 * analysis->k0, high = 1e4 * analysis->k0;
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = sqrt(low * high);
        if (integrator_step_limit(scheme->integrator, &scheme->options, middle, air, alpha) > h)
            low = middle;
        else
            high = middle;
    }
    return high > 0.99e4 * analysis->k0 ? INFINITY : low;
}

UnstableFrom unstable_range(const Snapshot *now, const LabResult *lab)
{
    UnstableFrom from = {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY};
    const Params *params = &now->scene.params;
    const Analysis *analysis = &lab->analysis;
    if (lab->serial == 0 || lab->topology_version != now->topology_version || !(analysis->k0 > 0.0))
        return from;
    if (!analysis->limit_is_bound) from.step = analysis->step_limit;
    if (params->step == PARAM_WORD) return from;
    if (params->alpha != PARAM_WORD) from.alpha = analysis->alpha_limit;
    const float *shape = lab_result_shape(lab, 0);
    // the filter moves the limit in a way that is not k0's alone, other models have no such springs
    if (!shape || analysis->scheme.filter != SCHEME_UNFILTERED || params->model != 0) return from;
    double allowed = largest_k0(analysis, params->step, params->air, now->readings.alpha);
    if (!isfinite(allowed)) return from;
    double share[SPRING_KINDS];
    energy_shares(now, shape, share);
    double *const out[SPRING_KINDS] = {&from.stretch, &from.shear, &from.bend};
    const double value[SPRING_KINDS] = {params->stretch, params->shear, params->bend};
    for (int kind = 0; kind < SPRING_KINDS; kind++) {
        // k0 (1 + share (new / old - 1)) = allowed
        double factor = 1.0 + (allowed / analysis->k0 - 1.0) / share[kind];
        if (share[kind] > 1e-3) *out[kind] = fmax(factor, 0.0) * value[kind];
    }
    return from;
}
