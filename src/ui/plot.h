// Plots on an ImDrawList: linear or logarithmic axes with round numbers, lines, points, shaded
// areas, a legend, values under the cursor. Every plot of the window uses these functions.
//
//   if (plot_begin(&plot, ui, "energy", height, x_axis, y_axis)) {
//       plot_band(&plot, "kinetic", colour, points, count);
//       plot_end(&plot);
//   }
#ifndef UI_PLOT_H
#define UI_PLOT_H

#include "ui/ui.h"

typedef struct PlotAxis {
    double min, max;
    bool logarithmic;
    bool whole;        // only whole numbers are labelled
    const char *label; // with the unit, e.g. "J" or "Y = h² k"
    const char *name;  // what is measured, e.g. "energy"; NULL: the label says it all
} PlotAxis;

enum { PLOT_LEGEND = 6, PLOT_HOVER = 640 };

typedef struct Plot {
    Ui *ui;
    PlotAxis x, y;
    bool large;      // enlarged: thick lines, larger text
    float stroke;    // factor of line widths and radii
    Font font;       // of ticks and legend
    ImVec2 min, max; // of the drawing area, in screen coordinates
    bool hovered;
    bool clicked;            // in the drawing area, when enlarged; a small one is enlarged by it
    double hover_x, hover_y; // under the cursor, where hovered
    bool hover_done;         // the column under the cursor is marked
    struct PlotTape *tape;   // where to record what is drawn (plot_tape.h), or NULL
    char hover[PLOT_HOVER];
    int hover_used;
    int legend_count;
    char legend_label[PLOT_LEGEND][96];
    ImU32 legend_colour[PLOT_LEGEND];
} Plot;

// Draw the axes at the cursor, over the available width and `height` high; the legend is below.
// `id` is the plot's name in plots.h. False when there is no room.
bool plot_begin(Plot *plot, Ui *ui, const char *id, float height, PlotAxis x, PlotAxis y);
// Width over height of the drawing area of such a plot.
float plot_aspect(const Ui *ui, float width, float height);
void plot_end(Plot *plot); // legend and values under the cursor

// A quantity over x, known by its range about each point: a curve where the range is narrow, a band
// where it is wide. x ascending. Unless it has no points it is in the legend, and its range is
// shown under the cursor.
typedef struct PlotRange {
    double x, min, max;
} PlotRange;
void plot_band(Plot *plot, const char *label, ImU32 colour, const PlotRange *points, int count);
void plot_moment(Plot *plot, ImU32 colour, double x);          // a dotted line from bottom to top
void plot_legend(Plot *plot, const char *label, ImU32 colour); // for what is drawn otherwise
void plot_point(Plot *plot, ImU32 colour, double x, double y, float radius); // ems
void plot_dot(Plot *plot, ImU32 colour, double x, double y, float radius);   // one of very many
void plot_ring(Plot *plot, ImU32 colour, double x, double y, float radius);
void plot_box(Plot *plot, ImU32 colour, double x0, double y0, double x1, double y1);
void plot_segment(Plot *plot, ImU32 colour, double x0, double y0, double x1, double y1,
                  float thickness);
void plot_text(Plot *plot, ImU32 colour, double x, double y, const char *text);
ImVec2 plot_place(const Plot *plot, double x, double y); // on the screen
// Add text to the values under the cursor.
void plot_hover_text(Plot *plot, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Whether the cursor is within `reach` ems of a point.
bool plot_near(const Plot *plot, double x, double y, float reach);

// A linear axis for values from `min` to `max`, with a small margin. min > max: there are none.
PlotAxis plot_axis_over(const char *label, double min, double max);
// The height of the legend of an enlarged plot with so many entries, at most.
float plot_legend_room(const Ui *ui, int entries);
// "energy (J)": what an axis shows, for large plots and for files.
void plot_axis_title(const PlotAxis *axis, char *text, size_t size);
// Names what is drawn next other than by plot_band, for the exported table. "": it is left out.
void plot_name(Plot *plot, const char *name);

#endif
