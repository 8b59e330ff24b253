// After a divergence: what happened, what would have helped, and the ways back. The report is a
// dock below the picture; with lanes, a short one is a card in the lane's own picture if it fits.
// Its text scrolls, its buttons stay.
#include "ui/cards.h"
#include "ui/lanes.h"
#include "ui/lesson_panel.h"
#include "ui/panels.h"
#include "ui/widgets.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CARD_EMS = 34, LEAST_CARD_EMS = 12 }; // width of a card in a lane's picture
#define LEAST_TEXT_LINES 1.5f                // beside the buttons, or everything scrolls together
#define DOCK_SHARE 0.5f                      // of the middle, as in layout.c
enum { WIDE_EMS = 56 };                      // wider docks have the buttons beside the text

typedef enum ActionKind {
    ACTION_REMEDY,
    ACTION_START,
    ACTION_GOOD_STATE,
    ACTION_MORE,
    ACTION_LESS
} ActionKind;

typedef struct Action {
    ActionKind kind;
    int remedy;
    const char *label, *help;
} Action;

enum { ACTIONS_MAX = REMEDIES_MAX + 3 };

typedef struct Report {
    int lane;
    bool whole; // else only the first sentence
    char title[32], reason[sizeof((Snapshot *)0)->diverged_text], tried[96];
    const Autopsy *autopsy;
    int remedy_count, action_count; // remedies come first
    Action actions[ACTIONS_MAX];
} Report;

static Divergence divergence_of(const Ui *ui, int lane)
{
    const Snapshot *now = &ui->stage->lanes[lane];
    bool present = now->autopsy.present;
    return (Divergence){.serial = present ? now->autopsy.serial : 0,
                        .topology = now->topology_version,
                        .time = present ? now->autopsy.time : now->readings.time};
}

static bool same(Divergence a, Divergence b)
{
    return a.serial == b.serial && a.topology == b.topology && a.time == b.time;
}

bool autopsy_is_open(const Ui *ui, int lane)
{
    return ui->stage->lanes[lane].diverged && !same(ui->closed[lane], divergence_of(ui, lane));
}

void autopsy_close(Ui *ui, int lane)
{
    ui->closed[lane] = divergence_of(ui, lane);
    if (lesson_is_open(ui)) ui->whole_autopsy = false;
}

void autopsy_open(Ui *ui, int lane)
{
    ui->closed[lane] = (Divergence){0};
    if (lesson_is_open(ui) && ui->stage->lanes[lane].diverged) ui->whole_autopsy = true;
}

// ---- what a report says

static double shortest_trial(const Remedies *remedies)
{
    double shortest = INFINITY;
    for (int i = 0; i < remedies->count; i++) shortest = fmin(shortest, remedies->remedy[i].tried);
    return shortest;
}

static void add_action(Report *report, ActionKind kind, int remedy, const char *label,
                       const char *help)
{
    report->actions[report->action_count++] = (Action){kind, remedy, label, help};
}

// What the lab has tried so far, each a button.
static void add_remedies(const Ui *ui, Report *report)
{
    const Remedies *remedies = &ui->lab->remedies;
    size_t size = sizeof report->tried;
    if (!report->autopsy->present || report->lane != ui->stage->selected) return;
    bool known = ui_analysis(ui) && remedies->autopsy == report->autopsy->serial;
    if (!known || (remedies->count == 0 && !remedies->complete))
        snprintf(report->tried, size, "Trying what would have helped …");
    else if (remedies->count == 0)
        snprintf(report->tried, size, "No single change that was tried would have helped.");
    else
        snprintf(report->tried, size,
                 "Tried from there, and stable for %.2g s%s:", shortest_trial(remedies),
                 remedies->complete ? "" : " (more are being tried)");
    for (int i = 0; known && i < remedies->count; i++)
        add_action(report, ACTION_REMEDY, i, remedies->remedy[i].label,
                   "Goes back to a good state and on with this change.");
    report->remedy_count = report->action_count;
}

static void fill_report(const Ui *ui, int lane, bool whole, Report *report)
{
    const Snapshot *now = &ui->stage->lanes[lane];
    *report = (Report){.lane = lane, .whole = whole, .autopsy = &now->autopsy};
    snprintf(report->title, sizeof report->title, "Diverged");
    if (ui_has_lanes(ui))
        snprintf(report->title, sizeof report->title, "Lane %d diverged", lane + 1);
    size_t length = whole ? strlen(now->diverged_text) : strcspn(now->diverged_text, ";");
    snprintf(report->reason, sizeof report->reason, "%.*s", (int)length, now->diverged_text);
    add_remedies(ui, report);
    if (lane != ui->stage->selected) return;
    if (whole) {
        add_action(report, ACTION_START, 0, "back to the start", NULL);
        if (now->autopsy.present && now->autopsy.can_go_back)
            add_action(report, ACTION_GOOD_STATE, 0, "back to a good state", NULL);
    }
    if (ui_has_lanes(ui))
        add_action(report, whole ? ACTION_LESS : ACTION_MORE, 0, whole ? "less" : "more",
                   whole ? NULL : "How it was detected, when it began, and how fast it grew.");
}

// ---- how large it is

typedef struct ReportSize {
    float title, text, buttons; // heights
    float inside;               // width
    float column;               // of that, for buttons beside the text; 0: they are below
    float padding;              // above and below, together with the gaps
    float beside;               // of the width, for the x at the right of the text
} ReportSize;

static float row_height(void)
{
    return igGetFrameHeight() + igGetStyle()->ItemSpacing.y;
}

// Rows that buttons take, as widget_beside puts them.
static float rows_height(const Ui *ui, const Action *actions, int count, float width)
{
    const ImGuiStyle *style = igGetStyle();
    float x = 0.0f, rows = 0.0f;
    for (int i = 0; i < count; i++) {
        float need =
            widget_text_width(ui->fonts.regular, actions[i].label) + 2.0f * style->FramePadding.x;
        bool beside = i > 0 && x + style->ItemSpacing.x + need <= width;
        rows += beside ? 0.0f : 1.0f;
        x = beside ? x + style->ItemSpacing.x + need : need;
    }
    return rows * row_height();
}

static float text_height(const Ui *ui, const Report *report, float width)
{
    Font small = ui->fonts.small;
    float height =
        widget_wrapped_height(report->whole ? ui->fonts.regular : small, report->reason, width);
    if (!report->whole || !report->autopsy->present) return height;
    height += igGetStyle()->ItemSpacing.y;
    for (int i = 0; i < report->autopsy->line_count; i++)
        height += widget_wrapped_height(small, report->autopsy->lines[i], width) +
                  igGetStyle()->ItemSpacing.y;
    return height;
}

static float buttons_height(const Ui *ui, const Report *report, float width)
{
    float height = 0.0f;
    if (report->tried[0])
        height += widget_wrapped_height(ui->fonts.small, report->tried, width) +
                  igGetStyle()->ItemSpacing.y;
    height += rows_height(ui, report->actions, report->remedy_count, width);
    int rest = report->action_count - report->remedy_count;
    return height + rows_height(ui, report->actions + report->remedy_count, rest, width);
}

// `compact`: without a title, which the top bar has too.
static ReportSize size_of(const Ui *ui, const Report *report, float width, bool compact)
{
    const ImGuiStyle *style = igGetStyle();
    ReportSize size = {.inside = width - 2.0f * style->WindowPadding.x,
                       .padding = 2.0f * style->WindowPadding.y + style->ItemSpacing.y};
    size.title = compact ? 0.0f : ui->fonts.title.height + style->ItemSpacing.y;
    if (compact) size.beside = card_close_width(ui);
    if (width >= WIDE_EMS * ui->em) size.column = floorf(0.42f * size.inside);
    float beside = size.column > 0.0f ? size.column + 1.5f * ui->em : 0.0f;
    size.text = text_height(ui, report, size.inside - beside - size.beside);
    size.buttons = buttons_height(ui, report, size.column > 0.0f ? size.column : size.inside);
    return size;
}

static float wanted_height(const ReportSize *s)
{
    return ceilf(s->padding + s->title +
                 (s->column > 0.0f ? fmaxf(s->text, s->buttons) : s->text + s->buttons));
}

static float least_height(const Ui *ui, const ReportSize *s)
{
    float text = fminf(s->text, floorf(LEAST_TEXT_LINES * ui->fonts.regular.height));
    return ceilf(s->padding + s->title +
                 (s->column > 0.0f ? fmaxf(text, s->buttons) : text + s->buttons));
}

// ---- drawing it

static void act(Ui *ui, const Report *report, const Action *action)
{
    switch (action->kind) {
    case ACTION_REMEDY: {
        Command commands[REMEDY_COMMANDS];
        remedy_commands(&ui->lab->remedies.remedy[action->remedy], report->autopsy, commands);
        for (int c = 0; c < REMEDY_COMMANDS; c++) {
            commands[c].lane = ui_only_lane(ui);
            ui_send(ui, commands[c]);
        }
        ui_send(ui, (Command){.kind = COMMAND_RUN});
        break;
    }
    case ACTION_START:
        ui_send(ui, (Command){.kind = COMMAND_RESET});
        break;
    case ACTION_GOOD_STATE:
        ui_send(ui, (Command){.kind = COMMAND_REWIND, .lane = ui_only_lane(ui)});
        break;
    case ACTION_MORE:
        ui->whole_autopsy = true;
        break;
    case ACTION_LESS:
        ui->whole_autopsy = false;
        break;
    }
}

static void draw_actions(Ui *ui, const Report *report)
{
    if (report->tried[0]) widget_text_wrapped(ui->fonts.small, ui->palette.dim, report->tried);
    for (int i = 0; i < report->action_count; i++) {
        const Action *action = &report->actions[i];
        bool first = i == 0 || i == report->remedy_count;
        if (!first) widget_beside(ui, action->label);
        igPushID_Int(i);
        if (widget_button(ui, action->label, action->kind == ACTION_REMEDY))
            act(ui, report, action);
        widget_tooltip(ui, action->help);
        igPopID();
    }
}

static void draw_text(Ui *ui, const Report *report)
{
    widget_text_wrapped(report->whole ? ui->fonts.regular : ui->fonts.small, ui->palette.text,
                        report->reason);
    for (int i = 0; report->whole && report->autopsy->present && i < report->autopsy->line_count;
         i++)
        widget_text_wrapped(ui->fonts.small, ui->palette.dim, report->autopsy->lines[i]);
}

// In a window of that height.
static void draw_report(Ui *ui, const Report *report, const ReportSize *size, float height)
{
    if (card_close_button(ui)) autopsy_close(ui, report->lane);
    if (size->title > 0.0f) widget_text(ui->fonts.title, ui->palette.red, report->title);
    float room = height - size->padding - size->title;
    if (height < least_height(ui, size)) { // everything scrolls: the buttons first
        card_scroll_begin(ui, size->inside - size->beside, room);
        draw_actions(ui, report);
        draw_text(ui, report);
        card_scroll_end();
    } else if (size->column > 0.0f) {
        card_scroll_begin(ui, size->inside - size->beside - size->column - 1.5f * ui->em, room);
        draw_text(ui, report);
        card_scroll_end();
        igSameLine(0.0f, 1.5f * ui->em);
        igBeginGroup();
        draw_actions(ui, report);
        igEndGroup();
    } else {
        card_scroll_begin(ui, size->inside - size->beside, fminf(room - size->buttons, size->text));
        draw_text(ui, report);
        card_scroll_end();
        draw_actions(ui, report);
    }
}

// The lane's picture as it would be without a dock.
static Rect undocked_view(const Ui *ui, int lane)
{
    LaneLayout lanes[SCENE_LANES_MAX];
    Rect all = ui->layout.view;
    if (ui->lane_view != LANE_VIEW_ALL) return ui->lanes[lane].view;
    all.height += ui->layout.dock.height;
    lanes_place(ui, all, lanes);
    return lanes[lane].view;
}

// A short report in a lane's picture. Height 0: it does not fit there.
static Rect lane_card_place(const Ui *ui, const Report *report, Rect view, ReportSize *size)
{
    float width = floorf(fminf(CARD_EMS * ui->em, view.width - 2.0f * ui->em));
    if (width < LEAST_CARD_EMS * ui->em) return (Rect){0};
    *size = size_of(ui, report, width, false);
    float height = wanted_height(size);
    if (height > view.height - 3.0f * ui->em) return (Rect){0};
    return (Rect){floorf(view.x + 0.5f * (view.width - width)),
                  floorf(view.y + view.height - height - 2.2f * ui->em), width, height};
}

static bool fits_in_lane(const Ui *ui, int lane)
{
    Report report;
    ReportSize size;
    fill_report(ui, lane, false, &report);
    return lane_card_place(ui, &report, undocked_view(ui, lane), &size).height > 0.0f;
}

static void lane_card(Ui *ui, int lane)
{
    Report report;
    ReportSize size;
    fill_report(ui, lane, false, &report);
    Rect card = lane_card_place(ui, &report, ui->lanes[lane].view, &size);
    if (card.height < 1.0f) return; // its strip says it, too
    char id[24];
    snprintf(id, sizeof id, "##diverged%d", lane);
    card_begin(ui, id, card, ui->palette.red, true);
    draw_report(ui, &report, &size, card.height);
    card_end(ui);
}

static void draw_dock(Ui *ui, bool whole)
{
    Report report;
    const Rect *dock = &ui->layout.dock;
    fill_report(ui, ui->stage->selected, whole, &report);
    ReportSize size = size_of(ui, &report, dock->width, false);
    ReportSize compact = size_of(ui, &report, dock->width, true);
    // with a title only if nothing scrolls then
    bool low = wanted_height(&size) > DOCK_SHARE * (ui->layout.view.height + dock->height);
    const ReportSize *used = low ? &compact : &size;
    ui->wish.dock = wanted_height(used); // for the next frame
    ui->wish.dock_least = least_height(ui, used);
    if (dock->height < 1.0f) return;
    card_begin(ui, "##diverged", *dock, 0, false);
    draw_report(ui, &report, used, dock->height);
    ImDrawList *list = igGetWindowDrawList();
    float line = fmaxf(2.0f, floorf(0.16f * ui->em));
    ImDrawList_PushClipRectFullScreen(list);
    ImDrawList_AddRectFilled(list, (ImVec2){dock->x, dock->y},
                             (ImVec2){dock->x + dock->width, dock->y + line}, ui->palette.red, 0.0f,
                             0);
    ImDrawList_PopClipRect(list);
    card_end(ui);
}

void panel_autopsy(Ui *ui)
{
    int selected = ui->stage->selected;
    bool open = autopsy_is_open(ui, selected), lanes = ui_has_lanes(ui);
    bool low = lanes && ui->lane_view != LANE_VIEW_OVERLAY && !fits_in_lane(ui, selected);
    bool whole = !lanes || ui->whole_autopsy;
    bool told = lesson_is_open(ui) && !ui->whole_autopsy; // it says itself what happened
    if (told) open = false;
    bool docked = open && (whole || low || ui->lane_view == LANE_VIEW_OVERLAY);
    ui->wish.dock = ui->wish.dock_least = 0.0f;
    for (int i = 0; lanes && i < ui->stage->count; i++) {
        bool hidden = ui->lanes[i].view.width <= 0.0f || (docked && i == selected) ||
                      ui->plots.shown != PLOT_NONE; // by a plot
        if (autopsy_is_open(ui, i) && !hidden && !told) lane_card(ui, i);
    }
    if (!docked) return;
    Divergence now = divergence_of(ui, selected);
    if (!same(now, ui->seen)) { // news: nothing lies over it
        ui->wish.controls_drawer = ui->wish.readouts_drawer = false;
        ui->seen = now;
    }
    draw_dock(ui, whole);
}
