// A Figure as an SVG page: title and source, panels with their legends below, a table, the verdict.
#include "base/colour_map.h"
#include "figures/figure.h"
#include "figures/typeset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WIDTH = 820, // of the page, pixels
    MARGIN = 24, // around everything
    LEFT = 58,   // of a frame, for its labels
    RIGHT = 22,  // of a frame, beside the next one's labels
    HEAD = 92,   // above the first frames
    BARE = 70,   // likewise, when they have no titles
    GAP = 46,    // above further ones
    BELOW = 50,  // of a frame, for its labels
    LEGEND = 18, // a line of it
    ROW = 22,    // of a table
    FULL_HEIGHT = 400,
    HALF_HEIGHT = 270,
};

#define DOT 3.5 // radius of a point, pixels

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

// Does an earlier curve lie under all of this one?
static bool covers_another(const Panel *panel, const Curve *curve)
{
    for (const Curve *other = panel->curves; other < curve; other++) {
        bool same = other->count == curve->count && curve->count > 1;
        for (int i = 0; i < curve->count && same; i++)
            same = fabs(other->points[i].y - curve->points[i].y) <= 2e-3 * fabs(curve->points[i].y);
        if (same) return true;
    }
    return false;
}

static SvgStroke stroke_of(const Svg *svg, const Panel *panel, const Curve *curve)
{
    SvgStroke stroke = svg_series(svg, curve->colour);
    if (curve->style == CURVE_DASHED) stroke.dashes = "6 4";
    if (covers_another(panel, curve)) stroke.dashes = "9 9"; // so that both are seen
    if (curve->style == CURVE_AREA) stroke.width = 10.0, stroke.colour.opacity = 0.3;
    return stroke;
}

// Height of a point's spread on the page, pixels.
static double spread_height(const Svg *svg, const CurvePoint *p)
{
    const SvgAxis *y = &svg->y;
    double height = svg->box.bottom - svg->box.top;
    return y->logarithmic ? height * log(p->high / p->low) / log(y->max / y->min)
                          : height * (p->high - p->low) / (y->max - y->min);
}

// Bars of several curves stand beside each other. A bar that its point hides is not drawn.
static void draw_spreads(Svg *svg, const Panel *panel, const Curve *curve)
{
    double shift = 4.0 * ((double)(curve - panel->curves) - 0.5 * (panel->curve_count - 1));
    SvgStroke stroke = svg_series(svg, curve->colour);
    stroke.width = 1.5;
    for (int i = 0; i < curve->count; i++) {
        const CurvePoint *p = &curve->points[i];
        if (p->high > p->low && !(spread_height(svg, p) < 2.0 * DOT))
            svg_bar(svg, stroke, p->x, p->low, p->high, shift);
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

static bool draw_curve(Svg *svg, const Panel *panel, const Curve *curve)
{
    double(*points)[2] = malloc(((size_t)curve->count + 1) * sizeof *points);
    if (!points) return false;
    for (int i = 0; i < curve->count; i++) {
        points[i][0] = curve->points[i].x;
        points[i][1] = curve->points[i].y;
    }
    const double(*at)[2] = (const double(*)[2])points;
    SvgStroke stroke = stroke_of(svg, panel, curve);
    if (curve->style == CURVE_AREA)
        draw_area(svg, curve, at);
    else if (curve->style != CURVE_DOTS)
        svg_line(svg, stroke, at, curve->count);
    draw_spreads(svg, panel, curve);
    if (curve->style == CURVE_DOTS || curve->style == CURVE_BOTH) {
        double radius = curve->count > 60 ? 2.0 : DOT;
        for (int i = 0; i < curve->count; i++)
            svg_dot(svg, stroke.colour, at[i][0], at[i][1], radius, true);
    }
    free(points);
    return true;
}

enum { PALETTE = 128 };

static void palette_of(const FigureImage *image, uint32_t *palette)
{
    for (int i = 0; i < PALETTE; i++) {
        float rgb[3], t = (float)i / (PALETTE - 1);
        if (image->is_signed)
            colour_map_signed(2.0f * t - 1.0f, rgb);
        else
            colour_map(t, rgb);
        palette[i] = (uint32_t)lroundf(255 * rgb[0]) << 16 | (uint32_t)lroundf(255 * rgb[1]) << 8 |
                     (uint32_t)lroundf(255 * rgb[2]);
    }
}

static bool draw_image(Svg *svg, const FigureImage *image)
{
    uint32_t palette[PALETTE];
    palette_of(image, palette);
    int count = image->columns * image->rows;
    uint8_t *cells = malloc((size_t)count);
    if (!cells) return false;
    for (int i = 0; i < count; i++) {
        int row = image->rows - 1 - i / image->columns; // the top row first
        float value = image->value[row * image->columns + i % image->columns];
        float t = (value - image->low) / (image->high - image->low);
        cells[i] = (uint8_t)lroundf((PALETTE - 1) * fminf(fmaxf(t, 0.0f), 1.0f));
    }
    svg_picture(svg, (SvgBox){image->x0, image->y1, image->x1, image->y0}, image->columns,
                image->rows, cells, palette, PALETTE);
    free(cells);
    return true;
}

// ---- the legend, in as many lines as it takes. With a file that is NULL it only measures.

static int draw_colour_bar(Svg *svg, const FigureImage *image, double left, double top)
{
    uint32_t palette[PALETTE];
    char low[24], high[24], text[24];
    palette_of(image, palette);
    snprintf(text, sizeof text, "%g", (double)image->low);
    typeset(text, low, sizeof low);
    snprintf(text, sizeof text, "%g", (double)image->high);
    typeset(text, high, sizeof high);
    if (svg->file) svg_colour_bar(svg, left, top, palette, PALETTE, low, high, image->label);
    return 1;
}

static int draw_legend(Svg *svg, const Panel *panel, double left, double top, double width)
{
    double x = 0.0;
    int lines = 0;
    if (panel->has_image && panel->image.label[0])
        return draw_colour_bar(svg, &panel->image, left, top);
    for (int k = 0; k < panel->curve_count; k++) {
        const Curve *curve = &panel->curves[k];
        if (!curve->name[0] || curve->count == 0) continue;
        double wide = svg_text_width(curve->name) + 46.0;
        if (lines == 0 || x + wide > width) x = 0.0, lines++;
        if (svg->file)
            svg_legend(svg, left + x, top + LEGEND * (lines - 1), stroke_of(svg, panel, curve),
                       curve->style == CURVE_DOTS, curve->name);
        x += wide;
    }
    return lines;
}

static bool same_legend(const Panel *a, const Panel *b)
{
    if (a->has_image != b->has_image || a->curve_count != b->curve_count) return false;
    if (a->has_image && strcmp(a->image.label, b->image.label) != 0) return false;
    for (int k = 0; k < a->curve_count; k++) {
        const Curve *p = &a->curves[k], *q = &b->curves[k];
        if (strcmp(p->name, q->name) != 0 || p->style != q->style || p->colour != q->colour ||
            (p->count == 0) != (q->count == 0))
            return false;
    }
    return true;
}

static void draw_notes(Svg *svg, const Panel *panel)
{
    SvgColour ink = {svg->colours->text, 1.0};
    for (int i = 0; i < panel->note_count; i++) {
        const FigureNote *note = &panel->notes[i];
        double line[2][2] = {{note->x, note->y}, {note->text_x, note->text_y}};
        if (note->x != note->text_x || note->y != note->text_y)
            svg_line(svg, (SvgStroke){.colour = ink, .width = 1.0}, (const double(*)[2])line, 2);
        if (panel->curve_count > 0) svg_dot(svg, ink, note->x, note->y, 3.5, false);
        svg_text_at(svg, note->text_x, note->text_y, note->text);
    }
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
        whole = draw_curve(svg, panel, &panel->curves[k]) && whole;
    svg_frame_end(svg);
    draw_notes(svg, panel); // over the frame: a point may lie on its edge
    return whole;
}

// ---- the page

static double frame_width(const Figure *figure)
{
    return (WIDTH - 2.0 * MARGIN + RIGHT) / figure->across - LEFT - RIGHT;
}

static double frame_height(const Figure *figure)
{
    if (figure->square) return frame_width(figure);
    return figure->panel_count > 1 ? HALF_HEIGHT : FULL_HEIGHT;
}

static double frame_left(const Figure *figure, int column)
{
    return MARGIN + LEFT + column * (frame_width(figure) + LEFT + RIGHT);
}

// One legend for a row of panels whose legends are the same, across the page; else one under each.
static int draw_legends(Svg *svg, const Figure *figure, int row, double top)
{
    int first = row * figure->across, end = first + figure->across, most = 0;
    bool shared = true;
    if (end > figure->panel_count) end = figure->panel_count;
    for (int i = first + 1; i < end; i++)
        shared = shared && same_legend(&figure->panels[first], &figure->panels[i]);
    for (int i = first; i < (shared ? first + 1 : end); i++) {
        double left = frame_left(figure, i - first);
        double width = shared ? WIDTH - MARGIN - left : frame_width(figure);
        int lines = draw_legend(svg, &figure->panels[i], left - 4, top, width + RIGHT);
        if (lines > most) most = lines;
    }
    return most;
}

static int legend_lines(const Figure *figure, int row)
{
    Svg none = {0};
    return draw_legends(&none, figure, row, 0.0);
}

static int panel_rows(const Figure *figure)
{
    return (figure->panel_count + figure->across - 1) / figure->across;
}

static double row_top(const Figure *figure, int row)
{
    double y = figure->panel_count == 0 || figure->panels[0].title[0] ? HEAD : BARE;
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
            if (figure->table[r][c][0])
                svg_text(svg, x[c], y - 6, r == 0 ? SVG_BOLD : SVG_PLAIN, figure->table[r][c]);
        fprintf(svg->file, "<path class=\"grid\" d=\"M%d %.2fH%d\"/>\n", MARGIN, y, WIDTH - MARGIN);
    }
}

static double draw_words(Svg *svg, const Figure *figure, double y)
{
    char text[1300];
    double width = WIDTH - 2.0 * MARGIN, start = y;
    char claim[1000];
    typeset(figure->row->claim, claim, sizeof claim);
    snprintf(text, sizeof text, "%s: %s", figure->row->source, claim);
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
        double left = frame_left(figure, i % figure->across);
        double top = row_top(figure, i / figure->across);
        whole = draw_panel(
                    &svg, &figure->panels[i],
                    (SvgBox){left, top, left + frame_width(figure), top + frame_height(figure)}) &&
                whole;
    }
    for (int r = 0; r < panel_rows(figure); r++)
        draw_legends(&svg, figure, r, row_top(figure, r) + frame_height(figure) + BELOW + 8);
    if (figure->table_rows > 0) draw_table(&svg, figure, bottom);
    draw_words(&svg, figure, words);
    svg_page_end(&svg);
    return whole;
}
