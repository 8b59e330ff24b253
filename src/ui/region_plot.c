#include "ui/region_plot.h"

#include "ui/plot.h"
#include "ui/quantity.h"

#include <math.h>

static bool is_stable(const RegionCache *cache, double X, double Y)
{
    Jury jury = region_at(&cache->scheme, X, Y, 0.0, cache->symbol).jury;
    return jury == JURY_STABLE || jury == JURY_MARGINAL;
}

// Damped stiff modes live in X, Y > 0. There the picture shows the region and a little more.
static void find_box(RegionCache *cache)
{
    enum { LOOKS = 70 };
    const double far = 14.0; // a region that reaches this far goes on for ever
    double x_end = 0.0, y_end = 0.0;
    for (int i = 0; i <= LOOKS; i++) {
        for (int j = 1; j <= LOOKS; j++) {
            double X = far * i / LOOKS, Y = far * j / LOOKS;
            if (!is_stable(cache, X, Y)) continue;
            x_end = fmax(x_end, X);
            y_end = fmax(y_end, Y);
        }
    }
    cache->box = (RegionBox){.x1 = x_end >= far ? 4.0 : fmax(1.12 * x_end, 1.0),
                             .y1 = y_end >= far ? 6.0 : fmax(1.15 * y_end, 1.0)};
}

static bool same_scheme(const Scheme *a, const Scheme *b)
{
    // the coupling follows k0, which changes all the time, but never by much
    return a->integrator == b->integrator && a->filter == b->filter &&
           fabs(a->coupling - b->coupling) <= 0.05 * b->coupling &&
           a->options.tangent == b->options.tangent && a->options.harmonic == b->options.harmonic &&
           a->options.sequence == b->options.sequence;
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

static void refresh(RegionCache *cache, const ModeDots *dots)
{
    double symbol = dots->modes.symbol[dots->stiffest];
    if (same_scheme(&cache->scheme, &dots->scheme) && fabs(cache->symbol - symbol) < 1e-3) return;
    cache->scheme = dots->scheme;
    cache->symbol = symbol;
    find_box(cache);
    region_boundary_finish(&cache->boundary);
    cache->boundary = (RegionBoundary){0};
    // without memory for the outline the shaded cells still show it
    region_boundary(&cache->scheme, cache->box, symbol, false, &cache->boundary, NULL);
    for (int row = 0; row < REGION_ROWS; row++) {
        for (int column = 0; column < REGION_COLUMNS; column++) {
            cache->stable[row][column] =
                is_stable(cache, cell_x(cache, column + 0.5), cell_y(cache, row + 0.5));
        }
    }
}

// The stable cells, a run of a row at a time, and the exact outline.
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
    return region_mode(&dots->scheme, dots->h, dots->modes.k[i], dots->air, dots->alpha,
                       dots->modes.symbol[i]);
}

// A mode with negative stiffness buckles: its growth is physics, not the method's.
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
                    k < 0.0 ? " (buckles)" : "", dots->h * (dots->air + dots->alpha * fmax(k, 0.0)),
                    dots->h * dots->h * k, step->rho, jury_name(step->jury));
}

void region_plot_draw(Ui *ui, RegionCache *cache, const ModeDots *dots, float height)
{
    if (dots->modes.count == 0 || !dots->scheme.integrator->amplification) return;
    const Palette *p = &ui->palette;
    refresh(cache, dots);
    double h = dots->h, k0 = dots->modes.k[dots->stiffest];
    double tip_x = h * (dots->air + dots->alpha * k0), tip_y = h * h * k0;
    // the picture grows with a step far beyond the limit, but not without end
    const RegionBox *box = &cache->box;
    PlotAxis x = {
        .min = box->x0, .max = fmin(fmax(box->x1, 1.1 * tip_x), 4.0 * box->x1), .label = "X = h d"};
    PlotAxis y = {.min = box->y0,
                  .max = fmin(fmax(box->y1, 1.1 * tip_y), 4.0 * box->y1),
                  .label = "Y = h² k"};
    Plot plot;
    if (!plot_begin(&plot, ui, "region", height, x, y)) return;
    draw_region(&plot, cache);
    plot_segment(&plot, theme_fade(p->text, 0.5f), h * dots->air, 0.0, tip_x, tip_y, 0.06f);
    for (int i = dots->modes.count - 1; i >= 0; i--) { // the stiffest last, on top
        Amplification step = mode_step(dots, i);
        double k = dots->modes.k[i], Y = h * h * k;
        double X = h * (dots->air + dots->alpha * fmax(k, 0.0));
        bool stiffest = i == dots->stiffest;
        ImU32 colour = grows(dots, i, &step) ? p->red : stiffest ? p->amber : p->accent;
        plot_point(&plot, colour, X, Y, stiffest ? 0.3f : 0.14f);
        if (plot_near(&plot, X, Y, 0.4f)) hover_mode(&plot, dots, i, &step);
    }
    plot_text(&plot, p->text, tip_x, tip_y, "stiffest mode");
    plot_end(&plot);
}

void eigenvalue_plot_draw(Ui *ui, const ModeDots *dots, float height)
{
    if (dots->modes.count == 0 || !dots->scheme.integrator->amplification) return;
    enum { SEGMENTS = 96 };
    const Palette *p = &ui->palette;
    ImVec2 room;
    igGetContentRegionAvail(&room);
    // equal scales: a circle must look like one
    double aspect = (double)plot_aspect(ui, room.x, height), half = 1.3;
    PlotAxis x = {.min = -half * aspect, .max = half * aspect, .label = "Re"};
    PlotAxis y = {.min = -half, .max = half, .label = "Im"};
    Plot plot;
    if (!plot_begin(&plot, ui, "eigenvalues", height, x, y)) return;
    for (int i = 0; i < SEGMENTS; i++) {
        double a = 2.0 * acos(-1.0) * i / SEGMENTS, b = 2.0 * acos(-1.0) * (i + 1) / SEGMENTS;
        plot_segment(&plot, p->green, cos(a), sin(a), cos(b), sin(b), 0.07f);
    }
    for (int i = 0; i < dots->modes.count; i++) {
        Amplification step = mode_step(dots, i);
        ImU32 colour = grows(dots, i, &step) ? p->red : p->accent;
        for (int e = 0; e < 2; e++) {
            plot_point(&plot, colour, step.re[e], step.im[e], 0.14f);
            if (plot_near(&plot, step.re[e], step.im[e], 0.35f)) hover_mode(&plot, dots, i, &step);
        }
    }
    plot_end(&plot);
}
