// A small SVG drawing: a frame with two linear axes, outlines and lines in it.
#ifndef APPS_SVG_H
#define APPS_SVG_H

#include <stdio.h>

typedef struct Svg {
    FILE *file;
    double x0, x1, y0, y1; // what the frame shows
} Svg;

void svg_begin(Svg *svg, const char *title, const char *x_label, const char *y_label);
void svg_end(Svg *svg);

// Closed outlines, filled by the even-odd rule. Add them between svg_fill_begin and svg_fill_end.
void svg_fill_begin(Svg *svg);
void svg_fill_outline(Svg *svg, const double (*point)[2], int count);
void svg_fill_end(Svg *svg);
void svg_line(Svg *svg, const double (*point)[2], int count);

#endif
