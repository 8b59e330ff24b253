// Scenes at random, from a seed: every parameter, pins, colliders, muscles, lanes, and texts with
// the characters that mean something in a file.
#ifndef TESTS_RANDOM_SCENE_H
#define TESTS_RANDOM_SCENE_H

#include "scene/scene.h"

#include <stddef.h>
#include <stdint.h>

uint32_t random_next(uint32_t *seed); // 24 bits
uint32_t random_below(uint32_t *seed, uint32_t most);
// A number within the range, of all kinds: its ends, 0, -0, a short one, one with all its digits.
double random_within(uint32_t *seed, double low, double high);
// Of up to size - 1 bytes, without line ends.
void random_text(uint32_t *seed, char *out, size_t size);

// A scene that a file can have. A mesh is a name without a file.
Scene random_scene(uint32_t *seed);

// The first thing in which two scenes differ, to the bit; NULL if they are alike. Their source does
// not count.
const char *scenes_differ(const Scene *a, const Scene *b);

#endif
