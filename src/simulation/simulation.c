#include "simulation/simulation_state.h"

#include "analysis/stable_step.h"
#include "base/clock.h"
#include "cloth/collide.h"
#include "cloth/forces.h"
#include "integrators/amplification.h"
#include "integrators/automatic_alpha.h"
#include "simulation/combination.h"
#include "simulation/scene_start.h"
#include "simulation/watch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// s of simulated time between two estimates of k0: a falling cloth changes it by a third in about a
// second, and the safety factor covers what happens in between.
#define K0_INTERVAL 0.1
// The same for k_across: tension changes as fast as waves run through the cloth.
#define ACROSS_INTERVAL 0.01
// Products per estimate of k0: 1 % low from a cold start, far better from a warm one.
enum { K0_PRODUCTS = 8, K0_PRODUCTS_COLD = 30 };
// Of k_across: with 8 a mode that had just taken over was missed by a fifth.
enum { ACROSS_PRODUCTS = 16 };
// A speed above this share of the limit is a sign that leu's linearisation is too old: 25 m/s with
// the default limit, which no cloth of ours reaches by itself.
#define LEU_SPEED_SHARE 0.25
// Share of the newest step in the smoothed cost.
#define COST_SHARE 0.05

static size_t scratch_size(int dofs)
{
    size_t size = stable_step_scratch_size(dofs, K0_PRODUCTS_COLD);
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
    free(body->stiffest);
    free(body->across);
    free(body->memory);
    free(body->mode);
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
    body->good_x = calloc(dofs, sizeof(double));
    body->good_v = calloc(dofs, sizeof(double));
    body->stiffest = calloc(dofs, sizeof(double));
    body->across = calloc(dofs, sizeof(double));
    body->memory_size = memory_size(body->cloth.mesh.dofs);
    body->memory = calloc(body->memory_size, sizeof(double));
    body->mode = calloc(dofs, sizeof(double));
    if (!body->good_x || !body->good_v || !body->stiffest || !body->across || !body->memory ||
        !body->mode) {
        status =
            error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for a cloth of %d particles",
                      body->cloth.mesh.particle_count);
    }
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
    const char *refusal = simulation_refusal(&checked);
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

Status simulation_rebuild(Simulation *simulation, const Scene *scene, const KnownMesh *known,
                          Error *error)
{
    Body body;
    Status status = body_init(&body, scene, known, error);
    if (status != STATUS_OK) return status;
    body_finish(&simulation->body);
    simulation->body = body;
    simulation->scene = *scene;
    simulation->topology_version++;
    simulation->cost = 0.0;
    simulation_sync_params(simulation);
    simulation_start_over(simulation);
    return STATUS_OK;
}

void simulation_start_over(Simulation *simulation)
{
    scene_place(&simulation->scene, &simulation->body.cloth);
    simulation->now.toggled_pins = simulation->scene.toggled_pins;
    simulation_restart_clock(simulation);
}

void simulation_restart_clock(Simulation *simulation)
{
    simulation_sync_params(simulation); // a filter's weights depend on the masses
    simulation->now.time = 0.0;
    simulation->now.step_count = 0;
    simulation->now.last = (StepReport){0};
    simulation->now.diverged = false;
    simulation->now.diverged_text[0] = '\0';
    simulation_forget(simulation);
    size_t bytes = (size_t)simulation->body.cloth.mesh.dofs * sizeof(double);
    memset(simulation->body.stiffest, 0, bytes);
    memset(simulation->body.across, 0, bytes);
    simulation->now.k0 = simulation->now.k_across = 0.0;
    simulation_update_k0(simulation);
    balance_reset(&simulation->now.balance, &simulation->body.cloth);
    watch_start(simulation);
}

static const Integrator *method(const Simulation *simulation)
{
    return integrator_table[simulation->scene.params.integrator];
}

static bool is_explicit_across(const Simulation *simulation)
{
    return method(simulation)->traits & INTEGRATOR_EXPLICIT_ACROSS;
}

double simulation_lowest_symbol(const Simulation *simulation)
{
    if (!simulation->hooks.filters_afterwards) return 1.0;
    // half strength keeps at least half of a velocity, the other forms may take all of it
    return simulation->scene.params.filter_form == FILTER_HALF ? 0.5 : 0.0;
}

// What follows from k0: the automatic alpha and step, and the limit for the alpha in use.
static void update_step_limit(Simulation *simulation)
{
    const Params *params = &simulation->scene.params;
    const Integrator *integrator = method(simulation);
    const StepOptions *options = &simulation->options;
    double k0 = simulation->now.k0, air = params->air;
    double symbol = simulation_lowest_symbol(simulation);
    double across = is_explicit_across(simulation)
                        ? stable_step_across_limit(simulation->now.k_across, air, symbol)
                        : INFINITY;
    bool follows = params->alpha == PARAM_WORD;
    if (follows) { // first the step that some alpha allows, then that alpha
        double largest = fmin(across, automatic_alpha_step_limit(integrator, options, k0, air));
        simulation->automatic_step = stable_step_automatic(integrator, largest, k0, params->safety);
        double h = params->step == PARAM_WORD ? simulation->automatic_step : params->step;
        simulation->system.alpha = simulation->body.cloth.material.alpha =
            automatic_alpha(integrator, options, (AlphaRule)params->alpha_rule, h, k0, air);
    }
    double alpha = simulation->system.alpha;
    double limit = simulation->hooks.filters_afterwards
                       ? step_limit_filtered_after(integrator, options, k0, air, alpha, symbol)
                       : integrator_step_limit(integrator, options, k0, air, alpha);
    simulation->step_limit = fmin(limit, across);
    if (!follows) {
        simulation->automatic_step =
            stable_step_automatic(integrator, simulation->step_limit, k0, params->safety);
    }
}

static double drop_of(const Cloth *cloth)
{
    double mass = 0.0;
    for (int p = 0; p < cloth->mesh.particle_count; p++) mass += cloth_mass(cloth, p);
    return mass * fmax(cloth->mesh.width, cloth->mesh.height);
}

void simulation_sync_params(Simulation *simulation)
{
    const Params *params = &simulation->scene.params;
    simulation->revision++;
    simulation->system = cloth_system_init(&simulation->hooks, &simulation->body.cloth, params);
    simulation->options = (StepOptions){
        .tangent = (Tangent)params->tangent,
        .pcg_tolerance = params->pcg_tolerance,
        .newton_tolerance = params->newton_tolerance,
        .leu_interval = params->leu_interval == PARAM_WORD ? LEU_AUTO : params->leu_interval,
        .leu_speed = LEU_SPEED_SHARE * params->speed_limit,
        .harmonic = (Harmonic)params->harmonic,
        .sequence = params->sequence != 0,
    };
    simulation->drop = drop_of(&simulation->body.cloth);
    simulation_forget(simulation);
    update_step_limit(simulation);
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
        method(simulation)->resume(&simulation->system, &simulation->options, memory);
}

static void update_across(Simulation *simulation)
{
    if (!is_explicit_across(simulation)) return;
    Body *body = &simulation->body;
    arena_reset(&body->scratch);
    int products = simulation->now.k_across > 0.0 ? ACROSS_PRODUCTS : K0_PRODUCTS_COLD;
    AcrossMode mode = stable_step_across(&simulation->system, body->cloth.x, 1.0, products,
                                         body->across, &body->scratch);
    simulation->now.k_across = fmax(mode.k, 0.0);
    simulation->now.across_time = simulation->now.time;
}

void simulation_update_k0(Simulation *simulation)
{
    Body *body = &simulation->body;
    arena_reset(&body->scratch);
    int products = simulation->now.k0 > 0.0 ? K0_PRODUCTS : K0_PRODUCTS_COLD;
    LanczosReport report = stable_step_k0(&simulation->system, body->cloth.x, products,
                                          body->stiffest, &body->scratch);
    // With nothing free, or all springs slack, there is no stiff mode: k0 = 0.
    simulation->now.k0 = isfinite(report.value) ? fmax(report.value, 0.0) : 0.0;
    simulation->now.k0_time = simulation->now.time;
    simulation->now.k0_due = false;
    update_across(simulation);
    update_step_limit(simulation);
}

// After a step: what has grown old is estimated anew.
static void refresh_estimates(Simulation *simulation)
{
    if (simulation->now.k0_due || simulation->now.time - simulation->now.k0_time >= K0_INTERVAL) {
        simulation_update_k0(simulation);
    } else if (is_explicit_across(simulation) &&
               simulation->now.time - simulation->now.across_time >= ACROSS_INTERVAL) {
        update_across(simulation);
        update_step_limit(simulation);
    }
}

double simulation_next_step(const Simulation *simulation)
{
    const Params *params = &simulation->scene.params;
    if (params->step != PARAM_WORD) return params->step;
    return simulation->automatic_step;
}

double simulation_time(const Simulation *simulation)
{
    return simulation->now.time;
}

double simulation_move(Simulation *simulation, double h)
{
    const Params *params = &simulation->scene.params;
    Body *body = &simulation->body;
    Cloth *cloth = &body->cloth;
    size_t bytes = (size_t)cloth->mesh.dofs * sizeof(double);
    memcpy(body->good_x, cloth->x, bytes);
    memcpy(body->good_v, cloth->v, bytes);
    body->good_balance = simulation->now.balance;

    simulation_move_hand(simulation, h);
    arena_reset(&body->scratch);
    balance_before_step(&simulation->now.balance, &simulation->hooks, &body->scratch);
    arena_reset(&body->scratch);
    simulation->now.last = (StepReport){0};
    Step step = {.system = &simulation->system,
                 .h = h,
                 .options = &simulation->options,
                 .memory = &simulation->now.memory,
                 .scratch = &body->scratch,
                 .report = &simulation->now.last};
    method(simulation)->advance(&step, cloth->x, cloth->v);
    cloth_system_filter_step(&simulation->hooks, cloth->x, cloth->v);

    // Positions are old ones plus h times these velocities: bounded when the velocities are.
    double speed = cloth_max_speed(cloth, cloth->v);
    if (!isfinite(speed)) return speed;
    balance_after_step(&simulation->now.balance, &simulation->hooks, &simulation->now.last, h,
                       body->good_x, body->good_v, &body->scratch);
    simulation->now.last.force = NULL;
    balance_add_contact(&simulation->now.balance, collide_floor(cloth, params->ground));
    return speed;
}

Status simulation_step(Simulation *simulation, Error *error)
{
    double start = clock_seconds();
    double h = simulation_next_step(simulation);
    if (good_states_count(&simulation->body.good) == 0) watch_keep(simulation); // the beginning
    StepOutcome outcome = watch_judge(simulation, h, simulation_move(simulation, h));
    if (outcome == STEP_TAKEN) {
        simulation->now.time += h;
        simulation->now.step_count++;
        watch_keep(simulation);
    }
    // after the step, so that simulation_next_step and the readings already know
    if (outcome != STEP_REFUSED) refresh_estimates(simulation);
    double cost = clock_seconds() - start;
    simulation->cost += (simulation->cost > 0.0 ? COST_SHARE : 1.0) * (cost - simulation->cost);
    if (outcome != STEP_REFUSED) return STATUS_OK;
    return error_set(error, STATUS_DIVERGED, "%s", simulation->now.diverged_text);
}

uint64_t simulation_mesh_fingerprint(const Simulation *simulation)
{
    return simulation->body.cloth.mesh.fingerprint;
}

const Params *simulation_params(const Simulation *simulation)
{
    return &simulation->scene.params;
}

Readings simulation_readings(const Simulation *simulation)
{
    const Cloth *cloth = &simulation->body.cloth;
    Energy energy = {.kinetic = cloth_kinetic_energy(cloth, cloth->v),
                     .elastic = cloth_elastic_energy(cloth, cloth->x),
                     .gravity = cloth_gravity_energy(cloth, cloth->x)};
    return (Readings){
        .time = simulation->now.time,
        .step_count = simulation->now.step_count,
        .step = simulation_next_step(simulation),
        .k0 = simulation->now.k0,
        .k0_time = simulation->now.k0_time,
        .step_limit = simulation->step_limit,
        .alpha = simulation->system.alpha,
        .energy = energy,
        .balance = balance_read(&simulation->now.balance, energy_total(energy)),
        .max_speed = cloth_max_speed(cloth, cloth->v),
        .max_strain = cloth_max_strain(cloth, cloth->x),
        .cost = simulation->cost,
        .last = simulation->now.last,
    };
}
