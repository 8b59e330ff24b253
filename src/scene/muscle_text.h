// Muscles as lines of a scene file: "name = value" in a section [muscle].
#ifndef SCENE_MUSCLE_TEXT_H
#define SCENE_MUSCLE_TEXT_H

#include "cloth/muscle.h"

#include <stdio.h>

// Set one key. `given` has a bit for each key so far, 0 at first. What is refused leaves the muscle
// unchanged; whether its numbers are in their ranges is for muscle_check.
Status muscle_assign(Muscle *muscle, unsigned *given, const char *name, const char *value,
                     Error *error);
void muscle_print(const Muscle *muscle, FILE *file);

#endif
