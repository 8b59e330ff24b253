#include "ui/ui.h"

#include "base/clock.h"
#include "ui/panels.h"
#include "ui/unstable_range.h"

#include <stdio.h>
#include <string.h>

#define MESSAGE_SECONDS 8.0

void ui_init(Ui *ui, SimThread *sim)
{
    *ui = (Ui){.sim = sim,
               .text_scale = 1.0f,
               .wish = {.controls = true, .readouts = true},
               .held_param = UI_NO_PARAM,
               .typed_param = UI_NO_PARAM,
               .shown_mode = UI_NO_MODE,
               .em = 1.0f};
    Error error;
    if (scene_list(&ui->scenes, &error) != STATUS_OK) ui_say(ui, error.text);
}

void ui_finish(Ui *ui)
{
    scene_list_finish(&ui->scenes);
    region_boundary_finish(&ui->region.boundary);
}

const Analysis *ui_analysis(const Ui *ui)
{
    bool fits = ui->lab->serial > 0 && ui->lab->topology_version == ui->now->topology_version;
    return fits ? &ui->lab->analysis : NULL;
}

double ui_step_limit(const Ui *ui)
{
    const Analysis *analysis = ui_analysis(ui);
    return analysis ? analysis->step_limit : ui->now->readings.step_limit;
}

bool ui_limit_is_bound(const Ui *ui)
{
    const Analysis *analysis = ui_analysis(ui);
    return analysis && analysis->limit_is_bound;
}

const float *ui_shown_shape(const Ui *ui)
{
    if (ui->shown_mode == UI_NO_MODE || !ui_analysis(ui)) return NULL;
    return lab_result_shape(ui->lab, ui->shown_mode);
}

void ui_say(Ui *ui, const char *text)
{
    snprintf(ui->message, sizeof ui->message, "%s", text);
    ui->message_until = clock_seconds() + MESSAGE_SECONDS;
}

void ui_send(Ui *ui, Command command)
{
    if (!sim_thread_send(ui->sim, &command))
        ui_say(ui, "The simulation is too busy to take more requests; this one was not taken.");
}

void ui_set_param(Ui *ui, const ParamInfo *info, double value)
{
    ui_send(ui, (Command){.kind = COMMAND_SET_PARAM, .param = {(int)(info - param_table), value}});
}

void ui_load_scene(Ui *ui, const char *name)
{
    Command command = {.kind = COMMAND_LOAD_SCENE};
    Error error;
    if (scene_load(name, &command.scene, &error) != STATUS_OK) {
        ui_say(ui, error.text);
        return;
    }
    ui_send(ui, command);
    ui->want_frame_cloth = true;
}

void ui_save_scene(Ui *ui)
{
    static const char suffix[] = "-edited";
    const Scene *scene = &ui->now->scene;
    char path[sizeof scene->name + 16], text[sizeof path + 80];
    size_t length = strlen(scene->name), tail = sizeof suffix - 1;
    bool edited = length > tail && strcmp(scene->name + length - tail, suffix) == 0;
    snprintf(path, sizeof path, "%s%s.ini", scene->name, edited ? "" : suffix);
    Error error;
    if (scene_save(scene, path, &error) == STATUS_OK) {
        int lost = scene->toggled_pins.lost;
        snprintf(text, sizeof text, "Saved as %s%s.", path,
                 lost > 0 ? ", without the pins beyond the first 24 that were clicked" : "");
        ui_say(ui, text);
    } else {
        ui_say(ui, error.text);
    }
}

// One docked panel: exactly its rectangle, with a thin line towards the cloth.
static void docked(Ui *ui, const char *id, Rect rect, bool padded, void (*contents)(Ui *))
{
    if (rect.width < 1.0f || rect.height < 1.0f) return;
    igSetNextWindowPos((ImVec2){rect.x, rect.y}, ImGuiCond_Always, (ImVec2){0, 0});
    igSetNextWindowSize((ImVec2){rect.width, rect.height}, ImGuiCond_Always);
    ImGuiWindowFlags flags = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                             ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoCollapse |
                             ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoNav;
    if (!padded) flags |= ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;
    if (igBegin(id, NULL, flags)) contents(ui);
    igEnd();
}

static void draw_edges(const Ui *ui)
{
    const Layout *l = &ui->layout;
    ImDrawList *list = igGetForegroundDrawList_Nil();
    const struct {
        Rect panel;
        ImVec2 from, to;
    } edges[] = {
        {l->top, {0, l->top.height}, {l->top.width, l->top.height}},
        {l->bottom, {0, l->bottom.y}, {l->bottom.width, l->bottom.y}},
        {l->controls, {l->view.x, l->view.y}, {l->view.x, l->bottom.y}},
        {l->readouts, {l->readouts.x, l->view.y}, {l->readouts.x, l->bottom.y}},
    };
    for (int i = 0; i < 4; i++) {
        if (edges[i].panel.width < 1.0f || edges[i].panel.height < 1.0f) continue;
        ImDrawList_AddLine(list, edges[i].from, edges[i].to, ui->palette.line, 1.0f);
    }
}

void ui_draw(Ui *ui)
{
    history_add(&ui->history, ui->now);
    ui->unstable = unstable_range(ui->now, ui->lab);
    docked(ui, "##top", ui->layout.top, false, panel_top);
    docked(ui, "##controls", ui->layout.controls, true, panel_controls);
    docked(ui, "##readouts", ui->layout.readouts, true, panel_readouts);
    docked(ui, "##bottom", ui->layout.bottom, false, panel_transport);
    if (!ui->show_keys) draw_edges(ui);
    panel_overlay(ui);
    if (ui->show_keys) panel_keys(ui);
}
