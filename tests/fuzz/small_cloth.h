// Cloths small enough to be built and moved thousands of times a second.
#ifndef TESTS_FUZZ_SMALL_CLOTH_H
#define TESTS_FUZZ_SMALL_CLOTH_H

#include "simulation/simulation.h"

// Without a mesh file, and of few particles.
bool fuzz_is_small(const Scene *scene);
// Every position and velocity is finite, and so is the clock.
void fuzz_require_finite(const Simulation *simulation);

#endif
