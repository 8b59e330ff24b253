#include "ui/plot.h"

#include "ui/widgets.h"

#include <math.h>
#include <stdio.h>

typedef struct Axes {
    ImVec2 min, max;       // of the drawing area, screen
    double x0, x1, y0, y1; // of the data
} Axes;

static ImVec2 place(const Axes *axes, double x, double y)
{
    double u = (x - axes->x0) / (axes->x1 - axes->x0), v = (y - axes->y0) / (axes->y1 - axes->y0);
    return (ImVec2){axes->min.x + (float)u * (axes->max.x - axes->min.x),
                    axes->max.y - (float)v * (axes->max.y - axes->min.y)};
}

double plot_round_step(double span, int parts)
{
    double raw = span / parts, power = pow(10.0, floor(log10(raw)));
    double lead = raw / power;
    return power * (lead <= 1.0 ? 1.0 : lead <= 2.0 ? 2.0 : lead <= 5.0 ? 5.0 : 10.0);
}

static void find_range(const Plot *plot, Axes *axes)
{
    axes->x0 = plot->x[0];
    axes->x1 = fmax(plot->x[plot->count - 1], axes->x0 + plot->span_x);
    axes->y0 = INFINITY, axes->y1 = -INFINITY;
    for (int s = 0; s < plot->series_count; s++) {
        for (int i = 0; i < plot->count; i++) {
            double y = plot->series[s].y[i];
            if (!isfinite(y)) continue;
            axes->y0 = fmin(axes->y0, y);
            axes->y1 = fmax(axes->y1, y);
        }
    }
    if (!(axes->y1 - axes->y0 > 1e-9)) axes->y0 -= 0.5, axes->y1 = axes->y0 + 1.0;
    double margin = 0.06 * (axes->y1 - axes->y0);
    axes->y0 -= margin;
    axes->y1 += margin;
}

static void tick_text(double value, double step, char *out, size_t size)
{
    int decimals = step >= 1.0 ? 0 : (int)ceil(-log10(step) - 1e-9);
    snprintf(out, size, "%.*f", decimals, fabs(value) < 0.5 * step ? 0.0 : value);
}

static void draw_grid(Ui *ui, const Plot *plot, const Axes *axes)
{
    ImDrawList *list = igGetWindowDrawList();
    ImFont *font = ui->fonts.small;
    const Palette *p = &ui->palette;
    char text[24];
    double step = plot_round_step(axes->y1 - axes->y0, 4);
    for (double y = ceil(axes->y0 / step) * step; y <= axes->y1; y += step) {
        float row = floorf(place(axes, 0, y).y) + 0.5f;
        ImDrawList_AddLine(list, (ImVec2){axes->min.x, row}, (ImVec2){axes->max.x, row}, p->line,
                           1.0f);
        tick_text(y, step, text, sizeof text);
        widget_draw_text(list, font, p->dim,
                         axes->min.x - 0.3f * ui->em - widget_text_width(font, text),
                         row - 0.5f * widget_text_height(font), text);
    }
    step = plot_round_step(axes->x1 - axes->x0, 4);
    float free_from = axes->min.x - ui->em; // tick labels must not run into each other
    for (double x = ceil(axes->x0 / step) * step; x <= axes->x1; x += step) {
        float column = floorf(place(axes, x, 0).x) + 0.5f;
        ImDrawList_AddLine(list, (ImVec2){column, axes->min.y}, (ImVec2){column, axes->max.y},
                           p->line, 1.0f);
        tick_text(x, step, text, sizeof text);
        float width = widget_text_width(font, text), left = column - 0.5f * width;
        if (left < free_from || left + width > axes->max.x - 0.8f * ui->em) continue;
        widget_draw_text(list, font, p->dim, left, axes->max.y + 0.15f * ui->em, text);
        free_from = left + width + 0.6f * ui->em;
    }
    widget_draw_text(list, font, p->dim, axes->max.x - widget_text_width(font, plot->unit_x),
                     axes->max.y + 0.15f * ui->em, plot->unit_x);
    widget_draw_text(list, font, p->dim, axes->min.x + 0.3f * ui->em, axes->min.y, plot->unit_y);
}

static void draw_series(const Plot *plot, const Axes *axes)
{
    enum { BATCH = 256 };
    ImDrawList *list = igGetWindowDrawList();
    for (int s = 0; s < plot->series_count; s++) {
        ImVec2 points[BATCH];
        int used = 0;
        for (int i = 0; i < plot->count; i++) {
            points[used++] = place(axes, plot->x[i], plot->series[s].y[i]);
            if (used < BATCH && i + 1 < plot->count) continue;
            ImDrawList_AddPolyline(list, points, used, plot->series[s].colour, 0, 1.6f);
            points[0] = points[used - 1]; // the next batch continues from here
            used = 1;
        }
    }
}

static void draw_legend(Ui *ui, const Plot *plot, float x, float y, float right)
{
    ImDrawList *list = igGetWindowDrawList();
    ImFont *font = ui->fonts.small;
    float start = x;
    for (int s = 0; s < plot->series_count; s++) {
        float mark = 0.7f * ui->em,
              width = mark + 0.3f * ui->em + widget_text_width(font, plot->series[s].label);
        if (x + width > right && x > start) x = start, y += 1.2f * widget_text_height(font);
        float middle = y + 0.5f * widget_text_height(font);
        ImDrawList_AddRectFilled(list, (ImVec2){x, middle - 0.1f * ui->em},
                                 (ImVec2){x + mark, middle + 0.1f * ui->em}, plot->series[s].colour,
                                 0.0f, 0);
        widget_draw_text(list, font, ui->palette.dim, x + mark + 0.3f * ui->em, y,
                         plot->series[s].label);
        x += width + 0.8f * ui->em;
    }
}

static void draw_hover(Ui *ui, const Plot *plot, const Axes *axes)
{
    ImVec2 mouse;
    igGetMousePos(&mouse);
    double x =
        axes->x0 + (mouse.x - axes->min.x) / (axes->max.x - axes->min.x) * (axes->x1 - axes->x0);
    int nearest = 0;
    for (int i = 1; i < plot->count; i++) {
        if (fabs(plot->x[i] - x) < fabs(plot->x[nearest] - x)) nearest = i;
    }
    ImDrawList *list = igGetWindowDrawList();
    float column = place(axes, plot->x[nearest], 0).x;
    ImDrawList_AddLine(list, (ImVec2){column, axes->min.y}, (ImVec2){column, axes->max.y},
                       ui->palette.dim, 1.0f);
    char text[256];
    int used = snprintf(text, sizeof text, "%.3f %s", (double)plot->x[nearest], plot->unit_x);
    for (int s = 0; s < plot->series_count && used < (int)sizeof text; s++) {
        ImDrawList_AddCircleFilled(list, place(axes, plot->x[nearest], plot->series[s].y[nearest]),
                                   0.22f * ui->em, plot->series[s].colour, 0);
        used += snprintf(text + used, sizeof text - (size_t)used, "\n%s  %.4g %s",
                         plot->series[s].label, (double)plot->series[s].y[nearest], plot->unit_y);
    }
    widget_tooltip(ui, text);
}

void plot_draw(Ui *ui, const Plot *plot, float height)
{
    ImVec2 at, room;
    igGetCursorScreenPos(&at);
    igGetContentRegionAvail(&room);
    ImFont *font = ui->fonts.small;
    float legend = 2.6f * widget_text_height(font), labels = 1.3f * widget_text_height(font);
    Axes axes = {.min = {at.x + 2.6f * ui->em, at.y},
                 .max = {at.x + room.x, at.y + height - legend - labels}};
    igInvisibleButton(plot->id, (ImVec2){room.x, height}, 0);
    if (axes.max.x - axes.min.x < ui->em || axes.max.y - axes.min.y < ui->em) return;
    if (plot->count > 1) {
        find_range(plot, &axes);
        draw_grid(ui, plot, &axes);
        draw_series(plot, &axes);
        if (igIsItemHovered(0)) draw_hover(ui, plot, &axes);
    }
    draw_legend(ui, plot, axes.min.x, axes.max.y + labels + 0.3f * ui->em, axes.max.x);
}
