#include "ui/plot_tape.h"

#include "base/output_file.h"
#include "base/svg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- recording

void tape_begin(PlotTape *tape, const PlotAxis *x, const PlotAxis *y)
{
    tape->begun = true;
    tape->x = *x;
    tape->y = *y;
}

void tape_finish(PlotTape *tape)
{
    free(tape->items);
    free(tape->points);
    for (int i = 0; i < tape->image_count; i++) {
        free(tape->images[i].value);
        free(tape->images[i].colour);
    }
    *tape = (PlotTape){0};
}

static void *grow(PlotTape *tape, void *array, int *capacity, int needed, size_t size)
{
    if (needed <= *capacity) return array;
    int wanted = 2 * needed + 64;
    void *grown = realloc(array, (size_t)wanted * size);
    if (!grown) {
        tape->failed = true;
        return array;
    }
    *capacity = wanted;
    return grown;
}

static TapeItem *add_item(PlotTape *tape, TapeKind kind, const char *name, ImU32 colour, float size)
{
    tape->items =
        grow(tape, tape->items, &tape->item_capacity, tape->item_count + 1, sizeof *tape->items);
    if (tape->failed) return NULL;
    TapeItem *item = &tape->items[tape->item_count++];
    *item = (TapeItem){.kind = kind, .colour = colour, .size = size, .first = tape->point_count};
    snprintf(item->name, sizeof item->name, "%s", name);
    return item;
}

static void add_point(PlotTape *tape, TapeItem *item, const double point[4])
{
    if (!item) return;
    tape->points = grow(tape, tape->points, &tape->point_capacity, tape->point_count + 1,
                        sizeof *tape->points);
    if (tape->failed) return;
    memcpy(tape->points[tape->point_count++], point, 4 * sizeof *point);
    item->count++;
}

void tape_name(PlotTape *tape, const char *name)
{
    snprintf(tape->name, sizeof tape->name, "%s", name);
}

void tape_band(PlotTape *tape, const char *name, ImU32 colour, const PlotRange *points, int count)
{
    TapeItem *item = add_item(tape, TAPE_BAND, name, colour, 0.11f);
    for (int i = 0; i < count; i++)
        add_point(tape, item, (double[4]){points[i].x, points[i].min, points[i].max});
}

void tape_segment(PlotTape *tape, ImU32 colour, const double from[2], const double to[2],
                  float width)
{
    TapeItem *item = tape->item_count > 0 ? &tape->items[tape->item_count - 1] : NULL;
    const double *last = tape->point_count > 0 ? tape->points[tape->point_count - 1] : NULL;
    bool goes_on = item && last && item->kind == TAPE_LINE && item->colour == colour &&
                   strcmp(item->name, tape->name) == 0 && last[0] == from[0] && last[1] == from[1];
    if (!goes_on) {
        item = add_item(tape, TAPE_LINE, tape->name, colour, width);
        add_point(tape, item, (double[4]){from[0], from[1], from[1]});
    }
    add_point(tape, item, (double[4]){to[0], to[1], to[1]});
}

void tape_point(PlotTape *tape, TapeKind kind, ImU32 colour, double x, double y, float radius)
{
    add_point(tape, add_item(tape, kind, tape->name, colour, radius), (double[4]){x, y, y});
}

void tape_box(PlotTape *tape, ImU32 colour, double x0, double y0, double x1, double y1)
{
    add_point(tape, add_item(tape, TAPE_BOX, tape->name, colour, 0.0f),
              (double[4]){x0, y0, y1, x1});
}

void tape_text(PlotTape *tape, double x, double y, const char *text)
{
    add_point(tape, add_item(tape, TAPE_TEXT, text, 0, 0.0f), (double[4]){x, y, y});
}

void tape_legend(PlotTape *tape, const char *name, ImU32 colour)
{
    if (tape->legend_count == TAPE_LEGEND) return;
    snprintf(tape->legend[tape->legend_count], sizeof tape->legend[0], "%s", name);
    tape->legend_colour[tape->legend_count++] = colour;
}

void tape_image(PlotTape *tape, const TapeImage *image, const char *title)
{
    if (tape->image_count == TAPE_IMAGES) return;
    size_t cells = (size_t)image->columns * (size_t)image->rows;
    TapeImage copy = *image;
    copy.value = malloc(cells * sizeof *copy.value + 1);
    copy.colour = image->colour ? malloc(cells * sizeof *copy.colour + 1) : NULL;
    if (!copy.value || (image->colour && !copy.colour)) {
        free(copy.value);
        free(copy.colour);
        tape->failed = true;
        return;
    }
    memcpy(copy.value, image->value, cells * sizeof *copy.value);
    if (copy.colour) memcpy(copy.colour, image->colour, cells * sizeof *copy.colour);
    snprintf(tape->value_title, sizeof tape->value_title, "%s", title);
    tape->images[tape->image_count++] = copy;
}

// ---- files

// A new file, which replaces nothing.
static FILE *create(const PlotTape *tape, const char *path, OutputFile *output, Error *error)
{
    *output = (OutputFile){0};
    if (tape->failed || !tape->begun) {
        error_set(error, STATUS_OUT_OF_MEMORY, "the plot was not saved: %s",
                  tape->failed ? "there is not enough memory" : "it shows nothing at the moment");
        return NULL;
    }
    if (output_file_begin_new(output, path, error) != STATUS_OK) return NULL;
    FILE *stream = output_file_open(output, error);
    if (!stream) output_file_finish(output);
    return stream;
}

static Status complete(OutputFile *output, FILE *stream, Error *error)
{
    Status status = output_file_close(output, stream, error);
    output_file_finish(output);
    return status;
}

static SvgColour svg_colour(ImU32 colour)
{
    uint32_t r = colour & 255, g = colour >> 8 & 255, b = colour >> 16 & 255;
    return (SvgColour){r << 16 | g << 8 | b, (double)(colour >> 24) / 255.0};
}

// Pixels of the picture per em of the window.
#define SVG_EM 14.0

static void write_band(Svg *svg, const PlotTape *tape, const TapeItem *item, double (*room)[2])
{
    SvgColour colour = svg_colour(item->colour), faint = colour;
    faint.opacity *= 0.4;
    SvgStroke stroke = {colour, SVG_EM * (double)item->size, NULL};
    const double(*p)[4] = (const double(*)[4])tape->points + item->first;
    for (int i = 0; i < item->count; i++) {
        room[i][0] = room[2 * item->count - 1 - i][0] = p[i][0];
        room[i][1] = p[i][2];
        room[2 * item->count - 1 - i][1] = p[i][1];
    }
    svg_area(svg, faint, (const double(*)[2])room, 2 * item->count);
    svg_line(svg, stroke, (const double(*)[2])room, item->count);
    svg_line(svg, stroke, (const double(*)[2])room + item->count, item->count);
}

static void write_item(Svg *svg, const PlotTape *tape, const TapeItem *item, double (*room)[2])
{
    if (item->count == 0) return;
    const double(*p)[4] = (const double(*)[4])tape->points + item->first;
    double x = p[0][0], y = p[0][1];
    SvgColour colour = svg_colour(item->colour);
    switch (item->kind) {
    case TAPE_BAND:
        write_band(svg, tape, item, room);
        break;
    case TAPE_LINE:
        for (int i = 0; i < item->count; i++) {
            room[i][0] = p[i][0];
            room[i][1] = p[i][1];
        }
        svg_line(svg, (SvgStroke){colour, fmax(1.0, 1.5 * SVG_EM * (double)item->size), NULL},
                 (const double(*)[2])room, item->count);
        break;
    case TAPE_POINT:
    case TAPE_RING:
        svg_dot(svg, colour, x, y, SVG_EM * (double)item->size, item->kind == TAPE_POINT);
        break;
    case TAPE_BOX:
        svg_box(svg, colour, x, y, p[0][3], p[0][2]);
        break;
    case TAPE_TEXT:
        svg_text_at(svg, x, y, item->name);
        break;
    }
}

static bool write_image(Svg *svg, const TapeImage *image)
{
    if (!image->colour) return true;
    size_t count = (size_t)image->columns * (size_t)image->rows;
    SvgColour *cells = malloc(count * sizeof *cells);
    if (!cells) return false;
    for (size_t i = 0; i < count; i++) cells[i] = svg_colour(image->colour[i]);
    svg_cells(svg, (SvgBox){image->x0, image->y1, image->x1, image->y0}, image->columns,
              image->rows, cells);
    free(cells);
    return true;
}

static SvgAxis svg_axis(const PlotAxis *axis, char *title, size_t size)
{
    plot_axis_title(axis, title, size);
    return (SvgAxis){axis->min, axis->max, axis->logarithmic, axis->whole, title};
}

Status tape_write_svg(const PlotTape *tape, const char *title, const char *path, Error *error)
{
    double(*room)[2] = malloc(2 * ((size_t)tape->point_count + 1) * sizeof *room);
    if (!room)
        return error_set(error, STATUS_OUT_OF_MEMORY,
                         "there is not enough memory to save the plot");
    OutputFile output;
    FILE *stream = create(tape, path, &output, error);
    bool whole = true;
    if (stream) {
        enum { LEGEND_LINE = 17 };
        char x_title[96], y_title[96];
        Svg svg = svg_plot(stream, 960, 600);
        svg.x = svg_axis(&tape->x, x_title, sizeof x_title);
        svg.y = svg_axis(&tape->y, y_title, sizeof y_title);
        svg_page_begin(&svg, title, NULL);
        svg_frame_begin(&svg, NULL);
        for (int i = 0; i < tape->image_count; i++)
            whole = write_image(&svg, &tape->images[i]) && whole;
        for (int i = 0; i < tape->item_count; i++) write_item(&svg, tape, &tape->items[i], room);
        svg_frame_end(&svg);
        for (int i = 0; i < tape->legend_count; i++)
            svg_legend(&svg, svg.box.left + 10, svg.box.top + LEGEND_LINE * (i + 1),
                       (SvgStroke){svg_colour(tape->legend_colour[i]), 3.0, NULL}, false,
                       tape->legend[i]);
        svg_page_end(&svg);
    }
    free(room);
    if (whole) return stream ? complete(&output, stream, error) : STATUS_FILE;
    fclose(stream);
    output_file_finish(&output);
    return error_set(error, STATUS_OUT_OF_MEMORY, "there is not enough memory to save the plot");
}

// A text in quotation marks.
static void write_quoted(FILE *stream, const char *text)
{
    fputc('"', stream);
    for (; *text; text++) {
        if (*text == '"') fputc('"', stream);
        fputc(*text, stream);
    }
    fputc('"', stream);
}

static void write_header(const PlotTape *tape, FILE *stream)
{
    char title[2][96], upper[112];
    plot_axis_title(&tape->x, title[0], sizeof title[0]);
    plot_axis_title(&tape->y, title[1], sizeof title[1]);
    snprintf(upper, sizeof upper, "%s, up to", title[1]);
    fputs("\"what\",", stream);
    write_quoted(stream, title[0]);
    fputc(',', stream);
    write_quoted(stream, title[1]);
    fputc(',', stream);
    write_quoted(stream, tape->image_count > 0 ? tape->value_title : upper);
    fputc('\n', stream);
}

static void write_cells(const TapeImage *image, FILE *stream)
{
    double width = (image->x1 - image->x0) / image->columns;
    double height = (image->y1 - image->y0) / image->rows;
    for (int i = 0; i < image->rows * image->columns; i++) {
        write_quoted(stream, image->name);
        fprintf(stream, ",%.9g,%.9g,%.9g\n", image->x0 + width * (i % image->columns + 0.5),
                image->y0 + height * (i / image->columns + 0.5), (double)image->value[i]);
    }
}

Status tape_write_csv(const PlotTape *tape, const char *path, Error *error)
{
    OutputFile output;
    FILE *stream = create(tape, path, &output, error);
    if (!stream) return STATUS_FILE;
    write_header(tape, stream);
    for (int i = 0; i < tape->image_count; i++) write_cells(&tape->images[i], stream);
    for (int i = 0; i < tape->item_count; i++) {
        const TapeItem *item = &tape->items[i];
        if (!item->name[0] || item->kind == TAPE_TEXT || item->kind == TAPE_BOX) continue;
        for (int k = item->first; k < item->first + item->count; k++) {
            write_quoted(stream, item->name);
            fprintf(stream, ",%.9g,%.9g,%.9g\n", tape->points[k][0], tape->points[k][1],
                    tape->points[k][2]);
        }
    }
    return complete(&output, stream, error);
}
