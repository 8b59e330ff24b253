// With a = X/2, z = a^2 - Y, C(z) = cosh sqrt z, S(z) = sinh(sqrt z)/sqrt z (entire functions:
// cosine and sine for z < 0):
//   E = e^-a [[C + a S, S], [-Y S, C - a S]].
// No amplitude, no phase, no division by a frequency that may vanish. Three formulas, each used
// where it does not cancel; test_theory checks them against reference values and each other.
#include "integrators/propagator.h"

#include <math.h>
#include <stdbool.h>

// exp's first integral phi1(C) = sum C^n/(n+1)!; its second column is (p2, E12).
static Propagator from_series(double X, double Y)
{
    double x = 0.0, w = 1.0, p2 = 0.0, E12 = 1.0;
    for (int n = 1; n <= 22; n++) { // X + Y < 1: the terms fall faster than 1/n!
        double next_x = w / (n + 1), next_w = -(Y * x + X * w) / (n + 1);
        x = next_x;
        w = next_w;
        p2 += x;
        E12 += w;
    }
    return (Propagator){.E12 = E12, .p2 = p2};
}

// (e^x - 1)/x
static double phi1(double x)
{
    return x == 0.0 ? 1.0 : expm1(x) / x;
}

// Both roots real and separate: slow + fast = -X, slow fast = Y.
static double p2_overdamped(double a, double r, double Y)
{
    return (phi1(-Y / (r + a)) - phi1(-(r + a))) / (2.0 * r);
}

static Propagator from_closed_form(double Y, double a, double z)
{
    double C, S;
    if (fabs(z) < 1e-2) {
        C = 1.0 + z / 2.0 * (1.0 + z / 12.0 * (1.0 + z / 30.0 * (1.0 + z / 56.0)));
        S = 1.0 + z / 6.0 * (1.0 + z / 20.0 * (1.0 + z / 42.0 * (1.0 + z / 72.0)));
    } else if (z < 0.0) {
        double r = sqrt(-z);
        C = cos(r);
        S = sin(r) / r;
    } else {
        double r = sqrt(z);
        C = cosh(r);
        S = sinh(r) / r;
    }
    double decay = exp(-a), E11 = decay * (C + a * S);
    double p2 = Y > 0.05 ? (1.0 - E11) / Y : p2_overdamped(a, sqrt(z), Y);
    return (Propagator){.E11 = E11, .E12 = decay * S, .E22 = decay * (C - a * S), .p2 = p2};
}

static Propagator from_exponentials(double Y, double a, double z)
{
    double r = sqrt(z), fast = -(r + a), slow = Y / fast;
    double e_slow = exp(slow), e_fast = exp(fast);
    return (Propagator){.E11 = (-fast * e_slow + slow * e_fast) / (2.0 * r),
                        .E12 = e_slow * -expm1(-2.0 * r) / (2.0 * r),
                        .E22 = (slow * e_slow - fast * e_fast) / (2.0 * r),
                        .p2 = p2_overdamped(a, r, Y)};
}

Propagator propagator(double X, double Y)
{
    double a = 0.5 * X, z = a * a - Y;
    Propagator E;
    bool small = X + Y < 1.0;
    if (small) {
        E = from_series(X, Y);
    } else if (z <= 0.25) {
        E = from_closed_form(Y, a, z);
    } else {
        E = from_exponentials(Y, a, z);
    }
    E.E21 = -Y * E.E12;
    E.m22 = X * E.E12 + Y * E.p2;
    if (small) {
        E.E11 = 1.0 - Y * E.p2;
        E.E22 = 1.0 - E.m22;
    }
    return E;
}
