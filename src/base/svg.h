// SVG drawings: a page with frames, each with two axes, and lines, areas, points, cells and text in
// them. Ticks (base/ticks.h) and colours (base/colours.h) are those of the window's plots.
//
//   svg_page_begin(&svg, title, subtitle);
//   svg_frame_begin(&svg, NULL);  // in svg.box, with svg.x and svg.y
//   ...                           // what is drawn here is cut off at the frame
//   svg_frame_end(&svg);
//   svg_page_end(&svg);
#ifndef BASE_SVG_H
#define BASE_SVG_H

#include "base/colours.h"

#include <stdio.h>

typedef struct SvgAxis {
    double min, max; // what the frame shows
    bool logarithmic;
    bool whole; // only whole numbers are labelled
    const char *label;
} SvgAxis;

typedef struct SvgBox {
    double left, top, right, bottom; // pixels, from the page's upper left corner
} SvgBox;

typedef struct Svg {
    FILE *file;
    const Colours *colours;
    int width, height; // pixels
    SvgBox box;        // of the frame, without its labels
    SvgAxis x, y;
    int clips; // frames so far
} Svg;

// A colour as 0xRRGGBB and its opacity, 0 to 1.
typedef struct SvgColour {
    uint32_t rgb;
    double opacity;
} SvgColour;

typedef struct SvgStroke {
    SvgColour colour;
    double width;
    const char *dashes; // "6 4", or NULL
} SvgStroke;

// A page with one frame, 640 by 520 or another size.
Svg svg_plot(FILE *file, int width, int height);

void svg_page_begin(Svg *svg, const char *title, const char *subtitle); // subtitle may be NULL
void svg_page_end(Svg *svg);
void svg_frame_begin(Svg *svg, const char *title); // may be NULL
void svg_frame_end(Svg *svg);

// In the frame, by its axes. A point that is not finite interrupts a line.
void svg_line(Svg *svg, SvgStroke stroke, const double (*point)[2], int count);
void svg_area(Svg *svg, SvgColour colour, const double (*point)[2], int count);
// Closed outlines, filled by the even-odd rule. Add them between svg_fill_begin and svg_fill_end.
void svg_fill_begin(Svg *svg, SvgColour colour);
void svg_fill_outline(Svg *svg, const double (*point)[2], int count);
void svg_fill_end(Svg *svg);
void svg_dot(Svg *svg, SvgColour colour, double x, double y, double radius, bool filled);
// A bar with caps, `shift` pixels to the right of x.
void svg_bar(Svg *svg, SvgStroke stroke, double x, double low, double high, double shift);
void svg_text_at(Svg *svg, double x, double y, const char *text); // beside a point
void svg_box(Svg *svg, SvgColour colour, double x0, double y0, double x1, double y1);
// Cells over a part of the frame, evenly on its scale: a path for each run of equal ones, the
// lowest row first, or a picture of at most 256 colours, the top row first.
void svg_cells(Svg *svg, SvgBox over, int columns, int rows, const SvgColour *cells);
void svg_picture(Svg *svg, SvgBox over, int columns, int rows, const uint8_t *cells,
                 const uint32_t *palette, int colours);

// On the page, in pixels.
void svg_legend(Svg *svg, double x, double y, SvgStroke stroke, bool dot, const char *name);
// From the first colour to the last, with what they mean.
void svg_colour_bar(Svg *svg, double x, double y, const uint32_t *palette, int colours,
                    const char *low, const char *high, const char *label);
typedef enum SvgFont { SVG_PLAIN, SVG_BOLD, SVG_DIM } SvgFont;
void svg_text(Svg *svg, double x, double y, SvgFont font, const char *text);
// In lines of at most `width` pixels. Returns the height. With file NULL it only measures.
double svg_paragraph(Svg *svg, double x, double y, double width, SvgFont font, const char *text);
double svg_text_width(const char *text); // roughly

// The stroke of one of several lines: a colour each, and dashes from the ninth on.
SvgStroke svg_series(const Svg *svg, int number);

#endif
