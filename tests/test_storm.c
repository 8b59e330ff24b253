// A storm of commands at random, from a seed: all kinds, all parameters, numbers of any size, other
// scenes and meshes, lanes, the timeline. After every command: the state is finite, what was
// refused has changed nothing, the energy account is closed, and memory does not grow.
//
//   test_storm [COMMANDS [SEED [CASES]]]   so many of each storm whose name matches, such as
//                                          '*thread*'; SELVAGE_SHARE divides what is not given
#include "support/random_command.h"
#include "support/random_scene.h"
#include "support/solver_test.h"

#include "lab/analysis.h"
#include "runtime/scene_file.h"
#include "runtime/sim_thread.h"
#include "simulation/simulation_state.h"
#include "simulation/state.h"
#include "stage/session.h"
#include "stage/timeline.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long commands = 0;        // of each storm; 0: a short one
static uint32_t first_seed = 31; // found a rewind that only some lanes refused

static long wanted(long otherwise)
{
    return commands > 0 ? commands : otherwise / test_share();
}

static bool one_in(uint32_t *seed, int number)
{
    return noise_choice(seed, number) == 0;
}

// ---- what is done

// Few particles, so that a storm is fast; some have lanes, bodies, muscles or a mesh.
static Scene any_scene(uint32_t *seed)
{
    Scene scene;
    if (one_in(seed, 12) && scene_load("fish", &scene, NULL) == STATUS_OK) return scene;
    scene = one_in(seed, 2) ? random_scene(seed) : scene_default();
    if (one_in(seed, 8)) { // refused: a mesh that is not there, numbers that make no sense
        if (one_in(seed, 2)) scene.mass_spread = NAN;
        return scene.params.rows > 12 ? scene_default() : scene;
    }
    scene.mesh[0] = '\0';
    scene.params.rows = 1 + noise_choice(seed, 7);
    scene.params.columns = 2 + noise_choice(seed, 6);
    scene.params.self_contact = one_in(seed, 8) ? scene.params.self_contact : 0;
    scene.fine = one_in(seed, 4);
    scene.lane_count = one_in(seed, 2) ? scene.lane_count : 0;
    if (one_in(seed, 2)) scene.collider_count = scene.muscle_count = 0;
    return scene;
}

// For a session, with a scene or a shape to point to.
static Command any_command(uint32_t *seed, int particles, Scene *scene, float *shape)
{
    Command command = random_command(seed, particles, scene);
    command.lane = one_in(seed, 3) ? noise_choice(seed, 8) - 2 : COMMAND_ALL_LANES;
    if (command.kind == COMMAND_LOAD_SCENE) *scene = any_scene(seed);
    if (command.kind == COMMAND_LOAD_SCENE && !one_in(seed, 6)) // more of the others
        command = (Command){.kind = COMMAND_STEP};
    if (command.kind == COMMAND_REWIND)
        command.rewind.seconds = one_in(seed, 5) ? NAN : noise_between(seed, -0.01, 0.05);
    if (command.kind == COMMAND_SHARE_PARAM)
        command.param.index = noise_choice(seed, param_count + 2) - 1;
    if (command.kind == COMMAND_GRAB_BODY)
        command.body.number = noise_choice(seed, COLLIDERS_MAX + 2) - 1;
    if (command.kind == COMMAND_EXCITE) {
        command.excite.shape = shape;
        command.excite.particle_count = one_in(seed, 6) ? particles + 1 : particles;
        command.excite.amplitude = one_in(seed, 8) ? INFINITY : noise_between(seed, -3.0, 3.0);
    }
    if (one_in(seed, 40)) command.kind = COMMAND_RETRY;
    return command;
}

// ---- what must hold

static bool all_finite(const double *values, int count)
{
    bool finite = true;
    for (int i = 0; i < count; i++) finite = finite && isfinite(values[i]);
    return finite;
}

static void check_simulation(const Simulation *simulation, long number)
{
    const Cloth *cloth = &simulation->body.cloth;
    if (!all_finite(cloth->x, cloth->mesh.dofs) || !all_finite(cloth->v, cloth->mesh.dofs))
        fail_msg("command %ld: the state is not finite", number);
    Readings now = simulation_readings(simulation);
    if (!(now.time >= 0.0 && now.step > 0.0 && now.step <= 0.1))
        fail_msg("command %ld: time %g s, step %g s", number, now.time, now.step);
    if (isnan(now.limit.step)) fail_msg("command %ld: the limit is not a number", number);
    EnergyBalance b = now.balance;
    double sum =
        b.start + b.hand + b.contact + b.wind + b.muscle - b.damping - b.filter + b.remainder;
    double scale = fabs(b.start) + fabs(b.hand) + fabs(b.contact) + fabs(b.wind) + fabs(b.muscle) +
                   fabs(b.damping) + fabs(b.filter) + fabs(b.remainder);
    if (!(fabs(sum - energy_total(now.energy)) <= 1e-9 * scale + 1e-12))
        fail_msg("command %ld: %.17g J in the account, %.17g J in the cloth", number, sum,
                 energy_total(now.energy));
}

typedef struct Fingerprint {
    int lanes;
    double time;
    uint64_t hashes[SCENE_LANES_MAX + 1];
    Params shared;
} Fingerprint;

static Fingerprint fingerprint(const Session *session)
{
    Fingerprint print;
    memset(&print, 0, sizeof print);
    print.lanes = session_lane_count(session);
    print.time = session_time(session);
    print.shared = *session_params(session);
    for (int i = 0; i < print.lanes; i++)
        print.hashes[i] = simulation_hash(session_simulation(session, i));
    return print;
}

static void check_same(const Fingerprint *before, const Session *session, const char *why,
                       long number)
{
    Fingerprint now = fingerprint(session);
    if (memcmp(before, &now, sizeof now) != 0)
        fail_msg("command %ld was refused (%s) and changed something", number, why);
}

#define LOOK_SECONDS 2.0 // 192 steps of Newton's method in wind can take minutes

// Lanes compare the same particles.
static void check_lanes(const Session *session, const Command *command, long number)
{
    int particles = session_simulation(session, 0)->body.cloth.mesh.particle_count;
    for (int i = 1; i < session_lane_count(session); i++) {
        int own = session_simulation(session, i)->body.cloth.mesh.particle_count;
        if (own != particles)
            fail_msg("command %ld, kind %d for lane %d: %d particles, and %d in lane %d", number,
                     command->kind, command->lane, particles, own, i);
    }
}

// Green is what neither the monitor nor the lab objects to.
static void check_lamp(const Simulation *simulation, long number)
{
    State *state;
    Simulation *copy;
    Lab lab;
    Analysis analysis;
    assert_int_equal(state_create(&state, NULL), STATUS_OK);
    assert_int_equal(state_save(simulation, state, NULL), STATUS_OK);
    assert_int_equal(state_create_simulation(state, &copy, NULL), STATUS_OK);
    assert_int_equal(lab_init(&lab, copy, NULL), STATUS_OK);
    AnalysisPlan plan = analysis_measured;
    plan.map_seconds = LOOK_SECONDS;
    lab_analyze(&lab, copy, &plan, &analysis);
    assert_true(simulation_hash(copy) == state_hash(state)); // looking changes nothing
    const StepMapResult *map = &analysis.map;
    bool grows = analysis.measured && map->rho.converged && !map->rho.buckling &&
                 map->rho.residual < 1e-4 && map->rho.value > 1.001;
    bool predicted = analysis.theory_is_exact && analysis.rho_predicted > 1.001;
    if ((grows || predicted) && analysis.verdict == VERDICT_STABLE)
        fail_msg("command %ld: green, with rho %.6g measured and %.6g predicted, %s, h %g s",
                 number, map->rho.value, analysis.rho_predicted,
                 integrator_name(simulation_params(simulation)->integrator), analysis.step);
    lab_finish(&lab);
    simulation_destroy(copy);
    state_destroy(state);
}

// ---- a session, without a thread: the same commands, the same bits

static double smallest_step(const Session *session)
{
    double step = INFINITY;
    for (int i = 0; i < session_lane_count(session); i++)
        step = fmin(step, simulation_next_step(session_simulation(session, i)));
    return step;
}

static void move(Session *session, uint32_t *seed)
{
    int steps = noise_choice(seed, 4);
    for (int i = 0; i < steps; i++) {
        Error error = {0};
        double until = session_time(session) + smallest_step(session);
        Status status = session_advance(session, until, INFINITY, &error);
        assert_true(status == STATUS_OK || (status == STATUS_DIVERGED && error.text[0]));
    }
}

// To a moment of the past, and perhaps on from there.
static void travel(Session *session, uint32_t *seed)
{
    Error error = {0};
    SessionMoment moment;
    double time = noise_between(seed, -0.1, 1.2) * session_time(session);
    SeekKind kind = one_in(seed, 2) ? SEEK_NEAREST : SEEK_BEFORE;
    if (session_seek(session, kind, time, &error) != STATUS_OK) return;
    for (int i = 0; session_seeks(session) && i < 1000; i++)
        assert_int_equal(session_go_on(session, INFINITY, &error), STATUS_OK);
    check_simulation(session_shown(session), -1);
    const Command resume = {.kind = COMMAND_RESUME};
    if (session_in_past(session) && one_in(seed, 2)) {
        if (session_resume(session, &moment, &error) == STATUS_OK)
            assert_int_equal(session_apply(session, &resume, &error), STATUS_OK);
    } else {
        session_seek(session, SEEK_NEAREST, INFINITY, &error);
    }
    if (one_in(seed, 4) && !session_in_past(session) &&
        session_recall(session, &moment, &error) == STATUS_OK)
        assert_int_equal(session_apply(session, &resume, &error), STATUS_OK);
}

// Bytes in use of the heap; a sanitizer, which looks for leaks itself, says 0.
static size_t bytes_in_use(void)
{
    return mallinfo2().uordblks;
}

static void start_over(Session **session)
{
    Scene scene = scene_with("rows=5 columns=5");
    Error error;
    session_destroy(*session);
    if (session_create(&scene, 1 << 20, session, &error) != STATUS_OK) fail_msg("%s", error.text);
}

static void a_session_survives_a_storm(void **state)
{
    (void)state;
    enum { ROUND = 1000 };
    uint32_t seed = first_seed * 2654435761u;
    float shape[3 * 160];
    long accepted = 0, refused = 0, total = wanted(8000);
    size_t before = 0;
    Session *session = NULL;
    for (int i = 0; i < 3 * 160; i++) shape[i] = (float)noise(&seed);
    for (long k = 0; k < total; k++) {
        if (k % ROUND == 0) {
            start_over(&session);
            if (k == ROUND) before = bytes_in_use();
            if (k > ROUND && bytes_in_use() > before + (256 << 10))
                fail_msg("after %ld commands %zu KB are in use, %zu KB before", k,
                         bytes_in_use() >> 10, before >> 10);
        }
        Scene scene;
        int particles = session_simulation(session, 0)->body.cloth.mesh.particle_count;
        Command command = any_command(&seed, particles < 158 ? particles : 158, &scene, shape);
        Fingerprint print = fingerprint(session);
        Error error = {0};
        Status status =
            command.kind == COMMAND_STEP ? STATUS_OK : session_apply(session, &command, &error);
        if (status != STATUS_OK) {
            assert_true(error.text[0] && error.status == status);
            check_same(&print, session, error.text, k);
        }
        *(status == STATUS_OK ? &accepted : &refused) += 1;
        check_lanes(session, &command, k);
        if (k % 2 == 0) move(session, &seed);
        if (k % 23 == 0) travel(session, &seed);
        for (int i = 0; i < session_lane_count(session); i++)
            check_simulation(session_simulation(session, i), k);
        if (k % 97 == 0) check_lamp(session_simulation(session, 0), k);
    }
    session_destroy(session);
    assert_true(accepted > total / 5 && refused > total / 20);
}

// ---- the simulation's thread, with the lab beside it

static Command any_request(uint32_t *seed, const Snapshot *now, Scene *scene, float *shape)
{
    Command command =
        any_command(seed, now->particle_count < 158 ? now->particle_count : 158, scene, shape);
    double time = noise_between(seed, -0.1, 1.3) * now->last_time;
    switch (noise_choice(seed, 24)) {
    case 0:
        return (Command){.kind = COMMAND_RUN, .until = one_in(seed, 2) ? 0.0 : time};
    case 1:
        return (Command){.kind = COMMAND_PAUSE};
    case 2:
        return (Command){.kind = COMMAND_SEEK, .seek = {noise_choice(seed, 3), time}};
    case 3:
        return (Command){.kind = COMMAND_PLAY, .play = {noise_between(seed, 0.0, 10.0)}};
    case 4:
        return (Command){.kind = COMMAND_RECALL};
    case 5:
        return (Command){.kind = COMMAND_SELECT, .lane = noise_choice(seed, 6)};
    case 6:
        return (Command){.kind = COMMAND_REFERENCE, .lane = noise_choice(seed, 7) - 1};
    case 7:
        return (Command){.kind = COMMAND_HOLD, .hold = {one_in(seed, 2) ? INFINITY : time}};
    case 8:
        return (Command){.kind = COMMAND_JUMP, .until = now->last_time + 0.002};
    case 9:
        return (Command){.kind = COMMAND_STEP};
    default:
        return command;
    }
}

static void check_snapshot(const StageSnapshot *stage)
{
    for (int i = 0; i < stage->count; i++) {
        const Snapshot *now = &stage->lanes[i];
        for (int k = 0; k < 3 * now->particle_count; k++)
            assert_true(isfinite(now->position[k]) && isfinite(now->velocity[k]));
        assert_true(isfinite(energy_total(now->readings.energy)));
        assert_true(now->diverged == (now->diverged_text[0] != '\0'));
    }
}

static void the_thread_survives_a_storm(void **state)
{
    (void)state;
    uint32_t seed = first_seed * 40503u + 7;
    float shape[3 * 160];
    Scene scene = scene_with("rows=5 columns=5 speed=max"), other;
    SimThreadPlan plan = {.scene = &scene, .running = true, .threads = 2};
    SimThread *thread;
    Error error;
    const StageSnapshot *checked = NULL;
    if (sim_thread_open(&plan, &thread, &error) != STATUS_OK) fail_msg("%s", error.text);
    for (int i = 0; i < 3 * 160; i++) shape[i] = (float)noise(&seed);
    for (long k = 0, total = wanted(2000); k < total; k++) {
        Command command = any_request(&seed, sim_thread_latest(thread), &other, shape);
        while (!sim_thread_send(thread, &command)) usleep(2000); // the queue is full
        const StageSnapshot *stage = sim_thread_stage(thread);
        if (stage != checked) check_snapshot(stage); // a new one is in another slot
        checked = stage;
        if (k % 50 == 0) sim_thread_lab(thread);
        if (k % 10 == 0) usleep(300);
    }
    assert_int_equal(sim_thread_join(thread, &error), STATUS_OK);
    sim_thread_stop(thread);
}

int main(int argc, char **argv)
{
    unsetenv("SELVAGE_ASSETS");
    if (argc > 1) commands = atol(argv[1]);
    if (argc > 2) first_seed = (uint32_t)atol(argv[2]);
    if (argc > 3) cmocka_set_test_filter(argv[3]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_session_survives_a_storm),
        cmocka_unit_test(the_thread_survives_a_storm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
