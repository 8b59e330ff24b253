// The damped oscillator x'' = -k x - d v over one step, exactly, in every regime.
#ifndef INTEGRATORS_PROPAGATOR_H
#define INTEGRATORS_PROPAGATOR_H

// exp(C), C = [[0, 1], [-Y, -X]], in the scaled state (x, h v); X = h d >= 0, Y = h^2 k >= 0.
typedef struct Propagator {
    double E11, E12, E21, E22;
    double p2;  // int_0^1 E12, so 1 - E11 = Y p2
    double m22; // 1 - E22 = X E12 + Y p2, without cancellation
} Propagator;

// Worst relative error of an entry about 1e-13, for X, Y up to 1e6.
Propagator propagator(double X, double Y);

#endif
