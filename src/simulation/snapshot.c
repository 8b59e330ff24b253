#include "scene/scene_start.h"
#include "simulation/simulation_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void free_arrays(Snapshot *snapshot)
{
    free(snapshot->position);
    free(snapshot->velocity);
    free(snapshot->unfiltered);
    free(snapshot->weave);
    free(snapshot->pinned);
    free(snapshot->mode);
    free(snapshot->distance);
    free(snapshot->triangles);
    free(snapshot->springs);
    free(snapshot->rest_length);
    free(snapshot->spring_kind);
    snapshot->position = snapshot->rest_length = snapshot->mode = snapshot->distance = NULL;
    snapshot->velocity = snapshot->unfiltered = snapshot->weave = NULL;
    snapshot->pinned = snapshot->spring_kind = NULL;
    snapshot->triangles = snapshot->springs = NULL;
    snapshot->particle_count = snapshot->triangle_count = snapshot->spring_count = 0;
    snapshot->topology_version = 0;
}

void snapshot_finish(Snapshot *snapshot)
{
    free_arrays(snapshot);
    free(snapshot->series);
    free(snapshot->film);
    *snapshot = (Snapshot){0};
}

// Allocate arrays for this mesh. A failure leaves an empty snapshot, never one with wrong counts.
static Status make_room(Snapshot *snapshot, const Mesh *mesh, Error *error)
{
    size_t particles = (size_t)mesh->particle_count, springs = (size_t)mesh->spring_count;
    size_t triangles = (size_t)mesh->triangle_count;
    free_arrays(snapshot);
    snapshot->position = calloc(3 * particles, sizeof(float));
    snapshot->velocity = calloc(3 * particles, sizeof(float));
    snapshot->unfiltered = calloc(3 * particles, sizeof(float));
    snapshot->weave = calloc(2 * particles, sizeof(float));
    snapshot->pinned = calloc(particles, sizeof(uint8_t));
    snapshot->mode = calloc(3 * particles, sizeof(float));
    snapshot->distance = calloc(particles, sizeof(float));
    snapshot->triangles = calloc(3 * triangles + 1, sizeof(uint32_t)); // a rope has none
    snapshot->springs = calloc(2 * springs, sizeof(uint32_t));
    snapshot->rest_length = calloc(springs, sizeof(float));
    snapshot->spring_kind = calloc(springs, sizeof(uint8_t));
    if (!snapshot->position || !snapshot->velocity || !snapshot->unfiltered || !snapshot->weave ||
        !snapshot->pinned || !snapshot->mode || !snapshot->distance || !snapshot->triangles ||
        !snapshot->springs || !snapshot->rest_length || !snapshot->spring_kind) {
        free_arrays(snapshot);
        return error_set(error, STATUS_OUT_OF_MEMORY,
                         "not enough memory to show a cloth of %d particles", mesh->particle_count);
    }
    return STATUS_OK;
}

// Threads run along x and z. On a mesh that is not flat they lean into the third direction, so that
// they cross on nearly every side of it.
static void copy_weave(Snapshot *snapshot, const Mesh *mesh)
{
    for (int p = 0; p < mesh->particle_count; p++) {
        Vec3 x = mesh->rest_position[p];
        snapshot->weave[2 * p] = (float)(x.x - 0.6 * x.y);
        snapshot->weave[2 * p + 1] = (float)(x.z - 0.8 * x.y);
    }
}

static void copy_topology(Snapshot *snapshot, const Mesh *mesh)
{
    snapshot->particle_count = mesh->particle_count;
    snapshot->triangle_count = mesh->triangle_count;
    snapshot->spring_count = mesh->spring_count;
    memcpy(snapshot->triangles, mesh->triangles,
           (size_t)mesh->triangle_count * sizeof *mesh->triangles);
    for (int s = 0; s < mesh->spring_count; s++) {
        snapshot->springs[2 * s] = (uint32_t)mesh->springs[s][0];
        snapshot->springs[2 * s + 1] = (uint32_t)mesh->springs[s][1];
        snapshot->spring_kind[s] = (uint8_t)mesh_spring_kind(mesh, s);
    }
    snapshot->spacing = (float)mesh->spacing;
    copy_weave(snapshot, mesh);
}

static void copy_vector(float *out, Vec3 value)
{
    out[0] = (float)value.x;
    out[1] = (float)value.y;
    out[2] = (float)value.z;
}

static void copy_centres(Snapshot *snapshot, const Simulation *simulation)
{
    const Scene *scene = &simulation->scene;
    const Cloth *cloth = &simulation->body.cloth;
    Vec3 moved = {0};
    for (int p = 0; scene_roams(scene) && p < cloth->mesh.particle_count; p++)
        moved = vec3_add(moved, mesh_vector(&cloth->mesh, cloth->x, p));
    if (scene_roams(scene))
        moved = vec3_sub(vec3_scale(1.0 / cloth->mesh.particle_count, moved),
                         scene_start_mean(scene, &cloth->mesh));
    copy_vector(snapshot->centre, vec3_add(scene_start_centre(scene, &cloth->mesh), moved));
    copy_vector(snapshot->view_centre, vec3_add(scene_view(scene, &cloth->mesh).centre, moved));
}

static void copy_mode(Snapshot *snapshot, const Simulation *simulation)
{
    const Mesh *mesh = &simulation->body.cloth.mesh;
    const Autopsy *autopsy = &simulation->now.autopsy;
    size_t count = 3 * (size_t)mesh->particle_count;
    if (!autopsy->present || autopsy->mode_particle < 0) {
        memset(snapshot->mode, 0, count * sizeof *snapshot->mode);
        return;
    }
    const double *mode = simulation->body.mode;
    double scale = 1.0 / vec3_length(mesh_vector(mesh, mode, autopsy->mode_particle));
    for (int p = 0; p < mesh->particle_count; p++) {
        copy_vector(snapshot->mode + 3 * p, vec3_scale(scale, mesh_vector(mesh, mode, p)));
    }
}

static void copy_state(Snapshot *snapshot, const Simulation *simulation, bool is_new)
{
    const Cloth *cloth = &simulation->body.cloth;
    for (int p = 0; p < cloth->mesh.particle_count; p++) {
        copy_vector(snapshot->position + 3 * p, mesh_vector(&cloth->mesh, cloth->x, p));
        copy_vector(snapshot->velocity + 3 * p, mesh_vector(&cloth->mesh, cloth->v, p));
        snapshot->pinned[p] = cloth->pinned[p];
    }
    snapshot->has_unfiltered = simulation->last_step > 0.0 && simulation->hooks.holds_input;
    for (int p = 0; snapshot->has_unfiltered && p < cloth->mesh.particle_count; p++)
        copy_vector(snapshot->unfiltered + 3 * p, filter_input(cloth, p));
    bool lengths_change = cloth->muscle_count > 0 || is_new;
    for (int s = 0; lengths_change && s < cloth->mesh.spring_count; s++)
        snapshot->rest_length[s] = (float)cloth->rest_length[s];
    snapshot->grabbed = cloth->grabbed;
    copy_vector(snapshot->hand, simulation->now.hand);
    memcpy(snapshot->motions, simulation->now.motions, sizeof snapshot->motions);
    const SelfReadings *self = &simulation->now.self;
    snapshot->self = (SelfCounts){self->pairs, self->held_back, self->crossings, self->full};
}

Status simulation_fill_snapshot(const Simulation *simulation, Snapshot *snapshot, Error *error)
{
    const Mesh *mesh = &simulation->body.cloth.mesh;
    bool is_new = snapshot->topology_version != simulation->topology_version;
    if (is_new) {
        Status status = make_room(snapshot, mesh, error);
        if (status != STATUS_OK) return status;
        copy_topology(snapshot, mesh);
        snapshot->radius = (float)scene_start_radius(&simulation->scene, mesh);
        snapshot->view_radius = (float)scene_view(&simulation->scene, mesh).radius;
        snapshot->topology_version = simulation->topology_version;
    }
    if (is_new || scene_roams(&simulation->scene)) copy_centres(snapshot, simulation);
    copy_state(snapshot, simulation, is_new);
    copy_mode(snapshot, simulation);
    snapshot->scene = simulation->scene;
    snapshot->scene.toggled_pins = simulation->now.toggled_pins;
    snapshot->readings = simulation_readings(simulation);
    bool stepped = simulation->last_step > 0.0;
    if (stepped && simulation->trace.solves > 0)
        snapshot->pcg = simulation->trace;
    else
        snapshot->pcg.solves = 0;
    snapshot->diverged = simulation->now.diverged;
    snapshot->monitor = simulation->now.monitor;
    snapshot->autopsy = simulation->now.autopsy;
    snapshot->rewinds = simulation->now.rewinds;
    memcpy(snapshot->diverged_text, simulation->now.diverged_text, sizeof snapshot->diverged_text);
    return STATUS_OK;
}
