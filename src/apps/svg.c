#include "apps/svg.h"

#include <math.h>

enum { WIDTH = 640, HEIGHT = 520, LEFT = 64, RIGHT = 24, TOP = 48, BOTTOM = 56 };

static double place_x(const Svg *svg, double x)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * (x - svg->x0) / (svg->x1 - svg->x0);
}

static double place_y(const Svg *svg, double y)
{
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (y - svg->y0) / (svg->y1 - svg->y0);
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
    double step = tick_spacing(svg->x1 - svg->x0);
    for (double t = ceil(svg->x0 / step); t * step <= svg->x1 + 1e-9; t++) {
        double x = place_x(svg, t * step);
        fprintf(svg->file, "<path class=\"grid\" d=\"M%.2f %dV%d\"/>\n", x, TOP, HEIGHT - BOTTOM);
        fprintf(svg->file, "<text x=\"%.2f\" y=\"%d\" text-anchor=\"middle\">%g</text>\n", x,
                HEIGHT - BOTTOM + 18, t * step + 0.0);
    }
    step =
        svg->powers ? fmax(1.0, tick_spacing(svg->y1 - svg->y0)) : tick_spacing(svg->y1 - svg->y0);
    for (double t = ceil(svg->y0 / step); t * step <= svg->y1 + 1e-9; t++) {
        double y = place_y(svg, t * step), value = t * step + 0.0;
        fprintf(svg->file, "<path class=\"grid\" d=\"M%d %.2fH%d\"/>\n", LEFT, y, WIDTH - RIGHT);
        fprintf(svg->file, "<text x=\"%d\" y=\"%.2f\" text-anchor=\"end\">%g</text>\n", LEFT - 8,
                y + 4.0, svg->powers ? pow(10.0, value) : value);
    }
}

static void draw_axes(const Svg *svg)
{
    if (svg->x0 < 0.0 && svg->x1 > 0.0) {
        fprintf(svg->file, "<path class=\"axis\" d=\"M%.2f %dV%d\"/>\n", place_x(svg, 0.0), TOP,
                HEIGHT - BOTTOM);
    }
    if (svg->y0 < 0.0 && svg->y1 > 0.0) {
        fprintf(svg->file, "<path class=\"axis\" d=\"M%d %.2fH%d\"/>\n", LEFT, place_y(svg, 0.0),
                WIDTH - RIGHT);
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
            "<text class=\"title\" x=\"%d\" y=\"30\">%s</text>\n"
            "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n"
            "<text transform=\"translate(18 %d) rotate(-90)\" text-anchor=\"middle\">%s</text>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT, WIDTH, HEIGHT, LEFT, title, (LEFT + WIDTH - RIGHT) / 2,
            HEIGHT - 14, x_label, (TOP + HEIGHT - BOTTOM) / 2, y_label);
    draw_ticks(svg);
    draw_axes(svg);
}

void svg_end(Svg *svg)
{
    fprintf(svg->file,
            "<rect class=\"axis\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n</svg>\n", LEFT,
            TOP, WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
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

// Text of a person, in XML.
static void write_text(Svg *svg, const char *text)
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
