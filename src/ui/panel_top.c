// The bar on top: which scene, what it is, and the numbers one looks at all the time.
#include "ui/panels.h"
#include "ui/widgets.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void scene_list_box(Ui *ui)
{
    const char *current = ui->now->scene.name;
    igSetNextItemWidth(widget_text_width(ui->fonts.regular, "hammock") + 3.4f * ui->em);
    if (igBeginCombo("##scene", current, 0)) {
        for (int i = 0; i < ui->scenes.count; i++) {
            const Scene *scene = &ui->scenes.items[i];
            bool chosen = strcmp(scene->name, current) == 0;
            if (igSelectable_Bool(scene->name, chosen, 0, (ImVec2){0, 0}))
                ui_load_scene(ui, scene->name);
            char tip[sizeof scene->title + sizeof scene->about + 4];
            snprintf(tip, sizeof tip, "%s\n%s", scene->title, scene->about);
            widget_tooltip(ui, tip);
        }
        igEndCombo();
    }
    widget_tooltip(ui, ui->now->scene.about);
}

// The numbers at the right, the most important one outermost; those without room are left out.
static void draw_numbers(Ui *ui, float left, float right, float middle)
{
    const Snapshot *now = ui->now;
    const struct {
        const char *name, *widest;
        QuantityText value;
    } numbers[] = {
        {"frames", "120 /s", quantity_text(round((double)ui->frame_rate), "/s")},
        {"step", "99.9 ms", quantity_text(now->readings.cost, "s")},
        {"real time", "99.9 ×", quantity_text(now->real_time_factor, "×")},
        {"time", "9999.9 s", quantity_text(now->readings.time, "s")},
    };
    ImFont *font = ui->fonts.regular;
    ImDrawList *list = igGetWindowDrawList();
    float y = middle - 0.5f * widget_text_height(font);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        char value[64];
        snprintf(value, sizeof value, "%s %s", numbers[i].value.value, numbers[i].value.unit);
        if (strcmp(numbers[i].name, "time") == 0) {
            snprintf(value, sizeof value, "%.2f s", now->readings.time);
        }
        // a fixed width for each, so that nothing dances while the numbers run
        float field = fmaxf(widget_text_width(font, numbers[i].widest), 3.0f * ui->em);
        float name = widget_text_width(font, numbers[i].name);
        float start = right - field - name - 0.6f * ui->em;
        if (start < left) return;
        widget_draw_text(list, font, ui->palette.dim, start, y, numbers[i].name);
        widget_draw_text(list, font, ui->palette.text, right - field, y, value);
        right = start - 1.2f * ui->em;
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
    igSameLine(0.0f, 1.2f * ui->em);
    igGetCursorScreenPos(&at);

    float button = igGetFrameHeight(), right = ui->layout.top.width - 1.05f * ui->em;
    igSetCursorPos((ImVec2){right - button, 0.5f * (ui->layout.top.height - button)});
    if (igButton("?", (ImVec2){button, button})) ui->show_keys = !ui->show_keys;
    widget_tooltip(ui, "Keys and mouse (F1)");
    right -= button + 1.2f * ui->em;

    char what[64];
    snprintf(what, sizeof what, "%d × %d · springs", params->columns, params->rows);
    float width = widget_text_width(ui->fonts.regular, what);
    if (at.x + width < right) {
        widget_draw_text(igGetWindowDrawList(), ui->fonts.regular, ui->palette.dim, at.x,
                         middle - 0.5f * ui->em, what);
        at.x += width + 1.2f * ui->em;
    }
    draw_numbers(ui, at.x, right, middle);
}
