#include "ui/plot.h"

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

PlotAxis plot_axis_over(const char *label, double min, double max)
{
    if (!(min <= max)) min = max = 0.0;
    if (!(max - min > 1e-9)) min -= 0.5, max = min + 1.0;
    double margin = 0.06 * (max - min);
    return (PlotAxis){.min = min - margin, .max = max + margin, .label = label};
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

static void hover_band(Plot *plot, const char *label, ImU32 colour, const PlotRange *points,
                       int count)
{
    int nearest = 0;
    for (int i = 1; i < count; i++) {
        if (fabs(points[i].x - plot->hover_x) < fabs(points[nearest].x - plot->hover_x))
            nearest = i;
    }
    const PlotRange *point = &points[nearest];
    double reach = 0.1 * (plot->x.max - plot->x.min);
    if (fabs(point->x - plot->hover_x) > reach) return; // it ended long before
    ImVec2 low = place(plot, point->x, point->min), high = place(plot, point->x, point->max);
    ImDrawList *list = igGetWindowDrawList();
    if (!plot->hover_done) {
        ImDrawList_AddLine(list, (ImVec2){low.x, plot->min.y}, (ImVec2){low.x, plot->max.y},
                           plot->ui->palette.dim, 1.0f);
        plot_hover_text(plot, "%.4g %s", point->x, plot->x.label);
        plot->hover_done = true;
    }
    bool one = low.y - high.y < 1.5f;
    ImDrawList_AddCircleFilled(list, high, 0.22f * plot->ui->em, colour, 0);
    if (!one) ImDrawList_AddCircleFilled(list, low, 0.22f * plot->ui->em, colour, 0);
    if (one)
        plot_hover_text(plot, "\n%s  %.4g %s", label, point->max, plot->y.label);
    else
        plot_hover_text(plot, "\n%s  %.4g to %.4g %s", label, point->min, point->max,
                        plot->y.label);
}

void plot_legend(Plot *plot, const char *label, ImU32 colour)
{
    if (plot->legend_count == PLOT_LEGEND) return;
    plot->legend_label[plot->legend_count] = label;
    plot->legend_colour[plot->legend_count++] = colour;
}

// From one column to the next. Segment by segment, because the corners of a polyline reach beyond
// its points; and filled column by column, so that pixels meet without a seam.
static void join_columns(const Plot *plot, ImU32 colour, const ImVec2 low[2], const ImVec2 high[2])
{
    ImDrawList *list = igGetWindowDrawList();
    float thickness = fmaxf(1.5f, 0.11f * plot->ui->em);
    ImDrawList_AddLine(list, high[0], high[1], colour, thickness);
    if (low[0].y - high[0].y < 0.5f && low[1].y - high[1].y < 0.5f) return; // a curve
    ImDrawList_AddLine(list, low[0], low[1], colour, thickness);
    float width = fmaxf(low[1].x - low[0].x, 1e-3f);
    for (float x = floorf(low[0].x) + 1.0f; x <= floorf(low[1].x); x += 1.0f) {
        float t = fminf(fmaxf((x - low[0].x) / width, 0.0f), 1.0f);
        float top = high[0].y + t * (high[1].y - high[0].y);
        float bottom = low[0].y + t * (low[1].y - low[0].y);
        if (bottom - top >= 1.0f)
            ImDrawList_AddRectFilled(list, (ImVec2){x, top}, (ImVec2){x + 1.0f, bottom},
                                     theme_fade(colour, 0.4f), 0.0f, 0);
    }
}

// Join points of one column of pixels. Returns the index of the next point.
static int next_column(const Plot *plot, const PlotRange *points, int count, int i, ImVec2 *low,
                       ImVec2 *high)
{
    *low = place(plot, points[i].x, points[i].min);
    *high = place(plot, points[i].x, points[i].max);
    float column = floorf(low->x);
    for (i++; i < count; i++) {
        ImVec2 next = place(plot, points[i].x, points[i].min);
        if (floorf(next.x) != column) break;
        low->y = fmaxf(low->y, next.y); // downwards
        high->y = fminf(high->y, place(plot, points[i].x, points[i].max).y);
    }
    return i;
}

void plot_band(Plot *plot, const char *label, ImU32 colour, const PlotRange *points, int count)
{
    if (count == 0) return;
    ImVec2 low[2], high[2]; // of the column before and this one
    int i = next_column(plot, points, count, 0, &low[0], &high[0]);
    while (i < count) {
        i = next_column(plot, points, count, i, &low[1], &high[1]);
        join_columns(plot, colour, low, high);
        low[0] = low[1];
        high[0] = high[1];
    }
    plot_legend(plot, label, colour);
    if (plot->hovered) hover_band(plot, label, colour, points, count);
}

void plot_moment(Plot *plot, ImU32 colour, double x)
{
    float column = floorf(place(plot, x, plot->y.min).x), dot = fmaxf(2.0f, 0.15f * plot->ui->em);
    for (float y = plot->min.y; y < plot->max.y; y += 2.0f * dot)
        ImDrawList_AddRectFilled(igGetWindowDrawList(), (ImVec2){column, y},
                                 (ImVec2){column + fmaxf(1.5f, 0.5f * dot), y + dot}, colour, 0.0f,
                                 0);
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
