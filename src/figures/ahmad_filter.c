// Ahmad et al. (2007), see ahmad.c: the exponential filter, and the largest step that it allows.
#include "figures/sources.h"
#include "figures/verdicts.h"
#include "stability/filter_symbol.h"

#include <math.h>

// ---- fig. 2: the filter

static FilterSymbol chain_symbol(double lambda, bool half)
{
    FilterSymbol symbol = filter_symbol_of(false, lambda, half, true);
    symbol.far = 0.0; // next neighbours only, as in the table of theory
    return symbol;
}

// The smallest symbol of all waves: a scan, then ever smaller steps downhill.
static double least_symbol(const FilterSymbol *symbol)
{
    enum { SCAN = 32 };
    double p = 0.0, q = 0.0, least = 1.0;
    for (int i = 0; i <= SCAN * SCAN; i++) {
        double a = M_PI * (i / SCAN) / SCAN, b = M_PI * (i % SCAN) / (SCAN - 1);
        double value = filter_symbol_at(symbol, a, b);
        if (value < least) least = value, p = a, q = b;
    }
    for (double step = M_PI / SCAN; step > 1e-9; step *= 0.5) {
        for (int k = 0; k < 8; k++) {
            static const int way[8][2] = {{1, 0}, {-1, 0},  {0, 1},  {0, -1},
                                          {1, 1}, {-1, -1}, {1, -1}, {-1, 1}};
            double a = p + step * way[k][0], b = q + step * way[k][1];
            double value = filter_symbol_at(symbol, a, b);
            if (value < least) least = value, p = a, q = b;
        }
    }
    return least;
}

// lambda below which a filter inverts waves, with the given neighbours.
static double inverting_lambda(int neighbours)
{
    double low = 0.3, high = 3.0;
    for (int i = 0; i < 60; i++) {
        double lambda = 0.5 * (low + high);
        FilterSymbol symbol = filter_symbol_of(false, lambda, false, neighbours == 2);
        if (neighbours < 12) symbol.far = 0.0;
        if (neighbours < 8) symbol.diagonal = 0.0;
        if (least_symbol(&symbol) < 0.0)
            low = lambda;
        else
            high = lambda;
    }
    return high;
}

// Gain of the shortest wave under y_i = l b_i + (1 - l) y_{i-1}, (9). It is less than 1, the long
// waves' gain, for 0 < l < 1 only, which is a < 0 in l = a/(a - 1).
static void check_recursion(Figure *figure)
{
    const double at[] = {0.5, 1.5}, theory[] = {1.0 / 3.0, 3.0};
    for (int i = 0; i < 2; i++) {
        double y = 0.0;
        for (int n = 0; n < 100; n++) y = at[i] * (n % 2 ? -1.0 : 1.0) + (1.0 - at[i]) * y;
        figure_fact(figure, fabs(y), theory[i], "(9): gain of the shortest wave, lambda = %g",
                    at[i]);
    }
}

// What a chain's first and second particle give to all, in units of their momentum: column sums.
static void check_momentum(Figure *figure)
{
    double b = exp(-1.0), end = 1.0 + b, inside = 1.0 + 2.0 * b;
    double first = 1.0 / end + b / inside, second = b / end + (1.0 + b) / inside;
    figure_fact(figure, first, 0.943, "momentum kept by a chain's end, lambda = 1, plain");
    figure_fact(figure, second, 1.057, "the same, the second particle");
    figure_fact(figure, 0.5 * (1.0 + first), 0.9715,
                "momentum kept by a chain's end, half strength");
    figure_fact(figure, 0.5 * (1.0 + second), 1.0285,
                "the same, the second particle, half strength");
}

Status ahmad_filter(Figure *figure, Error *error)
{
    (void)error;
    const double lambdas[] = {0.5, 1.0, 2.0, 5.0, 10.0};
    figure->across = 2;
    Panel *left = figure_panel(figure, "Weights, with their sum 1",
                               (SvgAxis){.min = -3, .max = 3, .label = "distance / rest length"},
                               (SvgAxis){.min = 0, .max = 1.05, .label = "weight"});
    Panel *right = figure_panel(figure, "Factor of a wave, rope",
                                (SvgAxis){.min = 0, .max = M_PI, .label = "wave number q"},
                                (SvgAxis){.min = -0.2, .max = 1.05, .label = "symbol f(q)"});
    for (int i = 0; i < 5; i++) {
        char name[32];
        snprintf(name, sizeof name, "λ = %g", lambdas[i]);
        Curve *weight = panel_curve(left, name, CURVE_LINE);
        Curve *factor = panel_curve(right, name, CURVE_LINE);
        double sum = 1.0 + 2.0 * exp(-lambdas[i]);
        FilterSymbol symbol = chain_symbol(lambdas[i], false);
        for (int k = -60; k <= 60; k++)
            curve_add(weight, k / 20.0, exp(-lambdas[i] * fabs(k / 20.0)) / sum);
        for (int k = 0; k <= 60; k++)
            curve_add(factor, k * M_PI / 60, filter_symbol_at(&symbol, k * M_PI / 60, 0.0));
    }
    const double at[] = {0.5, M_LN2, 1.0, 2.0, 3.0, 10.0};
    const double theory[] = {-0.096, 0.0, 0.152, 0.574, 0.819, 0.9998};
    for (int i = 0; i < 6; i++) {
        FilterSymbol symbol = chain_symbol(at[i], false);
        figure_fact(figure, filter_symbol_at(&symbol, M_PI, 0.0), theory[i], "f(pi), lambda = %.4g",
                    at[i]);
    }
    const int neighbours[] = {2, 4, 8, 12};
    const double limits[] = {M_LN2, log(4.0), 0.9802581435, 0.8533006772};
    for (int i = 0; i < 4; i++)
        figure_fact(figure, inverting_lambda(neighbours[i]), limits[i],
                    "lambda below which %d neighbours invert waves", neighbours[i]);
    check_recursion(figure);
    check_momentum(figure);
    figure_found(
        figure,
        "Only λ times the distance in rest lengths counts, and the leading λ of (10) "
        "cancels. Below λ = ln 2 = %.4f on a rope the factor of the shortest wave is "
        "negative; on a grid with 4, 8 and 12 neighbours below %.4f, %.4f and %.4f. The "
        "symmetric form is (1 + f)/2: half as strong, never negative, and like the plain one it "
        "does not conserve momentum at an end of a rope. The recursion (9) of which the "
        "filter is copied is low-pass only for 0 < λ < 1.",
        inverting_lambda(2), inverting_lambda(4), inverting_lambda(8), inverting_lambda(12));
    figure_verdict(figure,
                   "λ < 1 is not only too much damping: where f < 0 every step is unstable.");
    return STATUS_OK;
}

// ---- fig. 6: largest step against lambda

// Largest h / (2/sqrt k0) of a chain: every mode has its stiffness and its symbol.
static double chain_limit(const Scheme *scheme, double lambda, bool half)
{
    enum { MODES = 2000 };
    FilterSymbol symbol = chain_symbol(lambda, half);
    double low = 0.0, high = 40.0; // of Y0 = h^2 k0
    for (int i = 0; i < 50; i++) {
        double Y0 = 0.5 * (low + high);
        bool stable = true;
        for (int m = 1; m <= MODES && stable; m++) {
            double q = M_PI * m / MODES, s = sin(0.5 * q) * sin(0.5 * q);
            Amplification a =
                amplification_at(scheme, 0.0, Y0 * s, filter_symbol_at(&symbol, q, 0.0));
            stable = a.rho <= 1.0 + 1e-12;
        }
        if (stable)
            low = Y0;
        else
            high = Y0;
    }
    return 0.5 * sqrt(low);
}

// Largest sqrt(Y)/2 of one mode, with X = h d held.
static double stable_step(const Scheme *scheme, double X)
{
    double low = 0.0, high = 10.0;
    for (int i = 0; i < 60; i++) {
        double Y = 0.5 * (low + high);
        if (amplification_at(scheme, X, Y, 1.0).rho <= 1.0 + 1e-12)
            low = Y;
        else
            high = Y;
    }
    return low < 1e-9 ? 0.0 : 0.5 * sqrt(low);
}

// 2/sqrt of the largest eigenvalue of F K.
static double algorithm1(double lambda)
{
    FilterSymbol symbol = chain_symbol(lambda, false);
    double largest = 0.0;
    for (int m = 1; m <= 4000; m++) {
        double q = M_PI * m / 4000, s = sin(0.5 * q) * sin(0.5 * q);
        largest = fmax(largest, fabs(filter_symbol_at(&symbol, q, 0.0)) * s);
    }
    return 1.0 / sqrt(largest);
}

static Scheme filtered_scheme(const char *integrator, SchemeFilter place)
{
    Scheme scheme = scheme_named(integrator);
    scheme.filter = place;
    return scheme;
}

// (11), h = 2/sqrt(k0), holds for forward-backward Euler and Verlet without damping only.
static void check_unfiltered(Figure *figure)
{
    static const char *const names[] = {"explicit-euler", "symplectic-euler", "velocity-verlet"};
    const double undamped[] = {0.0, 1.0, 1.0},
                 damped[] = {NAN, sqrt(3.0) / 2.0, 0.5 * sqrt(6.25 / 1.75)};
    // Y < 4 - 2X, and Y < 4 (1 + a^2)/(1 + a) with a = 1 - X/2: our Verlet's second kick takes the
    // velocity of the middle
    for (int i = 0; i < 3; i++) {
        Scheme scheme = scheme_named(names[i]);
        figure_fact(figure, stable_step(&scheme, 0.0), undamped[i],
                    "(11): largest h sqrt(k0)/2 without damping, %s", names[i]);
        if (i > 0)
            figure_fact(figure, stable_step(&scheme, 0.5), damped[i],
                        "(11): the same with h d = 0.5, %s", names[i]);
    }
}

// The table of theory, one-dimensional.
static void check_chain(Figure *figure)
{
    const double lambda[] = {M_LN2, 1.0, 2.0, 3.0};
    const double printed[] = {2.000, 1.8415, 1.3199, 1.1051};
    const double before[] = {1.7071, 1.5718, 1.1710, 1.0538};
    const double after[] = {0.707, 0.759, 0.887, 0.954};
    const double rk4[] = {1.732, 1.632, 1.471, 1.434};
    const double half[] = {1.225, 1.1696, 1.066, 1.025};
    Scheme se = filtered_scheme("symplectic-euler", SCHEME_FILTER_BEFORE);
    Scheme se_after = filtered_scheme("symplectic-euler", SCHEME_FILTER_AFTER);
    Scheme rk = filtered_scheme("rk4", SCHEME_FILTER_AFTER);
    for (int i = 0; i < 4; i++) {
        double l = lambda[i];
        figure_fact(figure, algorithm1(l), printed[i], "Algorithm 1, lambda = %.4g", l);
        figure_fact(figure, chain_limit(&se, l, false), before[i], "before x, lambda = %.4g", l);
        figure_fact(figure, chain_limit(&se_after, l, false), after[i], "after, lambda = %.4g", l);
        figure_fact(figure, chain_limit(&rk, l, false), rk4[i], "RK4 after, lambda = %.4g", l);
        figure_fact(figure, chain_limit(&se, l, true), half[i], "half, before, lambda = %.4g", l);
    }
    figure_fact(figure, chain_limit(&se, 0.5, false), 0.0, "before x, lambda = 0.5");
    check_unfiltered(figure);
}

static void draw_chain(const Figure *figure, Panel *panel, int count)
{
    Scheme before = filtered_scheme("symplectic-euler", SCHEME_FILTER_BEFORE);
    Scheme after = filtered_scheme("symplectic-euler", SCHEME_FILTER_AFTER);
    Curve *printed = panel_curve(panel, "as printed", CURVE_DASHED);
    Curve *exact = panel_curve(panel, "exact, filter before x", CURVE_LINE);
    Curve *half = panel_curve(panel, "exact, half strength", CURVE_LINE);
    Curve *late = panel_curve(panel, "exact, filter after the step", CURVE_LINE);
    double last = 0.0;
    for (int i = 0; i < count && figure_check(figure, NULL) == STATUS_OK; i++) {
        double lambda = 0.3 * pow(10.0 / 0.3, (double)i / (count - 1));
        curve_add(printed, lambda, algorithm1(lambda));
        if (lambda > M_LN2 && last < M_LN2) { // it jumps there
            curve_add(exact, M_LN2, 0.0);
            curve_add(exact, M_LN2, chain_limit(&before, M_LN2 + 1e-9, false));
        }
        last = lambda;
        curve_add(exact, lambda, chain_limit(&before, lambda, false));
        curve_add(half, lambda, chain_limit(&before, lambda, true));
        curve_add(late, lambda, chain_limit(&after, lambda, false));
    }
}

// At lambda = 1, in units of the unfiltered limit; and from which lambda on the plain filter allows
// half of that.
typedef struct AtOne {
    double printed, plain, half;
    double stable_from;
} AtOne;

// Predicted and measured limits of a scene under the filter, in units of the unfiltered limit, for
// 4 n + 1 values of lambda.
static Status draw_measured(const Figure *figure, Panel *panel, const Scene *scene, double time,
                            int count, AtOne *at_one, Error *error)
{
    static const struct {
        const char *name, *assignments;
    } forms[] = {{"measured, before x", "filter=exponential filter_form=plain"},
                 {"measured, half strength", "filter=exponential filter_form=half"},
                 {"measured, after the step", "filter=exponential filter_place=after"}};
    Limits bare, limits;
    Status status = measure_limits(figure, scene, time, &bare, error);
    Curve *printed = panel_curve(panel, "Algorithm 1, as printed", CURVE_DASHED);
    Curve *corrected = panel_curve(panel, "corrected", CURVE_LINE);
    *at_one = (AtOne){.stable_from = INFINITY};
    for (int f = 0; f < 3 && status == STATUS_OK; f++) {
        Curve *curve = panel_curve(panel, forms[f].name, CURVE_DOTS);
        curve->colour = 1 + f; // as the exact curves of a chain
        for (int i = 0; i < count && status == STATUS_OK; i++) {
            double lambda = exp2(4.0 * i / (count - 1) - 1.0); // 0.5 to 8, with 1 among them
            Scene filtered = *scene;
            status = assign_all(&filtered.params, forms[f].assignments, error);
            filtered.params.lambda = lambda;
            if (status == STATUS_OK)
                status = measure_limits(figure, &filtered, time, &limits, error);
            if (status != STATUS_OK) break;
            double measured = limits.measured / bare.measured;
            // each of the two is known to a bisection's last step
            curve_add_spread(curve, lambda, measured, measured * (1.0 - 2.0 * LIMIT_PRECISION),
                             measured * (1.0 + 2.0 * LIMIT_PRECISION));
            if (f == 1 && lambda == 1.0) at_one->half = measured;
            if (f > 0) continue;
            if (lambda == 1.0)
                at_one->printed = limits.algorithm1 / bare.measured, at_one->plain = measured;
            if (measured > 0.5) at_one->stable_from = fmin(at_one->stable_from, lambda);
            curve_add(printed, lambda, limits.algorithm1 / bare.measured);
            // no line from "no step is stable" to the first that is
            int count_so_far = corrected->count;
            bool none = count_so_far > 0 && corrected->points[count_so_far - 1].y == 0.0;
            if (none && limits.corrected > 0.0) curve_add(corrected, NAN, NAN);
            curve_add(corrected, lambda, limits.corrected / bare.measured);
        }
    }
    return status;
}

static SvgAxis lambda_axis(void)
{
    return (SvgAxis){.min = 0.28, .max = 11, .logarithmic = true, .label = "λ"};
}

Status ahmad_steps(Figure *figure, Error *error)
{
    figure->across = 2;
    SvgAxis y = {.min = 0, .max = 3, .label = "largest step / unfiltered"};
    Panel *left = figure_panel(figure, "A chain, exactly", lambda_axis(), y);
    draw_chain(figure, left, figure->quick ? 20 : 60);
    check_chain(figure);
    int side = figure->quick ? 5 : 8;
    Panel *right = figure_panel(
        figure, figure->quick ? "A cloth of 5 x 5, real steps" : "A cloth of 8 x 8, real steps",
        lambda_axis(), y);
    Scene scene;
    AtOne at_one;
    Status status = cloth_with(side, 1e6, "integrator=symplectic-euler", &scene, error);
    if (status == STATUS_OK)
        status = draw_measured(figure, right, &scene, 0.0, figure->quick ? 5 : 13, &at_one, error);
    if (status != STATUS_OK) return status;
    figure_fact(figure, at_one.printed, NAN, "cloth, lambda = 1: Algorithm 1");
    figure_fact(figure, at_one.plain, NAN, "cloth, lambda = 1: measured");
    Scheme before = filtered_scheme("symplectic-euler", SCHEME_FILTER_BEFORE);
    Scheme after = filtered_scheme("symplectic-euler", SCHEME_FILTER_AFTER);
    FilteredSteps steps = {.before = chain_limit(&before, 1.0, false),
                           .after = chain_limit(&after, 1.0, false),
                           .most = chain_limit(&before, M_LN2 + 1e-9, false),
                           .cloth = at_one.plain,
                           .printed = at_one.printed,
                           .none = chain_limit(&before, 10.0, false)};
    figure_fact(figure, 100.0 * (steps.most - 1.0), 70.71,
                "largest gain of a chain's step by the filter, %%");
    figure_found(
        figure,
        "On a chain Algorithm 1 says %.2f at λ = 1; the truth is %.2f with the filter before the "
        "position update, %.2f at half strength and %.2f after the step. Below ln 2 no step is "
        "stable, though it still gives a number; the points near zero are steps whose growth is "
        "too "
        "slow to be measured. On the cloth it says %.2f and we measure %.2f; "
        "the corrected power method is the line. Measured limits are known to %.1f %%. (11) holds "
        "for forward-backward Euler and Verlet without damping only, and never for forward Euler.",
        algorithm1(1.0), steps.before, chain_limit(&before, 1.0, true), steps.after, at_one.printed,
        at_one.plain, 100.0 * LIMIT_PRECISION * 2.0);
    verdict_filter(figure, steps);
    return status;
}

static Status filter_figure(Figure *figure, const char *name, const char *assignments, double time,
                            Error *error)
{
    Scene scene;
    AtOne at_one;
    Panel *panel = figure_panel(
        figure, "", (SvgAxis){.min = 0.45, .max = 11, .logarithmic = true, .label = "λ"},
        (SvgAxis){.min = 0, .max = 3, .label = "largest step / unfiltered"});
    Status status = scene_with(name, assignments, &scene, error);
    if (status == STATUS_OK)
        status = draw_measured(figure, panel, &scene, time, figure->quick ? 5 : 9, &at_one, error);
    if (status != STATUS_OK) return status;
    figure_fact(figure, at_one.printed, NAN, "lambda = 1: Algorithm 1");
    figure_fact(figure, at_one.plain, NAN, "lambda = 1: measured");
    figure_fact(figure, at_one.half, NAN, "lambda = 1, half strength: measured");
    char plain[40] = "no stable step";
    if (at_one.plain >= 0.1) snprintf(plain, sizeof plain, "%.2f times", at_one.plain);
    figure_found(
        figure,
        "At λ = 1 Algorithm 1 says %.2f times the step. We measure %s for the plain mean and "
        "%.2f at half strength, to 0.1 %%. In triangles a particle has six neighbours or more, and "
        "the plain mean inverts the shortest waves below λ = ln 3 = 1.10 or more: no step is "
        "stable "
        "there, and the points near zero are steps whose growth is too slow to be measured. From "
        "λ = %.1f on the corrected estimate follows the measurement, though the mean of unequal "
        "particles is not symmetric and the proof does not cover it.",
        at_one.printed, plain, at_one.half, at_one.stable_from);
    figure_verdict(figure,
                   "a larger step %s at half strength, by a factor of %.2f instead of %.2f; %s",
                   at_one.half > 1.0 ? "holds" : "does not hold", at_one.half, at_one.printed,
                   at_one.plain < 0.5 ? "the plain filter is unstable at λ = 1."
                                      : "the plain filter allows more.");
    return status;
}

Status ahmad_irregular(Figure *figure, Error *error)
{
    return filter_figure(figure, "patch", "integrator=symplectic-euler alpha=0 model=springs air=2",
                         0.0, error);
}

Status ahmad_fish(Figure *figure, Error *error)
{
    return filter_figure(figure, "fish", "integrator=symplectic-euler alpha=0 air=2", 0.0, error);
}
