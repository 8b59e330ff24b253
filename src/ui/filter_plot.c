#include "ui/filter_plot.h"

#include "cloth/filter.h"
#include "stability/filter_symbol.h"
#include "ui/lanes.h"
#include "ui/plot.h"

#include <math.h>
#include <stdio.h>

const char *filter_plot_why_not(const Ui *ui)
{
    if (ui->now->scene.mesh[0]) return "Only a grid has waves of one length: this mesh is not one.";
    for (int i = 0; i < ui->stage->count; i++) {
        if (ui->stage->lanes[i].scene.params.filter != FILTER_OFF) return NULL;
    }
    return "The filter is off.";
}

static FilterSymbol symbol_of(const Params *params)
{
    return filter_symbol_of(params->filter == FILTER_GAUSSIAN, params->lambda,
                            params->filter_form == FILTER_HALF, params->rows == 1);
}

enum { POINTS = 160 };

static void draw_curve(Plot *plot, const FilterSymbol *symbol, bool diagonal, const char *name,
                       ImU32 colour)
{
    PlotRange points[POINTS + 1];
    const double end = acos(-1.0);
    for (int i = 0; i <= POINTS; i++) {
        double q = end * i / POINTS, f = filter_symbol_at(symbol, q, diagonal ? q : 0.0);
        points[i] = (PlotRange){(double)i / POINTS, f, f};
    }
    plot_band(plot, name, colour, points, POINTS + 1);
    double zero = filter_symbol_zero(symbol, diagonal) / end;
    if (isnan(zero)) return;
    char text[64];
    snprintf(text, sizeof text, "turns negative: %.3f", zero);
    plot_name(plot, "turns negative");
    plot_point(plot, plot->ui->palette.red, zero, 0.0, 0.28f);
    if (plot->large) plot_text(plot, plot->ui->palette.text, zero, diagonal ? -0.04 : 0.06, text);
    if (plot_near(plot, zero, 0.0, 0.5f)) plot_hover_text(plot, "\n%s of q / π", text);
}

// What the lab found on this cloth, with its borders and pins.
static void draw_measured(Plot *plot)
{
    const Ui *ui = plot->ui;
    const Analysis *a = ui_analysis(ui);
    if (!a || !a->has_filter_limit || !isfinite(a->filter.smallest_symbol)) return;
    double least = a->filter.smallest_symbol;
    plot_name(plot, "smallest, measured");
    for (int i = 0; i < 24; i++) // dashed
        plot_segment(plot, ui->palette.amber, i / 24.0, least, (i + 0.5) / 24.0, least, 0.06f);
    plot_legend(plot, "smallest, measured", ui->palette.amber);
}

void filter_plot_draw(Ui *ui, float height)
{
    double least = 0.0;
    for (int i = 0; i < ui->stage->count; i++) {
        const Params *params = &ui->stage->lanes[i].scene.params;
        FilterSymbol symbol = symbol_of(params);
        if (params->filter != FILTER_OFF) least = fmin(least, filter_symbol_least(&symbol));
    }
    PlotAxis x = {.max = 1.0, .label = "q / π", .name = "wave number"};
    PlotAxis y = {.min = fmin(1.2 * least, -0.12), .max = 1.08, .label = "", .name = "symbol f"};
    Plot plot;
    if (!plot_begin(&plot, ui, "filter", height, x, y)) return;
    plot_name(&plot, "");
    plot_box(&plot, theme_fade(ui->palette.red, 0.15f), 0.0, y.min, 1.0, 0.0);
    plot_segment(&plot, ui->palette.dim, 0.0, 0.0, 1.0, 0.0, 0.06f);
    for (int i = 0; i < ui->stage->count; i++) {
        const Params *params = &ui->stage->lanes[i].scene.params;
        if (params->filter == FILTER_OFF) continue;
        FilterSymbol symbol = symbol_of(params);
        char title[LANE_TITLE_SIZE];
        lane_legend(ui, i, title, sizeof title);
        if (ui_has_lanes(ui)) {
            draw_curve(&plot, &symbol, !symbol.rope, title, theme_lane_colour(&ui->palette, i));
        } else {
            if (!symbol.rope)
                draw_curve(&plot, &symbol, true, "along the diagonal", ui->palette.series[1]);
            draw_curve(&plot, &symbol, false, symbol.rope ? "along the rope" : "along the threads",
                       ui->palette.series[0]);
        }
    }
    draw_measured(&plot);
    if (plot.hovered && plot.hover_x > 0.0)
        plot_hover_text(&plot, "\nwaves %.3g particles long", 2.0 / plot.hover_x);
    if (plot.hovered && ui->now->scene.params.filter_distance == FILTER_CURRENT)
        plot_hover_text(&plot, "\nfor the distances at rest");
    plot_end(&plot);
}
