#include "ui/ui.h"

#include "base/clock.h"
#include "ui/lanes.h"
#include "ui/lesson_panel.h"
#include "ui/map_plot.h"
#include "ui/motion_plots.h"
#include "ui/panels.h"
#include "ui/plots.h"
#include "ui/quantity.h"
#include "ui/spectrum_plot.h"
#include "ui/tuning.h"

#include <math.h>
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
               .jumped_param = UI_NO_PARAM,
               .waiting_param = UI_NO_PARAM,
               .pointed_param = UI_NO_PARAM,
               .pointed_now = UI_NO_PARAM,
               .stepped_param = UI_NO_PARAM,
               .shown_mode = UI_NO_MODE,
               .fabric = FABRIC_LINEN,
               .picture_scale = 2,
               .detail = DETAIL_SMOOTH,
               .plots = {.shown = PLOT_NONE},
               .em = 1.0f};
    Error error;
    if (scene_list(&ui->scenes, &error) != STATUS_OK) ui_say(ui, error.text);
    if (lesson_list(&ui->lesson.list, &error) != STATUS_OK) ui_say(ui, error.text);
    if (motion_plots_create(&ui->motion, &error) != STATUS_OK) ui_say(ui, error.text);
    ui->spectrum = spectrum_plot_create();
    ui->map = map_plot_create();
}

void ui_attach(Ui *ui, SimThread *sim)
{
    ui->sim = sim;
    ui->stage = sim_thread_stage(sim);
    ui->now = &ui->stage->lanes[ui->stage->selected];
    ui->lab = sim_thread_lab(sim);
    ui->held_param = ui->typed_param = UI_NO_PARAM;
    ui->wind = (WindArrow){0};
    ui->shown_mode = UI_NO_MODE;
    ui->notice_seen = 0;
    ui->want_frame_cloth = true;
    lesson_leave(ui);
}

void ui_finish(Ui *ui)
{
    colour_view_finish(&ui->colours);
    mode_swing_finish(&ui->swing);
    scene_list_finish(&ui->scenes);
    lesson_list_finish(&ui->lesson.list);
    lesson_destroy(ui->lesson.lesson);
    region_boundary_finish(&ui->region.boundary);
    motion_plots_destroy(ui->motion);
    spectrum_plot_destroy(ui->spectrum);
    map_plot_destroy(ui->map);
}

bool ui_has_lanes(const Ui *ui)
{
    return ui->stage->count > 1;
}

void ui_place_lanes(const Ui *ui, Rect view, LaneLayout *out)
{
    const StageSnapshot *stage = ui->stage;
    for (int i = 0; i < SCENE_LANES_MAX; i++) out[i] = (LaneLayout){0};
    if (!ui_has_lanes(ui)) {
        out[0].view = view;
    } else if (ui->lane_view == LANE_VIEW_ONE) {
        layout_lanes(view, 1, ui->em, 0, &out[stage->selected]);
    } else if (ui->lane_view == LANE_VIEW_OVERLAY) {
        layout_overlay(view, stage->count, stage->selected, ui->em, out);
    } else {
        lanes_place(ui, view, out);
        if (out[0].strip.height > 0.0f) return;
        // too low to tell them apart: the selected one
        for (int i = 0; i < SCENE_LANES_MAX; i++) out[i] = (LaneLayout){0};
        layout_lanes(view, 1, ui->em, 0, &out[stage->selected]);
    }
}

void ui_place(Ui *ui, float width, float height)
{
    ui->wish.caption = 0.0f;
    ui->layout = layout_compute(width, height, ui->em, ui->wish);
    ui->wish.caption = lesson_caption_height(ui, ui->layout.view.width);
    if (ui->wish.caption > 0.0f) ui->layout = layout_compute(width, height, ui->em, ui->wish);
    ui->lesson.place = ui->layout.caption;
    ui_place_lanes(ui, ui->layout.view, ui->lanes);
}

Rect ui_picture(const Ui *ui, int lane)
{
    const Rect *view = &ui->lanes[lane].view, *open = &ui->layout.free;
    float left = fmaxf(view->x, open->x);
    float right = fminf(view->x + view->width, open->x + open->width);
    return (Rect){left, view->y, fmaxf(right - left, 0.0f), view->height};
}

static bool is_inside(const Rect *r, float x, float y)
{
    return x >= r->x && y >= r->y && x < r->x + r->width && y < r->y + r->height;
}

int ui_lane_at(const Ui *ui, float x, float y)
{
    for (int i = 0; i < SCENE_LANES_MAX; i++) {
        if (is_inside(&ui->lanes[i].view, x, y)) return i;
    }
    return -1;
}

void ui_select_lane(Ui *ui, int lane)
{
    if (lane < 0 || lane >= ui->stage->count || lane == ui->stage->selected) return;
    ui_send(ui, (Command){.kind = COMMAND_SELECT, .lane = lane + 1});
    typing_end(ui);
}

void ui_cover_view(Ui *ui)
{
    ImVec2 at, size;
    if (ui->cover_count == UI_COVERS) return;
    igGetWindowPos(&at);
    igGetWindowSize(&size);
    ui->covers[ui->cover_count++] = (Rect){at.x, at.y, size.x, size.y};
}

bool ui_covers(const Ui *ui, float x, float y)
{
    for (int i = 0; i < ui->cover_count; i++) {
        if (is_inside(&ui->covers[i], x, y)) return true;
    }
    return false;
}

float ui_ems(const Ui *ui, float count)
{
    return roundf(count * ui->em);
}

const Analysis *ui_analysis(const Ui *ui)
{
    bool fits = ui->lab->serial > 0 && ui->lab->lane == ui->stage->selected &&
                ui->lab->topology_version == ui->now->topology_version;
    return fits ? &ui->lab->analysis : NULL;
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

bool ui_send(Ui *ui, Command command)
{
    unsigned gesture = ui->in_gesture ? ui->gesture : 0;
    if (sim_thread_send(ui->sim, &command)) {
        history_note(&ui->history, &command, ui->stage, gesture, ui->action);
        return true;
    }
    ui_say(ui, "The simulation is too busy to take more requests; this one was not taken.");
    return false;
}

int ui_only_lane(const Ui *ui)
{
    return ui_has_lanes(ui) ? ui->stage->selected + 1 : COMMAND_ALL_LANES;
}

void ui_set_param(Ui *ui, const ParamInfo *info, double value)
{
    bool method = ui_has_lanes(ui) && strcmp(info->name, "integrator") == 0;
    bool own = method || lane_owns(&ui->now->lane, info);
    ui_send(ui, (Command){.kind = COMMAND_SET_PARAM,
                          .lane = own ? ui->stage->selected + 1 : COMMAND_ALL_LANES,
                          .param = {(int)(info - param_table), value}});
}

void ui_own_param(Ui *ui, const ParamInfo *info, bool own)
{
    ui_send(ui, (Command){
                    .kind = own ? COMMAND_SET_PARAM : COMMAND_SHARE_PARAM,
                    .lane = ui->stage->selected + 1,
                    .param = {(int)(info - param_table), param_get(&ui->now->scene.params, info)}});
}

void ui_seek(Ui *ui, SeekKind kind, double time)
{
    ui_send(ui, (Command){.kind = COMMAND_SEEK, .seek = {(int)kind, time}});
}

Status ui_load_scene(Ui *ui, const char *name, Error *error)
{
    Scene scene;
    Status status = scene_load(name, &scene, error);
    if (status != STATUS_OK) return status;
    lesson_leave(ui);
    ui_send(ui, (Command){.kind = COMMAND_LOAD_SCENE, .scene = &scene});
    ui->want_frame_cloth = true;
    return STATUS_OK;
}

void ui_open_file(Ui *ui, const char *path)
{
    snprintf(ui->want_open, sizeof ui->want_open, "%s", path);
}

// "stretch is 330 N/m", "lane 2 shares the method with the others"
static void print_change(const HistoryEntry *entry, HistoryValue value, char *text, size_t size)
{
    const ParamInfo *info = &param_table[entry->param];
    char lane[24] = "", shown[64] = "";
    Params params = params_default();
    if (entry->lane > 0) snprintf(lane, sizeof lane, " of lane %d", entry->lane);
    if (info->kind == PARAM_CHOICE || value.value == PARAM_WORD) {
        if (param_set(&params, info, value.value, NULL) == STATUS_OK)
            param_print(&params, info, shown, sizeof shown);
    } else {
        QuantityText number = quantity_text(value.value, info->unit);
        snprintf(shown, sizeof shown, "%s%s%s", number.value, number.unit[0] ? " " : "",
                 number.unit);
    }
    if (entry->lane > 0 && !value.own)
        snprintf(text, size, "lane %d shares %s with the others", entry->lane, info->label);
    else
        snprintf(text, size, "%s%s is %s", info->label, lane, shown);
}

static void send_changes(Ui *ui, const Command *commands, int count)
{
    for (int i = 0; i < count; i++) {
        if (sim_thread_send(ui->sim, &commands[i])) continue;
        ui_say(ui, "The simulation is too busy to take more requests; this one was not taken.");
        return;
    }
}

void ui_undo(Ui *ui)
{
    Command commands[HISTORY_ENTRIES];
    HistoryEntry entry;
    char change[160], text[200];
    if (ui->now->in_past) { // it would go on from here and forget what came after
        ui_say(ui, "This is the past; return to the present (End) to undo.");
        return;
    }
    int count = history_undo(&ui->history, ui->stage, commands, HISTORY_ENTRIES, &entry);
    if (count == 0) {
        ui_say(ui, "There is no change of a parameter to undo.");
        return;
    }
    if (entry.resumed) {
        ui_say(ui, "Undone: what came after is there again.");
    } else {
        print_change(&entry, entry.before, change, sizeof change);
        snprintf(text, sizeof text, "Undone: %s.", change);
        ui_say(ui, text);
    }
    send_changes(ui, commands, count);
}

void ui_redo(Ui *ui)
{
    Command commands[HISTORY_ENTRIES];
    HistoryEntry entry;
    char change[160], text[200];
    if (ui->now->in_past) {
        ui_say(ui, "This is the past; return to the present (End) to make changes again.");
        return;
    }
    int count = history_redo(&ui->history, ui->stage, commands, HISTORY_ENTRIES, &entry);
    if (count == 0) {
        ui_say(ui, "There is no undone change to make again.");
        return;
    }
    print_change(&entry, entry.after, change, sizeof change);
    snprintf(text, sizeof text, "Made again: %s.", change);
    ui_say(ui, text);
    send_changes(ui, commands, count);
}

bool ui_is_typing(const Ui *ui)
{
    return ui->typed_param != UI_NO_PARAM || igGetIO_Nil()->WantTextInput;
}

bool ui_wants_frame(const Ui *ui)
{
    bool opens = ui->typed_param != UI_NO_PARAM && !ui->typing_started;
    return opens || ui->waiting_param != UI_NO_PARAM || ui->swing.on;
}

typedef struct Panel {
    const char *id;
    Rect rect;
    ImVec2 from, to; // the thin line on the side of the cloth
    bool scrolls;
    bool drawer; // lies over the cloth
    void (*contents)(Ui *);
} Panel;

// A panel fills its rectangle exactly. A drawer is a window of its own, in front of what is docked.
// Below what is docked there is the window's own colour: to fill that takes a software driver a
// fifth of the time that Dear ImGui's backgrounds would.
static void draw_panel(Ui *ui, const Panel *panel)
{
    Rect rect = panel->rect;
    if (rect.width < 1.0f || rect.height < 1.0f) return;
    igSetNextWindowPos((ImVec2){rect.x, rect.y}, ImGuiCond_Always, (ImVec2){0, 0});
    igSetNextWindowSize((ImVec2){rect.width, rect.height}, ImGuiCond_Always);
    ImGuiWindowFlags flags = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                             ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoCollapse |
                             ImGuiWindowFlags_NoNav;
    if (!panel->drawer)
        flags |= ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoBackground;
    if (!panel->scrolls) flags |= ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;
    char id[32];
    snprintf(id, sizeof id, "%s%s", panel->id, panel->drawer ? "-drawer" : "");
    if (igBegin(id, NULL, flags)) {
        if (panel->drawer) ui_cover_view(ui);
        panel->contents(ui);
        ImDrawList *list = igGetWindowDrawList();
        ImDrawList_PushClipRectFullScreen(list);
        ImDrawList_AddLine(list, panel->from, panel->to, ui->palette.line, 1.0f);
        ImDrawList_PopClipRect(list);
    }
    igEnd();
}

void ui_draw(Ui *ui)
{
    ui->cover_count = 0;
    ui->action++;
    ui->pointed_now = UI_NO_PARAM;
    ui->lists_drawn = false;
    typing_catch(ui);
    panel_plot(ui);
    const Layout *l = &ui->layout;
    float width = l->top.width, above = l->view.y, below = l->timeline.y;
    float left = l->controls.width - 1.0f, right = l->readouts.x + 1.0f; // inside the panels
    const Panel panels[] = {
        {"##top", l->top, {0, above}, {width, above}, false, false, panel_top},
        {"##timeline", l->timeline, {0, below}, {width, below}, false, false, panel_timeline},
        {"##bottom", l->bottom, {0, below}, {width, below}, false, false, panel_transport},
        {"##controls",
         l->controls,
         {left, above},
         {left, above + l->controls.height},
         true,
         l->controls_are_drawer,
         panel_controls},
        {"##readouts",
         l->readouts,
         {right, above},
         {right, above + l->readouts.height},
         true,
         l->readouts_are_drawer,
         panel_readouts},
    };
    ui->bar_has_scene = ui->bar_has_lessons = ui->bar_has_speed = false;
    for (size_t i = 0; i < sizeof panels / sizeof panels[0]; i++) draw_panel(ui, &panels[i]);
    panel_lanes(ui);
    panel_lesson(ui);
    panel_wind(ui);
    panel_torn(ui);
    colour_view_bar(ui);
    mode_view_caption(ui);
    panel_overlay(ui);
    panel_autopsy(ui);
    panel_tabs(ui);
    panel_video(ui);
    if (ui->show_keys) panel_keys(ui);
    map_plot_ask(ui);
    panel_saving(ui);
    ui->pointed_param = ui->pointed_now;
    ui->list_is_open = ui->lists_drawn;
    ui->close_list = false;
}
