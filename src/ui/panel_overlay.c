// Over the cloth: the hint at the bottom, error messages at the top.
#include "ui/lesson_panel.h"
#include "ui/panels.h"
#include "ui/widgets.h"

#include "base/clock.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LOW_PICTURE_EMS = 12 }; // a lower one has no room for a card that was not asked for

// Where a card is: above `bottom`, no taller than there is room. What does not fit is scrolled. The
// most of a cloth, with the mode drawn on it, is above.
typedef struct CardPlace {
    float middle, bottom;
    float width, tallest;
} CardPlace;

static CardPlace place_over(const Ui *ui, const Rect *view, float bottom)
{
    float margin = fminf(ui->em, 0.05f * view->width);
    return (CardPlace){.middle = view->x + 0.5f * view->width,
                       .bottom = bottom,
                       .width = fminf(34.0f * ui->em, view->width - 2.0f * margin),
                       .tallest = fmaxf(bottom - view->y - 0.5f * ui->em, 4.0f * ui->em)};
}

// If true, it is shown; call card_end.
static bool card_begin(Ui *ui, const char *id, CardPlace place, ImU32 edge)
{
    float width = place.width, tallest = place.tallest;
    if (width < 6.0f * ui->em) return false;
    ImVec4 colour;
    igColorConvertU32ToFloat4(&colour, edge);
    igSetNextWindowPos((ImVec2){place.middle, place.bottom}, ImGuiCond_Always,
                       (ImVec2){0.5f, 1.0f});
    igSetNextWindowSize((ImVec2){width, 0.0f}, ImGuiCond_Always);
    igSetNextWindowSizeConstraints((ImVec2){width, 0.0f}, (ImVec2){width, tallest}, NULL, NULL);
    igPushStyleColor_Vec4(ImGuiCol_Border, colour);
    igPushStyleVar_Float(ImGuiStyleVar_WindowRounding, 0.5f * ui->em);
    igPushStyleVar_Float(ImGuiStyleVar_WindowBorderSize, fmaxf(1.0f, 0.1f * ui->em));
    igBegin(id, NULL,
            ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoCollapse |
                ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoFocusOnAppearing |
                ImGuiWindowFlags_NoNav);
    igColorConvertU32ToFloat4(&colour, ui->palette.line);
    igPushStyleColor_Vec4(ImGuiCol_Border, colour); // the border of the card, not of its buttons
    return true;
}

static void card_end(Ui *ui)
{
    ui_cover_view(ui);
    igPopStyleColor(1);
    igEnd();
    igPopStyleVar(2);
    igPopStyleColor(1);
}

static double shortest_trial(const Remedies *remedies)
{
    double shortest = INFINITY;
    for (int i = 0; i < remedies->count; i++) shortest = fmin(shortest, remedies->remedy[i].tried);
    return shortest;
}

// What the lab has tried so far, each a button. Returns how many.
static int remedy_buttons(Ui *ui, const Autopsy *autopsy)
{
    const Remedies *remedies = &ui->lab->remedies;
    if (!autopsy->present) return 0;
    if (!ui_analysis(ui) || remedies->autopsy != autopsy->serial) {
        widget_text(ui->fonts.small, ui->palette.dim, "Trying what would have helped \u2026");
        return 0;
    }
    char text[96];
    if (remedies->count == 0)
        snprintf(text, sizeof text, "%s",
                 remedies->complete ? "No single change that was tried would have helped."
                                    : "Trying what would have helped \u2026");
    else
        snprintf(text, sizeof text,
                 "Tried from there, and stable for %.2g s%s:", shortest_trial(remedies),
                 remedies->complete ? "" : " (more are being tried)");
    widget_text(ui->fonts.small, ui->palette.dim, text);
    for (int i = 0; i < remedies->count; i++) {
        const Remedy *remedy = &remedies->remedy[i];
        if (i > 0) widget_beside(ui, remedy->label);
        igPushID_Int(i);
        if (widget_button(ui, remedy->label, true)) {
            Command commands[REMEDY_COMMANDS];
            remedy_commands(remedy, autopsy, commands);
            for (int c = 0; c < REMEDY_COMMANDS; c++) {
                commands[c].lane = ui_only_lane(ui);
                ui_send(ui, commands[c]);
            }
            ui_send(ui, (Command){.kind = COMMAND_RUN});
        }
        igPopID();
    }
    return remedies->count;
}

// Where the lower edge of a card over all of the view is: above the hint or the strips.
static float lowest(const Ui *ui)
{
    const Rect *view = &ui->layout.view;
    float strip = ui->lanes[ui->stage->selected].strip.height;
    return view->y + view->height - fmaxf(strip + 0.6f * ui->em, 2.6f * ui->em);
}

// In a lane's own picture, short; of the selected lane with what would have helped.
static void lane_card(Ui *ui, int lane)
{
    const Snapshot *now = &ui->stage->lanes[lane];
    const Rect *view = &ui->lanes[lane].view;
    float room = fminf(2.6f * ui->em, 0.15f * view->height); // for the hint
    CardPlace place = place_over(ui, view, view->y + view->height - room);
    char id[24];
    snprintf(id, sizeof id, "##diverged%d", lane);
    if (view->width <= 0.0f || !card_begin(ui, id, place, ui->palette.red)) return;
    char first[sizeof now->diverged_text]; // of its parts: the others are for the whole card
    snprintf(first, sizeof first, "%.*s", (int)strcspn(now->diverged_text, ";"),
             now->diverged_text);
    widget_text_wrapped(ui->fonts.small, ui->palette.text, first);
    if (lane == ui->stage->selected) {
        if (remedy_buttons(ui, &now->autopsy) > 0) widget_beside(ui, "more");
        if (widget_button(ui, "more", false)) ui->whole_autopsy = true;
        widget_tooltip(ui, "How it was detected, when it began, and how fast it grew.");
    }
    card_end(ui);
}

// What happened, what can be done, and the reasons: buttons first, so that they are always in
// reach.
static void autopsy_card(Ui *ui)
{
    const Snapshot *now = ui->now;
    const Autopsy *autopsy = &now->autopsy;
    Rect view = ui->layout.view;
    int neighbour = ui->stage->selected ^ 1; // not over the lane itself, if there is one beside it
    if (neighbour < ui->stage->count && ui->lanes[neighbour].view.width > 0.0f) {
        view.x = ui->lanes[neighbour].view.x;
        view.width = ui->lanes[neighbour].view.width;
    }
    char title[32] = "Diverged";
    if (ui_has_lanes(ui))
        snprintf(title, sizeof title, "Lane %d diverged", ui->stage->selected + 1);
    if (!card_begin(ui, "##diverged", place_over(ui, &view, lowest(ui)), ui->palette.red)) return;
    widget_text(ui->fonts.title, ui->palette.red, title);
    widget_text_wrapped(ui->fonts.regular, ui->palette.text, now->diverged_text);
    igDummy((ImVec2){0, ui_ems(ui, 0.2f)});
    if (widget_button(ui, "back to the start", false))
        ui_send(ui, (Command){.kind = COMMAND_RESET});
    if (autopsy->present && autopsy->can_go_back) {
        widget_beside(ui, "back to a good state");
        if (widget_button(ui, "back to a good state", false))
            ui_send(ui, (Command){.kind = COMMAND_REWIND, .lane = ui_only_lane(ui)});
    }
    if (ui_has_lanes(ui)) {
        widget_beside(ui, "less");
        if (widget_button(ui, "less", false)) ui->whole_autopsy = false;
    }
    remedy_buttons(ui, autopsy);
    igDummy((ImVec2){0, ui_ems(ui, 0.2f)});
    for (int i = 0; autopsy->present && i < autopsy->line_count; i++)
        widget_text_wrapped(ui->fonts.small, ui->palette.dim, autopsy->lines[i]);
    card_end(ui);
}

static void message_card(Ui *ui, const char *id, const char *text, float bottom)
{
    if (!card_begin(ui, id, place_over(ui, &ui->layout.view, bottom), ui->palette.amber)) return;
    widget_text_wrapped(ui->fonts.regular, ui->palette.text, text);
    card_end(ui);
}

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
    const Rect *view = &ui->lanes[ui->lane_view == LANE_VIEW_ALL ? 0 : ui->stage->selected].view;
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

void panel_overlay(Ui *ui)
{
    const Rect *view = &ui->layout.view;
    if (view->width < ui->em || view->height < 4.0f * ui->em) return;
    if (!lesson_is_open(ui) || ui->now->in_past) draw_hint(ui);
    // a lesson says itself what happened
    bool alone = !ui_has_lanes(ui) && !lesson_is_open(ui);
    bool whole = ui->now->diverged && (alone || ui->whole_autopsy);
    for (int i = 0; ui_has_lanes(ui) && i < ui->stage->count; i++) {
        bool covered = whole && i == ui->stage->selected;
        bool low = ui->lanes[i].view.height < LOW_PICTURE_EMS * ui->em; // its strip says it too
        if (low && i != ui->stage->selected) continue;
        bool hidden = ui->plots.shown != PLOT_NONE; // by a plot
        if (ui->stage->lanes[i].diverged && !covered && !hidden) lane_card(ui, i);
    }
    if (whole) autopsy_card(ui);
    if (ui->now->notice_serial != ui->notice_seen) {
        ui->notice_seen = ui->now->notice_serial;
        if (ui->now->notice[0]) ui_say(ui, ui->now->notice);
    }
    // messages at the top while the autopsy is at the bottom
    float bottom = whole ? view->y + 6.0f * ui->em : lowest(ui);
    if (ui->shader_message[0]) {
        message_card(ui, "##shader", ui->shader_message, bottom);
        bottom -= 6.0f * ui->em; // above the other card
    }
    if (clock_seconds() < ui->message_until) message_card(ui, "##message", ui->message, bottom);
}
