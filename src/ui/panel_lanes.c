// Around the pictures of several lanes: a strip below each that says what it is and how it does,
// and a border around the selected one.
#include "ui/lanes.h"
#include "ui/panels.h"
#include "ui/plots.h"
#include "ui/widgets.h"

#include "ui/imgui_versions.h"

#include <math.h>
#include <stdio.h>

// What a strip says besides the name, from left to right. The width is that of the longest text,
// so that nothing moves while numbers change.
enum { ITEM_ROLE, ITEM_STEP, ITEM_COST, ITEM_DISTANCE, ITEM_WORD, ITEM_SHARE, ITEMS };
typedef struct Item {
    char text[72];
    float width;
    bool shown;
} Item;

static void fill_items(const Ui *ui, int lane, const Lamp *lamp, const LaneNames *names,
                       Item *items)
{
    static const char *const widest[ITEMS] = {[ITEM_STEP] = "h 99.9 ms",
                                              [ITEM_COST] = "9.99 s/s",
                                              [ITEM_DISTANCE] = "9.9 mm off",
                                              [ITEM_WORD] = "Diverged",
                                              [ITEM_SHARE] = "0.999"};
    const Snapshot *now = &ui->stage->lanes[lane];
    QuantityText step = quantity_text(now->readings.step, "s");
    QuantityText off = quantity_text_length(now->distance_rms);
    bool own = lane_owns(&now->lane, param_find("step"));
    bool said = names->has_step && now->scene.params.step != PARAM_WORD;
    size_t size = sizeof items->text;
    if (lane == ui->stage->reference) snprintf(items[ITEM_ROLE].text, size, "reference");
    if (!said)
        snprintf(items[ITEM_STEP].text, size, "h %s %s%s", step.value, step.unit,
                 own && !names->has_step ? " · own" : "");
    if (!now->diverged && now->cost_rate > 0.0)
        lane_cost(now->cost_rate, items[ITEM_COST].text, size);
    if (lane != ui->stage->reference && isfinite(now->distance_rms))
        snprintf(items[ITEM_DISTANCE].text, size, "%s %s off", off.value, off.unit);
    snprintf(items[ITEM_WORD].text, size, "%s", lamp->word);
    snprintf(items[ITEM_SHARE].text, size, "%s", lamp->share);
    for (int i = 0; i < ITEMS; i++) {
        float width = widget_text_width(ui->fonts.regular, items[i].text);
        float least = widest[i] ? widget_text_width(ui->fonts.regular, widest[i]) : 0.0f;
        items[i].width = items[i].text[0] ? fmaxf(width, least) : 0.0f;
    }
}

static const char *tooltip_of(const Ui *ui, int lane, const Lamp *lamp, char *text, size_t size)
{
    const Snapshot *now = &ui->stage->lanes[lane];
    char title[LANE_TITLE_SIZE], off[96] = "";
    lane_title(ui, lane, title, sizeof title);
    QuantityText step = quantity_text(now->readings.step, "s");
    QuantityText rms = quantity_text_length(now->distance_rms);
    if (isfinite(now->distance_rms) && lane != ui->stage->reference)
        snprintf(off, sizeof off, "\n%s %s off the reference (rms)", rms.value, rms.unit);
    snprintf(text, size,
             "Lane %d: %s\n%s: %s\nh = %s %s%s\n%.2g s of computing per simulated second%s%s",
             lane + 1, title, lamp->word, lamp->caption, step.value, step.unit,
             lane_owns(&now->lane, param_find("step")) ? ", its own" : "", now->cost_rate, off,
             lane == ui->stage->reference ? "\nThe others are compared with it." : "");
    return text;
}

static void outline(ImDrawList *list, Rect r, float inset, ImU32 colour, float thickness)
{
    imgui_add_outline(list, (ImVec2){r.x + inset, r.y + inset},
                      (ImVec2){r.x + r.width - inset, r.y + r.height - inset}, colour, 0.0f,
                      thickness);
}

// Thickness of the selected lane's.
static float border(const Ui *ui)
{
    return fmaxf(2.0f, floorf(0.14f * ui->em));
}

// What a strip has to say, and where.
typedef struct Strip {
    Rect place;
    int title_lines;
    float gap, dot;
    Lamp lamp;
    Item items[ITEMS];
    const char *name;
} Strip;

// Returns where its word begins, from x.
static float strip_dot(const Strip *strip, float x, float middle)
{
    ImDrawList_AddCircleFilled(igGetWindowDrawList(), (ImVec2){floorf(x + strip->dot), middle},
                               strip->dot, strip->lamp.colour, 0);
    return 2.0f * strip->dot + 0.5f * strip->gap;
}

// The lamp with its word and the name are always there, the rest in the order of `importance` as
// long as there is room.
static void draw_one_line(Ui *ui, Strip *strip)
{
    static const int importance[] = {ITEM_WORD,  ITEM_DISTANCE, ITEM_STEP,
                                     ITEM_SHARE, ITEM_COST,     ITEM_ROLE};
    const Palette *p = &ui->palette;
    Font font = ui->fonts.regular;
    ImDrawList *list = igGetWindowDrawList();
    Item *items = strip->items;
    float gap = strip->gap, left = strip->place.x + gap;
    float right = strip->place.x + strip->place.width - gap;
    float room = right - left - 2.0f * strip->dot - 0.5f * gap;
    float name = widget_text_width(ui->fonts.bold, strip->name);
    for (int i = 0; i < ITEMS; i++) {
        Item *item = &items[importance[i]];
        if (item->width == 0.0f) continue;
        if (item->width + name + 2.0f * gap > room && i > 0) break;
        item->shown = true;
        room -= item->width + gap;
    }
    float middle = strip->place.y + 0.5f * strip->place.height;
    float y = floorf(middle - 0.5f * font.height + 0.06f * ui->em);
    for (int i = ITEMS - 1; i >= ITEM_WORD; i--) {
        if (!items[i].shown) continue;
        right -= items[i].width;
        widget_draw_text(list, font, i == ITEM_WORD ? p->text : p->dim, right, y, items[i].text);
        right -= i == ITEM_WORD ? 0.5f * gap : gap;
    }
    right -= 2.0f * strip->dot;
    strip_dot(strip, right, middle);
    right -= gap;
    left += widget_draw_text(list, ui->fonts.bold, p->text, left, y, strip->name) + gap;
    for (int i = 0; i < ITEM_WORD; i++) {
        if (!items[i].shown) continue;
        widget_draw_text(list, font, p->dim, left, y, items[i].text);
        left += items[i].width + gap;
    }
}

// The name above, in one line or two; below it the lamp with its word, and what else there is room
// for.
static void draw_two_lines(Ui *ui, Strip *strip)
{
    static const int importance[] = {ITEM_WORD,  ITEM_DISTANCE, ITEM_STEP,
                                     ITEM_SHARE, ITEM_COST,     ITEM_ROLE};
    const Palette *p = &ui->palette;
    Font font = ui->fonts.regular;
    ImDrawList *list = igGetWindowDrawList();
    float left = strip->place.x + strip->gap;
    float right = strip->place.x + strip->place.width - strip->gap;
    float y = floorf(strip->place.y + 0.45f * ui->em);
    const char *name = strip->name;
    for (int i = 0; i < strip->title_lines; i++) {
        char line[LANE_TITLE_SIZE] = "";
        if (name) name = lane_name_line(name, ui->fonts.bold, right - left, line, sizeof line);
        widget_draw_text(list, ui->fonts.bold, p->text, left, y, line);
        y = floorf(y + 1.3f * ui->em);
    }
    y = floorf(y + 0.1f * ui->em);
    left += strip_dot(strip, left, y + 0.5f * font.height - 0.02f * ui->em);
    for (int i = 0; i < ITEMS; i++) {
        const Item *item = &strip->items[importance[i]];
        if (item->width == 0.0f || left + item->width > right) continue;
        widget_draw_text(list, font, i == 0 ? p->text : p->dim, left, y, item->text);
        left += item->width + strip->gap;
    }
}

static void draw_strip(Ui *ui, int lane, const LaneNames *names)
{
    const Rect *place = &ui->lanes[lane].strip;
    const Palette *p = &ui->palette;
    ImDrawList *list = igGetWindowDrawList();
    Strip strip = {.place = *place,
                   .gap = STRIP_GAP * ui->em,
                   .dot = STRIP_DOT * ui->em,
                   .lamp = lamp_of(ui, lane),
                   .title_lines = ui->lanes[lane].title_lines,
                   .name = names->text[lane]};
    fill_items(ui, lane, &strip.lamp, names, strip.items);
    if (ui->lanes[lane].two_lines)
        draw_two_lines(ui, &strip);
    else
        draw_one_line(ui, &strip);
    char text[512];
    igInvisibleButton("strip", (ImVec2){place->width, place->height}, 0);
    if (igIsItemActivated()) ui_select_lane(ui, lane);
    widget_tooltip(ui, tooltip_of(ui, lane, &strip.lamp, text, sizeof text));
    float line = fmaxf(2.0f, floorf(0.16f * ui->em));
    ImDrawList_AddRectFilled(list, (ImVec2){place->x, place->y},
                             (ImVec2){place->x + place->width, place->y + line},
                             theme_lane_colour(p, lane), 0.0f, 0);
    if (ui->lane_view == LANE_VIEW_OVERLAY && lane == ui->stage->selected)
        outline(list, *place, 0.5f * border(ui), p->accent, border(ui));
}

static void strip_window(Ui *ui, int lane, const LaneNames *names)
{
    const Rect *strip = &ui->lanes[lane].strip;
    char id[24];
    snprintf(id, sizeof id, "##strip%d", lane);
    igSetNextWindowPos((ImVec2){strip->x, strip->y}, ImGuiCond_Always, (ImVec2){0, 0});
    igSetNextWindowSize((ImVec2){strip->width, strip->height}, ImGuiCond_Always);
    igPushStyleVar_Vec2(ImGuiStyleVar_WindowPadding, (ImVec2){0, 0});
    igBegin(id, NULL,
            ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoNav |
                ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoFocusOnAppearing |
                ImGuiWindowFlags_NoBringToFrontOnFocus);
    draw_strip(ui, lane, names);
    igEnd();
    igPopStyleVar(1);
}

// Beside a lane that is alone in its row there is nothing.
static void clear_beside(const Ui *ui, ImDrawList *list, Rect lane)
{
    const Rect *view = &ui->layout.view;
    float bottom = view->y + view->height;
    ImDrawList_AddRectFilled(list, (ImVec2){view->x, lane.y}, (ImVec2){lane.x, bottom},
                             ui->palette.ground, 0.0f, 0);
    ImDrawList_AddRectFilled(list, (ImVec2){lane.x + lane.width, lane.y},
                             (ImVec2){view->x + view->width, bottom}, ui->palette.ground, 0.0f, 0);
}

// Lines between the lanes, and the border of the selected one.
static void draw_borders(Ui *ui)
{
    const StageSnapshot *stage = ui->stage;
    const Rect *view = &ui->layout.view;
    igSetNextWindowPos((ImVec2){view->x, view->y}, ImGuiCond_Always, (ImVec2){0, 0});
    igSetNextWindowSize((ImVec2){view->width, view->height}, ImGuiCond_Always);
    igPushStyleVar_Vec2(ImGuiStyleVar_WindowPadding, (ImVec2){0, 0}); // it would clip the lines
    igBegin("##lanes", NULL,
            ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoInputs |
                ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoFocusOnAppearing |
                ImGuiWindowFlags_NoBringToFrontOnFocus);
    igPopStyleVar(1);
    ImDrawList *list = igGetWindowDrawList();
    bool alone = ui->lanes[2].view.y > ui->lanes[0].view.y; // also where all are in one column
    if (stage->count == 3 && ui->lane_view == LANE_VIEW_ALL && alone)
        clear_beside(ui, list, ui->lanes[2].view);
    for (int i = 0; i < stage->count; i++) {
        Rect whole = ui->lanes[i].view;
        if (whole.width <= 0.0f) continue;
        if (ui->lane_view != LANE_VIEW_OVERLAY) whole.height += ui->lanes[i].strip.height;
        outline(list, whole, 0.5f, ui->palette.line, 1.0f);
    }
    float thick = border(ui);
    if (ui->lane_view == LANE_VIEW_ALL)
        outline(list, ui->lanes[stage->selected].view, 0.5f * thick, ui->palette.accent, thick);
    igEnd();
}

void panel_lanes(Ui *ui)
{
    if (!ui_has_lanes(ui) || plots_hide_view(ui)) return;
    draw_borders(ui);
    for (int i = 0; i < ui->stage->count; i++) {
        if (ui->lanes[i].strip.height <= 0.0f) continue;
        LaneNames names = lane_strip_names(ui, &ui->lanes[i]);
        strip_window(ui, i, &names);
    }
}
