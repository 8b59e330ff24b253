// A small SVG drawing: a frame with two axes, outlines, lines, points and cells in it.
#ifndef BASE_SVG_H
#define BASE_SVG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct Svg {
    FILE *file;
    double x0, x1, y0, y1; // what the frame shows
    bool powers;           // y stands for 10^y, and only whole y are labelled
    bool powers_x;         // the same for x
    int width, height;     // pixels; 0: 640 by 520
} Svg;

// A colour as 0xRRGGBB and its opacity, 0 to 1.
typedef struct SvgColour {
    uint32_t rgb;
    double opacity;
} SvgColour;

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

// What is drawn between these two is cut off at the frame.
void svg_clip_begin(Svg *svg);
void svg_clip_end(Svg *svg);
void svg_path(Svg *svg, SvgColour colour, double width, const double (*point)[2], int count);
void svg_area(Svg *svg, SvgColour colour, const double (*point)[2], int count);
void svg_dot(Svg *svg, SvgColour colour, double x, double y, double radius, bool filled);
void svg_text_at(Svg *svg, double x, double y, const char *text);
// Rectangles of one colour: svg_cell any number of times between svg_cells_begin and svg_cells_end.
void svg_cells_begin(Svg *svg, SvgColour colour);
void svg_cell(Svg *svg, double x0, double y0, double x1, double y1);
void svg_cells_end(Svg *svg);
// A line of the legend, in the frame's upper left corner.
void svg_legend(Svg *svg, int number, SvgColour colour, const char *name);

#endif
