// Tabs at the edges of the picture: they open and close the panels at the sides.
#include "ui/panels.h"
#include "ui/text_log.h"
#include "ui/widgets.h"

#include <math.h>

static bool shown(Rect panel)
{
    return panel.width > 0.0f;
}

// Drawers that do not fit beside each other take turns.
static void take_turns(const Ui *ui, bool *other)
{
    const Layout *l = &ui->layout;
    if (l->controls_are_drawer && !layout_both_drawers_fit(l->top.width, ui->em)) *other = false;
}

void ui_toggle_controls(Ui *ui)
{
    bool open = !shown(ui->layout.controls);
    if (!ui->layout.controls_are_drawer) {
        ui->wish.controls = open;
        return;
    }
    ui->wish.controls_drawer = open;
    if (open) take_turns(ui, &ui->wish.readouts_drawer);
}

void ui_toggle_readouts(Ui *ui)
{
    bool open = !shown(ui->layout.readouts);
    if (!ui->layout.readouts_are_drawer) {
        ui->wish.readouts = open;
        return;
    }
    ui->wish.readouts_drawer = open;
    if (open) take_turns(ui, &ui->wish.controls_drawer);
}

void ui_toggle_panels(Ui *ui)
{
    bool open = !shown(ui->layout.controls) && !shown(ui->layout.readouts);
    ui->wish.controls = ui->wish.readouts = open;
    ui->wish.controls_drawer = ui->wish.readouts_drawer = open;
    if (open) take_turns(ui, &ui->wish.readouts_drawer);
}

bool ui_close_drawers(Ui *ui)
{
    const Layout *l = &ui->layout;
    bool open = (l->controls_are_drawer && shown(l->controls)) ||
                (l->readouts_are_drawer && shown(l->readouts));
    ui->wish.controls_drawer = ui->wish.readouts_drawer = false;
    return open;
}

// An arrow in the direction in which the panel would move.
static void draw_arrow(ImDrawList *list, ImVec2 c, float size, bool to_right, ImU32 colour,
                       float thickness)
{
    float way = to_right ? 1.0f : -1.0f;
    const ImVec2 points[3] = {{c.x - 0.5f * way * size, c.y - size},
                              {c.x + 0.5f * way * size, c.y},
                              {c.x - 0.5f * way * size, c.y + size}};
    ImDrawList_AddLine(list, points[0], points[1], colour, thickness);
    ImDrawList_AddLine(list, points[1], points[2], colour, thickness);
}

static bool draw_tab(Ui *ui, const char *id, Rect place, bool at_left, bool open, const char *help)
{
    const Palette *p = &ui->palette;
    if (place.width < 1.0f || place.height < 1.0f) return false;
    igSetNextWindowPos((ImVec2){place.x, place.y}, ImGuiCond_Always, (ImVec2){0, 0});
    igSetNextWindowSize((ImVec2){place.width, place.height}, ImGuiCond_Always);
    igPushStyleVar_Vec2(ImGuiStyleVar_WindowPadding, (ImVec2){0, 0});
    igBegin(id, NULL,
            ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoNav |
                ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollWithMouse |
                ImGuiWindowFlags_NoFocusOnAppearing);
    ui_cover_view(ui);
    bool pressed = igInvisibleButton("tab", (ImVec2){place.width, place.height}, 0);
    text_log_icon("tab");
    bool hovered = igIsItemHovered(0);
    ImDrawList *list = igGetWindowDrawList();
    ImVec2 min = {place.x, place.y}, max = {place.x + place.width, place.y + place.height};
    ImDrawFlags corners = at_left ? ImDrawFlags_RoundCornersRight : ImDrawFlags_RoundCornersLeft;
    ImDrawList_AddRectFilled(list, min, max, hovered ? p->field : p->panel, 0.5f * ui->em, corners);
    ImDrawList_AddLine(list, (ImVec2){at_left ? max.x - 1.0f : min.x, min.y + 0.5f * ui->em},
                       (ImVec2){at_left ? max.x - 1.0f : min.x, max.y - 0.5f * ui->em}, p->line,
                       1.0f);
    ImVec2 centre = {floorf(0.5f * (min.x + max.x)), floorf(0.5f * (min.y + max.y))};
    draw_arrow(list, centre, 0.42f * ui->em, at_left != open, hovered ? p->text : p->dim,
               fmaxf(1.5f, 0.14f * ui->em));
    widget_tooltip(ui, help);
    igEnd();
    igPopStyleVar(1);
    return pressed;
}

void panel_tabs(Ui *ui)
{
    const Layout *l = &ui->layout;
    bool controls = shown(l->controls), readouts = shown(l->readouts);
    if (draw_tab(ui, "##controls-tab", l->controls_tab, true, controls,
                 controls ? "Close the controls (F2)" : "Controls (F2)"))
        ui_toggle_controls(ui);
    if (draw_tab(ui, "##readouts-tab", l->readouts_tab, false, readouts,
                 readouts ? "Close the readouts (F3)" : "Readouts (F3)"))
        ui_toggle_readouts(ui);
}
