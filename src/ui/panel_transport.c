// The bottom bar: restart, play or pause, one step, and speed.
#include "ui/panels.h"
#include "ui/widgets.h"

#include <stdio.h>

// Where there is room for it.
static void slow_motion_box(Ui *ui, float height)
{
    const ParamInfo *info = param_find("slow_motion");
    const char label[] = "slow motion when it grows";
    bool on = ui->now->scene.params.slow_motion;
    igSameLine(0.0f, 1.6f * ui->em);
    float left = igGetCursorPosX(), need = widget_text_width(ui->fonts.regular, label);
    if (left + need + 3.0f * ui->em > ui->layout.bottom.width) return;
    igSetCursorPosY(0.5f * (height - 1.12f * ui->em));
    if (widget_checkbox(ui, label, &on)) ui_set_param(ui, info, on ? 1.0 : 0.0);
    widget_tooltip(ui, info->help);
}

void panel_transport(Ui *ui)
{
    const Snapshot *now = ui->now;
    const ParamInfo *speed = param_find("speed");
    float height = ui->layout.bottom.height, button = 2.1f * ui->em;
    igSetCursorPos((ImVec2){1.05f * ui->em, 0.5f * (height - button)});
    if (widget_icon_button(ui, "reset", ICON_RESET, false, "Start over (R)"))
        ui_send(ui, (Command){.kind = COMMAND_RESET});
    igSameLine(0.0f, 0.6f * ui->em);
    if (widget_icon_button(ui, "run", now->running ? ICON_PAUSE : ICON_PLAY, true,
                           now->running ? "Pause (Space)" : "Run (Space)"))
        ui_send(ui, (Command){.kind = now->running ? COMMAND_PAUSE : COMMAND_RUN});
    igSameLine(0.0f, 0.6f * ui->em);
    if (widget_icon_button(ui, "back", ICON_STEP_BACK, false, "One step back (Left)"))
        ui_seek(ui, SEEK_BEFORE, now->readings.time);
    igSameLine(0.0f, 0.6f * ui->em);
    if (widget_icon_button(ui, "step", ICON_STEP, false, "One step (S or Right)"))
        ui_send(ui, (Command){.kind = COMMAND_STEP});
    igSameLine(0.0f, 1.4f * ui->em);

    bool unbounded = now->scene.params.speed == PARAM_WORD;
    double value = ui->held_param == speed - param_table ? ui->held_value : now->scene.params.speed;
    char text[48];
    if (now->slowed)
        snprintf(text, sizeof text, "slow motion");
    else if (unbounded)
        snprintf(text, sizeof text, "speed  max");
    else
        snprintf(text, sizeof text, "speed  %.3g ×", value);
    ImVec2 at, room;
    igGetCursorScreenPos(&at);
    float width = widget_text_width(ui->fonts.regular, "speed  0.0999 ×") + 0.6f * ui->em;
    widget_draw_text(igGetWindowDrawList(), ui->fonts.regular,
                     now->slowed ? ui->palette.amber : ui->palette.text, at.x,
                     at.y + 0.5f * (button - ui->em), text);
    float left = at.x - ui->layout.bottom.x + width;
    float max_width = widget_text_width(ui->fonts.regular, "as fast as possible") + 3.0f * ui->em;
    room.x = ui->layout.bottom.width - left - max_width - 2.0f * ui->em;
    if (room.x > 4.0f * ui->em) {
        igSetCursorPos((ImVec2){left, 0.5f * (height - 1.1f * ui->em)});
        widget_slider_line(ui, speed, room.x < 24.0f * ui->em ? room.x : 24.0f * ui->em);
        igSameLine(0.0f, 1.2f * ui->em);
        igSetCursorPosY(0.5f * (height - 1.12f * ui->em));
        if (widget_checkbox(ui, "as fast as possible", &unbounded))
            ui_set_param(ui, speed, unbounded ? PARAM_WORD : 1.0);
        slow_motion_box(ui, height);
    }
}
