// Every integrator of the table on springs with known solutions.
#include "support/oscillator.h"
#include "support/solver_test.h"

#include "stability/limits.h"

#include <math.h>
#include <string.h>

static const Integrator *method_named(const char *name)
{
    int index = integrator_find(name);
    assert_true(index >= 0);
    return integrator_table[index];
}

// Error of x and v together after one second from x = 1, v = 0.
static double error_after_one_second(const Integrator *method, double k, double air, double alpha,
                                     int steps)
{
    Oscillator o;
    oscillator_init(&o, k, 0.0, air, alpha);
    double x = 1.0, v = 0.0;
    for (int i = 0; i < steps; i++) oscillator_step_on_axis(&o, method, 1.0 / steps, &x, &v);
    double half = 0.5 * (air + alpha * k), omega = sqrt(k - half * half);
    double exact_x = exp(-half) * (cos(omega) + half / omega * sin(omega));
    double exact_v = -exp(-half) * k / omega * sin(omega);
    return hypot(x - exact_x, v - exact_v);
}

static int order(const Integrator *method, bool damped)
{
    return damped && (method->traits & INTEGRATOR_ORDER_UNDAMPED) ? 1 : method->order;
}

// The same under a force  F cos(r t):  x = A cos(r t) + (1 - A) cos(w t),  A = F / (k - r^2).
static double error_when_driven(const Integrator *method, int steps)
{
    const double k = 2.0, force = 1.5, rate = 5.0;
    Oscillator o;
    oscillator_init(&o, k, 0.0, 0.0, 0.0);
    oscillator_drive(&o, force, rate);
    double x = 1.0, v = 0.0, omega = sqrt(k), A = force / (k - rate * rate);
    for (int i = 0; i < steps; i++) oscillator_step_on_axis(&o, method, 1.0 / steps, &x, &v);
    double exact_x = A * cos(rate) + (1.0 - A) * cos(omega);
    double exact_v = -A * rate * sin(rate) - (1.0 - A) * omega * sin(omega);
    return hypot(x - exact_x, v - exact_v);
}

static void every_method_reaches_its_order_when_driven(void **state)
{
    (void)state;
    for (int i = 0; i < integrator_count; i++) {
        const Integrator *method = integrator_table[i];
        int steps = method->order == 1 ? 400 : method->order == 2 ? 200 : 24;
        double coarse = error_when_driven(method, steps);
        double fine = error_when_driven(method, 2 * steps);
        assert_near(log2(coarse / fine), order(method, false), 0.05);
    }
}

static void every_method_reaches_its_order(void **state)
{
    (void)state;
    for (int i = 0; i < integrator_count; i++) {
        const Integrator *method = integrator_table[i];
        // enough to see the order, few enough to stay above rounding
        int steps = method->order == 1 ? 400 : method->order == 2 ? 200 : 24;
        double coarse = error_after_one_second(method, 2.0, 0.3, 0.1, steps);
        double fine = error_after_one_second(method, 2.0, 0.3, 0.1, 2 * steps);
        assert_near(log2(coarse / fine), order(method, true), 0.05);
        coarse = error_after_one_second(method, 2.0, 0.0, 0.0, steps);
        fine = error_after_one_second(method, 2.0, 0.0, 0.0, 2 * steps);
        assert_near(log2(coarse / fine), order(method, false), 0.05);
    }
}

// A mass on a damped spring of length 0.5, thrown sideways: it swings, stretched, in three
// dimensions. Returns the state after one second.
static void swing(const Integrator *method, bool damped, int steps, double state[6])
{
    Oscillator o;
    oscillator_init(&o, 20.0, 0.5, damped ? 0.2 : 0.0, damped ? 0.01 : 0.0);
    double x[OSCILLATOR_DOFS] = {[1] = 1.0, [2] = 1.0, [4] = 0.2};
    double v[OSCILLATOR_DOFS] = {[4] = 2.5, [7] = 0.7};
    for (int i = 0; i < steps; i++) oscillator_step(&o, method, 1.0 / steps, x, v);
    for (int c = 0; c < 3; c++) {
        state[c] = x[1 + 3 * c];
        state[3 + c] = v[1 + 3 * c];
    }
}

static double swing_error(const Integrator *method, bool damped, int steps, const double exact[6])
{
    double end[6], sum = 0.0;
    swing(method, damped, steps, end);
    for (int i = 0; i < 6; i++) sum += (end[i] - exact[i]) * (end[i] - exact[i]);
    return sqrt(sum);
}

static void every_method_reaches_its_order_on_a_nonlinear_spring(void **state)
{
    (void)state;
    for (int damped = 0; damped < 2; damped++) {
        double exact[6];
        swing(method_named("rk4"), damped, 8000, exact);
        for (int i = 0; i < integrator_count; i++) {
            const Integrator *method = integrator_table[i];
            int steps = method->order == 1 ? 4000 : method->order == 2 ? 400 : 100;
            double coarse = swing_error(method, damped, steps, exact);
            double fine = swing_error(method, damped, 2 * steps, exact);
            assert_near(log2(coarse / fine), order(method, damped), 0.1);
        }
    }
}

static void every_method_is_described(void **state)
{
    (void)state;
    for (int i = 0; i < integrator_count; i++) {
        const Integrator *method = integrator_table[i];
        assert_true(method->name[0] && method->label[0] && method->summary[0]);
        assert_true(method->short_label[0] && strlen(method->short_label) <= strlen(method->label));
        assert_true(method->reference[0] && method->claim[0] && method->measured[0]);
        assert_true(method->default_step > 0.0);
        assert_true(method->forces_per_step >= 1);
        assert_int_equal(integrator_find(method->name), i);
        assert_string_equal(integrator_name(i), method->name);
    }
    assert_null(integrator_name(-1));
    assert_null(integrator_name(integrator_count));
    assert_int_equal(integrator_find("runge"), -1);
    assert_string_equal(integrator_name(INTEGRATOR_DEFAULT), "symplectic-euler");
}

// Energy of the undamped oscillator (k = 1) over 100 periods: the largest, the smallest, the last.
typedef struct EnergyRange {
    double largest, smallest, last;
} EnergyRange;

static EnergyRange energies(const char *name, double h)
{
    const Integrator *method = method_named(name);
    Oscillator o;
    oscillator_init(&o, 1.0, 0.0, 0.0, 0.0);
    double x = 1.0, v = 0.0;
    EnergyRange range = {.smallest = INFINITY};
    for (int i = 0; i * h < 628.0; i++) {
        oscillator_step_on_axis(&o, method, h, &x, &v);
        range.last = 0.5 * (x * x + v * v);
        range.largest = fmax(range.largest, range.last);
        range.smallest = fmin(range.smallest, range.last);
    }
    return range;
}

static void symplectic_methods_keep_energy_bounded(void **state)
{
    (void)state;
    double h = 0.1;
    const char *const first_order[] = {"symplectic-euler", "symplectic-euler-implicit-air"};
    for (int i = 0; i < 2; i++) {
        EnergyRange range = energies(first_order[i], h);
        // x^2 - h x v + v^2 is conserved exactly, so E stays within 1/(1 -+ h/2) of its start
        assert_true(range.largest < 0.5 / (1.0 - 0.5 * h) + 1e-9);
        assert_true(range.smallest > 0.5 / (1.0 + 0.5 * h) - 1e-9);
    }
    // (1 - h^2/4) x^2 + v^2 is conserved by Verlet
    EnergyRange range = energies("velocity-verlet", h);
    assert_true(range.largest < 0.5 + 1e-9);
    assert_true(range.smallest > 0.5 * (1.0 - 0.25 * h * h) - 1e-9);
}

static void implicit_methods_lose_energy(void **state)
{
    (void)state;
    const char *const names[] = {"backward-euler", "backward-euler-newton", "imex", "imex-axial"};
    for (int i = 0; i < 4; i++) {
        EnergyRange range = energies(names[i], 0.1);
        assert_true(range.largest <= 0.5);
        assert_true(range.last < 1e-10); // each step divides by sqrt(1 + h^2)
        range = energies(names[i], 100.0);
        assert_true(range.largest <= 0.5);
    }
}

// Undamped, each step multiplies the energy by det G, which is rho^2.
static void explicit_methods_change_energy_at_the_predicted_rate(void **state)
{
    (void)state;
    double h = 0.1, Y = h * h;
    const struct {
        const char *name;
        double rho2;
    } rates[] = {{"explicit-euler", 1.0 + Y},
                 {"leu", 1.0 + Y},
                 {"midpoint", 1.0 + Y * Y / 4.0},
                 {"rk4", 1.0 - Y * Y * Y / 72.0 + Y * Y * Y * Y / 576.0}};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        EnergyRange range = energies(rates[i].name, h);
        double steps = ceil(628.0 / h);
        assert_near(log(range.last / 0.5) / (steps * log(rates[i].rho2)), 1.0, 1e-6);
    }
}

// The step limits, judged by the spectral radius of real steps, which also finds slow growth, and
// by running them where growth is fast.
static void step_limits_hold_on_an_oscillator(void **state)
{
    (void)state;
    const double damping[][2] = {{0.0, 0.0}, {0.5, 0.0}, {0.5, 1e-3}, {20.0, 0.02}};
    const double k = 1e4;
    StepOptions options = default_options();
    for (int i = 0; i < integrator_count; i++) {
        const Integrator *method = integrator_table[i];
        // its limit is for networks of springs, lower than for one spring
        bool tight = !(method->traits & INTEGRATOR_NEEDS_SPRINGS);
        for (size_t c = 0; c < sizeof damping / sizeof damping[0]; c++) {
            double air = damping[c][0], alpha = damping[c][1];
            Scheme scheme = {.integrator = method, .options = options, .coupling = 1.0};
            double limit = step_limit(&scheme, &(Stiffness){.k0 = k}, air, alpha).step;
            assert_true(limit >= 0.0);
            for (int side = 0; side < 2; side++) {
                if (side == 0 && limit == 0.0) continue; // no step is stable
                if (side == 1 && (isinf(limit) || !tight)) continue;
                double h = isinf(limit) ? 10.0 : (side ? 1.01 : 0.99) * limit;
                if (side == 1 && limit == 0.0) h = 1e-3;
                Mode mode = {h * (air + alpha * k), h * air, h * h * k, 1.0, 1.0};
                double G[2][2];
                measure_amplification(method, &options, &mode, G);
                double rho = amplification_judge(G).rho;
                if (side) {
                    assert_true(rho > 1.0);
                } else {
                    assert_true(rho < 1.0 + 1e-12);
                }
                if (side && pow(rho, 3000.0) < 1e10) continue;
                Oscillator o;
                oscillator_init(&o, k, 0.0, air, alpha);
                double x = 1.0, v = 0.0, largest = 0.0;
                for (int s = 0; s < 3000 && largest < 1e9; s++) {
                    oscillator_step_on_axis(&o, method, h, &x, &v);
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
    const Integrator *method = method_named("symplectic-euler");
    assert_near(method->step_limit(NULL, 1e6, 0.0, 0.0), 2e-3, 1e-17);
    assert_near(method->step_limit(NULL, 1e6, 0.5, 1e-4), 4.0 / (100.5 + sqrt(100.5 * 100.5 + 4e6)),
                1e-17);
    assert_true(isinf(method->step_limit(NULL, 0.0, 0.0, 0.0)));
    assert_near(method->step_limit(NULL, 0.0, 4.0, 0.0), 0.5, 1e-15); // drag alone: h d < 2
}

// A mode's values are 1 + h s with s^2 + d s + k = 0: on the unit circle at h = d/k where s is
// complex, else -1 at h = 2/|s| of the larger s.
static double euler_limit_of_mode(double k, double d)
{
    double discriminant = d * d - 4.0 * k;
    return discriminant < 0.0 ? d / k : 4.0 / (d + sqrt(discriminant));
}

// The least of all modes from one that only drag slows down to the stiffest.
static void step_limit_of_explicit_euler_is_that_of_its_modes(void **state)
{
    (void)state;
    static const struct {
        double k0, air, alpha;
    } cases[] = {{0.0, 4.0, 0.0},     {0.0, 0.25, 0.1}, {400.0, 50.0, 0.0},
                 {1000.0, 50.0, 0.0}, {2e4, 50.0, 0.0}, {1e4, 0.5, 0.0},
                 {1e4, 0.5, 1e-3},    {1e4, 0.5, 0.1},  {300.0, 40.0, 0.01}};
    const Integrator *method = method_named("explicit-euler");
    for (int i = 0; i < (int)(sizeof cases / sizeof cases[0]); i++) {
        double k0 = cases[i].k0, air = cases[i].air, alpha = cases[i].alpha, least = INFINITY;
        for (int m = 0; m <= 1000; m++) {
            double k = 1e-3 * m * k0;
            least = fmin(least, euler_limit_of_mode(k, air + alpha * k));
        }
        assert_near(method->step_limit(NULL, k0, air, alpha), least, 1e-12 * least);
    }
    assert_true(isinf(method->step_limit(NULL, 0.0, 0.0, 0.0)));
    assert_true(method->step_limit(NULL, 1e4, 0.0, 0.0) == 0.0);
}

static void held_degrees_of_freedom_keep_their_velocity(void **state)
{
    (void)state;
    for (int i = 0; i < integrator_count; i++) {
        Oscillator o;
        oscillator_init(&o, 3.0, 0.0, 0.5, 0.1);
        for (int c = 0; c < 3; c++) o.inverse_mass[2 + 3 * c] = 0.0;
        double x[OSCILLATOR_DOFS] = {[1] = 1.0, [2] = 1.0}, v[OSCILLATOR_DOFS] = {[2] = 0.25};
        for (int s = 0; s < 8; s++) oscillator_step(&o, integrator_table[i], 0.125, x, v);
        assert_true(v[2] == 0.25);
        assert_near(x[2], 1.25, 1e-15);
        assert_true(x[1] < 1.0);
        assert_true(x[0] == 0.0 && v[0] == 0.0);
    }
}

static void filter_acts_between_velocity_and_position(void **state)
{
    (void)state;
    for (int i = 0; i < integrator_count; i++) {
        const Integrator *method = integrator_table[i];
        Oscillator o;
        oscillator_init(&o, 3.0, 0.0, 0.0, 0.0);
        double x = 1.0, v = 0.5, plain_x = 1.0, plain_v = 0.5, h = 0.01;
        oscillator_step_on_axis(&o, method, h, &plain_x, &plain_v);
        oscillator_filter(&o, 0.5);
        oscillator_step_on_axis(&o, method, h, &x, &v);
        if (!(method->traits & INTEGRATOR_POSITION_LAST)) {
            assert_null(o.filter_x); // the caller filters after the step
            continue;
        }
        assert_non_null(o.filter_x);
        assert_near(x - 1.0, 0.5 * (plain_x - 1.0), 1e-15);
        if (strcmp(method->name, "velocity-verlet") == 0) continue; // a kick follows
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
        oscillator_init(&o, 3.0, 0.0, 0.0, 0.0);
        double x = 1.0, v = 0.5;
        StepReport report = oscillator_step_on_axis(&o, method, 0.01, &x, &v);
        assert_true(report.force_evaluations >= 1);
        if (!(method->traits & INTEGRATOR_NEEDS_SPRINGS)) { // the others have impulses instead
            assert_int_equal(report.force_evaluations, o.evaluations);
        }
        bool implicit = (method->traits & INTEGRATOR_IMPLICIT) != 0;
        assert_int_equal(report.pcg.iterations > 0, implicit);
        assert_int_equal(report.pcg.converged, implicit);
        bool linearises = (method->traits & INTEGRATOR_USES_LINEARISATION) != 0;
        assert_int_equal(report.linearisations > 0, linearises);
        bool newton = strcmp(method->name, "backward-euler-newton") == 0;
        assert_int_equal(report.newton_iterations > 0, newton);
        assert_int_equal(report.fallbacks + report.retries, 0);
        assert_false(report.unconverged);
    }
}

// A different method at every step: the oscillation continues without a jump.
static void methods_can_be_exchanged_at_every_step(void **state)
{
    (void)state;
    Oscillator o;
    oscillator_init(&o, 4.0, 0.0, 0.0, 0.0);
    double x = 1.0, v = 0.0, h = 1e-4;
    for (int i = 0; i < 10000; i++) {
        o.memory.valid = false; // as the simulation does
        oscillator_step_on_axis(&o, integrator_table[i % integrator_count], h, &x, &v);
        double t = h * (i + 1);
        assert_near(x, cos(2.0 * t), 10.0 * h);
        assert_near(v, -2.0 * sin(2.0 * t), 10.0 * h);
    }
}

// A spring compressed to half its length has a negative tangent across it.
static void negative_curvature_falls_back_to_the_clamped_tangent(void **state)
{
    (void)state;
    const char *const names[] = {"backward-euler", "backward-euler-newton"};
    for (int i = 0; i < 2; i++) {
        Oscillator o;
        oscillator_init(&o, 1e4, 1.0, 0.0, 0.0);
        o.options.newton_tolerance = 1e-6;
        double x[OSCILLATOR_DOFS] = {[1] = 0.5, [2] = 1.0};
        double v[OSCILLATOR_DOFS] = {[4] = 0.3}; // across
        double clamped_x[OSCILLATOR_DOFS], clamped_v[OSCILLATOR_DOFS] = {[4] = 0.3};
        memcpy(clamped_x, x, sizeof x);
        StepReport report = oscillator_step(&o, method_named(names[i]), 0.1, x, v);
        if (i == 0) assert_int_equal(report.fallbacks, 1);
        assert_false(report.pcg.negative_curvature); // that of the final solve
        o.options.tangent = TANGENT_CLAMPED;
        report = oscillator_step(&o, method_named(names[i]), 0.1, clamped_x, clamped_v);
        assert_int_equal(report.fallbacks, 0);
        for (int d = 0; d < OSCILLATOR_DOFS; d++) {
            assert_true(isfinite(x[d]) && isfinite(v[d]));
            if (i == 0) assert_near(x[d], clamped_x[d], 1e-9);
        }
    }
}

// Newton's method with it: a spring compressed to a quarter of its length, pushed across. The step
// ends where  v' = v + h f(x'),  x' = x + h v'  (mass 1), whatever led there.
static void newton_goes_on_with_the_clamped_tangent(void **state)
{
    (void)state;
    const double k = 100.0, push = 100.0, h = 0.1;
    Oscillator o;
    oscillator_init(&o, k, 1.0, 0.0, 0.0);
    oscillator_drive(&o, push, 0.0); // along x
    o.options.newton_tolerance = 1e-9;
    o.options.tangent = TANGENT_FULL;
    double x[OSCILLATOR_DOFS] = {[2] = 1.0, [4] = 0.25}, v[OSCILLATOR_DOFS] = {0}; // mass 1 on y
    StepReport report = oscillator_step(&o, method_named("backward-euler-newton"), h, x, v);
    assert_true(report.fallbacks > 0);
    assert_int_equal(report.retries, 0);
    assert_false(report.unconverged);
    double length = hypot(x[1], x[4]), pull = k * (1.0 - 1.0 / length);
    assert_near(x[1], h * v[1], 1e-12);
    assert_near(x[4], 0.25 + h * v[4], 1e-12);
    assert_near(v[1], h * (push - pull * x[1]), 1e-6);
    assert_near(v[4], -h * pull * x[4], 1e-6);
}

// f = -sign(x): x + h v' = 0 has no solution in v', because the force jumps there.
static Losses jumping_force(void *self, const double *x, const double *v, double *f)
{
    (void)self, (void)v;
    memset(f, 0, OSCILLATOR_DOFS * sizeof *f);
    f[1] = x[1] > 0.0 ? -1000.0 : 1000.0;
    return (Losses){0};
}

static void newton_reports_when_it_must_take_smaller_steps(void **state)
{
    (void)state;
    const Integrator *method = method_named("backward-euler-newton");
    Oscillator o;
    oscillator_init(&o, 100.0, 1.0, 0.0, 0.05);
    double x[OSCILLATOR_DOFS] = {[1] = 1.0, [2] = 1.0}, v[OSCILLATOR_DOFS] = {[4] = 30.0};
    StepReport report = oscillator_step(&o, method, 0.1, x, v);
    assert_int_equal(report.newton_iterations, 1); // along the spring the problem is linear
    assert_int_equal(report.retries, 0);
    assert_false(report.unconverged);

    o.system.forces = jumping_force;
    double y[OSCILLATOR_DOFS] = {[1] = 1e-3, [2] = 1.0}, w[OSCILLATOR_DOFS] = {0};
    report = oscillator_step(&o, method, 0.1, y, w);
    assert_int_equal(report.retries, 4); // halves, quarters, eighths, sixteenths
    assert_true(report.unconverged);
    assert_true(isfinite(y[1]) && isfinite(w[1]));
}

static void leu_refreshes_by_time_by_motion_and_on_divergence(void **state)
{
    (void)state;
    const Integrator *method = method_named("leu");
    Oscillator o;
    oscillator_init(&o, 100.0, 0.5, 0.0, 0.0);
    double x[OSCILLATOR_DOFS] = {[1] = 1.0, [2] = 0.5}, v[OSCILLATOR_DOFS] = {0};
    o.options.leu_interval = 0.01;
    int refreshed = 0;
    for (int i = 0; i < 100; i++) {
        refreshed += oscillator_step(&o, method, 1e-3, x, v).linearisations;
    }
    assert_int_equal(refreshed, 10); // steps 0, 10, ..., 90

    // automatic: at rest after 32 steps only, otherwise after the mass has moved
    o.memory.valid = false;
    o.options.leu_interval = LEU_AUTO;
    double still_x[OSCILLATOR_DOFS] = {[1] = 0.5, [2] = 0.5}, still_v[OSCILLATOR_DOFS] = {0};
    refreshed = 0;
    for (int i = 0; i < 40; i++) {
        refreshed += oscillator_step(&o, method, 1e-3, still_x, still_v).linearisations;
        assert_int_equal(refreshed, i < 32 ? 1 : 2);
    }
    double fast_v[OSCILLATOR_DOFS] = {[4] = 5.0};
    o.memory.valid = false;
    refreshed = 0;
    for (int i = 0; i < 40; i++) { // 0.2 m sideways, in tenths of the length of 1 m
        refreshed += oscillator_step(&o, method, 1e-3, still_x, fast_v).linearisations;
    }
    assert_true(refreshed >= 2 && refreshed <= 4);

    // Divergence: a step with an old linearisation is undone and repeated with a new one.
    o.options.leu_interval = 1.0;
    o.memory.valid = false;
    double y[OSCILLATOR_DOFS] = {[1] = 1.0, [2] = 0.5}, w[OSCILLATOR_DOFS] = {0};
    StepReport report = oscillator_step(&o, method, 1e-3, y, w);
    assert_int_equal(report.retries, 0);
    o.options.leu_speed = 0.075; // the next step would reach 0.1 m/s
    report = oscillator_step(&o, method, 1e-3, y, w);
    assert_true(report.retries >= 1 && report.linearisations >= 1);
    assert_true(report.unconverged); // smaller parts reach the same speed, which is reported
    assert_true(isfinite(y[1]) && isfinite(w[1]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_reaches_its_order),
        cmocka_unit_test(every_method_reaches_its_order_when_driven),
        cmocka_unit_test(every_method_reaches_its_order_on_a_nonlinear_spring),
        cmocka_unit_test(every_method_is_described),
        cmocka_unit_test(symplectic_methods_keep_energy_bounded),
        cmocka_unit_test(implicit_methods_lose_energy),
        cmocka_unit_test(explicit_methods_change_energy_at_the_predicted_rate),
        cmocka_unit_test(step_limits_hold_on_an_oscillator),
        cmocka_unit_test(step_limit_of_symplectic_euler_is_the_closed_form),
        cmocka_unit_test(step_limit_of_explicit_euler_is_that_of_its_modes),
        cmocka_unit_test(held_degrees_of_freedom_keep_their_velocity),
        cmocka_unit_test(filter_acts_between_velocity_and_position),
        cmocka_unit_test(reports_count_the_work),
        cmocka_unit_test(methods_can_be_exchanged_at_every_step),
        cmocka_unit_test(negative_curvature_falls_back_to_the_clamped_tangent),
        cmocka_unit_test(newton_goes_on_with_the_clamped_tangent),
        cmocka_unit_test(newton_reports_when_it_must_take_smaller_steps),
        cmocka_unit_test(leu_refreshes_by_time_by_motion_and_on_divergence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
