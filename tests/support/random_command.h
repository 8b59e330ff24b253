// Commands at random, from a seed, for tests that no sequence of them breaks a run.
#ifndef TESTS_RANDOM_COMMAND_H
#define TESTS_RANDOM_COMMAND_H

#include "simulation/command.h"

#include <stdint.h>

// A command for a simulation with any numbers, legal or not, most of them small. It may point to
// `scene`.
Command random_command(uint32_t *seed, int particles, Scene *scene);

#endif
