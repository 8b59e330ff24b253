#include "simulation/simulation_state.h"

#include "base/clock.h"
#include "cloth/collide.h"
#include "cloth/forces.h"
#include "scene/combination.h"
#include "scene/scene_start.h"
#include "simulation/contacts.h"
#include "simulation/self_contacts.h"
#include "simulation/watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A speed above this share of the limit is a sign that leu's linearisation is too old: 25 m/s with
// the default limit. No cloth here reaches that by itself.
#define LEU_SPEED_SHARE 0.25
// Share of the newest step in the smoothed cost.
#define COST_SHARE 0.05

static size_t scratch_size(int dofs)
{
    size_t size = simulation_stiffness_scratch_size(dofs);
    for (int i = 0; i < integrator_count; i++) {
        size_t needed = integrator_table[i]->scratch_size(dofs);
        if (needed > size) size = needed;
    }
    return size;
}

static size_t memory_size(int dofs)
{
    size_t size = 0;
    for (int i = 0; i < integrator_count; i++) {
        const Integrator *integrator = integrator_table[i];
        size_t needed = integrator->memory_size ? integrator->memory_size(dofs) : 0;
        if (needed > size) size = needed;
    }
    return size;
}

static void body_finish(Body *body)
{
    cloth_finish(&body->cloth);
    free(body->good_x);
    free(body->good_v);
    free(body->contact_points);
    free(body->self_seen);
    self_contact_finish(&body->self);
    free(body->self_pairs);
    for (int m = 0; m < STIFFNESS_MODES; m++) free(body->modes[m]);
    free(body->memory);
    free(body->mode);
    free(body->sound_x);
    free(body->sound_v);
    good_states_finish(&body->good);
    arena_finish(&body->scratch);
    *body = (Body){0};
}

static Status body_init(Body *body, const Scene *scene, const KnownMesh *known, Error *error)
{
    *body = (Body){0};
    Status status = scene_build(scene, known, &body->cloth, error);
    if (status != STATUS_OK) return status;
    size_t dofs = (size_t)body->cloth.mesh.dofs;
    body->good_x = mesh_flat_create(&body->cloth.mesh);
    body->good_v = mesh_flat_create(&body->cloth.mesh);
    body->contact_points =
        calloc((size_t)body->cloth.mesh.particle_count, sizeof *body->contact_points);
    body->self_seen = calloc(2 * dofs, sizeof(double));
    bool have_modes = true;
    for (int m = 0; m < STIFFNESS_MODES; m++) {
        body->modes[m] = calloc(dofs, sizeof(double));
        have_modes = have_modes && body->modes[m];
    }
    body->memory_size = memory_size(body->cloth.mesh.dofs);
    body->memory = calloc(body->memory_size, sizeof(double));
    body->mode = calloc(dofs, sizeof(double));
    body->sound_x = calloc(dofs, sizeof(double));
    body->sound_v = calloc(dofs, sizeof(double));
    if (!body->good_x || !body->good_v || !body->contact_points || !body->self_seen ||
        !have_modes || !body->memory || !body->mode || !body->sound_x || !body->sound_v) {
        status =
            error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for a cloth of %d particles",
                      body->cloth.mesh.particle_count);
    }
    if (status == STATUS_OK) status = self_contacts_prepare(body, &scene->params, error);
    if (status == STATUS_OK) status = good_states_init(&body->good, (int)dofs, error);
    if (status == STATUS_OK) {
        status = arena_init(&body->scratch, scratch_size(body->cloth.mesh.dofs), error);
    }
    if (status != STATUS_OK) body_finish(body);
    return status;
}

Status simulation_check_scene(const Scene *scene, Error *error)
{
    Params checked = scene->params;
    for (int i = 0; i < param_count; i++) {
        Status status =
            param_set(&checked, &param_table[i], param_get(&scene->params, &param_table[i]), error);
        if (status != STATUS_OK) return status;
    }
    Status status = scene_check(scene, error);
    if (status != STATUS_OK) return status;
    const char *refusal = params_refusal(&checked);
    return refusal ? error_set(error, STATUS_BAD_PARAMETER, "%s", refusal) : STATUS_OK;
}

Status simulation_create(const Scene *scene, Simulation **out, Error *error)
{
    *out = NULL;
    Status status = simulation_check_scene(scene, error);
    if (status != STATUS_OK) return status;
    Simulation *simulation = calloc(1, sizeof *simulation);
    if (!simulation) {
        return error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for a simulation");
    }
    status = simulation_rebuild(simulation, scene, NULL, error);
    if (status != STATUS_OK) {
        free(simulation);
        return status;
    }
    *out = simulation;
    return STATUS_OK;
}

void simulation_destroy(Simulation *simulation)
{
    if (!simulation) return;
    body_finish(&simulation->body);
    free(simulation);
}

void simulation_set_crew(Simulation *simulation, Crew *crew)
{
    simulation->crew = simulation->body.cloth.crew = simulation->system.crew = crew;
}

void simulation_set_cancel(Simulation *simulation, const atomic_bool *cancel)
{
    simulation->cancel = cancel;
}

// The start shape, at rest, with its pins.
static void place(Simulation *simulation)
{
    const Scene *scene = &simulation->scene;
    scene_place(scene, &simulation->body.cloth);
    simulation->now.toggled_pins = scene->toggled_pins;
    simulation->now.grabbed_body = 0;
    simulation->now.body_count = scene->collider_count;
    for (int i = 0; i < scene->collider_count; i++)
        simulation->now.motions[i] = collider_start(&scene->colliders[i]);
}

Status simulation_build(Simulation *simulation, const Scene *scene, const KnownMesh *known,
                        Error *error)
{
    Body body;
    Status status = body_init(&body, scene, known, error);
    if (status != STATUS_OK) return status;
    body_finish(&simulation->body);
    simulation->body = body;
    simulation->body.cloth.crew = simulation->crew;
    simulation->scene = *scene;
    simulation->topology_version++;
    simulation->cost = 0.0;
    simulation_sync_params(simulation);
    place(simulation);
    return STATUS_OK;
}

Status simulation_rebuild(Simulation *simulation, const Scene *scene, const KnownMesh *known,
                          Error *error)
{
    Status status = simulation_build(simulation, scene, known, error);
    if (status == STATUS_OK) simulation_restart_clock(simulation);
    return status;
}

void simulation_start_over(Simulation *simulation)
{
    place(simulation);
    simulation_restart_clock(simulation);
}

void simulation_restart_clock(Simulation *simulation)
{
    simulation->now.time = simulation->now.muscle_offset = 0.0;
    simulation_sync_params(simulation); // a filter's weights depend on the masses
    simulation->last_step = 0.0;
    simulation->now.step_count = 0;
    simulation->now.last = (StepReport){0};
    simulation->now.contacts = 0;
    simulation->now.self = (SelfReadings){0};
    simulation->now.diverged = false;
    simulation->now.diverged_text[0] = '\0';
    simulation_forget(simulation);
    size_t bytes = (size_t)simulation->body.cloth.mesh.dofs * sizeof(double);
    for (int m = 0; m < STIFFNESS_MODES; m++) memset(simulation->body.modes[m], 0, bytes);
    simulation->now.stiffness = (Stiffness){0};
    simulation_update_stiffness(simulation);
    balance_reset(&simulation->now.balance, &simulation->body.cloth);
    watch_start(simulation);
}

static const Integrator *method(const Simulation *simulation)
{
    return simulation->scheme.integrator;
}

static double drop_of(const Cloth *cloth)
{
    double mass = 0.0;
    for (int p = 0; p < cloth->mesh.particle_count; p++) mass += cloth_mass(cloth, p);
    return mass * fmax(cloth->mesh.width, cloth->mesh.height);
}

static SchemeFilter filter_place(const Params *params)
{
    if (params->filter == FILTER_OFF) return SCHEME_UNFILTERED;
    if (params->filter_on == FILTER_FORCE) return SCHEME_FILTER_FORCE;
    return params->filter_place == FILTER_AFTER ? SCHEME_FILTER_AFTER : SCHEME_FILTER_BEFORE;
}

void simulation_sync_params(Simulation *simulation)
{
    const Params *params = &simulation->scene.params;
    simulation->revision++;
    simulation->system = cloth_system_init(&simulation->hooks, &simulation->body.cloth, params);
    simulation->system.contacts = &simulation->contacts;
    simulation->body.cloth.tempo.offset = simulation->now.muscle_offset;
    cloth_system_at(&simulation->hooks, simulation->now.time);
    simulation->scheme = (Scheme){
        .integrator = integrator_table[params->integrator],
        .options =
            {
                .tangent = (Tangent)params->tangent,
                .pcg_tolerance = params->pcg_tolerance,
                .newton_tolerance = params->newton_tolerance,
                .leu_interval =
                    params->leu_interval == PARAM_WORD ? LEU_AUTO : params->leu_interval,
                .leu_speed = LEU_SPEED_SHARE * params->speed_limit,
                .harmonic = (Harmonic)params->harmonic,
                .sequence = params->sequence != 0,
            },
        .filter = filter_place(params),
        .coupling = 1.0,
    };
    simulation->drop = drop_of(&simulation->body.cloth);
    simulation_forget(simulation);
    simulation_update_step_limit(simulation);
}

void simulation_forget(Simulation *simulation)
{
    simulation->now.memory = (StepMemory){.values = simulation->body.memory};
    monitor_rebase(&simulation->now.monitor);
}

void simulation_resume(Simulation *simulation)
{
    StepMemory *memory = &simulation->now.memory;
    memory->values = simulation->body.memory;
    if (memory->valid && method(simulation)->resume)
        method(simulation)->resume(&simulation->system, &simulation->scheme.options, memory);
    cloth_system_at(&simulation->hooks, simulation->now.time);
}

double simulation_next_step(const Simulation *simulation)
{
    const Params *params = &simulation->scene.params;
    if (params->step != PARAM_WORD) return params->step;
    return simulation->automatic_step;
}

Surroundings simulation_surroundings(Simulation *simulation)
{
    const Scene *scene = &simulation->scene;
    return (Surroundings){.ground = scene->params.ground,
                          .count = scene->collider_count,
                          .bodies = scene->colliders,
                          .motions = simulation->now.motions,
                          .held = simulation->now.grabbed_body};
}

// Of a body in the hand. In a step it goes at most a share of its radius, so that it does not jump
// over a cloth, and it goes down to the floor, with room for the cloth below it.
static Vec3 hand_velocity(const Simulation *simulation, const Collider *body, Vec3 centre, double h)
{
    const double share = 0.25;
    Vec3 v = simulation_hand_velocity(simulation, centre, h);
    double speed = vec3_length(v), most = share * body->radius / h;
    if (speed > most) v = vec3_scale(most / speed, v);
    double lowest = simulation->scene.params.ground + collider_drop(body) +
                    collider_thickness(body, simulation->body.cloth.mesh.reach);
    if (centre.y + h * v.y < lowest) v.y = fmax(v.y, fmin((lowest - centre.y) / h, 0.0));
    return v;
}

// Bodies at the end of a step. Free ones fall, symplectic Euler: v' = v - g h,  x' = x + h v'.
static void move_bodies(Simulation *simulation, double h)
{
    const Scene *scene = &simulation->scene;
    Surroundings around = simulation_surroundings(simulation);
    double time = simulation->now.time;
    for (int i = 0; i < scene->collider_count; i++) {
        const Collider *body = &scene->colliders[i];
        ColliderMotion *motion = &simulation->now.motions[i];
        if (simulation->now.grabbed_body == i + 1) {
            motion->velocity = hand_velocity(simulation, body, motion->centre, h);
            motion->spin = (Vec3){0};
        } else if (body->mass > 0.0) {
            motion->velocity.y -= h * scene->params.gravity;
        } else {
            motion->velocity =
                vec3_scale(1.0 / h, vec3_sub(collider_path_offset(&body->path, time + h),
                                             collider_path_offset(&body->path, time)));
        }
        motion->centre = vec3_add_scaled(motion->centre, h, motion->velocity);
    }
    for (int i = 0; i < scene->collider_count; i++) {
        if (scene->colliders[i].mass > 0.0 && simulation->now.grabbed_body != i + 1)
            collide_ball(&around, &simulation->body.cloth.material, i);
    }
}

// Returns the work of floor and bodies, J.
static double meet_surroundings(Simulation *simulation, double h)
{
    Body *body = &simulation->body;
    Surroundings around = simulation_surroundings(simulation);
    contacts_settle(simulation);
    bool where_it_was_left = !simulation->scene.params.self_contact;
    StepStart start = {.x = body->good_x,
                       .v = body->good_v,
                       .h = h,
                       .late = method(simulation)->traits & INTEGRATOR_POSITION_FIRST,
                       .stays_above =
                           where_it_was_left && simulation->hooks.lowest >= around.ground,
                       .motions = body->good_motions};
    ContactReport after = collide(&body->cloth, &around, &start);
    simulation->now.contacts = after.count;
    return after.work + contacts_book(simulation, h);
}

static void swap(double **a, double **b)
{
    double *kept = *a;
    *a = *b;
    *b = kept;
}

// From the state in good_x and good_v.
static void advance(Simulation *simulation, const Step *step)
{
    const Body *body = &simulation->body;
    const Cloth *cloth = &body->cloth;
    bool (*sweep)(const Step *, const double *, const double *, double *, double *) =
        method(simulation)->sweep;
    if (sweep && sweep(step, body->good_x, body->good_v, cloth->x, cloth->v)) return;
    size_t bytes = (size_t)cloth->mesh.dofs * sizeof(double);
    memcpy(cloth->x, body->good_x, bytes);
    memcpy(cloth->v, body->good_v, bytes);
    method(simulation)->advance(step, cloth->x, cloth->v);
}

double simulation_move(Simulation *simulation, double h)
{
    Body *body = &simulation->body;
    Cloth *cloth = &body->cloth;
    memcpy(body->good_motions, simulation->now.motions, sizeof body->good_motions);
    body->good_balance = simulation->now.balance;

    simulation_move_hand(simulation, h);
    move_bodies(simulation, h);
    contacts_gather(simulation, h);
    swap(&cloth->x, &body->good_x);
    swap(&cloth->v, &body->good_v);
    self_contacts_gather(simulation, h);
    cloth_system_at(&simulation->hooks, simulation->now.time);
    const Air air = cloth->air;
    arena_reset(&body->scratch);
    simulation->now.last = (StepReport){0};
    simulation->hooks.lowest = -INFINITY; // not known
    simulation->trace.solves = simulation->trace.count = 0;
    Step step = {.system = &simulation->system,
                 .time = simulation->now.time,
                 .h = h,
                 .options = &simulation->scheme.options,
                 .memory = &simulation->now.memory,
                 .scratch = &body->scratch,
                 .report = &simulation->now.last,
                 .trace = &simulation->trace,
                 .cancel = simulation->cancel,
                 .wants_force = cloth->grabbed >= 0};
    advance(simulation, &step);
    if (simulation->now.last.cancelled) return 0.0;
    simulation->now.last.losses.filtered +=
        cloth_system_filter_step(&simulation->hooks, cloth->x, cloth->v);

    // New positions are the old ones plus h times these velocities: finite when the velocities are.
    const StepReport *last = &simulation->now.last;
    double speed = last->knows_speed ? last->speed : cloth_max_speed(cloth, cloth->v);
    if (!isfinite(speed)) return speed;
    cloth_system_at(&simulation->hooks, simulation->now.time + h);
    BalanceStep taken = {.h = h, .old_x = body->good_x, .old_v = body->good_v, .old_air = air};
    balance_after_step(&simulation->now.balance, cloth, &simulation->now.last, &taken,
                       &body->scratch);
    simulation->now.last.force = NULL;
    simulation->now.last.losses = (StepLosses){0};
    double layers = self_contacts_push(simulation, h);
    double work = meet_surroundings(simulation, h);
    layers += self_contacts_hold(simulation, h);
    if (work != 0.0 || layers != 0.0 || simulation->now.contacts > 0)
        balance_add_contact(&simulation->now.balance, work, layers);
    return speed;
}

// What take_back will need.
static void keep_before(Simulation *simulation)
{
    const Cloth *cloth = &simulation->body.cloth;
    if (!simulation->cancel || !(method(simulation)->traits & INTEGRATOR_IMPLICIT)) return;
    simulation->before = simulation->now;
    if (cloth->grabbed >= 0)
        simulation->before_held = mesh_vector(&cloth->mesh, cloth->v, cloth->grabbed);
}

static Status tell_cancelled(const Simulation *simulation, Error *error)
{
    return error_set(error, STATUS_INTERRUPTED, "step %ld at t = %.4g s was cancelled",
                     simulation->now.step_count + 1, simulation->now.time);
}

// Undo a cancelled step. Positions and velocities are in good_x and good_v, with the hand's
// velocity.
static Status take_back(Simulation *simulation, Error *error)
{
    Body *body = &simulation->body;
    Cloth *cloth = &body->cloth;
    swap(&cloth->x, &body->good_x);
    swap(&cloth->v, &body->good_v);
    if (cloth->grabbed >= 0)
        mesh_set_vector(&cloth->mesh, cloth->v, cloth->grabbed, simulation->before_held);
    simulation->now = simulation->before;
    simulation->last_step = 0.0;
    cloth_system_at(&simulation->hooks, simulation->now.time);
    return tell_cancelled(simulation, error);
}

Status simulation_step(Simulation *simulation, Error *error)
{
    // what is explicit looks nowhere else: its step is short
    if (is_cancelled(simulation->cancel)) return tell_cancelled(simulation, error);
    double start = clock_seconds();
    double h = simulation_next_step(simulation);
    if (good_states_count(&simulation->body.good) == 0) watch_keep(simulation); // the start
    keep_before(simulation);
    double speed = simulation_move(simulation, h);
    if (simulation->now.last.cancelled) return take_back(simulation, error);
    StepOutcome outcome = watch_judge(simulation, h, speed);
    simulation->last_step = outcome == STEP_TAKEN ? h : 0.0;
    if (outcome == STEP_TAKEN) {
        simulation->now.time += h;
        simulation->now.step_count++;
        watch_keep(simulation);
    }
    // after the step, so that simulation_next_step and the readings use the new estimates
    if (outcome != STEP_REFUSED) simulation_refresh_estimates(simulation);
    double cost = clock_seconds() - start;
    simulation->cost += (simulation->cost > 0.0 ? COST_SHARE : 1.0) * (cost - simulation->cost);
    if (outcome != STEP_REFUSED) return STATUS_OK;
    return error_set(error, STATUS_DIVERGED, "%s", simulation->now.diverged_text);
}
