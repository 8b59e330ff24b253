#include "ui/solver_plot.h"

#include "ui/lanes.h"
#include "ui/plot.h"

#include <math.h>
#include <stdio.h>

const char *solver_plot_why_not(const Ui *ui)
{
    for (int i = 0; i < ui->stage->count; i++) {
        if (ui->stage->lanes[i].pcg.solves > 0) return NULL;
    }
    const Integrator *method = integrator_table[ui->now->scene.params.integrator];
    return method->traits & INTEGRATOR_IMPLICIT
               ? "No step has been computed since the start or the last jump in time."
               : "This method solves no linear system. An implicit one does, such as backward "
                 "Euler.";
}

// The residuals of one solve.
static int read_solve(const PcgTrace *trace, int solve, PlotRange *points)
{
    int count = 0;
    for (int i = trace->first[solve]; i < trace->first[solve + 1]; i++) {
        double residual = fmax((double)trace->residual[i], 1e-30);
        points[count] = (PlotRange){count, residual, residual};
        count++;
    }
    return count;
}

static void draw_lane(Plot *plot, int lane)
{
    const Ui *ui = plot->ui;
    const PcgTrace *trace = &ui->stage->lanes[lane].pcg;
    bool lanes = ui_has_lanes(ui);
    PlotRange points[PCG_TRACE];
    for (int s = lanes && trace->solves > 0 ? trace->solves - 1 : 0; s < trace->solves; s++) {
        ImU32 colour = lanes ? theme_lane_colour(&ui->palette, lane) : ui->palette.series[s % 4];
        char title[LANE_TITLE_SIZE];
        if (lanes)
            lane_legend(ui, lane, title, sizeof title);
        else if (trace->solves == 1)
            snprintf(title, sizeof title, "residual");
        else
            snprintf(title, sizeof title, "solve %d", s + 1);
        int count = read_solve(trace, s, points);
        plot_band(plot, title, colour, points, count);
        for (int i = 0; i < count && count <= 60; i++)
            plot_point(plot, colour, points[i].x, points[i].max, 0.12f);
    }
}

void solver_plot_draw(Ui *ui, float height)
{
    double tolerance = ui->now->scene.params.pcg_tolerance;
    double low = tolerance, high = 1.0;
    int longest = 4;
    for (int i = 0; i < ui->stage->count; i++) {
        const PcgTrace *trace = &ui->stage->lanes[i].pcg;
        for (int s = 0; s < trace->solves; s++) {
            int length = trace->first[s + 1] - trace->first[s];
            if (length > longest) longest = length;
            for (int k = trace->first[s]; k < trace->first[s + 1]; k++) {
                low = fmin(low, fmax((double)trace->residual[k], 1e-16));
                high = fmax(high, (double)trace->residual[k]);
            }
        }
    }
    PlotAxis x = {.max = 1.02 * longest, .label = "iteration", .whole = true};
    PlotAxis y = {.min = 0.3 * low,
                  .max = 2.0 * fmin(high, 1e9),
                  .logarithmic = true,
                  .label = "",
                  .name = "relative residual"};
    Plot plot;
    if (!plot_begin(&plot, ui, "pcg", height, x, y)) return;
    plot_name(&plot, "");
    for (int i = 0; i < ui->stage->count; i++) draw_lane(&plot, i);
    plot_name(&plot, "tolerance");
    plot_segment(&plot, ui->palette.green, 0.0, tolerance, x.max, tolerance, 0.06f);
    plot_legend(&plot, "tolerance", ui->palette.green);
    plot_end(&plot);
}
