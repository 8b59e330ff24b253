// The divergence monitor, first on synthetic samples, then on cloths.
#include "support/solver_test.h"

#include "simulation/simulation_state.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

static const MonitorLimits LIMITS = {.energy = 2.0, .speed = 25.0, .strain = 50.0};

// One step of a synthetic run, measured as often as the monitor asks.
static MonitorState feed(Monitor *monitor, MonitorSample sample)
{
    sample.measured = monitor_wants(monitor, sample.time, sample.max_speed, sample.prediction);
    return monitor_feed(monitor, &sample);
}

static void a_quiet_run_is_stable(void **state)
{
    (void)state;
    // energy swings between motion and gravity and is slowly damped; the integrator makes E
    // oscillate by a tenth of the kinetic energy
    Monitor monitor = monitor_start(LIMITS);
    int measurements = 0;
    for (int n = 0; n < 60000; n++) {
        double t = n * 1e-3, swing = exp(-0.1 * t), phase = sin(3.0 * t);
        double motion = swing * phase * phase;
        MonitorSample sample = {.time = t,
                                .step = 1e-3,
                                .prediction = PREDICTION_STABLE,
                                .max_speed = 5.0 * fabs(phase) * sqrt(swing),
                                .motion = motion * (1.0 + 0.1 * sin(2000.0 * t)),
                                .gravity = 1.0 * swing * (1.0 - phase * phase),
                                .max_strain = 0.1,
                                .kinetic = motion,
                                .ripple = 0.05 * motion};
        measurements += (monitor_wants(&monitor, sample.time, sample.max_speed, sample.prediction) &
                         MEASURE_ENERGY) != 0;
        assert_int_equal(feed(&monitor, sample), MONITOR_STABLE);
        assert_int_equal(monitor.detector, DETECTOR_NONE);
    }
    assert_true(measurements > 60000 / 64 && measurements < 60000 / 8);
    assert_near(monitor.ripple_share, 0.05, 0.01);
}

// A mode grows from rounding errors on top of a swing; its energy grows by the factor `growth` per
// step. Returns the steps between the alarm and the time when the mode holds 2 J.
static int lead(Prediction prediction, double growth, MonitorState wanted)
{
    Monitor monitor = monitor_start(LIMITS);
    double mode = 1e-12;
    int alarm = -1, end = -1;
    for (int n = 0; n < 200000 && (end < 0 || alarm < 0) && mode < 1e6; n++, mode *= growth) {
        double t = n * 1e-3, phase = sin(3.0 * t), motion = phase * phase + mode;
        MonitorSample sample = {.time = t,
                                .step = 1e-3,
                                .prediction = prediction,
                                .max_speed = 5.0 * fabs(phase) + 10.0 * sqrt(mode),
                                .motion = motion,
                                .gravity = 1.0 - phase * phase,
                                .max_strain = 0.1,
                                .kinetic = motion,
                                .ripple = 0.9 * mode};
        if (prediction == PREDICTION_UNSTABLE)
            assert_true(monitor_wants(&monitor, sample.time, 0.0, prediction) & MEASURE_ENERGY);
        if (alarm < 0 && feed(&monitor, sample) >= wanted) {
            alarm = n;
            assert_true(monitor.detector != DETECTOR_NONE);
        }
        if (end < 0 && mode > 2.0) end = n;
    }
    assert_true(alarm >= 0);
    return end - alarm;
}

static void growth_is_noticed_in_time(void **state)
{
    (void)state;
    // predicted unstable: `growing` at once, `diverged` at 2 % of m g H, at any growth rate
    const double growths[] = {1.05, 1.76, 3.5, 12.0, 47.0}; // of the energy, per step
    for (int i = 0; i < 5; i++) {
        double steps = log(2.0 / 0.06) / log(growths[i]); // from 3 % of m g H to 2 J
        assert_true(lead(PREDICTION_UNSTABLE, growths[i], MONITOR_DIVERGED) >= (int)steps);
        assert_true(lead(PREDICTION_UNSTABLE, growths[i], MONITOR_GROWING) > 20 / (i + 1));
        // prediction unknown: later, but not too late; predicted stable: called growing, but only
        // when it is clear, at 5 J
        assert_true(lead(PREDICTION_UNKNOWN, growths[i], MONITOR_DIVERGED) >= 0);
        int late = 2 + (int)(log(2.5) / log(growths[i]));
        assert_true(lead(PREDICTION_STABLE, growths[i], MONITOR_GROWING) >= -late);
    }
}

// Growth slow enough to watch: growing from the start, diverged once it has done harm.
static void slow_growth_does_not_outrun_the_monitor(void **state)
{
    (void)state;
    Monitor monitor = monitor_start(LIMITS);
    double energy = 1.0;
    int n = 0, growing = 0;
    for (; n < 2000000 && monitor.state != MONITOR_DIVERGED; n++, energy *= 1.00001) {
        feed(&monitor, (MonitorSample){.time = n * 1e-3,
                                       .step = 1e-3,
                                       .prediction = PREDICTION_UNKNOWN,
                                       .max_speed = sqrt(energy),
                                       .motion = energy});
        growing += monitor.state == MONITOR_GROWING;
    }
    assert_int_equal(monitor.state, MONITOR_DIVERGED);
    assert_true(energy < 350.0); // a hundred times the energy at the start, including m g H
    assert_true(growing > 400000);
}

static void limits_are_kept(void **state)
{
    (void)state;
    const struct {
        double speed, strain, motion;
        MonitorState state;
        Detector detector;
    } rows[] = {
        {24.9, 49.0, 0.0, MONITOR_STABLE, DETECTOR_NONE},
        {25.1, 49.0, 0.0, MONITOR_DIVERGED, DETECTOR_SPEED},
        {24.9, 51.0, 0.0, MONITOR_DIVERGED, DETECTOR_STRAIN},
        {NAN, 0.0, 0.0, MONITOR_DIVERGED, DETECTOR_FINITE},
        {INFINITY, 0.0, 0.0, MONITOR_DIVERGED, DETECTOR_FINITE},
        {1e10, 0.0, 0.0, MONITOR_DIVERGED, DETECTOR_FINITE},
        {1.0, NAN, 0.0, MONITOR_DIVERGED, DETECTOR_FINITE},
        {1.0, 0.0, NAN, MONITOR_DIVERGED, DETECTOR_FINITE},
        {1.0, 0.0, INFINITY, MONITOR_DIVERGED, DETECTOR_FINITE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Monitor monitor = monitor_start(LIMITS);
        MonitorSample sample = {.step = 1e-3, .max_speed = 0.0};
        assert_int_equal(feed(&monitor, sample), MONITOR_STABLE);
        sample.time = 1e-3;
        sample.max_speed = rows[i].speed;
        sample.max_strain = rows[i].strain;
        sample.motion = rows[i].motion;
        sample.measured = MEASURE_ENERGY | MEASURE_STRAIN;
        assert_int_equal(monitor_feed(&monitor, &sample), rows[i].state);
        assert_int_equal(monitor.detector, rows[i].detector);
    }
    for (int i = 0; i < MONITOR_STATES; i++) assert_non_null(monitor_state_name(i));
    for (int i = 0; i < DETECTORS; i++) assert_non_null(detector_name(i));
    assert_null(monitor_state_name(MONITOR_STATES));
    assert_null(monitor_state_name(-1));
    assert_null(monitor_state_name(INT_MIN));
    assert_null(detector_name(-1));
}

// A cloth that moves already when it is first looked at is measured by that motion too.
static void the_tolerance_is_a_share_of_energy_and_motion(void **state)
{
    (void)state;
    double tolerance[3];
    for (int i = 0; i < 3; i++) {
        Monitor monitor = monitor_start(LIMITS);
        MonitorSample sample = {.step = 1e-3, .max_speed = 1.0, .motion = i * LIMITS.energy};
        assert_int_equal(feed(&monitor, sample), MONITOR_STABLE);
        tolerance[i] = monitor_tolerance(&monitor);
    }
    assert_true(tolerance[0] > 0.01 * LIMITS.energy && tolerance[0] < 0.1 * LIMITS.energy);
    assert_near(tolerance[1], 2.0 * tolerance[0], 1e-8);
    assert_near(tolerance[2], 3.0 * tolerance[0], 1e-8);
}

static void work_is_a_cause(void **state)
{
    (void)state;
    for (int accounted = 0; accounted <= 1; accounted++) {
        Monitor monitor = monitor_start(LIMITS);
        for (int n = 0; n < 2000; n++) { // the hand lifts the cloth by 2 J
            double lifted = 1e-3 * n;
            feed(&monitor, (MonitorSample){.time = n * 1e-3,
                                           .step = 1e-3,
                                           .prediction = PREDICTION_UNKNOWN,
                                           .max_speed = 1.0,
                                           .gravity = lifted,
                                           .work = accounted ? lifted : 0.0});
            if (!accounted && monitor.state == MONITOR_DIVERGED) break;
        }
        assert_int_equal(monitor.state, accounted ? MONITOR_STABLE : MONITOR_DIVERGED);
        if (accounted) continue;
        // a change from outside becomes the new reference
        monitor_rebase(&monitor);
        MonitorSample sample = {.time = 3.0, .step = 1e-3, .max_speed = 1.0, .gravity = 2.0};
        assert_int_equal(feed(&monitor, sample), MONITOR_STABLE);
        assert_true(monitor.limits.energy == LIMITS.energy);
    }
}

static void a_passing_gain_of_a_stable_step_is_none(void **state)
{
    (void)state;
    for (int lasting = 0; lasting <= 1; lasting++) {
        Monitor monitor = monitor_start(LIMITS);
        bool alarm = false;
        for (int n = 0; n < 1000; n++) { // energy doubles for 50 ms, or for good
            bool gained = n >= 500 && (lasting || n < 550);
            feed(&monitor, (MonitorSample){.time = n * 1e-3,
                                           .step = 1e-3,
                                           .prediction = PREDICTION_STABLE,
                                           .max_speed = gained ? 1.5 : 1.0,
                                           .motion = 0.2,
                                           .gravity = gained ? 0.3 : 0.0});
            alarm |= monitor.state != MONITOR_STABLE;
        }
        assert_int_equal(alarm, lasting);
        if (lasting) assert_int_equal(monitor.state, MONITOR_GROWING);
    }
}

static void a_bounded_buzz_is_called_growing(void **state)
{
    (void)state;
    for (int known = 0; known <= 1; known++) {
        Monitor monitor = monitor_start(LIMITS);
        double noticed = -1.0;
        for (int n = 0; n < 3000; n++) { // calm for a second, then shaking with 3 % of m g H
            double t = n * 1e-3;
            bool shakes = t > 1.0;
            feed(&monitor,
                 (MonitorSample){.time = t,
                                 .step = 1e-3,
                                 .prediction = known ? PREDICTION_STABLE : PREDICTION_UNKNOWN,
                                 .max_speed = shakes ? 6.0 : 1.0,
                                 .motion = 0.1 + (shakes ? 0.06 : 0.0),
                                 .kinetic = shakes ? 0.07 : 0.01,
                                 .ripple = shakes ? 0.06 : 1e-5});
            if (noticed < 0.0 && monitor.state != MONITOR_STABLE) noticed = t;
        }
        assert_true(monitor.ripple_share > 0.8);
        // within the limit from theory, an undamped cloth may ring
        assert_int_equal(monitor.state, known ? MONITOR_STABLE : MONITOR_GROWING);
        if (known) continue;
        assert_int_equal(monitor.detector, DETECTOR_BUZZ);
        assert_true(noticed > 1.2 && noticed < 2.0);
    }
}

static void stable_cloths_give_no_alarm(void **state)
{
    (void)state;
    const char *const settings[] = {
        "",
        "damping=projected",
        "stretch=5 shear=2 bend=0.3",                 // soft: strains above 1
        "stretch=2e4 shear=1e4 bend=2e3 ground=-0.4", // stiff, and it falls on the floor
        "air=0 gather=0.6",                           // starts with compressed springs
        "filter=exponential filter_place=before",
    };
    for (int i = 0; i < integrator_count; i++) {
        for (size_t k = 0; k < sizeof settings / sizeof settings[0]; k++) {
            char text[256];
            snprintf(text, sizeof text, "rows=9 columns=9 integrator=%s %s", integrator_name(i),
                     settings[k]);
            Scene scene = scene_with(text);
            Simulation *simulation;
            // some combinations are refused
            if (simulation_create(&scene, &simulation, NULL) != STATUS_OK) continue;
            double worst = 0.0;
            // explicit Euler with little damping has no useful stable step, so an alarm is right
            bool stable = simulation_next_step(simulation) <= simulation->limit.step;
            while (stable && simulation->now.time < 1.5) {
                Error error = {0};
                Status status = simulation_step(simulation, &error);
                if (status != STATUS_OK || simulation->now.monitor.state != MONITOR_STABLE) {
                    fail_msg("%s at %g s: %s, %s; %s", text, simulation->now.time,
                             monitor_state_name(simulation->now.monitor.state),
                             detector_name(simulation->now.monitor.detector), error.text);
                }
                worst =
                    fmax(worst, simulation->now.monitor.excess / simulation->now.monitor.allowed);
            }
            if (!(worst < 0.7)) fail_msg("%s: %g of an alarm", text, worst);
            simulation_destroy(simulation);
        }
    }
    // undamped, where E oscillates most
    const char *const undamped[] = {
        "rows=16 columns=16 alpha=0 air=0 stretch=12.8 shear=6.4 bend=1.28 ground=-100",
        "rows=12 columns=12 alpha=0 air=0 gather=0.6",
        "rows=12 columns=12 alpha=0 air=0 integrator=velocity-verlet",
        "rows=12 columns=12 alpha=0 air=0 safety=0.97",
    };
    for (int k = 0; k < 4; k++) {
        Simulation *simulation = simulation_with(undamped[k]);
        while (simulation->now.time < 3.0) {
            assert_int_equal(simulation_step(simulation, NULL), STATUS_OK);
            assert_int_equal(simulation->now.monitor.state, MONITOR_STABLE);
        }
        simulation_destroy(simulation);
    }
}

static double farthest(const Simulation *a, const Simulation *b)
{
    const Mesh *mesh = &a->body.cloth.mesh;
    double largest = 0.0;
    for (int p = 0; p < mesh->particle_count; p++) {
        Vec3 apart =
            vec3_sub(mesh_vector(mesh, a->body.cloth.x, p), mesh_vector(mesh, b->body.cloth.x, p));
        largest = fmax(largest, vec3_length(apart));
    }
    return largest;
}

// Compared with a run at half the step: the alarm comes before any particle is off by 5 cm.
static void the_alarm_comes_before_the_eye_sees_it(void **state)
{
    (void)state;
    const char *const methods[] = {"symplectic-euler", "velocity-verlet", "rk4"};
    const double factors[] = {1.02, 1.05, 1.2, 1.5};
    for (int m = 0; m < 3; m++) {
        for (int f = 0; f < 4; f++) {
            char text[256];
            snprintf(text, sizeof text,
                     "rows=16 columns=16 stretch=128 shear=64 bend=12.8 alpha=0 ground=-100 "
                     "on_divergence=continue speed_limit=1e6 integrator=%s",
                     methods[m]);
            Simulation *large = simulation_with(text), *half = simulation_with(text);
            double h = factors[f] * large->limit.step;
            large->scene.params.step = h;
            half->scene.params.step = 0.5 * h;
            if (m == 2) { // a quarter: well below the limit of RK4 too
                half->scene.params.step = 0.25 * h;
            }
            int alarm = -1, seen = -1, n = 0;
            for (; n < 4000 && seen < 0; n++) {
                if (simulation_step(large, NULL) != STATUS_OK) break;
                while (half->now.time < large->now.time - 0.1 * h) {
                    assert_int_equal(simulation_step(half, NULL), STATUS_OK);
                    assert_int_equal(half->now.monitor.state, MONITOR_STABLE);
                }
                if (alarm < 0 && large->now.monitor.state == MONITOR_DIVERGED) alarm = n;
                if (farthest(large, half) > 0.05) seen = n;
            }
            print_message("%s at %.2f of its limit: alarm at step %d, 5 cm at step %d\n",
                          methods[m], factors[f], alarm, seen);
            assert_true(alarm >= 0 && (seen < 0 || alarm <= seen));
            simulation_destroy(large);
            simulation_destroy(half);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_quiet_run_is_stable),
        cmocka_unit_test(growth_is_noticed_in_time),
        cmocka_unit_test(slow_growth_does_not_outrun_the_monitor),
        cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(the_tolerance_is_a_share_of_energy_and_motion),
        cmocka_unit_test(work_is_a_cause),
        cmocka_unit_test(a_passing_gain_of_a_stable_step_is_none),
        cmocka_unit_test(a_bounded_buzz_is_called_growing),
        cmocka_unit_test(stable_cloths_give_no_alarm),
        cmocka_unit_test(the_alarm_comes_before_the_eye_sees_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
