// Line plots over an ImDrawList: axes with round numbers, a legend, values under the cursor.
#ifndef UI_PLOT_H
#define UI_PLOT_H

#include "ui/ui.h"

typedef struct PlotSeries {
    const char *label;
    ImU32 colour;
    const float *y;
} PlotSeries;

typedef struct Plot {
    const char *id;
    const char *unit_x, *unit_y;
    const float *x; // ascending, shared by all series
    int count;      // points
    const PlotSeries *series;
    int series_count;
    float span_x; // at least so much of the x axis is shown
} Plot;

// Draw at the cursor, as wide as there is room and `height` high, the legend included.
void plot_draw(Ui *ui, const Plot *plot, float height);

// A step of 1, 2 or 5 times a power of ten that cuts `span` into about `parts`.
double plot_round_step(double span, int parts);

#endif
