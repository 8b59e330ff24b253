// Physics that must hold for any implementation: conservation, decay, and the step limit.
#include "support/solver_test.h"

#include "cloth/forces.h"
#include "simulation/simulation_state.h"
#include "stability/stiffness.h"

#include <math.h>
#include <stdlib.h>

static Simulation *create(const char *assignments, unsigned pins)
{
    Scene scene = scene_with(assignments);
    scene.pins = pins;
    Simulation *simulation;
    Error error;
    if (simulation_create(&scene, &simulation, &error) != STATUS_OK) fail_msg("%s", error.text);
    return simulation;
}

static Vec3 cross(Vec3 a, Vec3 b)
{
    return (Vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static void momenta(const Cloth *cloth, Vec3 *linear, Vec3 *angular)
{
    *linear = *angular = (Vec3){0};
    for (int p = 0; p < cloth->mesh.particle_count; p++) {
        Vec3 x = mesh_vector(&cloth->mesh, cloth->x, p), v = mesh_vector(&cloth->mesh, cloth->v, p);
        *linear = vec3_add_scaled(*linear, cloth_mass(cloth, p), v);
        *angular = vec3_add_scaled(*angular, cloth_mass(cloth, p), cross(x, v));
    }
}

static void shake(Cloth *cloth, double speed)
{
    uint32_t seed = 41;
    for (int p = 0; p < cloth->mesh.particle_count; p++) {
        Vec3 v = {noise(&seed), noise(&seed), noise(&seed)};
        mesh_set_vector(&cloth->mesh, cloth->v, p, vec3_scale(speed, v));
    }
}

static void momentum_is_conserved(void **state)
{
    (void)state;
    const char *const scenes[] = {
        "integrator=symplectic-euler rows=9 columns=7 air=0 gravity=0 ground=-100 alpha=0",
        "integrator=symplectic-euler rows=9 columns=7 air=0 gravity=0 ground=-100 alpha=1e-4",
        ("integrator=backward-euler rows=9 columns=7 air=0 gravity=0 ground=-100 alpha=1e-4 "
         "pcg_tolerance=1e-14"),
    };
    for (int k = 0; k < 3; k++) {
        Simulation *simulation = create(scenes[k], 0);
        Cloth *cloth = &simulation->body.cloth;
        shake(cloth, 1.0);
        Vec3 linear, angular, linear_end, angular_end;
        momenta(cloth, &linear, &angular);
        for (int s = 0; s < 500; s++)
            assert_int_equal(simulation_step(simulation, NULL), STATUS_OK);
        momenta(cloth, &linear_end, &angular_end);
        assert_near(vec3_length(vec3_sub(linear_end, linear)), 0.0, 1e-13);
        // springs are central forces; damping by K is not, and backward Euler damps rotation
        if (k == 0) assert_near(vec3_length(vec3_sub(angular_end, angular)), 0.0, 1e-13);
        simulation_destroy(simulation);
    }
}

// Does the total energy rise above its start by 2 % of m g H within 5 s? A speed limit alone would
// miss a bounded buzz.
static bool gains_energy(double factor, double h_limit)
{
    Simulation *simulation = create("rows=16 columns=16 stretch=128 shear=64 bend=12.8 air=0.5 "
                                    "alpha=0 ground=-100 speed_limit=1e6 step=1e-3",
                                    PIN_TOP_LEFT | PIN_TOP_RIGHT);
    simulation->scene.params.step = factor * h_limit;
    double start = energy_total(simulation_readings(simulation).energy);
    double allowed = 0.02 * 0.2 * 9.81 * 1.0;
    bool gained = false;
    while (!gained && simulation->now.time < 5.0) {
        bool diverged = simulation_step(simulation, NULL) == STATUS_DIVERGED;
        gained = diverged || energy_total(simulation_readings(simulation).energy) > start + allowed;
    }
    simulation_destroy(simulation);
    return gained;
}

static void step_limit_holds_on_a_cloth(void **state)
{
    (void)state;
    Simulation *simulation = create("rows=16 columns=16 stretch=128 shear=64 bend=12.8 alpha=0",
                                    PIN_TOP_LEFT | PIN_TOP_RIGHT);
    Readings readings = simulation_readings(simulation);
    simulation_destroy(simulation);
    assert_near(readings.k0, 1e6, 5e4);
    assert_near(readings.limit.step, 2.0 / sqrt(readings.k0), 1e-3 * readings.limit.step);
    assert_false(gains_energy(0.98, readings.limit.step));
    assert_true(gains_energy(1.02, readings.limit.step));
}

static void warm_k0_stays_close_to_the_converged_one(void **state)
{
    (void)state;
    Simulation *simulation = create("rows=16 columns=16", PIN_TOP_LEFT | PIN_TOP_RIGHT);
    Arena scratch;
    int dofs = simulation->system.dofs;
    assert_int_equal(arena_init(&scratch, stiffness_scratch_size(dofs, 64), NULL), STATUS_OK);
    double *mode = calloc((size_t)dofs, sizeof(double));
    double next = 0.1;
    while (simulation->now.time < 2.0) {
        assert_int_equal(simulation_step(simulation, NULL), STATUS_OK);
        if (simulation->now.time < next) continue; // also between two estimates
        next += 0.1;
        double exact = 0.0;
        for (int k = 0; k < 3; k++) {
            arena_reset(&scratch);
            exact = stiffness_k0(&simulation->system, simulation->body.cloth.x,
                                 (KrylovEffort){.steps = 64, .products = 64}, mode, &scratch)
                        .value;
        }
        assert_near(simulation->now.stiffness.k0, exact, 0.02 * exact);
    }
    assert_true(next > 1.9);
    free(mode);
    arena_finish(&scratch);
    simulation_destroy(simulation);
}

static void cloth_comes_to_rest(void **state)
{
    (void)state;
    const char *const scenes[] = {
        "integrator=symplectic-euler rows=12 columns=12 air=3",
        "integrator=backward-euler rows=12 columns=12 air=3",
        "integrator=symplectic-euler rows=12 columns=12 air=3 filter=exponential",
    };
    for (int k = 0; k < 3; k++) {
        Simulation *simulation = create(scenes[k], PIN_TOP_LEFT | PIN_TOP_RIGHT);
        while (simulation->now.time < 6.0) {
            assert_int_equal(simulation_step(simulation, NULL), STATUS_OK);
        }
        Readings readings = simulation_readings(simulation);
        assert_true(readings.max_speed < 0.1);
        assert_true(readings.max_strain < 0.2);
        // it hangs: the centre of mass is well below the pins, and above the floor
        double depth = -readings.energy.gravity / (0.2 * 9.81);
        assert_true(depth > 0.35 && depth < 0.8);
        simulation_destroy(simulation);
    }
}

static void set(Simulation *simulation, const char *name, double value)
{
    Command command = {.kind = COMMAND_SET_PARAM};
    command.param.index = (int)(param_find(name) - param_table);
    command.param.value = value;
    assert_int_equal(simulation_apply(simulation, &command, NULL), STATUS_OK);
}

static void automatic_step_follows_stiffness_and_mass(void **state)
{
    (void)state;
    Simulation *simulation = create("rows=10 columns=10 alpha=0 air=0", PIN_TOP_EDGE);
    double before = simulation_next_step(simulation);
    set(simulation, "stretch", 4.0 * 330.0);
    set(simulation, "shear", 4.0 * 165.0);
    set(simulation, "bend", 4.0 * 33.0);
    assert_near(simulation_next_step(simulation), 0.5 * before, 0.01 * before);
    set(simulation, "density", 4.0 * 0.2);
    assert_near(simulation_next_step(simulation), before, 0.01 * before);
    set(simulation, "safety", 0.4);
    assert_near(simulation_next_step(simulation), 0.5 * before, 0.01 * before);
    set(simulation, "step", 0.003);
    assert_near(simulation_next_step(simulation), 0.003, 0.0);
    simulation_destroy(simulation);

    // a method without a limit takes its default step, and a soft cloth does not get huge steps
    simulation = create("integrator=backward-euler", 0);
    assert_near(simulation_next_step(simulation), 1.0 / 120.0, 1e-15);
    simulation_destroy(simulation);
    simulation = create("rows=2 columns=2 stretch=0.1 shear=0 bend=0 density=10 size=10", 0);
    assert_near(simulation_next_step(simulation), 1.0 / 120.0, 1e-15);
    simulation_destroy(simulation);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentum_is_conserved),
        cmocka_unit_test(step_limit_holds_on_a_cloth),
        cmocka_unit_test(warm_k0_stays_close_to_the_converged_one),
        cmocka_unit_test(cloth_comes_to_rest),
        cmocka_unit_test(automatic_step_follows_stiffness_and_mass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
