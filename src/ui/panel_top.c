// The top bar: the lamp, play or pause and the time at every size; the scene and more numbers where
// there is room.
#include "cloth/force_model.h"
#include "ui/lanes.h"
#include "ui/lesson_panel.h"
#include "ui/panels.h"
#include "ui/text_log.h"
#include "ui/widgets.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void list_recent_files(Ui *ui)
{
    if (!ui->recent || ui->recent->count == 0) return;
    igSeparator();
    widget_text(ui->fonts.regular, ui->palette.dim, "recent files");
    for (int i = 0; i < ui->recent->count; i++) {
        const char *path = ui->recent->path[i], *name = strrchr(path, '/') + 1;
        igPushID_Int(i); // two files may have the same name
        if (widget_list_item(ui, name, false, path, NULL)) ui_open_file(ui, path);
        igPopID();
    }
}

static void choose_scene(Ui *ui, const char *name)
{
    Error error;
    if (ui_load_scene(ui, name, &error) != STATUS_OK) ui_say(ui, error.text);
}

static float scene_width(const Ui *ui)
{
    return floorf(fmaxf(widget_text_width(ui->fonts.regular, "hammock"),
                        widget_text_width(ui->fonts.regular, ui->now->scene.name)) +
                  3.4f * ui->em);
}

static void scene_list_box(Ui *ui, float width)
{
    const char *current = ui->now->scene.name;
    igSetNextItemWidth(width);
    if (widget_begin_list(ui, "##scene", current, ImGuiComboFlags_HeightLargest)) {
        for (int i = 0; i < ui->scenes.count; i++) {
            const Scene *scene = &ui->scenes.items[i];
            bool chosen = strcmp(scene->name, current) == 0;
            char tip[sizeof scene->title + sizeof scene->about + 4];
            snprintf(tip, sizeof tip, "%s\n%s", scene->title, scene->about);
            if (widget_list_item(ui, scene->name, chosen, tip, NULL)) choose_scene(ui, scene->name);
        }
        list_recent_files(ui);
        igEndCombo();
    }
    widget_tooltip(ui, ui->now->scene.about);
}

void panel_top_scene(Ui *ui)
{
    if (ui->bar_has_scene) return;
    widget_section(ui, "SCENE");
    scene_list_box(ui, -1.0f);
}

static float lessons_width(const Ui *ui)
{
    return widget_text_width(ui->fonts.regular, "lessons") + 3.4f * ui->em;
}

void panel_top_lessons(Ui *ui)
{
    if (ui->bar_has_lessons) return;
    widget_section(ui, "LESSONS");
    lesson_list_box(ui);
}

// ---- parts of the bar, from the right

static float bar_middle(const Ui *ui)
{
    return ui->layout.top.y + 0.5f * ui->layout.top.height;
}

static float gap_of(const Ui *ui)
{
    return floorf(0.7f * ui->em);
}

typedef struct Number {
    const char *name;
    char widest[32], value[64];
} Number;

enum { TIME, STEPS, REAL_TIME, COST, FRAMES, NUMBERS };

static void fill_numbers(const Ui *ui, Number *numbers)
{
    const Snapshot *now = ui->now;
    QuantityText cost = quantity_text(now->readings.cost, "s");
    // a fixed width for each, so that they do not move while the numbers change
    numbers[TIME] = (Number){.name = "time"};
    numbers[STEPS] = (Number){.name = "steps", .widest = "99999"};
    numbers[REAL_TIME] = (Number){.name = "real time", .widest = "99.99 ×"};
    numbers[COST] = (Number){.name = "cost per step", .widest = "999 µs"};
    numbers[FRAMES] = (Number){.name = "frames", .widest = "999 /s"};
    size_t size = sizeof numbers->value;
    // to the step, so that one step is to be seen; in a narrow bar less
    bool narrow = ui->layout.top.width < 44.0f * ui->em;
    double step = narrow ? 0.01 : now->readings.step, time = ui->stage->time;
    quantity_time(time < 1e3 ? 100.0 : time, step, numbers[TIME].widest, sizeof numbers->widest);
    quantity_time(time, step, numbers[TIME].value, size);
    snprintf(numbers[STEPS].value, size, "%ld", now->readings.step_count);
    snprintf(numbers[REAL_TIME].value, size, "%.2f ×", now->real_time_factor);
    snprintf(numbers[COST].value, size, "%s %s", cost.value, cost.unit);
    snprintf(numbers[FRAMES].value, size, "%.0f /s", (double)ui->frame_rate);
}

static float value_width(const Ui *ui, const Number *number)
{
    return fmaxf(widget_text_width(ui->fonts.regular, number->widest),
                 widget_text_width(ui->fonts.regular, number->value));
}

static float number_width(const Ui *ui, const Number *number, bool named)
{
    float name = widget_text_width(ui->fonts.regular, number->name) + gap_of(ui);
    return value_width(ui, number) + (named ? name : 0.0f);
}

static void draw_number(Ui *ui, const Number *number, bool named, float x)
{
    Font font = ui->fonts.regular;
    ImDrawList *list = igGetWindowDrawList();
    float y = bar_middle(ui) - 0.5f * font.height;
    if (named) {
        float name = widget_draw_text(list, font, ui->palette.dim, x, y, number->name);
        x += name + gap_of(ui);
    }
    widget_draw_text(list, font, ui->palette.text, x, y, number->value);
}

static float button_width(const Ui *ui)
{
    return ui_ems(ui, 2.6f);
}

static void play_button(Ui *ui, float x)
{
    bool running = ui->now->running;
    float height = igGetFrameHeight();
    igSetCursorScreenPos((ImVec2){x, floorf(bar_middle(ui) - 0.5f * height)});
    // the bottom bar has one that is to be seen first
    if (widget_icon_button_high(ui, "run", running ? ICON_PAUSE : ICON_PLAY,
                                ui->layout.bottom.height < 1.0f, height,
                                running ? "Pause (Space)" : "Run (Space)"))
        ui_send(ui, (Command){.kind = running ? COMMAND_PAUSE : COMMAND_RUN});
}

// ---- the lamp, or one for each lane

static float lamp_dot(const Ui *ui)
{
    return 0.5f * ui->em;
}

static float lamp_width(const Ui *ui)
{
    return 2.0f * lamp_dot(ui) + 0.5f * ui->em + widget_text_width(ui->fonts.bold, "Measuring");
}

static void draw_lamp(Ui *ui, float x)
{
    Lamp lamp = lamp_of(ui, ui->stage->selected);
    ImDrawList *list = igGetWindowDrawList();
    float middle = bar_middle(ui), dot = lamp_dot(ui);
    ImVec2 centre = {floorf(x + dot), middle};
    ImDrawList_AddCircleFilled(list, centre, 1.35f * dot, theme_fade(lamp.colour, 0.2f), 0);
    ImDrawList_AddCircleFilled(list, centre, dot, lamp.colour, 0);
    widget_draw_text(list, ui->fonts.bold, ui->palette.text, x + 2.0f * dot + 0.5f * ui->em,
                     middle - 0.5f * ui->fonts.bold.height, lamp.word);
    igSetCursorScreenPos((ImVec2){x - 0.3f * ui->em, middle - ui->em});
    bool pressed = igInvisibleButton("lamp", (ImVec2){lamp_width(ui), 2.0f * ui->em}, 0);
    char tip[300];
    bool told = lesson_is_open(ui) && !ui->whole_autopsy;
    bool closed = ui->now->diverged && (told || !autopsy_is_open(ui, ui->stage->selected));
    snprintf(tip, sizeof tip, "%s: %s.%s", lamp.word, lamp.caption,
             closed ? " Click for the report." : "");
    widget_tooltip(ui, tip);
    if (pressed && closed) autopsy_open(ui, ui->stage->selected);
}

static float lamp_pitch(const Ui *ui)
{
    return ui_ems(ui, ui->layout.top.width < 30.0f * ui->em ? 1.9f : 2.4f);
}

// The state of each lane, and its number in its colour.
static void draw_lamps(Ui *ui, float left)
{
    float pitch = lamp_pitch(ui), dot = 0.42f * ui->em, middle = bar_middle(ui);
    ImDrawList *list = igGetWindowDrawList();
    for (int i = 0; i < ui->stage->count; i++, left += pitch) {
        Lamp lamp = lamp_of(ui, i);
        ImU32 colour = theme_lane_colour(&ui->palette, i);
        char text[256], title[LANE_TITLE_SIZE];
        snprintf(text, sizeof text, "%d", i + 1);
        ImDrawList_AddCircleFilled(list, (ImVec2){left + dot, middle}, dot, lamp.colour, 0);
        float digit = left + 2.0f * dot + 0.2f * ui->em;
        float width = widget_draw_text(list, ui->fonts.bold, colour, digit,
                                       middle - 0.5f * ui->fonts.bold.height, text);
        if (i == ui->stage->selected) {
            float y = floorf(middle + 0.62f * ui->fonts.bold.height);
            ImDrawList_AddRectFilled(list, (ImVec2){left, y},
                                     (ImVec2){digit + width, y + fmaxf(0.12f * ui->em, 1.0f)},
                                     ui->palette.accent, 0.0f, 0);
        }
        igSetCursorScreenPos((ImVec2){left - 0.2f * ui->em, middle - ui->em});
        igPushID_Int(i);
        if (igInvisibleButton("lamp", (ImVec2){pitch, 2.0f * ui->em}, 0)) {
            ui_select_lane(ui, i);
            autopsy_open(ui, i);
        }
        igPopID();
        lane_title(ui, i, title, sizeof title);
        snprintf(text, sizeof text, "%s: %s", title, lamp.word);
        widget_tooltip(ui, text);
    }
}

// ---- the bar

// Who holds up the clock: the longest text that fits, or none.
static float draw_slow_lane(Ui *ui, float left, float right)
{
    const StageSnapshot *stage = ui->stage;
    if (stage->slowest < 0 || !ui_has_lanes(ui)) return right;
    char text[3][48] = {"the reference is the slow one", "the reference is slow", ""};
    if (stage->slowest < stage->count) {
        snprintf(text[0], sizeof text[0], "lane %d is the slow one", stage->slowest + 1);
        snprintf(text[1], sizeof text[1], "lane %d is slow", stage->slowest + 1);
    }
    for (int i = 0; text[i][0]; i++) {
        float width = widget_text_width(ui->fonts.regular, text[i]);
        if (width + 1.2f * ui->em > right - left) continue;
        widget_draw_text(igGetWindowDrawList(), ui->fonts.regular, ui->palette.amber, right - width,
                         bar_middle(ui) - 0.5f * ui->fonts.regular.height, text[i]);
        return right - width - 1.2f * ui->em;
    }
    return right;
}

static void print_cloth(const Ui *ui, char *text, size_t size)
{
    const Params *params = &ui->now->scene.params;
    const char *model = force_model_name(params->model);
    if (ui->now->particle_count == params->rows * params->columns)
        snprintf(text, size, "%d × %d · %s", params->columns, params->rows, model);
    else
        snprintf(text, size, "%d particles · %s", ui->now->particle_count, model);
}

// At the left: the name and the scene, if they fit before `right`. Returns where they end.
static float draw_left(Ui *ui, float left, float right)
{
    float height = ui->layout.top.height, scene = scene_width(ui), gap = 1.2f * ui->em;
    float name = widget_text_width(ui->fonts.title, "Selvage") + gap;
    if (left + name + scene + gap <= right) {
        igSetCursorPos((ImVec2){left, 0.5f * (height - ui->fonts.title.height)});
        widget_text(ui->fonts.title, ui->palette.text, "Selvage");
        left += name;
    }
    ui->bar_has_scene = left + scene + gap <= right;
    if (!ui->bar_has_scene) return left;
    igSetCursorPos((ImVec2){left, floorf(0.5f * (height - igGetFrameHeight()))});
    scene_list_box(ui, scene);
    left += scene + 0.5f * ui->em;
    ui->bar_has_lessons = left + lessons_width(ui) + gap <= right;
    if (!ui->bar_has_lessons) return left + gap - 0.5f * ui->em;
    igSetCursorPos((ImVec2){left, floorf(0.5f * (height - igGetFrameHeight()))});
    lesson_list_box(ui);
    return left + lessons_width(ui) + gap;
}

// From the right: "?", the time, play, the lamp; numbers and names are added while there is room.
void panel_top(Ui *ui)
{
    float height = ui->layout.top.height, button = igGetFrameHeight(), gap = gap_of(ui);
    float margin = floorf(fminf(1.05f * ui->em, 0.03f * ui->layout.top.width));
    float right = ui->layout.top.width - margin, left = margin;
    igSetCursorPos((ImVec2){right - button, floorf(0.5f * (height - button))});
    if (igButton("?", (ImVec2){button, button})) ui->show_keys = !ui->show_keys;
    text_log_item(ui->fonts.regular, -1.0f, "?");
    widget_tooltip(ui, "Keys and mouse (F1)");
    right -= button + gap;

    Number numbers[NUMBERS];
    fill_numbers(ui, numbers);
    bool lanes = ui_has_lanes(ui);
    float lamps = lanes ? (float)ui->stage->count * lamp_pitch(ui) : lamp_width(ui);
    float scene = scene_width(ui) + 1.2f * ui->em;
    float need = lamps + gap + button_width(ui) + gap + number_width(ui, &numbers[TIME], false);
    float room = right - left - need - scene;
    bool named = room >= number_width(ui, &numbers[TIME], true);
    if (named) room -= number_width(ui, &numbers[TIME], true) - value_width(ui, &numbers[TIME]);
    int shown = TIME + 1; // numbers
    room -= widget_text_width(ui->fonts.title, "Selvage") + lessons_width(ui) + 4.2f * ui->em;
    for (; named && shown < NUMBERS; shown++) {
        room -= number_width(ui, &numbers[shown], true) + 2.0f * gap;
        if (room < 0.0f) break;
    }
    for (int i = shown - 1; i >= TIME; i--) {
        bool with_name = i > TIME || named;
        right -= number_width(ui, &numbers[i], with_name);
        draw_number(ui, &numbers[i], with_name, right);
        right -= i > TIME ? 2.0f * gap : gap;
    }
    right -= button_width(ui);
    play_button(ui, right);
    right -= gap;
    if (!lanes) {
        right -= lamps;
        draw_lamp(ui, right);
        right -= gap;
    }
    left = draw_left(ui, left, right - (lanes ? lamps : 0.0f));
    if (lanes) {
        draw_lamps(ui, left);
        draw_slow_lane(ui, left + lamps, right - 0.4f * ui->em);
        return;
    }
    char what[64];
    print_cloth(ui, what, sizeof what);
    if (ui->bar_has_scene && left + widget_text_width(ui->fonts.regular, what) + gap < right)
        widget_draw_text(igGetWindowDrawList(), ui->fonts.regular, ui->palette.dim, left,
                         bar_middle(ui) - 0.5f * ui->em, what);
}
