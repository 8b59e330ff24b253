// The bottom bar: restart, play or pause, one step, and speed; in a low window with the timeline.
#include "ui/panels.h"
#include "ui/widgets.h"

#include <math.h>
#include <stdio.h>

static void slow_motion_box(Ui *ui)
{
    const ParamInfo *info = param_find("slow_motion");
    bool on = ui->now->scene.params.slow_motion;
    if (widget_checkbox(ui, "slow motion when it grows", &on))
        ui_set_param(ui, info, on ? 1.0 : 0.0);
    widget_tooltip(ui, info->help);
}

static void unbounded_box(Ui *ui)
{
    const ParamInfo *speed = param_find("speed");
    bool unbounded = ui->now->scene.params.speed == PARAM_WORD;
    if (widget_checkbox(ui, "as fast as possible", &unbounded))
        ui_set_param(ui, speed, unbounded ? PARAM_WORD : 1.0);
}

static void reset_button(Ui *ui)
{
    if (widget_icon_button(ui, "reset", ICON_RESET, false, "Start over (R)"))
        ui_send(ui, (Command){.kind = COMMAND_RESET});
}

static void step_buttons(Ui *ui)
{
    if (widget_icon_button(ui, "back", ICON_STEP_BACK, false, "One step back (Left)"))
        ui_seek(ui, SEEK_BEFORE, ui->now->readings.time);
    igSameLine(0.0f, 0.6f * ui->em);
    if (widget_icon_button(ui, "step", ICON_STEP, false, "One step (S or Right)"))
        ui_send(ui, (Command){.kind = COMMAND_STEP});
}

void panel_transport_rest(Ui *ui)
{
    bool bar = ui->layout.bottom.height > 0.0f;
    if (bar && ui->bar_has_speed) return;
    widget_section(ui, "TIME");
    if (!bar) {
        reset_button(ui);
        igSameLine(0.0f, 0.6f * ui->em);
        step_buttons(ui);
    }
    widget_param(ui, "speed", NULL);
    unbounded_box(ui);
    slow_motion_box(ui);
}

static void speed_part(Ui *ui, float left)
{
    const Snapshot *now = ui->now;
    const ParamInfo *speed = param_find("speed");
    float height = ui->layout.bottom.height, y = floorf(0.5f * (height - 1.12f * ui->em));
    float width = widget_text_width(ui->fonts.regular, "speed  0.0999 ×") + 0.6f * ui->em;
    float box = widget_text_width(ui->fonts.regular, "as fast as possible") + 3.0f * ui->em;
    float room = ui->layout.bottom.width - left - width - box - 2.0f * ui->em;
    if (room < 4.0f * ui->em) return;
    ui->bar_has_speed = true;
    double value = ui->held_param == speed - param_table ? ui->held_value : now->scene.params.speed;
    char text[48];
    if (now->slowed)
        snprintf(text, sizeof text, "slow motion");
    else if (now->scene.params.speed == PARAM_WORD)
        snprintf(text, sizeof text, "speed  max");
    else
        snprintf(text, sizeof text, "speed  %.3g ×", value);
    ImVec2 at;
    igSetCursorPos((ImVec2){left, floorf(0.5f * (height - ui->em))});
    igGetCursorScreenPos(&at);
    widget_draw_text(igGetWindowDrawList(), ui->fonts.regular,
                     now->slowed ? ui->palette.amber : ui->palette.text, at.x, at.y, text);
    igSetCursorPos((ImVec2){left + width, floorf(0.5f * (height - 1.1f * ui->em))});
    widget_slider_line(ui, speed, fminf(room, 24.0f * ui->em));
    igSameLine(0.0f, 1.2f * ui->em);
    igSetCursorPosY(y);
    unbounded_box(ui);
    igSameLine(0.0f, 1.6f * ui->em);
    float need = widget_text_width(ui->fonts.regular, "slow motion when it grows");
    if (igGetCursorPosX() + need + 3.0f * ui->em > ui->layout.bottom.width) return;
    igSetCursorPosY(y);
    slow_motion_box(ui);
}

void panel_transport(Ui *ui)
{
    const Snapshot *now = ui->now;
    float height = ui->layout.bottom.height, button = 2.1f * ui->em;
    igSetCursorPos((ImVec2){floorf(1.05f * ui->em), floorf(0.5f * (height - button))});
    reset_button(ui);
    igSameLine(0.0f, 0.6f * ui->em);
    if (widget_icon_button(ui, "run", now->running ? ICON_PAUSE : ICON_PLAY, true,
                           now->running ? "Pause (Space)" : "Run (Space)"))
        ui_send(ui, (Command){.kind = now->running ? COMMAND_PAUSE : COMMAND_RUN});
    igSameLine(0.0f, 0.6f * ui->em);
    step_buttons(ui);
    igSameLine(0.0f, 1.4f * ui->em);
    float left = igGetCursorPosX();
    if (!ui->layout.one_row) {
        speed_part(ui, left);
        return;
    }
    const Rect *bar = &ui->layout.bottom;
    panel_timeline_in(ui,
                      (Rect){bar->x + left - ui->em, bar->y, bar->width - left + ui->em, height});
}
