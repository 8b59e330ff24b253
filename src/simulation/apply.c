// Commands, applied between two steps, and the hand that they move.
//
// A grabbed particle has no inverse mass: it follows the hand, not the forces. Each step moves it
// towards the target with a bounded velocity; between steps only the target changes. So does a
// solid body in the hand. A free ball keeps its velocity when it is let go.
#include "simulation/simulation_state.h"

#include "scene/combination.h"
#include "simulation/self_contacts.h"
#include "simulation/watch.h"

#include <math.h>

// s, in which the hand closes most of the gap. One frame feels direct and does not jerk.
#define HAND_TIME (1.0 / 60.0)
// Of the speed limit: about as fast as the cloth may throw a particle that is let go.
#define HAND_STRENGTH 0.2
// m. A mouse near the horizon must not throw the cloth out of float precision.
#define HAND_REACH 1000.0

static Status check_particle(const Simulation *simulation, int particle, Error *error)
{
    int count = simulation->body.cloth.mesh.particle_count;
    if (particle >= 0 && particle < count) return STATUS_OK;
    return error_set(error, STATUS_BAD_PARAMETER,
                     "there is no particle %d; this cloth has the particles 0 to %d", particle,
                     count - 1);
}

static Status check_target(Vec3 target, Error *error)
{
    // NaN fails this test
    if (fabs(target.x) <= HAND_REACH && fabs(target.y) <= HAND_REACH &&
        fabs(target.z) <= HAND_REACH) {
        return STATUS_OK;
    }
    return error_set(error, STATUS_BAD_PARAMETER,
                     "the hand cannot go to (%g, %g, %g); coordinates are -%g to %g m", target.x,
                     target.y, target.z, HAND_REACH, HAND_REACH);
}

Vec3 simulation_hand_velocity(const Simulation *simulation, Vec3 place, double h)
{
    const Params *params = &simulation->scene.params;
    // at least two steps long, or the particle would overshoot the target
    double duration = fmax(HAND_TIME, 2.0 * h);
    Vec3 v = vec3_scale(1.0 / duration, vec3_sub(simulation->now.hand, place));
    // A released particle keeps this speed, which must not count as divergence.
    double limit = fmin(params->hand_speed, params->speed_limit);
    double speed = vec3_length(v);
    return speed > limit ? vec3_scale(limit / speed, v) : v;
}

// m/s: the hand is only so strong. A particle that springs pull with F flies off with F / (m omega)
// when it is let go, which must not count as divergence. Where F is too large for that, the
// particle slips back: F / (m k0) is about the way to where nothing pulls. F is that of the last
// step.
static Vec3 slip(const Simulation *simulation, double h)
{
    const Params *params = &simulation->scene.params;
    const BalanceMeter *meter = &simulation->now.balance;
    double k0 = simulation->now.stiffness.k0;
    if (meter->forces_known == 0 || !(k0 > 0.0)) return (Vec3){0};

    const Cloth *cloth = &simulation->body.cloth;
    double mass = cloth_mass(cloth, cloth->grabbed);
    double most = HAND_STRENGTH * params->speed_limit * mass * sqrt(k0);
    double force = vec3_length(meter->force);
    if (!(force > most)) return (Vec3){0};
    double speed = fmin((force - most) / (mass * k0 * h), params->hand_speed);
    return vec3_scale(speed / force, meter->force);
}

void simulation_move_hand(Simulation *simulation, double h)
{
    Cloth *cloth = &simulation->body.cloth;
    if (cloth->grabbed < 0) return;
    Vec3 x = mesh_vector(&cloth->mesh, cloth->x, cloth->grabbed);
    Vec3 v = vec3_add(simulation_hand_velocity(simulation, x, h), slip(simulation, h));
    mesh_set_vector(&cloth->mesh, cloth->v, cloth->grabbed, v);
}

static void release(Simulation *simulation)
{
    Cloth *cloth = &simulation->body.cloth;
    simulation->now.grabbed_body = 0;
    int particle = cloth->grabbed;
    if (particle < 0) return;
    cloth_set_grabbed(cloth, -1);
    simulation_forget(simulation);
    if (cloth->pinned[particle]) mesh_set_vector(&cloth->mesh, cloth->v, particle, (Vec3){0});
}

static Status grab(Simulation *simulation, int particle, Vec3 target, Error *error)
{
    Status status = check_particle(simulation, particle, error);
    if (status == STATUS_OK) status = check_target(target, error);
    if (status != STATUS_OK) return status;
    release(simulation);
    cloth_set_grabbed(&simulation->body.cloth, particle);
    simulation_forget(simulation);
    simulation->now.hand = target;
    simulation_update_stiffness(simulation);
    return STATUS_OK;
}

static Status grab_body(Simulation *simulation, int body, Vec3 target, Error *error)
{
    int count = simulation->scene.collider_count;
    if (body < 0 || body >= count)
        return error_set(error, STATUS_BAD_PARAMETER,
                         "there is no body %d to grab; this scene has %d, counted from 0", body,
                         count);
    Status status = check_target(target, error);
    if (status != STATUS_OK) return status;
    release(simulation);
    simulation->now.grabbed_body = body + 1;
    simulation->now.hand = target;
    simulation_forget(simulation);
    return STATUS_OK;
}

static Status toggle_pin(Simulation *simulation, int particle, Error *error)
{
    Status status = check_particle(simulation, particle, error);
    if (status == STATUS_OK)
        status = pin_toggles_flip(&simulation->now.toggled_pins, particle, error);
    if (status != STATUS_OK) return status;
    Cloth *cloth = &simulation->body.cloth;
    cloth_set_pinned(cloth, particle, !cloth->pinned[particle]);
    mesh_set_vector(&cloth->mesh, cloth->v, particle, (Vec3){0});
    simulation_forget(simulation);
    simulation_update_stiffness(simulation);
    return STATUS_OK;
}

// A denser cloth keeps its shape and motion: every mass is scaled, including masses from a file.
static void scale_masses(Cloth *cloth, double factor)
{
    for (int p = 0; p < cloth->mesh.particle_count; p++) {
        cloth_set_mass(cloth, p, factor * cloth_mass(cloth, p));
    }
}

Status simulation_change_params(Simulation *simulation, const Params *params, Error *error)
{
    Cloth *cloth = &simulation->body.cloth;
    Status status = cloth_set_model(cloth, force_model_table[params->model], error);
    if (status == STATUS_OK) status = self_contacts_prepare(&simulation->body, params, error);
    if (status != STATUS_OK) return status;
    double density = simulation->scene.params.density;
    if (params->density != density) scale_masses(cloth, params->density / density);
    // muscles go on from where they are
    double slowness = simulation->scene.params.muscle_period, time = simulation->now.time;
    if (params->muscle_period != slowness)
        simulation->now.muscle_offset += time / slowness - time / params->muscle_period;
    simulation->scene.params = *params;
    simulation_sync_params(simulation);
    return STATUS_OK;
}

static Status set_param(Simulation *simulation, int index, double value, Error *error)
{
    if (index < 0 || index >= param_count) {
        return error_set(error, STATUS_BAD_PARAMETER,
                         "there is no parameter number %d; they are 0 to %d", index,
                         param_count - 1);
    }
    const ParamInfo *info = &param_table[index];
    Scene scene = simulation->scene;
    Status status = param_set(&scene.params, info, value, error);
    if (status != STATUS_OK) return status;
    const char *refusal = params_refusal(&scene.params);
    if (refusal) return error_set(error, STATUS_BAD_PARAMETER, "%s", refusal);
    status = scene_check(&scene, error);
    if (status != STATUS_OK) return status;
    const Params before = simulation->scene.params, *now = &scene.params;
    if (info->rebuilds && value != param_get(&before, info)) {
        scene.toggled_pins = (PinToggles){0}; // particles are numbered differently in the new mesh
        KnownMesh known = {&simulation->body.cloth.mesh, now->size / before.size};
        return simulation_rebuild(simulation, &scene, &known, error);
    }
    status = simulation_change_params(simulation, now, error);
    if (status != STATUS_OK) return status;
    simulation_update_stiffness(simulation);
    return STATUS_OK;
}

static Status check_rewind(const Simulation *simulation, double seconds, Error *error)
{
    if (!(seconds >= 0.0)) {
        return error_set(error, STATUS_BAD_PARAMETER, "cannot go back by %g s; it takes 0 or more",
                         seconds);
    }
    if (!watch_can_rewind(simulation, seconds)) {
        return error_set(error, STATUS_BAD_PARAMETER,
                         "there is no older state to go back to: this one is the oldest kept");
    }
    return STATUS_OK;
}

static Status go_back(Simulation *simulation, double seconds, Error *error)
{
    Status status = check_rewind(simulation, seconds, error);
    if (status != STATUS_OK) return status;
    watch_rewind(simulation, seconds);
    simulation_update_stiffness(simulation);
    return STATUS_OK;
}

// Limits what the user can add to the velocities; without a limit the monitor would fire at once.
static Status check_excite(const Simulation *simulation, const Command *command, Error *error)
{
    const float *shape = command->excite.shape;
    int count = command->excite.particle_count;
    int particles = simulation->body.cloth.mesh.particle_count;
    double amplitude = command->excite.amplitude, limit = simulation->scene.params.speed_limit;
    if (!shape || count != particles) {
        return error_set(error, STATUS_BAD_PARAMETER,
                         "a shape of %d particles does not fit a cloth of %d", count, particles);
    }
    if (!(fabs(amplitude) <= limit)) {
        return error_set(error, STATUS_BAD_PARAMETER,
                         "cannot excite a mode by %g m/s; it takes -%g to %g m/s", amplitude, limit,
                         limit);
    }
    for (int i = 0; i < 3 * count; i++) {
        if (isfinite(shape[i])) continue;
        return error_set(error, STATUS_BAD_PARAMETER,
                         "cannot excite a shape that has %g at particle %d", (double)shape[i],
                         i / 3);
    }
    return STATUS_OK;
}

static Status excite(Simulation *simulation, const Command *command, Error *error)
{
    Cloth *cloth = &simulation->body.cloth;
    const Mesh *mesh = &cloth->mesh;
    const float *shape = command->excite.shape;
    Status status = check_excite(simulation, command, error);
    if (status != STATUS_OK) return status;
    for (int p = 0; p < mesh->particle_count; p++) {
        if (cloth_is_held(cloth, p)) continue;
        Vec3 added = {shape[3 * p], shape[3 * p + 1], shape[3 * p + 2]};
        Vec3 v = mesh_vector(mesh, cloth->v, p);
        mesh_set_vector(mesh, cloth->v, p, vec3_add_scaled(v, command->excite.amplitude, added));
    }
    simulation_forget(simulation);
    return STATUS_OK;
}

Status simulation_check_own(const Simulation *simulation, const Command *command, Error *error)
{
    if (command->kind == COMMAND_REWIND)
        return check_rewind(simulation, command->rewind.seconds, error);
    if (command->kind == COMMAND_EXCITE) return check_excite(simulation, command, error);
    return STATUS_OK;
}

static Status load_scene(Simulation *simulation, const Scene *scene, Error *error)
{
    Status status = simulation_check_scene(scene, error);
    return status == STATUS_OK ? simulation_rebuild(simulation, scene, NULL, error) : status;
}

static Status obey(Simulation *simulation, const Command *command, Error *error)
{
    Status status;
    switch (command->kind) {
    case COMMAND_LOAD_SCENE:
        return load_scene(simulation, command->scene, error);
    case COMMAND_SET_PARAM:
        return set_param(simulation, command->param.index, command->param.value, error);
    case COMMAND_GRAB:
        return grab(simulation, command->hand.particle, command->hand.target, error);
    case COMMAND_GRAB_BODY:
        return grab_body(simulation, command->body.number, command->body.target, error);
    case COMMAND_MOVE_HAND: // no effect while nothing is held, as after a reset
        status = check_target(command->hand.target, error);
        if (status == STATUS_OK) simulation->now.hand = command->hand.target;
        return status;
    case COMMAND_RELEASE: // the same
    {
        bool had_particle = simulation->body.cloth.grabbed >= 0;
        release(simulation);
        if (had_particle) simulation_update_stiffness(simulation);
        return STATUS_OK;
    }
    case COMMAND_TOGGLE_PIN:
        return toggle_pin(simulation, command->particle, error);
    case COMMAND_RESET:
        simulation_start_over(simulation);
        return STATUS_OK;
    case COMMAND_REWIND:
        return go_back(simulation, command->rewind.seconds, error);
    case COMMAND_EXCITE:
        return excite(simulation, command, error);
    case COMMAND_RESUME:
        good_states_clear(&simulation->body.good);
        return STATUS_OK;
    case COMMAND_RETRY: // every step tries
        return STATUS_OK;
    case COMMAND_SHARE_PARAM:
    case COMMAND_SELECT:
    case COMMAND_REFERENCE:
    case COMMAND_HOLD:
    case COMMAND_RUN:
    case COMMAND_JUMP:
    case COMMAND_PAUSE:
    case COMMAND_STEP:
    case COMMAND_SEEK:
    case COMMAND_PLAY:
    case COMMAND_RECALL:
    case COMMAND_QUIT:
        break;
    }
    return error_set(error, STATUS_BAD_PARAMETER,
                     "command %d is for the simulation's thread, not for the simulation",
                     (int)command->kind);
}

// A command changes energy without a step. The hand's changes are booked as its work.
Status simulation_apply(Simulation *simulation, const Command *command, Error *error)
{
    bool by_parameter = command->kind == COMMAND_SET_PARAM;
    bool by_hand = command->kind == COMMAND_GRAB || command->kind == COMMAND_GRAB_BODY ||
                   command->kind == COMMAND_RELEASE || command->kind == COMMAND_TOGGLE_PIN ||
                   command->kind == COMMAND_EXCITE;
    if (!by_parameter && !by_hand) return obey(simulation, command, error);
    unsigned body = simulation->topology_version;
    double before = balance_energy(&simulation->body.cloth);
    Status status = obey(simulation, command, error);
    if (status != STATUS_OK || simulation->topology_version != body) return status;
    double gained = balance_energy(&simulation->body.cloth) - before;
    if (by_hand) {
        balance_jump_by_hand(&simulation->now.balance, gained);
    } else {
        balance_jump_by_parameter(&simulation->now.balance, gained);
    }
    return status;
}
