#include "ui/mode_view.h"

#include "base/clock.h"
#include "ui/widgets.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_HERTZ 0.6   // of a mode that swings on the screen
#define SEEN_SHARE 0.07   // of the cloth's side: amplitude of a soft mode
#define MOST_STRAIN 0.4   // of a spring, in a swing
#define KICK_STRAIN 0.1   // of a spring, by a kick
#define KICK_SHARE 0.04   // of the cloth's side, by a kick
#define KICK_OF_LIMIT 0.5 // of the speed limit

void mode_swing_finish(ModeSwing *swing)
{
    free(swing->shape);
    free(swing->positions);
    *swing = (ModeSwing){0};
}

static double length3(const float *v)
{
    return sqrt((double)v[0] * v[0] + (double)v[1] * v[1] + (double)v[2] * v[2]);
}

static double longest(const float *shape, int count)
{
    double most = 0.0;
    for (int i = 0; i < count; i++) {
        double length = length3(shape + 3 * i);
        if (isfinite(length)) most = fmax(most, length);
    }
    return most;
}

// The eigenvalue of the chosen mode, s^-2; NaN if it has none.
static double eigenvalue(const Ui *ui, const Analysis *a)
{
    if (ui->shown_mode >= 0 && ui->shown_mode < a->mode_count) return a->modes[ui->shown_mode].k;
    return ui->shown_mode == LAB_SOFTEST ? a->k_min : NAN;
}

const float *mode_view_shape(const Ui *ui)
{
    return ui->swing.on ? ui->swing.shape : ui_shown_shape(ui);
}

double mode_view_amplitude(const float *position, const unsigned *springs, const float *rest_length,
                           int spring_count, const float *shape, double largest)
{
    double worst = 0.0; // strain per metre of amplitude
    for (int i = 0; i < spring_count; i++) {
        const float *a = shape + 3 * springs[2 * i], *b = shape + 3 * springs[2 * i + 1];
        const float *p = position + 3 * springs[2 * i], *q = position + 3 * springs[2 * i + 1];
        float side[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
        double along = 0.0, length = length3(side);
        for (int k = 0; k < 3; k++) along += (double)side[k] * (double)(b[k] - a[k]);
        if (length > 0.0 && rest_length[i] > 0.0f)
            worst = fmax(worst, fabs(along) / (length * (double)rest_length[i]));
    }
    return worst > 0.0 ? fmin(largest, MOST_STRAIN / worst) : largest;
}

static double side_of(const Snapshot *now)
{
    return now->radius > 0.0f ? (double)now->radius * M_SQRT2 : 1.0;
}

static void start_swing(Ui *ui, const Analysis *a)
{
    ModeSwing *swing = &ui->swing;
    const Snapshot *now = ui->now;
    const float *shape = ui_shown_shape(ui);
    size_t bytes = 3 * (size_t)now->particle_count * sizeof(float);
    mode_swing_finish(swing);
    if (!shape || ui->lab->particle_count != now->particle_count) return;
    double most = longest(shape, now->particle_count), k = eigenvalue(ui, a);
    swing->shape = malloc(bytes);
    swing->positions = malloc(bytes);
    if (!swing->shape || !swing->positions || !(most > 0.0)) {
        mode_swing_finish(swing);
        return;
    }
    for (int i = 0; i < 3 * now->particle_count; i++) {
        float part = shape[i] / (float)most;
        swing->shape[i] = isfinite(part) && !now->pinned[i / 3] ? part : 0.0f;
    }
    swing->on = true;
    swing->mode = ui->shown_mode;
    swing->topology = now->topology_version;
    swing->lane = ui->stage->selected;
    swing->count = now->particle_count;
    swing->frequency = k > 0.0 ? sqrt(k) / (2.0 * M_PI) : 0.0;
    // Rayleigh quotients come from above.
    swing->at_most = swing->mode == LAB_SOFTEST && a->k_min_residual > 0.05 * fabs(a->k_min);
    swing->slowed = swing->frequency / SHOWN_HERTZ;
    swing->amplitude =
        mode_view_amplitude(now->position, now->springs, now->rest_length, now->spring_count,
                            swing->shape, SEEN_SHARE * side_of(now));
    swing->start = clock_seconds();
    if (now->running) ui_send(ui, (Command){.kind = COMMAND_PAUSE});
}

const float *mode_view_positions(Ui *ui, double seconds)
{
    ModeSwing *swing = &ui->swing;
    const Snapshot *now = ui->now;
    if (!swing->on) return NULL;
    bool same = swing->topology == now->topology_version && swing->count == now->particle_count &&
                swing->lane == ui->stage->selected && swing->mode == ui->shown_mode;
    bool late = seconds - swing->start > 1.0; // by then a request to pause was obeyed
    if (!same || (now->running && late)) {
        mode_swing_finish(swing);
        return NULL;
    }
    float away =
        (float)(swing->amplitude * sin(2.0 * M_PI * SHOWN_HERTZ * (seconds - swing->start)));
    for (int i = 0; i < 3 * swing->count; i++)
        swing->positions[i] = now->position[i] + away * swing->shape[i];
    return swing->positions;
}

// ---- a kick

typedef struct Kick {
    double speed;     // m/s, of the particle that gains most
    double amplitude; // of the shape, as the command wants it
    double reach;     // m, how far that swings; 0: unknown
    double frequency; // Hz; 0: none
    double energy;    // J, added to the motion
} Kick;

// As strong as can be seen without tearing the cloth or crossing the speed limit.
static Kick plan_kick(const Ui *ui, const Analysis *a, const float *shape)
{
    const Snapshot *now = ui->now;
    const Params *params = &now->scene.params;
    double most = longest(shape, now->particle_count), k = eigenvalue(ui, a);
    double omega = k > 0.0 ? sqrt(k) : 0.0, side = side_of(now);
    if (!(most > 0.0)) return (Kick){0};
    double reach = mode_view_amplitude(now->position, now->springs, now->rest_length,
                                       now->spring_count, shape, 1e3 * side) *
                   most;
    reach = fmin(reach * KICK_STRAIN / MOST_STRAIN, KICK_SHARE * side);
    double speed = omega > 0.0 ? omega * reach : 0.5;
    speed = fmin(fmax(speed, 0.2), KICK_OF_LIMIT * params->speed_limit);
    Kick kick = {.speed = speed,
                 .amplitude = speed / most,
                 .reach = omega > 0.0 ? speed / omega : 0.0,
                 .frequency = omega / (2.0 * M_PI)};
    // Every particle of a grid has the same mass, that of its share of the cloth.
    double mass = params->density * (double)now->spacing * (double)now->spacing;
    for (int i = 0; i < now->particle_count; i++) {
        if (now->pinned[i] || i == now->grabbed) continue;
        for (int c = 0; c < 3; c++) {
            double v = (double)now->velocity[3 * i + c];
            double dv = kick.amplitude * (double)shape[3 * i + c];
            kick.energy += 0.5 * mass * (2.0 * v + dv) * dv;
        }
    }
    return kick;
}

static void excite(Ui *ui, const Kick *kick, const float *shape)
{
    if (!sim_thread_excite(ui->sim, shape, ui->now->particle_count, kick->amplitude)) {
        ui_say(ui, "The simulation is too busy to take more requests; this one was not taken.");
        return;
    }
    char text[256];
    QuantityText reach = quantity_text_length(kick->reach),
                 energy = quantity_text(kick->energy, "J");
    QuantityText speed = quantity_text(kick->speed, "m/s");
    int length = snprintf(text, sizeof text, "Kicked: velocities up to %s %s, about %s %s added",
                          speed.value, speed.unit, energy.value, energy.unit);
    if (kick->reach > 0.0 && length > 0 && length < (int)sizeof text)
        snprintf(text + length, sizeof text - (size_t)length,
                 "; by itself the mode swings by %s %s at %.3g Hz.", reach.value, reach.unit,
                 kick->frequency);
    ui_say(ui, text);
    mode_swing_finish(&ui->swing);
}

// ---- in the panel and over the view

static bool is_growing(const Ui *ui, const Analysis *a)
{
    return lab_result_shape(ui->lab, LAB_GROWING) &&
           (a->verdict == VERDICT_UNSTABLE ||
            (a->measured && !a->outdated &&
             a->map.rho.value > 1.0 + 1e-4 + 3.0 * a->map.rho.residual));
}

static void choose(Ui *ui, const Analysis *a)
{
    static const struct {
        const char *label;
        int mode;
    } all[] = {{"1", 0},
               {"2", 1},
               {"3", 2},
               {"4", 3},
               {"softest", LAB_SOFTEST},
               {"growing", LAB_GROWING},
               {"none", UI_NO_MODE}};
    enum { ALL = sizeof all / sizeof all[0] };
    const char *labels[ALL], *why_not[ALL] = {0};
    int modes[ALL], count = 0, chosen = -1;
    for (int i = 0; i < ALL; i++) {
        int mode = all[i].mode;
        if (mode == LAB_GROWING && !is_growing(ui, a) && ui->shown_mode != LAB_GROWING) continue;
        bool there =
            mode == UI_NO_MODE || (mode < a->mode_count && lab_result_shape(ui->lab, mode));
        if (mode == ui->shown_mode) chosen = count;
        if (!there) why_not[count] = "The lab has no such mode at the moment.";
        labels[count] = all[i].label;
        modes[count++] = mode;
    }
    int wanted = widget_choice(ui, "modes", labels, why_not, count, chosen);
    if (wanted < 0) return;
    ui->shown_mode = modes[wanted];
    mode_swing_finish(&ui->swing);
    bool none = ui->shown_mode == UI_NO_MODE;
    if (!none || ui->colours.chosen == COLOUR_MODE)
        ui->colours.chosen = none ? COLOUR_FABRIC : COLOUR_MODE;
}

void mode_view_chooser(Ui *ui, const Analysis *a)
{
    widget_text(ui->fonts.small, ui->palette.dim, "see a mode on the cloth");
    choose(ui, a);
    const float *shape = ui_shown_shape(ui);
    if (!shape || ui->lab->particle_count != ui->now->particle_count) return;
    bool overlay = ui_has_lanes(ui) && ui->lane_view == LANE_VIEW_OVERLAY;
    const char *swing = ui->swing.on ? "stop it" : "let it swing";
    if (overlay) mode_swing_finish(&ui->swing); // cloths over each other have no room for it
    if (!overlay && widget_button(ui, swing, ui->swing.on)) {
        if (ui->swing.on)
            mode_swing_finish(&ui->swing);
        else
            start_swing(ui, a);
    }
    if (!overlay)
        widget_tooltip(
            ui, "Pauses the simulation and shows the mode swinging about the cloth as it is, "
                "slowed down so that it can be seen. Space goes on.");
    Kick kick = plan_kick(ui, a, shape);
    char label[96];
    QuantityText speed = quantity_text(kick.speed, "m/s");
    snprintf(label, sizeof label, "kick it by %s %s", speed.value, speed.unit);
    if (!overlay) widget_beside(ui, label);
    if (widget_button(ui, label, false)) excite(ui, &kick, shape);
    widget_tooltip(ui, "Adds the mode's shape to the velocities, this much where it moves most: as "
                       "strong as can be seen with springs that change by at most a tenth.");
}

void mode_view_caption(Ui *ui)
{
    const ModeSwing *swing = &ui->swing;
    Rect picture = ui_picture(ui, ui->stage->selected);
    const Rect *view = &picture;
    if (!swing->on || view->width < 8.0f * ui->em) return;
    char name[32], text[200];
    if (swing->mode >= 0)
        snprintf(name, sizeof name, "mode %d", swing->mode + 1);
    else
        snprintf(name, sizeof name, "%s mode", swing->mode == LAB_SOFTEST ? "softest" : "growing");
    QuantityText amplitude = quantity_text_length(swing->amplitude);
    if (swing->frequency > 0.0)
        snprintf(text, sizeof text, "%s \u00b7 %s%.3g Hz, %s %.3g \u00d7 \u00b7 drawn with %s %s",
                 name, swing->at_most ? "\u2264 " : "", swing->frequency,
                 swing->slowed >= 1.0 ? "slowed" : "sped up",
                 swing->slowed >= 1.0 ? swing->slowed : 1.0 / swing->slowed, amplitude.value,
                 amplitude.unit);
    else
        snprintf(text, sizeof text, "%s \u00b7 no frequency of its own \u00b7 drawn with %s %s",
                 name, amplitude.value, amplitude.unit);
    Font font = ui->fonts.regular;
    const char *second = "the simulation is paused; Space goes on";
    float width = fmaxf(widget_text_width(font, text), widget_text_width(font, second));
    float left = view->x + 0.5f * (view->width - width),
          top = view->y + view->height - 5.2f * ui->em;
    igSetNextWindowPos((ImVec2){view->x, top}, ImGuiCond_Always, (ImVec2){0, 0});
    igSetNextWindowSize((ImVec2){view->width, 3.2f * ui->em}, ImGuiCond_Always);
    igBegin("##swing", NULL,
            ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoInputs |
                ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoFocusOnAppearing |
                ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoNav);
    ImDrawList *list = igGetWindowDrawList();
    ImDrawList_AddRectFilled(list, (ImVec2){left - 0.7f * ui->em, top},
                             (ImVec2){left + width + 0.7f * ui->em, top + 3.1f * ui->em},
                             theme_fade(ui->palette.panel, 0.86f), 0.35f * ui->em, 0);
    widget_draw_text(list, font, ui->palette.text, left, top + 0.3f * ui->em, text);
    widget_draw_text(list, ui->fonts.small, ui->palette.dim, left, top + 1.7f * ui->em, second);
    igEnd();
}
