// Builds the cloth of a scene and places it where it starts.
#ifndef SCENE_SCENE_START_H
#define SCENE_SCENE_START_H

#include "cloth/cloth.h"
#include "scene/scene.h"

// A scene's mesh that was read before: its file is not read again.
typedef struct KnownMesh {
    const Mesh *mesh; // borrowed for the call
    double scale;     // size in the scene / size of this mesh
} KnownMesh;

// Build the scene's grid or mesh with its model and the spread of its springs. `known` may be NULL
// and has no effect on a grid.
Status scene_build(const Scene *scene, const KnownMesh *known, Cloth *cloth, Error *error);
// Set the start positions, velocities, masses and pins; release the hand.
void scene_place(const Scene *scene, Cloth *cloth);
// The centre of the cloth at its start, m, without the folds; of a solid one, higher: it does not
// swing down.
Vec3 scene_start_centre(const Scene *scene, const Mesh *mesh);
// The mean place of the particles there, without the folds.
Vec3 scene_start_mean(const Scene *scene, const Mesh *mesh);
// A body that nothing holds, and that has muscles or nothing to fall on, goes anywhere, and a
// camera with it.
bool scene_roams(const Scene *scene);
// m, about that centre: the whole cloth, and for a rope also its swing.
double scene_start_radius(const Scene *scene, const Mesh *mesh);

// For a camera that shows, of a cloth with this centre and radius, all within 1.35 radii of the
// point 0.8 radii below the centre (render/camera.h): there is the cloth, there are the bodies and
// the way of their paths, and there swings a rope.
typedef struct SceneView {
    Vec3 centre;   // m
    double radius; // m
} SceneView;
SceneView scene_view(const Scene *scene, const Mesh *mesh);

#endif
