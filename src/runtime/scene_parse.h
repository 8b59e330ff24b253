// Parses the text of a scene file.
//
//   [scene]                          title, about, pins; mesh = FILE.obj, beside the scene's file,
//                                    instead of a grid; mass_spread, stiffness_spread; start,
//                                    start_stretch, start_velocity: see Scene
//                                    fine = on: a hidden lane to compare the others with
//   [cloth] [time] [damping] ...     the parameters of that group, under their names in param_table
//   [lane]                           one more lane: the parameters of its own, of any group
//
// What a file does not set keeps its default; the default title is the name. ini_text.h says what
// lines are; `about` may continue on lines that start with a blank.
#ifndef RUNTIME_SCENE_PARSE_H
#define RUNTIME_SCENE_PARSE_H

#include "scene/scene.h"

// `path` is for the error message, which also names the line. The scene's name in `out` is kept; on
// failure `out` is not changed.
Status scene_parse(const char *path, const char *text, size_t size, Scene *out, Error *error);
// The same for a scene that stands inside a longer text, after so many lines.
Status scene_parse_after(const char *path, int lines_before, const char *text, size_t size,
                         Scene *out, Error *error);

#endif
