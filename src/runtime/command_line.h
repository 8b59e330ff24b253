// The command line that opens a scene as it is now.
#ifndef RUNTIME_COMMAND_LINE_H
#define RUNTIME_COMMAND_LINE_H

#include "scene/scene.h"

enum { COMMAND_LINE_SIZE = 8192 };

// "selvage view curtain --set stretch=600": the scene's file by its name or path, and what differs
// from it: parameters, lanes, the lane that others are compared with if `reference` is one (from 0;
// the fine one is part of the scene), clicked pins. Quoted for a shell. Fails if the scene has no
// file that can be opened again, or one that says something else by now.
Status command_line_print(const Scene *scene, int reference, char text[COMMAND_LINE_SIZE],
                          Error *error);

#endif
