// A restored state continues as if nothing had happened: the same bits, the same readouts.
#include "support/solver_test.h"

#include "scene/combination.h"
#include "simulation/simulation_state.h"
#include "simulation/state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BEFORE = 60, AFTER = 90, COMMAND_EVERY = 7 };

static void set(Simulation *simulation, const char *name, double value)
{
    int index = (int)(param_find(name) - param_table);
    Command command = {.kind = COMMAND_SET_PARAM, .param = {.index = index, .value = value}};
    simulation_apply(simulation, &command, NULL); // may be refused: then it is refused both times
}

// Something a user might do.
static void do_something(Simulation *simulation, uint32_t *seed)
{
    int particles = simulation->body.cloth.mesh.particle_count;
    int particle = (int)noise_between(seed, 0.0, particles - 0.5);
    Vec3 target = {noise_between(seed, -0.5, 1.0), noise_between(seed, -0.5, 0.5),
                   noise_between(seed, -0.5, 0.5)};
    Command command = {.kind = COMMAND_GRAB, .hand = {particle, target}};
    switch ((int)noise_between(seed, 0.0, 9.99)) {
    case 0:
        simulation_apply(simulation, &command, NULL);
        break;
    case 1:
        command.kind = COMMAND_MOVE_HAND;
        simulation_apply(simulation, &command, NULL);
        break;
    case 2:
        command = (Command){.kind = COMMAND_RELEASE};
        simulation_apply(simulation, &command, NULL);
        break;
    case 3:
        command = (Command){.kind = COMMAND_TOGGLE_PIN, .particle = particle};
        simulation_apply(simulation, &command, NULL);
        break;
    case 4:
        set(simulation, "stretch", noise_between(seed, 50.0, 400.0));
        break;
    case 5:
        set(simulation, "density", noise_between(seed, 0.05, 0.4));
        break;
    case 6:
        set(simulation, "integrator", floor(noise_between(seed, 0.0, integrator_count - 0.01)));
        break;
    case 7:
        set(simulation, "air", noise_between(seed, 0.0, 2.0));
        break;
    case 8:
        set(simulation, "lambda", noise_between(seed, 1.0, 4.0));
        break;
    default:
        set(simulation, "model", floor(noise_between(seed, 0.0, 2.99)));
    }
}

static void run(Simulation *simulation, int steps, uint32_t seed)
{
    for (int n = 1; n <= steps; n++) {
        if (n % COMMAND_EVERY == 0) do_something(simulation, &seed);
        simulation_step(simulation, NULL); // may diverge: then it diverges both times
    }
}

// Everything that a step reads and writes.
typedef struct Record {
    Params params;
    StateValues values;
    Readings readings;
    int grabbed, dofs;
    double limits[2];
    double *x, *v, *mass, *inverse_mass, *stiffest, *mode;
} Record;

static double *copied(const double *values, int count)
{
    double *copy = malloc((size_t)count * sizeof *copy);
    assert_non_null(copy);
    return memcpy(copy, values, (size_t)count * sizeof *copy);
}

static Record record(Simulation *simulation)
{
    const Body *body = &simulation->body;
    int n = body->cloth.mesh.dofs;
    Record r = {.params = simulation->scene.params,
                .readings = simulation_readings(simulation),
                .values = simulation->now,
                .grabbed = body->cloth.grabbed,
                .dofs = n,
                .limits = {simulation->limit.step, simulation->automatic_step},
                .x = copied(body->cloth.x, n),
                .v = copied(body->cloth.v, n),
                .mass = copied(body->cloth.mass, n),
                .inverse_mass = copied(body->cloth.inverse_mass, n),
                .stiffest = copied(body->modes[STIFFNESS_K0], n),
                .mode = copied(body->mode, n)};
    return r;
}

static void record_finish(Record *r)
{
    free(r->x);
    free(r->v);
    free(r->mass);
    free(r->inverse_mass);
    free(r->stiffest);
    free(r->mode);
}

static const char *difference(const Record *a, const Record *b)
{
    size_t bytes = (size_t)a->dofs * sizeof(double);
    const EnergyBalance *p = &a->readings.balance, *q = &b->readings.balance;
    if (a->dofs != b->dofs) return "size";
    if (memcmp(&a->params, &b->params, sizeof a->params) != 0) return "params";
    if (a->grabbed != b->grabbed) return "grabbed";
    if (memcmp(a->mass, b->mass, bytes) != 0) return "mass";
    if (memcmp(a->inverse_mass, b->inverse_mass, bytes) != 0) return "inverse mass";
    if (memcmp(a->x, b->x, bytes) != 0) return "x";
    if (memcmp(a->v, b->v, bytes) != 0) return "v";
    if (memcmp(a->stiffest, b->stiffest, bytes) != 0) return "stiffest";
    if (memcmp(a->limits, b->limits, sizeof a->limits) != 0) return "limits";
    if (memcmp(p, q, sizeof *p) != 0) return "energy balance";
    const StateValues *s = &a->values, *t = &b->values;
#define COMPARE(field)                                                                             \
    if (memcmp(&s->field, &t->field, sizeof s->field) != 0) return #field
    // Structs without padding are compared as a whole, others field by field. The autopsy is left
    // out: it is computed from the good states, which a restored state does not have.
    COMPARE(time);
    COMPARE(step_count);
    COMPARE(stiffness);
    COMPARE(stiffness_time);
    COMPARE(across_time);
    COMPARE(stiffness_due);
    COMPARE(hand);
    COMPARE(toggled_pins);
    COMPARE(memory.valid);
    COMPARE(memory.age);
    COMPARE(memory.speed_then);
    COMPARE(memory.speed);
    COMPARE(memory.moved);
    COMPARE(last.force_evaluations);
    COMPARE(last.linearisations);
    COMPARE(balance.sum);
    COMPARE(balance.steps);
    COMPARE(balance.force);
    COMPARE(balance.moved);
    COMPARE(balance.force_before);
    COMPARE(balance.forces_known);
    COMPARE(balance.power);
    COMPARE(balance.slope);
    COMPARE(balance.bend);
    COMPARE(balance.pending);
    COMPARE(balance.own);
    COMPARE(balance.powers_known);
    COMPARE(balance.time);
    COMPARE(balance.time_before);
    COMPARE(balance.unsampled);
    COMPARE(balance.deviation);
    COMPARE(balance.scatter2);
    COMPARE(balance.swing);
    COMPARE(monitor.state);
    COMPARE(monitor.detector);
    COMPARE(monitor.based);
    COMPARE(monitor.scale);
    COMPARE(monitor.reference);
    COMPARE(monitor.reference_work);
    COMPARE(monitor.motion);
    COMPARE(monitor.excess);
    COMPARE(monitor.allowed);
    COMPARE(monitor.marked_excess);
    COMPARE(monitor.marked_time);
    COMPARE(monitor.pace);
    COMPARE(monitor.rising);
    COMPARE(monitor.rising_time);
    COMPARE(monitor.ripple);
    COMPARE(monitor.ripple_share);
    COMPARE(monitor.strong);
    COMPARE(monitor.buzzing);
    COMPARE(monitor.measured_time);
    COMPARE(monitor.measured_speed);
    COMPARE(monitor.ripple_time);
    COMPARE(monitor.strain_time);
    COMPARE(monitor.since_energy);
    COMPARE(monitor.since_ripple);
    COMPARE(monitor.since_strain);
    COMPARE(rewinds);
    COMPARE(rewound_time);
    COMPARE(diverged);
    COMPARE(diverged_text);
#undef COMPARE
    return NULL;
}

static void check_restored(Simulation *simulation, const char *what)
{
    State *saved;
    assert_int_equal(state_create(&saved, NULL), STATUS_OK);
    assert_int_equal(state_save(simulation, saved, NULL), STATUS_OK);
    Scene elsewhere = scene_with("rows=3 columns=4");
    Simulation *other;
    assert_int_equal(simulation_create(&elsewhere, &other, NULL), STATUS_OK);
    assert_int_equal(state_restore(saved, other, NULL), STATUS_OK);
    StateValues values = simulation->now;
    assert_int_equal(other->now.stiffness_due, values.stiffness_due);
    assert_int_equal(other->now.balance.powers_known, values.balance.powers_known);
    assert_int_equal(other->now.autopsy.present, values.autopsy.present);
    Record then = record(simulation), restored = record(other);
    const char *found = difference(&then, &restored);
    if (found) fail_msg("%s: %s differs", what, found);
    assert_memory_equal(then.mode, restored.mode, (size_t)then.dofs * sizeof(double));
    record_finish(&then);
    record_finish(&restored);
    state_destroy(saved);
    simulation_destroy(simulation);
    simulation_destroy(other);
}

// A restored divergence can be tried again and rewound like the original.
static void a_divergence_is_restored(void **state)
{
    (void)state;
    Simulation *simulations[2];
    Scene scene = scene_with("rows=6 columns=7 safety=1.3");
    assert_int_equal(simulation_create(&scene, &simulations[0], NULL), STATUS_OK);
    while (!simulations[0]->now.diverged) simulation_step(simulations[0], NULL);
    assert_true(simulations[0]->now.autopsy.can_go_back);
    State *saved;
    assert_int_equal(state_create(&saved, NULL), STATUS_OK);
    assert_int_equal(state_save(simulations[0], saved, NULL), STATUS_OK);
    assert_int_equal(state_create_simulation(saved, &simulations[1], NULL), STATUS_OK);
    Record records[2];
    for (int i = 0; i < 2; i++) {
        // the same step gives the same divergence, not a new one
        assert_int_equal(simulation_step(simulations[i], NULL), STATUS_DIVERGED);
        assert_int_equal(simulation_divergences(simulations[i]), 1);
        Command rewind = {.kind = COMMAND_REWIND};
        assert_int_equal(simulation_apply(simulations[i], &rewind, NULL), STATUS_OK);
        assert_true(simulations[i]->now.step_count == simulations[i]->now.sound.step_count);
        for (int n = 0; n < 3; n++)
            assert_int_equal(simulation_step(simulations[i], NULL), STATUS_OK);
        records[i] = record(simulations[i]);
    }
    const char *found = difference(&records[0], &records[1]);
    if (found) fail_msg("after a divergence %s differs", found);
    for (int i = 0; i < 2; i++) {
        record_finish(&records[i]);
        simulation_destroy(simulations[i]);
    }
    state_destroy(saved);
}

static void moments_between_steps_are_restored(void **state)
{
    (void)state;
    Simulation *simulation;
    Scene scene = scene_with("rows=6 columns=7");
    assert_int_equal(simulation_create(&scene, &simulation, NULL), STATUS_OK);
    for (int n = 0; n < 20; n++) simulation_step(simulation, NULL);
    Command grab = {.kind = COMMAND_GRAB, .hand = {20, {0.3, 0.1, 0.2}}}, move = grab;
    move.kind = COMMAND_MOVE_HAND;
    move.hand.target.y = 0.3;
    simulation_apply(simulation, &grab, NULL);
    simulation_apply(simulation, &move, NULL);
    assert_int_equal(simulation->now.balance.powers_known, 0);
    check_restored(simulation, "hand moved at rest");

    scene = scene_with("rows=6 columns=7 safety=1.3");
    assert_int_equal(simulation_create(&scene, &simulation, NULL), STATUS_OK);
    for (int n = 0; n < 5000 && !simulation->now.diverged; n++) simulation_step(simulation, NULL);
    assert_true(simulation->now.diverged && simulation->now.autopsy.present);
    check_restored(simulation, "diverged");

    scene = scene_with("rows=6 columns=7 safety=1.3 on_divergence=rewind");
    assert_int_equal(simulation_create(&scene, &simulation, NULL), STATUS_OK);
    for (int n = 0; n < 5000 && simulation->now.rewinds == 0; n++)
        simulation_step(simulation, NULL);
    assert_true(simulation->now.rewinds == 1);
    for (int n = 0; n < 20; n++) simulation_step(simulation, NULL);
    check_restored(simulation, "rewound");
}

static void check_combination(const Scene *scene, uint32_t seed, const char *what)
{
    Simulation *simulation, *other;
    State *saved;
    Error error;
    if (simulation_create(scene, &simulation, &error) != STATUS_OK) fail_msg("%s", error.text);
    Scene elsewhere = scene_with("rows=3 columns=4 integrator=rk4 model=choi-ko");
    assert_int_equal(simulation_create(&elsewhere, &other, NULL), STATUS_OK);
    assert_int_equal(state_create(&saved, NULL), STATUS_OK);

    run(simulation, BEFORE, seed);
    assert_int_equal(state_save(simulation, saved, NULL), STATUS_OK);
    Record then = record(simulation);
    run(simulation, AFTER, seed + 1);
    Record unbroken = record(simulation);
    Simulation *continued[] = {simulation, other};
    for (int k = 0; k < 2; k++) {
        assert_int_equal(state_restore(saved, continued[k], NULL), STATUS_OK);
        Record restored = record(continued[k]);
        run(continued[k], AFTER, seed + 1);
        Record again = record(continued[k]);
        const char *found = difference(&then, &restored);
        if (!found) found = difference(&unbroken, &again);
        if (found) fail_msg("%s, seed %u, run %d: %s differs", what, seed, k, found);
        record_finish(&restored);
        record_finish(&again);
    }
    record_finish(&then);
    record_finish(&unbroken);
    state_destroy(saved);
    simulation_destroy(simulation);
    simulation_destroy(other);
}

static const char *const variants[] = {
    "step=auto",
    "step=0.0004",
    "alpha=auto",
    "air=0 alpha=0",
    "damping=projected alpha=1e-4",
    "damping=difference alpha=1e-4",
    "filter=exponential filter_place=after",
    "filter=gaussian filter_place=before",
    "filter=exponential filter_form=conserving filter_place=after filter_distance=current",
    "filter=exponential filter_on=force filter_form=conserving",
    "leu_interval=0.01 step=0.0002",
    "tangent=full sequence=on",
    "ground=-0.05",
};

static void a_restored_state_goes_on_as_before(void **state)
{
    (void)state;
    int checked = 0;
    // else a third of them, which meets every method, model and variant
    const size_t every = getenv("SELVAGE_ALL") ? 1 : 3 * (size_t)test_share();
    for (int m = 0; m < integrator_count; m++) {
        for (int model = 0; model < 3; model++) {
            for (size_t k = 0; k < sizeof variants / sizeof variants[0]; k++) {
                Scene scene = scene_with("rows=6 columns=7 stretch=100 shear=50 bend=10");
                Scene variant = scene_with(variants[k]);
                for (int i = 0; i < param_count; i++) { // parameters that the variant changes
                    const ParamInfo *info = &param_table[i];
                    Scene plain = scene_default();
                    double value = param_get(&variant.params, info);
                    if (value == param_get(&plain.params, info)) continue;
                    assert_int_equal(param_set(&scene.params, info, value, NULL), STATUS_OK);
                }
                scene.params.integrator = m;
                scene.params.model = model;
                if (params_refusal(&scene.params)) continue;
                if (((size_t)(m + model) + k) % every != 0) continue;
                char what[160];
                snprintf(what, sizeof what, "%s, model %d, %s", integrator_name(m), model,
                         variants[k]);
                check_combination(&scene, 17u * (unsigned)++checked, what);
            }
        }
    }
    assert_true(checked > 250 / (int)every);
}

// A square of side x side vertices, two triangles per cell.
static void write_mesh(const char *path, int side)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int p = 0; p < side * side; p++)
        fprintf(file, "v %g 0 %g\n", (double)(p % side), (double)(p / side));
    for (int p = 0; p < side * (side - 1); p++) {
        if (p % side == side - 1) continue;
        fprintf(file, "f %d %d %d\nf %d %d %d\n", p + 1, p + 1 + side, p + 2, p + 2, p + 1 + side,
                p + 2 + side);
    }
    fclose(file);
}

// A mesh file is read once: later changes of the file do not affect a running simulation.
static void a_changed_mesh_file_disturbs_nothing(void **state)
{
    (void)state;
    char path[] = "test_state_XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    write_mesh(path, 5);
    Scene scene = scene_with("density=0.2");
    snprintf(scene.mesh, sizeof scene.mesh, "%s", path);
    Simulation *simulation, *other;
    State *saved;
    Error error;
    if (simulation_create(&scene, &simulation, &error) != STATUS_OK) fail_msg("%s", error.text);
    for (int n = 0; n < 20; n++) simulation_step(simulation, NULL);

    write_mesh(path, 120);
    assert_int_equal(state_create(&saved, NULL), STATUS_OK);
    assert_int_equal(state_save(simulation, saved, NULL), STATUS_OK);
    assert_int_equal(state_create_simulation(saved, &other, NULL), STATUS_OK);
    assert_int_equal(other->body.cloth.mesh.particle_count, 25);
    unlink(path);
    Simulation *both[] = {simulation, other};
    for (int k = 0; k < 2; k++) {
        for (int n = 0; n < 50; n++) simulation_step(both[k], NULL);
    }
    Record a = record(simulation), b = record(other);
    assert_null(difference(&a, &b));
    record_finish(&a);
    record_finish(&b);

    double width = simulation->body.cloth.mesh.width;
    set(simulation, "size", 2.0); // rebuilds the cloth
    assert_near(simulation->body.cloth.mesh.width, 2.0 * width, 1e-12);
    assert_int_equal(simulation_step(simulation, NULL), STATUS_OK);
    assert_int_equal(state_restore(saved, simulation, NULL), STATUS_OK); // restores the old cloth
    assert_near(simulation->body.cloth.mesh.width, width, 0.0);
    state_destroy(saved);
    simulation_destroy(simulation);
    simulation_destroy(other);
}

// Into a simulation of the same grid with other masses and springs, as the lab's may be.
static void masses_and_springs_are_copied(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        Scene scene = scene_with("rows=6 columns=7 density=0.1"), plain = scene;
        if (k == 0) scene.params.density = 0.3;
        if (k == 1) scene.mass_spread = 0.3;
        if (k == 2) scene.stiffness_spread = 0.5;
        Simulation *simulation = NULL, *other = NULL;
        State *saved = NULL;
        assert_int_equal(simulation_create(&scene, &simulation, NULL), STATUS_OK);
        assert_int_equal(simulation_create(&plain, &other, NULL), STATUS_OK);
        assert_int_equal(state_create(&saved, NULL), STATUS_OK);
        assert_int_equal(state_save(simulation, saved, NULL), STATUS_OK);
        assert_int_equal(state_restore(saved, other, NULL), STATUS_OK);
        const Cloth *cloth = &simulation->body.cloth, *copy = &other->body.cloth;
        for (int p = 0; p < cloth->mesh.particle_count; p++)
            assert_true(cloth_mass(copy, p) == cloth_mass(cloth, p));
        for (int s = 0; s < cloth->mesh.spring_count; s++)
            assert_true(copy->spring_stiffness[s] == cloth->spring_stiffness[s]);
        for (int n = 0; n < 20; n++) {
            simulation_step(simulation, NULL);
            simulation_step(other, NULL);
        }
        assert_true(simulation_hash(other) == simulation_hash(simulation));
        state_destroy(saved);
        simulation_destroy(simulation);
        simulation_destroy(other);
    }
}

// Flip one bit of a number, require another hash, and restore it.
static void check_counts(Simulation *simulation, double *number, const char *what)
{
    const double before = *number;
    const uint64_t hash = simulation_hash(simulation);
    uint64_t bits;
    memcpy(&bits, number, sizeof bits);
    bits ^= 1;
    memcpy(number, &bits, sizeof bits);
    if (simulation_hash(simulation) == hash) fail_msg("%s does not count", what);
    *number = before;
    assert_true(simulation_hash(simulation) == hash);
}

static void the_hash_is_of_all_that_a_run_continues_from(void **state)
{
    (void)state;
    Simulation *simulation, *other;
    State *saved;
    Scene scene = scene_with("rows=6 columns=7 integrator=leu");
    assert_int_equal(simulation_create(&scene, &simulation, NULL), STATUS_OK);
    strcpy(scene.title, "the same with another title");
    assert_int_equal(simulation_create(&scene, &other, NULL), STATUS_OK);
    Command grab = {.kind = COMMAND_GRAB, .hand = {20, {0.3, 0.1, 0.2}}};
    for (int n = 0; n < 50; n++) {
        assert_true(simulation_hash(simulation) == simulation_hash(other));
        const uint64_t before = simulation_hash(simulation);
        if (n == 20) {
            assert_int_equal(simulation_apply(simulation, &grab, NULL), STATUS_OK);
            assert_int_equal(simulation_apply(other, &grab, NULL), STATUS_OK);
        }
        simulation_step(simulation, NULL);
        simulation_step(other, NULL);
        assert_true(simulation_hash(simulation) != before);
    }
    StateValues *now = &simulation->now;
    const struct {
        double *number;
        const char *what;
    } numbers[] = {
        {&simulation->body.cloth.x[3], "a position"},
        {&simulation->body.cloth.v[9], "a velocity"},
        {&simulation->body.cloth.mass[5], "a mass"},
        {&simulation->body.modes[STIFFNESS_K0][5], "the mode of k0"},
        {&simulation->body.modes[STIFFNESS_ACROSS][5], "the mode across"},
        {&simulation->body.modes[STIFFNESS_DECISIVE][5], "the mode that decides"},
        {&simulation->body.memory[5], "the method's memory"},
        {&simulation->scene.params.stretch, "a parameter"},
        {&simulation->scene.start_velocity.y, "the start"},
        {&now->hand.z, "the hand"},
        {&now->time, "the time"},
        {&now->stiffness.k0, "k0"},
        {&now->memory.age, "the age of the memory"},
        {&now->balance.sum.hand, "the energy meter"},
        {&now->monitor.reference, "the monitor"},
        {&now->last.pcg.residual, "the last step"},
    };
    assert_true(now->memory.valid);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        check_counts(simulation, numbers[i].number, numbers[i].what);
    const uint64_t hash = simulation_hash(simulation);
    simulation->body.cloth.pinned[8] ^= true;
    assert_true(simulation_hash(simulation) != hash);
    simulation->body.cloth.pinned[8] ^= true;

    assert_int_equal(state_create(&saved, NULL), STATUS_OK);
    assert_int_equal(state_save(simulation, saved, NULL), STATUS_OK);
    assert_true(state_hash(saved) == hash);
    simulation_step(other, NULL);
    assert_int_equal(state_restore(saved, other, NULL), STATUS_OK);
    assert_true(simulation_hash(other) == hash);
    state_destroy(saved);
    simulation_destroy(simulation);
    simulation_destroy(other);
}

// States that follow each other share what did not change, in any order of their ends.
static void compact_states_share(void **state)
{
    (void)state;
    enum { STATES = 6 };
    Scene scene = scene_with("rows=16 columns=16");
    Simulation *simulation = NULL;
    assert_int_equal(simulation_create(&scene, &simulation, NULL), STATUS_OK);
    State *kept[STATES] = {NULL};
    uint64_t hashes[STATES];
    for (int i = 0; i < STATES; i++) {
        if (i == 3) set(simulation, "density", 0.3); // other masses from here on
        for (int s = 0; s < 400; s++) simulation_step(simulation, NULL);
        assert_int_equal(state_create(&kept[i], NULL), STATUS_OK);
        const State *before = i > 0 ? kept[i - 1] : NULL;
        assert_int_equal(state_save_compact(simulation, before, kept[i], NULL), STATUS_OK);
        hashes[i] = simulation_hash(simulation);
    }
    // positions, velocities, and modes in single precision, but no masses
    size_t array = 3 * 16 * 16 * sizeof(double), shared = state_bytes(kept[2]);
    size_t values = sizeof(Scene) + sizeof(StateValues) + 1000;
    assert_true(shared >= 2 * array && shared < 3 * array + values);
    const int order[STATES] = {1, 4, 0, 3, 2, 5};
    for (int i = 0; i < STATES; i++) {
        int k = order[i];
        assert_int_equal(state_restore(kept[k], simulation, NULL), STATUS_OK);
        assert_true(simulation_hash(simulation) == hashes[k]);
        // the last one with the first masses and the last one with the others free them
        if (k == 2 || k == 5)
            assert_true(state_bytes(kept[k]) >= shared + array);
        else
            assert_true(state_bytes(kept[k]) < 3 * array + values);
        state_destroy(kept[k]);
    }
    simulation_destroy(simulation);
}

// Single precision must hold each of an array's numbers, the first one too; and what a state takes
// counts its pins.
static void compact_states_lose_nothing(void **unused)
{
    (void)unused;
    size_t bytes[2];
    for (int large = 0; large < 2; large++) {
        Simulation *simulation =
            simulation_with(large ? "rows=60 columns=60" : "rows=10 columns=10");
        Cloth *cloth = &simulation->body.cloth;
        for (int i = 0; i < cloth->mesh.dofs; i++) cloth->x[i] = (double)(float)cloth->x[i];
        cloth->x[0] = 0.1; // no float
        State *states[2];
        for (int i = 0; i < 2; i++) {
            assert_int_equal(state_create(&states[i], NULL), STATUS_OK);
            State *before = i > 0 ? states[0] : NULL;
            assert_int_equal(state_save_compact(simulation, before, states[i], NULL), STATUS_OK);
        }
        bytes[large] = state_bytes(states[1]); // all arrays are shared
        cloth->x[0] = 0.0;
        assert_int_equal(state_restore(states[1], simulation, NULL), STATUS_OK);
        assert_true(cloth->x[0] == 0.1);
        state_destroy(states[0]);
        state_destroy(states[1]);
        simulation_destroy(simulation);
    }
    assert_int_equal(bytes[1] - bytes[0], (60 * 60 - 10 * 10) * sizeof(bool));
}

// A limit that is kept is asked again when a parameter has changed that it follows from, whatever
// the stiffness does: a copy, which has asked nothing before, says the same.
static void limits_follow_every_parameter(void **unused)
{
    (void)unused;
    const char *settings[] = {"rows=4 columns=4 alpha=0.002",
                              "rows=4 columns=4 alpha=auto integrator=rk4",
                              "rows=4 columns=4 alpha=auto step=0.004 filter=exponential"};
    State *state;
    assert_int_equal(state_create(&state, NULL), STATUS_OK);
    for (int i = 0; i < 3 * param_count; i++) {
        const ParamInfo *info = &param_table[i / 3];
        Simulation *simulation = simulation_with(settings[i % 3]), *copy;
        double low = info->min, high = info->kind == PARAM_COUNT ? 3.0 : info->max;
        for (int k = 1; k <= 4 && !info->rebuilds; k++) {
            Params changed = simulation->scene.params;
            double value = k == 3 && info->word ? PARAM_WORD : low + k * k * (high - low) / 16.0;
            if (info->kind != PARAM_REAL && value != PARAM_WORD) value = floor(value);
            if (param_set(&changed, info, value, NULL) != STATUS_OK) continue;
            if (simulation_change_params(simulation, &changed, NULL) != STATUS_OK) continue;
            assert_int_equal(state_save(simulation, state, NULL), STATUS_OK);
            assert_int_equal(state_create_simulation(state, &copy, NULL), STATUS_OK);
            if (memcmp(&simulation->limit.step, &copy->limit.step, sizeof(double)) != 0 ||
                simulation->automatic_step != copy->automatic_step ||
                simulation->system.alpha != copy->system.alpha)
                fail_msg("%s = %g: limit %.17g s and step %.17g s are out of date, %.17g and %.17g",
                         info->name, value, simulation->limit.step, simulation->automatic_step,
                         copy->limit.step, copy->automatic_step);
            simulation_destroy(copy);
        }
        simulation_destroy(simulation);
    }
    state_destroy(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_restored_state_goes_on_as_before),
        cmocka_unit_test(moments_between_steps_are_restored),
        cmocka_unit_test(a_divergence_is_restored),
        cmocka_unit_test(a_changed_mesh_file_disturbs_nothing),
        cmocka_unit_test(masses_and_springs_are_copied),
        cmocka_unit_test(the_hash_is_of_all_that_a_run_continues_from),
        cmocka_unit_test(compact_states_share),
        cmocka_unit_test(compact_states_lose_nothing),
        cmocka_unit_test(limits_follow_every_parameter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
