// Colliders as lines of a scene file: "name = value" in a section [collider].
#ifndef SCENE_COLLIDER_TEXT_H
#define SCENE_COLLIDER_TEXT_H

#include "cloth/collider.h"

#include <stdio.h>

// Set one key. `given` has a bit for each key so far, 0 at first. What is refused leaves the
// collider unchanged; whether all keys together make a body is for collider_check.
Status collider_assign(Collider *collider, unsigned *given, const char *name, const char *value,
                       Error *error);
void collider_print(const Collider *collider, FILE *file);

#endif
