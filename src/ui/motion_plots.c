#include "ui/motion_plots.h"

#include "stage/film.h"
#include "ui/lanes.h"
#include "ui/time_plots.h"
#include "ui/widgets.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const axis_names[] = {"x", "y", "z"};

Status motion_plots_create(MotionPlots **out, Error *error)
{
    *out = calloc(1, sizeof **out);
    if (!*out) return error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for the plots");
    (*out)->particle = (*out)->axis = -1;
    (*out)->shown_axis = 1;
    return STATUS_OK;
}

void motion_plots_destroy(MotionPlots *plots)
{
    if (!plots) return;
    plot_image_finish(&plots->image);
    free(plots);
}

// ---- the phase plane

const char *phase_plot_why_not(const Ui *ui)
{
    if (!ui->motion || !ui->now->film || film_count(ui->now->film, 0) == 0)
        return "Nothing has been measured yet.";
    if (!ui->now->film->small)
        return "The phase plane is for cloths of up to 64 particles: pair, spring, orbit, rope.";
    return NULL;
}

// The particle that is shown: the last one until another is chosen.
static int shown_particle(const Ui *ui)
{
    int last = ui->now->film->rows - 1, chosen = ui->motion->particle;
    return chosen >= 0 && chosen <= last ? chosen : last;
}

typedef struct Extent {
    double low, high;
} Extent;

static void widen(Extent *extent, float value)
{
    if (!isfinite(value)) return;
    extent->low = fmin(extent->low, (double)value);
    extent->high = fmax(extent->high, (double)value);
}

// Of positions and velocities of a particle along each axis, over all that is kept.
static void measure(const Film *film, int row, Extent x[3], Extent v[3])
{
    const int levels[2] = {0, film_level(film, film->first)};
    for (int l = 0; l < (levels[1] > 0 ? 2 : 1); l++) {
        for (int i = 0; i < film_count(film, levels[l]); i++) {
            const float *velocity = film_velocity(film, levels[l], i, row);
            const float *position = film_position(film, levels[l], i, row);
            for (int a = 0; a < 3; a++) {
                widen(&x[a], position[a]);
                widen(&v[a], velocity[a]);
            }
        }
    }
}

// Until one is chosen: the axis along which it moves most. A little more along another does not
// change it.
static int shown_axis(Ui *ui, const Extent x[3])
{
    MotionPlots *plots = ui->motion;
    if (plots->axis >= 0) return plots->axis;
    for (int a = 0; a < 3; a++) {
        const Extent *now = &x[plots->shown_axis];
        if (x[a].high - x[a].low > 1.5 * (now->high - now->low)) plots->shown_axis = a;
    }
    return plots->shown_axis;
}

void phase_plot_controls(Ui *ui)
{
    MotionPlots *plots = ui->motion;
    char text[48];
    int wanted = widget_choice(ui, "axis", axis_names, NULL, 3,
                               plots->axis >= 0 ? plots->axis : plots->shown_axis);
    if (wanted >= 0) plots->axis = wanted;
    int particle = shown_particle(ui), last = ui->now->film->rows - 1;
    widget_beside(ui, "−");
    if (widget_button(ui, "−", false)) plots->particle = particle > 0 ? particle - 1 : last;
    widget_beside(ui, "+");
    if (widget_button(ui, "+", false)) plots->particle = particle < last ? particle + 1 : 0;
    snprintf(text, sizeof text, "particle %d of %d", particle + 1, last + 1);
    widget_beside(ui, text);
    widget_text(ui->fonts.regular, ui->palette.dim, text);
}

// The newest moments of a level, at most so many, as a line, or as points where there were others
// in between. What would fall on the pixel before is left out.
static void draw_orbit(Plot *plot, const Film *film, int level, int row, int axis, ImU32 colour,
                       int most)
{
    int count = film_count(film, level), first = count > most && !plot->tape ? count - most : 0;
    ImVec2 before = {0};
    double last_x = NAN, last_v = NAN;
    for (int i = first; i < count; i++) {
        double x = (double)film_position(film, level, i, row)[axis];
        double v = (double)film_velocity(film, level, i, row)[axis];
        if (!isfinite(x) || !isfinite(v)) continue;
        ImVec2 place = plot_place(plot, x, v);
        bool begun = !isnan(last_x);
        if (begun && !plot->tape && hypotf(place.x - before.x, place.y - before.y) < 0.7f) continue;
        if (level > 0)
            plot_dot(plot, colour, x, v, 0.06f);
        else if (begun)
            plot_segment(plot, colour, last_x, last_v, x, v, 0.07f);
        last_x = x;
        last_v = v;
        before = place;
    }
}

static void draw_lane(Plot *plot, int lane, int axis)
{
    const Ui *ui = plot->ui;
    const Snapshot *now = &ui->stage->lanes[lane];
    const Film *film = now->film;
    if (!film || !film->small) return;
    bool lanes = ui_has_lanes(ui);
    ImU32 colour = lanes ? theme_lane_colour(&ui->palette, lane) : ui->palette.accent;
    char title[LANE_TITLE_SIZE] = "orbit";
    if (lanes) lane_legend(ui, lane, title, sizeof title);
    enum { MOMENTS = 2048 }; // of all lanes
    int row = shown_particle(ui), coarse = film_level(film, film->first);
    int most = MOMENTS / ui->stage->count;
    while (coarse + 1 < FILM_LEVELS && film_count(film, coarse) > most) coarse++;
    plot_name(plot, title);
    if (coarse > 0) draw_orbit(plot, film, coarse, row, axis, theme_fade(colour, 0.6f), most);
    draw_orbit(plot, film, 0, row, axis, colour, most);
    int level = film_level(film, now->readings.time);
    int at = film_find(film, level, now->readings.time);
    if (at >= 0) {
        double x = (double)film_position(film, level, at, row)[axis];
        double v = (double)film_velocity(film, level, at, row)[axis];
        plot_name(plot, "now");
        plot_point(plot, lanes ? colour : ui->palette.amber, x, v, 0.25f);
        if (lanes) plot_ring(plot, ui->palette.text, x, v, 0.25f);
    }
}

void phase_plot_draw(Ui *ui, float height)
{
    const Film *film = ui->now->film;
    int row = shown_particle(ui);
    Extent x[3], v[3];
    for (int a = 0; a < 3; a++) x[a] = v[a] = (Extent){INFINITY, -INFINITY};
    for (int i = 0; i < ui->stage->count; i++) {
        const Snapshot *lane = &ui->stage->lanes[i];
        bool left_out = lane->diverged && lane != ui->now;
        if (lane->film && lane->film->small && !left_out) measure(lane->film, row, x, v);
    }
    int axis = shown_axis(ui, x);
    PlotAxis across = plot_axis_over("m", x[axis].low, x[axis].high);
    PlotAxis up = plot_axis_over("m/s", v[axis].low, v[axis].high);
    char names[2][32];
    snprintf(names[0], sizeof names[0], "position %s", axis_names[axis]);
    snprintf(names[1], sizeof names[1], "velocity v%s", axis_names[axis]);
    across.name = names[0];
    up.name = names[1];
    Plot plot;
    if (!plot_begin(&plot, ui, "phase", height, across, up)) return;
    for (int i = 0; i < ui->stage->count; i++) draw_lane(&plot, i, axis);
    if (plot.hovered) {
        bool whole = film_level(film, film->first) == 0 && film_count(film, 0) <= 500;
        plot_hover_text(&plot, "%s %.4g m\nv%s %.4g m/s", axis_names[axis], plot.hover_x,
                        axis_names[axis], plot.hover_y);
        plot_hover_text(&plot, whole ? "\nEvery step since the start."
                                     : "\nThe line has the last steps; points are moments of the "
                                       "whole run.");
    }
    plot_end(&plot);
}

// ---- velocities as an image

const char *velocity_plot_why_not(const Ui *ui)
{
    if (!ui->motion || !ui->now->film || film_count(ui->now->film, 0) == 0)
        return "Nothing has been measured yet.";
    return NULL;
}

static uint32_t channel(double share)
{
    return (uint32_t)lround(255.0 * fmin(fmax(0.5 + 0.5 * share, 0.0), 1.0));
}

static double round_up(double value)
{
    double power = pow(10.0, floor(log10(value))), lead = value / power;
    const double steps[] = {1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0};
    for (int i = 0; i < 8; i++) {
        if (lead <= steps[i]) return power * steps[i];
    }
    return 10.0 * power;
}

// The columns of the picture, evenly spaced in time: each shows the last sample before its end.
static void fill_image(MotionPlots *plots, const Film *film, double from, double to)
{
    enum { COLUMNS = 320 };
    PlotImage *image = &plots->image;
    int level = film_level(film, from), rows = film->rows;
    if (!plot_image_resize(image, COLUMNS, rows, 3)) return;
    double largest = 1e-6, squares = 0.0;
    for (int c = 0; c < COLUMNS; c++) {
        int i = film_find(film, level, from + (to - from) * (c + 1) / COLUMNS);
        for (int r = 0; r < rows; r++) {
            const float *v = i >= 0 ? film_velocity(film, level, i, r) : NULL;
            for (int a = 0; a < 3; a++) {
                float value = v && isfinite(v[a]) ? v[a] : 0.0f;
                image->value[a][r * COLUMNS + c] = value;
                largest = fmax(largest, fabs((double)value));
                squares += (double)value * (double)value;
            }
        }
    }
    // one fast moment must not make all others grey
    double rms = sqrt(squares / (3.0 * COLUMNS * rows));
    double full = plots->image_speed = round_up(fmax(fmin(largest, 3.0 * rms), 1e-6));
    for (int i = 0; i < COLUMNS * rows; i++)
        image->colour[i] = channel((double)image->value[0][i] / full) |
                           channel((double)image->value[1][i] / full) << 8 |
                           channel((double)image->value[2][i] / full) << 16 | 0xff000000;
    image->title = "velocity (m/s)";
    image->name[0] = "vx";
    image->name[1] = "vy";
    image->name[2] = "vz";
    plot_image_changed(image);
}

static void refresh(Ui *ui, const Film *film, const PlotAxis *x)
{
    MotionPlots *plots = ui->motion;
    bool same = plots->image_serial == film->serial && plots->image_rewritten == film->rewritten &&
                plots->image_from == x->min && plots->image_to == x->max &&
                plots->image_lane == ui->stage->selected;
    if (same && plots->image.columns > 0) return;
    fill_image(plots, film, x->min, x->max);
    plots->image_serial = film->serial;
    plots->image_rewritten = film->rewritten;
    plots->image_from = x->min;
    plots->image_to = x->max;
    plots->image_lane = ui->stage->selected;
}

static void hover_velocity(Plot *plot, const Film *film)
{
    const PlotImage *image = &plot->ui->motion->image;
    double u = (plot->hover_x - plot->x.min) / (plot->x.max - plot->x.min);
    int c = (int)(u * image->columns), r = (int)plot->hover_y;
    if (c < 0 || c >= image->columns || r < 0 || r >= image->rows) return;
    float v[3];
    for (int a = 0; a < 3; a++) v[a] = image->value[a][r * image->columns + c];
    int particle = film_particle(film, r), columns = film->grid_columns;
    plot_hover_text(plot, "%.4g s, particle %d", plot->hover_x, particle);
    if (film->grid_rows > 1)
        plot_hover_text(plot, " (row %d, column %d)", particle / columns, particle % columns);
    plot_hover_text(plot, "\nv %.3g, %.3g, %.3g m/s", (double)v[0], (double)v[1], (double)v[2]);
    if (film->rows < film->particle_count)
        plot_hover_text(plot, "\n%d of %d particles: whole rows of the cloth.", film->rows,
                        film->particle_count);
}

void velocity_plot_draw(Ui *ui, float height)
{
    const Film *film = ui->now->film;
    PlotAxis x = time_plot_axis(ui);
    PlotAxis y = {.max = film->rows, .label = "particle", .whole = true};
    if (igIsRectVisible_Nil((ImVec2){1.0f, height})) refresh(ui, film, &x);
    Plot plot;
    if (!plot_begin(&plot, ui, "velocities", height, x, y)) return;
    plot_image_draw(&plot, &ui->motion->image, x.min, 0.0, x.max, film->rows);
    char full[48];
    snprintf(full, sizeof full, "x, full: %g m/s", ui->motion->image_speed);
    plot_legend(&plot, full, 0xff8080ff); // ABGR
    plot_legend(&plot, "y", 0xff80ff80);
    plot_legend(&plot, "z", 0xffff8080);
    plot_legend(&plot, "at rest", 0xff808080);
    if (ui->now->in_past) plot_moment(&plot, ui->palette.text, ui->now->readings.time);
    if (plot.hovered) hover_velocity(&plot, film);
    plot_end(&plot);
}
