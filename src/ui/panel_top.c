// The top bar: the scene and the most important numbers.
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

static void scene_list_box(Ui *ui)
{
    const char *current = ui->now->scene.name;
    igSetNextItemWidth(widget_text_width(ui->fonts.regular, "hammock") + 3.4f * ui->em);
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

// A lamp for each lane: its state, and its number in its colour. Returns where they end.
static float draw_lamps(Ui *ui, float left, float right, float middle)
{
    float pitch = 2.4f * ui->em, dot = 0.42f * ui->em;
    ImDrawList *list = igGetWindowDrawList();
    for (int i = 0; i < ui->stage->count && left + pitch < right; i++, left += pitch) {
        Lamp lamp = lamp_of(ui, i);
        ImU32 colour = theme_lane_colour(&ui->palette, i);
        char text[256], title[LANE_TITLE_SIZE];
        snprintf(text, sizeof text, "%d", i + 1);
        ImDrawList_AddCircleFilled(list, (ImVec2){left + dot, middle}, dot, lamp.colour, 0);
        float digit = left + 2.0f * dot + 0.3f * ui->em;
        float width = widget_draw_text(list, ui->fonts.bold, colour, digit,
                                       middle - 0.5f * ui->fonts.bold.height, text);
        if (i == ui->stage->selected) {
            float y = floorf(middle + 0.62f * ui->fonts.bold.height);
            ImDrawList_AddRectFilled(list, (ImVec2){left, y},
                                     (ImVec2){digit + width, y + fmaxf(0.12f * ui->em, 1.0f)},
                                     ui->palette.accent, 0.0f, 0);
        }
        igSetCursorScreenPos((ImVec2){left - 0.3f * ui->em, middle - ui->em});
        igPushID_Int(i);
        if (igInvisibleButton("lamp", (ImVec2){pitch, 2.0f * ui->em}, 0)) ui_select_lane(ui, i);
        igPopID();
        lane_title(ui, i, title, sizeof title);
        snprintf(text, sizeof text, "%s: %s", title, lamp.word);
        widget_tooltip(ui, text);
    }
    return left + 0.4f * ui->em;
}

// Who holds up the clock, at the right. Returns where it begins.
static float draw_slow_lane(Ui *ui, float left, float right, float middle)
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
        if (width + 10.0f * ui->em > right - left) continue; // the time is more important
        widget_draw_text(igGetWindowDrawList(), ui->fonts.regular, ui->palette.amber, right - width,
                         middle - 0.5f * ui->fonts.regular.height, text[i]);
        return right - width - 1.2f * ui->em;
    }
    return right;
}

// The numbers at the right. If there is no room for all, the last ones are left out.
static void draw_numbers(Ui *ui, float left, float right, float middle)
{
    enum { COUNT = 4 };
    const Snapshot *now = ui->now;
    QuantityText cost = quantity_text(now->readings.cost, "s");
    const char *const names[COUNT] = {"time", "real time", "step", "frames"};
    // a fixed width for each, so that they do not move while the numbers change
    const char *const widest[COUNT] = {"9999.99 s", "99.99 ×", "999 µs", "999 /s"};
    char values[COUNT][64];
    snprintf(values[0], sizeof values[0], "%.2f s", ui->stage->time);
    snprintf(values[1], sizeof values[1], "%.2f ×", now->real_time_factor);
    snprintf(values[2], sizeof values[2], "%s %s", cost.value, cost.unit);
    snprintf(values[3], sizeof values[3], "%.0f /s", (double)ui->frame_rate);

    Font font = ui->fonts.regular;
    float name[COUNT], field[COUNT], gap = 0.6f * ui->em, total = 0.0f;
    int shown = 0;
    for (; shown < COUNT; shown++) {
        name[shown] = widget_text_width(font, names[shown]);
        field[shown] = widget_text_width(font, widest[shown]);
        float width = name[shown] + gap + field[shown] + (shown ? 2.0f * gap : 0.0f);
        if (total + width > right - left) break;
        total += width;
    }
    ImDrawList *list = igGetWindowDrawList();
    float x = right - total, y = middle - 0.5f * font.height;
    for (int i = 0; i < shown; i++) {
        widget_draw_text(list, font, ui->palette.dim, x, y, names[i]);
        widget_draw_text(list, font, ui->palette.text, x + name[i] + gap, y, values[i]);
        x += name[i] + field[i] + 3.0f * gap;
    }
}

void panel_top(Ui *ui)
{
    const Params *params = &ui->now->scene.params;
    ImVec2 at;
    float middle = ui->layout.top.y + 0.5f * ui->layout.top.height;
    igSetCursorPos((ImVec2){1.05f * ui->em, 0.5f * (ui->layout.top.height - 1.3f * ui->em)});
    widget_text(ui->fonts.title, ui->palette.text, "Selvage");
    igSameLine(0.0f, 1.2f * ui->em);
    igSetCursorPosY(0.5f * (ui->layout.top.height - igGetFrameHeight()));
    scene_list_box(ui);
    igSameLine(0.0f, 0.5f * ui->em);
    lesson_list_box(ui);
    igSameLine(0.0f, 1.2f * ui->em);
    igGetCursorScreenPos(&at);

    float button = igGetFrameHeight(), right = ui->layout.top.width - 1.05f * ui->em;
    igSetCursorPos((ImVec2){right - button, 0.5f * (ui->layout.top.height - button)});
    if (igButton("?", (ImVec2){button, button})) ui->show_keys = !ui->show_keys;
    text_log_item(ui->fonts.regular, -1.0f, "?");
    widget_tooltip(ui, "Keys and mouse (F1)");
    right -= button + 1.2f * ui->em;

    if (ui_has_lanes(ui)) {
        at.x = draw_lamps(ui, at.x, right, middle);
        right = draw_slow_lane(ui, at.x, right, middle);
        draw_numbers(ui, at.x, right, middle);
        return;
    }
    const char *model = force_model_name(params->model);
    char what[64];
    if (ui->now->particle_count == params->rows * params->columns)
        snprintf(what, sizeof what, "%d × %d · %s", params->columns, params->rows, model);
    else
        snprintf(what, sizeof what, "%d particles · %s", ui->now->particle_count, model);
    float width = widget_text_width(ui->fonts.regular, what);
    if (at.x + width < right) {
        widget_draw_text(igGetWindowDrawList(), ui->fonts.regular, ui->palette.dim, at.x,
                         middle - 0.5f * ui->em, what);
        at.x += width + 1.2f * ui->em;
    }
    draw_numbers(ui, at.x, right, middle);
}
