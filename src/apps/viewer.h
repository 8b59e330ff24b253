// The window: connects simulation thread, renderer and panels.
#ifndef APPS_VIEWER_H
#define APPS_VIEWER_H

#include "runtime/recording.h"

typedef struct ViewerOptions {
    Scene scene;
    const char *record;           // see SimThreadPlan; NULL: none
    const Recording *replay;      // likewise
    const char *lesson;           // its name or path, to open at once; NULL: none
    const char *shader_directory; // reload shaders from here as they change; NULL: built-in ones
    double text_scale;            // 1 to 3
    bool light;                   // light theme
    bool paused;                  // start paused
    int width, height;            // of the window, in screen units
} ViewerOptions;

// Open the window and return when it is closed.
Status viewer_run(const ViewerOptions *options, Error *error);

#endif
