#include "simulation/state.h"

#include "base/hash.h"
#include "simulation/state_fields.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct State {
    Scene scene;
    StateValues values;
    int grabbed;
    unsigned topology_version, revision;
    int particle_count;
    size_t sizes[STATE_ARRAYS];   // numbers
    double *arrays[STATE_ARRAYS]; // one block, starting at the first; NULL: compact, and all 0
    bool compact;                 // without the mesh, and without arrays that need not be kept
    bool *pinned;                 // per particle
    Mesh mesh;                    // of a scene with a mesh file, which is read only once
    uint64_t fingerprint;         // of the mesh
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

void simulation_arrays(const Simulation *simulation, double *arrays[STATE_ARRAYS],
                       size_t sizes[STATE_ARRAYS])
{
    const Body *body = &simulation->body;
    double *all[STATE_ARRAYS] = {
        [STATE_X] = body->cloth.x,       [STATE_V] = body->cloth.v, [STATE_MASS] = body->cloth.mass,
        [STATE_MEMORY] = body->memory,   [STATE_MODE] = body->mode, [STATE_SOUND_X] = body->sound_x,
        [STATE_SOUND_V] = body->sound_v,
    };
    for (int m = 0; m < STIFFNESS_MODES; m++) all[STATE_STIFFNESS + m] = body->modes[m];
    for (int i = 0; i < STATE_ARRAYS; i++) {
        arrays[i] = all[i];
        sizes[i] = i == STATE_MEMORY ? body->memory_size : (size_t)body->cloth.mesh.dofs;
    }
}

bool state_array_counts(const StateValues *values, int array)
{
    const Autopsy *autopsy = &values->autopsy;
    switch (array) {
    case STATE_MEMORY:
        return values->memory.valid;
    case STATE_MODE:
        return autopsy->present;
    case STATE_SOUND_X:
    case STATE_SOUND_V:
        return autopsy->present && autopsy->can_go_back;
    default:
        return true;
    }
}

static bool is_zero(size_t count, const double *values)
{
    for (size_t i = 0; i < count; i++) {
        if (values[i] != 0.0 || signbit(values[i])) return false;
    }
    return true;
}

// Must this array be kept?
static bool is_kept(const State *state, const Simulation *simulation, int array,
                    double *const theirs[STATE_ARRAYS])
{
    if (!state->compact || array == STATE_X) return true; // the first starts the block
    return state_array_counts(&simulation->now, array) &&
           !is_zero(state->sizes[array], theirs[array]);
}

static Status make_room(State *state, const Simulation *simulation, Error *error)
{
    const Mesh *mesh = &simulation->body.cloth.mesh;
    if (state->pinned && state->fingerprint == mesh->fingerprint) return STATUS_OK;
    bool compact = state->compact;
    make_empty(state);
    state->compact = compact;
    double *theirs[STATE_ARRAYS];
    size_t total = 0, offset[STATE_ARRAYS];
    bool kept[STATE_ARRAYS];
    simulation_arrays(simulation, theirs, state->sizes);
    for (int i = 0; i < STATE_ARRAYS; i++) {
        offset[i] = total;
        kept[i] = is_kept(state, simulation, i, theirs);
        if (kept[i]) total += state->sizes[i];
    }
    double *block = malloc(total * sizeof *block);
    state->arrays[0] = block;
    state->pinned = malloc((size_t)mesh->particle_count * sizeof(bool));
    if (!block || !state->pinned) {
        make_empty(state);
        return error_set(error, STATUS_OUT_OF_MEMORY,
                         "not enough memory for a copy of %d particles", mesh->particle_count);
    }
    if (simulation->scene.mesh[0] != '\0' && !compact) {
        Status status = mesh_copy(mesh, 1.0, &state->mesh, error);
        if (status != STATUS_OK) {
            make_empty(state);
            return status;
        }
    }
    for (int i = 1; i < STATE_ARRAYS; i++) state->arrays[i] = kept[i] ? block + offset[i] : NULL;
    state->fingerprint = mesh->fingerprint;
    state->particle_count = mesh->particle_count;
    return STATUS_OK;
}

Status state_save(const Simulation *simulation, State *state, Error *error)
{
    const Cloth *cloth = &simulation->body.cloth;
    Status status = make_room(state, simulation, error);
    if (status != STATUS_OK) return status;
    double *theirs[STATE_ARRAYS];
    simulation_arrays(simulation, theirs, state->sizes);
    for (int i = 0; i < STATE_ARRAYS; i++) {
        if (state->arrays[i]) memcpy(state->arrays[i], theirs[i], state->sizes[i] * sizeof(double));
    }
    memcpy(state->pinned, cloth->pinned, (size_t)cloth->mesh.particle_count * sizeof(bool));
    state->scene = simulation->scene;
    state->values = simulation->now;
    state->grabbed = cloth->grabbed;
    state->topology_version = simulation->topology_version;
    state->revision = simulation->revision;
    return STATUS_OK;
}

Status state_save_compact(const Simulation *simulation, State *state, Error *error)
{
    assert(!state->pinned);
    state->compact = true;
    return state_save(simulation, state, error);
}

size_t state_bytes(const State *state)
{
    size_t bytes = sizeof *state + (size_t)state->particle_count * sizeof(bool);
    for (int i = 0; i < STATE_ARRAYS; i++) {
        if (state->arrays[i]) bytes += state->sizes[i] * sizeof(double);
    }
    return bytes;
}

// True when the simulation has the cloth of this state.
static bool same_cloth(const State *state, const Simulation *simulation)
{
    return simulation->body.cloth.mesh.fingerprint == state->fingerprint &&
           simulation->scene.stiffness_spread == state->scene.stiffness_spread;
}

void simulation_continue(Simulation *simulation, const StateValues *values)
{
    simulation->now = *values; // with the stiffness, from which the limits follow
    simulation_sync_params(simulation);
    simulation->now = *values; // the call above cleared parts of it
    simulation_resume(simulation);
    simulation->last_step = 0.0;
    good_states_clear(&simulation->body.good);
}

Status state_restore(const State *state, Simulation *simulation, Error *error)
{
    if (!same_cloth(state, simulation)) {
        assert(!state->compact);
        KnownMesh known = {&state->mesh, 1.0};
        Status status = simulation_rebuild(simulation, &state->scene, &known, error);
        if (status != STATUS_OK) return status;
    }
    Cloth *cloth = &simulation->body.cloth;
    Status status = cloth_set_model(cloth, force_model_table[state->scene.params.model], error);
    if (status != STATUS_OK) return status;

    double *ours[STATE_ARRAYS];
    size_t sizes[STATE_ARRAYS];
    simulation_arrays(simulation, ours, sizes);
    for (int i = 0; i < STATE_ARRAYS; i++) {
        size_t bytes = state->sizes[i] * sizeof(double);
        if (state->arrays[i])
            memcpy(ours[i], state->arrays[i], bytes);
        else
            memset(ours[i], 0, bytes);
    }
    cloth_set_grabbed(cloth, state->grabbed);
    for (int p = 0; p < cloth->mesh.particle_count; p++) {
        cloth_set_pinned(cloth, p, state->pinned[p]); // also updates the mass
    }
    simulation->scene = state->scene;
    simulation_continue(simulation, &state->values);
    return STATUS_OK;
}

const double *state_positions(const State *state)
{
    return state->arrays[STATE_X];
}

Status state_create_simulation(const State *state, Simulation **out, Error *error)
{
    *out = NULL;
    Simulation *simulation = calloc(1, sizeof *simulation);
    if (!simulation)
        return error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for a simulation");
    Status status = state_restore(state, simulation, error);
    if (status == STATUS_OK) {
        simulation->topology_version = state->topology_version;
        *out = simulation;
    } else {
        simulation_destroy(simulation);
    }
    return status;
}

StateInfo state_info(const State *state)
{
    return (StateInfo){.topology_version = state->topology_version,
                       .revision = state->revision,
                       .particle_count = state->particle_count,
                       .step_count = state->values.step_count};
}

// ---- the hash: number by number, because padding and pointers differ between equal states

static void add(uint64_t *hash, double value)
{
    *hash = hash_bytes(*hash, &value, sizeof value);
}

static void add_number(void *hash, const char *name, double *value)
{
    (void)name;
    add(hash, *value);
}

static void add_scene(uint64_t *hash, const Scene *scene)
{
    for (int i = 0; i < param_count; i++) add(hash, param_get(&scene->params, &param_table[i]));
    add(hash, scene->pins);
    for (int i = 0; i < scene->toggled_pins.count; i++) add(hash, scene->toggled_pins.particle[i]);
    add(hash, scene->mass_spread);
    add(hash, scene->stiffness_spread);
    add(hash, scene->start);
    add(hash, scene->start_stretch);
    add(hash, scene->start_velocity.x);
    add(hash, scene->start_velocity.y);
    add(hash, scene->start_velocity.z);
}

typedef struct Parts {
    const Scene *scene;
    const StateValues *values;
    int grabbed, particle_count;
    uint64_t fingerprint;
    const bool *pinned;
} Parts;

static uint64_t hash_of(const Parts *parts, double *const arrays[STATE_ARRAYS],
                        const size_t sizes[STATE_ARRAYS])
{
    StateValues values = *parts->values;
    int grabbed = parts->grabbed;
    uint64_t hash = hash_bytes(HASH_START, &parts->fingerprint, sizeof parts->fingerprint);
    add_scene(&hash, parts->scene);
    state_fields_visit(&values, &grabbed, (FieldVisitor){add_number, &hash});
    for (int p = 0; p < parts->particle_count; p++) add(&hash, parts->pinned[p]);
    for (int i = 0; i < STATE_ARRAYS; i++) {
        if (!state_array_counts(parts->values, i)) continue;
        hash = hash_bytes(hash, arrays[i], sizes[i] * sizeof(double));
    }
    return hash;
}

uint64_t state_hash(const State *state)
{
    assert(!state->compact);
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
    double *arrays[STATE_ARRAYS];
    size_t sizes[STATE_ARRAYS];
    simulation_arrays(simulation, arrays, sizes);
    return hash_of(&parts, arrays, sizes);
}
