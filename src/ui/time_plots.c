#include "ui/time_plots.h"

#include "stage/series.h"
#include "ui/lanes.h"
#include "ui/plot.h"
#include "ui/plots.h"
#include "ui/widgets.h"

#include <math.h>
#include <stdio.h>

// One quantity of one lane within a window of time.
typedef struct Curve {
    const Series *series;
    char label[80];
    ImU32 colour;
    int level; // of the series
    int count;
    PlotRange points[SERIES_BUCKETS];
    double low, high; // of all points; low > high: there are none
} Curve;

static void read_curve(Curve *curve, const Series *series, SeriesQuantity quantity,
                       const PlotAxis *x)
{
    curve->series = series;
    curve->count = 0;
    curve->low = INFINITY;
    curve->high = -INFINITY;
    if (!series) return;
    curve->level = series_level(series, x->min);
    int i = series_find(series, curve->level, x->min),
        last = series_count(series, curve->level) - 1;
    for (i = i > 0 ? i : 0; i <= last; i++) {
        const SeriesBucket *bucket = series_bucket(series, curve->level, i);
        double min = (double)bucket->min[quantity], max = (double)bucket->max[quantity];
        if (!(min <= max)) continue;
        double time = i == last ? bucket->last : 0.5 * (bucket->first + bucket->last);
        curve->points[curve->count++] = (PlotRange){time, min, max};
        if (isfinite(min)) curve->low = fmin(curve->low, min);
        if (isfinite(max)) curve->high = fmax(curve->high, max);
        if (bucket->first > x->max) break; // one more, so that the line reaches the edge
    }
}

static void label_lane(const Ui *ui, int lane, Curve *curve)
{
    curve->colour = theme_lane_colour(&ui->palette, lane);
    lane_legend(ui, lane, curve->label, sizeof curve->label);
}

// The same quantity of every lane. Returns their number.
static int read_lanes(const Ui *ui, SeriesQuantity quantity, const PlotAxis *x, Curve *curves)
{
    for (int i = 0; i < ui->stage->count; i++) {
        read_curve(&curves[i], ui->stage->lanes[i].series, quantity, x);
        label_lane(ui, i, &curves[i]);
    }
    return ui->stage->count;
}

static double first_time(const Ui *ui)
{
    double first = INFINITY;
    for (int i = 0; i < ui->stage->count; i++) {
        const Series *series = ui->stage->lanes[i].series;
        if (series) first = fmin(first, series->first);
    }
    return isfinite(first) ? first : 0.0;
}

// How much time the plots show. Until the user chooses: ten seconds, or two of a few particles,
// where single swings can be followed.
static double window_seconds(const Ui *ui)
{
    enum { FEW = 8 };
    if (ui->plot_seconds > 0.0) return ui->plot_seconds;
    return ui->now->particle_count <= FEW ? 2.0 : 10.0;
}

// The last seconds, or those about the moment of the past that is shown.
PlotAxis time_plot_axis(const Ui *ui)
{
    double first = first_time(ui), end = ui->now->last_time, span = window_seconds(ui);
    if (ui->now->in_past) end = fmin(end, ui->now->readings.time + 0.5 * span);
    double from = fmax(end - span, first);
    return (PlotAxis){
        .min = from, .max = fmax(end, from + 0.1), .label = "s", .name = "simulated time"};
}

// A lane that diverged may leave the picture: the others stay readable.
static PlotAxis axis_for(const Ui *ui, const char *unit, const Curve *curves, int count)
{
    double low = INFINITY, high = -INFINITY;
    for (int pass = 0; pass < 2 && low > high; pass++) {
        for (int i = 0; i < count; i++) {
            bool lanes = ui->stage->count > 1;
            if (pass == 0 && lanes && ui->stage->lanes[i].diverged) continue;
            low = fmin(low, curves[i].low);
            high = fmax(high, curves[i].high);
        }
    }
    return plot_axis_over(unit, low, high);
}

static const char *ordinal(int n)
{
    int tens = n / 10 % 10, ones = n % 10;
    if (tens == 1 || ones == 0 || ones > 3) return "th";
    return ones == 1 ? "st" : ones == 2 ? "nd" : "rd";
}

// How often it was measured, and what a point stands for.
static void describe_sampling(Plot *plot, const Curve *curve)
{
    if (!curve->series || plot->hover_used == 0) return;
    int every = curve->series->every, samples = series_level_samples(curve->level);
    if (every == 1)
        plot_hover_text(plot, "\nmeasured after every step");
    else
        plot_hover_text(plot, "\nmeasured after every %d%s step", every, ordinal(every));
    if (samples > 1) plot_hover_text(plot, "; a point is the range of %d of these", samples);
}

// Draw them, and where we are in the past.
static void draw_curves(Plot *plot, const Curve *curves, int count)
{
    const Ui *ui = plot->ui;
    for (int i = 0; i < count; i++)
        plot_band(plot, curves[i].label, curves[i].colour, curves[i].points, curves[i].count);
    if (count > 0) describe_sampling(plot, &curves[0]);
    if (ui->now->in_past) plot_moment(plot, ui->palette.text, ui->now->readings.time);
}

// The growth that theory predicts for the worst mode, drawn through the value measured at the
// moment shown: rho per step, so rho² in energy.
static void draw_prediction(Plot *plot, double rho, double time, double value)
{
    if (!(rho > 1.0) || !(value > 0.0)) return;
    const Ui *ui = plot->ui;
    double slope = 2.0 * log(rho) / ui->now->readings.step;
    double from = fmax(plot->x.min, time - 100.0 / slope);
    double to = fmin(plot->x.max, time + 100.0 / slope); // exp(100) is finite
    ImU32 colour = theme_fade(ui->palette.red, 0.7f);
    plot_segment(plot, colour, from, value * exp(slope * (from - time)), to,
                 value * exp(slope * (to - time)), 0.11f);
    plot_legend(plot, "predicted", colour);
}

// The window that shows a thousandfold growth at the predicted rate, or two seconds.
static PlotAxis growth_time_axis(const Ui *ui, double rho)
{
    double span = 2.0, time = ui->now->readings.time;
    if (rho > 1.0) {
        double steps = log(1e6) / log(rho);
        span = fmin(fmax(steps * ui->now->readings.step, 1e-3), span);
    }
    double from = fmax(time - span, first_time(ui)),
           ahead = rho > 1.0 || ui->now->in_past ? 0.5 * span : 0.0;
    return (PlotAxis){.min = from,
                      .max = fmax(time, from + 0.5 * span) + ahead,
                      .label = "s",
                      .name = "simulated time"};
}

// The energy of neighbours shaking against each other. It is there whether it grows or not.
void growth_plot_draw(Ui *ui, float height)
{
    const Analysis *analysis = ui_analysis(ui); // NULL: the lab has nothing to predict yet
    double rho = analysis ? analysis->rho_predicted : NAN;
    Curve curves[SCENE_LANES_MAX];
    PlotAxis x = growth_time_axis(ui, rho);
    int count = read_lanes(ui, SERIES_RIPPLE, &x, curves);
    if (count == 1) {
        curves[0].colour = ui->palette.text;
        snprintf(curves[0].label, sizeof curves[0].label, "measured");
    }
    double low = INFINITY, high = 1e-12;
    for (int i = 0; i < count; i++) {
        low = fmin(low, curves[i].low);
        high = fmax(high, curves[i].high);
    }
    low = fmax(low, 1e-8 * high); // at rest it is zero
    PlotAxis y = {.min = 0.5 * low,
                  .max = (rho > 1.0 ? 100.0 : 2.0) * high,
                  .logarithmic = true,
                  .label = "J",
                  .name = "energy of shaking"};
    double time = ui->now->readings.time, value = 0.0;
    const Curve *selected = &curves[ui->stage->selected];
    for (int i = 0; i < selected->count && selected->points[i].x <= time; i++)
        value = selected->points[i].max;
    Plot plot;
    if (!plot_begin(&plot, ui, "growth", height, x, y)) return;
    draw_prediction(&plot, rho, time, fmax(value, y.min));
    draw_curves(&plot, curves, count);
    if (plot.hover_used > 0)
        plot_hover_text(&plot, "\nEnergy of neighbours that shake against each other.");
    plot_end(&plot);
}

void time_plot_controls(Ui *ui)
{
    enum { WINDOWS = 3 };
    static const char *const labels[WINDOWS] = {"2 s", "10 s", "all"};
    const double seconds[WINDOWS] = {2.0, 10.0, INFINITY};
    int chosen = -1;
    for (int i = 0; i < WINDOWS; i++) {
        if (seconds[i] == window_seconds(ui)) chosen = i;
    }
    int wanted = widget_choice(ui, "plot_seconds", labels, NULL, WINDOWS, chosen);
    if (wanted >= 0) ui->plot_seconds = seconds[wanted];
}

void energy_plot_draw(Ui *ui, float height)
{
    static const char *const labels[] = {"kinetic", "elastic", "gravity", "total"};
    const ImU32 colours[] = {ui->palette.series[0], ui->palette.series[1], ui->palette.series[2],
                             ui->palette.text};
    Curve curves[SCENE_LANES_MAX];
    PlotAxis x = time_plot_axis(ui);
    int count = 4;
    if (ui->stage->count > 1) {
        count = read_lanes(ui, SERIES_TOTAL, &x, curves);
    } else {
        for (int i = 0; i < count; i++) {
            read_curve(&curves[i], ui->now->series, (SeriesQuantity)i, &x);
            snprintf(curves[i].label, sizeof curves[i].label, "%s", labels[i]);
            curves[i].colour = colours[i];
        }
    }
    Plot plot;
    PlotAxis y = axis_for(ui, "J", curves, count);
    y.name = ui->stage->count > 1 ? "total energy" : "energy";
    if (!plot_begin(&plot, ui, "energy", height, x, y)) return;
    draw_curves(&plot, curves, count);
    plot_end(&plot);
}

const char *distance_plot_why_not(const Ui *ui)
{
    for (int i = 0; i < ui->stage->count; i++) {
        if (isfinite(ui->stage->lanes[i].distance_rms)) return NULL;
    }
    return "No lanes are compared. Compare methods, and choose one as the reference.";
}

void distance_plot_draw(Ui *ui, float height)
{
    Curve curves[SCENE_LANES_MAX];
    PlotAxis x = time_plot_axis(ui);
    int count = read_lanes(ui, SERIES_DISTANCE, &x, curves);
    Plot plot;
    PlotAxis y = axis_for(ui, "m", curves, count);
    y.name = "distance";
    if (!plot_begin(&plot, ui, "distance", height, x, y)) return;
    draw_curves(&plot, curves, count);
    plot_end(&plot);
}

void time_plots_draw(Ui *ui)
{
    plots_section(ui, "growth", "GROWTH");
    char title[40];
    if (ui->stage->reference < ui->stage->count)
        snprintf(title, sizeof title, "DISTANCE TO LANE %d", ui->stage->reference + 1);
    else
        snprintf(title, sizeof title, "DISTANCE TO THE FINE LANE");
    plots_section(ui, "distance", title);
    plots_section(ui, "energy", ui->stage->count > 1 ? "TOTAL ENERGY" : "ENERGY");
}
