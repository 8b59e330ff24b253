#include "ui/imgui_versions.h"

#include "cimgui_impl.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

// Our own binding defines both macros. Upstream's cimgui.h has neither, so meson.build finds it.
#ifndef CIMGUI_IMGUI_VERSION
#define CIMGUI_IMGUI_VERSION igGetVersion()
#endif

#define FONTS_HAVE_ONE_SIZE (CIMGUI_IMGUI_VERSION_NUM < 19200)

Status imgui_check(Error *error)
{
    const char *expected = CIMGUI_IMGUI_VERSION, *found = igGetVersion();
    if (strcmp(expected, found) != 0)
        return error_set(
            error, STATUS_GPU,
            "this program was built for Dear ImGui %s but runs with %s; build it again", expected,
            found);
    if (!igDebugCheckVersionAndDataLayout(expected, sizeof(ImGuiIO), sizeof(ImGuiStyle),
                                          sizeof(ImVec2), sizeof(ImVec4), sizeof(ImDrawVert),
                                          sizeof(ImDrawIdx)))
        return error_set(error, STATUS_GPU,
                         "Dear ImGui %s was compiled with other options than this program expects; "
                         "build it again",
                         found);
    return STATUS_OK;
}

int imgui_cursor_slot(void)
{
#if CIMGUI_IMGUI_VERSION_NUM < 19140
    return ImGuiCol_NavHighlight;
#else
    return ImGuiCol_NavCursor;
#endif
}

int imgui_checked_slot(void)
{
#if CIMGUI_IMGUI_VERSION_NUM < 19280
    return ImGuiCol_FrameBg;
#else
    return ImGuiCol_CheckboxSelectedBg;
#endif
}

void imgui_begin_disabled(bool disabled)
{
    if (disabled) igBeginDisabled(true);
}

void imgui_end_disabled(bool disabled)
{
    if (disabled) igEndDisabled();
}

void imgui_scrollbar(float width)
{
    igGetStyle()->ScrollbarSize = width;
#if CIMGUI_IMGUI_VERSION_NUM >= 19230
    igGetStyle()->ScrollbarPadding = fminf(floorf(0.5f * width - 1.0f), 3.0f);
#endif
}

bool imgui_misses_quick_keys(void)
{
    return CIMGUI_IMGUI_VERSION_NUM < 18700;
}

static ImFont *add_font(const char *name, const void *ttf, size_t size, float height,
                        const ImWchar *ranges)
{
    ImFontConfig *config = ImFontConfig_ImFontConfig();
    config->FontDataOwnedByAtlas = false;
    config->OversampleH = 2;
    config->OversampleV = 1;
    snprintf(config->Name, sizeof config->Name, "%s", name);
    ImFont *font = ImFontAtlas_AddFontFromMemoryTTF(igGetIO_Nil()->Fonts, (void *)ttf, (int)size,
                                                    height, config, ranges);
    ImFontConfig_destroy(config);
    return font;
}

#if FONTS_HAVE_ONE_SIZE

void imgui_fonts_begin(void)
{
    ImFontAtlas_Clear(igGetIO_Nil()->Fonts);
}

ImFont *imgui_font(const char *name, const void *ttf, size_t size, float height, float ratio)
{
    // Latin, Greek, punctuation, super- and subscripts, arrows, mathematics; must outlive the atlas
    static const ImWchar ranges[] = {0x20,   0xff,   0x370,  0x3ff,  0x2010, 0x203a, 0x2070,
                                     0x209f, 0x2190, 0x21ff, 0x2200, 0x22ff, 0};
    return add_font(name, ttf, size, height * ratio, ranges);
}

void imgui_fonts_end(float em, float ratio)
{
    (void)em; // ImGui uses the size of the first font
    ImFontAtlas_Build(igGetIO_Nil()->Fonts);
    igGetIO_Nil()->FontGlobalScale = 1.0f / ratio;
    if (!igGetIO_Nil()->BackendRendererName) return; // a test without OpenGL
    ImGui_ImplOpenGL3_DestroyFontsTexture();
    ImGui_ImplOpenGL3_CreateFontsTexture();
}

#else

void imgui_fonts_begin(void) {}

ImFont *imgui_font(const char *name, const void *ttf, size_t size, float height, float ratio)
{
    (void)ratio; // ImGui asks the back end
    ImVector_ImFontPtr *fonts = &igGetIO_Nil()->Fonts->Fonts;
    for (int i = 0; i < fonts->Size; i++) {
        if (strcmp(fonts->Data[i]->Sources.Data[0]->Name, name) == 0) return fonts->Data[i];
    }
    return add_font(name, ttf, size, height, NULL);
}

void imgui_fonts_end(float em, float ratio)
{
    (void)ratio;
    igGetStyle()->FontSizeBase = em;
}

#endif

// Which order of parameters the installed version has: 1 for thickness before flags.
#define IS_TYPE(function, type) _Generic(&(function), type : 1, default : 0)
typedef void (*RectThicknessFirst)(ImDrawList *, ImVec2, ImVec2, ImU32, float, float, ImDrawFlags);

void imgui_add_outline(ImDrawList *list, ImVec2 min, ImVec2 max, ImU32 colour, float rounding,
                       float thickness)
{
    if (IS_TYPE(ImDrawList_AddRect, RectThicknessFirst))
        ImDrawList_AddRect(list, min, max, colour, rounding, thickness, 0);
    else
        ImDrawList_AddRect(list, min, max, colour, rounding, 0, thickness);
}

void imgui_add_image(ImDrawList *list, unsigned texture, ImVec2 first, ImVec2 last)
{
#if CIMGUI_IMGUI_VERSION_NUM < 19200
    ImTextureID id = (ImTextureID)(uintptr_t)texture;
#else
    ImTextureRef id = {._TexID = (ImTextureID)(uintptr_t)texture};
#endif
    ImDrawList_AddImage(list, id, first, last, (ImVec2){0, 0}, (ImVec2){1, 1}, 0xffffffff);
}

#if CIMGUI_IMGUI_VERSION_NUM < 18980

int imgui_draw_list_count(const ImDrawData *data)
{
    return data->CmdListsCount;
}

ImDrawList *imgui_draw_list(const ImDrawData *data, int number)
{
    return data->CmdLists[number];
}

void imgui_set_draw_lists(ImDrawData *data, ImDrawList **lists, int count)
{
    data->CmdLists = lists;
    data->CmdListsCount = count;
}

#else

int imgui_draw_list_count(const ImDrawData *data)
{
    return data->CmdLists.Size;
}

ImDrawList *imgui_draw_list(const ImDrawData *data, int number)
{
    return data->CmdLists.Data[number];
}

void imgui_set_draw_lists(ImDrawData *data, ImDrawList **lists, int count)
{
    data->CmdLists.Data = lists;
    data->CmdLists.Size = data->CmdLists.Capacity = count;
#if CIMGUI_IMGUI_VERSION_NUM < 19280 // later back ends do not look at it
    data->CmdListsCount = count;
#endif
}

#endif
