// The window: connects simulation thread, renderer and panels.
#ifndef APPS_VIEWER_H
#define APPS_VIEWER_H

#include "runtime/recent.h"
#include "runtime/recording.h"
#include "runtime/settings.h"

typedef struct ViewerOptions {
    Scene scene;
    const char *record;           // see SimThreadPlan; NULL: none
    const Recording *replay;      // likewise
    const char *lesson;           // its name or path, to open at once; NULL: none
    const char *shader_directory; // reload shaders from here as they change; NULL: built-in ones
    bool paused;                  // start paused
    int threads;                  // that share a step; 0: as many as the drawing leaves
    int reference;       // lane that others are compared with, from 0; -1: as the scene says
    Settings *settings;  // of the window; when it is closed: as they were last
    RecentFiles *recent; // opened files, and those that are opened; NULL: none are kept
    const char *notice;  // to show at first; "": nothing
} ViewerOptions;

// Open the window and return when it is closed.
Status viewer_run(const ViewerOptions *options, Error *error);

#endif
