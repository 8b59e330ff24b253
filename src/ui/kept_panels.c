// A draw list is a row of commands, each a run of triangles with a rectangle that cuts them. A kept
// list shares its vertices with the one that was drawn, and has a command for each place that one
// of its commands reaches into.
#include "ui/kept_panels.h"

#include "ui/imgui_versions.h"

#include <math.h>
#include <stdlib.h>

typedef struct Box { // pixels, from the lower left corner of the framebuffer
    int left, bottom, right, top;
} Box;

static Box box_of_place(Viewport place)
{
    return (Box){place.x, place.y, place.x + place.width, place.y + place.height};
}

static Box common(Box a, Box b)
{
    return (Box){a.left > b.left ? a.left : b.left, a.bottom > b.bottom ? a.bottom : b.bottom,
                 a.right < b.right ? a.right : b.right, a.top < b.top ? a.top : b.top};
}

static bool is_empty(Box box)
{
    return box.left >= box.right || box.bottom >= box.top;
}

static int framebuffer_height(const ImDrawData *data)
{
    return (int)(data->DisplaySize.y * data->FramebufferScale.y);
}

// The pixels that ImGui's OpenGL back end lets through, with its rounding.
static Box box_of_clip(const ImDrawData *data, ImVec4 clip)
{
    ImVec2 at = data->DisplayPos, scale = data->FramebufferScale;
    float x0 = (clip.x - at.x) * scale.x, y0 = (clip.y - at.y) * scale.y;
    float x1 = (clip.z - at.x) * scale.x, y1 = (clip.w - at.y) * scale.y;
    int left = (int)x0, bottom = (int)((float)framebuffer_height(data) - y1);
    return (Box){left, bottom, left + (int)(x1 - x0), bottom + (int)(y1 - y0)};
}

// A rectangle for which that rounding gives this box.
static ImVec4 clip_of_box(const ImDrawData *data, Box box)
{
    ImVec2 at = data->DisplayPos, scale = data->FramebufferScale;
    float x0 = (float)box.left + 0.25f, x1 = (float)box.right + 0.5f;
    float y1 = (float)(framebuffer_height(data) - box.bottom) - 0.25f;
    float y0 = y1 - (float)(box.top - box.bottom) - 0.25f;
    return (ImVec4){at.x + x0 / scale.x, at.y + y0 / scale.y, at.x + x1 / scale.x,
                    at.y + y1 / scale.y};
}

// The pixels that a command's triangles reach.
static Box box_of_shapes(const ImDrawData *data, const ImDrawList *list, const ImDrawCmd *command)
{
    ImVec4 around = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    for (unsigned i = 0; i < command->ElemCount; i++) {
        unsigned index = list->IdxBuffer.Data[command->IdxOffset + i] + command->VtxOffset;
        ImVec2 p = list->VtxBuffer.Data[index].pos;
        around.x = p.x < around.x ? p.x : around.x;
        around.y = p.y < around.y ? p.y : around.y;
        around.z = p.x > around.z ? p.x : around.z;
        around.w = p.y > around.w ? p.y : around.w;
    }
    if (!(around.x <= around.z)) return (Box){0};
    ImVec2 screen = data->DisplaySize;
    around.x = fmaxf(around.x - data->DisplayPos.x, 0.0f) + data->DisplayPos.x;
    around.y = fmaxf(around.y - data->DisplayPos.y, 0.0f) + data->DisplayPos.y;
    around.z = fminf(around.z - data->DisplayPos.x, screen.x) + data->DisplayPos.x;
    around.w = fminf(around.w - data->DisplayPos.y, screen.y) + data->DisplayPos.y;
    Box box = box_of_clip(data, around);
    return (Box){box.left - 1, box.bottom - 1, box.right + 2, box.top + 2};
}

static bool make_room(KeptPanels *kept, int lists, int commands)
{
    if (lists > kept->list_room) {
        ImDrawList *more = realloc(kept->lists, (size_t)lists * sizeof *more);
        if (more) kept->lists = more;
        ImDrawList **pointers = realloc(kept->pointers, (size_t)lists * sizeof *pointers);
        if (pointers) kept->pointers = pointers;
        if (!more || !pointers) return false;
        kept->list_room = lists;
    }
    if (commands > kept->command_room) {
        ImDrawCmd *more = realloc(kept->commands, (size_t)commands * sizeof *more);
        if (!more) return false;
        kept->commands = more;
        kept->command_room = commands;
    }
    return true;
}

// The part of a command that lies over the places, appended at `out`. Returns how many commands.
static int keep_command(const ImDrawData *drawn, const ImDrawList *list, const ImDrawCmd *command,
                        const Viewport *places, int count, ImDrawCmd *out)
{
    int kept = 0;
    Box clip = box_of_clip(drawn, command->ClipRect), shapes = {0};
    for (int i = 0; i < count; i++) {
        Box part = common(clip, box_of_place(places[i]));
        if (is_empty(part) || command->ElemCount == 0 || command->UserCallback) continue;
        if (is_empty(shapes)) shapes = box_of_shapes(drawn, list, command);
        if (is_empty(common(part, shapes))) continue;
        out[kept] = *command;
        out[kept++].ClipRect = clip_of_box(drawn, part);
    }
    return kept;
}

bool kept_panels_keep(KeptPanels *kept, const ImDrawData *drawn, const Viewport *places, int count)
{
    int all = 0, lists = 0, commands = 0, list_count = imgui_draw_list_count(drawn);
    kept->data = *drawn;
    kept->data.TotalVtxCount = kept->data.TotalIdxCount = 0;
    imgui_set_draw_lists(&kept->data, NULL, 0);
    for (int i = 0; i < list_count; i++) all += imgui_draw_list(drawn, i)->CmdBuffer.Size;
    if (!make_room(kept, list_count, all * count)) return false;
    for (int i = 0; i < list_count; i++) {
        const ImDrawList *list = imgui_draw_list(drawn, i);
        ImDrawCmd *first = kept->commands + commands;
        int own = 0;
        for (int c = 0; c < list->CmdBuffer.Size; c++)
            own += keep_command(drawn, list, &list->CmdBuffer.Data[c], places, count, first + own);
        if (own == 0) continue;
        kept->lists[lists] = *list; // shares its vertices
        kept->lists[lists].CmdBuffer.Data = first;
        kept->lists[lists].CmdBuffer.Size = kept->lists[lists].CmdBuffer.Capacity = own;
        kept->pointers[lists] = &kept->lists[lists];
        kept->data.TotalVtxCount += list->VtxBuffer.Size;
        kept->data.TotalIdxCount += list->IdxBuffer.Size;
        commands += own;
        lists++;
    }
    imgui_set_draw_lists(&kept->data, kept->pointers, lists);
    return true;
}

void kept_panels_finish(KeptPanels *kept)
{
    free(kept->lists);
    free(kept->pointers);
    free(kept->commands);
    *kept = (KeptPanels){0};
}
