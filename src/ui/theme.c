#include "ui/theme.h"

#include "base/colours.h"
#include "ui/imgui_versions.h"

#include "embedded.h"

#include <math.h>

#define CAPTION_EMS 2.0f
#define CAPTION_PIXELS 72.0f // as below
#define FORMULA_EMS 2.0f
#define FORMULA_PIXELS 120.0f // the largest size of which an atlas of glyphs is made

// 0xRRGGBB, as designers write it, to ImGui's packed ABGR, opaque
static ImU32 pack(uint32_t hex)
{
    return 0xff000000u | (hex & 0xffu) << 16 | (hex & 0xff00u) | (hex >> 16 & 0xffu);
}

Palette theme_palette(bool light)
{
    const Colours *c = colours_of(light);
    Palette palette = {.light = light,
                       .ground = pack(c->ground),
                       .panel = pack(c->panel),
                       .field = pack(c->field),
                       .line = pack(c->line),
                       .track = pack(c->track),
                       .text = pack(c->text),
                       .dim = pack(c->dim),
                       .accent = pack(c->accent),
                       .on_accent = pack(c->on_accent),
                       .green = pack(c->green),
                       .amber = pack(c->amber),
                       .red = pack(c->red)};
    for (int i = 0; i < 4; i++) palette.series[i] = pack(c->series[i]);
    return palette;
}

ImU32 theme_fade(ImU32 colour, float opacity)
{
    unsigned alpha = (unsigned)((float)(colour >> 24) * opacity);
    return (colour & 0x00ffffffu) | alpha << 24;
}

ImU32 theme_lane_colour(const Palette *palette, int lane)
{
    return palette->series[lane % 4];
}

static ImVec4 unpack(ImU32 colour)
{
    ImVec4 out;
    igColorConvertU32ToFloat4(&out, colour);
    return out;
}

void theme_apply(const Palette *p, float em)
{
    ImGuiStyle *style = igGetStyle();
    // for colours that are not set below, and those that a later Dear ImGui adds
    if (p->light)
        igStyleColorsLight(style);
    else
        igStyleColorsDark(style);
    const struct {
        ImGuiCol slot;
        ImU32 colour;
    } colours[] = {
        {ImGuiCol_Text, p->text},
        {ImGuiCol_TextDisabled, p->dim},
        {ImGuiCol_TextSelectedBg, theme_fade(p->accent, 0.4f)},
        {ImGuiCol_WindowBg, p->panel},
        {ImGuiCol_PopupBg, p->panel},
        {ImGuiCol_Border, p->line},
        {ImGuiCol_Separator, p->line},
        {ImGuiCol_FrameBg, p->field},
        {ImGuiCol_FrameBgHovered, p->line},
        {ImGuiCol_FrameBgActive, p->line},
        {ImGuiCol_Button, p->field},
        {ImGuiCol_ButtonHovered, p->line},
        {ImGuiCol_ButtonActive, p->track},
        {ImGuiCol_Header, theme_fade(p->accent, 0.25f)},
        {ImGuiCol_HeaderHovered, theme_fade(p->accent, 0.35f)},
        {ImGuiCol_HeaderActive, theme_fade(p->accent, 0.45f)},
        {ImGuiCol_CheckMark, p->accent},
        {ImGuiCol_ScrollbarBg, p->panel},
        {ImGuiCol_ScrollbarGrab, p->line},
        {ImGuiCol_ScrollbarGrabHovered, p->track},
        {ImGuiCol_ScrollbarGrabActive, p->dim},
        {imgui_cursor_slot(), p->accent},
        {imgui_checked_slot(), p->field},
    };
    for (size_t i = 0; i < sizeof colours / sizeof colours[0]; i++)
        style->Colors[colours[i].slot] = unpack(colours[i].colour);

    style->WindowRounding = 0.0f; // panels are docked to the edges and fill the window exactly
    style->WindowBorderSize = 0.0f;
    // whole window units: versions of Dear ImGui round fractions differently
    style->WindowPadding = (ImVec2){roundf(1.05f * em), roundf(0.8f * em)};
    style->WindowMinSize = (ImVec2){1.0f, 1.0f};
    style->PopupRounding = style->FrameRounding = 0.35f * em;
    style->PopupBorderSize = style->FrameBorderSize = 1.0f;
    style->FramePadding = (ImVec2){roundf(0.6f * em), roundf(0.35f * em)};
    style->ItemSpacing = (ImVec2){roundf(0.5f * em), roundf(0.4f * em)};
    style->ItemInnerSpacing = (ImVec2){roundf(0.4f * em), roundf(0.3f * em)};
    imgui_scrollbar(roundf(0.6f * em));
    style->ScrollbarRounding = 0.3f * em;
}

static Font font(const char *name, float height, float ratio)
{
    const EmbeddedFile *file = embedded_find(name);
    height = roundf(height * ratio) / ratio; // whole pixels, for crisp text
    return (Font){imgui_font(name, file->data, file->size, height, ratio), height};
}

Fonts theme_load_fonts(float em, float ratio)
{
    imgui_fonts_begin();
    float caption = fminf(CAPTION_EMS * em, CAPTION_PIXELS / ratio);
    float formula = fminf(FORMULA_EMS * em, FORMULA_PIXELS / ratio);
    Fonts fonts = {
        .regular = font("font.ttf", em, ratio), // ImGui's own widgets use the first font
        .small = font("font.ttf", 0.86f * em, ratio),
        .bold = font("font-bold.ttf", em, ratio),
        .title = font("font-bold.ttf", 1.3f * em, ratio),
        .caption = font("font.ttf", caption, ratio),
        .caption_bold = font("font-bold.ttf", caption, ratio),
        .formula = font("font-formula.ttf", formula, ratio),
        .formula_italic = font("font-formula-italic.ttf", formula, ratio),
    };
    imgui_fonts_end(em, ratio);
    return fonts;
}
