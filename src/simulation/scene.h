// A scene: what to build and how to start. Read from assets/scenes/NAME.ini by runtime/scene_file.
#ifndef SIMULATION_SCENE_H
#define SIMULATION_SCENE_H

#include "simulation/params.h"

enum { // which particles hold still at the start; row 0 is the top
    PIN_TOP_LEFT = 1,
    PIN_TOP_RIGHT = 2,
    PIN_BOTTOM_LEFT = 4,
    PIN_BOTTOM_RIGHT = 8,
    PIN_TOP_EDGE = 16,
    PIN_LEFT_EDGE = 32,
};

typedef struct Scene {
    char name[48];   // of its file, without .ini
    char title[80];  // for the window
    char about[384]; // a sentence or two for the student
    unsigned pins;
    Params params;
} Scene;

Scene scene_default(
    void); // a cloth hanging by its two top corners, all parameters at their default

// Names of the pin flags, for scene files: "top-left", ... ; 0 or NULL when there is none.
unsigned pin_from_name(const char *name);
const char *pin_name(unsigned flag);

#endif
