// Memory for Dear ImGui, which asks for some in many places and does not check whether it got it.
// When there is none, a reserve is freed: the window can then end in order, with a sentence.
#ifndef APPS_PANEL_MEMORY_H
#define APPS_PANEL_MEMORY_H

#include <stdbool.h>

typedef struct PanelMemory {
    void *reserve;
    bool ran_out; // the window is to be closed
} PanelMemory;

// Before ImGui's context is created. `memory` lives longer than that.
void panel_memory_start(PanelMemory *memory);
void panel_memory_finish(PanelMemory *memory); // accepts a zeroed one

#endif
