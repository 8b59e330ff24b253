#include "figures/figure.h"

#include "figures/typeset.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define PRINT(text)                                                                                \
    do {                                                                                           \
        va_list arguments;                                                                         \
        va_start(arguments, format);                                                               \
        vsnprintf(text, sizeof text, format, arguments);                                           \
        va_end(arguments);                                                                         \
    } while (0)

#define PRINT_TYPESET(text)                                                                        \
    do {                                                                                           \
        char plain[sizeof text];                                                                   \
        PRINT(plain);                                                                              \
        typeset(plain, text, sizeof text);                                                         \
    } while (0)

const FigureRow *figure_find(const char *name)
{
    for (int i = 0; i < figure_count; i++) {
        if (strcmp(figure_table[i].name, name) == 0) return &figure_table[i];
    }
    return NULL;
}

Status figure_check(const Figure *figure, Error *error)
{
    if (!figure->cancel || !atomic_load_explicit(figure->cancel, memory_order_relaxed))
        return STATUS_OK;
    return error_set(error, STATUS_INTERRUPTED, "interrupted in the figure %s", figure->row->name);
}

// A figure that was cancelled is not whole, even if its function has not noticed.
Status figure_make(Figure *figure, Error *error)
{
    figure->panels = calloc(FIGURE_PANELS, sizeof *figure->panels);
    figure->across = 1;
    typeset(figure->row->sentence, figure->title, sizeof figure->title);
    Status status = figure->panels ? figure->row->make(figure, error) : STATUS_OUT_OF_MEMORY;
    if (!figure->panels || (status == STATUS_OK && figure->failed))
        return error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for the figure %s",
                         figure->row->name);
    return status == STATUS_OK ? figure_check(figure, error) : status;
}

void figure_finish(Figure *figure)
{
    for (int i = 0; i < figure->panel_count; i++) {
        for (int k = 0; k < figure->panels[i].curve_count; k++)
            free(figure->panels[i].curves[k].points);
        free(figure->panels[i].image.value);
    }
    free(figure->panels);
    *figure = (Figure){0};
}

Panel *figure_panel(Figure *figure, const char *title, SvgAxis x, SvgAxis y)
{
    Panel *panel = &figure->panels[figure->panel_count++];
    *panel = (Panel){.x = x, .y = y, .failed = &figure->failed};
    typeset(title, panel->title, sizeof panel->title);
    typeset(x.label, panel->x_label, sizeof panel->x_label);
    typeset(y.label, panel->y_label, sizeof panel->y_label);
    return panel;
}

Curve *panel_curve(Panel *panel, const char *name, CurveStyle style)
{
    Curve *curve = &panel->curves[panel->curve_count];
    *curve = (Curve){.style = style, .colour = panel->curve_count, .failed = panel->failed};
    typeset(name, curve->name, sizeof curve->name);
    panel->curve_count++;
    return curve;
}

void curve_add_spread(Curve *curve, double x, double y, double low, double high)
{
    if (curve->count == curve->capacity) {
        int capacity = curve->capacity > 0 ? 2 * curve->capacity : 32;
        CurvePoint *points = realloc(curve->points, (size_t)capacity * sizeof *points);
        if (!points) {
            *curve->failed = true;
            return;
        }
        curve->points = points;
        curve->capacity = capacity;
    }
    curve->points[curve->count++] = (CurvePoint){x, y, low, high};
}

void curve_add(Curve *curve, double x, double y)
{
    curve_add_spread(curve, x, y, y, y);
}

void panel_note(Panel *panel, double x, double y, const char *format, ...)
{
    FigureNote *note = &panel->notes[panel->note_count++];
    *note = (FigureNote){.x = x, .y = y, .text_x = x, .text_y = y};
    PRINT_TYPESET(note->text);
}

void panel_note_from(Panel *panel, double x, double y, double text_x, double text_y,
                     const char *format, ...)
{
    FigureNote *note = &panel->notes[panel->note_count++];
    *note = (FigureNote){.x = x, .y = y, .text_x = text_x, .text_y = text_y};
    PRINT_TYPESET(note->text);
}

FigureImage *panel_image(Panel *panel, int columns, int rows, double x0, double y0, double x1,
                         double y1)
{
    FigureImage *image = &panel->image;
    *image =
        (FigureImage){.x0 = x0, .y0 = y0, .x1 = x1, .y1 = y1, .columns = columns, .rows = rows};
    image->value = calloc((size_t)columns * (size_t)rows, sizeof *image->value);
    panel->has_image = image->value != NULL;
    if (!image->value) *panel->failed = true;
    return image->value ? image : NULL;
}

void figure_fact(Figure *figure, double value, double theory, const char *format, ...)
{
    Fact *fact = &figure->facts[figure->fact_count++];
    *fact = (Fact){.value = value, .theory = theory, .low = NAN, .high = NAN};
    PRINT(fact->name);
}

void figure_fact_spread(Figure *figure, double value, double theory, double low, double high,
                        const char *format, ...)
{
    Fact *fact = &figure->facts[figure->fact_count++];
    *fact = (Fact){.value = value, .theory = theory, .low = low, .high = high};
    PRINT(fact->name);
}

void figure_cell(Figure *figure, int row, int column, const char *format, ...)
{
    PRINT_TYPESET(figure->table[row][column]);
    if (row >= figure->table_rows) figure->table_rows = row + 1;
    if (column >= figure->table_columns) figure->table_columns = column + 1;
}

void figure_found(Figure *figure, const char *format, ...)
{
    PRINT_TYPESET(figure->found);
}

void figure_verdict(Figure *figure, const char *format, ...)
{
    PRINT_TYPESET(figure->verdict);
}

double curve_exponent(const Curve *curve)
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    int n = 0;
    for (int i = 0; i < curve->count; i++) {
        const CurvePoint *p = &curve->points[i];
        if (!(p->x > 0.0 && p->y > 0.0)) continue;
        double x = log(p->x), y = log(p->y);
        sx += x, sy += y, sxx += x * x, sxy += x * y, n++;
    }
    return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

// ---- CSV

static void write_name(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"') fputc('"', file);
        fputc(*text, file);
    }
    fputc('"', file);
}

static void write_panel(FILE *file, const Panel *panel)
{
    for (int k = 0; k < panel->curve_count; k++) {
        const Curve *curve = &panel->curves[k];
        for (int i = 0; i < curve->count; i++) {
            const CurvePoint *p = &curve->points[i];
            if (isnan(p->x)) continue;
            write_name(file, panel->title);
            fputc(',', file);
            write_name(file, curve->name);
            fprintf(file, ",%.10g,%.10g,%.10g,%.10g\n", p->x, p->y, p->low, p->high);
        }
    }
    const FigureImage *image = &panel->image;
    for (int i = 0; panel->has_image && i < image->columns * image->rows; i++) {
        write_name(file, panel->title);
        fprintf(file, ",cell,%.6g,%.6g,%.6g,\n",
                image->x0 + (image->x1 - image->x0) * (i % image->columns + 0.5) / image->columns,
                image->y0 + (image->y1 - image->y0) * (i / image->columns + 0.5) / image->rows,
                (double)image->value[i]);
    }
}

static void write_table(FILE *file, const Figure *figure)
{
    for (int r = 0; r < figure->table_rows; r++) {
        fputs("table", file);
        for (int c = 0; c < figure->table_columns; c++) {
            fputc(',', file);
            write_name(file, figure->table[r][c]);
        }
        fputc('\n', file);
    }
}

void figure_write_csv(const Figure *figure, FILE *file)
{
    fprintf(file,
            "# %s, %s: a row per point with its spread, a cell of a picture, or a fact with "
            "what theory says\n",
            figure->row->name, figure->row->source);
    fputs("what,name,x or value,y or theory,low or value of a cell,high\n", file);
    for (int i = 0; i < figure->fact_count; i++) {
        fputs("fact,", file);
        write_name(file, figure->facts[i].name);
        fprintf(file, ",%.10g,%.10g,", figure->facts[i].value, figure->facts[i].theory);
        if (isnan(figure->facts[i].low))
            fputs(",\n", file);
        else
            fprintf(file, "%.10g,%.10g\n", figure->facts[i].low, figure->facts[i].high);
    }
    write_table(file, figure);
    for (int i = 0; i < figure->panel_count; i++) write_panel(file, &figure->panels[i]);
}
