#include "apps/panel_memory.h"

#include <cimgui.h>
#include <stdio.h>
#include <stdlib.h>

enum { RESERVE = 4 << 20 }; // bytes: some frames of the panels

// Without a reserve nothing can be drawn, and ImGui has no way to say so.
static void *allocate(size_t size, void *user)
{
    PanelMemory *memory = user;
    void *block = malloc(size);
    if (block) return block;
    memory->ran_out = true;
    free(memory->reserve);
    memory->reserve = NULL;
    block = malloc(size);
    if (!block) {
        fputs("selvage: not enough memory for the panels\n", stderr);
        _Exit(EXIT_FAILURE);
    }
    return block;
}

static void release(void *block, void *user)
{
    (void)user;
    free(block);
}

void panel_memory_start(PanelMemory *memory)
{
    memory->reserve = malloc(RESERVE);
    igSetAllocatorFunctions(allocate, release, memory);
}

void panel_memory_finish(PanelMemory *memory)
{
    free(memory->reserve);
    memory->reserve = NULL;
}
