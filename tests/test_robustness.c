// Every method on a cloth: conserved quantities are conserved, and bad values give a finite,
// reported outcome.
#include "support/solver_test.h"

#include "simulation/simulation_state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static Simulation *create(const char *integrator, const char *assignments, unsigned pins)
{
    char all[400];
    snprintf(all, sizeof all, "rows=7 columns=6 integrator=%s %s", integrator, assignments);
    Scene scene = scene_with(all);
    scene.pins = pins;
    Simulation *simulation;
    Error error;
    if (simulation_create(&scene, &simulation, &error) != STATUS_OK) fail_msg("%s", error.text);
    return simulation;
}

static void shake(Simulation *simulation, double position, double speed)
{
    Cloth *cloth = &simulation->body.cloth;
    uint32_t seed = 11;
    for (int p = 0; p < cloth->mesh.particle_count; p++) {
        if (cloth_is_held(cloth, p)) continue;
        Vec3 x = mesh_vector(&cloth->mesh, cloth->x, p);
        Vec3 dx = {noise(&seed), noise(&seed), noise(&seed)};
        Vec3 v = {noise(&seed), noise(&seed), noise(&seed)};
        mesh_set_vector(&cloth->mesh, cloth->x, p, vec3_add_scaled(x, position, dx));
        mesh_set_vector(&cloth->mesh, cloth->v, p, vec3_scale(speed, v));
    }
}

static Vec3 cross(Vec3 a, Vec3 b)
{
    return (Vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static void momenta(const Cloth *cloth, Vec3 *linear, Vec3 *angular)
{
    *linear = *angular = (Vec3){0};
    for (int p = 0; p < cloth->mesh.particle_count; p++) {
        Vec3 x = mesh_vector(&cloth->mesh, cloth->x, p);
        Vec3 v = mesh_vector(&cloth->mesh, cloth->v, p);
        *linear = vec3_add_scaled(*linear, cloth_mass(cloth, p), v);
        *angular = vec3_add_scaled(*angular, cloth_mass(cloth, p), cross(x, v));
    }
}

// A free cloth, shaken, without gravity and drag. Forces along springs also conserve angular
// momentum if x' = x + h v with the velocity from the kick at x.
static void momentum_is_kept(void **state)
{
    (void)state;
    const struct {
        const char *integrator, *assignments;
        bool angular;
    } cases[] = {
        {"explicit-euler", "", false},
        {"symplectic-euler", "", true},
        {"symplectic-euler-implicit-air", "", true},
        {"velocity-verlet", "", true},
        {"midpoint", "", false},
        {"rk4", "", false},
        {"backward-euler", "", false},
        {"backward-euler", "tangent=full", false},
        {"backward-euler-newton", "", false},
        {"imex", "", false},
        {"imex-axial", "", false},
        {"leu", "", false},
        {"harmonic", "", true},
        {"harmonic", "harmonic=printed", true},
        {"harmonic", "harmonic=clamped", true},
        {"harmonic", "harmonic=clamped sequence=on", true},
        {"symplectic-euler", "filter=exponential filter_form=conserving", false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char all[300];
        snprintf(all, sizeof all,
                 "gravity=0 air=0 alpha=1e-4 damping=projected ground=-100 step=1e-4 "
                 "pcg_tolerance=1e-14 newton_tolerance=1e-13 %s",
                 cases[k].assignments);
        Simulation *simulation = create(cases[k].integrator, all, 0);
        shake(simulation, 0.02, 1.0);
        Vec3 linear, angular, linear_after, angular_after;
        momenta(&simulation->body.cloth, &linear, &angular);
        for (int s = 0; s < 100; s++) {
            assert_int_equal(simulation_step(simulation, NULL), STATUS_OK);
        }
        momenta(&simulation->body.cloth, &linear_after, &angular_after);
        if (!(vec3_length(vec3_sub(linear_after, linear)) < 1e-13)) {
            fail_msg("%s %s loses momentum", cases[k].integrator, cases[k].assignments);
        }
        if (cases[k].angular && !(vec3_length(vec3_sub(angular_after, angular)) < 1e-13)) {
            fail_msg("%s %s loses angular momentum", cases[k].integrator, cases[k].assignments);
        }
        simulation_destroy(simulation);
    }
}

static bool is_finite(const Cloth *cloth)
{
    for (int i = 0; i < cloth->mesh.dofs; i++) {
        if (!isfinite(cloth->x[i]) || !isfinite(cloth->v[i])) return false;
    }
    return true;
}

// Up to 60 steps. Each succeeds or reports what went wrong, and the state stays finite.
static void survive(Simulation *simulation)
{
    for (int s = 0; s < 60; s++) {
        Error error = {0};
        Status status = simulation_step(simulation, &error);
        assert_true(is_finite(&simulation->body.cloth));
        assert_false(isnan(simulation_readings(simulation).limit.step));
        if (status == STATUS_OK) continue;
        assert_int_equal(status, STATUS_DIVERGED);
        assert_true(error.text[0]);
        return;
    }
}

static void collapse(Cloth *cloth, int first, int count)
{
    Vec3 x = mesh_vector(&cloth->mesh, cloth->x, first);
    for (int p = first; p < first + count; p++) mesh_set_vector(&cloth->mesh, cloth->x, p, x);
}

static void bad_values_end_in_a_finite_reported_outcome(void **state)
{
    (void)state;
    const char *const variants[] = {
        "",
        "tangent=full",
        "leu_interval=auto",
        "stretch=1e6 shear=1e6 bend=1e6 step=0.1 density=0.01",
        "stretch=1e6 step=0.1 density=0.01 tangent=full leu_interval=auto alpha=0.05 air=20",
        "step=1e-6",
        "harmonic=clamped sequence=on step=0.1 stretch=1e6",
        "harmonic=printed stretch=1e6 step=0.1",
    };
    for (int i = 0; i < integrator_count; i++) {
        for (size_t k = 0; k < sizeof variants / sizeof variants[0]; k++) {
            for (int shape = 0; shape < 4; shape++) {
                Simulation *simulation =
                    create(integrator_name(i), variants[k], PIN_TOP_LEFT | PIN_TOP_RIGHT);
                Cloth *cloth = &simulation->body.cloth;
                int count = cloth->mesh.particle_count;
                if (shape == 1) collapse(cloth, 10, 2);       // a spring of length 0
                if (shape == 2) collapse(cloth, 0, count);    // all in one point
                if (shape == 3) shake(simulation, 3.0, 90.0); // shaken hard
                survive(simulation);
                simulation_destroy(simulation);
            }
        }
    }
}

// Fallbacks and retries of a step are reported.
static void fallbacks_and_retries_are_reported(void **state)
{
    (void)state;
    Simulation *simulation = create("backward-euler", "tangent=full step=0.05 stretch=1e4", 3);
    shake(simulation, 0.05, 1.0);
    int fallbacks = 0;
    for (int s = 0; s < 10; s++) {
        if (simulation_step(simulation, NULL) != STATUS_OK) break;
        fallbacks += simulation_readings(simulation).last.fallbacks;
    }
    assert_true(fallbacks > 0);
    simulation_destroy(simulation);

    simulation = create("leu", "tangent=full leu_interval=1 step=1e-3 stretch=100 alpha=1e-3", 3);
    shake(simulation, 0.05, 1.0);
    int retries = 0;
    for (int s = 0; s < 400; s++) {
        if (simulation_step(simulation, NULL) != STATUS_OK) break;
        retries += simulation_readings(simulation).last.retries;
    }
    assert_true(retries > 0);
    simulation_destroy(simulation);
}

// A method's memory must not outlive a change of the state: two ways to the same state agree.
static void nothing_is_remembered_across_a_change(void **state)
{
    (void)state;
    for (int i = 0; i < integrator_count; i++) {
        Simulation *a = create(integrator_name(i), "step=1e-4 leu_interval=0.01", 3);
        Simulation *b = create("rk4", "step=1e-4 leu_interval=0.01", 3);
        for (int s = 0; s < 25; s++) {
            assert_int_equal(simulation_step(a, NULL), STATUS_OK);
            assert_int_equal(simulation_step(b, NULL), STATUS_OK);
        }
        // b takes over a's state, then a's method
        size_t bytes = (size_t)a->body.cloth.mesh.dofs * sizeof(double);
        memcpy(b->body.cloth.x, a->body.cloth.x, bytes);
        memcpy(b->body.cloth.v, a->body.cloth.v, bytes);
        Command change = {.kind = COMMAND_SET_PARAM,
                          .param = {(int)(param_find("integrator") - param_table), i}};
        assert_int_equal(simulation_apply(b, &change, NULL), STATUS_OK);
        // the same parameter again: a forgets what it remembered
        assert_int_equal(simulation_apply(a, &change, NULL), STATUS_OK);
        for (int s = 0; s < 5; s++) {
            assert_int_equal(simulation_step(a, NULL), STATUS_OK);
            assert_int_equal(simulation_step(b, NULL), STATUS_OK);
        }
        assert_memory_equal(a->body.cloth.x, b->body.cloth.x, bytes);
        assert_memory_equal(a->body.cloth.v, b->body.cloth.v, bytes);
        simulation_destroy(a);
        simulation_destroy(b);
    }
}

// Every model, method, damping and filter: a few steps, or a refusal with a reason.
static void every_combination_runs_or_is_refused(void **state)
{
    (void)state;
    const char *const names[] = {"integrator",  "model",        "damping",  "filter",
                                 "filter_form", "filter_place", "filter_on"};
    enum { NAMES = sizeof names / sizeof names[0] };
    const ParamInfo *infos[NAMES];
    int choice[NAMES] = {0}, ran = 0, refused = 0, number = 0;
    for (int k = 0; k < NAMES; k++) infos[k] = param_find(names[k]);
    Scene scene = scene_with("rows=4 columns=4");
    for (bool more = true; more;) {
        for (int k = 0; k < NAMES; k++) {
            assert_int_equal(param_set(&scene.params, infos[k], choice[k], NULL), STATUS_OK);
        }
        Simulation *simulation = NULL;
        Error error = {0};
        if (number++ % test_share() != 0) {
            // not this one
        } else if (simulation_create(&scene, &simulation, &error) == STATUS_OK) {
            for (int s = 0; s < 3; s++) {
                assert_int_equal(simulation_step(simulation, &error), STATUS_OK);
            }
            assert_true(is_finite(&simulation->body.cloth));
            simulation_destroy(simulation);
            ran++;
        } else {
            assert_int_equal(error.status, STATUS_BAD_PARAMETER);
            assert_non_null(strstr(error.text, "use "));
            refused++;
        }
        more = false;
        for (int k = 0; k < NAMES && !more; k++) { // next combination
            more = ++choice[k] <= (int)infos[k]->max;
            if (!more) choice[k] = 0;
        }
    }
    assert_true(ran > 2000 / test_share() && refused > 100 / test_share());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentum_is_kept),
        cmocka_unit_test(bad_values_end_in_a_finite_reported_outcome),
        cmocka_unit_test(fallbacks_and_retries_are_reported),
        cmocka_unit_test(nothing_is_remembered_across_a_change),
        cmocka_unit_test(every_combination_runs_or_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
