// The lab's thread: copies in, results out, and no thread waits. No test checks how long something
// takes; a wait gives up after PATIENCE.
#include "base/clock.h"
#include "runtime/map_work.h"
#include "runtime/sim_thread.h"
#include "simulation/simulation.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const double PATIENCE = 60.0; // s

static atomic_int wakes;

static void count_wake(void)
{
    atomic_fetch_add(&wakes, 1);
}

static Scene small_scene(void)
{
    Scene scene = scene_default();
    scene.params.rows = 7;
    scene.params.columns = 6;
    scene.params.speed = PARAM_WORD;
    return scene;
}

static Simulation *create(const Scene *scene)
{
    Simulation *simulation;
    Error error;
    if (simulation_create(scene, &simulation, &error) != STATUS_OK) fail_msg("%s", error.text);
    return simulation;
}

static void offer(LabThread *lab, const Simulation *simulation)
{
    double end = clock_seconds() + PATIENCE;
    while (!lab_thread_wants_state(lab)) {
        if (clock_seconds() > end) fail_msg("the lab wants nothing");
        usleep(500);
    }
    assert_int_equal(lab_thread_offer(lab, simulation, 0, NULL), STATUS_OK);
}

// A half-written result would fail these checks.
static void assert_consistent(const LabResult *result)
{
    assert_true(result->serial > 0 && result->particle_count > 0);
    assert_true(isfinite(result->analysis.k0) && result->analysis.k0 > 0.0);
    assert_true(result->analysis.mode_count > 0 && result->seconds > 0.0);
    for (int m = 0; m < result->analysis.mode_count; m++) {
        const float *shape = lab_result_shape(result, m);
        assert_non_null(shape);
        float largest = 0.0f;
        for (int i = 0; i < 3 * result->particle_count; i++) {
            assert_true(isfinite(shape[i]));
            largest = fmaxf(largest, fabsf(shape[i]));
        }
        assert_true(fabsf(largest - 1.0f) < 1e-5f);
        assert_true(shape[0] == 0.0f && shape[1] == 0.0f && shape[2] == 0.0f); // a pinned corner
    }
    assert_null(lab_result_shape(result, LAB_SHAPES));
    assert_null(lab_result_shape(result, -3));
}

static const LabResult *wait_result(LabThread *lab, unsigned after)
{
    double end = clock_seconds() + PATIENCE;
    while (clock_seconds() < end) {
        const LabResult *result = lab_thread_latest(lab);
        if (result->serial > after) return result;
        usleep(500);
    }
    fail_msg("gave up waiting for the lab");
    return lab_thread_latest(lab);
}

static void a_state_becomes_a_result(void **state)
{
    (void)state;
    Scene scene = small_scene();
    Simulation *simulation = create(&scene);
    LabThread *lab;
    atomic_store(&wakes, 0);
    assert_int_equal(lab_thread_start(count_wake, &lab, NULL), STATUS_OK);
    assert_int_equal(lab_thread_latest(lab)->serial, 0);
    assert_null(lab_result_shape(lab_thread_latest(lab), 0));
    unsigned serial = 0;
    for (int k = 0; k < 3; k++) {
        for (int s = 0; s < 100; s++) simulation_step(simulation, NULL);
        offer(lab, simulation);
        Readings now = simulation_readings(simulation);
        const LabResult *result;
        do {
            result = wait_result(lab, serial);
            serial = result->serial;
        } while (result->step_count != now.step_count); // an older state may be measured first
        assert_consistent(result);
        assert_true(result->analysis.time == now.time);
        assert_int_equal(result->particle_count, 42);
        assert_true(result->analysis.k0 == now.k0);
        // the step is the simulation's, also when automatic
        assert_true(fabs(result->analysis.step - now.step) < 1e-12);
        assert_true(result->analysis.verdict == VERDICT_STABLE);
        // the limit is the simulation's own
        assert_true(result->analysis.limit.step == now.limit.step);
    }
    assert_true(atomic_load(&wakes) > 0);
    lab_thread_stop(lab);
    lab_thread_stop(NULL);
    simulation_destroy(simulation);
}

static void at_rest_rho_is_measured_and_then_it_sleeps(void **state)
{
    (void)state;
    Scene scene = small_scene();
    Simulation *simulation = create(&scene);
    for (int s = 0; s < 50; s++) simulation_step(simulation, NULL);
    LabThread *lab;
    assert_int_equal(lab_thread_start(NULL, &lab, NULL), STATUS_OK);
    offer(lab, simulation);
    const LabResult *result;
    unsigned serial = 0;
    do {
        result = wait_result(lab, serial);
        serial = result->serial;
    } while (!result->analysis.measured);
    assert_consistent(result);
    assert_true(result->analysis.measured_time == result->analysis.time);
    assert_true(result->analysis.map.rho.value > 0.5 && result->analysis.map.rho.value < 1.5);
    assert_non_null(lab_result_shape(result, LAB_GROWING));
    assert_non_null(lab_result_shape(result, LAB_SOFTEST));
    // the lab may publish one longer measurement; after that there is nothing new
    usleep(1500000);
    serial = lab_thread_latest(lab)->serial;
    usleep(600000);
    assert_int_equal(lab_thread_latest(lab)->serial, serial);
    lab_thread_stop(lab);
    simulation_destroy(simulation);
}

// A cloth for which a slice of time is too short: its measurement goes on in the next.
static void a_long_measurement_goes_on(void **state)
{
    (void)state;
    Scene scene = scene_default();
    scene.params.rows = scene.params.columns = 120;
    Simulation *simulation = create(&scene);
    for (int s = 0; s < 5; s++) simulation_step(simulation, NULL);
    LabThread *lab;
    assert_int_equal(lab_thread_start(NULL, &lab, NULL), STATUS_OK);
    offer(lab, simulation);
    int more = 0, products = 0;
    for (unsigned serial = 0; more < 3;) { // of a moving cloth, of one at rest, and on
        const LabResult *result = wait_result(lab, serial);
        serial = result->serial;
        if (!result->analysis.measured || result->analysis.map.products == products) continue;
        products = result->analysis.map.products;
        more++;
    }
    lab_thread_stop(lab);
    simulation_destroy(simulation);
}

typedef struct Mover {
    LabThread *lab;
    Simulation *simulation;
    atomic_bool stop;
} Mover;

// The simulation's side: steps, offers states when wanted, and sometimes builds another cloth.
static void *move(void *argument)
{
    Mover *mover = argument;
    const int rows = (int)(param_find("rows") - param_table);
    const int lambda = (int)(param_find("air") - param_table);
    for (int n = 0; !atomic_load(&mover->stop); n++) {
        simulation_step(mover->simulation, NULL);
        if (n % 200 == 150) {
            Command command = {.kind = COMMAND_SET_PARAM,
                               .param = {.index = rows, .value = 5 + n / 200 % 4}};
            simulation_apply(mover->simulation, &command, NULL);
        } else if (n % 37 == 0) {
            Command command = {.kind = COMMAND_SET_PARAM,
                               .param = {.index = lambda, .value = 0.1 * (n % 7)}};
            simulation_apply(mover->simulation, &command, NULL);
        }
        if (lab_thread_wants_state(mover->lab))
            lab_thread_offer(mover->lab, mover->simulation, 0, NULL);
        usleep(100);
    }
    return NULL;
}

static void results_are_whole_while_everything_moves(void **state)
{
    (void)state;
    Scene scene = small_scene();
    Mover mover = {.simulation = create(&scene)};
    assert_int_equal(lab_thread_start(NULL, &mover.lab, NULL), STATUS_OK);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, move, &mover), 0);
    unsigned serial = 0, topologies = 0, last = 0;
    for (int k = 0; k < 30; k++) {
        const LabResult *result = wait_result(mover.lab, serial);
        assert_true(result->serial > serial);
        serial = result->serial;
        assert_consistent(result);
        assert_int_equal(result->particle_count % 6, 0);
        topologies += result->topology_version != last;
        last = result->topology_version;
    }
    assert_true(topologies > 1);
    atomic_store(&mover.stop, true);
    pthread_join(thread, NULL);
    lab_thread_stop(mover.lab);
    simulation_destroy(mover.simulation);
}

static const LabResult *wait_map(SimThread *thread, const MapRequest *request)
{
    double end = clock_seconds() + PATIENCE;
    while (clock_seconds() < end) {
        const LabResult *result = sim_thread_lab(thread);
        bool asked = result->has_map && map_request_same(&result->map.request, request);
        if (asked && result->map.complete) return result;
        usleep(2000);
    }
    fail_msg("the lab made no map");
    return NULL;
}

// A map is made while the cloth moves, another one when another is asked for, none after that.
static void maps_are_made_beside_the_rest(void **state)
{
    (void)state;
    Scene scene = small_scene();
    scene.params.rows = scene.params.columns = 3;
    scene.params.speed = 1.0;
    SimThread *thread;
    assert_int_equal(sim_thread_start(&scene, true, NULL, &thread, NULL), STATUS_OK);
    MapRequest request = {{(int)(param_find("step") - param_table), 1e-4, 1e-1, true},
                          {(int)(param_find("stretch") - param_table), 30.0, 3e3, true}};
    sim_thread_ask_map(thread, &request);
    const LabResult *result = wait_map(thread, &request);
    assert_int_equal(result->map.cell[0][0], POINT_STABLE);
    assert_int_equal(result->map.cell[MAP_ROWS - 1][MAP_COLUMNS - 1], POINT_UNSTABLE);
    assert_int_equal(result->map.run_count, MAP_RUNS);
    MapRequest other = {request.y, request.x};
    sim_thread_ask_map(thread, &other);
    result = wait_map(thread, &other);
    assert_int_equal(result->map.cell[MAP_ROWS - 1][MAP_COLUMNS - 1], POINT_UNSTABLE);
    sim_thread_ask_map(thread, NULL);
    double end = clock_seconds() + PATIENCE;
    while (sim_thread_lab(thread)->has_map) {
        if (clock_seconds() > end) fail_msg("the map is still there");
        usleep(2000);
    }
    sim_thread_ask_map(thread, &request); // it may end in the middle of one
    sim_thread_stop(thread);
}

// A map that has just been made is made again for another lane, or another cloth, and only then.
static void a_map_is_of_one_lane_and_cloth(void **state)
{
    (void)state;
    Scene scene = small_scene();
    scene.params.rows = scene.params.columns = 3;
    Simulation *simulation = create(&scene);
    MapRequest request = {{(int)(param_find("step") - param_table), 1e-4, 1e-1, true},
                          {(int)(param_find("stretch") - param_table), 30.0, 3e3, true}};
    MapWork work = {0};
    map_work_ask(&work, &request);
    for (int lane = 0; lane < 2; lane++) {
        do {
            map_work_go_on(&work, simulation, lane, INFINITY);
        } while (map_work_is_unfinished(&work));
        assert_true(work.has_shown && work.shown.complete);
        assert_false(map_work_go_on(&work, simulation, lane, 0.0));
        assert_false(map_work_is_unfinished(&work));
        if (lane == 0) map_work_go_on(&work, simulation, 1, 0.0);
        assert_true(map_work_is_unfinished(&work) == (lane == 0));
    }
    simulation_set_topology(simulation, simulation_topology(simulation) + 1);
    map_work_go_on(&work, simulation, 1, 0.0);
    assert_true(map_work_is_unfinished(&work));
    map_work_finish(&work);
    simulation_destroy(simulation);
}

static void it_stops_at_any_moment(void **state)
{
    (void)state;
    Scene scene = small_scene();
    Simulation *simulation = create(&scene);
    for (int k = 0; k < 40; k++) {
        LabThread *lab;
        assert_int_equal(lab_thread_start(NULL, &lab, NULL), STATUS_OK);
        if (k % 4 != 0) offer(lab, simulation);
        if (k % 4 > 1) usleep((unsigned)(300 * k));
        if (k % 4 == 3) wait_result(lab, 0);
        lab_thread_stop(lab);
    }
    simulation_destroy(simulation);
}

static const Snapshot *wait_snapshot(SimThread *thread, bool (*condition)(const Snapshot *, double),
                                     double value)
{
    double end = clock_seconds() + PATIENCE;
    while (clock_seconds() < end) {
        const Snapshot *snapshot = sim_thread_latest(thread);
        if (condition(snapshot, value)) return snapshot;
        usleep(500);
    }
    fail_msg("gave up waiting");
    return sim_thread_latest(thread);
}

static bool has_steps(const Snapshot *s, double count)
{
    return s->readings.step_count >= count;
}
static bool has_time_below(const Snapshot *s, double time)
{
    return s->readings.time < time;
}
static bool is_running(const Snapshot *s, double wanted)
{
    return s->running == (wanted != 0.0);
}
static bool has_kinetic(const Snapshot *s, double energy)
{
    return s->readings.energy.kinetic > energy;
}
static bool has_notices(const Snapshot *s, double count)
{
    return s->notice_serial >= count;
}

static void the_window_has_it_all(void **state)
{
    (void)state;
    Scene scene = small_scene();
    SimThread *thread;
    assert_int_equal(sim_thread_start(&scene, true, count_wake, &thread, NULL), STATUS_OK);
    wait_snapshot(thread, has_steps, 2000);
    assert_true(sim_thread_send(thread, &(Command){.kind = COMMAND_PAUSE}));
    const Snapshot *snapshot = wait_snapshot(thread, is_running, 0);

    // the final state is analysed even if the lab was busy
    const LabResult *result;
    double end = clock_seconds() + PATIENCE;
    do {
        result = sim_thread_lab(thread);
        if (clock_seconds() > end) fail_msg("gave up waiting for the last state");
        usleep(500);
    } while (result->serial == 0 || result->step_count != snapshot->readings.step_count);
    assert_consistent(result);
    assert_true(result->analysis.time == snapshot->readings.time);
    assert_int_equal(result->topology_version, snapshot->topology_version);

    // excite the stiffest mode
    double before = snapshot->readings.energy.kinetic;
    const float *shape = lab_result_shape(result, 0);
    assert_true(sim_thread_excite(thread, shape, result->particle_count, 3.0));
    snapshot = wait_snapshot(thread, has_kinetic, before + 1e-6);
    double mass = 0.2 / 42, added = 0.0; // roughly: the cloth may already be moving
    for (int i = 0; i < 3 * 42; i++) added += 0.5 * mass * 9.0 * shape[i] * shape[i];
    assert_true(snapshot->readings.energy.kinetic > 0.2 * added);
    // a shape of another cloth is refused with a message
    assert_true(sim_thread_excite(thread, shape, 10, 1.0));
    snapshot = wait_snapshot(thread, has_notices, 1);
    assert_non_null(strstr(snapshot->notice, "shape"));

    // go back
    double time = snapshot->readings.time;
    Command rewind = {.kind = COMMAND_REWIND, .rewind = {.seconds = 0.1}};
    assert_true(sim_thread_send(thread, &rewind));
    wait_snapshot(thread, has_time_below, time - 0.09);

    // commands that are never applied are freed (AddressSanitizer checks)
    for (int k = 0; k < 20; k++) sim_thread_excite(thread, shape, result->particle_count, 0.1);
    sim_thread_stop(thread);
}

static void a_paused_start_is_analysed(void **state)
{
    (void)state;
    Scene scene = small_scene();
    scene.params.step = 0.01; // far beyond its limit
    SimThread *thread;
    assert_int_equal(sim_thread_start(&scene, false, count_wake, &thread, NULL), STATUS_OK);
    double end = clock_seconds() + PATIENCE;
    while (!sim_thread_has_result(thread)) {
        if (clock_seconds() > end) fail_msg("nobody looked at the start");
        usleep(500);
    }
    assert_true(sim_thread_lab(thread)->serial > 0);
    assert_int_equal(sim_thread_lab(thread)->analysis.verdict, VERDICT_UNSTABLE);
    assert_int_equal(sim_thread_latest(thread)->readings.step_count, 0);
    sim_thread_stop(thread);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_becomes_a_result),
        cmocka_unit_test(at_rest_rho_is_measured_and_then_it_sleeps),
        cmocka_unit_test(results_are_whole_while_everything_moves),
        cmocka_unit_test(maps_are_made_beside_the_rest),
        cmocka_unit_test(a_long_measurement_goes_on),
        cmocka_unit_test(a_map_is_of_one_lane_and_cloth),
        cmocka_unit_test(it_stops_at_any_moment),
        cmocka_unit_test(the_window_has_it_all),
        cmocka_unit_test(a_paused_start_is_analysed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
