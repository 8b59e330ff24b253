// What a plot draws, recorded in the plot's own coordinates, and written to a file: a picture (SVG)
// or a table (CSV). Every plot can be exported this way without code of its own.
#ifndef UI_PLOT_TAPE_H
#define UI_PLOT_TAPE_H

#include "base/status.h"
#include "ui/plot.h"

typedef enum TapeKind { TAPE_BAND, TAPE_LINE, TAPE_POINT, TAPE_RING, TAPE_BOX, TAPE_TEXT } TapeKind;

typedef struct TapeItem {
    TapeKind kind;
    char name[96]; // of the curve, or the text
    ImU32 colour;
    float size;       // width of a line or radius, ems
    int first, count; // its points: x, y, and the upper y of a band or the other corner of a box
} TapeItem;

// Numbers on a grid of cells, drawn as colours. `value` and `colour` have rows * columns entries,
// the lowest row first. Without colours it is for tables only.
typedef struct TapeImage {
    char name[96];
    double x0, y0, x1, y1;
    int columns, rows;
    float *value;
    ImU32 *colour;
} TapeImage;

enum { TAPE_LEGEND = 8, TAPE_IMAGES = 6 };

typedef struct PlotTape {
    bool begun, failed; // failed: there was no memory, what follows is missing
    PlotAxis x, y;
    char name[96]; // of what comes next
    char value_title[96];
    int item_count, item_capacity;
    TapeItem *items;
    int point_count, point_capacity;
    double (*points)[4];
    int legend_count;
    char legend[TAPE_LEGEND][96];
    ImU32 legend_colour[TAPE_LEGEND];
    int image_count;
    TapeImage images[TAPE_IMAGES];
} PlotTape;

void tape_begin(PlotTape *tape, const PlotAxis *x, const PlotAxis *y);
void tape_finish(PlotTape *tape); // accepts a zeroed one

void tape_name(PlotTape *tape, const char *name);
void tape_band(PlotTape *tape, const char *name, ImU32 colour, const PlotRange *points, int count);
void tape_segment(PlotTape *tape, ImU32 colour, const double from[2], const double to[2],
                  float width);
void tape_point(PlotTape *tape, TapeKind kind, ImU32 colour, double x, double y, float radius);
void tape_box(PlotTape *tape, ImU32 colour, double x0, double y0, double x1, double y1);
void tape_text(PlotTape *tape, double x, double y, const char *text);
void tape_legend(PlotTape *tape, const char *name, ImU32 colour);
// `title` says what the values are, with the unit.
void tape_image(PlotTape *tape, const TapeImage *image, const char *title);

// Write to a file that does not exist yet.
Status tape_write_svg(const PlotTape *tape, const char *title, const char *path, Error *error);
Status tape_write_csv(const PlotTape *tape, const char *path, Error *error);

#endif
