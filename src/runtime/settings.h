// What the window remembers of its last use: settings.ini in the user's configuration folder.
#ifndef RUNTIME_SETTINGS_H
#define RUNTIME_SETTINGS_H

#include "base/status.h"

#include <stdbool.h>

enum { SETTINGS_SMALLEST = 320, SETTINGS_LARGEST = 16384 }; // sides of a window

typedef struct Settings {
    int width, height; // of the window, screen units
    bool light;        // theme
    int text_size;     // percent, 100 to 300
    char fabric[16];   // its name
} Settings;

Settings settings_default(void);

// A file that is not there is no failure. What cannot be read keeps its default, and the first such
// place gives one sentence; `out` can be used whatever the status.
Status settings_load(Settings *out, Error *error);

// Store what changed between `before` and `now`; what did not keeps the stored value. So an option
// of the command line is not remembered unless it was changed in the window.
Status settings_save_changes(const Settings *before, const Settings *now, Error *error);

#endif
