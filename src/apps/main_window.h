// The window's opening: with the size that was last, and the best OpenGL there is.
#ifndef APPS_MAIN_WINDOW_H
#define APPS_MAIN_WINDOW_H

#include "base/status.h"
#include "runtime/settings.h"

typedef struct GLFWwindow GLFWwindow;

// Its context is current. NULL, with the reason, when there is none.
GLFWwindow *main_window_open(const char *scene, const Settings *size, Error *error);

#endif
