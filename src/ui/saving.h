// The question whether to overwrite a scene file, and what is to be written.
#ifndef UI_SAVING_H
#define UI_SAVING_H

#include "scene/scene.h"

typedef struct Saving {
    bool asks;
    Scene scene;                               // as it was when saving was wanted
    char path[sizeof((Scene *)0)->name + 16];  // there is a file of this name,
    char other[sizeof((Scene *)0)->name + 32]; // and none of this
} Saving;

#endif
