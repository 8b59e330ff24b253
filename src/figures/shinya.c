// Shinya: Theories for mass-spring simulation in computer graphics (2005).
#include "figures/sources.h"
#include "figures/verdicts.h"

#include <math.h>
#include <stdlib.h>

#define AXIS_X(from, to)                                                                           \
    (SvgAxis)                                                                                      \
    {                                                                                              \
        .min = from, .max = to, .label = "X = h d"                                                 \
    }
#define AXIS_Y(from, to)                                                                           \
    (SvgAxis)                                                                                      \
    {                                                                                              \
        .min = from, .max = to, .label = "Y = h² k"                                               \
    }

static double rho(const Scheme *scheme, double X, double Y)
{
    return amplification_at(scheme, X, Y, 1.0).rho;
}

// The modes of a cloth with d = d0 + alpha k: a line from (X0, 0) to its tip. Returns the largest
// rho of the stiffer nine tenths: soft modes have rho near 1 under every method.
static double rayleigh_line(Panel *panel, const char *name, const Scheme *scheme, double X0,
                            double tip_X, double tip_Y)
{
    enum { POINTS = 4000 };
    Curve *line = panel_curve(panel, name, CURVE_LINE);
    double largest = 0.0;
    curve_add(line, X0, 0.0);
    curve_add(line, tip_X, tip_Y);
    for (int i = POINTS / 10; i <= POINTS; i++) {
        double t = (double)i / POINTS;
        largest = fmax(largest, rho(scheme, X0 + t * (tip_X - X0), t * tip_Y));
    }
    return largest;
}

Status shinya_explicit_euler(Figure *figure, Error *error)
{
    Scheme scheme = scheme_named("explicit-euler");
    Panel *panel = figure_panel(figure, "", AXIS_X(0, 5), AXIS_Y(0, 5));
    Status status = panel_region(panel, "stable", &scheme, error);
    double X, Y;
    region_top(&scheme, 6.0, 6.0, &X, &Y);
    double printed = rayleigh_line(panel, "Rayleigh line to the maximum, as printed, d0 h = 0.5",
                                   &scheme, 0.5, 4.0, 4.0);
    double bare =
        rayleigh_line(panel, "the same with d0 = 0: the edge itself", &scheme, 0.0, 4.0, 4.0);
    double ours = rayleigh_line(panel, "ours: k0 times 1.5, tip at X = 1 + 3Y/4", &scheme, 0.0, 3.0,
                                4.0 / 1.5);
    panel_note(panel, 4.0, 4.0, "maximum (4, 4)");
    figure_fact(figure, X, 4.0, "X of the largest Y");
    figure_fact(figure, Y, 4.0, "largest Y, not attained");
    figure_fact(figure, rho(&scheme, 4.0, 4.0), 1.0, "rho at (4, 4)");
    Amplification corner = amplification_at(&scheme, 4.0, 4.0, 1.0);
    for (int n = 10; n <= 1000; n *= 10)
        figure_fact(figure, norm_of_power((const double(*)[2])corner.G, n),
                    n == 10 ? 50.02 : 5.0 * n, "norm of G^%d at (4, 4)", n);
    figure_fact(figure, bare, 1.0, "largest rho on the printed line with d0 = 0");
    figure_found(figure,
                 "The triangle is exact: 0 < Y < X and Y > 2X - 4. But the maximum (4, 4) is its "
                 "corner, where both eigenvalues are -1 and G cannot be diagonalised: the norm of "
                 "G^n grows as 5n. On the printed line to the corner rho comes to %.4f; without d0 "
                 "it is 1 for every mode, so nothing is damped. With k0 times 1.5 and our tip the "
                 "largest rho of the stiffer nine tenths of k is %.4f.",
                 printed, ours);
    figure_verdict(figure,
                   "the region holds; the largest step 2/sqrt(k0) with d = 4/h is marginal, "
                   "not stable.");
    return status;
}

Status shinya_rk2(Figure *figure, Error *error)
{
    Scheme scheme = scheme_named("midpoint");
    Panel *panel = figure_panel(figure, "", AXIS_X(0, 6), AXIS_Y(0, 6));
    Status status = panel_region(panel, "stable", &scheme, error);
    double X, Y, root = sqrt(2.0);
    region_top(&scheme, 8.0, 8.0, &X, &Y);
    double line = rayleigh_line(panel, "Rayleigh line to Y = 4.7", &scheme, 0.0, 2.0 + root, 4.7);
    panel_note(panel, X, Y, "maximum (%.3f, %.3f)", X, Y);
    figure_fact(figure, X, 2.0 + root, "X of the largest Y");
    figure_fact(figure, Y, 2.0 + 2.0 * root, "largest Y");
    figure_fact(figure, rho(&scheme, 0.0, 0.01), sqrt(1.0 + 0.25e-4), "rho undamped at Y = 0.01");
    figure_found(
        figure,
        "The ellipse (Y - X)^2 + (X - 2)^2 = 4 and the line Y = 2X - 4 bound it. The "
        "largest Y is 2 + 2 sqrt 2 = %.6f at X = %.6f. Undamped it always grows, slowly: "
        "rho = %.7f at Y = 0.01. The region is convex, so the whole Rayleigh line is inside "
        "when its tip is: largest rho %.4f at Y0 = 4.7.",
        Y, X, rho(&scheme, 0.0, 0.01), line);
    figure_verdict(figure,
                   "holds; per force evaluation it allows 1.10 of 1/omega, symplectic Euler "
                   "allows 2.");
    return status;
}

// The edge of stability between a stable and an unstable X, at one Y.
static double edge_X(const Scheme *scheme, double stable, double unstable, double Y)
{
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (stable + unstable);
        if (amplification_at(scheme, middle, Y, 1.0).slack > 0.0)
            stable = middle;
        else
            unstable = middle;
    }
    return stable;
}

static double edge_Y(const Scheme *scheme, double X, double stable, double unstable)
{
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (stable + unstable);
        if (amplification_at(scheme, X, middle, 1.0).slack >= 0.0)
            stable = middle;
        else
            unstable = middle;
    }
    return stable;
}

// The X at which a mode without stiffness begins to grow: then one eigenvalue is 1, and the other
// is the trace minus 1.
static double largest_damping(const Scheme *scheme)
{
    double low = 1.0, high = 4.0;
    for (int i = 0; i < 60; i++) {
        double X = 0.5 * (low + high);
        Amplification a = amplification_at(scheme, X, 0.0, 1.0);
        if (fabs(a.G[0][0] + a.G[1][1] - 1.0) <= 1.0)
            low = X;
        else
            high = X;
    }
    return low;
}

// rho from (A.2): eigenvalues 1 + P +- Q sqrt(X^2 - 4Y), with the opposite sign of Q, as printed.
static double rho_of_printed_rk4(double X, double Y)
{
    double P = -X / 2 + X * X / 4 - X * X * X / 12 + X * X * X * X / 48 - Y / 2 + X * Y / 4 -
               X * X * Y / 12 + Y * Y / 24;
    double Q = -(0.5 - X / 4 + X * X / 12 - X * X * X / 48 - Y / 12 + X * Y / 24);
    double D = X * X - 4.0 * Y;
    if (D < 0.0) return hypot(1.0 + P, Q * sqrt(-D));
    return fmax(fabs(1.0 + P + Q * sqrt(D)), fabs(1.0 + P - Q * sqrt(D)));
}

Status shinya_rk4(Figure *figure, Error *error)
{
    Scheme scheme = scheme_named("rk4");
    Panel *panel = figure_panel(figure, "", AXIS_X(0, 7), AXIS_Y(0, 10));
    Status status = panel_region(panel, "stable", &scheme, error);
    double X, Y, low, high;
    region_top(&scheme, 2.0, 12.0, &X, &Y);
    low = edge_X(&scheme, 0.8254, 0.5, 8.75);
    high = edge_X(&scheme, 0.8254, 1.2, 8.75);
    double printed =
        rayleigh_line(panel, "as printed: to (0.725, 8.75)", &scheme, 0.0, 0.725, 8.75);
    double ours = rayleigh_line(panel, "ours: to (0.825, 8.7)", &scheme, 0.0, 0.825, 8.7);
    panel_note(panel, X, Y, "maximum (%.4f, %.4f)", X, Y);
    panel_note_from(panel, 0.0, 8.0, 1.3, 5.6, "undamped limit 8");
    figure_fact(figure, X, 0.8254052496, "X of the largest Y");
    figure_fact(figure, Y, 8.762310429, "largest Y");
    figure_fact(figure, rho(&scheme, 0.725, 8.75), 0.99876, "rho at the printed maximum");
    figure_fact(figure, low, 0.7132759224, "smallest stable X at Y = 8.75");
    figure_fact(figure, high, 0.9382350386, "largest stable X at Y = 8.75");
    figure_fact(figure, edge_Y(&scheme, 0.0, 7.0, 9.0), 8.0, "undamped limit of Y");
    figure_fact(figure, largest_damping(&scheme), 2.785293563405, "limit of X at Y = 0");
    figure_fact(figure, rho_of_printed_rk4(1.0, 6.0), rho(&scheme, 1.0, 6.0),
                "rho at (1, 6) from P and Q of A.2, Q as printed: its sign does not matter");
    figure_found(
        figure,
        "The largest Y is %.9f at X = %.7f. The printed maximum (0.725, 8.75) is stable, rho "
        "%.5f, but lies 1.6 %% from the left edge X = %.4f. The largest rho on his line is "
        "%.5f, on ours %.5f. Without damping Y < 8. The step is sqrt(8.75)/2 = 1.48 of "
        "explicit Euler's, for four times the work.",
        Y, X, rho(&scheme, 0.725, 8.75), low, printed, ours);
    figure_verdict(figure, "holds to 0.15 %% in Y; the maximum is elsewhere, and sqrt(8.75) needs "
                           "damping.");
    return status;
}

// The lower half of (16) is v' = (v - hK'x) / (1 + X + Y); (17) prints hK'x + (1 + hD')v instead.
// And appendix B: x^T M^-1 K x > 0 does not follow from K > 0 and M > 0.
static void check_implicit_step(Figure *figure, const Scheme *scheme)
{
    double X = 0.2, Y = 0.5, x = 1.0, w = 0.8; // w = h v
    Amplification a = amplification_at(scheme, X, Y, 1.0);
    double step = a.G[1][0] * x + a.G[1][1] * w;
    figure_fact(figure, (w - Y * x) / (1.0 + X + Y), step, "(17) corrected: h v after a step");
    figure_fact(figure, (Y * x + (1.0 + X) * w) / (1.0 + X + Y), NAN,
                "(17) as printed: h v after a step");
    // K = (2, 1.9; 1.9, 2) has eigenvalues 0.1 and 3.9, M = diag(1, 25)
    double p = 2.0, q = 2.0 / 25.0, r = 0.5 * (1.9 + 1.9 / 25.0);
    figure_fact(figure, 0.5 * (p + q) - sqrt(0.25 * (p - q) * (p - q) + r * r), NAN,
                "appendix B: smallest x.(M^-1 K)x / x.x of a K and an M that are positive");
    figure_fact(figure, rho(scheme, 0.3, 0.0), 1.0, "rho of a mode without stiffness");
}

Status shinya_implicit(Figure *figure, Error *error)
{
    Scheme scheme = scheme_named("backward-euler");
    Panel *panel = figure_panel(figure, "", AXIS_X(-6, 4), AXIS_Y(-8, 4));
    Status status = panel_region(panel, "stable", &scheme, error);
    panel_note(panel, -3.0, -1.0, "k < 0, d < 0: his over-stable part");
    panel_note(panel, 0.0, -5.0, "k < 0, d = 0: buckling is hidden too");
    panel_note(panel, -0.5, 2.0, "d < 0, k > 0 too");
    figure_fact(figure, rho(&scheme, -3.0, -1.0), NAN, "rho at (-3, -1)");
    figure_fact(figure, rho(&scheme, 0.0, -5.0), NAN, "rho at (0, -5)");
    figure_fact(figure, rho(&scheme, -0.5, 2.0), NAN, "rho at (-0.5, 2)");
    figure_fact(figure, edge_Y(&scheme, 0.0, -6.0, -3.0), -4.0,
                "Y below which buckling is hidden, X = 0");
    figure_fact(figure, edge_Y(&scheme, 1.0, -8.0, -5.0), -6.0, "the same at X = 1: -4 - 2X");
    figure_fact(figure, rho(&scheme, 0.0, 1.0), sqrt(0.5), "rho at (0, 1)");
    check_implicit_step(figure, &scheme);
    figure_found(
        figure,
        "Stable for all X, Y > 0, with rho = 1/sqrt(1 + X + Y) while it oscillates. The "
        "bounds are straight lines: X + Y = 0, Y = -2X - 4, Y = 0. Numerics decays where "
        "physics grows in three places: d < 0, k < 0 as he says (rho %.3f at (-3, -1)); "
        "k < 0 with d >= 0 once h^2 |k| > 4 + 2hd, so strong buckling disappears (rho %.3f "
        "at (0, -5)); and d < 0 with Y > -X (rho %.3f at (-0.5, 2)).",
        rho(&scheme, -3.0, -1.0), rho(&scheme, 0.0, -5.0), rho(&scheme, -0.5, 2.0));
    figure_verdict(figure, "the theorem holds; the bounds are linear, not quadratic, and "
                           "over-stability is wider than d < 0, k < 0.");
    return status;
}

// ---- times

// His four methods: the explicit ones at the largest step for k0 times 1.5.
static const struct {
    const char *name, *assignments;
} methods[] = {
    {"implicit Euler, h = 10 ms", "integrator=backward-euler step=0.01 pcg_tolerance=0.01"},
    {"explicit Euler", "integrator=explicit-euler alpha=auto safety=0.8165"},
    {"linearised explicit Euler", "integrator=leu alpha=auto safety=0.8165"},
    {"RK4", "integrator=rk4 alpha=auto safety=0.8165"},
};
enum {
    METHODS = sizeof methods / sizeof methods[0],
    SIZES = 6,
    IMPLICIT = 0,
    EXPLICIT = 1,
    LEU = 2
};

typedef struct TimePlan {
    int sizes;
    double x[SIZES]; // what the time is drawn over
    int side[SIZES];
    double k0[SIZES];  // 1/s^2
    const char *more;  // assignments
    bool same_spacing; // larger cloths instead of finer ones
    double seconds;
    int rounds;
} TimePlan;

// What the rounds say, each alone: exponents from the least to the largest.
typedef struct RoundExponents {
    double low, high;
} RoundExponents;

static RoundExponents exponents_of_rounds(const TimePlan *plan, const RunCost *cost, int method)
{
    RoundExponents found = {INFINITY, -INFINITY};
    for (int round = 0; round < plan->rounds; round++) {
        CurvePoint points[SIZES];
        Curve curve = {.points = points};
        for (int i = 0; i < plan->sizes; i++) {
            const RunCost *run = &cost[i * METHODS + method];
            if (!run->diverged)
                points[curve.count++] = (CurvePoint){.x = plan->x[i], .y = run->stepping[round]};
        }
        found.low = fmin(found.low, curve_exponent(&curve));
        found.high = fmax(found.high, curve_exponent(&curve));
    }
    return found;
}

// The cost of each method: its exponent, from the best of all rounds, and what single rounds say.
typedef struct Timing {
    double exponent[METHODS];
    RoundExponents rounds[METHODS];
    double estimate; // steps of explicit Euler that an estimate of k0 takes at most
} Timing;

// Times of stepping relative to the first point of the linearised method.
static Status time_methods(const Figure *figure, Panel *panel, const TimePlan *plan, Timing *out,
                           Error *error)
{
    Scene *scenes = calloc(SIZES * METHODS, sizeof *scenes);
    RunCost cost[SIZES * METHODS] = {{0}};
    Status status = scenes ? STATUS_OK : STATUS_OUT_OF_MEMORY;
    for (int i = 0; i < plan->sizes * METHODS && status == STATUS_OK; i++) {
        int size = i / METHODS;
        char text[300];
        snprintf(text, sizeof text, "%s %s size=%.6g", methods[i % METHODS].assignments, plan->more,
                 plan->same_spacing ? (plan->side[size] - 1) / 15.0 : 1.0);
        status = cloth_with(plan->side[size], plan->k0[size], text, &scenes[i], error);
        if (status == STATUS_OK) status = figure_check(figure, error);
    }
    if (status == STATUS_OK)
        status = time_runs(figure, scenes, plan->sizes * METHODS, plan->seconds, plan->rounds, cost,
                           error);
    free(scenes);
    if (status != STATUS_OK) return status;
    double unit = cost[LEU].stepping_best;
    for (int m = 0; m < METHODS; m++) {
        Curve *curve = panel_curve(panel, methods[m].name, CURVE_BOTH);
        for (int i = 0; i < plan->sizes; i++) {
            const RunCost *run = &cost[i * METHODS + m];
            double best = run->stepping_best / unit;
            if (run->diverged) continue;
            curve_add_spread(curve, plan->x[i], best, best, run->stepping_worst / unit);
            if (m == EXPLICIT)
                out->estimate =
                    fmax(out->estimate, run->estimate * run->steps / run->stepping_best);
        }
        out->exponent[m] = curve_exponent(curve);
        out->rounds[m] = exponents_of_rounds(plan, cost, m);
    }
    return status;
}

static void report_times(Figure *figure, const Panel *panel, const char *of, const Timing *timing)
{
    for (int m = 0; m < METHODS; m++)
        figure_fact_spread(figure, timing->exponent[m], m == IMPLICIT ? NAN : 1.0,
                           timing->rounds[m].low, timing->rounds[m].high, "exponent %s, %s, %s", of,
                           methods[m].name, panel->title);
}

static Exponents no_exponents(void)
{
    return (Exponents){INFINITY, -INFINITY, INFINITY, -INFINITY, true};
}

static void widen(Exponents *e, const Timing *timing)
{
    e->implicit_low = fmin(e->implicit_low, timing->exponent[IMPLICIT]);
    e->implicit_high = fmax(e->implicit_high, timing->exponent[IMPLICIT]);
    for (int m = 0; m < METHODS; m++) {
        if (m == IMPLICIT) continue;
        e->explicit_low = fmin(e->explicit_low, timing->exponent[m]);
        e->explicit_high = fmax(e->explicit_high, timing->exponent[m]);
        e->unclear = e->unclear && timing->rounds[m].low <= 1.1 && timing->rounds[m].high >= 0.9;
    }
}

// The widest range that single rounds give an explicit method.
static RoundExponents all_rounds(const Timing *timing)
{
    RoundExponents all = {INFINITY, -INFINITY};
    for (int m = 0; m < METHODS; m++) {
        if (m == IMPLICIT) continue;
        all.low = fmin(all.low, timing->rounds[m].low);
        all.high = fmax(all.high, timing->rounds[m].high);
    }
    return all;
}

static double last_y(const Curve *curve)
{
    return curve->points[curve->count - 1].y;
}

Status shinya_particles(Figure *figure, Error *error)
{
    TimePlan plan = {.sizes = figure->quick ? 3 : 5,
                     .side = {24, 36, 48, 64, 80},
                     .same_spacing = true,
                     .seconds = figure->quick ? 0.08 : 0.1,
                     .rounds = figure->quick ? 6 : 10};
    for (int i = 0; i < plan.sizes; i++) plan.x[i] = plan.side[i] * plan.side[i], plan.k0[i] = 1e6;
    SvgAxis x = {.logarithmic = true, .label = "particles n"};
    SvgAxis y = {.logarithmic = true, .label = "time, LEU at 576 = 1"};
    Timing bw = {0}, springs = {0};
    figure->across = 2;
    Panel *first = figure_panel(figure, "Baraff-Witkin forces, as his", x, y);
    plan.more = "model=baraff-witkin";
    Status status = time_methods(figure, first, &plan, &bw, error);
    Panel *second = figure_panel(figure, "Springs", x, y);
    plan.more = "model=springs";
    if (status == STATUS_OK) status = time_methods(figure, second, &plan, &springs, error);
    if (status != STATUS_OK) return status;
    report_times(figure, first, "over n", &bw);
    report_times(figure, second, "over n", &springs);
    Exponents exponents = no_exponents();
    widen(&exponents, &bw);
    widen(&exponents, &springs);
    double gain_bw = last_y(&first->curves[IMPLICIT]) / last_y(&first->curves[LEU]);
    double gain_springs = last_y(&second->curves[IMPLICIT]) / last_y(&second->curves[LEU]);
    RoundExponents first_rounds = all_rounds(&bw), second_rounds = all_rounds(&springs);
    figure_found(
        figure,
        "At k0 = 1e6/s^2, time of stepping, without estimates of k0; each step in the best of %d "
        "rounds, bars "
        "to the slowest. Exponents of n with Baraff-Witkin forces: implicit %.2f, explicit Euler "
        "%.2f, LEU %.2f, RK4 %.2f (explicit methods in single rounds %.2f to %.2f); with springs "
        "%.2f, %.2f, %.2f, %.2f (%.2f to %.2f). The implicit method takes %.2g times LEU's time "
        "with Baraff-Witkin forces and %.2g times with springs, at the largest n.",
        plan.rounds, bw.exponent[0], bw.exponent[1], bw.exponent[2], bw.exponent[3],
        first_rounds.low, first_rounds.high, springs.exponent[0], springs.exponent[1],
        springs.exponent[2], springs.exponent[3], second_rounds.low, second_rounds.high, gain_bw,
        gain_springs);
    verdict_particles(figure, exponents, gain_bw, gain_springs);
    return status;
}

Status shinya_stiffness(Figure *figure, Error *error)
{
    TimePlan plan = {.sizes = figure->quick ? 3 : 5,
                     .k0 = {4e6, 1.6e7, 6.4e7, 2.56e8, 1e9},
                     .more = "model=springs",
                     .seconds = figure->quick ? 0.11 : 0.25, // with one and two estimates of k0
                     .rounds = figure->quick ? 8 : 10};
    for (int i = 0; i < plan.sizes; i++) plan.side[i] = 16, plan.x[i] = sqrt(plan.k0[i]);
    Panel *panel =
        figure_panel(figure, "Springs", (SvgAxis){.logarithmic = true, .label = "sqrt(k0) (1/s)"},
                     (SvgAxis){.logarithmic = true, .label = "time, LEU at k0 = 4e6 is 1"});
    Timing timing = {0};
    Status status = time_methods(figure, panel, &plan, &timing, error);
    if (status != STATUS_OK) return status;
    report_times(figure, panel, "over sqrt(k0)", &timing);
    Exponents range = no_exponents();
    widen(&range, &timing);
    figure_fact(figure, timing.estimate, NAN,
                "steps of explicit Euler that an estimate of k0 takes");
    RoundExponents rounds = all_rounds(&timing);
    figure_found(
        figure,
        "16 x 16 particles, springs; each step in the best of %d rounds, bars to the slowest. "
        "Exponents of "
        "sqrt(k0): explicit Euler %.2f, LEU %.2f, RK4 %.2f (in single rounds %.2f to %.2f), "
        "implicit %.2f. The explicit ones take steps proportional to "
        "1/sqrt(k0); the implicit one keeps its step, and only its iterations change. This is "
        "the time of stepping: not in it is that we estimate k0 anew ten times a simulated second, "
        "whatever k0 is, which for explicit Euler takes as long as up to %.0f steps each.",
        plan.rounds, timing.exponent[1], timing.exponent[2], timing.exponent[3], rounds.low,
        rounds.high, timing.exponent[0], timing.estimate);
    verdict_proportional(figure, "sqrt(k0)", range);
    return status;
}

Status shinya_iterations(Figure *figure, Error *error)
{
    enum { STEPS = 6 };
    const double steps[STEPS] = {0.00125, 0.0025, 0.005, 0.01, 0.02, 0.04};
    Scene scenes[STEPS];
    RunCost cost[STEPS];
    char text[128];
    Status status = STATUS_OK;
    for (int i = 0; i < STEPS && status == STATUS_OK; i++) {
        snprintf(text, sizeof text, "integrator=backward-euler pcg_tolerance=0.01 step=%g",
                 steps[i]);
        status = cloth_with(16, 1e6, text, &scenes[i], error);
    }
    if (status == STATUS_OK)
        status = time_runs(figure, scenes, STEPS, figure->quick ? 0.4 : 1.0, figure->quick ? 4 : 8,
                           cost, error);
    if (status != STATUS_OK) return status;
    figure->across = 2;
    SvgAxis x = {.logarithmic = true, .label = "step h (s)"};
    Panel *left = figure_panel(figure, "Iterations", x,
                               (SvgAxis){.logarithmic = true, .label = "PCG iterations"});
    Panel *right = figure_panel(figure, "Time", x,
                                (SvgAxis){.logarithmic = true, .label = "time, h = 10 ms is 1"});
    Curve *total = panel_curve(left, "per simulated second", CURVE_BOTH);
    Curve *each = panel_curve(left, "per step", CURVE_BOTH);
    Curve *bound = panel_curve(left, "(35): (1/2) sqrt σ ln(2/ε)", CURVE_DASHED);
    Curve *time = panel_curve(right, "per simulated second", CURVE_BOTH);
    double worst_share = 0.0;
    for (int i = 0; i < STEPS; i++) {
        double sigma = 1.0 + steps[i] * steps[i] * 1e6;
        double most = 0.5 * sqrt(sigma) * log(2.0 / 0.01);
        curve_add(bound, steps[i], most);
        worst_share = fmax(worst_share, cost[i].products / cost[i].steps / most);
        curve_add(total, steps[i], cost[i].products);
        curve_add(each, steps[i], cost[i].products / cost[i].steps);
        curve_add_spread(time, steps[i], cost[i].best / cost[3].best, cost[i].best / cost[3].best,
                         cost[i].worst / cost[3].best);
    }
    figure_fact(figure, curve_exponent(total), NAN, "exponent of all iterations over h");
    figure_fact(figure, curve_exponent(each), NAN, "exponent of iterations per step over h");
    figure_fact(figure, curve_exponent(time), NAN, "exponent of time over h");
    figure_fact(figure, worst_share, NAN,
                "iterations per step / (1/2) sqrt(sigma) ln(2/eps), most");
    figure_found(
        figure,
        "16 x 16 particles, k0 = 1e6/s^2, tolerance ε = 0.01; times are of each step in the best "
        "of %d rounds, "
        "bars to the slowest. Iterations per step grow with the exponent %.2f of h (his estimate "
        "(36): 1), so all iterations together change with %.2f only, and time with %.2f. They are "
        "at most %.2f of what (35) allows with σ = 1 + h^2 k0: it lacks a sign, not a factor.",
        cost[0].rounds, curve_exponent(each), curve_exponent(total), curve_exponent(time),
        worst_share);
    verdict_iterations(figure, curve_exponent(each), curve_exponent(time));
    return status;
}

// k0 over time, in units of the one at rest.
typedef struct Stiffening {
    Curve *curve;
    double rest, most;
} Stiffening;

static void sample_k0(void *context, const Simulation *simulation)
{
    Stiffening *self = context;
    Readings now = simulation_readings(simulation);
    self->most = fmax(self->most, now.k0 / self->rest);
    curve_add(self->curve, now.time, now.k0 / self->rest);
}

Status shinya_safety(Figure *figure, Error *error)
{
    const double k0[] = {1e4, 1e5, 1e6};
    Growth growth[3];
    double most[3], seconds = figure->quick ? 1.0 : 4.0;
    Panel *panel = figure_panel(figure, "", (SvgAxis){.label = "simulated time (s)"},
                                (SvgAxis){.label = "k0 / k0 at rest"});
    Status status = STATUS_OK;
    for (int i = 0; i < 3 && status == STATUS_OK; i++) {
        Scene scene;
        Simulation *simulation = NULL;
        char name[64];
        snprintf(name, sizeof name, "k0 = %.0e/s²", k0[i]);
        Stiffening self = {.curve = panel_curve(panel, name, CURVE_LINE), .rest = k0[i]};
        status = cloth_with(16, k0[i], "integrator=symplectic-euler step=auto safety=0.8", &scene,
                            error);
        if (status == STATUS_OK) status = simulation_create(&scene, &simulation, error);
        if (status == STATUS_OK) run_until(figure, simulation, seconds, 0.02, sample_k0, &self);
        simulation_destroy(simulation);
        most[i] = self.most;
        growth[i] = (Growth){k0[i], self.most};
        figure_fact(figure, most[i], NAN, "largest k0 / k0 at rest, k0 = %.0e", k0[i]);
    }
    Curve *line = panel_curve(panel, "his safety factor 1.5", CURVE_DASHED);
    curve_add(line, 0.0, 1.5);
    curve_add(line, seconds, 1.5);
    figure_found(figure,
                 "A 16 x 16 cloth falls and hangs by two corners; k0 is estimated five to ten "
                 "times a second. Its stiffness grows by a factor of "
                 "%.3f at k0 = 1e4, where springs stretch far, %.3f at 1e5 and %.3f at 1e6. A step "
                 "from k0 at rest is safe when the factor in k0 is larger than this.",
                 most[0], most[1], most[2]);
    verdict_safety(figure, 1.5, growth, 3);
    return status;
}
