// A Figure as an SVG page: title and source, panels with their legends below, a table, the verdict.
#include "base/colour_map.h"
#include "figures/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WIDTH = 820, // of the page, pixels
    MARGIN = 24, // around everything
    LEFT = 58,   // of a frame, for its labels
    HEAD = 92,   // above the first frames
    GAP = 46,    // above further ones
    BELOW = 50,  // of a frame, for its labels
    LEGEND = 18, // a line of it
    ROW = 22,    // of a table
    FULL_HEIGHT = 400,
    HALF_HEIGHT = 270,
};

// ---- axes from the data

static void widen(SvgAxis *axis, double value, bool *any)
{
    if (!isfinite(value) || (axis->logarithmic && value <= 0.0)) return;
    if (!*any) axis->min = axis->max = value;
    axis->min = fmin(axis->min, value);
    axis->max = fmax(axis->max, value);
    *any = true;
}

static void add_margin(SvgAxis *axis)
{
    if (axis->logarithmic) {
        double factor = fmax(pow(axis->max / axis->min, 0.05), 1.02);
        axis->min /= factor, axis->max *= factor;
        return;
    }
    double margin = fmax(0.05 * (axis->max - axis->min), 1e-9 + 1e-3 * fabs(axis->max));
    axis->min -= margin, axis->max += margin;
}

static void fit_axes(Panel *panel)
{
    bool fit_x = panel->x.min == panel->x.max, fit_y = panel->y.min == panel->y.max;
    bool any_x = false, any_y = false;
    for (int k = 0; k < panel->curve_count; k++) {
        const Curve *curve = &panel->curves[k];
        for (int i = 0; i < curve->count; i++) {
            if (fit_x) widen(&panel->x, curve->points[i].x, &any_x);
            if (fit_y) widen(&panel->y, curve->points[i].low, &any_y);
            if (fit_y) widen(&panel->y, curve->points[i].high, &any_y);
        }
    }
    if (fit_x) add_margin(&panel->x);
    if (fit_y) add_margin(&panel->y);
    panel->x.label = panel->x_label;
    panel->y.label = panel->y_label;
}

// ---- curves

static SvgStroke stroke_of(const Svg *svg, const Curve *curve)
{
    SvgStroke stroke = svg_series(svg, curve->colour);
    if (curve->style == CURVE_DASHED) stroke.dashes = "6 4";
    if (curve->style == CURVE_AREA) stroke.width = 10.0, stroke.colour.opacity = 0.3;
    return stroke;
}

static void draw_spreads(Svg *svg, const Curve *curve)
{
    SvgStroke stroke = svg_series(svg, curve->colour);
    stroke.width = 1.5;
    for (int i = 0; i < curve->count; i++) {
        const CurvePoint *p = &curve->points[i];
        double bar[2][2] = {{p->x, p->low}, {p->x, p->high}};
        if (p->high > p->low) svg_line(svg, stroke, (const double(*)[2])bar, 2);
    }
}

static void draw_area(Svg *svg, const Curve *curve, const double (*points)[2])
{
    SvgStroke stroke = svg_series(svg, curve->colour);
    svg_fill_begin(svg, (SvgColour){stroke.colour.rgb, 0.18});
    for (int start = 0; start < curve->count;) {
        int end = start;
        while (end < curve->count && !isnan(points[end][0])) end++;
        if (end > start) svg_fill_outline(svg, points + start, end - start);
        start = end + 1;
    }
    svg_fill_end(svg);
}

static bool draw_curve(Svg *svg, const Curve *curve)
{
    double(*points)[2] = malloc(((size_t)curve->count + 1) * sizeof *points);
    if (!points) return false;
    for (int i = 0; i < curve->count; i++) {
        points[i][0] = curve->points[i].x;
        points[i][1] = curve->points[i].y;
    }
    const double(*at)[2] = (const double(*)[2])points;
    SvgStroke stroke = stroke_of(svg, curve);
    if (curve->style == CURVE_AREA)
        draw_area(svg, curve, at);
    else if (curve->style != CURVE_DOTS)
        svg_line(svg, stroke, at, curve->count);
    draw_spreads(svg, curve);
    if (curve->style == CURVE_DOTS || curve->style == CURVE_BOTH) {
        double radius = curve->count > 60 ? 2.0 : 3.5;
        for (int i = 0; i < curve->count; i++)
            svg_dot(svg, stroke.colour, at[i][0], at[i][1], radius, true);
    }
    free(points);
    return true;
}

static bool draw_image(Svg *svg, const FigureImage *image)
{
    enum { COLOURS = 128 };
    uint32_t palette[COLOURS];
    for (int i = 0; i < COLOURS; i++) {
        float rgb[3], t = (float)i / (COLOURS - 1);
        if (image->is_signed)
            colour_map_signed(2.0f * t - 1.0f, rgb);
        else
            colour_map(t, rgb);
        palette[i] = (uint32_t)lroundf(255 * rgb[0]) << 16 | (uint32_t)lroundf(255 * rgb[1]) << 8 |
                     (uint32_t)lroundf(255 * rgb[2]);
    }
    int count = image->columns * image->rows;
    uint8_t *cells = malloc((size_t)count);
    if (!cells) return false;
    for (int i = 0; i < count; i++) {
        int row = image->rows - 1 - i / image->columns; // the top row first
        float value = image->value[row * image->columns + i % image->columns];
        float t = (value - image->low) / (image->high - image->low);
        cells[i] = (uint8_t)lroundf((COLOURS - 1) * fminf(fmaxf(t, 0.0f), 1.0f));
    }
    svg_picture(svg, (SvgBox){image->x0, image->y1, image->x1, image->y0}, image->columns,
                image->rows, cells, palette, COLOURS);
    free(cells);
    return true;
}

// ---- the legend, in as many lines as it takes. With a file that is NULL it only measures.

static int draw_legend(Svg *svg, const Panel *panel, double left, double top, double width)
{
    double x = 0.0;
    int lines = 0;
    for (int k = 0; k < panel->curve_count; k++) {
        const Curve *curve = &panel->curves[k];
        if (!curve->name[0]) continue;
        double wide = svg_text_width(curve->name) + 46.0;
        if (lines == 0 || x + wide > width) x = 0.0, lines++;
        if (svg->file)
            svg_legend(svg, left + x, top + LEGEND * (lines - 1), stroke_of(svg, curve),
                       curve->style == CURVE_DOTS, curve->name);
        x += wide;
    }
    return lines;
}

static bool draw_panel(Svg *svg, Panel *panel, SvgBox box)
{
    fit_axes(panel);
    svg->box = box;
    svg->x = panel->x;
    svg->y = panel->y;
    bool whole = true;
    svg_frame_begin(svg, panel->title[0] ? panel->title : NULL);
    if (panel->has_image) whole = draw_image(svg, &panel->image);
    for (int k = 0; k < panel->curve_count; k++)
        whole = draw_curve(svg, &panel->curves[k]) && whole;
    for (int i = 0; i < panel->note_count; i++) {
        if (panel->curve_count > 0)
            svg_dot(svg, (SvgColour){svg->colours->text, 1.0}, panel->notes[i].x, panel->notes[i].y,
                    3.5, false);
        svg_text_at(svg, panel->notes[i].x, panel->notes[i].y, panel->notes[i].text);
    }
    svg_frame_end(svg);
    draw_legend(svg, panel, box.left - 4, box.bottom + BELOW + 8, box.right - box.left + 20);
    return whole;
}

// ---- the page

static double frame_height(const Figure *figure)
{
    return figure->across > 1 ? HALF_HEIGHT : figure->panel_count > 1 ? HALF_HEIGHT : FULL_HEIGHT;
}

static double frame_width(const Figure *figure)
{
    return (WIDTH - 2.0 * MARGIN) / figure->across - LEFT - 6;
}

static int legend_lines(const Figure *figure, int row)
{
    Svg none = {0};
    int most = 0;
    for (int i = row * figure->across; i < (row + 1) * figure->across && i < figure->panel_count;
         i++) {
        int lines = draw_legend(&none, &figure->panels[i], 0, 0, frame_width(figure) + 20);
        if (lines > most) most = lines;
    }
    return most;
}

static int panel_rows(const Figure *figure)
{
    return (figure->panel_count + figure->across - 1) / figure->across;
}

static double row_top(const Figure *figure, int row)
{
    double y = HEAD;
    for (int r = 0; r < row; r++)
        y += frame_height(figure) + BELOW + LEGEND * legend_lines(figure, r) + GAP;
    return y;
}

static void draw_table(Svg *svg, const Figure *figure, double top)
{
    double width[TABLE_COLUMNS] = {0}, x[TABLE_COLUMNS], sum = 0.0;
    for (int c = 0; c < figure->table_columns; c++) {
        for (int r = 0; r < figure->table_rows; r++)
            if (c > 0 || figure->table[r][1][0]) // else a line of text
                width[c] = fmax(width[c], svg_text_width(figure->table[r][c]) + 14.0);
        sum += width[c];
    }
    double scale = fmin(1.4, (WIDTH - 2.0 * MARGIN) / sum);
    for (int c = 0; c < figure->table_columns; c++)
        x[c] = c == 0 ? MARGIN : x[c - 1] + scale * width[c - 1];
    for (int r = 0; r < figure->table_rows; r++) {
        double y = top + ROW * (r + 1);
        for (int c = 0; c < figure->table_columns; c++)
            svg_text(svg, x[c], y - 6, r == 0 ? SVG_BOLD : SVG_PLAIN, figure->table[r][c]);
        fprintf(svg->file, "<path class=\"grid\" d=\"M%d %.2fH%d\"/>\n", MARGIN, y, WIDTH - MARGIN);
    }
}

static double draw_words(Svg *svg, const Figure *figure, double y)
{
    char text[1200];
    double width = WIDTH - 2.0 * MARGIN, start = y;
    snprintf(text, sizeof text, "%s: %s", figure->row->source, figure->row->claim);
    y += svg_paragraph(svg, MARGIN, y, width, SVG_DIM, text) + 6;
    y += svg_paragraph(svg, MARGIN, y, width, SVG_PLAIN, figure->found) + 6;
    snprintf(text, sizeof text, "Verdict: %s", figure->verdict);
    y += svg_paragraph(svg, MARGIN, y, width, SVG_BOLD, text);
    return y - start;
}

bool figure_write_svg(const Figure *figure, FILE *file, const Colours *colours)
{
    Svg measure = {0};
    double tables = figure->table_rows * ROW + (figure->table_rows > 0 ? 16 : 0);
    double bottom = row_top(figure, panel_rows(figure)) - (figure->panel_count > 0 ? 24 : 32);
    double words = bottom + tables + 22, height = words + draw_words(&measure, figure, 0.0) + 6;
    Svg svg = {.file = file,
               .colours = colours,
               .width = WIDTH,
               .height = (int)height,
               .box = {.left = MARGIN}};
    svg_page_begin(&svg, figure->title, figure->row->source);
    bool whole = true;
    for (int i = 0; i < figure->panel_count; i++) {
        double left = MARGIN + LEFT + (i % figure->across) * (frame_width(figure) + LEFT + 6);
        double top = row_top(figure, i / figure->across);
        whole = draw_panel(
                    &svg, &figure->panels[i],
                    (SvgBox){left, top, left + frame_width(figure), top + frame_height(figure)}) &&
                whole;
    }
    if (figure->table_rows > 0) draw_table(&svg, figure, bottom);
    draw_words(&svg, figure, words);
    svg_page_end(&svg);
    return whole;
}
