// Ahmad, Adly, Terraz, Ghazanfarpour: Stability analysis of filtered mass-spring systems (2007).
// What methods do to motion, and what they cost; ahmad_filter.c has the filter and its limits.
#include "figures/sources.h"

#include <math.h>
#include <stdlib.h>

// ---- fig. 1: how far a force travels

enum { ROPE = 41 };

// A rope at rest in empty space, whose first particle is pulled to the left. Its spacing is 1/32 m,
// a power of two, so no spring is off its rest length by rounding.
static Status pull_rope(const char *assignments, double Y, Simulation **out, Error *error)
{
    Scene scene;
    Status status = scene_with("rope",
                               "columns=41 size=1.25 bend=0 gravity=0 air=0 alpha=0 stretch=1000 "
                               "ground=-100 pcg_tolerance=1e-15 on_divergence=continue",
                               &scene, error);
    if (status == STATUS_OK) status = assign_all(&scene.params, assignments, error);
    scene.pins = 0;
    double k0 = 1.0;
    if (status == STATUS_OK) status = scene_k0(&scene, &k0, error);
    // the stiffest mode of n free masses has 4 k/m cos^2(pi/2n)
    double spring = k0 / (4.0 * pow(cos(M_PI / (2.0 * ROPE)), 2.0));
    scene.params.step = sqrt(Y / spring);
    if (status == STATUS_OK) status = simulation_create(&scene, out, error);
    if (status != STATUS_OK) return status;
    float shape[3 * ROPE] = {-1.0f};
    Command command = {.kind = COMMAND_EXCITE, .excite = {shape, ROPE, 1e-3}};
    return simulation_apply(*out, &command, error);
}

// How far each particle has moved along the rope, m.
static void moves_of(const Simulation *simulation, const double *start, double *moved)
{
    double x[3 * ROPE];
    simulation_positions_at(simulation, simulation_time(simulation), x);
    for (int i = 0; i < ROPE; i++) moved[i] = fabs(x[3 * i] - start[3 * i]);
}

// The last particle that has moved at all: one that the pull has not reached stands still exactly.
static int reach_of(const double *moved)
{
    int last = 0;
    for (int i = 0; i < ROPE; i++) {
        if (moved[i] > 0.0) last = i;
    }
    return last;
}

Status ahmad_propagation(Figure *figure, Error *error)
{
    static const struct {
        const char *name, *assignments;
    } methods[] = {{"forward Euler", "integrator=explicit-euler"},
                   {"forward-backward Euler", "integrator=symplectic-euler"},
                   {"backward Euler", "integrator=backward-euler"}};
    enum { STEPS = 20 };
    figure->across = 2;
    Panel *left =
        figure_panel(figure, "Last particle that moves", (SvgAxis){.label = "steps", .whole = true},
                     (SvgAxis){.label = "springs away", .whole = true});
    Panel *right = figure_panel(
        figure, "After 8 steps", (SvgAxis){.label = "particle", .whole = true},
        (SvgAxis){.logarithmic = true, .min = 1e-6, .max = 100.0, .label = "moved / pull"});
    int fourth[3] = {-1, -1, -1}, last[3] = {0}, at_once = 0;
    double decay = 0.0;
    Status status = STATUS_OK;
    for (int m = 0; m < 3 && status == STATUS_OK; m++) {
        Simulation *simulation = NULL;
        double start[3 * ROPE], moved[ROPE], pull = 0.0;
        Curve *reach = panel_curve(left, methods[m].name, CURVE_BOTH);
        Curve *profile = panel_curve(right, methods[m].name, CURVE_BOTH);
        status = pull_rope(methods[m].assignments, 0.9, &simulation, error);
        if (status == STATUS_OK) simulation_positions_at(simulation, 0.0, start);
        // the first step moves the first particle: count from there
        for (int n = 0; n <= STEPS && status == STATUS_OK; n++) {
            simulation_step(simulation, NULL);
            moves_of(simulation, start, moved);
            if (n == 0) pull = moved[0];
            if (n == 0 && m == 2) decay = moved[6] / moved[5];
            last[m] = reach_of(moved);
            if (n == 0) at_once = last[m];
            curve_add(reach, n, last[m]);
            if (moved[4] > 0.0 && fourth[m] < 0) fourth[m] = n;
            for (int i = 0; i < ROPE && n == 8; i++) {
                if (moved[i] > 1e-6 * pull) curve_add(profile, i, moved[i] / pull);
            }
        }
        simulation_destroy(simulation);
    }
    figure_fact(figure, fourth[0], 8.0, "steps until the fifth particle moves, forward Euler");
    figure_fact(figure, fourth[1], 4.0, "the same, forward-backward Euler");
    figure_fact(figure, fourth[2], 0.0, "the same, backward Euler");
    figure_fact(figure, last[0], 10.0, "springs reached after 20 steps, forward Euler");
    figure_fact(figure, last[1], 20.0, "springs reached after 20 steps, forward-backward Euler");
    // Y r^2 - (1 + 2Y) r + Y = 0
    figure_fact(figure, decay, (2.8 - sqrt(2.8 * 2.8 - 4.0 * 0.81)) / 1.8,
                "decay from one particle to the next in a step of backward Euler");
    figure_found(
        figure,
        "Counted from the step that moves the first particle, the fifth moves after %d steps "
        "of forward Euler, %d of forward-backward Euler and %d of backward Euler; h^2 k/m = "
        "0.9. To the end of n particles it takes 2(n - 1) and n - 1 steps, not 2(n - 1)^2. "
        "Backward Euler reaches all at once, with a strength that falls to %.3f from one "
        "to the next: %d springs away it is as small as the last bit of a position. Real waves "
        "have a finite speed.",
        fourth[0], fourth[1], fourth[2], decay, at_once);
    figure_verdict(
        figure, "%s",
        fourth[0] == 8 && fourth[1] == 4 && fourth[2] == 0
            ? "the picture holds; 2(n - 1)^2 should read 2(n - 1), and forces do not travel "
              "instantly in reality."
            : "does not hold here: see the steps until the fifth particle moves.");
    return status;
}

// ---- figs 4 and 5: velocities

enum { SIDE = 16, SHOWN = 64 };

static const struct {
    const char *name, *assignments;
} three[] = {
    {"Forward-backward Euler", "integrator=symplectic-euler step=0.01"},
    {"Backward Euler", "integrator=backward-euler step=0.01"},
    {"Forward-backward Euler, filter λ = 1",
     "integrator=symplectic-euler step=0.01 filter=exponential lambda=1"},
};

static Status make_three(int method, Simulation **out, Error *error)
{
    Scene scene;
    Status status = cloth_with(SIDE, 2e4, three[method].assignments, &scene, error);
    scene.params.air = 0.1;
    return status == STATUS_OK ? simulation_create(&scene, out, error) : status;
}

typedef struct VelocityImage {
    FigureImage *image;
    int column;
    double rough, all; // m^2/s^2: of differences between neighbours, and of all motion
} VelocityImage;

static float falling(const Simulation *simulation, int particle)
{
    float v[3];
    simulation_motion(simulation, particle, v, NULL);
    return v[1];
}

static void sample_velocities(void *context, const Simulation *simulation)
{
    VelocityImage *self = context;
    if (self->column >= self->image->columns) return;
    for (int i = 0; i < SHOWN; i++)
        self->image->value[i * self->image->columns + self->column] =
            falling(simulation, i * SIDE * SIDE / SHOWN);
    for (int p = 0; p < SIDE * SIDE; p++) {
        if (p % SIDE == 0) continue;
        double v = (double)falling(simulation, p), d = v - (double)falling(simulation, p - 1);
        self->rough += d * d, self->all += v * v;
    }
    self->column++;
}

Status ahmad_velocities(Figure *figure, Error *error)
{
    enum { COLUMNS = 120 };
    double seconds = figure->quick ? 2.0 : 5.0, rough[3] = {0};
    Status status = STATUS_OK;
    for (int m = 0; m < 3 && status == STATUS_OK; m++) {
        Simulation *simulation = NULL;
        Panel *panel = figure_panel(
            figure, three[m].name, (SvgAxis){.max = seconds, .label = "simulated time (s)"},
            (SvgAxis){.max = SIDE * SIDE, .label = "particle, by rows", .whole = true});
        VelocityImage self = {
            .image = panel_image(panel, COLUMNS, SHOWN, 0.0, 0.0, seconds, SIDE * SIDE)};
        status = self.image ? make_three(m, &simulation, error) : STATUS_OUT_OF_MEMORY;
        if (status != STATUS_OK) break;
        self.image->is_signed = true;
        self.image->low = -3.0f, self.image->high = 3.0f;
        snprintf(self.image->label, sizeof self.image->label, "vertical velocity (m/s)");
        run_until(figure, simulation, seconds, seconds / COLUMNS, sample_velocities, &self);
        simulation_destroy(simulation);
        rough[m] = sqrt(self.rough / self.all);
        figure_fact(figure, rough[m], NAN, "roughness, %s", three[m].name);
    }
    figure_found(figure,
                 "Blue moves downwards, orange upwards; 16 x 16 particles, k0 = "
                 "2e4/s^2, h = 10 ms. Differences between neighbours are %.2f of the motion with "
                 "forward-backward Euler, %.2f with backward Euler and %.2f with the filter.",
                 rough[0], rough[1], rough[2]);
    figure_verdict(figure, "%s",
                   rough[0] > rough[1] && rough[0] > rough[2]
                       ? "holds: the implicit method and the filter both smooth."
                       : "does not hold here.");
    return status;
}

// Power of the vertical velocity's waves, the middle is the mean: a discrete Fourier transform.
static void add_spectrum(const Simulation *simulation, float *power)
{
    float v[SIDE * SIDE];
    for (int p = 0; p < SIDE * SIDE; p++) v[p] = falling(simulation, p);
    for (int a = 0; a < SIDE; a++) {
        for (int b = 0; b < SIDE; b++) {
            double re = 0.0, im = 0.0;
            for (int p = 0; p < SIDE * SIDE; p++) {
                double phase =
                    2.0 * M_PI / SIDE * ((a - SIDE / 2) * (p / SIDE) + (b - SIDE / 2) * (p % SIDE));
                re += (double)v[p] * cos(phase), im += (double)v[p] * sin(phase);
            }
            power[a * SIDE + b] += (float)(re * re + im * im);
        }
    }
}

static void sample_spectrum(void *context, const Simulation *simulation)
{
    if (simulation_time(simulation) > 0.2) add_spectrum(simulation, context);
}

// Share of the power in waves shorter than four spacings.
static double short_waves(const float *power)
{
    double high = 0.0, all = 0.0;
    for (int a = 0; a < SIDE; a++) {
        for (int b = 0; b < SIDE; b++) {
            double q = hypot(a - SIDE / 2, b - SIDE / 2);
            if (q > SIDE / 4.0) high += (double)power[a * SIDE + b];
            all += (double)power[a * SIDE + b];
        }
    }
    return high / all;
}

Status ahmad_spectra(Figure *figure, Error *error)
{
    double seconds = figure->quick ? 1.0 : 3.0, share[3] = {0};
    Status status = STATUS_OK;
    figure->across = 3;
    figure->square = true;
    // a cell has its whole number of waves in the middle
    SvgAxis wave = {.min = -8.5, .max = 7.5, .label = "waves across", .whole = true};
    for (int m = 0; m < 3 && status == STATUS_OK; m++) {
        static const char *const titles[] = {"Forward-backward Euler", "Backward Euler",
                                             "Filtered, λ = 1"};
        SvgAxis down = wave;
        down.label = "waves down";
        Panel *panel = figure_panel(figure, titles[m], wave, down);
        Simulation *simulation = NULL;
        FigureImage *image = panel_image(panel, SIDE, SIDE, -8.5, -8.5, 7.5, 7.5);
        status = image ? make_three(m, &simulation, error) : STATUS_OUT_OF_MEMORY;
        if (status != STATUS_OK) break;
        run_until(figure, simulation, seconds, 0.05, sample_spectrum, image->value);
        simulation_destroy(simulation);
        share[m] = short_waves(image->value);
        float most = 0.0f;
        for (int i = 0; i < SIDE * SIDE; i++) most = fmaxf(most, image->value[i]);
        for (int i = 0; i < SIDE * SIDE; i++)
            image->value[i] = log10f(fmaxf(image->value[i] / most, 1e-12f));
        image->low = -7.0f, image->high = 0.0f;
        snprintf(image->label, sizeof image->label, "log10 of the power, the largest is 0");
        figure_fact(figure, share[m], NAN, "power in short waves, %s", titles[m]);
    }
    figure_found(figure,
                 "Power of the vertical velocity's waves, mean over the run; the centre is the "
                 "mean motion. The column on the left, the shortest wave across, is dark because "
                 "left and right move alike. Waves shorter than four spacings have "
                 "%.2g of the power with forward-backward Euler, %.2g with backward Euler and %.2g "
                 "with the filter.",
                 share[0], share[1], share[2]);
    figure_verdict(figure, "%s",
                   share[0] > share[1] && share[0] > share[2] ? "holds: both are low-pass filters."
                                                              : "does not hold here.");
    return status;
}

// ---- fig. 8: times

static const struct {
    const char *name, *assignments;
    double share; // of 2/sqrt(k0); 0: h = 10 ms
} six[] = {
    {"FB Euler", "integrator=symplectic-euler", 0.9},
    {"FB Euler, filtered", "integrator=symplectic-euler filter=exponential lambda=1", 0.9 * 1.25},
    {"RK4", "integrator=rk4", 0.9 * 1.41421},
    {"RK4, filtered", "integrator=rk4 filter=exponential lambda=1 filter_place=after",
     0.9 * 1.41421 * 1.15},
    {"backward Euler", "integrator=backward-euler pcg_tolerance=0.01", 0.0},
    {"IMEX", "integrator=imex", 0.0},
};
enum { SIX = sizeof six / sizeof six[0] };

static Status time_six(const Figure *figure, Panel *panel, const int *sides, const double *k0,
                       const double *x, int count, double seconds, int rounds, Error *error)
{
    enum { MOST = 5 };
    Scene *scenes = calloc(MOST * SIX, sizeof *scenes);
    RunCost cost[MOST * SIX] = {{0}};
    Status status = scenes ? STATUS_OK : STATUS_OUT_OF_MEMORY;
    for (int i = 0; i < count * SIX && status == STATUS_OK; i++) {
        double share = six[i % SIX].share, largest = 2.0 / sqrt(k0[i / SIX]);
        status =
            cloth_with(sides[i / SIX], k0[i / SIX], six[i % SIX].assignments, &scenes[i], error);
        scenes[i].params.step = share > 0.0 ? share * largest : 0.01;
        if (status == STATUS_OK) status = figure_check(figure, error);
    }
    if (status == STATUS_OK)
        status = time_runs(figure, scenes, count * SIX, seconds, rounds, cost, error);
    free(scenes);
    for (int m = 0; m < SIX && status == STATUS_OK; m++) {
        Curve *curve = panel_curve(panel, six[m].name, CURVE_BOTH);
        for (int i = 0; i < count; i++) {
            const RunCost *run = &cost[i * SIX + m];
            double unit = cost[0].stepping_best, best = run->stepping_best / unit;
            if (!run->diverged)
                curve_add_spread(curve, x[i], best, best, run->stepping_worst / unit);
        }
    }
    return status;
}

Status ahmad_times(Figure *figure, Error *error)
{
    int sides[] = {16, 24, 32, 48, 64}, same[] = {16, 16, 16, 16, 16};
    double k0[] = {1e6, 1e6, 1e6, 1e6, 1e6}, stiff[] = {1e5, 4e5, 1e6, 1e7, 1e8}, n[5];
    int count = figure->quick ? 3 : 5, rounds = figure->quick ? 5 : 8;
    for (int i = 0; i < 5; i++) n[i] = sides[i] * sides[i];
    figure->across = 2;
    Panel *left =
        figure_panel(figure, "k0 = 1e6/s²", (SvgAxis){.logarithmic = true, .label = "particles n"},
                     (SvgAxis){.logarithmic = true, .label = "time, FB Euler at 256 = 1"});
    Status status =
        time_six(figure, left, sides, k0, n, count, figure->quick ? 0.04 : 0.1, rounds, error);
    Panel *right = figure_panel(
        figure, "16 x 16 particles", (SvgAxis){.logarithmic = true, .label = "k0 (1/s²)"},
        (SvgAxis){.logarithmic = true, .label = "time, FB Euler at 1e5 = 1"});
    if (status == STATUS_OK)
        status = time_six(figure, right, same, stiff, stiff, count, figure->quick ? 0.11 : 0.2,
                          rounds, error);
    if (status != STATUS_OK) return status;
    int last = left->curves[0].count - 1;
    double gain = left->curves[1].points[last].y / left->curves[0].points[last].y;
    double per_step = 1.25 * gain;
    double implicit = right->curves[4].points[right->curves[4].count - 1].y /
                      right->curves[0].points[right->curves[0].count - 1].y;
    const CurvePoint *plain = &left->curves[0].points[last],
                     *filtered = &left->curves[1].points[last];
    figure_fact_spread(figure, gain, NAN, filtered->low / plain->high, filtered->high / plain->low,
                       "filtered / unfiltered FB Euler, time");
    figure_fact(figure, per_step, NAN, "filtered / unfiltered FB Euler, time per step");
    figure_fact(figure, 1.05 / 1.25, 0.84, "a step 1.25 times as large at 1.05 of the cost: time");
    figure_fact(figure, curve_exponent(&left->curves[0]), 1.0, "exponent of n, FB Euler");
    figure_fact(figure, 2.0 * curve_exponent(&right->curves[0]), 1.0,
                "exponent of sqrt(k0), FB Euler");
    figure_found(
        figure,
        "With the filter at λ = 1 and a step 1.25 times as large FB Euler takes %.2f of the "
        "time: a filtered step costs %.2f of an unfiltered one (at his 1.05 it would be 0.84 of "
        "the time, 16 %% less, not 20). At the largest k0 backward "
        "Euler takes %.2g of FB Euler's time. The implicit methods keep h = 10 ms. Time of "
        "stepping, without estimates of k0; each step in the best of %d rounds, bars to the "
        "slowest.",
        gain, per_step, implicit, rounds);
    figure_verdict(figure, "%s; implicit methods %s at high k0.",
                   gain < 1.0
                       ? "the filter saves time, but by less than its larger step"
                       : "the filter does not save time here: our force loop is fast, so the "
                         "filter costs far more than 5 % of a step",
                   implicit < 1.0 ? "win" : "do not yet win");
    return status;
}
