// What every method must keep, with every model and kind of damping: its order, momentum, and
// friction that does not depend on the step.
#include "support/solver_test.h"

#include "cloth/force_model.h"
#include "simulation/simulation_state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const dampings[] = {"rayleigh", "projected", "difference"};
static const char *const forces[] = {
    "", " filter=exponential filter_on=force filter_form=conserving lambda=1.5",
    " wind=12 gust=1 wind_direction=60 drag_tangent=0.3"};
#define COUNT(list) ((int)(sizeof(list) / sizeof(list)[0]))

// ---- order ----

enum { SIDE = 4, PARTICLES = SIDE * SIDE };
#define DURATION 0.01 // s

// A cloth that starts stretched to 1.3, so that in this time no spring crosses from tension to
// compression: there Rayleigh damping has a kink, and no method keeps an order above 2.
static bool positions_after(const char *text, double h, Vec3 out[PARTICLES])
{
    Scene scene = scene_with(text);
    scene.params.step = h;
    scene.start_stretch = 1.3;
    Simulation *simulation;
    if (simulation_create(&scene, &simulation, NULL) != STATUS_OK) return false;
    run_steps(simulation, (int)lround(DURATION / h));
    for (int p = 0; p < PARTICLES; p++) out[p] = particle_position(simulation, p);
    simulation_destroy(simulation);
    return true;
}

static double distance(const Vec3 *a, const Vec3 *b)
{
    double largest = 0.0;
    for (int p = 0; p < PARTICLES; p++) largest = fmax(largest, vec3_length(vec3_sub(a[p], b[p])));
    return largest;
}

static int order_of(const char *variant)
{
    char name[60];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(variant, " "), variant);
    const Integrator *method = integrator_table[integrator_find(name)];
    return method->traits & INTEGRATOR_ORDER_UNDAMPED ? 1 : method->order;
}

// The printed impulses are an eighth of the right ones, and a linearisation of a fixed age is not
// that of the present shape: both are what they are for, and converge to something else.
static bool solves_another_problem(const char *variant)
{
    return strstr(variant, "printed") || strstr(variant, "leu_interval=0");
}

// Each method solves the problem that was chosen, to its order.
static void orders_hold_with_damping(void **state)
{
    (void)state;
    int compared = 0;
    for (int model = 0; model < FORCE_MODEL_COUNT; model++) {
        for (int d = 0; d < COUNT(dampings); d++) {
            for (int f = 0; f < COUNT(forces); f++) {
                char problem[400], text[500];
                Vec3 exact[PARTICLES], at[PARTICLES];
                snprintf(problem, sizeof problem,
                         "rows=4 columns=4 stretch=50 shear=25 bend=5 alpha=1e-3 air=0.5 "
                         "pcg_tolerance=1e-12 newton_tolerance=1e-8 model=%s damping=%s%s",
                         force_model_name(model), dampings[d], forces[f]);
                snprintf(text, sizeof text, "%s integrator=rk4", problem);
                if (!positions_after(text, DURATION / 4096.0, exact)) continue;
                for (int v = 0; v < method_variant_count; v += test_share()) {
                    if (solves_another_problem(method_variants[v])) continue;
                    snprintf(text, sizeof text, "%s integrator=%s", problem, method_variants[v]);
                    int order = order_of(method_variants[v]);
                    // few steps for a high order, or its error would be rounding
                    double h = DURATION / (order > 2 ? 16.0 : 512.0), error[2];
                    if (!positions_after(text, h, at)) continue; // refused, with a reason
                    error[0] = distance(at, exact);
                    assert_true(positions_after(text, 0.5 * h, at));
                    error[1] = distance(at, exact);
                    double measured = log2(error[0] / error[1]);
                    compared++;
                    if (!(measured > order - 0.25)) {
                        fail_msg("%s: order %.2f, not %d (errors %.2e, %.2e m)", text, measured,
                                 order, error[0], error[1]);
                    }
                }
            }
        }
    }
    print_message("%d combinations have their order\n", compared);
    assert_true(compared > 150 / test_share());
}

// ---- momentum ----

static Vec3 momentum_of(const Simulation *simulation)
{
    const Cloth *cloth = &simulation->body.cloth;
    Vec3 sum = {0};
    for (int p = 0; p < cloth->mesh.particle_count; p++)
        sum = vec3_add_scaled(sum, cloth_mass(cloth, p), mesh_vector(&cloth->mesh, cloth->v, p));
    return sum;
}

// A free cloth that starts in folds neither drifts nor falls otherwise than a stone.
static void momentum_is_kept(void **state)
{
    (void)state;
    int compared = 0;
    for (int model = 0; model < FORCE_MODEL_COUNT; model++) {
        for (int d = 0; d < COUNT(dampings); d++) {
            for (int v = 0; v < method_variant_count; v += test_share()) {
                char text[400];
                snprintf(text, sizeof text,
                         "rows=7 columns=8 gather=0.6 air=0 ground=-100 model=%s damping=%s "
                         "integrator=%s",
                         force_model_name(model), dampings[d], method_variants[v]);
                Scene scene = scene_with(text);
                scene.pins = 0;
                Simulation *simulation;
                if (simulation_create(&scene, &simulation, NULL) != STATUS_OK) continue;
                double mass = simulation->drop / fmax(simulation->body.cloth.mesh.width,
                                                      simulation->body.cloth.mesh.height);
                while (simulation->now.time < 0.2) run_steps(simulation, 1);
                Vec3 p = momentum_of(simulation);
                p.y += mass * 9.81 * simulation->now.time;
                double drift = vec3_length(p) / mass; // m/s
                if (!(drift < 1e-9)) fail_msg("%s: drifts at %g m/s", text, drift);
                simulation_destroy(simulation);
                compared++;
            }
        }
    }
    print_message("%d combinations keep momentum\n", compared);
    assert_true(compared > 80 / test_share());
}

// ---- friction ----

// A cloth slides on the floor as a block does: v = v0 - friction g t until it rests, at any step.
static void friction_does_not_depend_on_the_step(void **state)
{
    (void)state;
    const double steps[] = {1e-2, 1e-3, 1e-4};
    for (int i = 0; i < 3; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "rows=3 columns=3 stretch=20 shear=10 bend=1 step=%g air=0 alpha=0 ground=0 "
                 "friction=0.5 integrator=backward-euler",
                 steps[i]);
        Scene scene = scene_with(text);
        scene.pins = 0;
        scene.start_velocity = (Vec3){1.0, 0.0, 0.0};
        Simulation *simulation;
        assert_int_equal(simulation_create(&scene, &simulation, NULL), STATUS_OK);
        while (simulation_time(simulation) < 0.1 - 0.5 * steps[i])
            assert_int_equal(simulation_step(simulation, NULL), STATUS_OK);
        assert_near(simulation_readings(simulation).max_speed, 1.0 - 0.5 * 9.81 * 0.1,
                    0.6 * 9.81 * steps[i] + 1e-9);
        while (simulation_time(simulation) < 0.3)
            assert_int_equal(simulation_step(simulation, NULL), STATUS_OK);
        assert_near(simulation_readings(simulation).max_speed, 0.0, 1e-9);
        simulation_destroy(simulation);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_hold_with_damping),
        cmocka_unit_test(momentum_is_kept),
        cmocka_unit_test(friction_does_not_depend_on_the_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
