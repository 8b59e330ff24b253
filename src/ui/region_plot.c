#include "ui/region_plot.h"

#include "ui/plot.h"
#include "ui/quantity.h"

#include <math.h>

static bool is_stable(const RegionCache *cache, double X, double Y)
{
    Jury jury = amplification_at(&cache->scheme, X, Y, cache->symbol).jury;
    return jury == JURY_STABLE || jury == JURY_MARGINAL;
}

// The end of the picture along an axis on which the region is unbounded: beyond the stiffest mode,
// in powers of two, so that it seldom changes.
static double beyond(double least, double tip)
{
    while (least < 1.1 * tip) least *= 2.0;
    return least;
}

// Damped stiff modes have X, Y > 0. There the picture shows the region with a small margin.
static void find_box(RegionCache *cache, double tip_x, double tip_y)
{
    enum { LOOKS = 70 };
    const double far = 14.0; // a region that extends this far is unbounded
    double x_end = 0.0, y_end = 0.0;
    for (int i = 0; i <= LOOKS; i++) {
        for (int j = 1; j <= LOOKS; j++) {
            double X = far * i / LOOKS, Y = far * j / LOOKS;
            if (!is_stable(cache, X, Y)) continue;
            x_end = fmax(x_end, X);
            y_end = fmax(y_end, Y);
        }
    }
    cache->endless_x = x_end >= far;
    cache->endless_y = y_end >= far;
    cache->box = (RegionBox){.x1 = cache->endless_x ? beyond(4.0, tip_x) : fmax(1.12 * x_end, 1.0),
                             .y1 = cache->endless_y ? beyond(6.0, tip_y) : fmax(1.15 * y_end, 1.0)};
}

// Whether the picture still ends at the right place.
static bool box_fits(const RegionCache *cache, double tip_x, double tip_y)
{
    return (!cache->endless_x || cache->box.x1 == beyond(4.0, tip_x)) &&
           (!cache->endless_y || cache->box.y1 == beyond(6.0, tip_y));
}

static bool same_scheme(const Scheme *a, const Scheme *b)
{
    // the coupling follows k0, which changes all the time, but only a little
    return a->integrator == b->integrator && a->filter == b->filter &&
           fabs(a->coupling - b->coupling) <= 0.05 * b->coupling &&
           fabs(a->air_share - b->air_share) <= 0.02 && a->options.tangent == b->options.tangent &&
           a->options.harmonic == b->options.harmonic && a->options.sequence == b->options.sequence;
}

// Edges of the cells: column 0 is the left end of the box, REGION_COLUMNS its right end.
static double cell_x(const RegionCache *cache, double column)
{
    return cache->box.x0 + (cache->box.x1 - cache->box.x0) * column / REGION_COLUMNS;
}

static double cell_y(const RegionCache *cache, double row)
{
    return cache->box.y0 + (cache->box.y1 - cache->box.y0) * row / REGION_ROWS;
}

static void refresh(RegionCache *cache, const ModeDots *dots, double tip_x, double tip_y)
{
    double symbol = dots->modes.symbol[dots->stiffest];
    if (same_scheme(&cache->scheme, &dots->scheme) && fabs(cache->symbol - symbol) < 1e-3 &&
        box_fits(cache, tip_x, tip_y)) {
        return;
    }
    cache->scheme = dots->scheme;
    cache->symbol = symbol;
    find_box(cache, tip_x, tip_y);
    region_boundary_finish(&cache->boundary);
    cache->boundary = (RegionBoundary){0};
    // without memory for the outline, the shaded cells still show the region
    region_boundary(&cache->scheme, cache->box, symbol, false, &cache->boundary, NULL);
    for (int row = 0; row < REGION_ROWS; row++) {
        for (int column = 0; column < REGION_COLUMNS; column++) {
            cache->stable[row][column] =
                is_stable(cache, cell_x(cache, column + 0.5), cell_y(cache, row + 0.5));
        }
    }
}

// The stable cells, one rectangle per run in a row, and the exact outline.
static void draw_region(Plot *plot, const RegionCache *cache)
{
    ImU32 fill = theme_fade(plot->ui->palette.green, 0.20f), edge = plot->ui->palette.green;
    for (int row = 0; row < REGION_ROWS; row++) {
        const bool *stable = cache->stable[row];
        for (int first = 0; first < REGION_COLUMNS; first++) {
            if (!stable[first]) continue;
            int last = first;
            while (last + 1 < REGION_COLUMNS && stable[last + 1]) last++;
            plot_box(plot, fill, cell_x(cache, first), cell_y(cache, row), cell_x(cache, last + 1),
                     cell_y(cache, row + 1));
            first = last;
        }
    }
    const RegionBoundary *boundary = &cache->boundary;
    for (int line = 0; line < boundary->line_count; line++) {
        for (int i = boundary->first[line]; i + 1 < boundary->first[line + 1]; i++) {
            const double *a = boundary->point[i], *b = boundary->point[i + 1];
            // along Y = 0 everything is marginal: rigid motion, not an edge
            if (fmax(a[1], b[1]) < 0.01 * cache->box.y1) continue;
            plot_segment(plot, edge, a[0], a[1], b[0], b[1], 0.1f);
        }
    }
}

static Amplification mode_step(const ModeDots *dots, int i)
{
    return amplification_of_pair(&dots->scheme, dots->h, dots->modes.k[i], dots->modes.c[i],
                                 dots->air, dots->alpha, dots->modes.symbol[i]);
}

// A mode with negative stiffness buckles: its growth is physics, not the method's fault.
static bool grows(const ModeDots *dots, int i, const Amplification *step)
{
    return dots->modes.k[i] > 0.0 && step->jury > JURY_MARGINAL;
}

static void hover_mode(Plot *plot, const ModeDots *dots, int i, const Amplification *step)
{
    double k = dots->modes.k[i];
    QuantityText text = quantity_text(k, "s⁻²");
    plot_hover_text(plot, "%sk %s %s%s\nX %.3f  Y %.3f\n|λ| %.5f: %s",
                    plot->hover_used ? "\n\n" : "", text.value, text.unit,
                    k < 0.0 ? " (buckles)" : "",
                    dots->h * (dots->air + dots->alpha * fmax(dots->modes.c[i], 0.0)),
                    dots->h * dots->h * k, step->rho, jury_name(step->jury));
}

void region_plot_draw(Ui *ui, RegionCache *cache, const ModeDots *dots, float height)
{
    if (dots->modes.count == 0 || !dots->scheme.integrator->amplification) return;
    const Palette *p = &ui->palette;
    double h = dots->h, k0 = dots->modes.k[dots->stiffest];
    double tip_x = h * (dots->air + dots->alpha * dots->modes.c[dots->stiffest]);
    double tip_y = h * h * k0;
    refresh(cache, dots, tip_x, tip_y);
    // the picture grows with a step far beyond the limit, up to a maximum
    const RegionBox *box = &cache->box;
    double x_end = cache->endless_x ? box->x1 : fmin(fmax(box->x1, 1.1 * tip_x), 4.0 * box->x1);
    double y_end = cache->endless_y ? box->y1 : fmin(fmax(box->y1, 1.1 * tip_y), 4.0 * box->y1);
    PlotAxis x = {.min = box->x0, .max = x_end, .label = "X = h d"};
    PlotAxis y = {.min = box->y0, .max = y_end, .label = "Y = h² k"};
    Plot plot;
    if (!plot_begin(&plot, ui, "region", height, x, y)) return;
    draw_region(&plot, cache);
    plot_segment(&plot, theme_fade(p->text, 0.5f), h * dots->air, 0.0, tip_x, tip_y, 0.06f);
    for (int i = dots->modes.count - 1; i >= 0; i--) { // the stiffest last, on top
        Amplification step = mode_step(dots, i);
        double k = dots->modes.k[i], Y = h * h * k;
        double X = h * (dots->air + dots->alpha * fmax(dots->modes.c[i], 0.0));
        bool labelled = i == (dots->deciding >= 0 ? dots->deciding : dots->stiffest);
        ImU32 colour = grows(dots, i, &step) ? p->red : labelled ? p->amber : p->accent;
        plot_point(&plot, colour, X, Y, labelled ? 0.3f : 0.14f);
        const char *label = dots->deciding >= 0 ? "this mode decides" : "stiffest mode";
        if (labelled) plot_text(&plot, p->text, X, fmax(Y, 0.05 * y.max), label); // above the axis
        if (plot_near(&plot, X, Y, 0.4f)) hover_mode(&plot, dots, i, &step);
    }
    plot_end(&plot);
}

// An eigenvalue of the real step that has (nearly) converged.
static bool is_known(const RitzValue *value)
{
    return value->residual <= 0.02;
}

static void draw_measured(Plot *plot, const Analysis *a)
{
    const Palette *p = &plot->ui->palette;
    for (int i = 0; a->measured && i < a->map.count; i++) {
        const RitzValue *value = &a->map.values[i];
        double size = hypot(value->re, value->im);
        if (!is_known(value)) continue;
        bool above = size - value->residual > 1.0;
        bool buckles = above && value->buckling;
        ImU32 colour = above && !buckles && a->verdict == VERDICT_UNSTABLE ? p->red : p->text;
        for (int side = -1; side <= (value->im != 0.0 ? 1 : -1); side += 2) {
            double im = side * value->im;
            plot_ring(plot, colour, value->re, im, 0.32f);
            if (plot_near(plot, value->re, im, 0.35f))
                plot_hover_text(plot, "%sof the real step\n|λ| %.5f, residual %.1g%s",
                                plot->hover_used ? "\n\n" : "", size, value->residual,
                                buckles ? ": buckles" : "");
        }
    }
}

void eigenvalue_plot_draw(Ui *ui, const ModeDots *dots, const Analysis *a, float height)
{
    if (dots->modes.count == 0 || !dots->scheme.integrator->amplification) return;
    enum { SEGMENTS = 96 };
    const Palette *p = &ui->palette;
    ImVec2 room;
    igGetContentRegionAvail(&room);
    // equal scales, so that a circle looks like a circle
    double aspect = (double)plot_aspect(ui, room.x, height), half = 1.3;
    for (int i = 0; a->measured && i < a->map.count; i++) {
        double size = hypot(a->map.values[i].re, a->map.values[i].im);
        if (is_known(&a->map.values[i])) half = fmin(fmax(half, 1.15 * size), 4.0);
    }
    PlotAxis x = {.min = -half * aspect, .max = half * aspect, .label = "Re"};
    PlotAxis y = {.min = -half, .max = half, .label = "Im"};
    Plot plot;
    if (!plot_begin(&plot, ui, "eigenvalues", height, x, y)) return;
    for (int i = 0; i < SEGMENTS; i++) {
        double from = 2.0 * acos(-1.0) * i / SEGMENTS, to = 2.0 * acos(-1.0) * (i + 1) / SEGMENTS;
        plot_segment(&plot, p->green, cos(from), sin(from), cos(to), sin(to), 0.07f);
    }
    for (int i = 0; i < dots->modes.count; i++) {
        Amplification step = mode_step(dots, i);
        ImU32 colour = grows(dots, i, &step) ? p->red : p->accent;
        for (int e = 0; e < 2; e++) {
            plot_point(&plot, colour, step.re[e], step.im[e], 0.14f);
            if (plot_near(&plot, step.re[e], step.im[e], 0.35f)) hover_mode(&plot, dots, i, &step);
        }
    }
    draw_measured(&plot, a);
    plot_end(&plot);
}
