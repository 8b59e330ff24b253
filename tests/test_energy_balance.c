// Works and losses against the energies themselves.
#include "support/solver_test.h"

#include "cloth/forces.h"
#include "simulation/simulation_state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void run(Simulation *simulation, double seconds)
{
    double end = simulation->now.time + seconds - 1e-9;
    while (simulation->now.time < end) {
        Error error;
        if (simulation_step(simulation, &error) != STATUS_OK) fail_msg("%s", error.text);
    }
}

static EnergyBalance balance(Simulation *simulation)
{
    Readings r = simulation_readings(simulation);
    EnergyBalance b = r.balance;
    // the balance closes by construction
    assert_near(energy_total(r.energy),
                b.start + b.hand + b.contact - b.damping - b.filter + b.remainder, 1e-12);
    return b;
}

// With small steps the integrator adds little, so the works and losses must explain the energy.
static void small_steps_leave_a_small_remainder(void **state)
{
    (void)state;
    const char *const scenes[] = {
        "rows=8 columns=8 stretch=50 shear=25 bend=5 step=2e-5 air=0.5 alpha=0 ground=-100",
        "rows=8 columns=8 stretch=50 shear=25 bend=5 step=2e-5 air=0 alpha=1e-3 ground=-100",
        ("rows=8 columns=8 stretch=50 shear=25 bend=5 step=2e-5 air=1 alpha=1e-3 ground=-100 "
         "integrator=backward-euler pcg_tolerance=1e-8"),
    };
    for (size_t k = 0; k < sizeof scenes / sizeof scenes[0]; k++) {
        Simulation *simulation = simulation_with(scenes[k]);
        run(simulation, 0.6);
        EnergyBalance b = balance(simulation);
        assert_true(b.damping > 0.01);
        assert_near(b.hand + b.contact + b.filter, 0.0, 0.0);
        assert_true(fabs(b.remainder) < 0.02 * b.damping);
        simulation_destroy(simulation);
    }
}

static void the_hand_works(void **state)
{
    (void)state;
    const char *const scenes[] = {
        "rows=8 columns=8 stretch=50 shear=25 bend=5 step=2e-5 air=1 alpha=1e-3 ground=-100",
        "rows=8 columns=8 stretch=50 shear=25 bend=5 step=1e-4 air=1 alpha=1e-3 ground=-100 "
        "integrator=rk4",
        "rows=8 columns=8 stretch=50 shear=25 bend=5 step=2e-5 air=1 alpha=1e-3 ground=-100 "
        "integrator=harmonic"};
    for (size_t k = 0; k < sizeof scenes / sizeof scenes[0]; k++) {
        Simulation *simulation = simulation_with(scenes[k]);
        run(simulation, 0.1);
        Vec3 target = mesh_vector(&simulation->body.cloth.mesh, simulation->body.cloth.x, 60);
        target.y += 0.8;
        Command command = {.kind = COMMAND_GRAB, .hand = {60, target}};
        assert_int_equal(simulation_apply(simulation, &command, NULL), STATUS_OK);
        run(simulation, 0.4);
        EnergyBalance held = balance(simulation);
        assert_true(held.hand > 0.1);
        assert_true(fabs(held.remainder) < 0.02 * held.hand);
        command = (Command){.kind = COMMAND_RELEASE};
        assert_int_equal(simulation_apply(simulation, &command, NULL), STATUS_OK);
        run(simulation, 0.1);
        EnergyBalance after = balance(simulation);
        assert_true(fabs(after.remainder) < 0.02 * after.hand);
        simulation_destroy(simulation);
    }
}

// Counts the last step too, although its final force is not known yet: lifting the cloth is work.
static void the_first_step_counts(void **state)
{
    (void)state;
    Simulation *simulation =
        simulation_with("rows=8 columns=8 step=1e-4 air=0 alpha=0 ground=-100");
    Cloth *cloth = &simulation->body.cloth;
    Command command = {.kind = COMMAND_GRAB, .hand = {60, {0.5, 1.0, 1.0}}};
    assert_int_equal(simulation_apply(simulation, &command, NULL), STATUS_OK);
    assert_int_equal(simulation_step(simulation, NULL), STATUS_OK);
    // at rest the springs do not pull: only the weight is lifted
    double lifted = mesh_vector(&cloth->mesh, cloth->x, 60).y;
    assert_true(lifted > 0.0);
    assert_near(balance(simulation).hand, cloth_mass(cloth, 60) * 9.81 * lifted, 1e-15);
    simulation_destroy(simulation);
}

// What a pin or a hand takes from a moving cloth at once is their work; a parameter that changes
// energy does none.
static void jumps_are_booked(void **state)
{
    (void)state;
    Simulation *simulation = simulation_with("rows=6 columns=6");
    run(simulation, 0.2);
    Readings before = simulation_readings(simulation);
    Command command = {.kind = COMMAND_GRAB, .hand = {20, {0.5, 0.4, 0.5}}};
    assert_int_equal(simulation_apply(simulation, &command, NULL), STATUS_OK);
    Readings after = simulation_readings(simulation);
    assert_true(after.energy.kinetic < before.energy.kinetic); // that of the particle in the hand
    assert_near(after.balance.hand, energy_total(after.energy) - energy_total(before.energy),
                1e-12);
    assert_near(after.balance.remainder, before.balance.remainder, 1e-12);
    command = (Command){.kind = COMMAND_SET_PARAM,
                        .param = {(int)(param_find("stretch") - param_table), 1000.0}};
    assert_int_equal(simulation_apply(simulation, &command, NULL), STATUS_OK);
    EnergyBalance b = balance(simulation);
    assert_true(b.hand == after.balance.hand);
    assert_near(b.remainder, before.balance.remainder, 1e-12);
    simulation_destroy(simulation);
}

static void the_floor_takes_what_it_stops(void **state)
{
    (void)state;
    Simulation *simulation =
        simulation_with("rows=8 columns=8 stretch=50 shear=25 bend=5 step=2e-5 air=1 alpha=1e-3 "
                        "ground=-0.5");
    run(simulation, 1.0);
    EnergyBalance b = balance(simulation);
    assert_true(b.contact < -0.01);
    assert_true(fabs(b.remainder) < 0.05 * (b.damping - b.contact));
    simulation_destroy(simulation);
}

static void the_filter_takes_energy(void **state)
{
    (void)state;
    const char *const scenes[] = {
        "rows=8 columns=8 stretch=50 shear=25 bend=5 step=1e-4 air=0 alpha=0 ground=-100 "
        "filter=exponential lambda=5",
        "rows=8 columns=8 stretch=50 shear=25 bend=5 step=1e-4 air=0 alpha=0 ground=-100 "
        "filter=exponential lambda=5 filter_place=after integrator=rk4"};
    for (size_t k = 0; k < sizeof scenes / sizeof scenes[0]; k++) {
        Simulation *simulation = simulation_with(scenes[k]);
        run(simulation, 0.5);
        EnergyBalance b = balance(simulation);
        assert_true(b.filter > 0.005);
        assert_true(fabs(b.remainder) < 0.1 * b.filter);
        simulation_destroy(simulation);
    }
}

// The integrator's energy error has the sign that theory predicts.
static void the_remainder_shows_the_method(void **state)
{
    (void)state;
    const struct {
        const char *scene;
        double sign;
    } cases[] = {{"rows=8 columns=8 stretch=50 shear=25 bend=5 step=4e-4 air=0 alpha=0 ground=-100 "
                  "integrator=explicit-euler",
                  1.0},
                 {"rows=8 columns=8 stretch=50 shear=25 bend=5 step=8e-3 air=0 alpha=0 ground=-100 "
                  "integrator=backward-euler",
                  -1.0},
                 {"rows=8 columns=8 stretch=50 shear=25 bend=5 step=8e-3 air=0 alpha=0 ground=-100 "
                  "integrator=imex",
                  -1.0}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        Simulation *simulation = simulation_with(cases[k].scene);
        run(simulation, 0.4);
        EnergyBalance b = balance(simulation);
        assert_true(cases[k].sign * b.remainder > 0.003);
        assert_near(b.damping, 0.0, 1e-9);
        simulation_destroy(simulation);
    }
}

// With neither damping nor filter the remainder is the change of energy, and exact.
static void without_losses_the_remainder_is_the_change_of_energy(void **state)
{
    (void)state;
    for (int method = 0; method < integrator_count; method++) {
        char text[200];
        snprintf(text, sizeof text,
                 "rows=6 columns=7 step=1e-4 air=0 alpha=0 ground=-100 integrator=%s",
                 integrator_name(method));
        Simulation *simulation = simulation_with(text);
        run(simulation, 0.02);
        Readings r = simulation_readings(simulation);
        assert_true(r.balance.damping == 0.0 && r.balance.filter == 0.0);
        assert_true(r.balance.remainder == energy_total(r.energy) - r.balance.start);
        assert_true(r.balance.error < 1e-13);
        simulation_destroy(simulation);
    }
}

// A second simulation without the filter takes every step from the same state: what its velocities
// have more is what the filter took.
static void the_filter_is_booked_at_every_step(void **state)
{
    (void)state;
    const char *const places[] = {"integrator=symplectic-euler",
                                  "integrator=velocity-verlet filter_place=after",
                                  "integrator=rk4 filter_place=after",
                                  "integrator=backward-euler pcg_tolerance=1e-12",
                                  "integrator=leu alpha=1e-3 step=1e-4 filter_place=after",
                                  "integrator=harmonic filter_form=conserving"};
    for (size_t k = 0; k < sizeof places / sizeof places[0]; k++) {
        char text[400];
        snprintf(text, sizeof text,
                 "rows=8 columns=8 stretch=50 shear=25 bend=5 step=2e-4 alpha=1e-4 ground=-100 "
                 "lambda=4 filter=exponential %s",
                 places[k]);
        Simulation *filtered = simulation_with(text);
        strcat(text, " filter=off");
        Simulation *plain = simulation_with(text);
        Cloth *cloth = &filtered->body.cloth, *other = &plain->body.cloth;
        size_t bytes = (size_t)cloth->mesh.dofs * sizeof(double);
        double taken = 0.0;
        for (int n = 0; n < 300; n++) {
            memcpy(other->x, cloth->x, bytes);
            memcpy(other->v, cloth->v, bytes);
            simulation_forget(plain);
            simulation_forget(filtered);
            simulation_move(plain, simulation_next_step(filtered));
            assert_int_equal(simulation_step(filtered, NULL), STATUS_OK);
            taken += cloth_kinetic_energy(other, other->v) - cloth_kinetic_energy(cloth, cloth->v);
        }
        EnergyBalance b = balance(filtered);
        assert_true(taken > 1e-6);
        assert_near(b.filter, taken, 1e-9 * taken);
        assert_true(fabs(b.remainder) < 0.05 * taken);
        if (strstr(places[k], "rk4")) assert_true(fabs(b.remainder) < 1e-10);
        simulation_destroy(filtered);
        simulation_destroy(plain);
    }
}

// A filter of forces takes power: v.(f - F f), here by the trapezoidal rule. What the filter took
// is not in the remainder.
static void filtered_forces_are_booked(void **state)
{
    (void)state;
    const char *const methods[] = {"symplectic-euler", "rk4"};
    for (size_t k = 0; k < sizeof methods / sizeof methods[0]; k++) {
        char text[400];
        snprintf(text, sizeof text,
                 "rows=8 columns=8 stretch=50 shear=25 bend=5 step=1e-4 air=0.5 alpha=1e-4 "
                 "ground=-100 filter=exponential lambda=2 filter_on=force filter_form=conserving "
                 "integrator=%s",
                 methods[k]);
        Simulation *simulation = simulation_with(text);
        const Cloth *cloth = &simulation->body.cloth;
        double *f = mesh_flat_create(&cloth->mesh), *filtered = mesh_flat_create(&cloth->mesh);
        double taken = 0.0, magnitude = 0.0, before = 0.0;
        for (int n = 0; n < 4000; n++) {
            assert_int_equal(simulation_step(simulation, NULL), STATUS_OK);
            double power = 0.0;
            cloth_forces(cloth, cloth->x, cloth->v, f);
            simulation->system.forces(simulation->system.self, cloth->x, cloth->v, filtered);
            for (int i = 0; i < cloth->mesh.dofs; i++) power += cloth->v[i] * (f[i] - filtered[i]);
            taken += 0.5 * 1e-4 * (before + power);
            magnitude += 1e-4 * fabs(power);
            before = power;
        }
        EnergyBalance b = balance(simulation);
        assert_true(magnitude > 1e-3);
        assert_near(b.filter, taken, 1e-4 * magnitude);
        assert_true(fabs(b.remainder) < (k == 0 ? 2e-2 : 1e-7) * magnitude);
        free(f), free(filtered);
        simulation_destroy(simulation);
    }
}

// |damping - integral| of  P = e^t  from 0 to 1, fed in n steps.
static double integration_error(Simulation *simulation, int n)
{
    Body *body = &simulation->body;
    BalanceMeter meter = {0};
    double h = 1.0 / n;
    for (int i = 0; i < n; i++) {
        StepLosses losses = {.power.damping = exp(i * h),
                             .at = POWER_AT_START,
                             .has_whole = true,
                             .whole.damping = exp(i * h) * expm1(h)};
        StepReport report = {.losses = losses};
        BalanceStep step = {.h = h, .old_x = body->cloth.x, .old_v = body->cloth.v};
        balance_after_step(&meter, &body->cloth, &report, &step, &body->scratch);
    }
    return fabs(balance_read(&meter, 0.0).damping - expm1(1.0));
}

static void powers_are_integrated_to_fourth_order(void **state)
{
    (void)state;
    Simulation *simulation = simulation_with("rows=3 columns=3");
    double coarse = integration_error(simulation, 20), fine = integration_error(simulation, 40);
    assert_true(coarse < 1e-6);
    assert_true(log2(coarse / fine) > 3.8);
    simulation_destroy(simulation);
}

// Whatever is read or jumps in between, each loss of a constant power P is P t: by the method's own
// integral, and from powers at the start of steps.
static void no_loss_is_dropped_when_an_interval_ends(void **state)
{
    (void)state;
    const double h = 0.25;
    Simulation *simulation = simulation_with("rows=3 columns=3 alpha=0 air=0");
    Body *body = &simulation->body;
    for (int own = 0; own < 2; own++) {
        BalanceMeter meter = {0};
        for (int n = 1; n <= 8; n++) {
            Losses power = {.damping = 1.0, .filter = 2.0, .wind = -4.0, .muscle = -8.0};
            StepLosses losses = {.power = power, .at = POWER_AT_START, .has_whole = own};
            if (own) losses.whole = (Losses){h * 1.0, h * 2.0, h * -4.0, h * -8.0};
            StepReport report = {.losses = losses};
            BalanceStep step = {.h = h, .old_x = body->cloth.x, .old_v = body->cloth.v};
            balance_after_step(&meter, &body->cloth, &report, &step, &body->scratch);
            if (n == 3) balance_jump_by_hand(&meter, 1.0);
            if (n == 5) balance_jump_by_parameter(&meter, 1.0);
            EnergyBalance sum = balance_read(&meter, 0.0);
            assert_near(sum.damping, 1.0 * n * h, 1e-14);
            assert_near(sum.filter, 2.0 * n * h, 1e-14);
            assert_near(sum.wind, 4.0 * n * h, 1e-14);
            assert_near(sum.muscle, 8.0 * n * h, 1e-14);
        }
    }
    simulation_destroy(simulation);
}

// Since its last known value the power may have stayed as it was instead of going on as before: by
// that the error is as large as promised, and no larger.
static void the_error_covers_what_is_extrapolated(void **state)
{
    (void)state;
    const double h = 0.25, slope = 3.0;
    Simulation *simulation = simulation_with("rows=3 columns=3 alpha=0 air=0");
    Body *body = &simulation->body;
    BalanceMeter meter = {0};
    double until = 0.0; // of the power that is known
    for (int n = 0; n < 6; n++) {
        double power = 2.0 + slope * n * h;
        if (n > 0) until += 0.5 * h * (power + power - slope * h);
        StepReport report = {.losses = {.power = {.damping = power}, .at = POWER_AT_START}};
        BalanceStep step = {.h = h, .old_x = body->cloth.x, .old_v = body->cloth.v};
        balance_after_step(&meter, &body->cloth, &report, &step, &body->scratch);
        if (n == 0) continue; // one power has no slope
        EnergyBalance sum = balance_read(&meter, 0.0);
        double more = sum.damping - (until + power * h);
        assert_near(more, 0.5 * h * h * slope, 1e-12);
        assert_near(sum.error, more, 1e-12);
    }
    simulation_destroy(simulation);
}

// After a rewind the balance shows its values of that time, whatever was changed in between.
static void a_rewind_takes_the_meter_along(void **state)
{
    (void)state;
    enum { STEPS = 600 };
    static EnergyBalance then[STEPS + 1];
    Simulation *simulation = simulation_with("rows=8 columns=8 step=0.0004 air=1 ground=-0.1");
    then[0] = balance(simulation);
    for (int n = 1; n <= STEPS; n++) {
        run(simulation, 0.0004);
        then[n] = balance(simulation);
    }
    apply_command(simulation, command_set("stretch", 250.0));
    apply_command(simulation, command_set("density", 0.3));
    apply_command(simulation, command_set("model", 1.0));
    run(simulation, 0.01);
    Command rewind = {.kind = COMMAND_REWIND, .rewind.seconds = 0.05};
    assert_int_equal(simulation_apply(simulation, &rewind, NULL), STATUS_OK);
    long step = simulation->now.step_count;
    assert_true(step > 100 && step < STEPS);
    EnergyBalance now = balance(simulation);
    assert_near(now.remainder, then[step].remainder, 1e-12);
    assert_near(now.damping, then[step].damping, 1e-12);
    assert_near(now.contact, then[step].contact, 1e-12);
    simulation_destroy(simulation);
}

static void a_refused_step_is_not_booked(void **state)
{
    (void)state;
    Simulation *simulation = simulation_with("rows=8 columns=8 safety=1.4 air=1 ground=-0.1");
    BalanceMeter before;
    do before = simulation->now.balance;
    while (simulation_step(simulation, NULL) == STATUS_OK);
    const BalanceMeter *after = &simulation->now.balance;
    assert_true(after->time == before.time && after->steps == before.steps);
    assert_memory_equal(&after->power, &before.power, sizeof before.power);
    assert_memory_equal(&after->sum, &before.sum, sizeof before.sum);
    simulation_destroy(simulation);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_steps_leave_a_small_remainder),
        cmocka_unit_test(the_hand_works),
        cmocka_unit_test(the_first_step_counts),
        cmocka_unit_test(jumps_are_booked),
        cmocka_unit_test(the_floor_takes_what_it_stops),
        cmocka_unit_test(the_filter_takes_energy),
        cmocka_unit_test(the_remainder_shows_the_method),
        cmocka_unit_test(powers_are_integrated_to_fourth_order),
        cmocka_unit_test(no_loss_is_dropped_when_an_interval_ends),
        cmocka_unit_test(without_losses_the_remainder_is_the_change_of_energy),
        cmocka_unit_test(the_filter_is_booked_at_every_step),
        cmocka_unit_test(filtered_forces_are_booked),
        cmocka_unit_test(the_error_covers_what_is_extrapolated),
        cmocka_unit_test(a_rewind_takes_the_meter_along),
        cmocka_unit_test(a_refused_step_is_not_booked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
