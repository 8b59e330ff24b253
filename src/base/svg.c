#include "base/svg.h"

#include "base/indexed_png.h"
#include "base/ticks.h"

#include <math.h>
#include <string.h>

enum { LEFT = 64, RIGHT = 24, TOP = 48, BOTTOM = 56, LINE_HEIGHT = 18 };

Svg svg_plot(FILE *file, int width, int height)
{
    return (Svg){.file = file,
                 .colours = colours_of(true),
                 .width = width,
                 .height = height,
                 .box = {LEFT, TOP, width - RIGHT, height - BOTTOM}};
}

// Text of a person, in XML.
static void write_text(const Svg *svg, const char *text)
{
    for (; *text; text++) {
        if (*text == '<')
            fputs("&lt;", svg->file);
        else if (*text == '&')
            fputs("&amp;", svg->file);
        else
            fputc(*text, svg->file);
    }
}

static double share(const SvgAxis *axis, double value) // 0 to 1
{
    if (axis->logarithmic) return log(fmax(value, 1e-300) / axis->min) / log(axis->max / axis->min);
    return (value - axis->min) / (axis->max - axis->min);
}

// Far outside it is all the same, and files stay small.
static double place_x(const Svg *svg, double x)
{
    double at = fmin(fmax(share(&svg->x, x), -5.0), 6.0);
    return svg->box.left + (svg->box.right - svg->box.left) * at;
}

static double place_y(const Svg *svg, double y)
{
    double at = fmin(fmax(share(&svg->y, y), -5.0), 6.0);
    return svg->box.bottom - (svg->box.bottom - svg->box.top) * at;
}

// ---- the page

void svg_page_begin(Svg *svg, const char *title, const char *subtitle)
{
    const Colours *c = svg->colours;
    fprintf(svg->file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
            "height=\"%d\">\n"
            "<style>text{font:13px sans-serif;fill:#%06x}.bold{font-weight:bold}"
            ".dim{fill:#%06x}.title{font-size:16px}"
            ".halo{stroke:#%06x;stroke-width:3;paint-order:stroke}"
            ".grid{stroke:#%06x;fill:none}.axis{stroke:#%06x;fill:none}"
            "path{stroke-linejoin:round}</style>\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"#%06x\"/>\n",
            svg->width, svg->height, svg->width, svg->height, (unsigned)c->text, (unsigned)c->dim,
            (unsigned)c->panel, (unsigned)c->line, (unsigned)c->dim, svg->width, svg->height,
            (unsigned)c->panel);
    fprintf(svg->file, "<text class=\"title\" x=\"%.0f\" y=\"28\">", svg->box.left);
    write_text(svg, title);
    fputs("</text>\n", svg->file);
    if (subtitle) svg_text(svg, svg->box.left, 28 + LINE_HEIGHT, SVG_DIM, subtitle);
}

void svg_page_end(Svg *svg)
{
    fputs("</svg>\n", svg->file);
}

void svg_text(Svg *svg, double x, double y, SvgFont font, const char *text)
{
    static const char *const classes[] = {"", " class=\"bold\"", " class=\"dim\""};
    fprintf(svg->file, "<text x=\"%.2f\" y=\"%.2f\"%s>", x, y, classes[font]);
    write_text(svg, text);
    fputs("</text>\n", svg->file);
}

double svg_text_width(const char *text)
{
    double width = 0.0;
    for (; *text; text++) {
        if ((*text & 0xc0) == 0x80) continue; // within a character
        width += strchr("iljt.,:;'|()[] ", *text) ? 4.6 : strchr("mwMW", *text) ? 12.2 : 8.0;
    }
    return width;
}

// Is this word a sign, as in "Y < 8"? Then it stays with its neighbours.
static bool is_sign(const char *word, size_t length)
{
    static const char *const signs[] = {"<", ">", "=", "+", "-", "−", "≤", "≥", "/"};
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        if (strlen(signs[i]) == length && strncmp(word, signs[i], length) == 0) return true;
    }
    return false;
}

static bool breaks_after(const char *word, size_t length)
{
    const char *next = word + length + strspn(word + length, " ");
    return !*next || (!is_sign(word, length) && !is_sign(next, strcspn(next, " ")));
}

double svg_paragraph(Svg *svg, double x, double y, double width, SvgFont font, const char *text)
{
    char line[256];
    double height = 0.0;
    if (font == SVG_BOLD) width /= 1.13; // it is wider
    while (*text) {
        size_t end = 0, length = 0;
        for (;;) { // word by word
            size_t word = end + strspn(text + end, " ");
            size_t next = word + strcspn(text + word, " ");
            if (next == end || next >= sizeof line) break;
            snprintf(line, next + 1, "%s", text);
            if (length > 0 && svg_text_width(line) > width) break;
            end = next;
            if (breaks_after(text + word, next - word)) length = end;
        }
        if (length == 0) break;
        snprintf(line, length + 1, "%s", text);
        if (svg->file) svg_text(svg, x, y + height, font, line);
        height += LINE_HEIGHT;
        text += length + strspn(text + length, " ");
    }
    return height;
}

void svg_legend(Svg *svg, double x, double y, SvgStroke stroke, bool dot, const char *name)
{
    enum { SAMPLE = 22 };
    if (dot)
        fprintf(svg->file, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"4\" fill=\"#%06x\"/>\n",
                x + SAMPLE / 2, y - 4, (unsigned)stroke.colour.rgb);
    else
        fprintf(svg->file,
                "<path fill=\"none\" stroke=\"#%06x\" stroke-opacity=\"%.3g\" "
                "stroke-width=\"%.3g\"%s%s%s d=\"M%.2f %.2fh%d\"/>\n",
                (unsigned)stroke.colour.rgb, stroke.colour.opacity, stroke.width,
                stroke.dashes ? " stroke-dasharray=\"" : "", stroke.dashes ? stroke.dashes : "",
                stroke.dashes ? "\"" : "", x, y - 4, SAMPLE);
    fprintf(svg->file, "<text class=\"halo\" x=\"%.2f\" y=\"%.2f\">", x + SAMPLE + 6, y);
    write_text(svg, name);
    fputs("</text>\n", svg->file);
}

void svg_colour_bar(Svg *svg, double x, double y, const uint32_t *palette, int colours,
                    const char *low, const char *high, const char *label)
{
    enum { LONG = 120, HIGH = 10 };
    double left = x + svg_text_width(low) + 6.0;
    svg_text(svg, x, y, SVG_PLAIN, low);
    for (int i = 0; i < colours; i++)
        fprintf(svg->file,
                "<path shape-rendering=\"crispEdges\" fill=\"#%06x\" d=\"M%.2f "
                "%.2fh%.2fv%dH%.2fz\"/>\n",
                (unsigned)palette[i], left + (double)LONG * i / colours, y - HIGH,
                (double)LONG / colours, HIGH, left + (double)LONG * i / colours);
    svg_text(svg, left + LONG + 6.0, y, SVG_PLAIN, high);
    svg_text(svg, left + LONG + svg_text_width(high) + 20.0, y, SVG_PLAIN, label);
}

SvgStroke svg_series(const Svg *svg, int number)
{
    return (SvgStroke){.colour = {svg->colours->series[number % COLOURS_SERIES], 1.0},
                       .width = 2.0,
                       .dashes = number < COLOURS_SERIES ? NULL : "6 4"};
}

// ---- a frame

// A tick's number with a true minus sign, as in the text.
static void tick_text(const Ticks *ticks, double value, char *out, size_t size)
{
    char plain[32];
    ticks_text(ticks, value, plain, sizeof plain);
    bool negative = plain[0] == '-';
    snprintf(out, size, "%s%s", negative ? "−" : "", plain + negative);
}

static void draw_ticks(const Svg *svg)
{
    const SvgBox *box = &svg->box;
    char text[40];
    int parts = (int)fmin(fmax((box->right - box->left) / 60.0, 4.0), 8.0);
    Ticks ticks = ticks_of(svg->x.min, svg->x.max, svg->x.logarithmic, svg->x.whole, parts);
    double slack = 1e-9 * (svg->x.max - svg->x.min);
    for (double t = ticks.first; t <= svg->x.max + slack; t = ticks_next(&ticks, t)) {
        if (t < svg->x.min - slack) continue;
        tick_text(&ticks, t, text, sizeof text);
        fprintf(svg->file,
                "<path class=\"grid\" d=\"M%.2f %.2fV%.2f\"/>\n"
                "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"middle\">%s</text>\n",
                place_x(svg, t), box->top, box->bottom, place_x(svg, t), box->bottom + 18, text);
    }
    parts = (int)fmin(fmax((box->bottom - box->top) / 45.0, 2.0), 8.0);
    ticks = ticks_of(svg->y.min, svg->y.max, svg->y.logarithmic, svg->y.whole, parts);
    slack = 1e-9 * (svg->y.max - svg->y.min);
    for (double t = ticks.first; t <= svg->y.max + slack; t = ticks_next(&ticks, t)) {
        if (t < svg->y.min - slack) continue;
        tick_text(&ticks, t, text, sizeof text);
        fprintf(svg->file,
                "<path class=\"grid\" d=\"M%.2f %.2fH%.2f\"/>\n"
                "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"end\">%s</text>\n",
                box->left, place_y(svg, t), box->right, box->left - 8, place_y(svg, t) + 4, text);
    }
}

static void draw_axes(const Svg *svg)
{
    const SvgBox *box = &svg->box;
    if (!svg->x.logarithmic && svg->x.min < 0.0 && svg->x.max > 0.0)
        fprintf(svg->file, "<path class=\"axis\" d=\"M%.2f %.2fV%.2f\"/>\n", place_x(svg, 0.0),
                box->top, box->bottom);
    if (!svg->y.logarithmic && svg->y.min < 0.0 && svg->y.max > 0.0)
        fprintf(svg->file, "<path class=\"axis\" d=\"M%.2f %.2fH%.2f\"/>\n", box->left,
                place_y(svg, 0.0), box->right);
}

static void draw_labels(Svg *svg, const char *title)
{
    const SvgBox *box = &svg->box;
    if (title) svg_text(svg, box->left, box->top - 8, SVG_BOLD, title);
    fprintf(svg->file, "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"middle\">",
            0.5 * (box->left + box->right), box->bottom + 38);
    write_text(svg, svg->x.label);
    fprintf(svg->file,
            "</text>\n<text transform=\"translate(%.2f %.2f) rotate(-90)\" "
            "text-anchor=\"middle\">",
            box->left - 48, 0.5 * (box->top + box->bottom));
    write_text(svg, svg->y.label);
    fputs("</text>\n", svg->file);
}

void svg_frame_begin(Svg *svg, const char *title)
{
    const SvgBox *box = &svg->box;
    draw_labels(svg, title);
    draw_ticks(svg);
    draw_axes(svg);
    svg->clips++;
    fprintf(svg->file,
            "<clipPath id=\"frame%d\"><rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" "
            "height=\"%.2f\"/></clipPath>\n<g clip-path=\"url(#frame%d)\">\n",
            svg->clips, box->left, box->top, box->right - box->left, box->bottom - box->top,
            svg->clips);
}

void svg_frame_end(Svg *svg)
{
    const SvgBox *box = &svg->box;
    fprintf(svg->file,
            "</g>\n<rect class=\"axis\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>\n",
            box->left, box->top, box->right - box->left, box->bottom - box->top);
}

// ---- in a frame

static void write_points(Svg *svg, const double (*point)[2], int count)
{
    bool begun = false;
    for (int i = 0; i < count; i++) {
        bool finite = isfinite(point[i][0]) && isfinite(point[i][1]);
        if (finite)
            fprintf(svg->file, "%c%.4g %.4g", begun ? 'L' : 'M', place_x(svg, point[i][0]),
                    place_y(svg, point[i][1]));
        begun = finite;
    }
}

void svg_fill_begin(Svg *svg, SvgColour colour)
{
    fprintf(svg->file, "<path fill=\"#%06x\" fill-opacity=\"%.3g\" fill-rule=\"evenodd\" d=\"",
            (unsigned)colour.rgb, colour.opacity);
}

void svg_fill_outline(Svg *svg, const double (*point)[2], int count)
{
    write_points(svg, point, count);
    fputs("Z", svg->file);
}

void svg_fill_end(Svg *svg)
{
    fputs("\"/>\n", svg->file);
}

void svg_area(Svg *svg, SvgColour colour, const double (*point)[2], int count)
{
    svg_fill_begin(svg, colour);
    svg_fill_outline(svg, point, count);
    svg_fill_end(svg);
}

void svg_line(Svg *svg, SvgStroke stroke, const double (*point)[2], int count)
{
    fprintf(svg->file,
            "<path fill=\"none\" stroke=\"#%06x\" stroke-opacity=\"%.3g\" stroke-width=\"%.3g\"",
            (unsigned)stroke.colour.rgb, stroke.colour.opacity, stroke.width);
    if (stroke.dashes) fprintf(svg->file, " stroke-dasharray=\"%s\"", stroke.dashes);
    fputs(" d=\"", svg->file);
    write_points(svg, point, count);
    fputs("\"/>\n", svg->file);
}

void svg_dot(Svg *svg, SvgColour colour, double x, double y, double radius, bool filled)
{
    if (!isfinite(x) || !isfinite(y)) return;
    fprintf(svg->file, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.3g\" %s=\"#%06x\"%s/>\n",
            place_x(svg, x), place_y(svg, y), radius, filled ? "fill" : "stroke",
            (unsigned)colour.rgb, filled ? "" : " fill=\"none\" stroke-width=\"1.5\"");
}

void svg_bar(Svg *svg, SvgStroke stroke, double x, double low, double high, double shift)
{
    const double CAP = 3.5; // pixels to each side
    if (!isfinite(x) || !isfinite(low) || !isfinite(high)) return;
    double at = place_x(svg, x) + shift, top = place_y(svg, high), bottom = place_y(svg, low);
    fprintf(svg->file,
            "<path fill=\"none\" stroke=\"#%06x\" stroke-opacity=\"%.3g\" stroke-width=\"%.3g\" "
            "d=\"M%.2f %.2fh%.2fm%.2f 0V%.2fm%.2f 0h%.2f\"/>\n",
            (unsigned)stroke.colour.rgb, stroke.colour.opacity, stroke.width, at - CAP, top,
            2.0 * CAP, -CAP, bottom, -CAP, 2.0 * CAP);
}

void svg_text_at(Svg *svg, double x, double y, const char *text)
{
    if (!isfinite(x) || !isfinite(y)) return;
    fprintf(svg->file, "<text class=\"halo\" x=\"%.2f\" y=\"%.2f\">", place_x(svg, x) + 8.0,
            place_y(svg, y) + 4.0);
    write_text(svg, text);
    fputs("</text>\n", svg->file);
}

void svg_box(Svg *svg, SvgColour colour, double x0, double y0, double x1, double y1)
{
    double left = place_x(svg, x0), top = place_y(svg, y1);
    fprintf(svg->file,
            "<rect shape-rendering=\"crispEdges\" fill=\"#%06x\" fill-opacity=\"%.3g\" "
            "x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>\n",
            (unsigned)colour.rgb, colour.opacity, left, top, place_x(svg, x1) - left,
            place_y(svg, y0) - top);
}

// Where a part of the frame is on the page; `over` has its left, top, right and bottom values.
static SvgBox place_box(const Svg *svg, SvgBox over)
{
    return (SvgBox){place_x(svg, over.left), place_y(svg, over.top), place_x(svg, over.right),
                    place_y(svg, over.bottom)};
}

void svg_cells(Svg *svg, SvgBox over, int columns, int rows, const SvgColour *cells)
{
    SvgBox at = place_box(svg, over);
    double width = (at.right - at.left) / columns, height = (at.bottom - at.top) / rows;
    for (int row = 0; row < rows; row++) {
        const SvgColour *line = cells + (size_t)row * (size_t)columns;
        for (int first = 0; first < columns;) {
            int end = first + 1;
            while (end < columns && line[end].rgb == line[first].rgb &&
                   line[end].opacity == line[first].opacity)
                end++;
            fprintf(svg->file,
                    "<path shape-rendering=\"crispEdges\" fill=\"#%06x\" fill-opacity=\"%.3g\" "
                    "d=\"M%.2f %.2fh%.2fv%.2fh%.2fz\"/>\n",
                    (unsigned)line[first].rgb, line[first].opacity, at.left + width * first,
                    at.bottom - height * (row + 1), width * (end - first), height,
                    -width * (end - first));
            first = end;
        }
    }
}

void svg_picture(Svg *svg, SvgBox over, int columns, int rows, const uint8_t *cells,
                 const uint32_t *palette, int colours)
{
    SvgBox at = place_box(svg, over);
    fprintf(svg->file,
            "<image x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
            "preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" "
            "href=\"data:image/png;base64,",
            at.left, at.top, at.right - at.left, at.bottom - at.top);
    indexed_png_write_base64(svg->file, columns, rows, cells, palette, colours);
    fputs("\"/>\n", svg->file);
}
