// Every integrator of the table on oscillators, whose answers are known.
#include "support/solver_test.h"

#include "integrators/integrator.h"

#include <math.h>
#include <string.h>

// One or two uncoupled masses on springs: x'' = -k x - (air + alpha k) v.
typedef struct Oscillator {
    System system;
    double k;    // 1/s^2
    double a, b; // of the matrix a M + b K; D is alpha K
    double mass[2], inverse_mass[2];
    double filter_factor;   // what the filter multiplies velocities with
    const double *filter_x; // where the filter was called
} Oscillator;

static void forces(void *self, const double *x, const double *v, double *f)
{
    Oscillator *o = self;
    for (int i = 0; i < o->system.dofs; i++) {
        f[i] = -o->k * x[i] - (o->system.air + o->system.alpha * o->k) * v[i];
    }
}

static void filter(void *self, const double *x, double *v)
{
    Oscillator *o = self;
    o->filter_x = x;
    for (int i = 0; i < o->system.dofs; i++) {
        if (o->inverse_mass[i] > 0.0) v[i] *= o->filter_factor;
    }
}

static void linearise(void *self, const double *x, Tangent tangent)
{
    (void)self, (void)x, (void)tangent; // linear already
}

static void product(void *self, const double *p, double *Kp)
{
    Oscillator *o = self;
    for (int i = 0; i < o->system.dofs; i++) Kp[i] = o->k * p[i];
}

static void multiply(void *self, const double *p, double *out)
{
    Oscillator *o = self;
    for (int i = 0; i < o->system.dofs; i++) {
        out[i] = o->inverse_mass[i] > 0.0 ? (o->a * o->mass[i] + o->b * o->k) * p[i] : 0.0;
    }
}

static LinearOperator assemble(void *self, double a, double b, double c)
{
    Oscillator *o = self;
    o->a = a;
    o->b = b + c * o->system.alpha;
    return (LinearOperator){o, o->system.dofs, multiply, NULL};
}

// The hooks point to the oscillator, which must stay where it is.
static void oscillator_init(Oscillator *o, int dofs, double k, double air, double alpha)
{
    *o = (Oscillator){.k = k, .mass = {1.0, 1.0}, .inverse_mass = {1.0, 1.0}};
    o->system = (System){.dofs = dofs,
                         .mass = o->mass,
                         .inverse_mass = o->inverse_mass,
                         .air = air,
                         .alpha = alpha,
                         .self = o,
                         .forces = forces,
                         .linearise = linearise,
                         .stiffness_product = product,
                         .assemble = assemble};
}

static StepReport advance(const Integrator *method, const Oscillator *o, double h, double *x,
                          double *v)
{
    Arena scratch;
    StepReport report = {0};
    assert_int_equal(arena_init(&scratch, method->scratch_size(o->system.dofs), NULL), STATUS_OK);
    Step step = {&o->system, h, TANGENT_CLAMPED, 1e-15, &scratch, &report};
    method->advance(&step, x, v);
    arena_finish(&scratch);
    return report;
}

// Error of x and v together after one second from x = 1, v = 0.
static double error_after_one_second(const Integrator *method, double k, double air, double alpha,
                                     int steps)
{
    Oscillator o;
    oscillator_init(&o, 1, k, air, alpha);
    double x = 1.0, v = 0.0;
    for (int i = 0; i < steps; i++) advance(method, &o, 1.0 / steps, &x, &v);
    double half = 0.5 * (air + alpha * k), omega = sqrt(k - half * half);
    double exact_x = exp(-half) * (cos(omega) + half / omega * sin(omega));
    double exact_v = -exp(-half) * k / omega * sin(omega);
    return hypot(x - exact_x, v - exact_v);
}

static void every_method_reaches_its_order(void **state)
{
    (void)state;
    for (int i = 0; i < integrator_count; i++) {
        const Integrator *method = integrator_table[i];
        double coarse = error_after_one_second(method, 2.0, 0.3, 0.1, 400);
        double fine = error_after_one_second(method, 2.0, 0.3, 0.1, 800);
        assert_near(log2(coarse / fine), method->order, 0.05);
    }
}

static void every_method_is_described(void **state)
{
    (void)state;
    for (int i = 0; i < integrator_count; i++) {
        const Integrator *method = integrator_table[i];
        assert_true(method->name[0] && method->label[0] && method->summary[0]);
        assert_true(method->reference[0]);
        assert_true(method->default_step > 0.0);
        assert_int_equal(integrator_find(method->name), i);
        assert_string_equal(integrator_name(i), method->name);
    }
    assert_null(integrator_name(-1));
    assert_null(integrator_name(integrator_count));
    assert_int_equal(integrator_find("runge"), -1);
}

// Energy of the undamped oscillator (k = 1) over 100 periods: the largest and the last.
static void energies(const char *name, double h, double *largest, double *last)
{
    const Integrator *method = integrator_table[integrator_find(name)];
    Oscillator o;
    oscillator_init(&o, 1, 1.0, 0.0, 0.0);
    double x = 1.0, v = 0.0;
    *largest = 0.0;
    for (int i = 0; i * h < 628.0; i++) {
        advance(method, &o, h, &x, &v);
        *last = 0.5 * (x * x + v * v);
        *largest = fmax(*largest, *last);
    }
}

static void symplectic_euler_keeps_energy_bounded(void **state)
{
    (void)state;
    double largest, last, h = 0.1;
    energies("symplectic-euler", h, &largest, &last);
    // x^2 - h x v + v^2 is conserved exactly, so E stays within 1/(1 -+ h/2) of its start
    assert_true(largest < 0.5 / (1.0 - 0.5 * h) + 1e-9);
    assert_true(last > 0.5 / (1.0 + 0.5 * h) - 1e-9);
}

static void backward_euler_loses_energy(void **state)
{
    (void)state;
    double largest, last;
    energies("backward-euler", 0.1, &largest, &last);
    assert_true(largest <= 0.5);
    assert_true(last < 1e-10); // each step divides by sqrt(1 + h^2)
    energies("backward-euler", 100.0, &largest, &last);
    assert_true(largest <= 0.5);
}

static void step_limits_hold_on_an_oscillator(void **state)
{
    (void)state;
    const double damping[][2] = {{0.0, 0.0}, {0.5, 0.0}, {0.5, 1e-3}, {20.0, 0.02}};
    const double k = 1e4;
    for (int i = 0; i < integrator_count; i++) {
        const Integrator *method = integrator_table[i];
        for (size_t c = 0; c < sizeof damping / sizeof damping[0]; c++) {
            double air = damping[c][0], alpha = damping[c][1];
            double limit = method->step_limit(k, air, alpha);
            for (int side = 0; side < 2; side++) {
                if (side && isinf(limit)) continue;
                double h = isinf(limit) ? 10.0 : (side ? 1.01 : 0.99) * limit;
                Oscillator o;
                oscillator_init(&o, 1, k, air, alpha);
                double x = 1.0, v = 0.0, largest = 0.0;
                for (int s = 0; s < 3000 && largest < 1e9; s++) {
                    advance(method, &o, h, &x, &v);
                    largest = fmax(largest, fabs(x));
                }
                if (side) {
                    assert_true(largest >= 1e9);
                } else {
                    assert_true(largest < 100.0);
                }
            }
        }
    }
}

static void step_limit_of_symplectic_euler_is_the_closed_form(void **state)
{
    (void)state;
    const Integrator *method = integrator_table[integrator_find("symplectic-euler")];
    assert_near(method->step_limit(1e6, 0.0, 0.0), 2e-3, 1e-17);
    assert_near(method->step_limit(1e6, 0.5, 1e-4), 4.0 / (100.5 + sqrt(100.5 * 100.5 + 4e6)),
                1e-17);
    assert_true(isinf(method->step_limit(0.0, 0.0, 0.0)));
    assert_near(method->step_limit(0.0, 4.0, 0.0), 0.5, 1e-15); // drag alone: h d < 2
}

static void held_degrees_of_freedom_keep_their_velocity(void **state)
{
    (void)state;
    for (int i = 0; i < integrator_count; i++) {
        Oscillator o;
        oscillator_init(&o, 2, 3.0, 0.5, 0.1);
        o.inverse_mass[1] = 0.0;
        double x[2] = {1.0, 1.0}, v[2] = {0.0, 0.25};
        for (int s = 0; s < 8; s++) advance(integrator_table[i], &o, 0.125, x, v);
        assert_true(v[1] == 0.25);
        assert_near(x[1], 1.25, 1e-15);
        assert_true(x[0] < 1.0);
    }
}

static void filter_acts_between_velocity_and_position(void **state)
{
    (void)state;
    for (int i = 0; i < integrator_count; i++) {
        const Integrator *method = integrator_table[i];
        Oscillator o;
        oscillator_init(&o, 1, 3.0, 0.0, 0.0);
        double x = 1.0, v = 0.5, plain_x = 1.0, plain_v = 0.5, h = 0.01;
        advance(method, &o, h, &plain_x, &plain_v);
        o.system.filter = filter;
        o.filter_factor = 0.5;
        advance(method, &o, h, &x, &v);
        assert_ptr_equal(o.filter_x, &x);
        assert_near(v, 0.5 * plain_v, 1e-15);
        assert_near(x, 1.0 + h * v, 1e-15);
    }
}

static void reports_count_the_work(void **state)
{
    (void)state;
    for (int i = 0; i < integrator_count; i++) {
        const Integrator *method = integrator_table[i];
        Oscillator o;
        oscillator_init(&o, 1, 3.0, 0.0, 0.0);
        double x = 1.0, v = 0.5;
        StepReport report = advance(method, &o, 0.01, &x, &v);
        assert_true(report.force_evaluations >= 1);
        bool implicit = (method->traits & INTEGRATOR_IMPLICIT) != 0;
        assert_int_equal(report.pcg.iterations > 0, implicit);
        assert_int_equal(report.pcg.converged, implicit);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_reaches_its_order),
        cmocka_unit_test(every_method_is_described),
        cmocka_unit_test(symplectic_euler_keeps_energy_bounded),
        cmocka_unit_test(backward_euler_loses_energy),
        cmocka_unit_test(step_limits_hold_on_an_oscillator),
        cmocka_unit_test(step_limit_of_symplectic_euler_is_the_closed_form),
        cmocka_unit_test(held_degrees_of_freedom_keep_their_velocity),
        cmocka_unit_test(filter_acts_between_velocity_and_position),
        cmocka_unit_test(reports_count_the_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
