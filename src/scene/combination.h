// Which settings do not go together. The command line, scene files and the window all ask here.
#ifndef SCENE_COMBINATION_H
#define SCENE_COMBINATION_H

#include "scene/params.h"

// One sentence that says why these parameters do not make sense together, and what does; NULL when
// they do. The caller has checked each parameter's own range.
const char *params_refusal(const Params *params);

#endif
