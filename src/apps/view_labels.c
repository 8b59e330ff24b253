#include "apps/view_labels.h"

#include "ui/imgui_versions.h"

#include <cimgui_impl.h>
#include <stdio.h>
#include <string.h>

// The draw list of one of ImGui's windows, moved and scaled.
static void draw_window(const LabelTarget *target, const char *name)
{
    const ImDrawData *drawn = igGetDrawData();
    if (!drawn || !drawn->Valid) return;
    for (int i = 0; i < imgui_draw_list_count(drawn); i++) {
        ImDrawList *list = imgui_draw_list(drawn, i);
        if (!list->_OwnerName || strcmp(list->_OwnerName, name) != 0) continue;
        ImDrawData data = *drawn;
        data.DisplayPos = (ImVec2){target->x, target->y};
        // the back end rounds down
        data.DisplaySize = (ImVec2){((float)target->width + 0.01f) / target->scale,
                                    ((float)target->height + 0.01f) / target->scale};
        data.FramebufferScale = (ImVec2){target->scale, target->scale};
        data.TotalVtxCount = list->VtxBuffer.Size;
        data.TotalIdxCount = list->IdxBuffer.Size;
        imgui_set_draw_lists(&data, &list, 1);
        ImGui_ImplOpenGL3_RenderDrawData(&data);
    }
}

void view_labels_draw_strip(const LabelTarget *target, int lane)
{
    char name[24];
    snprintf(name, sizeof name, "##strip%d", lane);
    draw_window(target, name);
}

void view_labels_draw_bar(const LabelTarget *target)
{
    draw_window(target, "##colours");
}
