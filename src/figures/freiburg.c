// Freiburg: Stability of mass-point systems (slides, WS 07/08). One spring, x'' = -k x - gamma v.
#include "figures/sources.h"

#include <math.h>

// A value that a slide prints, the parameters that go with it, and theory's number for them.
static const struct {
    const char *scheme, *integrator;
    double k, h, gamma, printed;
    int decimals; // of the printed value
    double theory;
    const char *verdict;
} slides[] = {
    {"explicit Euler", "explicit-euler", 1000, 0.01, 0, 1.0488, 4, 1.0488088482,
     "ok: sqrt(1 + h² k)"},
    {"Euler-Cromer", "symplectic-euler", 1000, 0.01, 0, 1.0, 4, 1.0, "ok, for h² k < 4"},
    {"explicit Euler, damped", "explicit-euler", 10, 0.01, 1, 0.9955, 4, 0.9954898292, "ok"},
    {"Euler-Cromer, damped", "symplectic-euler", 100, 0.01, 1, 0.9955, 4, 0.9949874371,
     "should read 0.995"},
    {"explicit Euler, damped", "explicit-euler", 100, 0.01, 1, 1.0, 4, 1.0, "ok"},
    {"explicit Euler, damped", "explicit-euler", 1000, 0.01, 1, 1.044, 3, 1.0440306509, "ok"},
    {"Euler-Cromer, damped", "symplectic-euler", 1e5, 0.01, 1, 1.1465, 4, 7.8844361704,
     "k = 1e5 is wrong"},
    {"the same, k = 4e4", "symplectic-euler", 4e4, 0.01, 1, 1.1465, 4, 1.1465097170,
     "what it shows"},
    {"implicit Euler, damped", "backward-euler", 1000, 0.01, 1, 0.949, 3, 0.9491579958, "ok"},
    {"implicit Euler", "backward-euler", 1e3, 0.1, 0, 0.302, 3, 0.3015113446, "ok"},
    {"implicit Euler", "backward-euler", 1e8, 0.1, 0, 0.01, 2, 0.0009999995, "wrong by 10"},
};
enum { SLIDES = sizeof slides / sizeof slides[0] };

static Amplification of_slide(int i)
{
    Scheme scheme = scheme_named(slides[i].integrator);
    double h = slides[i].h;
    return amplification_at(&scheme, h * slides[i].gamma, h * h * slides[i].k, 1.0);
}

// The largest step at which two free masses, pulled apart, stay within ten times their stretch.
static double two_mass_limit(double k, double m0, double m1)
{
    double low = 1e-3, high = 1.0;
    for (int i = 0; i < 40; i++) {
        double h = 0.5 * (low + high), x0 = 0.0, x1 = 1.0, v0 = 0.0, v1 = 0.0, most = 0.0;
        for (int n = 0; n < 4000 && most < 1e6; n++) {
            double force = k * (x1 - x0);
            v0 += h * force / m0, v1 -= h * force / m1;
            x0 += h * v0, x1 += h * v1;
            most = fmax(most, fabs(x1 - x0));
        }
        if (most < 1e3)
            low = h;
        else
            high = h;
    }
    return low;
}

// A printed value agrees when ours rounds to it.
static bool agrees(int i)
{
    return fabs(of_slide(i).rho - slides[i].printed) <= 0.501 * pow(10.0, -slides[i].decimals);
}

// The largest norm of G^n in the energy's own measure: rho < 1 lets it grow at first.
static double largest_growth(const char *integrator, double X, double Y)
{
    Scheme scheme = scheme_named(integrator);
    Amplification a = amplification_at(&scheme, X, Y, 1.0);
    double q = sqrt(Y), G[2][2] = {{a.G[0][0], q * a.G[0][1]}, {a.G[1][0] / q, a.G[1][1]}};
    double most = 0.0;
    for (int n = 1; n <= 60; n++) most = fmax(most, norm_of_power((const double(*)[2])G, n));
    return most;
}

// "Errors do not grow within a step" asks for more than rho < 1; and two masses on a spring have
// the inverse of the reduced mass: Euler-Cromer is stable to h = 2/sqrt(k (1/m0 + 1/m1)).
static void check_more(Figure *figure)
{
    figure_fact(figure, largest_growth("symplectic-euler", 0.1, 3.6), 7.08,
                "largest growth of the energy norm, Euler-Cromer, X = 0.1, Y = 3.6");
    figure_fact(figure, largest_growth("explicit-euler", 3.6, 3.4), 6.4,
                "largest growth of the energy norm, explicit Euler, X = 3.6, Y = 3.4");
    figure_fact(figure, largest_growth("rk4", 0.8, 8.6), 0.994,
                "largest growth of the energy norm, RK4, X = 0.8, Y = 8.6");
    figure_fact(figure, two_mass_limit(100.0, 0.5, 2.0), 2.0 / sqrt(100.0 * 2.5),
                "two masses 0.5 and 2 on k = 100: largest step of Euler-Cromer");
}

Status freiburg_radii(Figure *figure, Error *error)
{
    (void)error;
    static const char *const heads[] = {"scheme", "k", "h", "γ", "slide", "ours", "verdict"};
    for (int c = 0; c < 7; c++) figure_cell(figure, 0, c, "%s", heads[c]);
    for (int i = 0; i < SLIDES; i++) {
        Amplification a = of_slide(i);
        figure_cell(figure, i + 1, 0, "%s", slides[i].scheme);
        figure_cell(figure, i + 1, 1, slides[i].k < 1e4 ? "%.0f" : "%.0e", slides[i].k);
        figure_cell(figure, i + 1, 2, "%g", slides[i].h);
        figure_cell(figure, i + 1, 3, "%g", slides[i].gamma);
        figure_cell(figure, i + 1, 4, "%g", slides[i].printed);
        figure_cell(figure, i + 1, 5, "%.10f", a.rho);
        figure_cell(figure, i + 1, 6, "%s", slides[i].verdict);
        figure_fact(figure, a.rho, slides[i].theory, "rho, %s, k = %g, h = %g", slides[i].scheme,
                    slides[i].k, slides[i].h);
    }
    // its matrix in (x, v): G12 times h, G21 over h
    static const char *const schemes[] = {"explicit-euler", "symplectic-euler", "backward-euler"};
    int row = SLIDES + 1;
    figure_cell(figure, row, 0, "G in (x, v) at k = 100, h = 0.01, γ = 1:");
    for (int s = 0; s < 3; s++) {
        Scheme scheme = scheme_named(schemes[s]);
        Amplification a = amplification_at(&scheme, 0.01, 0.01, 1.0);
        figure_cell(figure, row + 1 + s, 0, "%s: (%.6g, %.6g; %.6g, %.6g)",
                    scheme.integrator->short_label, a.G[0][0], 0.01 * a.G[0][1], a.G[1][0] / 0.01,
                    a.G[1][1]);
        const double det[] = {1.0, 0.99, 1.0 / 1.02};
        figure_fact(figure, a.G[0][0] * a.G[1][1] - a.G[0][1] * a.G[1][0], det[s], "det G, %s",
                    schemes[s]);
    }
    int agree = 0;
    for (int i = 0; i < SLIDES; i++) agree += agrees(i);
    check_more(figure);
    figure_found(
        figure,
        "%d of %d agree to their digits. Euler-Cromer with γ = 1 has sqrt(1 - hγ) = 0.99499 at any "
        "k; "
        "0.9955 is explicit Euler's value at k = 10. The growth of 1.1465 belongs to "
        "k = 4e4; at k = 1e5 it is 7.88. Implicit Euler at k = 1e8, h = 0.1 has 0.001. The "
        "slide's matrix of Euler-Cromer has its diagonal swapped: the eigenvalues are the "
        "same. rho < 1 does not mean that nothing grows within a step: at X = 0.1, Y = 3.6 "
        "Euler-Cromer has rho = 0.949, and the energy norm first grows %.1f times.",
        agree, SLIDES, largest_growth("symplectic-euler", 0.1, 3.6));
    figure_verdict(figure, "the method holds; %d of the %d printed numbers %s.", SLIDES - agree,
                   SLIDES, agree < SLIDES ? "do not belong to their parameters" : "are wrong");
    return STATUS_OK;
}

Status freiburg_phase(Figure *figure, Error *error)
{
    (void)error;
    static const struct {
        const char *title, *integrator;
        double k, gamma;
    } plots[] = {
        {"Explicit Euler, k = 100", "explicit-euler", 100, 0},
        {"Euler-Cromer, k = 100", "symplectic-euler", 100, 0},
        {"Explicit, γ = 1, k = 10", "explicit-euler", 10, 1},
        {"Explicit, γ = 1, k = 100", "explicit-euler", 100, 1},
        {"Explicit, γ = 1, k = 1000", "explicit-euler", 1000, 1},
        {"Implicit, γ = 1, k = 1000", "backward-euler", 1000, 1},
    };
    figure->across = 3;
    figure->square = true;
    double last[6];
    for (int i = 0; i < 6; i++) {
        double h = 0.01, w = sqrt(plots[i].k), u[2] = {1.0, 0.0};
        Panel *panel =
            figure_panel(figure, plots[i].title, (SvgAxis){.min = -2.2, .max = 2.2, .label = "x"},
                         (SvgAxis){.min = -2.2, .max = 2.2, .label = "v / ω"});
        Curve *curve = panel_curve(panel, "", CURVE_LINE);
        Scheme scheme = scheme_named(plots[i].integrator);
        Amplification a = amplification_at(&scheme, h * plots[i].gamma, h * h * plots[i].k, 1.0);
        for (int n = 0; n < 300 && hypot(u[0], u[1] / (h * w)) < 4.0; n++) {
            curve_add(curve, u[0], u[1] / (h * w)); // u = (x, h v)
            double next = a.G[0][0] * u[0] + a.G[0][1] * u[1];
            u[1] = a.G[1][0] * u[0] + a.G[1][1] * u[1];
            u[0] = next;
        }
        last[i] = a.rho;
        figure_fact(figure, a.rho, NAN, "rho, %s", plots[i].title);
    }
    figure_found(
        figure,
        "Phase plane over 3 s, h = 0.01, from x = 1. rho: %.4f and %.4f undamped; %.4f, %.4f "
        "and %.4f for damped explicit Euler at k = 10, 100, 1000; %.4f for implicit Euler. A "
        "spiral out means rho > 1, a closed curve rho = 1.",
        last[0], last[1], last[2], last[3], last[4], last[5]);
    figure_verdict(figure, "holds. rho = 1 is left open on the slides: it is bounded only if no "
                           "eigenvalue is double.");
    return STATUS_OK;
}
