// The ledger against the truth: what damping takes along the exact motion from the start of each
// step.
#include "support/solver_test.h"

#include "cloth/forces.h"
#include "scene/combination.h"
#include "simulation/simulation_state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// An own solution of  x' = v,  v' = M^-1 f,  W' = v.(f(x, 0) - f(x, v)) - v.(force of the wind), by
// the 3/8 rule in small parts. It calls nothing of the ledger.
typedef struct Flow {
    int n;
    double *x, *v, *at_x, *at_v, *f, *f0, *still, *dx[4], *dv[4];
} Flow;

static Flow flow_create(const Mesh *mesh)
{
    Flow flow = {.n = mesh->dofs};
    double **arrays[] = {&flow.x, &flow.v, &flow.at_x, &flow.at_v, &flow.f, &flow.f0, &flow.still};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        *arrays[i] = mesh_flat_create(mesh);
    for (int s = 0; s < 4; s++) {
        flow.dx[s] = mesh_flat_create(mesh);
        flow.dv[s] = mesh_flat_create(mesh);
    }
    return flow;
}

static void flow_finish(Flow *flow)
{
    double *arrays[] = {flow->x, flow->v, flow->at_x, flow->at_v, flow->f, flow->f0, flow->still};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) free(arrays[i]);
    for (int s = 0; s < 4; s++) free(flow->dx[s]), free(flow->dv[s]);
}

static double power_at(const Cloth *cloth, Flow *flow, double time)
{
    double power = 0.0;
    cloth_forces(cloth, flow->at_x, flow->at_v, flow->f);
    cloth_forces(cloth, flow->at_x, flow->still, flow->f0);
    for (int i = 0; i < flow->n; i++) power += flow->at_v[i] * (flow->f0[i] - flow->f[i]);
    for (int i = 0; i < flow->n; i++) flow->f0[i] = flow->f[i];
    wind_add_forces(cloth, wind_at(&cloth->wind, time), flow->at_x, flow->at_v, flow->f);
    for (int i = 0; i < flow->n; i++) power -= flow->at_v[i] * (flow->f[i] - flow->f0[i]);
    return power;
}

static double flow_work(const Cloth *cloth, Flow *flow, const double *x, const double *v,
                        double start, double time, int parts)
{
    static const double c[4] = {0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0};
    static const double a[4][3] = {{0}, {1.0 / 3.0}, {-1.0 / 3.0, 1.0}, {1.0, -1.0, 1.0}};
    static const double b[4] = {1.0 / 8.0, 3.0 / 8.0, 3.0 / 8.0, 1.0 / 8.0};
    size_t bytes = (size_t)flow->n * sizeof(double);
    double h = time / parts, work = 0.0;
    memcpy(flow->x, x, bytes);
    memcpy(flow->v, v, bytes);
    for (int part = 0; part < parts; part++) {
        for (int s = 0; s < 4; s++) {
            for (int i = 0; i < flow->n; i++) {
                flow->at_x[i] = flow->x[i];
                flow->at_v[i] = flow->v[i];
                for (int j = 0; j < s; j++) {
                    flow->at_x[i] += h * a[s][j] * flow->dx[j][i];
                    flow->at_v[i] += h * a[s][j] * flow->dv[j][i];
                }
            }
            work += h * b[s] * power_at(cloth, flow, start + (part + c[s]) * h);
            for (int i = 0; i < flow->n; i++) {
                flow->dx[s][i] = flow->at_v[i];
                flow->dv[s][i] = cloth->inverse_mass[i] * flow->f[i];
            }
        }
        for (int i = 0; i < flow->n; i++) {
            for (int s = 0; s < 4; s++) {
                flow->x[i] += h * b[s] * flow->dx[s][i];
                flow->v[i] += h * b[s] * flow->dv[s][i];
            }
        }
    }
    return work;
}

typedef struct Comparison {
    EnergyBalance ledger;
    double truth; // J, the remainder with the exact works of damping and wind
} Comparison;

static Comparison compare(const char *assignments, double seconds)
{
    Simulation *simulation = simulation_with(assignments);
    const Cloth *cloth = &simulation->body.cloth;
    Flow flow = flow_create(&cloth->mesh);
    double work = 0.0, *x = mesh_flat_create(&cloth->mesh), *v = mesh_flat_create(&cloth->mesh);
    size_t bytes = (size_t)cloth->mesh.dofs * sizeof(double);
    while (simulation->now.time < seconds - 1e-9) {
        double then = simulation->now.time;
        memcpy(x, cloth->x, bytes);
        memcpy(v, cloth->v, bytes);
        assert_int_equal(simulation_step(simulation, NULL), STATUS_OK);
        work += flow_work(cloth, &flow, x, v, then, simulation->now.time - then, 4);
    }
    EnergyBalance b = simulation_readings(simulation).balance;
    Comparison result = {b, b.remainder - b.damping + b.wind + work};
    flow_finish(&flow);
    free(x), free(v);
    simulation_destroy(simulation);
    return result;
}

#define DRAPING                                                                                    \
    "rows=8 columns=8 stretch=50 shear=25 bend=5 air=0.5 alpha=1e-3 ground=-100 "                  \
    "pcg_tolerance=1e-10 newton_tolerance=1e-8 harmonic=corrected"

#define IN_WIND " wind=5 gust=0.8 wind_direction=80 drag_tangent=0.05"

static Comparison compare_method(int method, int damping, const char *wind, double h)
{
    char text[500];
    snprintf(text, sizeof text, DRAPING " integrator=%s damping=%s step=%g%s",
             integrator_name(method), damping_kind_name(damping), h, wind);
    return compare(text, 0.3);
}

static void expect_truth(Comparison c, double share)
{
    double off = c.ledger.remainder - c.truth;
    if (fabs(off) <= c.ledger.error + share * fabs(c.truth)) return;
    fail_msg("remainder %g +- %g J, in truth %g J", c.ledger.remainder, c.ledger.error, c.truth);
}

// Whatever the method and the damping: the remainder is the truth, and vanishes with the order of
// the method. Rayleigh damping has kinks where springs tighten.
static void the_remainder_converges_to_the_truth(void **state)
{
    (void)state;
    for (int method = 0; method < integrator_count; method++) {
        const Integrator *integrator = integrator_table[method];
        bool first = integrator->order == 1 || (integrator->traits & INTEGRATOR_ORDER_UNDAMPED);
        for (int damping = 0; damping < DAMPING_KINDS; damping++) {
            Scene scene = scene_with("");
            scene.params.integrator = method;
            scene.params.damping = damping;
            if (params_refusal(&scene.params)) continue;
            double order = first ? 1.0 : integrator->order;
            if (damping == DAMPING_RAYLEIGH) order = fmin(order, 3.0);
            Comparison coarse = compare_method(method, damping, "", 1e-3);
            Comparison fine = compare_method(method, damping, "", 5e-4);
            expect_truth(coarse, 0.01);
            expect_truth(fine, 0.01);
            // the remainder may happen to vanish: its scale is then the error
            double scale = fmax(fabs(coarse.ledger.remainder), coarse.ledger.error);
            assert_true(fabs(fine.ledger.remainder) < scale * exp2(0.5 - order));
            assert_true(coarse.ledger.error < (method == integrator_find("leu") ? 2e-3 : 1e-3));
        }
    }
}

// The same in gusts, whose work may be as large as all energy.
static void the_work_of_the_wind_converges_to_the_truth(void **state)
{
    (void)state;
    for (int method = 0; method < integrator_count; method++) {
        const Integrator *integrator = integrator_table[method];
        bool first = integrator->order == 1 || (integrator->traits & INTEGRATOR_ORDER_UNDAMPED);
        double order = first ? 1.0 : fmin(integrator->order, 3.0);
        Comparison coarse = compare_method(method, DAMPING_RAYLEIGH, IN_WIND, 1e-3);
        Comparison fine = compare_method(method, DAMPING_RAYLEIGH, IN_WIND, 5e-4);
        expect_truth(coarse, 0.01);
        expect_truth(fine, 0.01);
        double scale = fmax(fabs(coarse.ledger.remainder), coarse.ledger.error);
        // imex, thick as molasses, shows its order at much smaller steps only
        bool thick = method == integrator_find("imex");
        if (!thick && !(fabs(fine.ledger.remainder) < scale * exp2(0.5 - order)))
            fail_msg("%s: remainders %g and %g J", integrator->name, coarse.ledger.remainder,
                     fine.ledger.remainder);
        assert_true(fabs(fine.ledger.wind) > 10.0 * fine.ledger.error);
    }
}

// Also the small remainders of accurate methods, of which sampled powers would show nothing but
// noise.
static void small_remainders_are_no_noise(void **state)
{
    (void)state;
    const struct {
        const char *scene;
        double least, most; // J
        double share;       // of the truth
    } cases[] = {
        {DRAPING " integrator=rk4 step=2e-3", 1e-6, 2e-6, 0.2},
        {DRAPING " integrator=rk4 step=1e-3 damping=projected", 1e-8, 1e-6, 0.2},
        {DRAPING " integrator=midpoint step=2e-3", 2e-5, 1e-4, 0.2},
        {DRAPING " integrator=velocity-verlet step=1e-3", 3e-5, 1e-4, 0.02},
        {DRAPING " integrator=symplectic-euler step=1e-3", 4e-4, 6e-4, 0.06},
        {DRAPING " integrator=symplectic-euler step=2.5e-4", 1e-4, 1.5e-4, 0.03},
        {DRAPING " integrator=harmonic step=5e-4", 2e-4, 4e-4, 0.04},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        Comparison c = compare(cases[k].scene, 0.5);
        assert_true(c.truth > cases[k].least && c.truth < cases[k].most);
        assert_near(c.ledger.remainder, c.truth, cases[k].share * c.truth);
        expect_truth(c, 0.0);
    }
}

// Near the limit of the step the stiffest modes turn within a few steps, and one may argue what
// damping took. The error says so.
static void the_error_covers_modes_that_are_not_resolved(void **state)
{
    (void)state;
    const char *const methods[] = {"symplectic-euler", "velocity-verlet", "rk4", "midpoint"};
    for (size_t k = 0; k < sizeof methods / sizeof methods[0]; k++) {
        char text[200];
        snprintf(text, sizeof text,
                 "rows=16 columns=16 gather=0.9 folds=3 alpha=1e-4 ground=-100 integrator=%s",
                 methods[k]);
        Comparison c = compare(text, 0.3);
        expect_truth(c, 0.0);
        assert_true(c.ledger.error < 0.3 * c.ledger.damping);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_remainder_converges_to_the_truth),
        cmocka_unit_test(the_work_of_the_wind_converges_to_the_truth),
        cmocka_unit_test(small_remainders_are_no_noise),
        cmocka_unit_test(the_error_covers_modes_that_are_not_resolved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
