// Joubert: An introduction to simulation (lecture notes, 2009).
#include "figures/sources.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name, *integrator;
} three[] = {
    {"explicit Euler: velocity of the start", "explicit-euler"},
    {"symplectic Euler: velocity of the end", "symplectic-euler"},
    {"implicit Euler", "backward-euler-newton"},
};

// ---- figs 4 and 5: the orbit

typedef struct Orbit {
    Curve *path, *energy;
    double start;          // J
    double speed, fastest; // m/s at the last sample; largest growth of it in one step
} Orbit;

static double total(const Simulation *simulation)
{
    return energy_total(simulation_energy(simulation));
}

static void sample_orbit(void *context, const Simulation *simulation)
{
    Orbit *self = context;
    float v[3], x[3], centre[3];
    simulation_motion(simulation, 0, v, centre);
    simulation_motion(simulation, 1, v, x);
    if (self->start == 0.0) self->start = total(simulation);
    double speed = sqrt((double)(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
    if (self->speed > 0.0) self->fastest = fmax(self->fastest, speed / self->speed);
    self->speed = speed;
    curve_add(self->path, (double)(x[0] - centre[0]), (double)(x[1] - centre[1]));
    curve_add(self->energy, simulation_time(simulation), total(simulation) / self->start);
}

Status joubert_orbit(Figure *figure, Error *error)
{
    figure->across = 2;
    figure->square = true;
    double reach = 1.6, end[3] = {0}, fastest = 0.0;
    Panel *path = figure_panel(figure, "Path of the ball, h = 0.02 s",
                               (SvgAxis){.min = -reach, .max = reach, .label = "x (m)"},
                               (SvgAxis){.min = -reach, .max = reach, .label = "y (m)"});
    Panel *energy =
        figure_panel(figure, "Energy", (SvgAxis){.label = "simulated time (s)"},
                     (SvgAxis){.min = 0, .max = 4, .label = "energy / energy at the start"});
    Status status = STATUS_OK;
    for (int m = 0; m < 3 && status == STATUS_OK; m++) {
        Scene scene;
        Simulation *simulation = NULL;
        Orbit self = {.path = panel_curve(path, three[m].name, CURVE_LINE),
                      .energy = panel_curve(energy, three[m].name, CURVE_LINE)};
        status = scene_with("orbit", "step=0.02 on_divergence=continue ground=-100", &scene, error);
        scene.params.integrator = integrator_find(three[m].integrator);
        if (status == STATUS_OK) status = simulation_create(&scene, &simulation, error);
        if (status == STATUS_OK) run_until(figure, simulation, 5.0, 0.02, sample_orbit, &self);
        if (status == STATUS_OK) end[m] = total(simulation) / self.start;
        if (m == 1) fastest = self.fastest;
        simulation_destroy(simulation);
        figure_fact(figure, end[m], NAN, "energy after 5 s / at the start, %s",
                    three[m].integrator);
    }
    figure_fact(figure, fastest, NAN, "largest growth of |v| in one step, symplectic Euler");
    figure_found(
        figure,
        "After 5 s explicit Euler has %.2f times its energy and leaves the circle, "
        "symplectic Euler %.3f, implicit Euler %.2f: it falls inwards. The only difference "
        "between the first two is which velocity moves the ball. His proof of instability "
        "uses the second update, which is stable, and one step in which |v| grows, which proves "
        "nothing: here it grows up to %.3f times in a step, and the orbit stays.",
        end[0], end[1], end[2], fastest);
    figure_verdict(figure,
                   "explicit spirals out, implicit in: holds. That the velocity of start or end "
                   "does not matter: does not hold.");
    return status;
}

// ---- figs 6 and 7: areas under the force curve

// x'' = -x from x = 1: force -cos t. The area of a step that starts at t, and what each method
// takes.
Status joubert_area(Figure *figure, Error *error)
{
    (void)error;
    const double h = 0.5;
    figure->across = 2;
    Panel *left = figure_panel(figure, "The force, and what two steps take",
                               (SvgAxis){.min = 0, .max = M_PI, .label = "time, x'' = -x"},
                               (SvgAxis){.min = -1.1, .max = 1.1, .label = "force"});
    Curve *force = panel_curve(left, "force along the true motion", CURVE_LINE);
    for (int i = 0; i <= 90; i++) curve_add(force, i * M_PI / 90, -cos(i * M_PI / 90));
    Curve *explicit_area = panel_curve(left, "explicit: value at the start", CURVE_AREA);
    Curve *implicit_area = panel_curve(left, "implicit: value at the end", CURVE_AREA);
    for (double t = 0.4; t < 2.7; t += 1.7) {
        const double corner[4][2] = {{t, 0}, {t + h, 0}, {t + h, 1}, {t, 1}};
        for (int c = 0; c < 4; c++) {
            curve_add(explicit_area, corner[c][0], -cos(t) * corner[c][1]);
            curve_add(implicit_area, corner[c][0], -cos(t + h) * corner[c][1]);
        }
        curve_add(explicit_area, NAN, NAN);
        curve_add(implicit_area, NAN, NAN);
    }
    Panel *right = figure_panel(figure, "Area taken minus true area",
                                (SvgAxis){.min = 0, .max = 2 * M_PI, .label = "start of the step"},
                                (SvgAxis){.label = "error of |area|"});
    Curve *first = panel_curve(right, "explicit", CURVE_LINE);
    Curve *last = panel_curve(right, "implicit", CURVE_LINE);
    first->colour = explicit_area->colour, last->colour = implicit_area->colour;
    double over = 0.0;
    for (int i = 0; i <= 180; i++) {
        double t = 2 * M_PI * i / 180, area = -(sin(t + h) - sin(t));
        double error_first = fabs(-h * cos(t)) - fabs(area);
        curve_add(first, t, error_first);
        curve_add(last, t, fabs(-h * cos(t + h)) - fabs(area));
        over += error_first > 0.0;
    }
    figure_fact(figure, over / 181, NAN, "share of steps in which explicit Euler takes too much");
    figure_found(
        figure,
        "Explicit Euler takes too much while the force falls towards zero and too little "
        "while it rises: %.0f %% of a period are too much. Implicit Euler does the opposite. What "
        "makes one gain energy and the other lose it is not the area but that force and "
        "velocity are taken at different times.",
        100 * over / 181);
    figure_verdict(figure, "over- and underestimating hold for one sign of the slope only.");
    return STATUS_OK;
}

// ---- fig. 8: the linearised force. A pendulum, x'' = -k sin x - d v.

typedef struct Pendulum {
    double x, v;
} Pendulum;

// One step of implicit Euler: (1 + X)(y - x) - h v + Y sin y = 0, by Newton from y = x.
static Pendulum pendulum_step(Pendulum p, double h, double k, double d, int iterations)
{
    double X = h * d, Y = h * h * k, y = p.x;
    for (int i = 0; i < iterations; i++)
        y -= ((1.0 + X) * (y - p.x) - h * p.v + Y * sin(y)) / (1.0 + X + Y * cos(y));
    return (Pendulum){y, (y - p.x) / h};
}

Status joubert_linearised(Figure *figure, Error *error)
{
    (void)error;
    Pendulum start = {1.0, 0.5};
    Pendulum newton = pendulum_step(start, 0.5, 1.0, 0.1, 30);
    Pendulum one = pendulum_step(start, 0.5, 1.0, 0.1, 1);
    Panel *panel = figure_panel(figure, "", (SvgAxis){.min = 0, .max = 3, .label = "x"},
                                (SvgAxis){.min = -1.9, .max = 0.2, .label = "force -k sin x"});
    Curve *force = panel_curve(panel, "force", CURVE_LINE);
    Curve *tangent = panel_curve(panel, "Taylor's first order at x = 1", CURVE_DASHED);
    for (int i = 0; i <= 60; i++) {
        double x = i / 20.0;
        curve_add(force, x, -sin(x));
        curve_add(tangent, x, -sin(1.0) - cos(1.0) * (x - 1.0));
    }
    panel_note(panel, 1.0, -sin(1.0), "start");
    double far = 2.5;
    panel_note(panel, far, -sin(far), "future force");
    panel_note(panel, far, -sin(1.0) - cos(1.0) * (far - 1.0), "linearised");
    figure_fact(figure, newton.x, 1.033543380372, "x after a step, Newton");
    figure_fact(figure, newton.v, 0.067086760743, "v after a step, Newton");
    figure_fact(figure, one.x, 1.033442807012, "x after a step, linearised");
    figure_fact(figure, one.v, 0.066885614023, "v after a step, linearised");
    // dv = h (F + h F' v) / (1 - h^2 F' - h dF/dv), with F = -sin x - 0.1 v
    double h = 0.5, push = -sin(start.x) - 0.1 * start.v, slope = -cos(start.x);
    figure_fact(figure,
                start.v + h * (push + h * slope * start.v) / (1.0 - h * h * slope + 0.1 * h), one.v,
                "the same by (30) to (34), corrected");
    figure_found(
        figure,
        "A pendulum from x = 1, v = 0.5 with h = 0.5, d = 0.1: the implicit step ends at %.9f, "
        "the linearised one at %.9f. One Newton step is enough while the step is small "
        "against the curvature; far away the tangent is wrong even in its sign. (30) to (34) "
        "lack Δx, h and h²/M.",
        newton.x, one.x);
    figure_verdict(figure, "holds as a picture; the printed formulas need "
                           "Δv = (I - h² M⁻¹ ∂F/∂x - h M⁻¹ ∂F/∂v)⁻¹ h M⁻¹ (F + h ∂F/∂x v).");
    return STATUS_OK;
}

// ---- fig. 2: a ball falls on a spring

typedef struct Fall {
    Curve *height, *energy;
    double first, start;
} Fall;

static void sample_fall(void *context, const Simulation *simulation)
{
    Fall *self = context;
    float v[3], x[3];
    simulation_motion(simulation, 1, v, x);
    double t = simulation_time(simulation);
    if (t == 0.0) self->first = (double)x[1], self->start = total(simulation);
    curve_add(self->height, t, (double)x[1] - self->first);
    curve_add(self->energy, t, total(simulation) - self->start);
}

// y'' = -w^2 (y - rest) from y = 0: 0.15 m above its rest, which gravity lowers by g/w^2.
static double true_fall(double t)
{
    double w = 20.0, rest = 0.15 - 9.81 / (w * w);
    return rest * (1.0 - cos(w * t));
}

Status joubert_spring(Figure *figure, Error *error)
{
    figure->across = 2;
    Panel *left =
        figure_panel(figure, "Height, h = 0.01 s", (SvgAxis){.label = "simulated time (s)"},
                     (SvgAxis){.min = -0.35, .max = 0.65, .label = "height (m)"});
    Panel *right = figure_panel(figure, "Energy added", (SvgAxis){.label = "simulated time (s)"},
                                (SvgAxis){.min = -6, .max = 12, .label = "energy (J)"});
    Curve *truth = panel_curve(left, "true", CURVE_DASHED);
    for (int i = 0; i <= 200; i++) curve_add(truth, i * 0.005, true_fall(i * 0.005));
    Status status = STATUS_OK;
    double end[3] = {0}, worst = 0.0;
    for (int m = 0; m < 3 && status == STATUS_OK; m++) {
        Scene scene;
        Simulation *simulation = NULL;
        Fall self = {.height = panel_curve(left, three[m].name, CURVE_LINE),
                     .energy = panel_curve(right, three[m].name, CURVE_LINE)};
        self.energy->colour = self.height->colour;
        status =
            scene_with("spring", "step=0.01 on_divergence=continue ground=-100", &scene, error);
        scene.params.integrator = integrator_find(three[m].integrator);
        if (status == STATUS_OK) status = simulation_create(&scene, &simulation, error);
        if (status == STATUS_OK) run_until(figure, simulation, 1.0, 0.01, sample_fall, &self);
        simulation_destroy(simulation);
        if (status != STATUS_OK) break;
        end[m] = self.energy->points[self.energy->count - 1].y;
        for (int i = 0; m == 1 && i < self.height->count; i++)
            worst =
                fmax(worst, fabs(self.height->points[i].y - true_fall(self.height->points[i].x)));
        figure_fact(figure, end[m], NAN, "energy added in 1 s (J), %s", three[m].integrator);
    }
    figure_fact(figure, worst, NAN, "largest error of symplectic Euler (m)");
    figure_found(
        figure,
        "A kilogram on 400 N/m, ω h = 0.2. In one second explicit Euler adds %.3g J, "
        "symplectic Euler %.2g J, implicit Euler %.2g J. Symplectic Euler stays within %.3f "
        "m of the true motion.",
        end[0], end[1], end[2], worst);
    figure_verdict(figure,
                   "holds: explicit gains, implicit loses. Symplectic Euler, his actual update, "
                   "does neither.");
    return status;
}

// ---- stability of the linearised implicit step

// Does a pendulum that is almost upright stay there?
static bool stays_upright(double h, int iterations)
{
    Pendulum p = {M_PI + 1e-3, 0.0};
    for (int n = 0; n < 400; n++) p = pendulum_step(p, h, 1.0, 0.0, iterations);
    return fabs(p.x - M_PI) < 1e-3;
}

Status joubert_stability(Figure *figure, Error *error)
{
    (void)error;
    Scheme scheme = scheme_named("backward-euler");
    Panel *panel = figure_panel(figure, "", (SvgAxis){.min = 0, .max = 8, .label = "Y = h² k"},
                                (SvgAxis){.min = 0, .max = 4, .label = "growth per step"});
    Curve *down = panel_curve(panel, "hanging: physics oscillates", CURVE_LINE);
    Curve *up = panel_curve(panel, "upright: physics falls", CURVE_LINE);
    Curve *physics = panel_curve(panel, "upright, true growth exp(h sqrt k)", CURVE_DASHED);
    for (int i = 1; i <= 320; i++) {
        double Y = i / 40.0, upright = amplification_at(&scheme, 0.0, -Y, 1.0).rho;
        curve_add(down, Y, amplification_at(&scheme, 0.0, Y, 1.0).rho);
        curve_add(up, Y, fabs(Y - 1.0) < 0.03 ? NAN : upright);
        curve_add(physics, Y, exp(sqrt(Y)));
    }
    panel_note(panel, 4.0, 1.0, "Y = 4: upright becomes stable");
    figure_fact(figure, stays_upright(1.9, 30), 0.0, "stays upright, h = 1.9, Newton");
    figure_fact(figure, stays_upright(2.1, 30), 1.0, "stays upright, h = 2.1, Newton");
    figure_fact(figure, stays_upright(1.9, 1), 0.0, "stays upright, h = 1.9, linearised");
    figure_fact(figure, stays_upright(2.1, 1), 1.0, "stays upright, h = 2.1, linearised");
    figure_fact(figure, amplification_at(&scheme, 0.0, -0.81, 1.0).rho, 10.0, "rho at Y = -0.81");
    figure_found(
        figure,
        "A pendulum with k = 1. Hanging, every step decays. Upright it should fall, but the "
        "implicit step lets it stand once Y > 4 + 2X: h = 1.9 falls, h = 2.1 stays, with one "
        "Newton step or thirty. Near Y = 1 the step is singular: growth 10 at Y = 0.81.");
    figure_verdict(figure,
                   "unconditionally stable holds where the force resists; where it does not, "
                   "the method hides or invents motion.");
    return STATUS_OK;
}
