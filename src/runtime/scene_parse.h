// The text of a scene file as a Scene.
//
//   [scene]                          title, about, pins; mesh = FILE.obj, beside the scene's file,
//                                    instead of a grid; mass_spread, stiffness_spread; start,
//                                    start_stretch, start_velocity: see Scene
//   [cloth] [time] [damping] ...     the parameters of that group, under their names in param_table
//
// What a file does not say stays at its default; the title's is the name. `;` or `#` at the start
// of a line begins a comment, and so does ` ;` after a value. `about` may go on over lines that
// begin with a blank.
#ifndef RUNTIME_SCENE_PARSE_H
#define RUNTIME_SCENE_PARSE_H

#include "simulation/scene.h"

// `path` is for the sentence about what is wrong, which names the line too. The scene's name is
// left as it is in `out`; on failure all of it is.
Status scene_parse(const char *path, const char *text, size_t size, Scene *out, Error *error);
// The same for a scene that stands inside a longer text, after so many lines.
Status scene_parse_after(const char *path, int lines_before, const char *text, size_t size,
                         Scene *out, Error *error);

#endif
