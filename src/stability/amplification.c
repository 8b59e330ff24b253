#include "stability/amplification.h"

#include <math.h>
#include <string.h>

// Rounding allowed in Jury's test: for a symplectic step, det G = 1 holds only up to rounding.
#define ROUNDING 1e-13

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
    // T^2/4 - D, written to avoid cancellation when the eigenvalues are nearly equal
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

Amplification amplification_judge(double G[2][2])
{
    Amplification a;
    memcpy(a.G, G, sizeof a.G);
    double T = G[0][0] + G[1][1], D = G[0][0] * G[1][1] - G[0][1] * G[1][0];
    find_eigenvalues(&a, T, D);
    const double J[3] = {1.0 - T + D, 1.0 + T + D, 1.0 - D};
    a.slack = fmin(J[0], fmin(J[1], J[2]));
    a.jury = JURY_STABLE;
    if (!(a.slack > ROUNDING)) a.jury = JURY_MARGINAL;
    if (!(J[2] >= -ROUNDING)) a.jury = JURY_OSCILLATION; // NaN fails here
    if (J[0] < -ROUNDING) a.jury = JURY_MONOTONE;
    if (J[1] < -ROUNDING) a.jury = JURY_FLIP;
    return a;
}

static Amplification judge(const Scheme *scheme, Mode mode, double symbol)
{
    double G[2][2];
    amplify(scheme, mode, symbol, G);
    return amplification_judge(G);
}

Amplification amplification_at(const Scheme *scheme, double X, double Y, double symbol)
{
    return judge(scheme, (Mode){.X = X, .air = scheme->air_share * X, .Y = Y}, symbol);
}

Amplification amplification_of(const Scheme *scheme, double h, double k, double air, double alpha,
                               double symbol)
{
    return amplification_of_pair(scheme, h, k, k, air, alpha, symbol);
}

Amplification amplification_of_pair(const Scheme *scheme, double h, double k, double c, double air,
                                    double alpha, double symbol)
{
    // Methods that treat springs singly have the wind as a force from outside, like air drag.
    bool outside = scheme->integrator->traits & INTEGRATOR_NEEDS_SPRINGS;
    Mode mode = {.X = h * (air + scheme->wind + alpha * c),
                 .air = h * (air + (outside ? scheme->wind : 0.0)),
                 .Y = h * h * k};
    return judge(scheme, mode, symbol);
}
