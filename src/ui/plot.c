#include "ui/plot.h"

#include "ui/imgui_versions.h"
#include "ui/quantity.h"
#include "ui/widgets.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

static double axis_position(const PlotAxis *axis, double value) // 0 to 1
{
    if (axis->logarithmic) return log(fmax(value, 1e-300) / axis->min) / log(axis->max / axis->min);
    return (value - axis->min) / (axis->max - axis->min);
}

// (0, 0) is the lower left corner of the picture, (1, 1) the upper right one.
static ImVec2 place_unit(const Plot *plot, double u, double v)
{
    return (ImVec2){plot->min.x + (float)u * (plot->max.x - plot->min.x),
                    plot->max.y - (float)v * (plot->max.y - plot->min.y)};
}

static ImVec2 place(const Plot *plot, double x, double y)
{
    // limited, to keep infinities out of the draw list
    return place_unit(plot, fmin(fmax(axis_position(&plot->x, x), -10.0), 11.0),
                      fmin(fmax(axis_position(&plot->y, y), -10.0), 11.0));
}

double plot_round_step(double span, int parts)
{
    double raw = span / parts, power = pow(10.0, floor(log10(raw)));
    double lead = raw / power;
    return power * (lead <= 1.0 ? 1.0 : lead <= 2.0 ? 2.0 : lead <= 5.0 ? 5.0 : 10.0);
}

PlotAxis plot_axis_for(const char *label, int series, const float *const *values, int count)
{
    PlotAxis axis = {.min = INFINITY, .max = -INFINITY, .label = label};
    for (int s = 0; s < series; s++) {
        for (int i = 0; i < count; i++) {
            if (!isfinite(values[s][i])) continue;
            axis.min = fmin(axis.min, (double)values[s][i]);
            axis.max = fmax(axis.max, (double)values[s][i]);
        }
    }
    if (!(axis.min <= axis.max)) axis.min = axis.max = 0.0;
    if (!(axis.max - axis.min > 1e-9)) axis.min -= 0.5, axis.max = axis.min + 1.0;
    double margin = 0.06 * (axis.max - axis.min);
    axis.min -= margin;
    axis.max += margin;
    return axis;
}

// ---- ticks: the next one after `tick`, and its label

typedef struct Ticks {
    double first, step; // step: a difference, or a factor if logarithmic
    bool logarithmic;
} Ticks;

static Ticks ticks_of(const PlotAxis *axis, int parts)
{
    if (axis->logarithmic) {
        double decades = log10(axis->max / axis->min);
        double step = pow(10.0, fmax(1.0, round(decades / parts)));
        return (Ticks){pow(10.0, ceil(log10(axis->min) - 1e-9)), step, true};
    }
    double step = plot_round_step(axis->max - axis->min, parts);
    return (Ticks){ceil(axis->min / step) * step, step, false};
}

static void tick_text(const Ticks *ticks, double value, char *out, size_t size)
{
    if (ticks->logarithmic) {
        int exponent = (int)lround(log10(value));
        if (exponent > -3 && exponent < 5)
            snprintf(out, size, "%g", value);
        else
            quantity_power_of_ten(exponent, out, size);
        return;
    }
    int decimals = ticks->step >= 1.0 ? 0 : (int)ceil(-log10(ticks->step) - 1e-9);
    snprintf(out, size, "%.*f", decimals, fabs(value) < 0.5 * ticks->step ? 0.0 : value);
}

static void draw_axes(const Plot *plot)
{
    const Ui *ui = plot->ui;
    ImDrawList *list = igGetWindowDrawList();
    Font font = ui->fonts.small;
    const Palette *p = &ui->palette;
    char text[32];
    Ticks ticks = ticks_of(&plot->y, 4);
    for (double y = ticks.first; y <= plot->y.max;
         y = ticks.logarithmic ? y * ticks.step : y + ticks.step) {
        float row = floorf(place(plot, plot->x.min, y).y) + 0.5f;
        ImDrawList_AddLine(list, (ImVec2){plot->min.x, row}, (ImVec2){plot->max.x, row}, p->line,
                           1.0f);
        tick_text(&ticks, y, text, sizeof text);
        widget_draw_text(list, font, p->dim,
                         plot->min.x - 0.3f * ui->em - widget_text_width(font, text),
                         row - 0.5f * font.height, text);
    }
    ticks = ticks_of(&plot->x, 4);
    float label = widget_text_width(font, plot->x.label);
    float free_from = plot->min.x - ui->em, free_to = plot->max.x - label - 0.4f * ui->em;
    for (double x = ticks.first; x <= plot->x.max;
         x = ticks.logarithmic ? x * ticks.step : x + ticks.step) {
        float column = floorf(place(plot, x, plot->y.min).x) + 0.5f;
        ImDrawList_AddLine(list, (ImVec2){column, plot->min.y}, (ImVec2){column, plot->max.y},
                           p->line, 1.0f);
        tick_text(&ticks, x, text, sizeof text);
        float width = widget_text_width(font, text), left = column - 0.5f * width;
        if (left < free_from || left + width > free_to) continue; // labels must not touch
        widget_draw_text(list, font, p->dim, left, plot->max.y + 0.15f * ui->em, text);
        free_from = left + width + 0.6f * ui->em;
    }
    widget_draw_text(list, font, p->dim, plot->max.x - label, plot->max.y + 0.15f * ui->em,
                     plot->x.label);
    widget_draw_text(list, font, p->dim, plot->min.x + 0.3f * ui->em, plot->min.y, plot->y.label);
}

// Margins of the drawing area, for the labels of the axes. The legend is below.
static float room_left(const Ui *ui)
{
    return 2.6f * ui->em;
}
static float room_below(const Ui *ui)
{
    return 1.5f * ui->fonts.small.height;
}

float plot_aspect(const Ui *ui, float width, float height)
{
    return fmaxf(width - room_left(ui), ui->em) / fmaxf(height - room_below(ui), ui->em);
}

bool plot_begin(Plot *plot, Ui *ui, const char *id, float height, PlotAxis x, PlotAxis y)
{
    ImVec2 at, room;
    igGetCursorScreenPos(&at);
    igGetContentRegionAvail(&room);
    *plot = (Plot){.ui = ui,
                   .x = x,
                   .y = y,
                   .min = {at.x + room_left(ui), at.y},
                   .max = {at.x + room.x, at.y + height - room_below(ui)}};
    igInvisibleButton(id, (ImVec2){fmaxf(room.x, 1.0f), height}, 0);
    if (plot->max.x - plot->min.x < ui->em || plot->max.y - plot->min.y < ui->em) return false;
    draw_axes(plot);
    ImVec2 mouse;
    igGetMousePos(&mouse);
    plot->hovered = igIsItemHovered(0) && mouse.x >= plot->min.x && mouse.y <= plot->max.y;
    double u = (mouse.x - plot->min.x) / (plot->max.x - plot->min.x);
    plot->hover_x = x.logarithmic ? x.min * pow(x.max / x.min, u) : x.min + u * (x.max - x.min);
    ImDrawList_PushClipRect(igGetWindowDrawList(), plot->min, plot->max, true);
    return true;
}

void plot_hover_text(Plot *plot, const char *format, ...)
{
    if (plot->hover_used >= PLOT_HOVER - 1) return;
    va_list arguments;
    va_start(arguments, format);
    plot->hover_used += vsnprintf(plot->hover + plot->hover_used,
                                  (size_t)(PLOT_HOVER - plot->hover_used), format, arguments);
    va_end(arguments);
}

bool plot_near(const Plot *plot, double x, double y, float reach)
{
    ImVec2 mouse, at = place(plot, x, y);
    igGetMousePos(&mouse);
    return plot->hovered && hypotf(mouse.x - at.x, mouse.y - at.y) < reach * plot->ui->em;
}

static void hover_line(Plot *plot, const char *label, ImU32 colour, const float *x, const float *y,
                       int count)
{
    int nearest = 0;
    for (int i = 1; i < count; i++) {
        if (fabs((double)x[i] - plot->hover_x) < fabs((double)x[nearest] - plot->hover_x))
            nearest = i;
    }
    ImVec2 at = place(plot, (double)x[nearest], (double)y[nearest]);
    ImDrawList *list = igGetWindowDrawList();
    if (!plot->hover_done) {
        ImDrawList_AddLine(list, (ImVec2){at.x, plot->min.y}, (ImVec2){at.x, plot->max.y},
                           plot->ui->palette.dim, 1.0f);
        plot_hover_text(plot, "%.4g %s", (double)x[nearest], plot->x.label);
        plot->hover_done = true;
    }
    ImDrawList_AddCircleFilled(list, at, 0.22f * plot->ui->em, colour, 0);
    plot_hover_text(plot, "\n%s  %.4g %s", label, (double)y[nearest], plot->y.label);
}

void plot_line(Plot *plot, const char *label, ImU32 colour, const float *x, const float *y,
               int count)
{
    enum { BATCH = 256 };
    ImVec2 points[BATCH];
    int used = 0;
    for (int i = 0; i < count; i++) {
        points[used++] = place(plot, (double)x[i], (double)y[i]);
        if (used < BATCH && i + 1 < count) continue;
        imgui_add_polyline(igGetWindowDrawList(), points, used, colour,
                           fmaxf(1.5f, 0.11f * plot->ui->em));
        points[0] = points[used - 1]; // the next batch continues from here
        used = 1;
    }
    if (label && plot->legend_count < PLOT_LEGEND) {
        plot->legend_label[plot->legend_count] = label;
        plot->legend_colour[plot->legend_count++] = colour;
    }
    if (label && plot->hovered && count > 0) hover_line(plot, label, colour, x, y, count);
}

void plot_point(Plot *plot, ImU32 colour, double x, double y, float radius)
{
    ImDrawList_AddCircleFilled(igGetWindowDrawList(), place(plot, x, y), radius * plot->ui->em,
                               colour, 0);
}

void plot_ring(Plot *plot, ImU32 colour, double x, double y, float radius)
{
    ImDrawList_AddCircle(igGetWindowDrawList(), place(plot, x, y), radius * plot->ui->em, colour, 0,
                         fmaxf(1.0f, 0.09f * plot->ui->em));
}

void plot_box(Plot *plot, ImU32 colour, double x0, double y0, double x1, double y1)
{
    ImVec2 a = place(plot, x0, y1), b = place(plot, x1, y0);
    ImDrawList_AddRectFilled(igGetWindowDrawList(), a, b, colour, 0.0f, 0);
}

// The part of 0 <= t <= 1 for which from + t (to - from) stays between -1 and 2, a little outside
// the drawing area.
static void clip(double from, double to, double *t0, double *t1)
{
    double change = to - from;
    if (change == 0.0) return;
    double a = (-1.0 - from) / change, b = (2.0 - from) / change;
    *t0 = fmax(*t0, fmin(a, b));
    *t1 = fmin(*t1, fmax(a, b));
}

void plot_segment(Plot *plot, ImU32 colour, double x0, double y0, double x1, double y1,
                  float thickness)
{
    // place() moves distant points; a line must keep its direction
    double u0 = axis_position(&plot->x, x0), u1 = axis_position(&plot->x, x1);
    double v0 = axis_position(&plot->y, y0), v1 = axis_position(&plot->y, y1);
    double t0 = 0.0, t1 = 1.0;
    clip(u0, u1, &t0, &t1);
    clip(v0, v1, &t0, &t1);
    if (!(t0 < t1)) return;
    ImDrawList_AddLine(igGetWindowDrawList(),
                       place_unit(plot, u0 + t0 * (u1 - u0), v0 + t0 * (v1 - v0)),
                       place_unit(plot, u0 + t1 * (u1 - u0), v0 + t1 * (v1 - v0)), colour,
                       fmaxf(1.0f, thickness * plot->ui->em));
}

void plot_text(Plot *plot, ImU32 colour, double x, double y, const char *text)
{
    ImVec2 at = place(plot, x, y);
    float width = widget_text_width(plot->ui->fonts.small, text);
    float gap = 0.5f * plot->ui->em, left = at.x + gap;
    if (left + width > plot->max.x) left = at.x - gap - width;
    widget_draw_text(igGetWindowDrawList(), plot->ui->fonts.small, colour, left,
                     at.y - 0.5f * plot->ui->fonts.small.height, text);
}

static void draw_legend(const Plot *plot)
{
    const Ui *ui = plot->ui;
    ImDrawList *list = igGetWindowDrawList();
    Font font = ui->fonts.small;
    ImVec2 at;
    igGetCursorScreenPos(&at);
    float x = plot->min.x, y = at.y, row = 1.2f * font.height;
    for (int i = 0; i < plot->legend_count; i++) {
        const char *label = plot->legend_label[i];
        float mark = 0.7f * ui->em;
        float width = mark + 0.3f * ui->em + widget_text_width(font, label);
        if (x + width > plot->max.x && x > plot->min.x) {
            x = plot->min.x;
            y += row;
        }
        float middle = y + 0.5f * font.height;
        ImDrawList_AddRectFilled(list, (ImVec2){x, middle - 0.1f * ui->em},
                                 (ImVec2){x + mark, middle + 0.1f * ui->em}, plot->legend_colour[i],
                                 0.0f, 0);
        widget_draw_text(list, font, ui->palette.dim, x + mark + 0.3f * ui->em, y, label);
        x += width + 0.8f * ui->em;
    }
    igDummy((ImVec2){1.0f, y + row - at.y});
}

void plot_end(Plot *plot)
{
    ImDrawList_PopClipRect(igGetWindowDrawList());
    if (plot->hovered && plot->hover_used > 0) widget_tooltip(plot->ui, plot->hover);
    if (plot->legend_count > 0) draw_legend(plot);
}
