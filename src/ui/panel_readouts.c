// The right panel: what is measured from the running cloth, and what theory makes of it.
#include "ui/lanes.h"
#include "ui/panels.h"
#include "ui/plots.h"
#include "ui/time_plots.h"
#include "ui/widgets.h"

#include <math.h>
#include <stdio.h>

static void draw_lamp(Ui *ui)
{
    Lamp lamp = lamp_of(ui, ui->stage->selected);
    ImVec2 at;
    igGetCursorScreenPos(&at);
    ImDrawList *list = igGetWindowDrawList();
    float radius = 0.62f * ui->em, left = at.x + 2.0f * ui->em;
    ImVec2 centre = {at.x + 0.9f * ui->em, at.y + 1.35f * ui->em};
    for (int i = 3; i >= 1; i--)
        ImDrawList_AddCircleFilled(list, centre, radius * (1.0f + 0.16f * (float)i),
                                   theme_fade(lamp.colour, 0.10f), 0);
    ImDrawList_AddCircleFilled(list, centre, radius, lamp.colour, 0);
    float width = widget_draw_text(list, ui->fonts.title, ui->palette.text, left,
                                   at.y + 0.15f * ui->em, lamp.word);
    if (!ui->now->running)
        widget_draw_text(list, ui->fonts.small, ui->palette.dim, left + width + 0.5f * ui->em,
                         at.y + 0.5f * ui->em, "paused");
    widget_draw_text(list, ui->fonts.small, ui->palette.dim, left, at.y + 1.65f * ui->em,
                     lamp.caption);
    igDummy((ImVec2){ui_ems(ui, 14.0f), ui_ems(ui, 2.9f)});
    widget_tooltip(ui,
                   "Stable, growing or diverged, from the energy balance, speed and strain of the "
                   "run. \"Diverges in\" counts the steps in which a perturbation grows a "
                   "thousandfold, by the spectral radius.");
}

static QuantityText plain(const char *format, double value)
{
    QuantityText text = {0};
    if (isnan(value))
        snprintf(text.value, sizeof text.value, "–");
    else
        snprintf(text.value, sizeof text.value, format, value);
    return text;
}

static QuantityText bound(QuantityText text, const char *sign)
{
    QuantityText signed_text = text;
    snprintf(signed_text.value, sizeof signed_text.value, "%s%.30s", sign, text.value);
    return signed_text;
}

// Step or stiffness have changed since rho was measured: one digit is shown.
#define OUTDATED_RESIDUAL 0.1

// With no more digits than its residual leaves: what has not converged must not cry wolf.
static QuantityText rho_text(const Analysis *a, const StepMapRho *rho)
{
    if (!a->measured || !step_map_rho_is_legible(rho)) return plain("%.4f", NAN);
    double residual = fmax(rho->residual, a->outdated ? OUTDATED_RESIDUAL : 1e-5);
    int digits = (int)floor(-log10(residual));
    digits = digits < 1 ? 1 : digits > 4 ? 4 : digits;
    QuantityText text = {0};
    snprintf(text.value, sizeof text.value, "%s%.*f", residual <= 1e-3 ? "" : "≈ ", digits,
             rho->value);
    return text;
}

// A step that is allowed, or that none is.
static QuantityText allowed_step(double step)
{
    return step > 0.0 ? quantity_text(step, "s") : (QuantityText){.value = "none"};
}

static const char *limit_help(StepLimit limit)
{
    if (limit.but_soft)
        return "For stiff modes. The filter's mean is not symmetric, and no air damps: soft modes "
               "may "
               "grow slowly at any step. filter_form = conserving is symmetric.";
    return limit.is_bound
               ? "Steps up to here are stable for the cloth linearised now; theory has "
                 "only this bound for the method, so larger ones may be stable too."
               : "The largest stable step of this method for the cloth linearised now, with "
                 "its damping and filter.";
}

static void limit_readout(Ui *ui)
{
    StepLimit limit = ui->now->readings.limit;
    widget_readout(ui, limit.but_soft ? "h max (stiff)" : "h max",
                   bound(allowed_step(limit.step), limit.is_bound ? "≥ " : ""), limit_help(limit));
}

static void stability_numbers(Ui *ui, const Analysis *a)
{
    widget_readout(ui, "k₀", quantity_text(ui->now->readings.k0, "s⁻²"),
                   "Largest eigenvalue of M⁻¹K, K linearised at the cloth's state just now.");
    widget_readout(ui, "ω max", quantity_text(sqrt(ui->now->readings.k0), "rad/s"),
                   "√k₀; the shortest period is 2π/ω.");
    // Rayleigh quotients come from above: until it has converged, this is a bound
    bool certain = a->k_min_residual <= 0.05 * fabs(a->k_min);
    widget_readout(ui, a->buckling ? "k min (buckles)" : "k min",
                   bound(quantity_text(a->k_min, "s⁻²"), certain ? "" : "≤ "),
                   "Smallest eigenvalue of M⁻¹K. Negative: a compressed part of the cloth buckles, "
                   "which is physics, not numerics.");
    limit_readout(ui);
    widget_readout(ui, "ρ predicted", plain("%.4f", a->rho_predicted),
                   "Largest spectral radius of G over the cloth's stiff modes: above 1 they grow.");
    char help[400];
    if (!a->measured)
        snprintf(help, sizeof help, "Not measured yet for this step, method and damping.");
    else
        snprintf(help, sizeof help,
                 "Spectral radius of one real step of %.3g ms from the cloth's shape at t = %.2f "
                 "s, at rest, by Krylov iterations on the step itself: %s, residual %.1g.%s",
                 1e3 * a->measured_step, a->measured_time,
                 a->map.rho.converged ? "converged" : "not converged", a->map.rho.residual,
                 a->map.rho.buckling ? " Without what buckles, which is below." : "");
    // what buckles grows in any method and has a line of its own
    widget_readout(ui, "ρ measured", rho_text(a, analysis_own_rho(a)), help);
    if (a->measured && a->map.rho.buckling)
        widget_readout(ui, "growth by buckling", rho_text(a, &a->map.rho),
                       "Per step, of a part of the cloth that is compressed and gives way. That is "
                       "physics: it grows like this in any method, until it has folded.");
    widget_readout(ui, "μσ", plain("%.3f", a->mu_sigma),
                   "Step over half the period of the stiffest spring by itself (Kang).");
}

// How large a step the filter allows by the paper and in truth; `h max` is for the method in use.
static void filter_numbers(Ui *ui, const Analysis *a)
{
    if (!a->has_filter_limit) return;
    widget_section(ui, "STEP UNDER THE FILTER");
    widget_readout(
        ui, "h by the paper", quantity_text(a->filter.algorithm1, "s"),
        "Ahmad's power method on F K, which never under-estimates: up to 41 % too large.");
    widget_readout(ui, "h corrected", allowed_step(a->filter.corrected),
                   "The power method on F (I + F)⁻¹ K: symplectic Euler with the filter before the "
                   "position update.");
    if (a->filter.negative)
        widget_text_wrapped(ui->fonts.small, ui->palette.red,
                            "The filter's symbol turns negative: no step is stable. Use a larger λ "
                            "or the half form.");
}

static void energy_balance(Ui *ui)
{
    const EnergyBalance *b = &ui->now->readings.balance;
    double e = b->error;
    widget_readout(ui, "work of the hand", quantity_text_certain(b->hand, e, "J"),
                   "Since the start.");
    widget_readout(ui, "work of contacts", quantity_text(b->contact, "J"),
                   "Of floor and bodies, since the start. A still one only takes.");
    if (b->wind != 0.0)
        widget_readout(ui, "work of the wind", quantity_text_certain(b->wind, e, "J"),
                       "Since the start, of the force that it would exert if the cloth stood "
                       "still. What the moving cloth loses to the air is taken by damping.");
    if (ui->now->scene.muscle_count > 0)
        widget_readout(ui, "work of the muscles", quantity_text_certain(b->muscle, e, "J"),
                       "Since the start: what it took to change the rest lengths of their "
                       "springs.");
    widget_readout(ui, "taken by damping", quantity_text_certain(b->damping, e, "J"),
                   "By air, its drag and α, since the start.");
    widget_readout(ui, "taken by the filter", quantity_text_certain(b->filter, e, "J"),
                   "Since the start.");
    widget_readout(ui, "numerical remainder", quantity_text_certain(b->remainder, e, "J"),
                   "What closes the balance: energy that the method itself added or took. With no "
                   "more digits than the rest of the balance is known to.");
}

static void cloth_numbers(Ui *ui)
{
    const Readings *r = &ui->now->readings;
    const Integrator *integrator = integrator_table[ui->now->scene.params.integrator];
    widget_section(ui, "CLOTH");
    widget_readout(ui, "fastest particle", quantity_text(r->max_speed, "m/s"), NULL);
    widget_readout(ui, "largest strain", quantity_text(100.0 * r->max_strain, "%"),
                   "Largest |l − L| / L over all springs.");
    widget_section(ui, "COST");
    widget_readout(ui, "steps", plain("%.0f", (double)r->step_count), "Steps since the start.");
    widget_readout(ui, "per step", quantity_text(r->cost, "s"), "Computing time, smoothed.");
    widget_readout(ui, "forces per step", plain("%.0f", r->last.force_evaluations),
                   "Evaluations of all forces in the last step.");
    if (integrator->traits & INTEGRATOR_IMPLICIT) {
        widget_readout(ui, "PCG iterations", plain("%.0f", r->last.pcg.iterations),
                       "Of the last step.");
        widget_readout(ui, "PCG residual", quantity_text(r->last.pcg.residual, ""),
                       "Of the last step, relative.");
    }
    if (r->last.fallbacks + r->last.retries > 0)
        widget_readout(ui, "repeated", plain("%.0f", r->last.fallbacks + r->last.retries),
                       "Solves repeated with the clamped tangent, and steps repeated in parts, "
                       "within the last step.");
    if (r->last.spent)
        widget_readout(
            ui, "ended early", (QuantityText){.value = "iterations spent"},
            "The last step used up the PCG iterations that a step may take. It was ended "
            "with what it had: a shorter step would be exact.");
}

// All lanes in a table: what they cost, how far they are off, and their energy. A click on a line
// selects the lane.
enum { COMPARED = 3 };
typedef struct Comparison {
    char text[COMPARED][64];
} Comparison;

static Comparison compared(const Ui *ui, int lane)
{
    const StageSnapshot *stage = ui->stage;
    const Snapshot *now = &stage->lanes[lane];
    Comparison line = {{"–", "–", "–"}};
    if (now->diverged) return line;
    size_t size = sizeof line.text[0];
    QuantityText off = quantity_text_length(now->distance_rms);
    QuantityText energy = quantity_text(energy_total(now->readings.energy), "J");
    if (now->cost_rate > 0.0) lane_cost(now->cost_rate, line.text[0], size);
    if (lane != stage->reference && isfinite(now->distance_rms))
        snprintf(line.text[1], size, "%s %s", off.value, off.unit);
    snprintf(line.text[2], size, "%s %s", energy.value, energy.unit);
    return line;
}

static void compare_table(Ui *ui)
{
    static const char *const heads[COMPARED] = {"cost", "error", "energy"};
    static const char *const widest[COMPARED] = {"0.00 s/s", "0.00 mm", "−0.00 J"};
    static const char help[] =
        "Cost: computing time per simulated second. Error: distance to the same particles of the "
        "lane that they are compared with, rms. Energy: kinetic, elastic and of gravity, which is "
        "0 at the height 0.";
    const Palette *p = &ui->palette;
    Font font = ui->fonts.small;
    char heading[64];
    snprintf(heading, sizeof heading, "COMPARE · %.2f S", ui->stage->time);
    widget_section(ui, heading);
    widget_tooltip(ui, help);
    ImDrawList *list = igGetWindowDrawList();
    ImVec2 at, room;
    igGetContentRegionAvail(&room);
    Comparison lines[SCENE_LANES_MAX];
    for (int i = 0; i < ui->stage->count; i++) lines[i] = compared(ui, i);
    float gap = 0.7f * ui->em, right[COMPARED], names = room.x - 0.3f * ui->em;
    for (int c = COMPARED - 1; c >= 0; c--) {
        float width = widget_text_width(font, widest[c]);
        for (int i = 0; i < ui->stage->count; i++)
            width = fmaxf(width, widget_text_width(font, lines[i].text[c]));
        right[c] = names;
        names -= width + gap;
    }
    float left = 1.0f * ui->em;
    LaneNames name;
    lane_names_fit(ui->stage, LANE_NAME_WHOLE, LANE_STEP_IF_OTHER, font, names - left, 1, &name);
    bool below = name.form > LANE_NAME_SHORT; // no room for names beside the numbers
    if (below)
        lane_names_fit(ui->stage, LANE_NAME_WHOLE, LANE_STEP_IF_OTHER, font, room.x - left, 1,
                       &name);
    igPushStyleVar_Vec2(ImGuiStyleVar_ItemSpacing, (ImVec2){0, 0});
    igGetCursorScreenPos(&at);
    for (int c = 0; c < COMPARED; c++)
        widget_draw_text(list, font, p->dim, at.x + right[c] - widget_text_width(font, heads[c]),
                         at.y, heads[c]);
    igDummy((ImVec2){room.x, ui_ems(ui, 1.2f)});
    for (int i = 0; i < ui->stage->count; i++) {
        igGetCursorScreenPos(&at);
        float height = ui_ems(ui, below ? 2.7f : 1.55f), y = at.y + 0.3f * ui->em;
        char title[LANE_TITLE_SIZE];
        lane_title(ui, i, title, sizeof title);
        igPushID_Int(i);
        if (igInvisibleButton("lane", (ImVec2){room.x, height + 1.0f}, 0)) ui_select_lane(ui, i);
        if (igIsItemHovered(0) || i == ui->stage->selected)
            ImDrawList_AddRectFilled(list, at, (ImVec2){at.x + room.x, at.y + height},
                                     theme_fade(p->accent, 0.12f), 0.0f, 0);
        widget_tooltip(ui, title);
        igPopID();
        ImDrawList_AddCircleFilled(list, (ImVec2){at.x + 0.4f * ui->em, y + 0.5f * font.height},
                                   0.3f * ui->em, theme_lane_colour(p, i), 0);
        widget_draw_text(list, font, p->text, at.x + left, y, name.text[i]);
        if (below) y += 1.15f * ui->em;
        for (int c = 0; c < COMPARED; c++)
            widget_draw_text(list, font, p->text,
                             at.x + right[c] - widget_text_width(font, lines[i].text[c]), y,
                             lines[i].text[c]);
        float rule = floorf(at.y + height) + 0.5f;
        ImDrawList_AddLine(list, (ImVec2){at.x, rule}, (ImVec2){at.x + room.x, rule}, p->line,
                           1.0f);
    }
    igPopStyleVar(1);
}

void panel_readouts(Ui *ui)
{
    const Analysis *analysis = ui_analysis(ui);
    if (ui_has_lanes(ui)) {
        compare_table(ui);
        igDummy((ImVec2){0, ui_ems(ui, 0.3f)});
        lane_heading(ui);
    }
    draw_lamp(ui);
    if (analysis) {
        stability_numbers(ui, analysis);
        filter_numbers(ui, analysis);
        plots_section(ui, "region", "STABILITY REGION");
        plots_section(ui, "eigenvalues", "EIGENVALUES OF ONE STEP");
        mode_view_chooser(ui, analysis);
    }
    time_plots_draw(ui);
    energy_balance(ui);
    plots_section(ui, "map", "STABILITY MAP");
    plots_section(ui, "phase", "PHASE PLANE");
    plots_section(ui, "velocities", "VELOCITIES");
    plots_section(ui, "spectrum", "SPECTRUM OF VELOCITIES");
    plots_section(ui, "filter", "FILTER SYMBOL");
    plots_section(ui, "pcg", "PCG CONVERGENCE");
    cloth_numbers(ui);
}
