// Meshes from Wavefront OBJ files. Only `v` and `f` lines are used: faces with more than three
// corners are cut into fans; texture and normal indices and all other lines are ignored.
//
// A file that cannot be used gives one sentence with file and line. mesh_find_fault says what
// triangles must be like; MOST_VERTICES and LARGEST_FILE limit the size.
#ifndef CLOTH_OBJ_FILE_H
#define CLOTH_OBJ_FILE_H

#include "cloth/mesh.h"

#include <stddef.h>

// `size` as for mesh_init_triangles.
Status mesh_load_obj(Mesh *mesh, const char *path, double size, Error *error);
// The same from memory: `text` has a 0 at text[length]; `path` is for the error message.
Status mesh_parse_obj(Mesh *mesh, const char *path, const char *text, size_t length, double size,
                      Error *error);

#endif
