// What Dear ImGui drew over the pictures of the cloths, to draw it again over newer pictures
// without a new frame of ImGui: words, bars and cards, cut to the pictures.
//
// No OpenGL here. Valid until ImGui's next frame begins: vertices are not copied.
#ifndef UI_KEPT_PANELS_H
#define UI_KEPT_PANELS_H

#include "render/camera.h"

#include "cimgui.h"

#include <stdbool.h>

typedef struct KeptPanels {
    ImDrawData data; // for ImGui_ImplOpenGL3_RenderDrawData
    ImDrawList *lists;
    ImDrawList **pointers;
    ImDrawCmd *commands;
    int list_room, command_room;
} KeptPanels;

// Keep what is drawn over any of the places, which are pixels of the framebuffer and do not
// overlap. False without memory: nothing is kept.
bool kept_panels_keep(KeptPanels *kept, const ImDrawData *drawn, const Viewport *places, int count);
void kept_panels_finish(KeptPanels *kept);

#endif
