// The left panel: everything that can be changed, in the order in which one explains it.
#include "ui/imgui_versions.h"
#include "ui/lanes.h"
#include "ui/panels.h"
#include "ui/trail.h"
#include "ui/tuning.h"
#include "ui/widgets.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const Integrator *current_integrator(const Ui *ui)
{
    return integrator_table[ui->now->scene.params.integrator];
}

// A slider whose parameter may also be set automatically from theory. True while it is.
static bool automatic_param(Ui *ui, const char *name, double value_now, const char *help)
{
    const ParamInfo *info = param_find(name);
    widget_param(ui, name, NULL);
    bool automatic = param_get(&ui->now->scene.params, info) == PARAM_WORD;
    igPushID_Str(name);
    if (widget_checkbox(ui, "automatic", &automatic))
        ui_set_param(ui, info, automatic ? PARAM_WORD : value_now);
    igPopID();
    widget_tooltip(ui, help);
    return automatic;
}

static void section_integrator(Ui *ui)
{
    const Integrator *current = current_integrator(ui);
    const ParamInfo *info = param_find("integrator");
    if (ui_has_lanes(ui))
        lane_heading(ui);
    else
        widget_section(ui, "INTEGRATOR");
    igSetNextItemWidth(-1.0f);
    if (widget_begin_list(ui, "##integrator", current->label, ImGuiComboFlags_HeightLargest)) {
        for (int i = 0; i < integrator_count; i++) {
            const Integrator *method = integrator_table[i];
            if (widget_list_item(ui, method->label, method == current, method->summary,
                                 widget_refusal(ui, info, i)))
                ui_set_param(ui, info, i);
        }
        igEndCombo();
    }
    widget_tooltip(ui, current->reference);
    widget_own(ui, info, "own to this lane", "all lanes");
    widget_text_wrapped(ui->fonts.small, ui->palette.dim, current->summary);
    static const char *const own[][2] = {{"backward-euler", "tangent"},
                                         {"backward-euler-newton", "tangent"},
                                         {"leu", "tangent"},
                                         {"backward-euler-newton", "newton_tolerance"},
                                         {"harmonic", "harmonic"},
                                         {"harmonic", "sequence"}};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        if (strcmp(current->name, own[i][0]) == 0) widget_param(ui, own[i][1], NULL);
    }
    if (strcmp(current->name, "leu") == 0)
        automatic_param(ui, "leu_interval", UI_LEU_INTERVAL,
                        "Linearise again as soon as the cloth has moved too far, or sped up.");
    if (current->traits & INTEGRATOR_IMPLICIT) widget_param(ui, "pcg_tolerance", NULL);
}

static void section_step(Ui *ui)
{
    StepLimit known = ui->now->readings.limit;
    double step = ui->now->readings.step, limit = known.step;
    widget_section(ui, "STEP");
    bool automatic = automatic_param(
        ui, "step", step,
        "Follow the largest stable step as the cloth, its stiffness and damping change.");
    char text[96];
    if (limit == 0.0) {
        snprintf(text, sizeof text, "no step is stable");
    } else if (isfinite(limit)) {
        QuantityText shown = quantity_text(limit, "s");
        double ratio = step / limit;
        int used = snprintf(text, sizeof text, "%.*f of %s", fabs(ratio - 1.0) < 0.05 ? 3 : 2,
                            ratio, step_limit_name(known));
        if (known.is_bound) // otherwise it is beside the red
            snprintf(text + used, sizeof text - (size_t)used, " %s %s", shown.value, shown.unit);
    } else {
        snprintf(text, sizeof text, "this method has no limit");
    }
    widget_text_wrapped(ui->fonts.small, ui->palette.dim, text);
    if (automatic) widget_param(ui, "safety", isfinite(limit) ? NULL : "This method has no limit.");
}

// What the others are compared with.
static void reference_choice(Ui *ui)
{
    static const char *const numbers[SCENE_LANES_MAX] = {"1", "2", "3", "4"};
    const StageSnapshot *stage = ui->stage;
    const char *labels[SCENE_LANES_MAX + 2] = {"none"};
    for (int i = 0; i < stage->count; i++) labels[i + 1] = numbers[i];
    labels[stage->count + 1] = "fine";
    widget_text(ui->fonts.small, ui->palette.dim, "compared with lane");
    widget_tooltip(ui,
                   "The distance of each lane's particles to the same ones there. \"fine\" is a "
                   "lane that is not shown: Runge-Kutta 4 at a fifth of its step limit. It takes "
                   "computing time, and everything starts over when it is first chosen.");
    int wanted =
        widget_choice(ui, "reference", labels, NULL, stage->count + 2, stage->reference + 1);
    if (wanted >= 0) lanes_compare_with(ui, wanted - 1);
    if (stage->reference < 0) return;
    bool shown = ui->colours.chosen == COLOUR_ERROR;
    if (widget_checkbox(ui, "distance as colour", &shown))
        ui->colours.chosen = shown ? COLOUR_ERROR : COLOUR_FABRIC;
    widget_tooltip(ui, "On the cloths, not in an overlay.");
}

static void section_lanes(Ui *ui)
{
    static const char *const views[] = {"side by side", "one", "overlay"};
    int count = ui->stage->count;
    char remove[32];
    widget_section(ui, "LANES");
    igPushStyleVar_Vec2(ImGuiStyleVar_ItemSpacing, (ImVec2){ui_ems(ui, 0.25f), ui_ems(ui, 0.25f)});
    igPushStyleVar_Vec2(ImGuiStyleVar_FramePadding, (ImVec2){ui_ems(ui, 0.5f), ui_ems(ui, 0.2f)});
    if (count < SCENE_LANES_MAX) {
        if (widget_button(ui, "add a lane", false)) lanes_add(ui);
        widget_tooltip(ui,
                       "The same cloth once more, with another method, on the same clock and in "
                       "the same hand. Everything starts over.");
        widget_beside(ui, "four methods");
    }
    if (widget_button(ui, "four methods", false)) lanes_compare_four(ui);
    widget_tooltip(ui, "Four lanes with four methods, each with its automatic step, compared with "
                       "Runge-Kutta 4. Everything starts over.");
    if (count > 1) {
        snprintf(remove, sizeof remove, "remove lane %d", ui->stage->selected + 1);
        widget_beside(ui, remove);
        if (widget_button(ui, remove, false)) lanes_remove_selected(ui);
        widget_tooltip(ui, "The others start over.");
    }
    igPopStyleVar(2);
    if (count < 2) return;
    int view = widget_choice(ui, "lane view", views, NULL, LANE_VIEWS, (int)ui->lane_view);
    if (view >= 0) ui->lane_view = (LaneView)view;
    reference_choice(ui);
}

static void view_fabric(Ui *ui)
{
    const char *names[FABRICS];
    for (int i = 0; i < FABRICS; i++) names[i] = fabric_of((FabricName)i)->name;
    int fabric = widget_choice(ui, "fabric", names, NULL, FABRICS, (int)ui->fabric);
    if (fabric >= 0) ui->fabric = (FabricName)fabric;
    if (ui->detail < DETAIL_SMOOTH)
        widget_text_wrapped(ui->fonts.small, ui->palette.dim,
                            ui->detail == DETAIL_WOVEN
                                ? "Moving edges are not smoothed: this machine draws too slowly."
                                : "Moving cloth has no threads: this machine draws too slowly.");
}

static void view_picture(Ui *ui)
{
    static const char *const sizes[] = {"1 ×", "2 ×", "4 ×"};
    static const int scales[] = {1, 2, 4};
    int chosen = 0;
    while (chosen < 2 && scales[chosen] != ui->picture_scale) chosen++;
    widget_text(ui->fonts.small, ui->palette.dim, "picture of the view: Shift F12");
    int size = widget_choice(ui, "picture", sizes, NULL, 3, chosen);
    if (size >= 0) ui->picture_scale = scales[size];
    if (widget_button(ui, "take it", false)) ui->want_picture = PICTURE_OF_VIEW;
    widget_tooltip(ui,
                   "The cloth without panels, so many times as large as on the screen, as a PNG "
                   "file in the working directory. F12: the window as it is.");
}

static void section_view(Ui *ui)
{
    static const char *const themes[] = {"dark", "light"};
    static const char *const surfaces[] = {"cloth", "wireframe", "springs"};
    widget_section(ui, "VIEW");
    int surface = widget_choice(ui, "surface", surfaces, NULL, 3, (int)ui->surface);
    if (surface >= 0) ui->surface = (SurfaceStyle)surface;
    view_fabric(ui);
    colour_view_list(ui);
    int theme = widget_choice(ui, "theme", themes, NULL, 2, ui->light);
    if (theme >= 0) ui->light = theme == 1;

    static const char *const sizes[] = {"100 %", "150 %", "200 %", "300 %"};
    static const float scales[] = {1.0f, 1.5f, 2.0f, 3.0f};
    int chosen = -1;
    for (int i = 0; i < 4; i++) {
        if (fabsf(ui->text_scale - scales[i]) < 0.01f) chosen = i;
    }
    widget_text(ui->fonts.small, ui->palette.dim, "text size");
    int size = widget_choice(ui, "text size", sizes, NULL, 4, chosen);
    if (size >= 0) ui->text_scale = scales[size];
    if (widget_button(ui, "frame the cloth", false)) ui->want_frame_cloth = true;
    bool trails = !ui->hides_trails;
    if (trail_exists(ui->now) && widget_checkbox(ui, "trails", &trails)) ui->hides_trails = !trails;
    view_picture(ui);
}

// In one click what one would search for with the slider.
static void largest_stretch(Ui *ui)
{
    const char *why_not;
    double value = tuning_largest_stretch(ui, &why_not);
    imgui_begin_disabled(why_not != NULL);
    if (widget_button(ui, "largest stable stretch", false))
        ui_set_param(ui, param_find("stretch"), value);
    imgui_end_disabled(why_not != NULL);
    widget_tooltip(ui, why_not ? why_not
                               : "For this step, the cloth linearised now and the other parameters "
                                 "as they are; `selvage analyze` prints the same.");
}

// What the contact of the cloth with itself does, where it does something.
static void self_contact_line(Ui *ui)
{
    const SelfCounts *self = &ui->now->self;
    char text[160];
    if (!ui->now->scene.params.self_contact || ui->now->scene.params.rows == 1) return;
    if (self->crossings > 0)
        snprintf(text, sizeof text, "crosses itself %d times; comes apart slowly", self->crossings);
    else if (self->full)
        snprintf(text, sizeof text,
                 "too many contacts for all: some have no friction, and fast particles are slowed");
    else if (self->held_back > 0)
        snprintf(text, sizeof text, "%d contacts; %d particles stopped", self->pairs,
                 self->held_back);
    else
        snprintf(text, sizeof text, "%d contacts", self->pairs);
    widget_text_wrapped(ui->fonts.small, ui->palette.dim, text);
}

void panel_controls(Ui *ui)
{
    panel_top_scene(ui);
    panel_top_lessons(ui);
    panel_transport_rest(ui);
    section_integrator(ui);
    section_step(ui);
    section_lanes(ui);

    widget_section(ui, "STIFFNESS");
    widget_param(ui, "stretch", NULL);
    largest_stretch(ui);
    widget_param(ui, "shear", NULL);
    widget_param(ui, "bend", NULL);

    widget_section(ui, "DAMPING");
    widget_param(ui, "damping", NULL);
    widget_param(ui, "air", NULL);
    bool automatic = automatic_param(ui, "alpha", ui->now->readings.alpha,
                                     "Follow what theory recommends for this step and method.");
    if (automatic) widget_param(ui, "alpha_rule", NULL);

    widget_section(ui, "FILTER");
    const char *why_not =
        ui->now->scene.params.filter ? NULL : "Switch the velocity filter on first.";
    widget_param(ui, "filter", NULL);
    widget_param(ui, "lambda", why_not);
    widget_param(ui, "filter_form", why_not);
    widget_param(ui, "filter_place", why_not);
    widget_param(ui, "filter_on", why_not);
    widget_param(ui, "filter_distance", why_not);

    widget_section(ui, "CLOTH");
    widget_param(ui, "model", NULL);
    widget_param(ui, "rows", NULL);
    widget_param(ui, "columns", NULL);
    widget_param(ui, "size", NULL);
    widget_param(ui, "density", NULL);
    widget_param(ui, "gather", NULL);
    widget_param(ui, "folds",
                 ui->now->scene.params.gather < 1.0 ? NULL : "Set gather below 1 first.");

    if (ui->now->scene.muscle_count > 0) {
        widget_section(ui, "MUSCLES");
        widget_param(ui, "muscle_amplitude", NULL);
        widget_param(ui, "muscle_period",
                     ui->now->scene.params.muscle_amplitude > 0.0
                         ? NULL
                         : "Set the muscles' amplitude above 0 first.");
    }

    widget_section(ui, "WIND");
    bool calm = !(ui->now->scene.params.wind > 0.0);
    const char *no_wind = calm ? "Set the wind above 0 first." : NULL;
    widget_param(ui, "wind", NULL);
    widget_param(ui, "wind_direction", no_wind);
    widget_param(ui, "gust", no_wind);
    widget_param(ui, "gust_seed",
                 calm || ui->now->scene.params.gust > 0.0 ? no_wind : "Set gusts above 0 first.");
    widget_param(ui, "drag_normal", NULL);
    widget_param(ui, "drag_tangent", NULL);

    widget_section(ui, "WORLD");
    widget_param(ui, "gravity", NULL);
    widget_param(ui, "ground", NULL);
    widget_param(ui, "friction", NULL);
    widget_param(ui, "self_contact", NULL);
    self_contact_line(ui);
    widget_param(ui, "hand_speed", NULL);

    widget_section(ui, "DIVERGENCE");
    widget_param(ui, "on_divergence", NULL);
    widget_param(ui, "speed_limit", NULL);
    widget_param(ui, "strain_limit", NULL);

    section_view(ui);
    section_share(ui);
}
