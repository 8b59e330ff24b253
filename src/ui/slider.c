// A parameter's slider: dragging, fine dragging, keys, and what theory calls stable.
#include "ui/tuning.h"
#include "ui/widgets.h"

#include "base/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INSIDE 0.01        // of a limit, between it and a value just inside
#define FINE 0.1           // of the mouse's way, with Shift
#define KEY_STEP 0.01      // of the slider's length
#define KEY_MEMORY 1.0     // s: keys that follow each other sooner are one change
#define LARGEST_SPARE 1e-9 // relative, so that the largest value stays on the stable side

double tuning_value(const Ui *ui, const ParamInfo *info, bool *word)
{
    bool held = ui->held_param == param_index(info);
    double value = held ? ui->held_value : param_get(&ui->now->scene.params, info);
    *word = false;
    if (!info->word || value != PARAM_WORD) return value;
    if (strcmp(info->name, "step") == 0) return ui->now->readings.step;
    if (strcmp(info->name, "alpha") == 0) return ui->now->readings.alpha;
    *word = true;
    return strcmp(info->name, "leu_interval") == 0 ? UI_LEU_INTERVAL : info->max;
}

bool tuning_has_range(const Ui *ui, const ParamInfo *info)
{
    static const char *const names[] = {"stretch", "shear", "bend", "alpha", "lambda"};
    const Params *params = &ui->now->scene.params;
    if (strcmp(info->name, "step") == 0) return true;
    if (params->step == PARAM_WORD || param_get(params, info) == PARAM_WORD) return false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(info->name, names[i]) == 0) return true;
    }
    return false;
}

StableRange tuning_stable_range(const Ui *ui, const ParamInfo *info)
{
    StableRange range = {-INFINITY, INFINITY};
    StepLimit limit = ui->now->readings.limit;
    if (strcmp(info->name, "step") == 0) {
        if (!limit.is_bound) range.high = limit.step;
        return range;
    }
    if (!ui_analysis(ui)) return range;
    const UnstableRanges *unstable = &ui->lab->unstable;
    const struct {
        const char *name;
        StableRange range;
    } known[] = {
        {"stretch", unstable->stretch}, {"shear", unstable->shear},   {"bend", unstable->bend},
        {"alpha", unstable->alpha},     {"lambda", unstable->lambda},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(info->name, known[i].name) == 0) return known[i].range;
    }
    return range;
}

// The limits of stiffnesses are estimates from above until the lab has searched for them.
static bool is_exact(const Ui *ui, const ParamInfo *info)
{
    bool stiffness = strcmp(info->unit, "N/m") == 0;
    return !stiffness || (ui_analysis(ui) && ui->lab->unstable.exact);
}

static double four_digits(double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.4g", value);
    return strtod(text, NULL);
}

double tuning_just_stable(const ParamInfo *info, StableRange range, bool upper)
{
    double value = upper ? (1.0 - INSIDE) * range.high : (1.0 + INSIDE) * range.low;
    return fmin(fmax(four_digits(value), info->min), info->max);
}

double tuning_largest_stretch(const Ui *ui, const char **why_not)
{
    const ParamInfo *info = param_find("stretch");
    double limit = tuning_stable_range(ui, info).high;
    *why_not = NULL;
    if (ui->now->scene.params.step == PARAM_WORD)
        *why_not = "The automatic step follows the stretch. Fix the step first.";
    else if (ui->now->readings.limit.is_bound)
        *why_not = "Theory has only a bound for this method: more may be stable too.";
    else if (!ui_analysis(ui))
        *why_not = "The lab has no result yet.";
    else if (!isfinite(limit))
        *why_not = "Any stretch is stable with this step and method.";
    else if (!ui->lab->unstable.exact)
        *why_not = "The lab is computing it.";
    else if (limit < info->min)
        *why_not = "No stretch is stable with this step.";
    if (*why_not) return NAN;
    double digit = pow(10.0, floor(log10(limit)) - 3.0);
    double value = floor(limit * (1.0 - LARGEST_SPARE) / digit) * digit;
    return fmin(fmax(four_digits(value), info->min), info->max);
}

// ---- the track

typedef struct Track {
    ImVec2 at;
    float width, height, left, length, y; // left and length: where the knob's centre can be
} Track;

static float place_of(const Track *track, const ParamInfo *info, double value)
{
    return track->left + track->length * (float)quantity_to_slider(info, value);
}

static void bar(const Ui *ui, const Track *track, float from, float to, ImU32 colour)
{
    float half = fmaxf(0.1f * ui->em, 1.0f);
    ImDrawList_AddRectFilled(igGetWindowDrawList(), (ImVec2){from, track->y - half},
                             (ImVec2){to, track->y + half}, colour, half, 0);
}

// The end of the stable range that the mouse is beyond: 1 above, -1 below, 0 within.
static int beyond(const ParamInfo *info, const Track *track, StableRange range, float x)
{
    if (range.high < info->max && x >= place_of(track, info, fmax(range.high, info->min))) return 1;
    if (range.low > info->min && x <= place_of(track, info, fmin(range.low, info->max))) return -1;
    return 0;
}

// One change with the others of the same gesture.
static void set_in_gesture(Ui *ui, const ParamInfo *info, double value)
{
    ui->in_gesture = true;
    ui_set_param(ui, info, value);
    ui->in_gesture = false;
}

static void hold(Ui *ui, const ParamInfo *info, double value)
{
    if (ui->held_param != param_index(info)) ui->gesture++;
    if (ui->held_param != param_index(info) || ui->held_value != value)
        set_in_gesture(ui, info, value);
    ui->held_param = param_index(info);
    ui->held_value = value;
}

// The slider follows the mouse; with Shift at a tenth of its speed, from where it is.
static void drag(Ui *ui, const ParamInfo *info, const Track *track, double value)
{
    ImVec2 mouse;
    igGetMousePos(&mouse);
    bool fine = igGetIO_Nil()->KeyShift;
    double at = (mouse.x - track->left) / track->length;
    if (igIsItemActivated()) {
        ui->drag_offset = fine ? quantity_to_slider(info, value) - at : 0.0;
        if (fine) ui->held_param = UI_NO_PARAM;
    } else if (fine) {
        ui->drag_offset -= (1.0 - FINE) * (at - ui->drag_at);
    }
    bool moved = !igIsItemActivated() && at != ui->drag_at;
    ui->drag_at = at;
    if (fine && !moved && ui->held_param != param_index(info)) return; // not yet touched
    hold(ui, info, quantity_from_slider(info, at + ui->drag_offset));
}

// A click on the red may be the first of two, which go back to what is stable. So it waits: until
// the mouse moves, or so long that no second one can follow.
static bool waits(Ui *ui, const ParamInfo *info, int side)
{
    ImGuiIO *io = igGetIO_Nil();
    if (igIsItemActivated() && side != 0 && !io->KeyShift) {
        ImVec2 mouse;
        igGetMousePos(&mouse);
        ui->waiting_param = param_index(info);
        ui->waiting_until = clock_seconds() + (double)io->MouseDoubleClickTime;
        ImVec2 min, size;
        igGetItemRectMin(&min);
        igGetItemRectSize(&size);
        float radius = 0.36f * ui->em;
        ui->drag_at = (mouse.x - min.x - radius) / (size.x - 2.0f * radius);
    }
    if (ui->waiting_param != param_index(info)) return false;
    bool over = clock_seconds() > ui->waiting_until;
    if (!over && !igIsMouseDragging(ImGuiMouseButton_Left, 3.0f)) return true;
    ui->waiting_param = UI_NO_PARAM;
    ui->drag_offset = 0.0;
    return false;
}

static void draw_track(const Ui *ui, const ParamInfo *info, const Track *track, double value,
                       bool lit)
{
    const Palette *p = &ui->palette;
    ImDrawList *list = igGetWindowDrawList();
    float radius = 0.36f * ui->em, x = place_of(track, info, value), right;
    StableRange stable = tuning_stable_range(ui, info);
    right = track->at.x + track->width;
    bar(ui, track, track->at.x, right, p->track);
    if (stable.high < info->max)
        bar(ui, track, place_of(track, info, fmax(stable.high, info->min)), right, p->red);
    bar(ui, track, track->at.x, x, p->accent);
    if (stable.low > info->min) // over the filled part, which starts at the same end
        bar(ui, track, track->at.x, place_of(track, info, fmin(stable.low, info->max)), p->red);
    if (lit)
        ImDrawList_AddCircleFilled(list, (ImVec2){x, track->y}, 1.7f * radius,
                                   theme_fade(p->accent, 0.3f), 0);
    ImDrawList_AddCircleFilled(list, (ImVec2){x, track->y}, radius, p->text, 0);
}

// To just inside the stable range.
static void go_inside(Ui *ui, const ParamInfo *info, bool upper)
{
    StableRange range = tuning_stable_range(ui, info);
    if (is_exact(ui, info))
        ui_set_param(ui, info, tuning_just_stable(info, range, upper));
    else
        ui_say(ui, "The lab is still computing this limit; try again in a moment.");
}

void tuning_track(Ui *ui, const ParamInfo *info, float width)
{
    float radius = 0.36f * ui->em;
    Track track = {.width = width, .height = ui_ems(ui, 1.1f)};
    igGetCursorScreenPos(&track.at);
    track.left = track.at.x + radius;
    track.length = width - 2.0f * radius;
    track.y = floorf(track.at.y + track.height / 2.0f);
    igPushID_Str(info->name);
    igInvisibleButton("line", (ImVec2){width, track.height}, 0);
    igPopID();
    bool active = igIsItemActive(), hovered = igIsItemHovered(0), word;
    double value = tuning_value(ui, info, &word);
    ImVec2 mouse;
    igGetMousePos(&mouse);
    int side = beyond(info, &track, tuning_stable_range(ui, info), mouse.x);
    if (hovered) ui->pointed_now = param_index(info);
    if (hovered && igIsMouseClicked_Bool(ImGuiMouseButton_Right, false))
        ui_set_param(ui, info, info->initial);
    if (side != 0 && igIsItemActivated() && igIsMouseDoubleClicked_Nil(ImGuiMouseButton_Left)) {
        ui->jumped_param = param_index(info);
        ui->waiting_param = UI_NO_PARAM;
        go_inside(ui, info, side > 0);
    } else if (active && ui->jumped_param != param_index(info) && !waits(ui, info, side)) {
        drag(ui, info, &track, value);
    } else if (!active && ui->held_param == param_index(info)) {
        ui->held_param = UI_NO_PARAM;
    }
    if (!active && ui->jumped_param == param_index(info)) ui->jumped_param = UI_NO_PARAM;
    if (!active && ui->waiting_param == param_index(info) && clock_seconds() > ui->waiting_until) {
        ui->waiting_param = UI_NO_PARAM;
        ui_set_param(ui, info, quantity_from_slider(info, ui->drag_at));
    }
    value = tuning_value(ui, info, &word);
    draw_track(ui, info, &track, value, active || ui->pointed_param == param_index(info));
}

// "stable up to 1.23 ms", "unstable above 412 N/m", "stable from 0.85", "stable from 0.85 to 12",
// "stable nowhere"; "" where nothing is unstable.
static void range_in_words(const ParamInfo *info, StableRange range, bool exact, char *text,
                           size_t size)
{
    bool upper = range.high<info->max, lower = range.low> info->min;
    QuantityText high = quantity_text(range.high, info->unit);
    QuantityText low = quantity_text(range.low, info->unit);
    text[0] = '\0';
    if ((upper && range.high < info->min) || range.low > fmin(range.high, info->max))
        snprintf(text, size, "stable nowhere");
    else if (upper && lower)
        snprintf(text, size, "stable from %s to %s %s", low.value, high.value, high.unit);
    else if (upper)
        snprintf(text, size, "%s %s %s", exact ? "stable up to" : "unstable above", high.value,
                 high.unit);
    else if (lower)
        snprintf(text, size, "stable from %s %s", low.value, low.unit);
}

void tuning_range_line(Ui *ui, const ParamInfo *info, float width)
{
    Font font = ui->fonts.small;
    StableRange range = tuning_stable_range(ui, info);
    char text[128];
    ImVec2 at;
    igGetCursorScreenPos(&at);
    range_in_words(info, range, is_exact(ui, info), text, sizeof text);
    float wide = widget_text_width(font, text), radius = 0.36f * ui->em;
    if (!text[0]) {
        igDummy((ImVec2){width, ui_ems(ui, 0.95f)});
        return;
    }
    Track track = {.left = at.x + radius, .length = width - 2.0f * radius};
    bool upper = range.high < info->max;
    float middle = place_of(&track, info, upper ? range.high : range.low);
    float x = fmaxf(fminf(middle - 0.5f * wide, at.x + width - wide), at.x);
    igSetCursorScreenPos((ImVec2){x, at.y});
    igPushID_Str(info->name);
    igInvisibleButton("range", (ImVec2){fmaxf(wide, 1.0f), ui_ems(ui, 0.95f)}, 0);
    igPopID();
    bool hovered = igIsItemHovered(0), word, any = strcmp(text, "stable nowhere") != 0;
    widget_draw_text(igGetWindowDrawList(), font,
                     hovered && any ? ui->palette.text : ui->palette.red, x, at.y, text);
    if (hovered && any && igIsMouseDoubleClicked_Nil(ImGuiMouseButton_Left)) {
        double value = tuning_value(ui, info, &word);
        if (range.low > info->min && (!upper || value < range.low)) upper = false;
        go_inside(ui, info, upper);
    }
    widget_tooltip(ui, any ? "By theory, for the cloth linearised now and the other parameters as "
                             "they are. Double click, here or on the red: go just inside, by 1 %."
                           : "Whatever its value, the step is too large for the rest.");
}

bool tuning_step_pointed(Ui *ui, int direction, bool fine)
{
    if (ui->pointed_param == UI_NO_PARAM) return false;
    const ParamInfo *info = &param_table[ui->pointed_param];
    double now = clock_seconds();
    bool word, follows = ui->stepped_param == ui->pointed_param && now < ui->stepped_until;
    double value = follows ? ui->stepped_value : tuning_value(ui, info, &word);
    double move = direction * KEY_STEP * (fine ? FINE : 1.0);
    double to = quantity_from_slider(info, quantity_to_slider(info, value) + move);
    if (info->kind == PARAM_COUNT) to = value + direction;
    // no smaller than a change of the last of three digits
    double least = pow(10.0, floor(log10(fmax(fabs(value), 1e-12))) - 2.0);
    if (to == value || (info->kind == PARAM_REAL && (to - value) * direction <= 0.0))
        to = four_digits(value + direction * least);
    to = fmin(fmax(to, info->min), info->max);
    if (!follows) ui->gesture++;
    ui->stepped_param = ui->pointed_param;
    ui->stepped_value = to;
    ui->stepped_until = now + KEY_MEMORY;
    if (to != value) set_in_gesture(ui, info, to);
    return true;
}
