// The cloth of the README's table of integrators: 16 x 16 particles with k0 = 1e6/s^2 at rest. It
// starts flat and level, falls, and hangs by two corners, with an air drag of 0.5/s and, unless the
// assignments say so, without other damping.
#ifndef TESTS_FALLING_CLOTH_H
#define TESTS_FALLING_CLOTH_H

#include "integrators/integrator.h"
#include "simulation/simulation.h"

#define FALLING_K0 1e6 // 1/s^2
enum { FALLING_SIDE = 16, FALLING_PARTICLES = FALLING_SIDE * FALLING_SIDE };

Simulation *falling_cloth(const char *assignments); // fails the test on an error

// Does a run of that time stay bounded? It does not if a speed reaches 25 m/s or, with `by_energy`,
// if the energy rises above its start by 2 % of m g H: above its limit a cloth may settle into a
// buzz, which a limit of speeds alone would miss. A method that softens springs stretches them far,
// so that energy says nothing.
bool falling_is_bounded(const char *assignments, double h, double seconds, bool by_energy);

// The estimate of k0 with as many products as needed.
double converged_k0(const System *system, const double *x);

#endif
