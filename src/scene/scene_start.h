// A scene as a cloth: built, and put where it starts.
#ifndef SCENE_SCENE_START_H
#define SCENE_SCENE_START_H

#include "cloth/cloth.h"
#include "scene/scene.h"

// A scene's mesh that was read before: its file is not looked at again.
typedef struct KnownMesh {
    const Mesh *mesh; // borrowed for the call
    double scale;     // size in the scene / size of this one
} KnownMesh;

// The grid or the mesh the scene names, with its model and the spread of its springs. `known` may
// be NULL, and is without effect for a grid.
Status scene_build(const Scene *scene, const KnownMesh *known, Cloth *cloth, Error *error);
// Where and how fast particles start, their masses and pins; nothing in the hand.
void scene_place(const Scene *scene, Cloth *cloth);
// The middle of the cloth at its start, m; folds left aside.
Vec3 scene_start_centre(const Scene *scene, const Mesh *mesh);
// m, about that: all of the cloth, and for a rope where it swings to.
double scene_start_radius(const Scene *scene, const Mesh *mesh);

#endif
