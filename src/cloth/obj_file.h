// Meshes from Wavefront OBJ files. Only `v`, `f` and `l` lines are used; faces with more than
// three corners are cut into triangles, and lines become springs beside the triangles' edges.
// Texture and normal indices and all other lines are ignored, and so are objects and groups: all of
// a file is one mesh.
//
// Vertices at the same place are merged; vertices of no triangle and lines to them, triangles
// without area or there twice, and a few triangles at crowded edges are left out. mesh->notice says
// so. A file that cannot be used gives one sentence with file and line. mesh_find_fault says what
// triangles must be like.
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
