// Wavefront OBJ files as meshes. Of the format, `v` and `f` count: faces with more corners than
// three are cut into fans, texture and normal indices are passed over, and so is every other line.
//
// A file that cannot be used as a cloth gives one sentence with file and line: see mesh_find_fault
// for what triangles must be like, and MOST_VERTICES and LARGEST_FILE for how many.
#ifndef CLOTH_OBJ_FILE_H
#define CLOTH_OBJ_FILE_H

#include "cloth/mesh.h"

#include <stddef.h>

// `size` as for mesh_init_triangles.
Status mesh_load_obj(Mesh *mesh, const char *path, double size, Error *error);
// The same from memory: `text` ends with a 0 at text[length]; `path` is for the sentence.
Status mesh_parse_obj(Mesh *mesh, const char *path, const char *text, size_t length, double size,
                      Error *error);

#endif
