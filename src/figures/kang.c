// Kang: Explicit but stable spring-damper model with harmonic oscillation (2017).
#include "figures/sources.h"
#include "figures/verdicts.h"
#include "integrators/propagator.h"

#include <math.h>

static Scheme harmonic(Harmonic kind, double coupling)
{
    Scheme scheme = scheme_named("harmonic");
    scheme.options.harmonic = kind;
    scheme.coupling = coupling;
    return scheme;
}

// rho of one spring at mu = h omega / pi.
static double rho_at(const Scheme *scheme, double mu)
{
    double theta = M_PI * mu;
    return amplification_at(scheme, 0.0, scheme->coupling * theta * theta, 1.0).rho;
}

// ---- fig. 2: windows of stability

// The end of the window that begins at 2n: z tan z = 1, mu = 2 z / pi.
static double window_end(const Scheme *scheme, int n)
{
    double low = 2.0 * n + 1e-4, high = 2.0 * n + 0.95;
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        if (rho_at(scheme, middle) <= 1.0 + 1e-12)
            low = middle;
        else
            high = middle;
    }
    return high;
}

// Where a curve is at most 1: a line at the height `y`.
static void add_windows(Panel *panel, const Curve *of, double y, const char *name)
{
    Curve *curve = panel_curve(panel, name, CURVE_LINE);
    curve->colour = of->colour;
    for (int i = 0; i < of->count; i++) {
        bool stable = of->points[i].y <= 1.0 + 1e-9;
        curve_add(curve, stable ? of->points[i].x : NAN, stable ? y : NAN);
    }
}

// Growth per step when the phase comes from (12): the arcsin takes |w| for w = h times the speed.
static double growth_with_arcsin(double mu)
{
    enum { STEPS = 20000 };
    double theta = M_PI * mu, delta = 1.0, w = 0.3, sum = 0.0;
    for (int n = 0; n < STEPS; n++) {
        w -= theta * sin(theta) * delta + (1.0 - cos(theta)) * fabs(w);
        delta += w;
        double size = hypot(theta * delta, w);
        sum += log(size);
        delta /= size, w /= size;
    }
    return exp(sum / STEPS);
}

// The largest stable h in units of his critical step (28), pi/omega.
static double critical_share(const char *integrator)
{
    Scheme scheme = scheme_named(integrator);
    double low = 0.0, high = 1.0;
    for (int i = 0; i < 60; i++) {
        double mu = 0.5 * (low + high);
        if (rho_at(&scheme, mu) <= 1.0 + 1e-12)
            low = mu;
        else
            high = mu;
    }
    return low < 1e-5 ? 0.0 : low;
}

static void check_phase_and_steps(Figure *figure)
{
    figure_fact(figure, growth_with_arcsin(0.1), 0.9997, "(12): growth with the arcsin, mu = 0.1");
    figure_fact(figure, growth_with_arcsin(0.5), 1.109, "(12): growth with the arcsin, mu = 0.5");
    figure_fact(figure, critical_share("symplectic-euler"), 2.0 / M_PI,
                "(28): limit of symplectic Euler / pi/omega");
    figure_fact(figure, critical_share("explicit-euler"), 0.0,
                "(28): limit of explicit Euler / pi/omega");
    Scheme right = harmonic(HARMONIC_CORRECTED, 1.0), printed = harmonic(HARMONIC_PRINTED, 1.0);
    figure_fact(figure,
                amplification_at(&printed, 0.0, 0.5, 1.0).G[1][0] /
                    amplification_at(&right, 0.0, 0.5, 1.0).G[1][0],
                0.125, "(14): impulse as printed / right, equal masses");
}

Status kang_windows(Figure *figure, Error *error)
{
    (void)error;
    Scheme right = harmonic(HARMONIC_CORRECTED, 1.0), printed = harmonic(HARMONIC_PRINTED, 1.0);
    Scheme chain = harmonic(HARMONIC_CORRECTED, 2.0),
           printed_chain = harmonic(HARMONIC_PRINTED, 2.0);
    SvgAxis mu = {.min = 0, .max = 9, .label = "μ = h ω / π", .whole = true};
    SvgAxis rho = {.min = 0.2, .max = 2.5, .label = "growth per step"};
    static const char *const titles[] = {"One spring", "A chain: its stiffest mode"};
    for (int p = 0; p < 2; p++) {
        Panel *panel = figure_panel(figure, titles[p], mu, rho);
        Curve *a = panel_curve(panel, "the right impulse", CURVE_LINE);
        Curve *b = panel_curve(panel, "as printed: an eighth of it", CURVE_LINE);
        for (int i = 1; i <= 900; i++) {
            curve_add(a, i / 100.0, rho_at(p == 0 ? &right : &chain, i / 100.0));
            curve_add(b, i / 100.0, rho_at(p == 0 ? &printed : &printed_chain, i / 100.0));
        }
        add_windows(panel, a, 0.34, "bars: stable, right impulse");
        add_windows(panel, b, 0.27, "bars: stable, as printed");
        const double runs[] = {2.0625, 6.0625, 8.0625};
        for (int i = 0; i < 3; i++) {
            double y = fmin(rho_at(p == 0 ? &right : &chain, runs[i]), 2.4);
            panel_note_from(panel, runs[i], y, runs[i] + 0.12, y > 2.0 ? y : y + 0.3, "%g",
                            runs[i]);
        }
    }
    const double ends[] = {0.5477053736, 2.1808164439, 4.0981113015, 6.0665627000, 8.0502398740};
    for (int n = 0; n < 5; n++)
        figure_fact(figure, window_end(&right, n), ends[n], "end of the window from mu = %d",
                    2 * n);
    const double mus[] = {0.1, 0.25, 0.5, 0.55, 1.0, 2.0625, 6.0625, 8.0625};
    const double rhos[] = {0.9752212653, 0.8408964153, 0.5707963268, 1.0168757344,
                           1.0,          0.9903460407, 0.9903460407, 2.5806167076};
    for (int i = 0; i < 8; i++)
        figure_fact(figure, rho_at(&right, mus[i]), rhos[i], "rho, right impulse, mu = %g", mus[i]);
    check_phase_and_steps(figure);
    double end = window_end(&chain, 0) * M_PI;
    figure_fact(figure, 2.0 * end * end, 2.3193151648, "Y limit of a chain");
    figure_found(
        figure,
        "With the right impulse a spring is stable for 0 < μ < %.4f, then only in narrow "
        "windows above even numbers: to %.4f, %.4f, %.4f, %.4f. So 2.0625 and 6.0625 are "
        "inside, where the spring acts with 3 %% and 1 %% of its stiffness, and 8.0625 grows "
        "%.2f times a step. As printed, with an eighth of the impulse, all three are stable. "
        "Circles at the upper edge are off the scale. On a chain the first window ends at Y = "
        "%.4f, less than symplectic Euler's 4, which "
        "itself fails before his critical step, at 0.637 of it.",
        window_end(&right, 0), window_end(&right, 1), window_end(&right, 2), window_end(&right, 3),
        window_end(&right, 4), rho_at(&right, 8.0625), 2.0 * end * end);
    figure_verdict(figure,
                   "does not hold: steps beyond the critical one work by aliasing and by an "
                   "impulse that is eight times too weak.");
    return STATUS_OK;
}

// ---- fig. 3: integer multiples

Status kang_multiples(Figure *figure, Error *error)
{
    (void)error;
    Scheme scheme = harmonic(HARMONIC_CORRECTED, 1.0);
    Panel *panel = figure_panel(figure, "", (SvgAxis){.label = "steps", .whole = true},
                                (SvgAxis){.min = -1, .max = 12, .label = "stretch, start = 1"});
    double moved[4];
    for (int mu = 1; mu <= 4; mu++) {
        char name[48];
        snprintf(name, sizeof name, "μ = %d", mu);
        Curve *curve = panel_curve(panel, name, CURVE_LINE);
        Amplification a = amplification_at(&scheme, 0.0, M_PI * M_PI * mu * mu, 1.0);
        double u[2] = {1.0, 0.5}; // stretch and h times its speed
        for (int n = 0; n <= 20; n++) {
            curve_add(curve, n, u[0]);
            moved[mu - 1] = u[0];
            double next = a.G[0][0] * u[0] + a.G[0][1] * u[1];
            u[1] = a.G[1][0] * u[0] + a.G[1][1] * u[1];
            u[0] = next;
        }
        figure_fact(figure, a.G[1][1], mu % 2 ? -1.0 : 1.0, "factor of the speed, mu = %d", mu);
        figure_fact(figure, a.G[1][0], 0.0, "speed from stretch, mu = %d", mu);
    }
    figure_found(
        figure,
        "A spring stretched by 1 and opening by 0.5 a step. At even multiples the impulse is zero "
        "and the masses drift freely: after 20 steps the stretch is %.1f. At odd multiples it "
        "reverses the velocity: the stretch goes to and fro, and is %.1f after 20 steps. The "
        "impulse vanishes there only for a spring at rest.",
        moved[1], moved[0]);
    figure_verdict(figure, "no motion by the spring holds for even multiples only.");
    return STATUS_OK;
}

// ---- fig. 4: 16,384 points on a sphere

Status kang_sphere(Figure *figure, Error *error)
{
    static const struct {
        const char *name, *assignments;
    } methods[] = {
        {"symplectic Euler", "integrator=symplectic-euler"},
        {"harmonic, right", "integrator=harmonic harmonic=corrected"},
        {"harmonic, in sequence", "integrator=harmonic harmonic=corrected sequence=on"},
        {"harmonic, clamped, h = 5 ms",
         "integrator=harmonic harmonic=clamped sequence=on step=0.005"},
        {"backward Euler, h = 10 ms", "integrator=backward-euler step=0.01"},
    };
    enum {
        METHODS = sizeof methods / sizeof methods[0],
        FIRST_OF_HIS = 1,
        LAST_OF_HIS = 3,
        IMPLICIT = 4
    };
    int side = figure->quick ? 32 : 128, particles = side * side;
    snprintf(figure->title, sizeof figure->title, "%d,%03d particles on a sphere", particles / 1000,
             particles % 1000);
    Scene scenes[METHODS];
    RunCost cost[METHODS];
    Status status = STATUS_OK;
    for (int m = 0; m < METHODS && status == STATUS_OK; m++) {
        status = scene_with("sphere", methods[m].assignments, &scenes[m], error);
        scenes[m].params.rows = scenes[m].params.columns = side;
        scenes[m].params.self_contact = 0;
    }
    if (status == STATUS_OK)
        status = time_runs(figure, scenes, METHODS, figure->quick ? 0.05 : 0.1, 3, cost, error);
    if (status != STATUS_OK) return status;
    static const char *const heads[] = {"method", "step, ms", "real-time factor", "time, SE = 1",
                                        "outcome"};
    for (int c = 0; c < 5; c++) figure_cell(figure, 0, c, "%s", heads[c]);
    for (int m = 0; m < METHODS; m++) {
        figure_cell(figure, m + 1, 0, "%s", methods[m].name);
        figure_cell(figure, m + 1, 1, "%.3g", 1e3 / cost[m].steps);
        figure_cell(figure, m + 1, 2, "%.2g to %.2g", 1.0 / cost[m].worst, 1.0 / cost[m].best);
        figure_cell(figure, m + 1, 3, "%.2f to %.2f", cost[m].best / cost[0].best,
                    cost[m].worst / cost[0].best);
        figure_cell(figure, m + 1, 4, "%s", cost[m].diverged ? "diverged" : "stable");
        figure_fact_spread(figure, cost[m].best / cost[0].best, NAN, cost[m].best / cost[0].best,
                           cost[m].worst / cost[0].best, "time, symplectic Euler = 1, %s",
                           methods[m].name);
    }
    figure_found(
        figure,
        "%d,%03d particles fall on a sphere, one thread, no contact of the cloth with itself; a "
        "frame of 1/60 s takes 1/60 s at a real-time factor of 1. The harmonic method takes "
        "%.2g times the time of symplectic Euler, because its step is smaller and its "
        "springs cost more. Clamped and in sequence it takes large steps, and the cloth gets "
        "soft.",
        particles / 1000, particles % 1000, cost[1].best / cost[0].best);
    double his = 0.0;
    for (int m = FIRST_OF_HIS; m <= LAST_OF_HIS; m++)
        if (!cost[m].diverged) his = fmax(his, 1.0 / cost[m].best);
    int other = cost[IMPLICIT].best < cost[0].best ? IMPLICIT : 0;
    verdict_real_time(figure, particles, his, methods[other].name, 1.0 / cost[other].best);
    return status;
}

// ---- the damped propagator

// His impulse holds the spring only, not its damper (19) to (23): theory section 9.
static double printed_damped_rho(double X, double Y)
{
    Propagator E = propagator(X, Y);
    // kappa times the integral of delta: Y int_0^1 (E11 delta + E12 w) dt
    double from_delta = E.E12 + X * E.p2; // int E11 = E12 + X p2
    double G[2][2];
    G[1][0] = -Y * from_delta;
    G[1][1] = 1.0 - Y * E.p2;
    G[0][0] = 1.0 + G[1][0];
    G[0][1] = G[1][1];
    return amplification_judge(G).rho;
}

// The largest xi for which (27) has a real omega_d: masses and kappa 1, so k_d = 2 xi sqrt(1/2).
static double largest_printed_xi(void)
{
    double low = 0.0, high = 2.0;
    for (int i = 0; i < 60; i++) {
        double xi = 0.5 * (low + high), k_d = 2.0 * xi * sqrt(0.5);
        if (1.0 - k_d * k_d * 2.0 / 2.0 >= 0.0) // k_d^2 (m_i + m_j) / (2 kappa m_i m_j)
            low = xi;
        else
            high = xi;
    }
    return low;
}

Status kang_propagator(Figure *figure, Error *error)
{
    (void)error;
    static const struct {
        const char *name;
        double xi;
    } regimes[] = {
        {"underdamped, ξ = 0.3", 0.3}, {"critical, ξ = 1", 1.0}, {"overdamped, ξ = 3", 3.0}};
    Panel *panel = figure_panel(figure, "", (SvgAxis){.label = "ω t"},
                                (SvgAxis){.min = -0.5, .max = 1.05, .label = "stretch, start = 1"});
    double worst = 0.0;
    for (int r = 0; r < 3; r++) {
        double xi = regimes[r].xi, u[2] = {1.0, 0.0};
        char name[64];
        Curve *fine = panel_curve(panel, regimes[r].name, CURVE_LINE);
        for (int i = 0; i <= 200; i++) {
            double t = i * 0.06;
            curve_add(fine, t, propagator(2.0 * xi * t, t * t).E11);
        }
        snprintf(name, sizeof name, "in steps of ω h = 1.5");
        Curve *coarse = panel_curve(panel, r == 0 ? name : "", CURVE_DOTS);
        coarse->colour = fine->colour;
        Propagator E = propagator(2.0 * xi * 1.5, 2.25);
        for (int n = 0; n <= 8; n++) {
            curve_add(coarse, 1.5 * n, u[0]);
            worst = fmax(worst, fabs(u[0] - propagator(3.0 * xi * n, 2.25 * n * n).E11));
            double next = E.E11 * u[0] + E.E12 * u[1];
            u[1] = E.E21 * u[0] + E.E22 * u[1];
            u[0] = next;
        }
    }
    // (9) and (12) know no damping: from x = 1, v = 0 they begin with v = -alpha
    Curve *printed_motion = panel_curve(panel, "ξ = 0.3 with the amplitude (9)", CURVE_DASHED);
    for (int i = 0; i <= 200; i++) {
        double t = i * 0.06;
        curve_add(printed_motion, t, exp(-0.3 * t) * cos(sqrt(1.0 - 0.09) * t));
    }
    figure_fact(figure, largest_printed_xi(), 0.7071067812,
                "(27): xi above which omega_d is imaginary");
    double theta = 0.1 * M_PI, X = 0.6 * theta, Y = theta * theta;
    double exact = exp(-0.5 * X), printed = printed_damped_rho(X, Y), se = sqrt(1.0 - X);
    figure_fact(figure, worst, 0.0, "largest difference between one step and several");
    figure_fact(figure, exact, 0.910, "rho, exact, xi = 0.3, mu = 0.1");
    figure_fact(figure, se, 0.901, "rho, symplectic Euler, likewise");
    figure_fact(figure, printed, 0.977, "rho, without the damper's own impulse, likewise");
    figure_found(
        figure,
        "One formula, without amplitude, phase or division by ω_d, holds in all three "
        "regimes; steps of any length end on the true motion (largest difference %.0e). As "
        "printed, only ξ < 0.707 has a real ω_d, the amplitude (9) is the undamped one (dashed), "
        "and "
        "the damper's own impulse is missing: at "
        "ξ = 0.3, μ = 0.1 the growth per step is %.3f instead of %.3f.",
        worst, printed, exact);
    figure_verdict(figure,
                   "the printed damping does not hold: most of it is lost, and two of three "
                   "regimes are missing.");
    return STATUS_OK;
}
