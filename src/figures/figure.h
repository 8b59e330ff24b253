// A figure of the sources, recomputed: panels with curves, pictures or a table, and three
// sentences: what the source claims, what we get, and the verdict.
//
// A row of figure_table names a function that fills a Figure; figure_write_svg and figure_write_csv
// make the files of it. Building never fails half-way: what does not fit into memory sets `failed`.
#ifndef FIGURES_FIGURE_H
#define FIGURES_FIGURE_H

#include "base/status.h"
#include "base/svg.h"

#include <stdatomic.h>

typedef struct Figure Figure;

typedef struct FigureRow {
    const char *name;
    const char *source;   // "Shinya fig. 5"
    const char *sentence; // what it shows
    const char *claim;    // of the source
    Status (*make)(Figure *figure, Error *error);
    bool timed; // it measures time: nothing else runs beside it
} FigureRow;
extern const FigureRow figure_table[];
extern const int figure_count;
const FigureRow *figure_find(const char *name); // NULL when there is none

typedef enum CurveStyle {
    CURVE_LINE,
    CURVE_DASHED,
    CURVE_DOTS,
    CURVE_BOTH, // dots joined by lines
    CURVE_AREA, // a filled outline; NaN begins the next one
} CurveStyle;

typedef struct CurvePoint {
    double x, y, low, high; // low and high: the spread of what was measured; equal to y: none
} CurvePoint;

typedef struct Curve {
    char name[96];
    CurveStyle style;
    int colour; // number of the series
    int count, capacity;
    CurvePoint *points;
    bool *failed; // the figure's
} Curve;

// Numbers on a grid of cells, the lowest row first.
typedef struct FigureImage {
    double x0, y0, x1, y1;
    int columns, rows;
    float *value; // owned
    float low, high;
    bool is_signed; // a map from blue over grey to orange
    char label[64]; // of its colour bar, with the unit
} FigureImage;

// A point with a name, beside it or, where that would hide something, at the end of a line.
typedef struct FigureNote {
    double x, y;
    double text_x, text_y; // the same as x and y: beside it
    char text[64];
} FigureNote;

enum { FIGURE_PANELS = 6, PANEL_CURVES = 16, PANEL_NOTES = 12, TABLE_ROWS = 24, TABLE_COLUMNS = 7 };

typedef struct Panel {
    char title[96], x_label[64], y_label[64];
    SvgAxis x, y; // min = max: from the data
    int curve_count;
    Curve curves[PANEL_CURVES];
    int note_count;
    FigureNote notes[PANEL_NOTES];
    bool has_image;
    FigureImage image;
    bool *failed;
} Panel;

// A number that theory or the source fixes.
typedef struct Fact {
    char name[96];
    double value, theory; // theory: NaN if it has none
    double low, high;     // the spread of what was measured; NaN if it has none
} Fact;
enum { FIGURE_FACTS = 64 };

struct Figure {
    const FigureRow *row;
    bool quick;
    int threads;
    const atomic_bool *cancel; // set by another thread: figure_make ends soon. NULL: nobody does
    char title[96];            // the row's sentence, unless `make` writes another
    int panel_count, across;   // panels beside each other
    bool square;               // frames as high as wide: both axes have the same unit
    Panel *panels;
    int table_rows, table_columns; // 0: there is none; the first row has the headings
    char table[TABLE_ROWS][TABLE_COLUMNS][72];
    int fact_count;
    Fact facts[FIGURE_FACTS];
    char found[1200];  // what we get
    char verdict[320]; // "holds", "does not hold: ..."
    bool failed;
};

// `figure` is zeroed but for row, quick, threads and cancel. STATUS_INTERRUPTED when cancelled.
Status figure_make(Figure *figure, Error *error);
void figure_finish(Figure *figure); // accepts a zeroed one
// To an open file; whoever opened it checks it for write errors. False without memory.
bool figure_write_svg(const Figure *figure, FILE *file, const Colours *colours);
void figure_write_csv(const Figure *figure, FILE *file);

// STATUS_INTERRUPTED when it was cancelled: long loops ask in between.
Status figure_check(const Figure *figure, Error *error);

// ---- for the functions of the table. Axes whose min and max are equal fit the data. All words but
// the names of facts are typeset.
Panel *figure_panel(Figure *figure, const char *title, SvgAxis x, SvgAxis y);
Curve *panel_curve(Panel *panel, const char *name, CurveStyle style);
void curve_add(Curve *curve, double x, double y);
void curve_add_spread(Curve *curve, double x, double y, double low, double high);
void panel_note(Panel *panel, double x, double y, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void panel_note_from(Panel *panel, double x, double y, double text_x, double text_y,
                     const char *format, ...) __attribute__((format(printf, 6, 7)));
FigureImage *panel_image(Panel *panel, int columns, int rows, double x0, double y0, double x1,
                         double y1); // NULL without memory
void figure_fact(Figure *figure, double value, double theory, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void figure_fact_spread(Figure *figure, double value, double theory, double low, double high,
                        const char *format, ...) __attribute__((format(printf, 6, 7)));
void figure_cell(Figure *figure, int row, int column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void figure_found(Figure *figure, const char *format, ...) __attribute__((format(printf, 2, 3)));
void figure_verdict(Figure *figure, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Slope of log y over log x: the exponent of a power law.
double curve_exponent(const Curve *curve);

#endif
