#include "ui/region_plot.h"

#include "ui/plot.h"
#include "ui/quantity.h"
#include "ui/widgets.h"

#include "stability/region.h"

#include <math.h>

// The modes to show, and the step that is applied to them.
typedef struct ModeDots {
    Scheme scheme;
    double h, air, alpha; // s, 1/s, s
    ModeSet modes;
    double wind[SPECTRUM_MODES]; // 1/s, what the wind damps of the first of them; the rest has none
    int stiffest;                // index of the stiffest
    int deciding; // index of the one that fails first, where that is another; else -1. It has the
                  // label, or the stiffest has it.
} ModeDots;

// The lab's modes, and points spread over the rest as the density of states has them.
static void fill_dots(const Ui *ui, const Analysis *a, ModeDots *dots)
{
    const Params *params = &ui->now->scene.params;
    *dots = (ModeDots){.scheme = a->scheme,
                       .h = ui->now->readings.step,
                       .air = params->air,
                       .alpha = ui->now->readings.alpha};
    ModeSet *modes = &dots->modes;
    for (int i = 0; i < a->mode_count; i++) {
        modes->k[modes->count] = a->modes[i].k;
        modes->c[modes->count] = a->modes[i].c;
        dots->wind[modes->count] = a->modes[i].wind;
        modes->symbol[modes->count++] = a->modes[i].symbol;
    }
    bool windy = a->stiffness.wind > 0.0;
    const SpectrumDensity *density = &ui->lab->density;
    if (modes->count > 0) { // the region is drawn for the stiffest mode's share of air drag
        double stiff = dots->alpha * modes->c[0], all = dots->air + stiff;
        dots->scheme.air_share = all > 0.0 ? dots->air / all : 0.0;
    }
    dots->deciding = -1;
    if (a->stiffness.corner_count > 0 && a->stiffness.deciding_k > 0.0) {
        dots->deciding = modes->count;
        modes->k[modes->count] = a->stiffness.deciding_k;
        modes->c[modes->count] = a->stiffness.deciding_c;
        modes->symbol[modes->count++] = 1.0;
    }
    // what a filter, wind or damping with modes of its own does to those in between is not known
    if (a->scheme.filter != SCHEME_UNFILTERED || a->stiffness.corner_count > 0 || windy ||
        !(density->low > 0.0)) {
        return;
    }
    double ratio = density->high / density->low;
    for (int b = 0; b < SPECTRUM_BINS && modes->count < 120; b++) {
        if (!(density->positive[b] > 1e-4)) continue;
        int points = density->positive[b] > 0.02 ? 4 : density->positive[b] > 0.005 ? 2 : 1;
        for (int i = 0; i < points; i++) {
            double k = density->low * pow(ratio, (b + (i + 0.5) / points) / SPECTRUM_BINS);
            if (k >= a->k0) continue;
            modes->k[modes->count] = modes->c[modes->count] = k;
            modes->symbol[modes->count++] = 1.0;
        }
    }
}

const char *region_plot_why_not(const Ui *ui)
{
    const Analysis *a = ui_analysis(ui);
    if (!a || a->mode_count == 0) return "The modes of this cloth are being measured.";
    if (!a->scheme.integrator->amplification)
        return "No 2 × 2 matrix describes a step of this method.";
    return NULL;
}

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

// Where stability ends between a stable and an unstable X.
static double edge_between(const RegionCache *cache, double stable, double unstable, double Y)
{
    enum { BISECTIONS = 12 };
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = 0.5 * (stable + unstable);
        if (is_stable(cache, middle, Y))
            stable = middle;
        else
            unstable = middle;
    }
    return stable;
}

static void find_runs(RegionCache *cache, int row)
{
    RegionRow *runs = &cache->rows[row];
    double Y = cell_y(cache, row + 0.5);
    bool before = false;
    runs->count = 0;
    for (int column = 0; column <= REGION_COLUMNS; column++) {
        double X = cell_x(cache, column), last = cell_x(cache, column - 1);
        bool stable = is_stable(cache, X, Y);
        if (stable && !before) {
            if (runs->count == REGION_RUNS) return;
            runs->from[runs->count++] = (float)(column > 0 ? edge_between(cache, X, last, Y) : X);
        }
        if (!stable && before)
            runs->to[runs->count - 1] = (float)edge_between(cache, last, X, Y);
        else if (stable)
            runs->to[runs->count - 1] = (float)X;
        before = stable;
    }
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
    for (int row = 0; row < REGION_ROWS; row++) find_runs(cache, row);
}

// The stable part, row by row, and its exact outline.
static void draw_region(Plot *plot, const RegionCache *cache)
{
    ImU32 fill = theme_fade(plot->ui->palette.green, 0.20f), edge = plot->ui->palette.green;
    plot_name(plot, "edge of the stable region");
    for (int row = 0; row < REGION_ROWS; row++) {
        const RegionRow *runs = &cache->rows[row];
        for (int i = 0; i < runs->count; i++)
            plot_box(plot, fill, (double)runs->from[i], cell_y(cache, row), (double)runs->to[i],
                     cell_y(cache, row + 1));
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

static double wind_of(const ModeDots *dots, int i)
{
    return i < SPECTRUM_MODES ? dots->wind[i] : 0.0;
}

static double damping_of(const ModeDots *dots, int i)
{
    return dots->air + wind_of(dots, i) + dots->alpha * fmax(dots->modes.c[i], 0.0);
}

static Amplification mode_step(const ModeDots *dots, int i)
{
    Scheme scheme = dots->scheme;
    scheme.wind = wind_of(dots, i);
    return amplification_of_pair(&scheme, dots->h, dots->modes.k[i], dots->modes.c[i], dots->air,
                                 dots->alpha, dots->modes.symbol[i]);
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
                    k < 0.0 ? " (buckles)" : "", dots->h * damping_of(dots, i),
                    dots->h * dots->h * k, step->rho, jury_name(step->jury));
}

void region_plot_draw(Ui *ui, float height)
{
    const Analysis *a = ui_analysis(ui);
    RegionCache *cache = &ui->region;
    ModeDots filled, *dots = &filled;
    fill_dots(ui, a, dots);
    const Palette *p = &ui->palette;
    double h = dots->h, k0 = dots->modes.k[dots->stiffest];
    double tip_x = h * damping_of(dots, dots->stiffest);
    double tip_y = h * h * k0;
    refresh(cache, dots, tip_x, tip_y);
    // the picture grows with a step far beyond the limit, up to a maximum
    const RegionBox *box = &cache->box;
    double x_end = cache->endless_x ? box->x1 : fmin(fmax(box->x1, 1.1 * tip_x), 4.0 * box->x1);
    double y_end = cache->endless_y ? box->y1 : fmin(fmax(box->y1, 1.1 * tip_y), 4.0 * box->y1);
    bool along = a->scheme.integrator->traits & INTEGRATOR_EXPLICIT_ACROSS;
    PlotAxis x = {.min = box->x0, .max = x_end, .label = "X = h d"};
    PlotAxis y = {.min = box->y0, .max = y_end, .label = "Y = h² k"};
    if (along) height -= 3.0f * ui->fonts.small.height;
    Plot plot;
    if (!plot_begin(&plot, ui, "region", height, x, y)) return;
    draw_region(&plot, cache);
    plot_name(&plot, "");
    plot_segment(&plot, theme_fade(p->text, 0.5f), h * dots->air, 0.0, tip_x, tip_y, 0.06f);
    plot_name(&plot, "mode");
    for (int i = dots->modes.count - 1; i >= 0; i--) { // the stiffest last, on top
        Amplification step = mode_step(dots, i);
        double k = dots->modes.k[i], Y = h * h * k;
        double X = h * damping_of(dots, i);
        bool labelled = i == (dots->deciding >= 0 ? dots->deciding : dots->stiffest);
        ImU32 colour = grows(dots, i, &step) ? p->red : labelled ? p->amber : p->accent;
        plot_point(&plot, colour, X, Y, labelled ? 0.3f : 0.14f);
        const char *label = dots->deciding >= 0 ? "this mode decides" : "stiffest mode";
        if (labelled) plot_text(&plot, p->text, X, fmax(Y, 0.05 * y.max), label); // above the axis
        if (plot_near(&plot, X, Y, 0.4f)) hover_mode(&plot, dots, i, &step);
    }
    plot_end(&plot);
    if (along)
        widget_text_wrapped(plot.font, p->dim,
                            "Along springs. Across them tension sets the limit.");
}

// An eigenvalue of the real step that has (nearly) converged.
static bool is_known(const RitzValue *value)
{
    return value->residual <= 0.02;
}

static void draw_measured(Plot *plot, const Analysis *a)
{
    const Palette *p = &plot->ui->palette;
    plot_name(plot, "of the real step");
    for (int i = 0; a->measured && !a->outdated && i < a->map.count; i++) {
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

void eigenvalue_plot_draw(Ui *ui, float height)
{
    enum { SEGMENTS = 96 };
    const Analysis *a = ui_analysis(ui);
    ModeDots filled, *dots = &filled;
    fill_dots(ui, a, dots);
    const Palette *p = &ui->palette;
    ImVec2 room;
    igGetContentRegionAvail(&room);
    // equal scales, so that a circle looks like a circle
    double aspect = (double)plot_aspect(ui, room.x, height), half = 1.3;
    for (int i = 0; a->measured && !a->outdated && i < a->map.count; i++) {
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
    plot_name(&plot, "of a mode, by theory");
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
