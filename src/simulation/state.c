#include "simulation/state.h"

#include "base/hash.h"
#include "simulation/self_contacts.h"
#include "simulation/state_fields.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Numbers of a state, as they are or, where that loses nothing, in single precision. Compact states
// that follow each other share the arrays that did not change.
typedef struct Array {
    int users; // states
    size_t count;
    double *wide;  // NULL: narrow
    float *narrow; // NULL: wide
} Array;

struct State {
    Scene scene;
    StateValues values;
    int grabbed;
    unsigned topology_version, revision;
    int particle_count;
    Array *arrays[STATE_ARRAYS]; // NULL: compact, and all 0
    bool compact;                // see state_save_compact
    bool *pinned;                // per particle
    Mesh mesh;                   // of a scene with a mesh file, which is read only once
    uint64_t fingerprint;        // of the mesh
};

Status state_create(State **out, Error *error)
{
    *out = calloc(1, sizeof **out);
    return *out ? STATUS_OK : error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory");
}

static void release(Array *array)
{
    if (!array || --array->users > 0) return;
    free(array->wide);
    free(array->narrow);
    free(array);
}

static void make_empty(State *state)
{
    for (int i = 0; i < STATE_ARRAYS; i++) release(state->arrays[i]);
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
        [STATE_X] = body->cloth.x,       [STATE_V] = body->cloth.v,
        [STATE_MASS] = body->cloth.mass, [STATE_MEMORY] = body->memory,
        [STATE_MODE] = body->mode,       [STATE_SOUND_X] = body->sound_x,
        [STATE_SOUND_V] = body->sound_v, [STATE_SELF_SEEN] = body->self_seen,
    };
    for (int m = 0; m < STIFFNESS_MODES; m++) all[STATE_STIFFNESS + m] = body->modes[m];
    for (int i = 0; i < STATE_ARRAYS; i++) {
        arrays[i] = all[i];
        size_t dofs = (size_t)body->cloth.mesh.dofs;
        sizes[i] = i == STATE_MEMORY ? body->memory_size : i == STATE_SELF_SEEN ? 2 * dofs : dofs;
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
    case STATE_SELF_SEEN:
        return values->self.reach > 0.0;
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

static bool fits_single(size_t count, const double *values)
{
    for (size_t i = 0; i < count; i++) {
        if ((double)(float)values[i] != values[i]) return false; // NaN is not equal either
    }
    return true;
}

static bool is_equal(const Array *array, size_t count, const double *values)
{
    if (!array || array->count != count) return false;
    if (array->wide) return memcmp(array->wide, values, count * sizeof *values) == 0;
    for (size_t i = 0; i < count; i++) {
        double value = (double)array->narrow[i];
        if (memcmp(&value, &values[i], sizeof value) != 0) return false; // -0 is not 0
    }
    return true;
}

// Room for numbers; NULL without memory.
static Array *make_array(size_t count, bool narrow)
{
    Array *array = malloc(sizeof *array);
    if (!array) return NULL;
    *array = (Array){.users = 1, .count = count};
    if (narrow)
        array->narrow = malloc(count * sizeof *array->narrow);
    else
        array->wide = malloc(count * sizeof *array->wide);
    if (array->narrow || array->wide) return array;
    release(array);
    return NULL;
}

static void fill(Array *array, const double *values)
{
    if (array->wide) memcpy(array->wide, values, array->count * sizeof *values);
    for (size_t i = 0; array->narrow && i < array->count; i++) array->narrow[i] = (float)values[i];
}

// The array of a compact state; NULL: all 0, or not enough memory.
static Array *compact_array(size_t count, const double *values, Array *before, bool *failed)
{
    if (is_zero(count, values)) return NULL;
    if (is_equal(before, count, values)) {
        before->users++;
        return before;
    }
    Array *array = make_array(count, fits_single(count, values));
    if (array)
        fill(array, values);
    else
        *failed = true;
    return array;
}

static bool save_arrays(const Simulation *simulation, const State *before, State *state)
{
    double *theirs[STATE_ARRAYS];
    size_t sizes[STATE_ARRAYS];
    bool failed = false;
    simulation_arrays(simulation, theirs, sizes);
    for (int i = 0; i < STATE_ARRAYS && !failed; i++) {
        Array **ours = &state->arrays[i];
        if (!state->compact) {
            if (!*ours) *ours = make_array(sizes[i], false);
            failed = !*ours;
            if (!failed) fill(*ours, theirs[i]);
        } else if (state_array_counts(&simulation->now, i)) {
            *ours = compact_array(sizes[i], theirs[i], before ? before->arrays[i] : NULL, &failed);
        }
    }
    return !failed;
}

// What depends on the cloth alone.
static Status make_room(State *state, const Simulation *simulation, Error *error)
{
    const Mesh *mesh = &simulation->body.cloth.mesh;
    if (state->pinned && state->fingerprint == mesh->fingerprint) return STATUS_OK;
    bool compact = state->compact;
    make_empty(state);
    state->compact = compact;
    state->pinned = malloc((size_t)mesh->particle_count * sizeof(bool));
    if (!state->pinned) return error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory");
    if (simulation->scene.mesh[0] != '\0' && !compact) {
        Status status = mesh_copy(mesh, 1.0, &state->mesh, error);
        if (status != STATUS_OK) return status;
    }
    state->fingerprint = mesh->fingerprint;
    state->particle_count = mesh->particle_count;
    return STATUS_OK;
}

static Status save(const Simulation *simulation, const State *before, State *state, Error *error)
{
    const Cloth *cloth = &simulation->body.cloth;
    Status status = make_room(state, simulation, error);
    if (status == STATUS_OK && !save_arrays(simulation, before, state))
        status =
            error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for a copy of %d particles",
                      cloth->mesh.particle_count);
    if (status != STATUS_OK) {
        make_empty(state);
        return status;
    }
    memcpy(state->pinned, cloth->pinned, (size_t)cloth->mesh.particle_count * sizeof(bool));
    state->scene = simulation->scene;
    state->values = simulation->now;
    state->grabbed = cloth->grabbed;
    state->topology_version = simulation->topology_version;
    state->revision = simulation->revision;
    return STATUS_OK;
}

Status state_save(const Simulation *simulation, State *state, Error *error)
{
    return save(simulation, NULL, state, error);
}

Status state_save_compact(const Simulation *simulation, const State *before, State *state,
                          Error *error)
{
    assert(!state->pinned);
    state->compact = true;
    return save(simulation, before && before->compact ? before : NULL, state, error);
}

size_t state_bytes(const State *state)
{
    size_t bytes = sizeof *state + (size_t)state->particle_count * sizeof(bool);
    for (int i = 0; i < STATE_ARRAYS; i++) {
        const Array *array = state->arrays[i];
        if (!array || array->users > 1) continue;
        bytes += sizeof *array + array->count * (array->wide ? sizeof(double) : sizeof(float));
    }
    return bytes;
}

static bool same_muscles(const Scene *a, const Scene *b)
{
    if (a->muscle_count != b->muscle_count) return false;
    for (int i = 0; i < a->muscle_count; i++) {
        const Muscle *m = &a->muscles[i], *n = &b->muscles[i];
        if (m->count != n->count || m->amplitude != n->amplitude || m->period != n->period ||
            m->phase != n->phase || m->start != n->start ||
            memcmp(m->ends, n->ends, (size_t)m->count * sizeof m->ends[0]) != 0)
            return false;
    }
    return true;
}

// True when the simulation has the cloth of this state.
static bool same_cloth(const State *state, const Simulation *simulation)
{
    return simulation->body.cloth.mesh.fingerprint == state->fingerprint &&
           same_muscles(&simulation->scene, &state->scene) &&
           simulation->scene.stiffness_spread == state->scene.stiffness_spread;
}

void simulation_continue(Simulation *simulation, const StateValues *values)
{
    simulation->now = *values; // with the stiffness, from which the limits follow
    simulation_sync_params(simulation);
    simulation->now = *values; // the call above cleared parts of it
    simulation_resume(simulation);
    self_contact_forget(&simulation->body.self);
    simulation->last_step = 0.0;
    good_states_clear(&simulation->body.good);
}

Status state_restore(const State *state, Simulation *simulation, Error *error)
{
    bool built = !same_cloth(state, simulation);
    if (built) { // everything else is the state's: no stiffness needs to be estimated
        assert(!state->compact);
        KnownMesh known = {&state->mesh, 1.0};
        Status status = simulation_build(simulation, &state->scene, &known, error);
        if (status != STATUS_OK) return status;
    }
    Cloth *cloth = &simulation->body.cloth;
    Status status = cloth_set_model(cloth, force_model_table[state->scene.params.model], error);
    if (status == STATUS_OK)
        status = self_contacts_prepare(&simulation->body, &state->scene.params, error);
    if (status != STATUS_OK) {
        if (built) simulation_restart_clock(simulation);
        return status;
    }

    double *ours[STATE_ARRAYS];
    size_t sizes[STATE_ARRAYS];
    simulation_arrays(simulation, ours, sizes);
    for (int i = 0; i < STATE_ARRAYS; i++) {
        const Array *array = state->arrays[i];
        if (!array) memset(ours[i], 0, sizes[i] * sizeof(double));
        if (array && array->wide) memcpy(ours[i], array->wide, sizes[i] * sizeof(double));
        for (size_t n = 0; array && array->narrow && n < sizes[i]; n++)
            ours[i][n] = (double)array->narrow[n];
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
    assert(!state->compact);
    return state->arrays[STATE_X]->wide;
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

static void add_vector(uint64_t *hash, Vec3 value)
{
    add(hash, value.x);
    add(hash, value.y);
    add(hash, value.z);
}

static void add_collider(uint64_t *hash, const Collider *collider)
{
    add(hash, collider->shape);
    add_vector(hash, collider->centre);
    add(hash, collider->radius);
    add_vector(hash, collider->half);
    add_vector(hash, collider->turn);
    add(hash, collider->mass);
    add_vector(hash, collider->velocity);
    for (int i = 0; i < collider->path.count; i++) {
        add(hash, collider->path.time[i]);
        add_vector(hash, collider->path.offset[i]);
    }
}

static void add_muscle(uint64_t *hash, const Muscle *muscle)
{
    for (int i = 0; i < muscle->count; i++) {
        add(hash, muscle->ends[i][0]);
        add(hash, muscle->ends[i][1]);
    }
    add(hash, muscle->amplitude);
    add(hash, muscle->period);
    add(hash, muscle->phase);
    add(hash, muscle->start);
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
    add_vector(hash, scene->start_velocity);
    for (int i = 0; i < scene->collider_count; i++) add_collider(hash, &scene->colliders[i]);
    for (int i = 0; i < scene->muscle_count; i++) add_muscle(hash, &scene->muscles[i]);
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
    double *arrays[STATE_ARRAYS] = {NULL};
    size_t sizes[STATE_ARRAYS] = {0};
    for (int i = 0; i < STATE_ARRAYS; i++) {
        if (!state->arrays[i]) continue; // an empty state has none
        arrays[i] = state->arrays[i]->wide;
        sizes[i] = state->arrays[i]->count;
    }
    return hash_of(&parts, arrays, sizes);
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
