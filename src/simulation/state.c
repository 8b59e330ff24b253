#include "simulation/state.h"

#include "base/hash.h"
#include "simulation/simulation_state.h"

#include <stdlib.h>
#include <string.h>

// The arrays that are part of the state, all of doubles.
enum {
    X,
    V,
    MASS,
    MEMORY,
    MODE,
    SOUND_X,
    SOUND_V,
    STIFFNESS,
    ARRAYS = STIFFNESS + STIFFNESS_MODES
};

struct State {
    Scene scene;
    StateValues values;
    int grabbed;
    unsigned topology_version, revision;
    int particle_count;
    size_t sizes[ARRAYS];   // numbers
    double *arrays[ARRAYS]; // in one block, which starts with the first
    bool *pinned;           // per particle
    Mesh mesh;              // of a scene with a mesh file: that is read once
    uint64_t fingerprint;   // of the mesh
};

Status state_create(State **out, Error *error)
{
    *out = calloc(1, sizeof **out);
    return *out ? STATUS_OK : error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory");
}

static void make_empty(State *state)
{
    free(state->arrays[0]);
    free(state->pinned);
    mesh_finish(&state->mesh);
    *state = (State){0};
}

void state_destroy(State *state)
{
    if (!state) return;
    make_empty(state);
    free(state);
}

static void arrays_of(const Simulation *simulation, double *arrays[ARRAYS], size_t sizes[ARRAYS])
{
    const Body *body = &simulation->body;
    double *all[ARRAYS] = {
        [X] = body->cloth.x,       [V] = body->cloth.v, [MASS] = body->cloth.mass,
        [MEMORY] = body->memory,   [MODE] = body->mode, [SOUND_X] = body->sound_x,
        [SOUND_V] = body->sound_v,
    };
    for (int m = 0; m < STIFFNESS_MODES; m++) all[STIFFNESS + m] = body->modes[m];
    for (int i = 0; i < ARRAYS; i++) {
        arrays[i] = all[i];
        sizes[i] = i == MEMORY ? body->memory_size : (size_t)body->cloth.mesh.dofs;
    }
}

static Status make_room(State *state, const Simulation *simulation, Error *error)
{
    const Mesh *mesh = &simulation->body.cloth.mesh;
    if (state->pinned && state->fingerprint == mesh->fingerprint) return STATUS_OK;
    make_empty(state);
    double *theirs[ARRAYS];
    size_t total = 0;
    arrays_of(simulation, theirs, state->sizes);
    for (int i = 0; i < ARRAYS; i++) total += state->sizes[i];
    double *block = malloc(total * sizeof *block);
    state->arrays[0] = block;
    state->pinned = malloc((size_t)mesh->particle_count * sizeof(bool));
    if (!block || !state->pinned) {
        make_empty(state);
        return error_set(error, STATUS_OUT_OF_MEMORY,
                         "not enough memory for a copy of %d particles", mesh->particle_count);
    }
    if (simulation->scene.mesh[0] != '\0') {
        Status status = mesh_copy(mesh, 1.0, &state->mesh, error);
        if (status != STATUS_OK) {
            make_empty(state);
            return status;
        }
    }
    for (int i = 1; i < ARRAYS; i++) state->arrays[i] = state->arrays[i - 1] + state->sizes[i - 1];
    state->fingerprint = mesh->fingerprint;
    state->particle_count = mesh->particle_count;
    return STATUS_OK;
}

Status state_save(const Simulation *simulation, State *state, Error *error)
{
    const Cloth *cloth = &simulation->body.cloth;
    Status status = make_room(state, simulation, error);
    if (status != STATUS_OK) return status;
    double *theirs[ARRAYS];
    arrays_of(simulation, theirs, state->sizes);
    for (int i = 0; i < ARRAYS; i++)
        memcpy(state->arrays[i], theirs[i], state->sizes[i] * sizeof(double));
    memcpy(state->pinned, cloth->pinned, (size_t)cloth->mesh.particle_count * sizeof(bool));
    state->scene = simulation->scene;
    state->values = simulation->now;
    state->grabbed = cloth->grabbed;
    state->topology_version = simulation->topology_version;
    state->revision = simulation->revision;
    return STATUS_OK;
}

// Whether the simulation has the cloth of this state.
static bool same_cloth(const State *state, const Simulation *simulation)
{
    return simulation->body.cloth.mesh.fingerprint == state->fingerprint &&
           simulation->scene.stiffness_spread == state->scene.stiffness_spread;
}

Status state_restore(const State *state, Simulation *simulation, Error *error)
{
    if (!same_cloth(state, simulation)) {
        KnownMesh known = {&state->mesh, 1.0};
        Status status = simulation_rebuild(simulation, &state->scene, &known, error);
        if (status != STATUS_OK) return status;
    }
    Cloth *cloth = &simulation->body.cloth;
    Status status = cloth_set_model(cloth, force_model_table[state->scene.params.model], error);
    if (status != STATUS_OK) return status;

    double *ours[ARRAYS];
    size_t sizes[ARRAYS];
    arrays_of(simulation, ours, sizes);
    for (int i = 0; i < ARRAYS; i++)
        memcpy(ours[i], state->arrays[i], state->sizes[i] * sizeof(double));
    cloth_set_grabbed(cloth, state->grabbed);
    for (int p = 0; p < cloth->mesh.particle_count; p++) {
        cloth_set_pinned(cloth, p, state->pinned[p]); // which also follows the mass
    }
    simulation->scene = state->scene;
    simulation->now = state->values; // k0, which the limits follow
    simulation_sync_params(simulation);
    simulation->now = state->values; // what that made it forget
    simulation_resume(simulation);
    good_states_clear(&simulation->body.good);
    return STATUS_OK;
}

const double *state_positions(const State *state)
{
    return state->arrays[X];
}

Status state_create_simulation(const State *state, Simulation **out, Error *error)
{
    *out = NULL;
    Simulation *simulation = calloc(1, sizeof *simulation);
    if (!simulation)
        return error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for a simulation");
    Status status = state_restore(state, simulation, error);
    if (status == STATUS_OK)
        *out = simulation;
    else
        simulation_destroy(simulation);
    return status;
}

StateInfo state_info(const State *state)
{
    return (StateInfo){.topology_version = state->topology_version,
                       .revision = state->revision,
                       .particle_count = state->particle_count,
                       .step_count = state->values.step_count};
}

// ---- the hash: field by field, for padding and pointers differ between equal states

static void add(uint64_t *hash, double value)
{
    *hash = hash_bytes(*hash, &value, sizeof value);
}

static void add_vector(uint64_t *hash, Vec3 value)
{
    add(hash, value.x);
    add(hash, value.y);
    add(hash, value.z);
}

static void add_pins(uint64_t *hash, const PinToggles *toggles)
{
    add(hash, toggles->count);
    add(hash, toggles->lost);
    for (int i = 0; i < toggles->count; i++) add(hash, toggles->particle[i]);
}

static void add_params(uint64_t *hash, const Params *params)
{
    for (int i = 0; i < param_count; i++) add(hash, param_get(params, &param_table[i]));
}

static void add_scene(uint64_t *hash, const Scene *scene)
{
    add_params(hash, &scene->params);
    add(hash, scene->pins);
    add_pins(hash, &scene->toggled_pins);
    add(hash, scene->mass_spread);
    add(hash, scene->stiffness_spread);
    add(hash, scene->start);
    add(hash, scene->start_stretch);
    add_vector(hash, scene->start_velocity);
}

static void add_report(uint64_t *hash, const StepReport *report)
{
    add(hash, report->force_evaluations);
    add(hash, report->newton_iterations);
    add(hash, report->linearisations);
    add(hash, report->fallbacks);
    add(hash, report->retries);
    add(hash, report->unconverged);
    add(hash, report->pcg.iterations);
    add(hash, report->pcg.residual);
    add(hash, report->pcg.converged);
    add(hash, report->pcg.negative_curvature);
}

static void add_balance(uint64_t *hash, const BalanceMeter *meter)
{
    add(hash, meter->sum.start);
    add(hash, meter->sum.hand);
    add(hash, meter->sum.contact);
    add(hash, meter->sum.damping);
    add(hash, meter->sum.filter);
    add(hash, meter->sum.remainder);
    add_vector(hash, meter->force);
    add_vector(hash, meter->moved);
    add(hash, meter->due);
    add(hash, meter->time);
    add(hash, meter->steps);
    add(hash, meter->work);
    add(hash, meter->damping_power);
    add(hash, meter->filter_loss);
}

static void add_monitor(uint64_t *hash, const Monitor *monitor)
{
    add(hash, monitor->limits.energy);
    add(hash, monitor->limits.speed);
    add(hash, monitor->limits.strain);
    add(hash, monitor->state);
    add(hash, monitor->detector);
    add(hash, monitor->based);
    add(hash, monitor->scale);
    add(hash, monitor->reference);
    add(hash, monitor->reference_work);
    add(hash, monitor->motion);
    add(hash, monitor->excess);
    add(hash, monitor->allowed);
    add(hash, monitor->marked_excess);
    add(hash, monitor->marked_time);
    add(hash, monitor->pace);
    add(hash, monitor->rising);
    add(hash, monitor->rising_time);
    add(hash, monitor->ripple);
    add(hash, monitor->ripple_share);
    add(hash, monitor->strong);
    add(hash, monitor->buzzing);
    add(hash, monitor->measured_time);
    add(hash, monitor->measured_speed);
    add(hash, monitor->ripple_time);
    add(hash, monitor->strain_time);
    add(hash, monitor->since_energy);
    add(hash, monitor->since_ripple);
    add(hash, monitor->since_strain);
}

static void add_autopsy(uint64_t *hash, const Autopsy *autopsy)
{
    add(hash, autopsy->present);
    if (!autopsy->present) return;
    add(hash, autopsy->detector);
    add(hash, (double)autopsy->noticed_step);
    add(hash, (double)autopsy->first_bad_step);
    add(hash, autopsy->time);
    add(hash, autopsy->serial);
    add(hash, autopsy->can_go_back);
    add(hash, autopsy->limit.step);
    add(hash, autopsy->k0);
    add(hash, autopsy->k_mode);
    add(hash, autopsy->mode_particle);
    add(hash, autopsy->growth_measured);
}

static void add_stiffness(uint64_t *hash, const Stiffness *stiffness)
{
    add(hash, stiffness->k0);
    add(hash, stiffness->across);
    add(hash, stiffness->spring);
    add(hash, stiffness->lowest.k);
    add(hash, stiffness->lowest.symbol);
    add(hash, stiffness->decisive.k);
    add(hash, stiffness->decisive.symbol);
}

// Where a divergence leads back to.
static void add_sound(uint64_t *hash, const StateValues *values)
{
    if (!values->autopsy.present) return;
    add_params(hash, &values->autopsy_params);
    if (!values->autopsy.can_go_back) return;
    add(hash, values->sound.time);
    add(hash, (double)values->sound.step_count);
    add_params(hash, &values->sound.params);
    add_balance(hash, &values->sound.balance);
}

static void add_values(uint64_t *hash, const StateValues *values)
{
    add_vector(hash, values->hand);
    add_pins(hash, &values->toggled_pins);
    add(hash, values->time);
    add(hash, (double)values->step_count);
    add_stiffness(hash, &values->stiffness);
    add(hash, values->stiffness_time);
    add(hash, values->across_time);
    add(hash, values->stiffness_due);
    add(hash, values->memory.valid);
    add(hash, values->memory.age);
    add(hash, values->memory.speed_then);
    add(hash, values->memory.speed);
    add(hash, values->memory.moved);
    add_report(hash, &values->last);
    add_balance(hash, &values->balance);
    add_monitor(hash, &values->monitor);
    add_autopsy(hash, &values->autopsy);
    add_sound(hash, values);
    add(hash, values->rewinds);
    add(hash, values->rewound_time);
    add(hash, values->diverged);
}

typedef struct Parts {
    const Scene *scene;
    const StateValues *values;
    int grabbed, particle_count;
    uint64_t fingerprint;
    const bool *pinned;
} Parts;

// An array that is not in use (the memory of a method that has none, the mode of no autopsy) holds
// what was there before, and does not count.
static uint64_t hash_of(const Parts *parts, double *const arrays[ARRAYS],
                        const size_t sizes[ARRAYS])
{
    const Autopsy *autopsy = &parts->values->autopsy;
    uint64_t hash = hash_bytes(HASH_START, &parts->fingerprint, sizeof parts->fingerprint);
    add_scene(&hash, parts->scene);
    add_values(&hash, parts->values);
    add(&hash, parts->grabbed);
    for (int p = 0; p < parts->particle_count; p++) add(&hash, parts->pinned[p]);
    for (int i = 0; i < ARRAYS; i++) {
        if (i == MEMORY && !parts->values->memory.valid) continue;
        if (i == MODE && !autopsy->present) continue;
        if ((i == SOUND_X || i == SOUND_V) && !(autopsy->present && autopsy->can_go_back)) continue;
        hash = hash_bytes(hash, arrays[i], sizes[i] * sizeof(double));
    }
    return hash;
}

uint64_t state_hash(const State *state)
{
    Parts parts = {.scene = &state->scene,
                   .values = &state->values,
                   .grabbed = state->grabbed,
                   .particle_count = state->particle_count,
                   .fingerprint = state->fingerprint,
                   .pinned = state->pinned};
    return hash_of(&parts, state->arrays, state->sizes);
}

uint64_t simulation_hash(const Simulation *simulation)
{
    const Cloth *cloth = &simulation->body.cloth;
    Parts parts = {.scene = &simulation->scene,
                   .values = &simulation->now,
                   .grabbed = cloth->grabbed,
                   .particle_count = cloth->mesh.particle_count,
                   .fingerprint = cloth->mesh.fingerprint,
                   .pinned = cloth->pinned};
    double *arrays[ARRAYS];
    size_t sizes[ARRAYS];
    arrays_of(simulation, arrays, sizes);
    return hash_of(&parts, arrays, sizes);
}
