// A small SVG drawing: a frame with two axes, outlines and lines in it.
#ifndef APPS_SVG_H
#define APPS_SVG_H

#include <stdbool.h>
#include <stdio.h>

typedef struct Svg {
    FILE *file;
    double x0, x1, y0, y1; // what the frame shows
    bool powers;           // y stands for 10^y, and only whole y are labelled
} Svg;

void svg_begin(Svg *svg, const char *title, const char *x_label, const char *y_label);
void svg_end(Svg *svg);

// Closed outlines, filled by the even-odd rule. Add them between svg_fill_begin and svg_fill_end.
void svg_fill_begin(Svg *svg);
void svg_fill_outline(Svg *svg, const double (*point)[2], int count);
void svg_fill_end(Svg *svg);
void svg_line(Svg *svg, const double (*point)[2], int count);
// One of several lines, in a colour of its own, with its name beside the frame's upper edge. A
// point that is not finite interrupts it.
void svg_named_line(Svg *svg, int number, const char *name, const double (*point)[2], int count);

#endif
