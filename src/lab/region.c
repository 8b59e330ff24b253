#include "lab/region.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// Rounding allowed in Jury's test: det G = 1 of a symplectic step holds only up to that.
#define ROUNDING 1e-13
// Modes looked at between 0 and k0. Regions have no structure finer than this.
enum { SAMPLES = 200 };
static_assert((int)SAMPLES <= (int)MODE_SET_MAX, "a line fits into a set");
// Steps to look at, in units of the fastest rate, and the ratio between two looks.
#define SCAN_FIRST 1e-3
#define SCAN_LAST 1e4
#define SCAN_RATIO 1.05
enum { BISECTIONS = 60 };

const char *jury_name(Jury jury)
{
    static const char *const names[] = {"stable", "marginal", "monotone growth", "sign flips",
                                        "growing oscillation"};
    return names[jury];
}

static void amplify(const Scheme *scheme, Mode mode, double symbol, double G[2][2])
{
    mode.filter = 1.0;
    mode.coupling = scheme->coupling;
    if (scheme->filter == SCHEME_FILTER_BEFORE) mode.filter = symbol;
    if (scheme->filter == SCHEME_FILTER_FORCE) {
        mode.X *= symbol;
        mode.air *= symbol;
        mode.Y *= symbol;
    }
    scheme->integrator->amplification(&scheme->options, &mode, G);
    if (scheme->filter == SCHEME_FILTER_AFTER) {
        G[1][0] *= symbol;
        G[1][1] *= symbol;
    }
}

static void find_eigenvalues(Amplification *a, double T, double D)
{
    // T^2/4 - D, written so that nearly equal eigenvalues lose nothing by cancellation
    double half = 0.5 * T, apart = 0.5 * (a->G[0][0] - a->G[1][1]);
    double discriminant = apart * apart + a->G[0][1] * a->G[1][0];
    if (discriminant < 0.0) {
        a->re[0] = a->re[1] = half;
        a->im[0] = sqrt(-discriminant);
        a->im[1] = -a->im[0];
        a->rho = hypot(half, a->im[0]);
        return;
    }
    // the larger one first; the smaller from their product, without cancellation
    double larger = half + copysign(sqrt(discriminant), half);
    a->re[0] = larger;
    a->re[1] = larger != 0.0 ? D / larger : 0.0;
    a->im[0] = a->im[1] = 0.0;
    a->rho = fabs(larger);
}

static Amplification judge(const Scheme *scheme, Mode mode, double symbol)
{
    Amplification a;
    amplify(scheme, mode, symbol, a.G);
    double T = a.G[0][0] + a.G[1][1], D = a.G[0][0] * a.G[1][1] - a.G[0][1] * a.G[1][0];
    find_eigenvalues(&a, T, D);
    const double J[3] = {1.0 - T + D, 1.0 + T + D, 1.0 - D};
    a.slack = fmin(J[0], fmin(J[1], J[2]));
    a.jury = JURY_STABLE;
    if (!(a.slack > ROUNDING)) a.jury = JURY_MARGINAL;
    if (!(J[2] >= -ROUNDING)) a.jury = JURY_OSCILLATION; // NaN fails here
    if (J[1] < -ROUNDING) a.jury = JURY_FLIP;
    if (J[0] < -ROUNDING) a.jury = JURY_MONOTONE;
    return a;
}

Amplification region_at(const Scheme *scheme, double X, double Y, double air_share, double symbol)
{
    return judge(scheme, (Mode){.X = X, .air = air_share * X, .Y = Y}, symbol);
}

Amplification region_mode(const Scheme *scheme, double h, double k, double air, double alpha,
                          double symbol)
{
    return judge(scheme, (Mode){.X = h * (air + alpha * k), .air = h * air, .Y = h * h * k},
                 symbol);
}

ModeSet mode_set_line(double k0)
{
    ModeSet modes = {.count = SAMPLES};
    for (int i = 0; i < SAMPLES; i++) {
        double s = (double)(i + 1) / SAMPLES;
        modes.k[i] = s * s * k0;
        modes.symbol[i] = 1.0;
    }
    return modes;
}

static double stiffest(const ModeSet *modes)
{
    double k0 = 0.0;
    for (int i = 0; i < modes->count; i++) k0 = fmax(k0, modes->k[i]);
    return k0;
}

double region_largest_rho(const Scheme *scheme, const ModeSet *modes, double h, double air,
                          double alpha)
{
    double largest = 0.0;
    for (int i = 0; i < modes->count; i++) {
        double rho = region_mode(scheme, h, modes->k[i], air, alpha, modes->symbol[i]).rho;
        if (!(rho <= largest)) largest = rho; // lets a NaN in
    }
    return largest;
}

static bool all_stable(const Scheme *scheme, const ModeSet *modes, double h, double air,
                       double alpha)
{
    for (int i = modes->count - 1; i >= 0; i--) { // the stiffest are last, and most likely to fail
        Jury jury = region_mode(scheme, h, modes->k[i], air, alpha, modes->symbol[i]).jury;
        if (jury > JURY_MARGINAL) return false;
    }
    // Rigid motion, k = 0: position is free, the eigenvalue 1 is its own; drag must not overshoot.
    return region_mode(scheme, h, 0.0, air, 0.0, 1.0).jury <= JURY_MARGINAL;
}

double region_step_limit(const Scheme *scheme, const ModeSet *modes, double air, double alpha)
{
    double k0 = stiffest(modes);
    // a method of single springs bounds its limit for any number of them; here that is known
    bool counted = (scheme->integrator->traits & INTEGRATOR_NEEDS_SPRINGS) &&
                   !scheme->options.sequence && scheme->options.harmonic != HARMONIC_CLAMPED;
    if (scheme->filter == SCHEME_UNFILTERED && scheme->integrator->step_limit && !counted) {
        return scheme->integrator->step_limit(&scheme->options, k0, air, alpha);
    }
    double rate = sqrt(k0) + air + alpha * k0; // 1/s
    if (!(rate > 0.0)) return INFINITY;
    double stable = 0.0, h = SCAN_FIRST / rate;
    while (h * rate < SCAN_LAST && all_stable(scheme, modes, h, air, alpha)) {
        stable = h;
        h *= SCAN_RATIO;
    }
    if (h * rate >= SCAN_LAST) return INFINITY;
    if (stable == 0.0) return 0.0;
    double unstable = h;
    for (int i = 0; i < BISECTIONS; i++) {
        h = 0.5 * (stable + unstable);
        if (all_stable(scheme, modes, h, air, alpha)) {
            stable = h;
        } else {
            unstable = h;
        }
    }
    return stable;
}

// The alpha between a stable and an unstable one where that changes.
static double alpha_between(const Scheme *scheme, const ModeSet *modes, double h, double air,
                            double stable, double unstable)
{
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = 0.5 * (stable + unstable);
        if (all_stable(scheme, modes, h, air, middle)) {
            stable = middle;
        } else {
            unstable = middle;
        }
    }
    return stable;
}

AlphaRange region_alpha_range(const Scheme *scheme, const ModeSet *modes, double h, double air)
{
    // the tip of the line of modes, X = h alpha k0, from far below any limit to far above
    const double first = 1e-4, last = 1e4, ratio = 1.1;
    double k0 = stiffest(modes);
    if (!(h * k0 > 0.0)) return (AlphaRange){0.0, INFINITY};
    AlphaRange range = {INFINITY, -INFINITY};
    double before = 0.0;
    bool inside = all_stable(scheme, modes, h, air, 0.0);
    if (inside) range.low = 0.0;
    for (double X = first; X < last; X *= ratio) {
        double alpha = X / (h * k0);
        bool stable = all_stable(scheme, modes, h, air, alpha);
        if (stable && !inside) range.low = alpha_between(scheme, modes, h, air, alpha, before);
        if (!stable && inside) {
            range.high = alpha_between(scheme, modes, h, air, before, alpha);
            return range;
        }
        inside = stable;
        before = alpha;
    }
    if (inside) range.high = INFINITY;
    return range;
}

RegionBox region_default_box(const Integrator *integrator)
{
    // Implicit methods are stable wherever physics is, and on the other side of the axes too.
    if (integrator->traits & INTEGRATOR_IMPLICIT) return (RegionBox){-8.0, 8.0, -10.0, 10.0};
    return (RegionBox){-1.0, 7.0, -1.0, 10.0};
}
