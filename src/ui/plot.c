#include "ui/plot.h"

#include "base/ticks.h"
#include "ui/lanes.h"
#include "ui/plot_tape.h"
#include "ui/plots.h"
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

ImVec2 plot_place(const Plot *plot, double x, double y)
{
    return place(plot, x, y);
}

PlotAxis plot_axis_over(const char *label, double min, double max)
{
    if (!(min <= max)) min = max = 0.0;
    if (!(max - min > 1e-9)) min -= 0.5, max = min + 1.0;
    double margin = 0.06 * (max - min);
    return (PlotAxis){.min = min - margin, .max = max + margin, .label = label};
}

static Ticks ticks_along(const PlotAxis *axis, int parts)
{
    return ticks_of(axis->min, axis->max, axis->logarithmic, axis->whole, parts);
}

static void draw_axes(const Plot *plot)
{
    const Ui *ui = plot->ui;
    ImDrawList *list = igGetWindowDrawList();
    Font font = plot->font;
    const Palette *p = &ui->palette;
    char text[32], x_title[96], y_title[96];
    int most = plot->large ? 6 : 4;
    int fit = (int)((plot->max.y - plot->min.y) / (1.4f * font.height));
    Ticks ticks = ticks_along(&plot->y, fit < 1 ? 1 : fit < most ? fit : most);
    for (double y = ticks.first; y <= plot->y.max; y = ticks_next(&ticks, y)) {
        if (y < plot->y.min) continue;
        float row = floorf(place(plot, plot->x.min, y).y) + 0.5f;
        ImDrawList_AddLine(list, (ImVec2){plot->min.x, row}, (ImVec2){plot->max.x, row}, p->line,
                           1.0f);
        ticks_text(&ticks, y, text, sizeof text);
        widget_draw_text(list, font, p->dim,
                         plot->min.x - 0.3f * ui->em - widget_text_width(font, text),
                         row - 0.5f * font.height, text);
    }
    ticks = ticks_along(&plot->x, plot->large ? 8 : 4);
    snprintf(x_title, sizeof x_title, "%s", plot->x.label);
    snprintf(y_title, sizeof y_title, "%s", plot->y.label[0] ? plot->y.label : plot->y.name);
    if (plot->large) {
        plot_axis_title(&plot->x, x_title, sizeof x_title);
        plot_axis_title(&plot->y, y_title, sizeof y_title);
    }
    float label = widget_text_width(font, x_title);
    float free_from = plot->min.x - ui->em, free_to = plot->max.x - label - 0.4f * ui->em;
    for (double x = ticks.first; x <= plot->x.max; x = ticks_next(&ticks, x)) {
        if (x < plot->x.min) continue;
        float column = floorf(place(plot, x, plot->y.min).x) + 0.5f;
        ImDrawList_AddLine(list, (ImVec2){column, plot->min.y}, (ImVec2){column, plot->max.y},
                           p->line, 1.0f);
        ticks_text(&ticks, x, text, sizeof text);
        float width = widget_text_width(font, text);
        float left = fmaxf(column - 0.5f * width, plot->min.x - 0.25f * ui->em); // not under y's
        if (left < free_from || left + width > free_to) continue; // labels must not touch
        widget_draw_text(list, font, p->dim, left, plot->max.y + 0.15f * ui->em, text);
        free_from = left + width + 0.6f * ui->em;
    }
    widget_draw_text(list, font, plot->large ? p->text : p->dim, plot->max.x - label,
                     plot->max.y + 0.15f * ui->em, x_title);
    if (plot->large)
        widget_draw_text(list, font, p->text, plot->min.x, plot->min.y - 1.2f * font.height,
                         y_title);
    else
        widget_draw_text(list, font, p->dim, plot->min.x + 0.3f * ui->em, plot->min.y, y_title);
}

// Margins of the drawing area, for the labels of the axes. The legend is below.
static float room_left(const Ui *ui)
{
    return ui->plots.large ? 3.6f * plots_font(ui).height : 2.6f * ui->em;
}
static float room_above(const Ui *ui)
{
    return ui->plots.large ? 1.4f * plots_font(ui).height : 0.0f;
}
static float room_below(const Ui *ui)
{
    return 1.5f * (ui->plots.large ? plots_font(ui) : ui->fonts.small).height;
}

float plot_aspect(const Ui *ui, float width, float height)
{
    return fmaxf(width - room_left(ui), ui->em) /
           fmaxf(height - room_above(ui) - room_below(ui), ui->em);
}

float plot_legend_room(const Ui *ui, int entries)
{
    return 1.2f * plots_font(ui).height * (float)entries;
}

void plot_axis_title(const PlotAxis *axis, char *text, size_t size)
{
    if (axis->name && axis->label[0])
        snprintf(text, size, "%s (%s)", axis->name, axis->label);
    else
        snprintf(text, size, "%s", axis->name ? axis->name : axis->label);
}

static double axis_value(const PlotAxis *axis, double u)
{
    if (axis->logarithmic) return axis->min * pow(axis->max / axis->min, u);
    return axis->min + u * (axis->max - axis->min);
}

// Two corners in the upper right one: a click enlarges.
static void draw_enlarge_sign(const Plot *plot, bool hovered)
{
    const Ui *ui = plot->ui;
    ImDrawList *list = igGetWindowDrawList();
    ImU32 colour = hovered ? ui->palette.text : theme_fade(ui->palette.dim, 0.7f);
    float s = floorf(0.65f * ui->em), arm = floorf(0.3f * ui->em), t = fmaxf(1.0f, 0.09f * ui->em);
    float x = floorf(plot->max.x - 0.3f * ui->em) + 0.5f;
    float y = floorf(plot->min.y + 0.3f * ui->em) + 0.5f;
    ImDrawList_AddLine(list, (ImVec2){x - arm, y}, (ImVec2){x, y}, colour, t);
    ImDrawList_AddLine(list, (ImVec2){x, y}, (ImVec2){x, y + arm}, colour, t);
    ImDrawList_AddLine(list, (ImVec2){x - s, y + s}, (ImVec2){x - s + arm, y + s}, colour, t);
    ImDrawList_AddLine(list, (ImVec2){x - s, y + s}, (ImVec2){x - s, y + s - arm}, colour, t);
}

// Thick lines and large dots, but not so that those of a low plot touch.
static float stroke_for(const Ui *ui, float height)
{
    enum { FULL_EMS = 22 };
    return fminf(fmaxf(2.0f * height / (FULL_EMS * ui->em), 1.0f), 2.0f);
}

bool plot_begin(Plot *plot, Ui *ui, const char *id, float height, PlotAxis x, PlotAxis y)
{
    ImVec2 at, room;
    igGetCursorScreenPos(&at);
    igGetContentRegionAvail(&room);
    bool large = ui->plots.large;
    *plot = (Plot){.ui = ui,
                   .x = x,
                   .y = y,
                   .large = large,
                   .stroke = large ? stroke_for(ui, height) : 1.0f,
                   .font = large ? plots_font(ui) : ui->fonts.small,
                   .tape = ui->plots.tape,
                   .min = {at.x + room_left(ui), at.y + room_above(ui)},
                   .max = {at.x + room.x, at.y + height - room_below(ui)}};
    bool clicked = igInvisibleButton(id, (ImVec2){fmaxf(room.x, 1.0f), fmaxf(height, 1.0f)}, 0);
    if (clicked && !large) plots_toggle(ui, id);
    if (plot->max.x - plot->min.x < ui->em || plot->max.y - plot->min.y < ui->em) return false;
    if (plot->tape) tape_begin(plot->tape, &x, &y);
    draw_axes(plot);
    ImVec2 mouse;
    igGetMousePos(&mouse);
    plot->hovered = igIsItemHovered(0) && mouse.x >= plot->min.x && mouse.y <= plot->max.y &&
                    mouse.y >= plot->min.y;
    plot->clicked = clicked && large && plot->hovered;
    plot->hover_x = axis_value(&x, (mouse.x - plot->min.x) / (plot->max.x - plot->min.x));
    plot->hover_y = axis_value(&y, (plot->max.y - mouse.y) / (plot->max.y - plot->min.y));
    if (!large) draw_enlarge_sign(plot, plot->hovered);
    ImDrawList_PushClipRect(igGetWindowDrawList(), plot->min, plot->max, true);
    return true;
}

void plot_name(Plot *plot, const char *name)
{
    if (plot->tape) tape_name(plot->tape, name);
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
    ImDrawList_AddCircleFilled(list, high, 0.22f * plot->stroke * plot->ui->em, colour, 0);
    if (!one) ImDrawList_AddCircleFilled(list, low, 0.22f * plot->stroke * plot->ui->em, colour, 0);
    if (one)
        plot_hover_text(plot, "\n%s  %.4g %s", label, point->max, plot->y.label);
    else
        plot_hover_text(plot, "\n%s  %.4g to %.4g %s", label, point->min, point->max,
                        plot->y.label);
}

void plot_legend(Plot *plot, const char *label, ImU32 colour)
{
    if (plot->tape) tape_legend(plot->tape, label, colour);
    if (plot->legend_count == PLOT_LEGEND) return;
    snprintf(plot->legend_label[plot->legend_count], sizeof plot->legend_label[0], "%s", label);
    plot->legend_colour[plot->legend_count++] = colour;
}

// From one column to the next. Segment by segment, because the corners of a polyline reach beyond
// its points; and filled column by column, so that pixels meet without a seam.
static void join_columns(const Plot *plot, ImU32 colour, const ImVec2 low[2], const ImVec2 high[2])
{
    ImDrawList *list = igGetWindowDrawList();
    float thickness = fmaxf(1.5f, 0.11f * plot->stroke * plot->ui->em);
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
    if (plot->tape) tape_band(plot->tape, label, colour, points, count);
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
    if (plot->tape) tape_point(plot->tape, TAPE_POINT, colour, x, y, radius);
    ImDrawList_AddCircleFilled(igGetWindowDrawList(), place(plot, x, y),
                               radius * plot->stroke * plot->ui->em, colour, 0);
}

void plot_dot(Plot *plot, ImU32 colour, double x, double y, float radius)
{
    if (plot->tape) tape_point(plot->tape, TAPE_POINT, colour, x, y, radius);
    float half = fmaxf(radius * plot->stroke * plot->ui->em, 0.75f);
    ImVec2 at = place(plot, x, y);
    ImDrawList_AddRectFilled(igGetWindowDrawList(), (ImVec2){at.x - half, at.y - half},
                             (ImVec2){at.x + half, at.y + half}, colour, 0.0f, 0);
}

void plot_ring(Plot *plot, ImU32 colour, double x, double y, float radius)
{
    if (plot->tape) tape_point(plot->tape, TAPE_RING, colour, x, y, radius);
    float em = plot->stroke * plot->ui->em;
    ImDrawList_AddCircle(igGetWindowDrawList(), place(plot, x, y), radius * em, colour, 0,
                         fmaxf(1.0f, 0.09f * em));
}

void plot_box(Plot *plot, ImU32 colour, double x0, double y0, double x1, double y1)
{
    if (plot->tape) tape_box(plot->tape, colour, x0, y0, x1, y1);
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
    if (plot->tape)
        tape_segment(plot->tape, colour, (double[]){x0, y0}, (double[]){x1, y1}, thickness);
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
                       fmaxf(1.0f, thickness * plot->stroke * plot->ui->em));
}

void plot_text(Plot *plot, ImU32 colour, double x, double y, const char *text)
{
    if (plot->tape) tape_text(plot->tape, x, y, text);
    ImVec2 at = place(plot, x, y);
    float width = widget_text_width(plot->font, text);
    float gap = 0.5f * plot->stroke * plot->ui->em, left = at.x + gap;
    if (left + width > plot->max.x) left = at.x - gap - width;
    float top = at.y - 0.5f * plot->font.height, title_end = plot->min.y + plot->font.height;
    float title = plot->min.x + 0.3f * plot->ui->em + widget_text_width(plot->font, plot->y.label);
    if (!plot->large && top < title_end && left < title) top = title_end; // below the axis's title
    top = fmaxf(fminf(top, plot->max.y - plot->font.height), plot->min.y);
    ImDrawList *list = igGetWindowDrawList(); // lines do not cross it
    float margin = 0.2f * plot->ui->em;
    ImDrawList_AddRectFilled(list, (ImVec2){left - margin, top},
                             (ImVec2){left + width + margin, top + plot->font.height},
                             theme_fade(plot->ui->palette.panel, 0.75f), margin, 0);
    widget_draw_text(list, plot->font, colour, left, top, text);
}

static void draw_legend(const Plot *plot)
{
    const Ui *ui = plot->ui;
    ImDrawList *list = igGetWindowDrawList();
    Font font = plot->font;
    ImVec2 at;
    igGetCursorScreenPos(&at);
    float x = plot->min.x, y = at.y, row = 1.2f * font.height;
    for (int i = 0; i < plot->legend_count; i++) {
        float mark = 0.7f * plot->stroke * ui->em, half = 0.1f * plot->stroke * ui->em;
        char label[LANE_TITLE_SIZE];
        snprintf(label, sizeof label, "%s", plot->legend_label[i]);
        lane_shorten(font, plot->max.x - plot->min.x - mark - 0.3f * ui->em, label, sizeof label);
        float width = mark + 0.3f * ui->em + widget_text_width(font, label);
        if (x + width > plot->max.x && x > plot->min.x) {
            x = plot->min.x;
            y += row;
        }
        float middle = y + 0.5f * font.height;
        ImDrawList_AddRectFilled(list, (ImVec2){x, middle - half},
                                 (ImVec2){x + mark, middle + half}, plot->legend_colour[i], 0.0f,
                                 0);
        widget_draw_text(list, font, plot->large ? ui->palette.text : ui->palette.dim,
                         x + mark + 0.3f * ui->em, y, label);
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
