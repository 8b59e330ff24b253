// A scene as a cloth: built, and put where it starts.
#ifndef SIMULATION_SCENE_START_H
#define SIMULATION_SCENE_START_H

#include "cloth/cloth.h"
#include "simulation/scene.h"

// The grid or the mesh the scene names, with its model and the spread of its springs.
Status scene_build(const Scene *scene, Cloth *cloth, Error *error);
// Where and how fast particles start, their masses and pins; nothing in the hand.
void scene_place(const Scene *scene, Cloth *cloth);
// The middle of the cloth at its start, m; folds left aside.
Vec3 scene_start_centre(const Scene *scene, const Mesh *mesh);
// m, about that: all of the cloth, and for a rope where it swings to.
double scene_start_radius(const Scene *scene, const Mesh *mesh);

#endif
