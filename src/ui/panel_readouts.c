// The right panel: what is measured from the running cloth.
#include "ui/panels.h"
#include "ui/plot.h"
#include "ui/widgets.h"

#include <math.h>
#include <stdio.h>

typedef struct Lamp {
    ImU32 colour;
    const char *word;
    char caption[160];
} Lamp;

// The monitor's verdict, always with its word; below it where the step is and why.
static Lamp lamp_of(const Ui *ui)
{
    static const char *const words[MONITOR_STATES] = {"Stable", "Growing", "Diverged"};
    const Snapshot *now = ui->now;
    const Palette *p = &ui->palette;
    const ImU32 colours[MONITOR_STATES] = {p->green, p->amber, p->red};
    const Readings *r = &now->readings;
    MonitorState state = now->diverged ? MONITOR_DIVERGED : now->monitor.state;
    Lamp lamp = {.colour = colours[state], .word = words[state]};
    if (state == MONITOR_GROWING)
        snprintf(lamp.caption, sizeof lamp.caption, "%s",
                 detector_name((int)now->monitor.detector));
    else if (isfinite(r->step_limit))
        snprintf(lamp.caption, sizeof lamp.caption, "h is %.2f of the limit%s",
                 r->step / r->step_limit, now->scene.params.filter ? " without the filter" : "");
    else
        snprintf(lamp.caption, sizeof lamp.caption, "no step limit for this method");
    return lamp;
}

static void draw_lamp(Ui *ui)
{
    Lamp lamp = lamp_of(ui);
    ImVec2 at;
    igGetCursorScreenPos(&at);
    ImDrawList *list = igGetWindowDrawList();
    float radius = 0.62f * ui->em, left = at.x + 2.0f * ui->em;
    ImVec2 centre = {at.x + 0.9f * ui->em, at.y + 1.35f * ui->em};
    for (int i = 3; i >= 1; i--)
        ImDrawList_AddCircleFilled(list, centre, radius * (1.0f + 0.16f * (float)i),
                                   theme_fade(lamp.colour, 0.10f), 0);
    ImDrawList_AddCircleFilled(list, centre, radius, lamp.colour, 0);
    widget_draw_text(list, ui->fonts.title, ui->palette.text, left, at.y + 0.15f * ui->em,
                     lamp.word);
    widget_draw_text(list, ui->fonts.small, ui->palette.dim, left, at.y + 1.65f * ui->em,
                     lamp.caption);
    igDummy((ImVec2){1.0f, 2.9f * ui->em});
}

static void energy_plot(Ui *ui)
{
    const History *h = &ui->history;
    const float *const series[] = {h->kinetic, h->elastic, h->gravity, h->total};
    static const char *const labels[] = {"kinetic", "elastic", "gravity", "total"};
    const ImU32 colours[] = {ui->palette.series[0], ui->palette.series[1], ui->palette.series[2],
                             ui->palette.text};
    double start = h->count ? (double)h->time[0] : 0.0;
    double end = h->count ? (double)h->time[h->count - 1] : 0.0;
    PlotAxis time = {.min = start, .max = fmax(end, start + 2.0), .label = "s"};
    Plot plot;
    if (!plot_begin(&plot, ui, "energy", 15.0f * ui->em, time,
                    plot_axis_for("J", 4, series, h->count)))
        return;
    for (int i = 0; i < 4; i++)
        plot_line(&plot, labels[i], colours[i], h->time, series[i], h->count);
    plot_end(&plot);
}

void panel_readouts(Ui *ui)
{
    const Readings *r = &ui->now->readings;
    draw_lamp(ui);

    widget_section(ui, "STEP");
    widget_readout(ui, "h", quantity_text(r->step, "s"), "The step in use.");
    widget_readout(ui, "h max", quantity_text(r->step_limit, "s"),
                   "The largest stable step of this method for the cloth linearised now, with its "
                   "air drag and α, without the filter.");
    widget_readout(ui, "k₀", quantity_text(r->k0, "s⁻²"),
                   "Largest eigenvalue of M⁻¹K, with K linearised at the cloth's state a moment "
                   "ago.");
    QuantityText steps = {0};
    snprintf(steps.value, sizeof steps.value, "%ld", r->step_count);
    widget_readout(ui, "steps", steps, "Steps since the start.");

    widget_section(ui, "CLOTH");
    widget_readout(ui, "fastest particle", quantity_text(r->max_speed, "m/s"), NULL);
    widget_readout(ui, "largest strain", quantity_text(100.0 * r->max_strain, "%"),
                   "Largest |l − L| / L over all springs.");
    widget_readout(ui, "total energy", quantity_text(energy_total(r->energy), "J"),
                   "Kinetic, elastic and gravity; gravity is zero at y = 0.");

    widget_section(ui, "COST");
    widget_readout(ui, "per step", quantity_text(r->cost, "s"), "Computing time, smoothed.");
    widget_readout(ui, "real time", quantity_text(ui->now->real_time_factor, "×"),
                   "Simulated per real second, over the last half second.");
    QuantityText count = {0};
    snprintf(count.value, sizeof count.value, "%d", r->last.force_evaluations);
    widget_readout(ui, "forces per step", count, "Evaluations of all forces in the last step.");
    if (integrator_table[ui->now->scene.params.integrator]->traits & INTEGRATOR_IMPLICIT) {
        snprintf(count.value, sizeof count.value, "%d", r->last.pcg.iterations);
        widget_readout(ui, "PCG iterations", count, "Of the last step.");
        widget_readout(ui, "PCG residual", quantity_text(r->last.pcg.residual, ""),
                       "Of the last step, relative.");
    }

    widget_section(ui, "ENERGY");
    energy_plot(ui);
}
