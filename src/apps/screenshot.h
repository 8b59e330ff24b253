// Pictures that the user asks for: of the window, or of the view alone and larger. They become PNG
// files with a new name in the working directory, and a message says the full name.
#ifndef APPS_SCREENSHOT_H
#define APPS_SCREENSHOT_H

#include "apps/lane_pictures.h"

enum { SCREENSHOT_LARGEST = 4 }; // times the size on the screen

// What is in the framebuffer now, pixels.
void screenshot_window(Ui *ui, int width, int height);
// The cloths without panels, `scale` times as large as on the screen, supersampled.
void screenshot_view(Ui *ui, const LanePictures *pictures, int scale);

#endif
