// Plots on an ImDrawList: linear or logarithmic axes with round numbers, lines, points, shaded
// areas, a legend, values under the cursor. Every plot of the window uses these functions.
//
//   if (plot_begin(&plot, ui, "energy", height, x_axis, y_axis)) {
//       plot_line(&plot, "kinetic", colour, x, y, count);
//       plot_end(&plot);
//   }
#ifndef UI_PLOT_H
#define UI_PLOT_H

#include "ui/ui.h"

typedef struct PlotAxis {
    double min, max;
    bool logarithmic;
    const char *label; // with the unit, e.g. "J" or "Y = h² k"
} PlotAxis;

enum { PLOT_LEGEND = 6, PLOT_HOVER = 320 };

typedef struct Plot {
    Ui *ui;
    PlotAxis x, y;
    ImVec2 min, max; // of the drawing area, in screen coordinates
    bool hovered;
    double hover_x;  // under the cursor, where hovered
    bool hover_done; // the column under the cursor is marked
    char hover[PLOT_HOVER];
    int hover_used;
    int legend_count;
    const char *legend_label[PLOT_LEGEND];
    ImU32 legend_colour[PLOT_LEGEND];
} Plot;

// Draw the axes at the cursor, over the available width and `height` high; the legend is below.
// False when there is no room.
bool plot_begin(Plot *plot, Ui *ui, const char *id, float height, PlotAxis x, PlotAxis y);
// Width over height of the drawing area of such a plot.
float plot_aspect(const Ui *ui, float width, float height);
void plot_end(Plot *plot); // legend and values under the cursor

// `label` NULL: not in the legend. x ascending. The value under the cursor is shown.
void plot_line(Plot *plot, const char *label, ImU32 colour, const float *x, const float *y,
               int count);
void plot_point(Plot *plot, ImU32 colour, double x, double y, float radius); // ems
void plot_ring(Plot *plot, ImU32 colour, double x, double y, float radius);
void plot_box(Plot *plot, ImU32 colour, double x0, double y0, double x1, double y1);
void plot_segment(Plot *plot, ImU32 colour, double x0, double y0, double x1, double y1,
                  float thickness);
void plot_text(Plot *plot, ImU32 colour, double x, double y, const char *text);
// Add text to the values under the cursor.
void plot_hover_text(Plot *plot, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Whether the cursor is within `reach` ems of a point.
bool plot_near(const Plot *plot, double x, double y, float reach);

// An axis that holds all finite values, with a small margin.
PlotAxis plot_axis_for(const char *label, int series, const float *const *values, int count);
// A step of 1, 2 or 5 times a power of ten that cuts `span` into about `parts`.
double plot_round_step(double span, int parts);

#endif
