#include "base/svg.h"

#include <math.h>

// Text in the frame has a white edge, to be read over anything.
#define HALO " stroke=\"#fff\" stroke-width=\"3\" paint-order=\"stroke\""

enum { LEFT = 64, RIGHT = 24, TOP = 48, BOTTOM = 56 };

static int width_of(const Svg *svg)
{
    return svg->width > 0 ? svg->width : 640;
}

static int height_of(const Svg *svg)
{
    return svg->height > 0 ? svg->height : 520;
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

static double place_x(const Svg *svg, double x)
{
    return LEFT + (width_of(svg) - LEFT - RIGHT) * (x - svg->x0) / (svg->x1 - svg->x0);
}

static double place_y(const Svg *svg, double y)
{
    return height_of(svg) - BOTTOM -
           (height_of(svg) - TOP - BOTTOM) * (y - svg->y0) / (svg->y1 - svg->y0);
}

// 1, 2 or 5 times a power of ten, for about six ticks
static double tick_spacing(double range)
{
    double rough = range / 6.0, unit = pow(10.0, floor(log10(rough)));
    double mantissa = rough / unit;
    return unit * (mantissa > 5.0 ? 10.0 : mantissa > 2.0 ? 5.0 : mantissa > 1.0 ? 2.0 : 1.0);
}

static void draw_ticks(const Svg *svg)
{
    double step = tick_spacing(svg->x1 - svg->x0), slack = 1e-9 * (svg->x1 - svg->x0);
    if (svg->powers_x) step = fmax(1.0, step);
    for (double t = ceil((svg->x0 - slack) / step); t * step <= svg->x1 + slack; t++) {
        double x = place_x(svg, t * step), value = t * step + 0.0;
        fprintf(svg->file, "<path class=\"grid\" d=\"M%.2f %dV%d\"/>\n", x, TOP,
                height_of(svg) - BOTTOM);
        fprintf(svg->file, "<text x=\"%.2f\" y=\"%d\" text-anchor=\"middle\">%g</text>\n", x,
                height_of(svg) - BOTTOM + 18, svg->powers_x ? pow(10.0, value) : value);
    }
    step =
        svg->powers ? fmax(1.0, tick_spacing(svg->y1 - svg->y0)) : tick_spacing(svg->y1 - svg->y0);
    slack = 1e-9 * (svg->y1 - svg->y0);
    for (double t = ceil((svg->y0 - slack) / step); t * step <= svg->y1 + slack; t++) {
        double y = place_y(svg, t * step), value = t * step + 0.0;
        fprintf(svg->file, "<path class=\"grid\" d=\"M%d %.2fH%d\"/>\n", LEFT, y,
                width_of(svg) - RIGHT);
        fprintf(svg->file, "<text x=\"%d\" y=\"%.2f\" text-anchor=\"end\">%g</text>\n", LEFT - 8,
                y + 4.0, svg->powers ? pow(10.0, value) : value);
    }
}

static void draw_axes(const Svg *svg)
{
    if (svg->x0 < 0.0 && svg->x1 > 0.0) {
        fprintf(svg->file, "<path class=\"axis\" d=\"M%.2f %dV%d\"/>\n", place_x(svg, 0.0), TOP,
                height_of(svg) - BOTTOM);
    }
    if (svg->y0 < 0.0 && svg->y1 > 0.0) {
        fprintf(svg->file, "<path class=\"axis\" d=\"M%d %.2fH%d\"/>\n", LEFT, place_y(svg, 0.0),
                width_of(svg) - RIGHT);
    }
}

void svg_begin(Svg *svg, const char *title, const char *x_label, const char *y_label)
{
    fprintf(svg->file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
            "height=\"%d\">\n"
            "<style>text{font:13px sans-serif;fill:#222}.title{font-size:16px}"
            ".grid{stroke:#ddd;fill:none}.axis{stroke:#888;fill:none}"
            ".area{fill:#1a5fa8;fill-opacity:.18;fill-rule:evenodd}"
            ".line{stroke:#1a5fa8;stroke-width:2;fill:none;stroke-linejoin:round}</style>\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n"
            "<text class=\"title\" x=\"%d\" y=\"30\">",
            width_of(svg), height_of(svg), width_of(svg), height_of(svg), width_of(svg),
            height_of(svg), LEFT);
    write_text(svg, title);
    fprintf(svg->file, "</text>\n<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">",
            (LEFT + width_of(svg) - RIGHT) / 2, height_of(svg) - 14);
    write_text(svg, x_label);
    fprintf(svg->file,
            "</text>\n<text transform=\"translate(18 %d) rotate(-90)\" text-anchor=\"middle\">",
            (TOP + height_of(svg) - BOTTOM) / 2);
    write_text(svg, y_label);
    fputs("</text>\n", svg->file);
    draw_ticks(svg);
    draw_axes(svg);
}

void svg_end(Svg *svg)
{
    fprintf(svg->file,
            "<rect class=\"axis\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n</svg>\n", LEFT,
            TOP, width_of(svg) - LEFT - RIGHT, height_of(svg) - TOP - BOTTOM);
}

static void write_points(Svg *svg, const double (*point)[2], int count)
{
    bool begun = false;
    for (int i = 0; i < count; i++) {
        bool finite = isfinite(point[i][0]) && isfinite(point[i][1]);
        if (finite) {
            fprintf(svg->file, "%c%.2f %.2f", begun ? 'L' : 'M', place_x(svg, point[i][0]),
                    place_y(svg, point[i][1]));
        }
        begun = finite;
    }
}

void svg_fill_begin(Svg *svg)
{
    fputs("<path class=\"area\" d=\"", svg->file);
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

void svg_line(Svg *svg, const double (*point)[2], int count)
{
    fputs("<path class=\"line\" d=\"", svg->file);
    write_points(svg, point, count);
    fputs("\"/>\n", svg->file);
}

// Told apart by the colour-blind too (Okabe and Ito), and by dashes from the eighth on.
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#e69f00", "#56b4e9", "#222222"};
enum { COLOURS = sizeof colours / sizeof colours[0] };

void svg_named_line(Svg *svg, int number, const char *name, const double (*point)[2], int count)
{
    enum { LINE_HEIGHT = 17, SAMPLE = 22 };
    const char *colour = colours[number % COLOURS];
    const char *dashes = number < COLOURS ? "" : ";stroke-dasharray:6 4";
    int y = TOP + LINE_HEIGHT * (number + 1);
    fprintf(svg->file, "<path class=\"line\" style=\"stroke:%s%s\" d=\"", colour, dashes);
    write_points(svg, point, count);
    fprintf(svg->file,
            "\"/>\n<path class=\"line\" style=\"stroke:%s%s\" d=\"M%d %dh%d\"/>\n"
            "<text x=\"%d\" y=\"%d\">",
            colour, dashes, LEFT + 10, y - 4, SAMPLE, LEFT + 16 + SAMPLE, y);
    write_text(svg, name);
    fputs("</text>\n", svg->file);
}

void svg_clip_begin(Svg *svg)
{
    fprintf(svg->file,
            "<clipPath id=\"frame\"><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>"
            "</clipPath>\n<g clip-path=\"url(#frame)\">\n",
            LEFT, TOP, width_of(svg) - LEFT - RIGHT, height_of(svg) - TOP - BOTTOM);
}

void svg_clip_end(Svg *svg)
{
    fputs("</g>\n", svg->file);
}

void svg_path(Svg *svg, SvgColour colour, double width, const double (*point)[2], int count)
{
    fprintf(svg->file,
            "<path fill=\"none\" stroke=\"#%06x\" stroke-opacity=\"%.3g\" stroke-width=\"%.3g\" "
            "stroke-linejoin=\"round\" d=\"",
            (unsigned)colour.rgb, colour.opacity, width);
    write_points(svg, point, count);
    fputs("\"/>\n", svg->file);
}

void svg_area(Svg *svg, SvgColour colour, const double (*point)[2], int count)
{
    fprintf(svg->file, "<path fill=\"#%06x\" fill-opacity=\"%.3g\" d=\"", (unsigned)colour.rgb,
            colour.opacity);
    write_points(svg, point, count);
    fputs("Z\"/>\n", svg->file);
}

void svg_dot(Svg *svg, SvgColour colour, double x, double y, double radius, bool filled)
{
    if (!isfinite(x) || !isfinite(y)) return;
    fprintf(svg->file, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\" %s=\"#%06x\" %s/>\n",
            place_x(svg, x), place_y(svg, y), radius, filled ? "fill" : "stroke",
            (unsigned)colour.rgb, filled ? "" : "fill=\"none\" stroke-width=\"1.5\"");
}

void svg_text_at(Svg *svg, double x, double y, const char *text)
{
    if (!isfinite(x) || !isfinite(y)) return;
    fprintf(svg->file, "<text x=\"%.2f\" y=\"%.2f\"" HALO ">", place_x(svg, x) + 8.0,
            place_y(svg, y) + 4.0);
    write_text(svg, text);
    fputs("</text>\n", svg->file);
}

void svg_cells_begin(Svg *svg, SvgColour colour)
{
    fprintf(svg->file,
            "<path shape-rendering=\"crispEdges\" fill=\"#%06x\" fill-opacity=\"%.3g\" d=\"",
            (unsigned)colour.rgb, colour.opacity);
}

void svg_cell(Svg *svg, double x0, double y0, double x1, double y1)
{
    double left = place_x(svg, x0), top = place_y(svg, y1);
    fprintf(svg->file, "M%.2f %.2fh%.2fv%.2fh%.2fz", left, top, place_x(svg, x1) - left,
            place_y(svg, y0) - top, left - place_x(svg, x1));
}

void svg_cells_end(Svg *svg)
{
    fputs("\"/>\n", svg->file);
}

void svg_legend(Svg *svg, int number, SvgColour colour, const char *name)
{
    enum { LINE_HEIGHT = 17, SAMPLE = 22 };
    int y = TOP + LINE_HEIGHT * (number + 1);
    fprintf(svg->file,
            "<path stroke=\"#%06x\" stroke-opacity=\"%.3g\" stroke-width=\"3\" d=\"M%d %dh%d\"/>\n"
            "<text x=\"%d\" y=\"%d\"" HALO ">",
            (unsigned)colour.rgb, colour.opacity, LEFT + 10, y - 4, SAMPLE, LEFT + 16 + SAMPLE, y);
    write_text(svg, name);
    fputs("</text>\n", svg->file);
}
