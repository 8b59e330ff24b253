// Over the cloth: the hint at the bottom, and messages.
#include "ui/cards.h"
#include "ui/lesson_panel.h"
#include "ui/panels.h"
#include "ui/widgets.h"

#include "base/clock.h"

#include <math.h>
#include <string.h>

enum { LEAST_HEIGHT_EMS = 6 }; // lower pictures have no hint

static void draw_hint(Ui *ui)
{
    enum { LENGTHS = 3 };
    static const char *const of_present[LENGTHS] = {
        "left-drag a particle · click to pin · right-drag to orbit · F1 keys",
        "drag a particle · click to pin · F1 keys", "F1 keys"};
    static const char *const of_past[LENGTHS] = {
        "This is the past. Space goes on from here and forgets what came after; End returns.",
        "the past · Space: go on from here · End: return", "the past"};
    static const char *const of_playing[LENGTHS] = {
        "The past is played up to the present. Space pauses; End returns.",
        "the past is played · Space: pause", "the past"};
    static const char *const of_lanes[LENGTHS] = {
        "drag a particle in any lane, all follow · click a lane to select it · F1 keys",
        "drag a particle, all lanes follow · F1 keys", "F1 keys"};
    const char *const *hints = ui->now->in_past   ? ui->now->running ? of_playing : of_past
                               : ui_has_lanes(ui) ? of_lanes
                                                  : of_present;
    ImU32 colour = ui->now->in_past ? ui->palette.amber : ui->palette.dim;
    int lane =
        ui->lane_view == LANE_VIEW_ALL && ui->lanes[0].view.width > 0.0f ? 0 : ui->stage->selected;
    Rect place = ui_picture(ui, lane);
    const Rect *view = &place;
    bool message = ui->layout.cards.height < ui->layout.view.height; // in its place
    if (view->height < LEAST_HEIGHT_EMS * ui->em || message) return;
    for (int i = 0; i < LENGTHS; i++) { // the longest that fits
        float width = widget_text_width(ui->fonts.small, hints[i]);
        if (width > view->width - 2.0f * ui->em) continue;
        igSetNextWindowPos((ImVec2){view->x, view->y}, ImGuiCond_Always, (ImVec2){0, 0});
        igSetNextWindowSize((ImVec2){view->width, view->height}, ImGuiCond_Always);
        igBegin("##hint", NULL,
                ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoInputs |
                    ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoFocusOnAppearing |
                    ImGuiWindowFlags_NoBringToFrontOnFocus);
        widget_draw_text(igGetWindowDrawList(), ui->fonts.small, colour, view->x + ui->em,
                         view->y + view->height - 1.9f * ui->em, hints[i]);
        igEnd();
        return;
    }
}

static bool shader_message_is_open(const Ui *ui)
{
    return ui->shader_message[0] && strcmp(ui->shader_message, ui->shader_closed) != 0;
}

static void close_shader_message(Ui *ui)
{
    memcpy(ui->shader_closed, ui->shader_message, sizeof ui->shader_closed);
}

bool ui_close_message(Ui *ui)
{
    if (clock_seconds() < ui->message_until) {
        ui->message_until = 0.0;
        return true;
    }
    bool open = shader_message_is_open(ui);
    if (open) close_shader_message(ui);
    return open;
}

void panel_overlay(Ui *ui)
{
    const Rect *view = &ui->layout.view;
    bool shader = shader_message_is_open(ui),
         room = view->width >= ui->em && view->height >= 4.0f * ui->em;
    if (room && (!lesson_is_open(ui) || ui->now->in_past)) draw_hint(ui);
    if (ui->now->notice_serial != ui->notice_seen) {
        ui->notice_seen = ui->now->notice_serial;
        if (ui->now->notice[0]) ui_say(ui, ui->now->notice);
    }
    // above the hint or the strips, one above the other
    Rect place = ui->layout.cards;
    float below = fmaxf(ui->lanes[ui->stage->selected].strip.height + 0.6f * ui->em, 2.6f * ui->em);
    if (place.height >= view->height) place.height = fmaxf(place.height - below, 0.0f);
    float height = 0.0f, all = 0.0f;
    if (shader) {
        if (card_message(ui, "##shader", ui->shader_message, place, &height))
            close_shader_message(ui);
        all += height + 0.4f * ui->em;
        place.height = fmaxf(place.height - height - 0.4f * ui->em, 3.0f * ui->em);
    }
    if (clock_seconds() < ui->message_until) {
        if (card_message(ui, "##message", ui->message, place, &height)) ui->message_until = 0.0;
        all += height;
    }
    ui->wish.message = all; // for the next frame
}
