#include "simulation/state_copy.h"

#include "simulation/simulation_state.h"

#include <stdlib.h>
#include <string.h>

void state_copy_finish(StateCopy *copy)
{
    free(copy->x);
    free(copy->v);
    free(copy->mass);
    free(copy->pinned);
    *copy = (StateCopy){0};
}

static Status make_room(StateCopy *copy, const Mesh *mesh, Error *error)
{
    if (copy->x && copy->dofs == mesh->dofs && copy->particle_count == mesh->particle_count) {
        return STATUS_OK;
    }
    state_copy_finish(copy);
    size_t dofs = (size_t)mesh->dofs;
    copy->x = malloc(dofs * sizeof(double));
    copy->v = malloc(dofs * sizeof(double));
    copy->mass = malloc(dofs * sizeof(double));
    copy->pinned = malloc((size_t)mesh->particle_count * sizeof(bool));
    if (!copy->x || !copy->v || !copy->mass || !copy->pinned) {
        state_copy_finish(copy);
        return error_set(error, STATUS_OUT_OF_MEMORY,
                         "not enough memory for a copy of %d particles", mesh->particle_count);
    }
    copy->dofs = mesh->dofs;
    copy->particle_count = mesh->particle_count;
    return STATUS_OK;
}

Status state_copy_take(const Simulation *simulation, StateCopy *copy, Error *error)
{
    const Cloth *cloth = &simulation->body.cloth;
    const Mesh *mesh = &cloth->mesh;
    Status status = make_room(copy, mesh, error);
    if (status != STATUS_OK) return status;
    size_t bytes = (size_t)mesh->dofs * sizeof(double);
    memcpy(copy->x, cloth->x, bytes);
    memcpy(copy->v, cloth->v, bytes);
    memcpy(copy->mass, cloth->mass, bytes);
    memcpy(copy->pinned, cloth->pinned, (size_t)mesh->particle_count * sizeof(bool));
    copy->scene = simulation->scene;
    copy->topology_version = simulation->topology_version;
    copy->grabbed = cloth->grabbed;
    copy->hand = simulation->hand;
    copy->time = simulation->time;
    copy->step_count = simulation->step_count;
    copy->k0 = simulation->k0;
    copy->k_across = simulation->k_across;
    copy->k0_time = simulation->k0_time;
    copy->k0_due = simulation->k0_due;
    copy->revision = simulation->revision;
    return STATUS_OK;
}

// Does the simulation's cloth have the topology that this copy's scene builds?
static bool same_cloth(const StateCopy *copy, const Simulation *simulation)
{
    const Mesh *mesh = &simulation->body.cloth.mesh;
    if (mesh->dofs != copy->dofs || mesh->particle_count != copy->particle_count) return false;
    const Scene *a = &copy->scene, *b = &simulation->scene;
    if (strcmp(a->mesh, b->mesh) != 0) return false;
    if (a->stiffness_spread != b->stiffness_spread) return false;
    for (int i = 0; i < param_count; i++) {
        const ParamInfo *info = &param_table[i];
        if (!info->rebuilds) continue;
        if (param_get(&a->params, info) != param_get(&b->params, info)) return false;
    }
    return true;
}

Status state_copy_apply(const StateCopy *copy, Simulation *simulation, Error *error)
{
    if (!same_cloth(copy, simulation)) {
        Status status = simulation_rebuild(simulation, &copy->scene, error);
        if (status != STATUS_OK) return status;
    }
    simulation->scene = copy->scene;
    simulation->k0 = copy->k0;
    simulation->k_across = copy->k_across;
    simulation->k0_time = copy->k0_time;
    simulation->k0_due = copy->k0_due;
    simulation_sync_params(simulation); // and the step limit that follows from k0
    Cloth *cloth = &simulation->body.cloth;
    const Mesh *mesh = &cloth->mesh;
    size_t bytes = (size_t)mesh->dofs * sizeof(double);
    memcpy(cloth->x, copy->x, bytes);
    memcpy(cloth->v, copy->v, bytes);
    cloth_set_grabbed(cloth, copy->grabbed);
    for (int p = 0; p < mesh->particle_count; p++) {
        cloth_set_mass(cloth, p, mesh_vector(mesh, copy->mass, p).x);
        cloth_set_pinned(cloth, p, copy->pinned[p]);
    }
    simulation->hand = copy->hand;
    simulation->time = copy->time;
    simulation->step_count = copy->step_count;
    simulation_forget(simulation);
    return STATUS_OK;
}
