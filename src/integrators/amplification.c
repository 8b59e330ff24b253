#include "integrators/amplification.h"

#include <math.h>

// Samples along the segment of modes. Quadratic spacing puts more of them at soft modes, where air
// drag alone decides; stability regions have no structure finer than this.
enum { SAMPLES = 32 };
// Rounding allowed in Jury's test: an undamped symplectic step has det G = 1 only up to that.
#define ROUNDING 1e-13
// Steps to look at, in units of the fastest rate, and the ratio between two looks. A method that is
// unstable already at the first is unstable at every useful step.
#define SCAN_FIRST 1e-3
#define SCAN_LAST 1e4
#define SCAN_RATIO 1.1

Mode mode_at(double h, double k, double air, double alpha)
{
    return (Mode){
        .X = h * (air + alpha * k), .air = h * air, .Y = h * h * k, .filter = 1.0, .coupling = 1.0};
}

double spectral_radius(double G[2][2])
{
    double half = 0.5 * (G[0][0] + G[1][1]);
    double determinant = G[0][0] * G[1][1] - G[0][1] * G[1][0];
    double discriminant = half * half - determinant;
    if (discriminant < 0.0) return sqrt(determinant); // a complex pair
    return fabs(half) + sqrt(discriminant);
}

void amplification_filter_after(double f, double G[2][2])
{
    G[1][0] *= f;
    G[1][1] *= f;
}

// Jury: 1 - T + D >= 0, 1 + T + D >= 0, D <= 1 with T = trace, D = det. NaN fails.
static bool is_stable(double G[2][2])
{
    double T = G[0][0] + G[1][1], D = G[0][0] * G[1][1] - G[0][1] * G[1][0];
    return 1.0 - T + D >= -ROUNDING && 1.0 + T + D >= -ROUNDING && D <= 1.0 + ROUNDING;
}

// All modes under a step h, with a filter of symbol f after it (1: none).
static bool filtered_modes_are_stable(const Integrator *integrator, const StepOptions *options,
                                      double coupling, double f, double h, double k0, double air,
                                      double alpha)
{
    for (int i = 0; i <= SAMPLES; i++) {
        double s = (double)i / SAMPLES, G[2][2];
        Mode mode = mode_at(h, s * s * k0, air, alpha);
        mode.coupling = coupling;
        integrator->amplification(options, &mode, G);
        if (f != 1.0) amplification_filter_after(f, G);
        if (!is_stable(G)) return false;
    }
    return true;
}

bool modes_are_stable(const Integrator *integrator, const StepOptions *options, double coupling,
                      double h, double k0, double air, double alpha)
{
    return filtered_modes_are_stable(integrator, options, coupling, 1.0, h, k0, air, alpha);
}

static double search(const Integrator *integrator, const StepOptions *options, double coupling,
                     double f, double k0, double air, double alpha)
{
    double rate = sqrt(k0) + air + alpha * k0; // 1/s
    if (!(rate > 0.0)) return INFINITY;
    double stable = 0.0, h = SCAN_FIRST / rate;
    while (h * rate < SCAN_LAST &&
           filtered_modes_are_stable(integrator, options, coupling, f, h, k0, air, alpha)) {
        stable = h;
        h *= SCAN_RATIO;
    }
    if (h * rate >= SCAN_LAST) return INFINITY;
    if (stable == 0.0) return 0.0;
    double unstable = h;
    for (int i = 0; i < 48; i++) {
        h = 0.5 * (stable + unstable);
        if (filtered_modes_are_stable(integrator, options, coupling, f, h, k0, air, alpha)) {
            stable = h;
        } else {
            unstable = h;
        }
    }
    return stable;
}

double step_limit_search(const Integrator *integrator, const StepOptions *options, double coupling,
                         double k0, double air, double alpha)
{
    return search(integrator, options, coupling, 1.0, k0, air, alpha);
}

double step_limit_filtered_after(const Integrator *integrator, const StepOptions *options,
                                 double k0, double air, double alpha, double lowest)
{
    enum { SYMBOLS = 4 };
    double limit = integrator_step_limit(integrator, options, k0, air, alpha);
    if (!integrator->amplification) return limit;
    for (int i = 0; i < SYMBOLS; i++) {
        double f = lowest + (1.0 - lowest) * i / SYMBOLS;
        limit = fmin(limit, search(integrator, options, 1.0, f, k0, air, alpha));
    }
    return limit;
}

double integrator_step_limit(const Integrator *integrator, const StepOptions *options, double k0,
                             double air, double alpha)
{
    if (integrator->step_limit) return integrator->step_limit(options, k0, air, alpha);
    return step_limit_search(integrator, options, 1.0, k0, air, alpha);
}
