// Numbers on a grid of cells as a picture in a plot, with a bar that says what the colours mean.
#ifndef UI_PLOT_IMAGE_H
#define UI_PLOT_IMAGE_H

#include "render/pixel_texture.h"
#include "ui/plot.h"

enum { PLOT_IMAGE_TABLES = 3 };

// The cells, the lowest row first. Kept between frames by its owner; zeroed, it is empty.
typedef struct PlotImage {
    int columns, rows;
    ImU32 *colour;
    // For exported tables and the cursor: the numbers behind the colours, and their names.
    int table_count;
    float *value[PLOT_IMAGE_TABLES];
    const char *name[PLOT_IMAGE_TABLES];
    const char *title; // of the values, with the unit
    PixelTexture texture;
} PlotImage;

// Room for so many cells; their contents are lost. False without memory: it is empty then.
bool plot_image_resize(PlotImage *image, int columns, int rows, int tables);
void plot_image_changed(PlotImage *image); // hand the colours to the graphics card
void plot_image_finish(PlotImage *image);  // accepts a zeroed one

// Draw it over a part of the plot.
void plot_image_draw(Plot *plot, const PlotImage *image, double x0, double y0, double x1,
                     double y1);

#endif
