#include "oscillator.h"

#include "solver_test.h"

#include <math.h>
#include <string.h>

static int dof(int particle, int component)
{
    return particle + 3 * component;
}

// Direction and length of the spring of mass s + 1; false if it has no direction.
static bool direction(const Oscillator *o, const double *x, int s, double u[3], double *length)
{
    double sum = 0.0;
    for (int c = 0; c < 3; c++) {
        u[c] = x[dof(s + 1, c)] - x[dof(0, c)];
        sum += u[c] * u[c];
    }
    *length = sqrt(sum);
    for (int c = 0; c < 3; c++) u[c] = *length > 0.0 ? u[c] / *length : 0.0;
    (void)o;
    return *length > 0.0;
}

static void at(void *self, double time)
{
    Oscillator *o = self;
    o->push = o->drive * cos(o->drive_rate * time);
}

static Losses external_forces(void *self, const double *x, const double *v, double *f)
{
    Oscillator *o = self;
    (void)x;
    Losses power = {0};
    for (int i = 0; i < OSCILLATOR_DOFS; i++) {
        f[i] = -o->system.air * o->mass[i] * v[i];
        power.damping -= f[i] * v[i];
    }
    f[dof(1, 0)] += o->push;
    power.wind -= o->push * v[dof(1, 0)];
    return power;
}

static Losses forces(void *self, const double *x, const double *v, double *f)
{
    Oscillator *o = self;
    o->evaluations++;
    Losses power = external_forces(self, x, v, f);
    for (int s = 0; s < 2; s++) {
        double u[3], length, speed = 0.0;
        bool has_direction = direction(o, x, s, u, &length);
        if (!has_direction) u[0] = 1.0; // the damper of the test equation acts at x = 0 too
        for (int c = 0; c < 3; c++) speed += u[c] * (v[dof(s + 1, c)] - v[dof(0, c)]);
        double tension = o->system.alpha * o->k * speed;
        power.damping += tension * speed;
        if (has_direction) tension += o->k * (length - o->rest_length);
        for (int c = 0; c < 3; c++) {
            f[dof(s + 1, c)] -= tension * u[c];
            f[dof(0, c)] += tension * u[c];
        }
    }
    return power;
}

static double filter(void *self, const double *x, double *v)
{
    Oscillator *o = self;
    o->filter_x = x;
    double taken = 0.0;
    for (int i = 0; i < OSCILLATOR_DOFS; i++) {
        if (!(o->inverse_mass[i] > 0.0)) continue;
        taken += 0.5 * o->mass[i] * v[i] * v[i] * (1.0 - o->filter_factor * o->filter_factor);
        v[i] *= o->filter_factor;
    }
    return taken;
}

static void linearise(void *self, const double *x, Tangent tangent)
{
    Oscillator *o = self;
    for (int s = 0; s < 2; s++) {
        double length;
        bool has_direction = direction(o, x, s, o->u[s], &length);
        if (!has_direction) o->u[s][0] = 1.0;
        double r = has_direction ? 1.0 - o->rest_length / length : 1.0;
        o->t[s] = tangent == TANGENT_LAPLACIAN ? 1.0
                  : tangent == TANGENT_AXIAL   ? 0.0
                  : tangent == TANGENT_CLAMPED ? fmax(r, 0.0)
                                               : r;
    }
}

// out = scale k (u u' + t (I - u u')) p over the springs
static void add_product(const Oscillator *o, double scale, bool axial, const double *p, double *out)
{
    for (int s = 0; s < 2; s++) {
        double t = axial ? 0.0 : o->t[s], w[3], along = 0.0;
        for (int c = 0; c < 3; c++) {
            w[c] = p[dof(s + 1, c)] - p[dof(0, c)];
            along += o->u[s][c] * w[c];
        }
        for (int c = 0; c < 3; c++) {
            double q = scale * o->k * (t * w[c] + (1.0 - t) * along * o->u[s][c]);
            out[dof(s + 1, c)] += q;
            out[dof(0, c)] -= q;
        }
    }
}

static void stiffness_product(void *self, const double *p, double *Kp)
{
    memset(Kp, 0, OSCILLATOR_DOFS * sizeof *Kp);
    add_product(self, 1.0, false, p, Kp);
}

static void damping_product(void *self, const double *p, double *Dp)
{
    Oscillator *o = self;
    memset(Dp, 0, OSCILLATOR_DOFS * sizeof *Dp);
    add_product(o, o->system.alpha, true, p, Dp);
}

static void multiply(void *self, const double *p, double *out)
{
    Oscillator *o = self;
    double free[OSCILLATOR_DOFS];
    for (int i = 0; i < OSCILLATOR_DOFS; i++) {
        free[i] = o->inverse_mass[i] > 0.0 ? p[i] : 0.0;
        out[i] = o->a * o->mass[i] * free[i];
    }
    add_product(o, o->b, false, free, out);
    add_product(o, o->c * o->system.alpha, true, free, out);
    for (int i = 0; i < OSCILLATOR_DOFS; i++) {
        if (o->inverse_mass[i] == 0.0) out[i] = p[i];
    }
}

static LinearOperator assemble(void *self, double a, double b, double c)
{
    Oscillator *o = self;
    o->a = a;
    o->b = b;
    o->c = c;
    return (LinearOperator){
        .self = o, .dofs = OSCILLATOR_DOFS, .multiply = multiply, .precondition = NULL};
}

StepOptions default_options(void)
{
    return (StepOptions){.tangent = TANGENT_FULL,
                         .pcg_tolerance = 1e-15,
                         .newton_tolerance = 1e-14,
                         .leu_interval = 1e-9,
                         .leu_speed = 1e30,
                         .harmonic = HARMONIC_CORRECTED};
}

void oscillator_init(Oscillator *o, double k, double rest_length, double air, double alpha)
{
    *o = (Oscillator){.k = k,
                      .rest_length = rest_length,
                      .options = default_options(),
                      .ends = {{0, 1}, {0, 2}},
                      .stiffness = {k, k},
                      .rest_lengths = {rest_length, rest_length},
                      .first_dof = {0, 1, 2}};
    for (int i = 0; i < OSCILLATOR_DOFS; i++) {
        o->mass[i] = 1.0;
        o->inverse_mass[i] = i % 3 == 0 ? 0.0 : 1.0;
    }
    o->springs = (SpringList){2, (const int(*)[2])o->ends, o->stiffness, o->rest_lengths};
    o->memory.values = o->memory_values;
    o->system = (System){.dofs = OSCILLATOR_DOFS,
                         .mass = o->mass,
                         .inverse_mass = o->inverse_mass,
                         .air = air,
                         .alpha = alpha,
                         .length = 1.0,
                         .self = o,
                         .forces = forces,
                         .external_forces = external_forces,
                         .linearise = linearise,
                         .stiffness_product = stiffness_product,
                         .damping_product = damping_product,
                         .assemble = assemble,
                         .springs = &o->springs,
                         .first_dof = o->first_dof,
                         .component_stride = 3};
}

void oscillator_drive(Oscillator *o, double force, double rate)
{
    o->drive = force;
    o->drive_rate = rate;
    o->system.at = at;
}

void oscillator_filter(Oscillator *o, double factor)
{
    o->system.filter = filter;
    o->filter_factor = factor;
}

StepReport oscillator_step(Oscillator *o, const Integrator *method, double h, double *x, double *v)
{
    Arena scratch;
    StepReport report = {0};
    assert_int_equal(arena_init(&scratch, method->scratch_size(OSCILLATOR_DOFS), NULL), STATUS_OK);
    Step step = {.system = &o->system,
                 .time = o->time,
                 .h = h,
                 .options = &o->options,
                 .memory = &o->memory,
                 .scratch = &scratch,
                 .report = &report};
    method->advance(&step, x, v);
    o->time += h;
    arena_finish(&scratch);
    report.force = NULL; // it was in the scratch arena
    return report;
}

StepReport oscillator_step_on_axis(Oscillator *o, const Integrator *method, double h, double *x,
                                   double *v)
{
    double all_x[OSCILLATOR_DOFS] = {0}, all_v[OSCILLATOR_DOFS] = {0};
    all_x[1] = *x;
    all_v[1] = *v;
    all_x[2] = 1.0; // mass 2 has a direction too
    StepReport report = oscillator_step(o, method, h, all_x, all_v);
    *x = all_x[1];
    *v = all_v[1];
    return report;
}

double oscillator_energy(const Oscillator *o, const double *x, const double *v)
{
    double u[3], length, square = 0.0;
    direction(o, x, 0, u, &length);
    for (int c = 0; c < 3; c++) square += v[dof(1, c)] * v[dof(1, c)];
    double extension = length - o->rest_length;
    return 0.5 * square + 0.5 * o->k * extension * extension;
}

void measure_amplification(const Integrator *method, const StepOptions *options, const Mode *mode,
                           double G[2][2])
{
    // From (1, 0) and (1, 1), whose difference is the second column: at x = 0 a spring of length 0
    // has no direction.
    double end[2][2];
    for (int c = 0; c < 2; c++) {
        Oscillator o;
        double alpha = mode->X > mode->air ? (mode->X - mode->air) / mode->Y : 0.0;
        oscillator_init(&o, mode->Y, 0.0, mode->air, alpha);
        o.options = *options;
        if (mode->filter != 1.0) oscillator_filter(&o, mode->filter);
        end[c][0] = 1.0;
        end[c][1] = c;
        oscillator_step_on_axis(&o, method, 1.0, &end[c][0], &end[c][1]);
    }
    for (int r = 0; r < 2; r++) {
        G[r][0] = end[0][r];
        G[r][1] = end[1][r] - end[0][r];
    }
}
