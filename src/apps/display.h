// The display that GLFW connects to: X11 or Wayland.
#ifndef APPS_DISPLAY_H
#define APPS_DISPLAY_H

#include <stdbool.h>

// Connect to the display if not connected yet. False if there is none.
bool display_connect(void);

bool display_is_wayland(void); // call after display_connect

#endif
