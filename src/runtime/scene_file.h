// Scenes as INI files, and where they are found.
#ifndef RUNTIME_SCENE_FILE_H
#define RUNTIME_SCENE_FILE_H

#include "scene/scene.h"

#include <stdio.h>

// `name` is a scene's name ("drape") or a path to a file (it ends in .ini or contains a slash), or
// to a mesh (it ends in .obj), which hangs by its two top corners. Named scenes are searched for in
// $SELVAGE_ASSETS/scenes, in ../share/selvage/scenes relative to the program, in the sources (a
// build that is not installed), and in the installed data directory. A file that cannot be used
// gives one sentence with file, line and what is allowed.
Status scene_load(const char *name, Scene *out, Error *error);

// Write a complete, commented scene file that can be edited. It reads back as the same scene, to
// the bit, for every scene that scene_load and the commands of a simulation can make.
Status scene_save(const Scene *scene, const char *path, Error *error);
// The same into an open file. Whoever opened it checks it for write errors.
void scene_print(const Scene *scene, FILE *file);

// All named scenes, sorted and loaded. A file that cannot be used is left out.
typedef struct SceneList {
    int count;
    Scene *items;
} SceneList;
Status scene_list(SceneList *out, Error *error);
void scene_list_finish(SceneList *list);

#endif
