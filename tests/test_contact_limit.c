// A cloth that lies on a ball: rho of the real step crosses 1 at the step at which a small motion
// of the running cloth begins to gain energy.
#include "support/solver_test.h"

#include "cloth/forces.h"
#include "lab/analysis.h"
#include "simulation/simulation_state.h"
#include "simulation/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT(list) ((int)(sizeof(list) / sizeof(list)[0]))
#define CLOSE 0.02     // how far apart both steps may be
#define PUSH 1e-7      // m/s, of the small motion
#define GROWN 1000.0   // times the push
#define FINE 8e-3      // of both bisections
enum { STEPS = 1000 }; // that a motion has to grow in

typedef struct Lying {
    Simulation *simulation;
    State *rest;
    Lab lab;
} Lying;

// Settled on the ball: what is left of its motion is far below the push.
static void lie_down(Lying *lying, const char *method, const char *damping)
{
    char text[300];
    Scene scene = scene_with("rows=9 columns=9 size=0.6 density=0.25 stretch=300 shear=100 bend=10 "
                             "friction=0.6 ground=-1 on_divergence=continue speed_limit=1e6 "
                             "strain_limit=1e6 integrator=symplectic-euler alpha=2e-3 air=6");
    scene.pins = 0;
    scene.colliders[0] = collider_default();
    scene.colliders[0].centre = (Vec3){0.3, -0.22, 0.3};
    scene.colliders[0].radius = 0.2;
    collider_prepare(&scene.colliders[0]);
    scene.collider_count = 1;
    Error error;
    if (simulation_create(&scene, &lying->simulation, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    Simulation *simulation = lying->simulation;
    while (simulation_readings(simulation).time < 12.0) run_steps(simulation, 1);
    snprintf(text, sizeof text, "integrator=%s %s", method, damping);
    change_params(simulation, text);
    run_steps(simulation, 500);
    assert_true(simulation_readings(simulation).contacts > 10);
    assert_int_equal(state_create(&lying->rest, NULL), STATUS_OK);
    assert_int_equal(state_save(simulation, lying->rest, NULL), STATUS_OK);
    assert_int_equal(lab_init(&lying->lab, simulation, NULL), STATUS_OK);
}

static void get_up(Lying *lying)
{
    lab_finish(&lying->lab);
    state_destroy(lying->rest);
    simulation_destroy(lying->simulation);
}

static void set_step(Lying *lying, double h)
{
    assert_int_equal(state_restore(lying->rest, lying->simulation, NULL), STATUS_OK);
    apply_command(lying->simulation, command_set("step", h));
}

static double square_of_difference(const Cloth *a, const Cloth *b)
{
    double sum = 0.0;
    for (int p = 0; p < a->mesh.particle_count; p++) {
        Vec3 change = vec3_sub(mesh_vector(&a->mesh, a->v, p), mesh_vector(&b->mesh, b->v, p));
        sum += vec3_dot(change, change);
    }
    return sum;
}

// Does a small motion of the real cloth grow? It is the difference to a cloth that got no push: at
// the end of a step, what rests may have a velocity that it loses within the next.
static bool gains_energy(Lying *lying, double h)
{
    set_step(lying, h);
    Simulation *pushed = lying->simulation, *still;
    State *now;
    assert_int_equal(state_create(&now, NULL), STATUS_OK);
    assert_int_equal(state_save(pushed, now, NULL), STATUS_OK);
    assert_int_equal(state_create_simulation(now, &still, NULL), STATUS_OK);
    Cloth *cloth = &pushed->body.cloth;
    uint32_t seed = 3;
    for (int p = 0; p < cloth->mesh.particle_count; p++) {
        Vec3 push = {PUSH * noise(&seed), PUSH * noise(&seed), PUSH * noise(&seed)};
        push = vec3_add(push, mesh_vector(&cloth->mesh, cloth->v, p));
        mesh_set_vector(&cloth->mesh, cloth->v, p, push);
    }
    simulation_forget(pushed);
    simulation_forget(still);
    double first = square_of_difference(cloth, &still->body.cloth);
    bool grows = false;
    for (int i = 0; i < STEPS && !grows; i++) {
        bool went =
            simulation_step(pushed, NULL) == STATUS_OK && simulation_step(still, NULL) == STATUS_OK;
        grows = !went || square_of_difference(cloth, &still->body.cloth) > GROWN * GROWN * first;
    }
    simulation_destroy(still);
    state_destroy(now);
    return grows;
}

static bool is_above_one(Lying *lying, double h)
{
    set_step(lying, h);
    AnalysisPlan plan = {.spectrum_products = 100, .spectrum_tolerance = 1e-4, .map_products = 120};
    Analysis analysis;
    lab_analyze(&lying->lab, lying->simulation, &plan, &analysis);
    return measured_unstable(&analysis.map);
}

static double crossing(Lying *lying, bool (*unstable)(Lying *, double), double guess)
{
    double low = 0.9 * guess, high = 1.25 * guess;
    if (unstable(lying, low) || !unstable(lying, high)) return NAN;
    while (high - low > FINE * low) {
        double h = sqrt(low * high);
        *(unstable(lying, h) ? &high : &low) = h;
    }
    return 0.5 * (low + high);
}

static void rho_crosses_one_where_energy_grows(void **state)
{
    (void)state;
    static const struct {
        const char *method, *damping;
    } cases[] = {
        {"symplectic-euler", "alpha=0 air=0.5"},
        {"velocity-verlet", "alpha=1e-4 air=0.5"},
        {"midpoint", "alpha=1e-3 air=0.5"},
    };
    for (int c = 0; c < COUNT(cases); c += test_share()) {
        Lying lying = {0};
        lie_down(&lying, cases[c].method, cases[c].damping);
        Readings now = simulation_readings(lying.simulation);
        double limit = now.limit.step;
        double rho = crossing(&lying, is_above_one, limit);
        double growth = crossing(&lying, gains_energy, limit);
        print_message("%s: %d particles touch; rho crosses 1 at %.3f of the free limit, growth "
                      "begins at %.3f: %+.2f %%\n",
                      cases[c].method, now.contacts, rho / limit, growth / limit,
                      100.0 * (rho / growth - 1.0));
        assert_true(fabs(rho / growth - 1.0) < CLOSE); // false for NaN
        get_up(&lying);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rho_crosses_one_where_energy_grows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
