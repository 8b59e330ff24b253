#include "ui/lanes.h"

#include "ui/plots.h"
#include "ui/tuning.h"
#include "ui/widgets.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LEGEND_EMS = 14 }; // width of a legend in a panel, without its mark

// A ratio so close to 1 that two decimals would hide which side it is on.
static bool near_one(double ratio)
{
    return fabs(ratio - 1.0) < 0.05;
}

Lamp lamp_of(const Ui *ui, int lane)
{
    static const char *const words[MONITOR_STATES] = {"Stable", "Growing", "Diverged"};
    const Snapshot *now = &ui->stage->lanes[lane];
    const Analysis *analysis = lane == ui->stage->selected ? ui_analysis(ui) : NULL;
    StepLimit limit = now->readings.limit;
    const Palette *p = &ui->palette;
    const ImU32 colours[MONITOR_STATES] = {p->green, p->amber, p->red};
    MonitorState state = now->diverged ? MONITOR_DIVERGED : now->monitor.state;
    bool unstable = analysis && analysis->verdict == VERDICT_UNSTABLE;
    if (state == MONITOR_STABLE && unstable) state = MONITOR_GROWING;
    Lamp lamp = {.colour = colours[state], .word = words[state]};
    if (state == MONITOR_STABLE && !analysis && now->readings.step_count == 0) {
        // neither has said anything yet
        lamp.colour = p->dim;
        lamp.word = "Measuring";
    }
    double ratio = now->readings.step / limit.step;
    int decimals = near_one(ratio) ? 3 : 2;
    if (limit.step == 0.0)
        snprintf(lamp.share, sizeof lamp.share, "none stable");
    else if (isfinite(limit.step))
        snprintf(lamp.share, sizeof lamp.share, "%.*f", decimals, ratio);
    else
        snprintf(lamp.share, sizeof lamp.share, "no limit");
    size_t size = sizeof lamp.caption;
    if (state == MONITOR_GROWING && unstable && isfinite(analysis->growth_steps))
        snprintf(lamp.caption, size, "diverges in about %.0f steps", ceil(analysis->growth_steps));
    else if (state == MONITOR_GROWING)
        snprintf(lamp.caption, size, "%s", detector_name((int)now->monitor.detector));
    else if (limit.step == 0.0)
        snprintf(lamp.caption, size, "no step is stable");
    else if (isfinite(limit.step))
        snprintf(lamp.caption, size, "h is %.*f of %s", decimals, ratio, step_limit_name(limit));
    else
        snprintf(lamp.caption, size, "this method has no step limit");
    return lamp;
}

void lane_title(const Ui *ui, int lane, char *text, size_t size)
{
    LaneNames names;
    lane_names(ui->stage, LANE_NAME_WHOLE, LANE_STEP_IF_NEEDED, &names);
    snprintf(text, size, "%s", names.text[lane]);
}

void lane_legend(const Ui *ui, int lane, char *text, size_t size)
{
    LaneNames names;
    bool panel = ui->layout.readouts.width > 0.0f || !plots_hide_view(ui); // else a large plot only
    float width = panel ? LEGEND_EMS * ui->em : 0.5f * ui->layout.view.width;
    lane_names_fit(ui->stage, LANE_NAME_DIFFERENCE, LANE_STEP_IF_OTHER, ui->fonts.small, width, 1,
                   &names);
    snprintf(text, size, "%s", names.text[lane]);
}

LaneNames lane_strip_names(const Ui *ui, const LaneLayout *lane)
{
    LaneNames names;
    const StageSnapshot *stage = ui->stage;
    Font bold = ui->fonts.bold, font = ui->fonts.regular;
    float gap = STRIP_GAP * ui->em, room = lane->strip.width - 2.0f * gap;
    if (!lane->two_lines) { // the lamp and its word are always beside it
        float word =
            fmaxf(widget_text_width(font, "Diverged"), widget_text_width(font, "Measuring"));
        room -= 2.0f * STRIP_DOT * ui->em + 1.5f * gap + word;
    }
    if (!lane->two_lines && stage->reference >= 0) { // and the distance, if the words stay whole
        float less = room - gap - widget_text_width(font, "9.99 mm off");
        lane_names_fit(stage, LANE_NAME_WHOLE, LANE_STEP_IF_NEEDED, bold, less, 1, &names);
        if (names.form <= LANE_NAME_DIFFERENCE) return names;
    }
    lane_names_fit(stage, LANE_NAME_WHOLE, LANE_STEP_IF_NEEDED, bold, room, lane->title_lines,
                   &names);
    return names;
}

void lanes_place(const Ui *ui, Rect view, LaneLayout *out)
{
    enum { MOST_LINES = 2 };
    for (int lines = 0; lines <= MOST_LINES; lines++) {
        layout_lanes(view, ui->stage->count, ui->em, lines, out);
        if (lane_strip_names(ui, &out[0]).form <= LANE_NAME_DIFFERENCE) return;
    }
}

void lane_cost(double rate, char *text, size_t size)
{
    if (rate < 0.005)
        snprintf(text, size, "< 0.01 s/s");
    else
        snprintf(text, size, "%.*f s/s", rate < 9.995 ? 2 : rate < 99.95 ? 1 : 0, rate);
}

void lane_heading(Ui *ui)
{
    char title[32];
    ImVec2 min, max;
    snprintf(title, sizeof title, "LANE %d OF %d", ui->stage->selected + 1, ui->stage->count);
    widget_section(ui, title);
    igGetItemRectMin(&min);
    igGetItemRectMax(&max);
    ImVec2 centre = {max.x + 0.7f * ui->em, 0.5f * (min.y + max.y)};
    ImDrawList_AddCircleFilled(igGetWindowDrawList(), centre, 0.36f * ui->em,
                               theme_lane_colour(&ui->palette, ui->stage->selected), 0);
}

void lane_shorten(Font font, float width, char *text, size_t size)
{
    static const char dots[] = "…";
    if (widget_text_width(font, text) <= width) return;
    size_t length = strlen(text);
    while (length > 0) {
        do // not inside a character of several bytes
            length--;
        while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80);
        snprintf(text + length, size - length, "%s", dots);
        if (widget_text_width(font, text) <= width) return;
    }
    text[0] = '\0';
}

// ---- the set of lanes

// Load the scene with other lanes, then select one and compare with one again.
static void start_over(Ui *ui, const Scene *scene, int selected, int reference)
{
    bool shows_fine = scene->fine && reference == scene->lane_count;
    if (!ui_send(ui, (Command){.kind = COMMAND_LOAD_SCENE, .scene = scene})) return;
    if (scene->lane_count > 0) {
        int lane = shows_fine ? COMMAND_FINE_LANE : reference + 1;
        ui_send(ui, (Command){.kind = COMMAND_SELECT, .lane = selected + 1});
        ui_send(ui, (Command){.kind = COMMAND_REFERENCE, .lane = lane});
    }
    typing_end(ui);
    ui_say(ui, "Everything starts over, so that all lanes have the same start.");
}

// The scene with at least one lane. A fine lane that nothing is compared with is not kept.
static Scene present_lanes(const Ui *ui)
{
    const StageSnapshot *stage = ui->stage;
    Scene scene = stage->scene;
    if (scene.lane_count == 0) {
        const ParamInfo *info = param_find("integrator");
        scene.lane_count = 1;
        scene.lanes[0] = (Lane){.params = scene.params};
        lane_own(&scene.lanes[0], info, scene.params.integrator);
    }
    scene.fine = stage->reference == stage->count;
    return scene;
}

// Methods that differ most come first.
static const char *const methods[] = {
    "symplectic-euler", "rk4", "backward-euler", "imex", "velocity-verlet", "midpoint", "leu",
};
enum { METHODS = sizeof methods / sizeof methods[0] };

// Whether the lane could use the method, with its other parameters as they are.
static bool takes_method(const Scene *scene, const Lane *lane, int method)
{
    Lane tried = *lane;
    lane_own(&tried, param_find("integrator"), method);
    return lane_check(&tried, scene, NULL) == STATUS_OK;
}

static bool is_used(const Scene *scene, int method)
{
    for (int i = 0; i < scene->lane_count; i++) {
        if (lane_scene(&scene->lanes[i], scene).params.integrator == method) return true;
    }
    return false;
}

// A lane like `from` with a method that no lane has, if there is one.
static void append(Scene *scene, Lane from)
{
    for (int i = 0; i < METHODS; i++) {
        int method = integrator_find(methods[i]);
        if (is_used(scene, method) || !takes_method(scene, &from, method)) continue;
        lane_own(&from, param_find("integrator"), method);
        break;
    }
    scene->lanes[scene->lane_count++] = from;
}

void lanes_add(Ui *ui)
{
    const StageSnapshot *stage = ui->stage;
    if (stage->count >= SCENE_LANES_MAX) return;
    Scene scene = present_lanes(ui);
    append(&scene, scene.lanes[stage->selected]);
    int last = scene.lane_count - 1;
    start_over(ui, &scene, last, scene.fine ? last + 1 : stage->reference);
}

void lanes_remove_selected(Ui *ui)
{
    const StageSnapshot *stage = ui->stage;
    if (stage->count < 2) return;
    Scene scene = present_lanes(ui);
    int gone = stage->selected, reference = stage->reference;
    for (int i = gone; i + 1 < scene.lane_count; i++) scene.lanes[i] = scene.lanes[i + 1];
    scene.lane_count--;
    if (reference == gone)
        reference = -1;
    else if (reference > gone)
        reference--;
    if (scene.lane_count == 1) scene = lane_scene(&scene.lanes[0], &scene);
    start_over(ui, &scene, gone < scene.lane_count ? gone : scene.lane_count - 1, reference);
}

void lanes_compare_four(Ui *ui)
{
    Scene scene = present_lanes(ui);
    scene.params.step = PARAM_WORD;
    scene.lane_count = 0;
    Lane plain = {.params = scene.params};
    int reference = -1, exact = integrator_find("rk4");
    while (scene.lane_count < SCENE_LANES_MAX) {
        append(&scene, plain);
        if (reference < 0 && is_used(&scene, exact)) reference = scene.lane_count - 1;
    }
    start_over(ui, &scene, 0, scene.fine ? scene.lane_count : reference);
}

void lanes_compare_with(Ui *ui, int reference)
{
    const StageSnapshot *stage = ui->stage;
    bool fine = reference == stage->count;
    if (!fine || stage->scene.fine) {
        int lane = fine ? COMMAND_FINE_LANE : reference + 1;
        ui_send(ui, (Command){.kind = COMMAND_REFERENCE, .lane = lane});
        return;
    }
    Scene scene = present_lanes(ui);
    scene.fine = true;
    start_over(ui, &scene, stage->selected, scene.lane_count);
}
