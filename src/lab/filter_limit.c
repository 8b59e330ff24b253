#include "lab/filter_limit.h"

#include <math.h>
#include <string.h>

// Terms of the Neumann series: the error is below 2^-n where 0 <= F <= I.
enum { NEUMANN_TERMS = 12 };

typedef struct Work {
    Spectrum *spectrum;
    const System *system;
    const double *x;
    void (*filter)(void *self, const double *x, double *v);
    void *self;
} Work;

static double *scratch(const Work *work, int i)
{
    return work->spectrum->basis + (size_t)i * (size_t)work->spectrum->free.dofs;
}

static void stiffness(const Work *work, const double *y, double *out)
{
    free_dofs_stiffness(&work->spectrum->free, work->system, work->x, TANGENT_FULL, y, out);
}

static void filtered(const Work *work, const double *y, double *out)
{
    free_dofs_filter(&work->spectrum->free, work->filter, work->self, work->x, y, out);
}

// y = F K y
static void printed_map(const Work *work, double *y)
{
    double *w = scratch(work, 1);
    stiffness(work, y, w);
    filtered(work, w, y);
}

// y = F (I + F)^-1 K y
static void corrected_map(const Work *work, double *y)
{
    int n = work->spectrum->free.count;
    double *term = scratch(work, 1), *sum = scratch(work, 2), *next = scratch(work, 3);
    stiffness(work, y, term);
    memset(sum, 0, (size_t)n * sizeof *sum);
    for (int i = 0; i < NEUMANN_TERMS; i++) {
        packed_add(n, sum, 0.5, term);
        filtered(work, term, next);
        for (int k = 0; k < n; k++) term[k] = 0.5 * (term[k] - next[k]);
    }
    filtered(work, sum, y);
}

// y = (I - F) y
static void rest_map(const Work *work, double *y)
{
    int n = work->spectrum->free.count;
    double *w = scratch(work, 1);
    filtered(work, y, w);
    packed_add(n, y, -1.0, w);
}

static double power_method(const Work *work, void (*map)(const Work *, double *), int iterations)
{
    int n = work->spectrum->free.count;
    double *y = scratch(work, 0), value = 0.0;
    for (int i = 0; i < n; i++) y[i] = packed_noise(&work->spectrum->noise);
    packed_normalise(n, y);
    for (int i = 0; i < iterations; i++) {
        map(work, y);
        value = packed_normalise(n, y);
    }
    return value;
}

// k of the vector where the power method ended.
static double stiffness_of_last(const Work *work)
{
    int n = work->spectrum->free.count;
    const double *y = scratch(work, 0);
    double *w = scratch(work, 1);
    stiffness(work, y, w);
    return packed_dot(n, y, w);
}

FilterLimit filter_limit(Spectrum *spectrum, const System *system, const double *x,
                         void (*filter)(void *self, const double *x, double *v), void *self,
                         int iterations)
{
    free_dofs_update(&spectrum->free, system);
    Work work = {spectrum, system, x, filter, self};
    double printed = power_method(&work, printed_map, iterations);
    double k = stiffness_of_last(&work);
    FilteredMode printed_mode = {k, k > 0.0 ? fmin(printed / k, 1.0) : 1.0};
    double smallest = 1.0 - power_method(&work, rest_map, iterations);
    FilterLimit limit = {.algorithm1 = printed > 0.0 ? 2.0 / sqrt(printed) : INFINITY,
                         .smallest_symbol = smallest,
                         .negative = smallest <= 0.0,
                         .printed_mode = printed_mode,
                         .corrected_mode = printed_mode,
                         .smallest_mode = {stiffness_of_last(&work), smallest}};
    if (limit.negative) return limit;
    double corrected = power_method(&work, corrected_map, iterations);
    limit.corrected = corrected > 0.0 ? sqrt(2.0 / corrected) : INFINITY;
    k = stiffness_of_last(&work);
    // f k / (1 + f) = a, so that the 2x2 matrix has its limit where the power method does
    if (k > 2.0 * corrected) limit.corrected_mode = (FilteredMode){k, corrected / (k - corrected)};
    return limit;
}
