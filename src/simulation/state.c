#include "simulation/state.h"

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
