// The control of a parameter: name and value, slider, and whether it is the lane's own.
#include "ui/imgui_versions.h"
#include "ui/tuning.h"
#include "ui/widgets.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- which lanes a value belongs to

static bool can_own(const Ui *ui, const ParamInfo *info)
{
    return ui_has_lanes(ui) && !lane_shares_because(info);
}

static float own_width(const Ui *ui, const char *text, bool owns)
{
    return widget_text_width(ui->fonts.small, text) + (owns ? 0.75f * ui->em : 0.0f);
}

// "● own" in the lane's colour, or what is shared, faint.
static void draw_own(Ui *ui, float x, float y, const char *text, bool owns, bool hovered)
{
    ImDrawList *list = igGetWindowDrawList();
    Font font = ui->fonts.small;
    ImU32 colour = hovered ? ui->palette.text : theme_fade(ui->palette.dim, 0.75f);
    if (owns) {
        colour = theme_lane_colour(&ui->palette, ui->stage->selected);
        ImVec2 centre = {x + 0.3f * ui->em, y + 0.55f * font.height};
        ImDrawList_AddCircleFilled(list, centre, 0.24f * ui->em, colour, 0);
        if (hovered) colour = ui->palette.text;
        x += 0.75f * ui->em;
    }
    float width = widget_draw_text(list, font, colour, x, y, text);
    float line = floorf(y + font.height) + 0.5f;
    if (hovered)
        ImDrawList_AddLine(list, (ImVec2){x, line}, (ImVec2){x + width, line}, colour, 1.0f);
}

static const char *own_tooltip(const Ui *ui, bool owns, char *text, size_t size)
{
    if (owns)
        snprintf(text, size, "Lane %d has its own value. Click to share that of all lanes.",
                 ui->stage->selected + 1);
    else
        snprintf(text, size, "All lanes share this value. Click to give lane %d its own.",
                 ui->stage->selected + 1);
    return text;
}

void widget_own(Ui *ui, const ParamInfo *info, const char *own, const char *shared)
{
    if (!can_own(ui, info)) return;
    bool owns = lane_owns(&ui->now->lane, info);
    const char *text = owns ? own : shared;
    ImVec2 at;
    char tip[96];
    igGetCursorScreenPos(&at);
    igPushID_Str(info->name);
    bool pressed =
        igInvisibleButton("own", (ImVec2){own_width(ui, text, owns), ui->fonts.small.height}, 0);
    draw_own(ui, at.x, at.y, text, owns, igIsItemHovered(0));
    widget_tooltip(ui, own_tooltip(ui, owns, tip, sizeof tip));
    igPopID();
    if (pressed) ui_own_param(ui, info, !owns);
}

// Name at the left, value in text colour and unit dimmed at the right, on one line. Returns where
// the value begins.
static float name_and_value(Ui *ui, const char *name, QuantityText text, float width, bool greyed)
{
    const Palette *p = &ui->palette;
    Font font = ui->fonts.regular;
    ImDrawList *list = igGetWindowDrawList();
    ImVec2 at;
    igGetCursorScreenPos(&at);
    float strength = greyed ? 0.45f : 1.0f, right = at.x + width;
    if (text.unit[0]) {
        right -= widget_text_width(font, text.unit);
        widget_draw_text(list, font, theme_fade(p->dim, strength), right, at.y, text.unit);
        right -= 0.3f * ui->em;
    }
    right -= widget_text_width(font, text.value);
    widget_draw_text(list, font, theme_fade(p->text, strength), right, at.y, text.value);
    // a long name is cut off before the value
    ImDrawList_PushClipRect(list, at, (ImVec2){right - 0.4f * ui->em, at.y + 2.0f * ui->em}, true);
    widget_draw_text(list, font, theme_fade(p->text, strength), at.x, at.y, name);
    ImDrawList_PopClipRect(list);
    return right;
}

static const char *param_tooltip(const ParamInfo *info, char *text, size_t size)
{
    char allowed[PARAM_ALLOWED_SIZE], unit[24] = "";
    param_allowed(info, allowed, sizeof allowed);
    if (info->unit[0]) snprintf(unit, sizeof unit, " [%s]", info->unit);
    snprintf(text, size,
             "%s\n%s%s: %s\nClick the number to type one; Left and Right change it, Shift makes it "
             "finer; right-click for the default.",
             info->help, info->name, unit, allowed);
    return text;
}

// The mark of the lanes is a part of the line, not a button of its own. True if the mouse is over
// it.
static bool own_mark(Ui *ui, const ParamInfo *info, ImVec2 at, float value_left)
{
    bool owns = lane_owns(&ui->now->lane, info);
    const char *mark = owns ? "own" : "all";
    float left = at.x + widget_text_width(ui->fonts.regular, info->label) + 0.5f * ui->em;
    float end = left + own_width(ui, mark, owns), margin = 0.2f * ui->em;
    if (!can_own(ui, info) || end + 0.4f * ui->em > value_left) return false;
    ImVec2 mouse;
    igGetMousePos(&mouse);
    bool over = igIsItemHovered(0) && mouse.x >= left - margin && mouse.x < end + margin;
    draw_own(ui, left, at.y + ui->fonts.regular.height - ui->fonts.small.height, mark, owns, over);
    return over;
}

static void shown_row(Ui *ui, const ParamInfo *info, float width, bool greyed)
{
    ImVec2 at;
    bool word;
    double value = tuning_value(ui, info, &word);
    QuantityText text = quantity_text(value, info->unit);
    if (word) {
        text = (QuantityText){0};
        snprintf(text.value, sizeof text.value, "%s", info->word);
    }
    if (info->kind == PARAM_COUNT) snprintf(text.value, sizeof text.value, "%.0f", value);
    igGetCursorScreenPos(&at);
    float right = name_and_value(ui, info->label, text, width, greyed);
    bool pressed = igInvisibleButton("value", (ImVec2){width, ui_ems(ui, 1.25f)}, 0);
    bool over_mark = !greyed && own_mark(ui, info, at, right);
    if (igIsItemHovered(0) && !greyed && !over_mark) ui->pointed_now = param_index(info);
    if (pressed && over_mark)
        ui_own_param(ui, info, !lane_owns(&ui->now->lane, info));
    else if (pressed && !greyed)
        typing_start(ui, info, word ? info->unit : text.unit);
    char tip[512];
    bool owns = lane_owns(&ui->now->lane, info);
    if (over_mark) widget_tooltip(ui, own_tooltip(ui, owns, tip, sizeof tip));
}

// The field, with the unit that a number without one has.
static void typed_row(Ui *ui, const ParamInfo *info, float width)
{
    ImVec2 before;
    Font font = ui->fonts.regular;
    igGetCursorPos(&before);
    widget_text(font, ui->palette.text, info->label);
    float unit = ui->typed_unit[0] ? widget_text_width(font, ui->typed_unit) + 0.4f * ui->em : 0.0f;
    float field = floorf(0.55f * width - 0.5f * unit);
    igSetCursorPos((ImVec2){before.x + width - field - unit, before.y - ui_ems(ui, 0.2f)});
    igPushStyleVar_Vec2(ImGuiStyleVar_FramePadding, (ImVec2){ui_ems(ui, 0.3f), ui_ems(ui, 0.15f)});
    typing_field(ui, info, field);
    igPopStyleVar(1);
    if (unit > 0.0f) {
        igSetCursorPos((ImVec2){before.x + width - unit + 0.4f * ui->em, before.y});
        widget_text(font, ui->palette.dim, ui->typed_unit);
    }
    igSetCursorPos((ImVec2){before.x, before.y + ui_ems(ui, 1.25f)});
}

static void param_slider(Ui *ui, const ParamInfo *info, bool greyed)
{
    ImVec2 at, room;
    igGetCursorScreenPos(&at);
    igGetContentRegionAvail(&room);
    igPushStyleVar_Vec2(ImGuiStyleVar_ItemSpacing, (ImVec2){0, 0});
    if (ui->typed_param == param_index(info))
        typed_row(ui, info, room.x);
    else
        shown_row(ui, info, room.x, greyed);
    igPopStyleVar(1);
    bool ranged = tuning_has_range(ui, info) && !greyed;
    igPushStyleVar_Vec2(ImGuiStyleVar_ItemSpacing,
                        (ImVec2){ui_ems(ui, 0.5f), ranged ? 0.0f : ui_ems(ui, 0.15f)});
    if (greyed) igPushStyleVar_Float(ImGuiStyleVar_Alpha, 0.45f);
    tuning_track(ui, info, room.x);
    if (greyed) igPopStyleVar(1);
    igPopStyleVar(1);
    if (ui->pointed_now == param_index(info) && !greyed) {
        char tip[768];
        ImVec2 end;
        igGetItemRectMax(&end);
        widget_tooltip_beside(ui, at, end, param_tooltip(info, tip, sizeof tip));
    }
    if (ranged) tuning_range_line(ui, info, room.x);
}

void widget_slider_line(Ui *ui, const ParamInfo *info, float width)
{
    tuning_track(ui, info, width);
    ImVec2 min, max;
    igGetItemRectMin(&min);
    igGetItemRectMax(&max);
    char tip[768];
    if (ui->pointed_now == param_index(info))
        widget_tooltip_beside(ui, min, max, param_tooltip(info, tip, sizeof tip));
}

static void param_choice(Ui *ui, const ParamInfo *info)
{
    enum { MOST_BUTTONS = 3 };
    int chosen = (int)param_get(&ui->now->scene.params, info), count = 0, wanted = -1;
    while (info->choice(count)) count++;
    if (strcmp(info->label, info->group) != 0) { // otherwise the section's title already says it
        widget_text(ui->fonts.small, ui->palette.dim, info->label);
        widget_tooltip(ui, info->help);
        if (can_own(ui, info)) igSameLine(0.0f, 0.5f * ui->em);
        widget_own(ui, info, "own", "all");
    } else {
        widget_own(ui, info, "own to this lane", "all lanes");
    }
    if (count <= MOST_BUTTONS) {
        const char *labels[MOST_BUTTONS], *why_not[MOST_BUTTONS];
        for (int i = 0; i < count; i++) {
            labels[i] = info->choice(i);
            why_not[i] = widget_refusal(ui, info, i);
        }
        wanted = widget_choice(ui, info->name, labels, why_not, count, chosen);
    } else {
        igSetNextItemWidth(-1.0f);
        if (widget_begin_list(ui, "##choice", info->choice(chosen),
                              ImGuiComboFlags_HeightLargest)) {
            for (int i = 0; i < count; i++) {
                if (widget_list_item(ui, info->choice(i), i == chosen, NULL,
                                     widget_refusal(ui, info, i)))
                    wanted = i;
            }
            igEndCombo();
        }
        widget_tooltip(ui, info->help);
    }
    if (wanted >= 0 && wanted != chosen) ui_set_param(ui, info, wanted);
}

void widget_param(Ui *ui, const char *name, const char *why_not)
{
    const ParamInfo *info = param_find(name);
    igPushID_Str(name);
    imgui_begin_disabled(why_not != NULL);
    igBeginGroup();
    if (info->kind == PARAM_CHOICE)
        param_choice(ui, info);
    else
        param_slider(ui, info, why_not != NULL);
    igEndGroup();
    imgui_end_disabled(why_not != NULL);
    if (why_not) widget_tooltip(ui, why_not);
    igPopID();
}
