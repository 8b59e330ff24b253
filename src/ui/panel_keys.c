// Keys and mouse: one table, shown by the F1 overlay and used by ui_key.
#include "ui/cards.h"
#include "ui/lesson_panel.h"
#include "ui/panels.h"
#include "ui/plots.h"
#include "ui/tuning.h"
#include "ui/widgets.h"

#include <GLFW/glfw3.h>
#include <math.h>

// Of a divergence: simulated per real second, and steps before it if its growth was not measured.
#define SLOW_MOTION 0.01
#define DEFAULT_LEAD 40.0

typedef void (*KeyAction)(Ui *ui);

static void toggle_running(Ui *ui)
{
    ui_send(ui, (Command){.kind = ui->now->running ? COMMAND_PAUSE : COMMAND_RUN});
}
static void one_step(Ui *ui)
{
    ui_send(ui, (Command){.kind = COMMAND_STEP});
}
// Left and Right move the slider under the mouse; where there is none, time.
static void left(Ui *ui)
{
    if (tuning_step_pointed(ui, -1, false)) return;
    ui_seek(ui, SEEK_BEFORE, ui->now->readings.time); // of a lane that stopped: where it did
}
static void right(Ui *ui)
{
    if (!tuning_step_pointed(ui, 1, false)) one_step(ui);
}
static void finely_left(Ui *ui)
{
    if (!tuning_step_pointed(ui, -1, true)) left(ui);
}
static void finely_right(Ui *ui)
{
    if (!tuning_step_pointed(ui, 1, true)) right(ui);
}
static void to_start(Ui *ui)
{
    ui_seek(ui, SEEK_NEAREST, ui->now->first_time);
}
static void to_present(Ui *ui)
{
    ui_seek(ui, SEEK_NEAREST, INFINITY);
}

// The newest mark before what is shown, or the start.
static void mark_before(Ui *ui)
{
    const Snapshot *now = ui->now;
    double time = now->first_time;
    for (int i = 0; i < now->mark_count; i++) {
        if (now->marks[i].time < ui->stage->time) time = fmax(time, now->marks[i].time);
    }
    ui_seek(ui, SEEK_NEAREST, time);
}
static void mark_after(Ui *ui)
{
    const Snapshot *now = ui->now;
    double time = INFINITY;
    for (int i = 0; i < now->mark_count; i++) {
        if (now->marks[i].time > ui->stage->time) time = fmin(time, now->marks[i].time);
    }
    ui_seek(ui, SEEK_NEAREST, time);
}

// s, from where the growth of the last divergence began to it.
static double lead_of(const Ui *ui, double diverged)
{
    const Autopsy *a = &ui->now->autopsy;
    if (diverged == ui->diverged_time) return ui->diverged_lead; // seen from the past
    if (!a->present) return DEFAULT_LEAD * ui->now->readings.step;
    long steps = a->noticed_step - a->first_bad_step;
    bool known = a->first_bad_step > 0 && steps > 0;
    return (known ? 1.3 * (double)steps + 5.0 : DEFAULT_LEAD) * a->step;
}

static void replay_divergence(Ui *ui)
{
    const Snapshot *now = ui->now;
    double diverged = NAN;
    for (int i = 0; i < now->mark_count; i++) {
        if (now->marks[i].kind == SNAPSHOT_MARK_DIVERGENCE) diverged = now->marks[i].time;
    }
    if (isnan(diverged)) {
        ui_say(ui, "Nothing has diverged since the start.");
        return;
    }
    ui->diverged_lead = lead_of(ui, diverged);
    ui->diverged_time = diverged;
    ui_seek(ui, SEEK_NEAREST, fmax(now->first_time, diverged - ui->diverged_lead));
    ui_send(ui, (Command){.kind = COMMAND_PLAY, .play = {SLOW_MOTION}});
}

static void select_1(Ui *ui)
{
    ui_select_lane(ui, 0);
}
static void select_2(Ui *ui)
{
    ui_select_lane(ui, 1);
}
static void select_3(Ui *ui)
{
    ui_select_lane(ui, 2);
}
static void select_4(Ui *ui)
{
    ui_select_lane(ui, 3);
}
static void next_lane_view(Ui *ui)
{
    ui->lane_view = (LaneView)((ui->lane_view + 1) % LANE_VIEWS);
}

static void next_page(Ui *ui)
{
    lesson_page(ui, 1);
}
static void previous_page(Ui *ui)
{
    lesson_page(ui, -1);
}

static void reset(Ui *ui)
{
    ui_send(ui, (Command){.kind = COMMAND_RESET});
}
static void frame_cloth(Ui *ui)
{
    ui->want_frame_cloth = true;
}
static void quit(Ui *ui)
{
    ui->want_quit = true;
}
static void full_screen(Ui *ui)
{
    ui->want_full_screen = true;
}
static void next_surface(Ui *ui)
{
    ui->surface = (SurfaceStyle)((ui->surface + 1) % 3);
}
static void other_theme(Ui *ui)
{
    ui->light = !ui->light;
}
static void toggle_keys(Ui *ui)
{
    ui->show_keys = !ui->show_keys;
}

static void next_integrator(Ui *ui)
{
    int next = (ui->now->scene.params.integrator + 1) % integrator_count;
    ui_set_param(ui, param_find("integrator"), next);
}

static void toggle_automatic(Ui *ui)
{
    bool automatic = ui->now->scene.params.step == PARAM_WORD;
    ui_set_param(ui, param_find("step"), automatic ? ui->now->readings.step : PARAM_WORD);
}

static void toggle_filter(Ui *ui)
{
    ui_set_param(ui, param_find("filter"), ui->now->scene.params.filter ? 0 : 1);
}

static void scale_text(Ui *ui, float factor)
{
    float scale = roundf(ui->text_scale * factor * 20.0f) / 20.0f;
    ui->text_scale = fminf(fmaxf(scale, 1.0f), UI_TEXT_SCALE_MAX);
}
static void larger_text(Ui *ui)
{
    scale_text(ui, 1.25f);
}
static void smaller_text(Ui *ui)
{
    scale_text(ui, 0.8f);
}
static void usual_text(Ui *ui)
{
    ui->text_scale = 1.0f;
}

static void picture_of_window(Ui *ui)
{
    ui->want_picture = PICTURE_OF_WINDOW;
}
static void picture_of_view(Ui *ui)
{
    ui->want_picture = PICTURE_OF_VIEW;
}

// clang-format off
static const struct Shortcut {
    const char *keys, *meaning; // NULL: an alternative key that is not listed
    int key;
    int modifiers; // UI_CONTROL, UI_SHIFT
    KeyAction action;
} shortcuts[] = {
    {"Space",  "run or pause",                 GLFW_KEY_SPACE, false, toggle_running},
    {"S",      "one step",                     GLFW_KEY_S,     false, one_step},
    {"R",      "start over",                   GLFW_KEY_R,     false, reset},
    {"Left",   "one step back; over a slider: less of it", GLFW_KEY_LEFT, 0, left},
    {"Right",  "one step forward; over a slider: more of it", GLFW_KEY_RIGHT, 0, right},
    {"Shift Left", "and Shift Right, over a slider: a tenth of that", GLFW_KEY_LEFT, UI_SHIFT, finely_left},
    {NULL,     NULL,                           GLFW_KEY_RIGHT, UI_SHIFT, finely_right},
    {"Ctrl Left", "back to the last change",   GLFW_KEY_LEFT,  true,  mark_before},
    {"Ctrl Right", "on to the next change",    GLFW_KEY_RIGHT, true,  mark_after},
    {"Home",   "look at the start",            GLFW_KEY_HOME,  false, to_start},
    {"End",    "return to the present",        GLFW_KEY_END,   false, to_present},
    {"Ctrl Z", "undo a parameter's change, or going on from the past", GLFW_KEY_Z, UI_CONTROL, ui_undo},
    {"Ctrl Shift Z", "make it again; also Ctrl Y", GLFW_KEY_Z, UI_CONTROL | UI_SHIFT, ui_redo},
    {NULL,     NULL,                           GLFW_KEY_Y,     UI_CONTROL, ui_redo},
    {"B",      "the last divergence, at 0.01 ×", GLFW_KEY_B, false, replay_divergence},
    {"I",      "next integrator",              GLFW_KEY_I,     false, next_integrator},
    {"A",      "automatic step on or off",     GLFW_KEY_A,     false, toggle_automatic},
    {"V",      "velocity filter on or off",    GLFW_KEY_V,     false, toggle_filter},
    {"1 to 4", "select a lane",                GLFW_KEY_1,     false, select_1},
    {NULL,     NULL,                           GLFW_KEY_2,     false, select_2},
    {NULL,     NULL,                           GLFW_KEY_3,     false, select_3},
    {NULL,     NULL,                           GLFW_KEY_4,     false, select_4},
    {"L",      "lanes side by side, one, overlay", GLFW_KEY_L, false, next_lane_view},
    {"Page Down", "next step of a lesson",     GLFW_KEY_PAGE_DOWN, false, next_page},
    {"Page Up", "the step before",             GLFW_KEY_PAGE_UP, false, previous_page},
    {"F",      "frame the cloth",              GLFW_KEY_F,     false, frame_cloth},
    {"P",      "enlarge a plot, or close it",  GLFW_KEY_P,     false, plots_toggle_last},
    {"Ctrl P", "the plot over the whole window", GLFW_KEY_P,   true,  plots_toggle_whole},
    {"W",      "cloth, wireframe or springs",  GLFW_KEY_W,     false, next_surface},
    {"T",      "dark or light",                GLFW_KEY_T,     false, other_theme},
    {"Ctrl +", "larger text",                  GLFW_KEY_EQUAL, true,  larger_text},
    {NULL,     NULL,                           GLFW_KEY_KP_ADD, true, larger_text},
    {"Ctrl −", "smaller text",                 GLFW_KEY_MINUS, true,  smaller_text},
    {NULL,     NULL,                           GLFW_KEY_KP_SUBTRACT, true, smaller_text},
    {"Ctrl 0", "usual text",                   GLFW_KEY_0,     true,  usual_text},
    {"Ctrl S", "save the scene with its parameters", GLFW_KEY_S, true, ui_save_scene},
    {"F9",     "a video of the view, on or off", GLFW_KEY_F9,  false, share_toggle_video},
    {"Ctrl C", "copy as a command line",       GLFW_KEY_C,     true,  share_copy_command_line},
    {"F1",     "this list",                    GLFW_KEY_F1,    false, toggle_keys},
    {"F2",     "controls on or off",           GLFW_KEY_F2,    false, ui_toggle_controls},
    {"F3",     "readouts on or off",           GLFW_KEY_F3,    false, ui_toggle_readouts},
    {"Tab",    "all panels on or off",         GLFW_KEY_TAB,   false, ui_toggle_panels},
    {"F11",    "full screen",                  GLFW_KEY_F11,   false, full_screen},
    {"F12",    "picture of the window",        GLFW_KEY_F12,   false, picture_of_window},
    {"Shift F12", "picture of the view alone", GLFW_KEY_F12,   UI_SHIFT, picture_of_view},
    {"Ctrl Q", "quit",                         GLFW_KEY_Q,     true,  quit},
};

static const struct { const char *keys, *meaning; } elsewhere[] = {
    {"Esc",         "close what is open: a list, a field, a card"},
    {"Enter",       "accept what was typed"},
    {"left-drag",   "a particle, a body, the wind's arrow: move it; the timeline: see the past"},
    {"click",       "a particle: pin or unpin it; a lane: select it"},
    {"right-drag",  "orbit; also left-drag beside the cloth"},
    {"middle-drag", "pan; also Shift and right-drag"},
    {"wheel",       "zoom; over a panel: scroll"},
    {"on a slider", "drag; with Shift finely; right-click: the default"},
    {"on a number", "click to type one, with or without a unit"},
    {"on red",      "double click: just inside what is stable"},
    {"drop a file", "a scene, mesh, recording or lesson: open it"},
    {"own, all",    "click: whether the lane has its own value"},
};
// clang-format on

enum {
    SHORTCUT_COUNT = sizeof shortcuts / sizeof shortcuts[0],
    ELSEWHERE_COUNT = sizeof elsewhere / sizeof elsewhere[0],
};

static bool press(Ui *ui, int key, int modifiers)
{
    for (int i = 0; i < SHORTCUT_COUNT; i++) {
        if (shortcuts[i].key == key && shortcuts[i].modifiers == modifiers) {
            shortcuts[i].action(ui);
            return true;
        }
    }
    return false;
}

// Shift may be a part of the key, as in Ctrl +.
bool ui_key(Ui *ui, int glfw_key, int modifiers)
{
    ui->action++;
    if (glfw_key == GLFW_KEY_ESCAPE) return ui_escape(ui);
    bool enter = glfw_key == GLFW_KEY_ENTER || glfw_key == GLFW_KEY_KP_ENTER;
    if (enter && ui->saving.asks) {
        saving_accept(ui);
        return true;
    }
    return press(ui, glfw_key, modifiers) || press(ui, glfw_key, modifiers & ~UI_SHIFT);
}

// ---- Escape: each closes one thing, and says whether it was open

static bool close_list(Ui *ui)
{
    ui->close_list = ui->list_is_open;
    return ui->list_is_open;
}
static bool close_typing(Ui *ui)
{
    bool open = ui->typed_param != UI_NO_PARAM;
    typing_end(ui);
    return open;
}
static bool close_saving(Ui *ui)
{
    bool open = ui->saving.asks;
    ui->saving.asks = false;
    return open;
}
static bool close_keys(Ui *ui)
{
    bool open = ui->show_keys;
    ui->show_keys = false;
    return open;
}
static bool close_autopsy(Ui *ui)
{
    bool open = autopsy_is_open(ui, ui->stage->selected);
    autopsy_close(ui, ui->stage->selected);
    return open;
}

bool ui_escape(Ui *ui)
{
    static bool (*const closes[])(Ui *) = {close_list,       close_typing,     close_saving,
                                           close_keys,       ui_close_message, plots_close,
                                           ui_close_drawers, close_autopsy,    lesson_leave};
    for (size_t i = 0; i < sizeof closes / sizeof closes[0]; i++) {
        if (closes[i](ui)) return true;
    }
    return false;
}

typedef struct KeyRow {
    const char *keys, *meaning;
} KeyRow;

static int all_rows(KeyRow *rows)
{
    int count = 0;
    for (int i = 0; i < SHORTCUT_COUNT; i++) {
        if (shortcuts[i].keys) rows[count++] = (KeyRow){shortcuts[i].keys, shortcuts[i].meaning};
    }
    for (int i = 0; i < ELSEWHERE_COUNT; i++)
        rows[count++] = (KeyRow){elsewhere[i].keys, elsewhere[i].meaning};
    return count;
}

static void draw_row(Ui *ui, const KeyRow *row, int column)
{
    igTableSetColumnIndex(column);
    widget_text(ui->fonts.bold, ui->palette.accent, row->keys);
    igTableSetColumnIndex(column + 1);
    widget_text_wrapped(ui->fonts.regular, ui->palette.text, row->meaning);
}

// In two columns where there is room for them.
static void draw_rows(Ui *ui, int columns)
{
    KeyRow rows[SHORTCUT_COUNT + ELSEWHERE_COUNT];
    int count = all_rows(rows), lines = (count + columns - 1) / columns;
    float widest = 0.0f;
    for (int i = 0; i < count; i++)
        widest = fmaxf(widest, widget_text_width(ui->fonts.bold, rows[i].keys));
    if (!igBeginTable("keys", 2 * columns, 0, (ImVec2){0, 0}, 0.0f)) return;
    for (int i = 0; i < columns; i++) {
        igTableSetupColumn("", ImGuiTableColumnFlags_WidthFixed, widest + ui->em, 0);
        igTableSetupColumn("", ImGuiTableColumnFlags_WidthStretch, 0.0f, 0);
    }
    for (int line = 0; line < lines; line++) {
        igTableNextRow(0, 0);
        for (int i = 0; i < columns; i++) {
            int index = i * lines + line;
            if (index < count) draw_row(ui, &rows[index], 2 * i);
        }
    }
    igEndTable();
}

void panel_keys(Ui *ui)
{
    const Rect *view = &ui->layout.view;
    ImVec2 screen = igGetIO_Nil()->DisplaySize;
    int columns = screen.x > 58.0f * ui->em ? 2 : 1;
    float width = fminf(columns == 2 ? 62.0f * ui->em : 32.0f * ui->em, 0.96f * screen.x);
    ImVec2 centre = {view->x + 0.5f * view->width, 0.5f * screen.y};
    centre.x = fminf(fmaxf(centre.x, 0.5f * width), screen.x - 0.5f * width);
    igSetNextWindowPos(centre, ImGuiCond_Always, (ImVec2){0.5f, 0.5f});
    igSetNextWindowSize((ImVec2){width, 0.0f}, ImGuiCond_Always);
    igSetNextWindowSizeConstraints((ImVec2){width, 0.0f}, (ImVec2){width, 0.94f * screen.y}, NULL,
                                   NULL);
    igSetNextWindowFocus();
    igPushStyleVar_Float(ImGuiStyleVar_WindowRounding, 0.5f * ui->em);
    igPushStyleVar_Float(ImGuiStyleVar_WindowBorderSize, 1.0f);
    igBegin("##keys", NULL,
            ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoCollapse |
                ImGuiWindowFlags_NoMove);
    if (card_close_button(ui)) ui->show_keys = false;
    widget_text(ui->fonts.title, ui->palette.text, "Keys and mouse");
    igDummy((ImVec2){0, ui_ems(ui, 0.3f)});
    draw_rows(ui, columns);
    ui_cover_view(ui);
    igEnd();
    igPopStyleVar(2);
}
