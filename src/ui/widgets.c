#include "ui/widgets.h"

#include "scene/combination.h"
#include "ui/imgui_versions.h"
#include "ui/text_log.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

float widget_draw_text(ImDrawList *list, Font font, ImU32 colour, float x, float y,
                       const char *text)
{
    ImDrawList_AddText_FontPtr(list, font.face, font.height, (ImVec2){floorf(x), floorf(y)}, colour,
                               text, NULL, 0.0f, NULL);
    text_log_add(list, font, floorf(x), floorf(y), text, NULL, false);
    return widget_text_width(font, text);
}

float widget_text_width(Font font, const char *text)
{
    ImVec2 size;
    ImFont_CalcTextSizeA(&size, font.face, font.height, 1e9f, 0.0f, text, NULL, NULL);
    return size.x;
}

void widget_text(Font font, ImU32 colour, const char *text)
{
    ImVec2 at;
    igGetCursorScreenPos(&at);
    float width = widget_draw_text(igGetWindowDrawList(), font, colour, at.x, at.y, text);
    igDummy((ImVec2){width, font.height});
}

static float range_width(Font font, const char *text, const char *end)
{
    ImVec2 size;
    ImFont_CalcTextSizeA(&size, font.face, font.height, 1e9f, 0.0f, text, end, NULL);
    return size.x;
}

// Whether a word that follows a number is its unit.
static bool is_unit(const char *word, size_t length)
{
    static const char *const units[] = {"s",   "ms",  "µs", "ns", "m",  "cm",    "mm",
                                        "µm",  "N/m", "J",  "%",  "×",  "rad/s", "m/s",
                                        "1/s", "s⁻²", "Hz", "kg", "MB", "m/s²",  "s/s"};
    while (length > 0 && strchr(".,;:)", word[length - 1])) length--;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strlen(units[i]) == length && memcmp(word, units[i], length) == 0) return true;
    }
    return false;
}

// The end of a word; a number and its unit are one.
static const char *word_end(const char *word)
{
    const char *end = word + strcspn(word, " \n");
    const char *unit_end = *end == ' ' ? end + 1 + strcspn(end + 1, " \n") : end;
    bool number = false;
    for (const char *c = word; c < end; c++) number |= *c >= '0' && *c <= '9';
    return number && *end == ' ' && is_unit(end + 1, (size_t)(unit_end - end - 1)) ? unit_end : end;
}

// As much of a word as there is room for, at least one character.
static const char *cut_word(Font font, const char *word, const char *end, float room)
{
    const char *cut = word;
    while (cut < end) {
        const char *next = cut + 1;
        while (next < end && ((unsigned char)*next & 0xc0) == 0x80) next++;
        if (cut > word && range_width(font, word, next) > room) break;
        cut = next;
    }
    return cut;
}

// Where the first line of a text ends: before the first space that leaves too little room for the
// word after it. A word wider than the room, such as the path of a file, is broken.
static const char *line_end(Font font, const char *text, float room)
{
    const char *end = word_end(text);
    if (range_width(font, text, end) > room) return cut_word(font, text, end, room);
    while (*end == ' ') {
        const char *next = word_end(end + 1);
        if (range_width(font, text, next) > room) break;
        end = next;
    }
    return end;
}

static const char *next_line(const char *end)
{
    return *end == ' ' || *end == '\n' ? end + 1 : end;
}

static ImVec2 size_in_lines(Font font, const char *text, float room)
{
    ImVec2 size = {0, 0};
    while (*text) {
        const char *end = line_end(font, text, room);
        size.x = fmaxf(size.x, range_width(font, text, end));
        size.y += font.height;
        text = next_line(end);
    }
    return size;
}

float widget_wrapped_height(Font font, const char *text, float room)
{
    return size_in_lines(font, text, room).y;
}

// Wrapped at `room`, at the cursor.
static void text_in_lines(Font font, ImU32 colour, const char *text, float room)
{
    ImVec2 at;
    igGetCursorScreenPos(&at);
    ImDrawList *list = igGetWindowDrawList();
    float height = 0.0f, width = 0.0f;
    bool continues = false;
    while (*text) {
        const char *end = line_end(font, text, room);
        ImVec2 place = {floorf(at.x), floorf(at.y + height)};
        ImDrawList_AddText_FontPtr(list, font.face, font.height, place, colour, text, end, 0.0f,
                                   NULL);
        text_log_add(list, font, place.x, place.y, text, end, continues);
        width = fmaxf(width, range_width(font, text, end));
        height += font.height;
        continues = *end != '\n';
        text = next_line(end);
    }
    igDummy((ImVec2){width, height});
}

void widget_text_wrapped(Font font, ImU32 colour, const char *text)
{
    ImVec2 room;
    igGetContentRegionAvail(&room);
    text_in_lines(font, colour, text, room.x);
}

// No wider than the window allows.
static float tooltip_width(const Ui *ui)
{
    float window = igGetIO_Nil()->DisplaySize.x - 2.0f * ui->em;
    return fmaxf(fminf(20.0f * ui->em, window), 1.0f);
}

// A tooltip would hide the number that is being changed, or a question, or draw the eye away from
// it.
static bool is_changing(const Ui *ui)
{
    return ui->saving.asks || ui->typed_param != UI_NO_PARAM || ui->held_param != UI_NO_PARAM;
}

static ImVec2 tooltip_padding(const Ui *ui)
{
    return (ImVec2){ui_ems(ui, 0.7f), ui_ems(ui, 0.5f)};
}

static void show_tooltip(Ui *ui, const char *text)
{
    igPushStyleVar_Vec2(ImGuiStyleVar_WindowPadding, tooltip_padding(ui));
    igBeginTooltip();
    text_in_lines(ui->fonts.regular, ui->palette.text, text, tooltip_width(ui));
    igEndTooltip();
    igPopStyleVar(1);
}

void widget_tooltip_beside(Ui *ui, ImVec2 min, ImVec2 max, const char *text)
{
    if (is_changing(ui)) return;
    ImVec2 window, panel, padding = tooltip_padding(ui), screen = igGetIO_Nil()->DisplaySize;
    ImVec2 size = size_in_lines(ui->fonts.regular, text, tooltip_width(ui));
    float width = size.x + 2.0f * padding.x, height = size.y + 2.0f * padding.y;
    float gap = 0.4f * ui->em;
    igGetWindowPos(&window);
    igGetWindowSize(&panel);
    ImVec2 at = {window.x + panel.x + gap, min.y};
    if (at.x + width > screen.x) at.x = window.x - gap - width;
    if (at.x < 0.0f) { // below it, or above
        at = (ImVec2){fmaxf(fminf(min.x, screen.x - width), 0.0f), max.y + gap};
        if (at.y + height > screen.y) at.y = min.y - gap - height;
    } else {
        at.y = fmaxf(fminf(at.y, screen.y - height), 0.0f);
    }
    igSetNextWindowPos(at, ImGuiCond_Always, (ImVec2){0, 0});
    show_tooltip(ui, text);
}

void widget_tooltip(Ui *ui, const char *text)
{
    if (!text || is_changing(ui) || !igIsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return;
    ImVec2 panel, min, max;
    igGetWindowSize(&panel);
    igGetItemRectMin(&min);
    igGetItemRectMax(&max);
    // what is in a panel at the side or in a list must not hide its neighbours
    if (panel.x < 0.5f * igGetIO_Nil()->DisplaySize.x && panel.y > 4.0f * ui->em)
        widget_tooltip_beside(ui, min, max, text);
    else
        show_tooltip(ui, text);
}

void widget_section(Ui *ui, const char *title)
{
    igDummy((ImVec2){0, ui_ems(ui, 0.35f)});
    widget_text(ui->fonts.bold, ui->palette.dim, title);
}

void widget_readout(Ui *ui, const char *name, QuantityText value, const char *help)
{
    ImVec2 at, room;
    igGetCursorScreenPos(&at);
    igGetContentRegionAvail(&room);
    float height = ui_ems(ui, 1.55f), text_y = 0.22f * ui->em;
    ImDrawList *list = igGetWindowDrawList();
    Font font = ui->fonts.regular;
    float right = at.x + room.x;
    if (value.unit[0]) {
        right -= widget_text_width(font, value.unit);
        widget_draw_text(list, font, ui->palette.dim, right, at.y + text_y, value.unit);
        right -= 0.3f * ui->em;
    }
    right -= widget_text_width(font, value.value);
    widget_draw_text(list, font, ui->palette.text, right, at.y + text_y, value.value);
    widget_draw_text(list, font, ui->palette.dim, at.x, at.y + text_y, name);
    float line = floorf(at.y + height) + 0.5f;
    ImDrawList_AddLine(list, (ImVec2){at.x, line}, (ImVec2){at.x + room.x, line}, ui->palette.line,
                       1.0f);
    igPushStyleVar_Vec2(ImGuiStyleVar_ItemSpacing, (ImVec2){0, 0});
    igDummy((ImVec2){room.x, height + 1.0f});
    igPopStyleVar(1);
    widget_tooltip(ui, help);
}

bool widget_checkbox(Ui *ui, const char *label, bool *value)
{
    igPushStyleVar_Vec2(ImGuiStyleVar_FramePadding, (ImVec2){ui_ems(ui, 0.1f), ui_ems(ui, 0.06f)});
    bool changed = igCheckbox(label, value);
    text_log_item(ui->fonts.regular, igGetFrameHeight() + igGetStyle()->ItemInnerSpacing.x, label);
    igPopStyleVar(1);
    return changed;
}

bool widget_button(Ui *ui, const char *label, bool chosen)
{
    const Palette *p = &ui->palette;
    ImVec4 background, text;
    igColorConvertU32ToFloat4(&background, chosen ? theme_fade(p->accent, 0.22f) : p->field);
    igColorConvertU32ToFloat4(&text, chosen ? p->text : p->dim);
    igPushStyleColor_Vec4(ImGuiCol_Button, background);
    igPushStyleColor_Vec4(ImGuiCol_Text, text);
    bool pressed = igButton(label, (ImVec2){0, 0});
    text_log_item(ui->fonts.regular, -1.0f, label);
    igPopStyleColor(2);
    if (chosen) {
        ImVec2 min, max;
        igGetItemRectMin(&min);
        igGetItemRectMax(&max);
        imgui_add_outline(igGetWindowDrawList(), min, max, p->accent, 0.35f * ui->em, 1.0f);
    }
    return pressed;
}

void widget_beside(Ui *ui, const char *label)
{
    const ImGuiStyle *style = igGetStyle();
    ImVec2 last, cursor, room;
    igGetItemRectMax(&last);
    igGetCursorScreenPos(&cursor);
    igGetContentRegionAvail(&room);
    float width = widget_text_width(ui->fonts.regular, label) + 2.0f * style->FramePadding.x;
    if (last.x + style->ItemSpacing.x + width <= cursor.x + room.x) igSameLine(0.0f, -1.0f);
}

// All of it, smaller if there is no room otherwise.
static void draw_preview(Ui *ui, ImDrawList *list, ImVec2 at, float room, const char *text)
{
    const ImGuiStyle *style = igGetStyle();
    Font font = ui->fonts.regular;
    float width = widget_text_width(font, text), height = font.height;
    if (width > room) font.height = floorf(font.height * room / width);
    widget_draw_text(list, font, ui->palette.text, at.x + style->FramePadding.x,
                     at.y + style->FramePadding.y + 0.5f * (height - font.height), text);
}

bool widget_begin_list(Ui *ui, const char *id, const char *preview, int flags)
{
    ImDrawList *list = igGetWindowDrawList();
    ImVec2 at;
    igGetCursorScreenPos(&at);
    float room = igCalcItemWidth() - igGetFrameHeight() - igGetStyle()->FramePadding.x;
    bool open = igBeginCombo(id, "", flags);
    draw_preview(ui, list, at, fmaxf(room, 1.0f), preview);
    if (!open) return false;
    ui->lists_drawn = true;
    if (ui->close_list) igCloseCurrentPopup();
    return true;
}

const char *widget_refusal(const Ui *ui, const ParamInfo *info, double value)
{
    Params params = ui->now->scene.params;
    return param_set(&params, info, value, NULL) == STATUS_OK ? params_refusal(&params) : NULL;
}

bool widget_list_item(Ui *ui, const char *label, bool chosen, const char *help, const char *why_not)
{
    imgui_begin_disabled(why_not != NULL);
    bool pressed = igSelectable_Bool(label, chosen, 0, (ImVec2){0, 0});
    text_log_item(ui->fonts.regular, floorf(0.5f * igGetStyle()->ItemSpacing.x), label);
    imgui_end_disabled(why_not != NULL);
    widget_tooltip(ui, why_not ? why_not : help);
    return pressed;
}

int widget_choice(Ui *ui, const char *id, const char *const *labels, const char *const *why_not,
                  int count, int chosen)
{
    int pressed = -1;
    igPushID_Str(id);
    igPushStyleVar_Vec2(ImGuiStyleVar_ItemSpacing, (ImVec2){ui_ems(ui, 0.25f), ui_ems(ui, 0.25f)});
    igPushStyleVar_Vec2(ImGuiStyleVar_FramePadding, (ImVec2){ui_ems(ui, 0.5f), ui_ems(ui, 0.2f)});
    for (int i = 0; i < count; i++) {
        if (i > 0) widget_beside(ui, labels[i]);
        const char *reason = why_not && i != chosen ? why_not[i] : NULL;
        imgui_begin_disabled(reason != NULL);
        if (widget_button(ui, labels[i], i == chosen)) pressed = i;
        imgui_end_disabled(reason != NULL);
        widget_tooltip(ui, reason);
    }
    igPopStyleVar(2);
    igPopID();
    return pressed;
}

static void draw_icon(ImDrawList *list, Icon icon, ImVec2 c, float r, ImU32 colour)
{
    float bar = 0.28f * r;
    switch (icon) {
    case ICON_PLAY:
        ImDrawList_AddTriangleFilled(list, (ImVec2){c.x - 0.7f * r, c.y - r},
                                     (ImVec2){c.x - 0.7f * r, c.y + r}, (ImVec2){c.x + r, c.y},
                                     colour);
        break;
    case ICON_PAUSE:
        for (int side = -1; side <= 1; side += 2) {
            float x = c.x + 0.5f * r * (float)side;
            ImDrawList_AddRectFilled(list, (ImVec2){x - bar, c.y - r}, (ImVec2){x + bar, c.y + r},
                                     colour, 0.0f, 0);
        }
        break;
    case ICON_STEP:
    case ICON_STEP_BACK: {
        float way = icon == ICON_STEP ? r : -r, side = c.x - 0.9f * way;
        float inner = icon == ICON_STEP ? side + bar : side - bar;
        ImDrawList_AddRectFilled(list, (ImVec2){fminf(side, inner), c.y - r},
                                 (ImVec2){fmaxf(side, inner), c.y + r}, colour, 0.0f, 0);
        ImDrawList_AddTriangleFilled(list, (ImVec2){c.x - 0.3f * way, c.y - r},
                                     (ImVec2){c.x - 0.3f * way, c.y + r}, (ImVec2){c.x + way, c.y},
                                     colour);
        break;
    }
    case ICON_RESET:
        ImDrawList_AddRectFilled(list, (ImVec2){c.x - r, c.y - r}, (ImVec2){c.x - r + bar, c.y + r},
                                 colour, 0.0f, 0);
        for (int k = 0; k < 2; k++) {
            float x = c.x + 0.1f * r + 0.8f * r * (float)k;
            ImDrawList_AddTriangleFilled(list, (ImVec2){x, c.y - r}, (ImVec2){x, c.y + r},
                                         (ImVec2){x - 0.8f * r, c.y}, colour);
        }
        break;
    }
}

bool widget_icon_button(Ui *ui, const char *id, Icon icon, bool strong, const char *help)
{
    return widget_icon_button_high(ui, id, icon, strong, ui_ems(ui, 2.1f), help);
}

bool widget_icon_button_high(Ui *ui, const char *id, Icon icon, bool strong, float height,
                             const char *help)
{
    const Palette *p = &ui->palette;
    ImVec2 size = {ui_ems(ui, 2.6f), height}, min, max;
    bool pressed = igInvisibleButton(id, size, 0);
    text_log_icon(id);
    igGetItemRectMin(&min);
    igGetItemRectMax(&max);
    bool hovered = igIsItemHovered(0);
    ImU32 fill = strong ? p->accent : hovered ? p->line : p->field;
    ImDrawList *list = igGetWindowDrawList();
    ImDrawList_AddRectFilled(list, min, max, fill, 0.35f * ui->em, 0);
    imgui_add_outline(list, min, max, strong ? p->accent : p->line, 0.35f * ui->em, 1.0f);
    ImVec2 centre = {floorf((min.x + max.x) / 2.0f), floorf((min.y + max.y) / 2.0f)};
    draw_icon(list, icon, centre, 0.45f * ui->em, strong ? p->on_accent : p->text);
    widget_tooltip(ui, help);
    return pressed;
}
