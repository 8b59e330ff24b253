#include "simulation/probe.h"

#include "simulation/contacts.h"

#include <math.h>
#include <string.h>

// A difference of two steps needs accurate solves. But Newton's residual starts at the size of the
// perturbation, so its tolerance must stay above rounding.
#define PCG_TOLERANCE 1e-12
#define NEWTON_TOLERANCE 1e-6
#define OUT_OF_REACH (-1e6) // m

SimulationView simulation_view(Simulation *simulation)
{
    SchemeFilter place = simulation->scheme.filter;
    bool filtered = place != SCHEME_UNFILTERED;
    bool by_filter = filtered && place != SCHEME_FILTER_AFTER;
    return (SimulationView){
        .system = &simulation->system,
        .x = simulation->body.cloth.x,
        .time = simulation->now.time,
        .step = simulation_next_step(simulation),
        .scheme = simulation->scheme,
        .stiffness = simulation->now.stiffness,
        .limit = simulation->limit,
        .filter = {.apply = filtered ? cloth_system_filter : NULL, .self = &simulation->hooks},
        .params = &simulation->scene.params,
        .spacing = simulation->body.cloth.mesh.spacing,
        .across = simulation->body.modes[STIFFNESS_ACROSS],
        .decisive = simulation->body.modes[by_filter ? STIFFNESS_DECISIVE : STIFFNESS_K0],
        .stiffest_spring = stiffness_of_spring(&simulation->system),
    };
}

static void set_stiffness(Simulation *simulation, const Params *params)
{
    Material material = simulation->body.cloth.material;
    material.stiffness[SPRING_STRETCH] = params->stretch;
    material.stiffness[SPRING_SHEAR] = params->shear;
    material.stiffness[SPRING_BEND] = params->bend;
    cloth_set_material(&simulation->body.cloth, material);
}

double simulation_stiffness_quotient(Simulation *simulation, const Params *params, const double *p,
                                     double *work)
{
    const System *system = &simulation->system;
    set_stiffness(simulation, params);
    system->stiffness_product_at(system->self, simulation->body.cloth.x, TANGENT_FULL, p, work);
    set_stiffness(simulation, &simulation->scene.params);
    double sum = 0.0;
    for (int i = 0; i < system->dofs; i++) {
        if (system->inverse_mass[i] > 0.0) sum += p[i] * work[i];
    }
    return sum;
}

void simulation_particles(const Simulation *simulation, const double *flat, float *out)
{
    const Mesh *mesh = &simulation->body.cloth.mesh;
    for (int p = 0; p < mesh->particle_count; p++) {
        Vec3 at = mesh_vector(mesh, flat, p);
        out[3 * p] = (float)at.x;
        out[3 * p + 1] = (float)at.y;
        out[3 * p + 2] = (float)at.z;
    }
}

static size_t flat_bytes(const Simulation *simulation)
{
    return (size_t)simulation->body.cloth.mesh.dofs * sizeof(double);
}

// The impulses of springs in a step from rest, without a filter, as a force: not those of `forces`.
static void impulse_forces(SimulationProbe *probe, double *f)
{
    Simulation *simulation = probe->simulation;
    Cloth *cloth = &simulation->body.cloth;
    System unfiltered = simulation->system;
    unfiltered.filter = NULL;
    StepReport report = {0};
    Step step = {.system = &unfiltered,
                 .time = simulation->now.time,
                 .h = probe->h,
                 .options = &simulation->scheme.options,
                 .memory = &simulation->now.memory,
                 .scratch = &simulation->body.scratch,
                 .report = &report};
    memcpy(cloth->x, probe->x, flat_bytes(simulation));
    arena_reset(step.scratch);
    simulation->scheme.integrator->advance(&step, cloth->x, cloth->v);
    for (int i = 0; i < unfiltered.dofs; i++) f[i] = unfiltered.mass[i] * cloth->v[i] / probe->h;
}

// extra = -f(x, 0). Springs taken in sequence see each other's impulses: no constant force holds
// them, and they get none.
static void hold_in_balance(SimulationProbe *probe)
{
    const Simulation *simulation = probe->simulation;
    const System *system = &simulation->system;
    bool by_impulses = simulation->scheme.integrator->traits & INTEGRATOR_NEEDS_SPRINGS;
    memset(simulation->body.cloth.v, 0, flat_bytes(simulation));
    memset(probe->extra, 0, flat_bytes(simulation)); // including the padding between rows
    if (by_impulses && simulation->scheme.options.sequence) return;
    if (by_impulses)
        impulse_forces(probe, probe->extra);
    else
        system->forces(system->self, probe->x, simulation->body.cloth.v, probe->extra);
    for (int i = 0; i < system->dofs; i++) probe->extra[i] = -probe->extra[i];
}

Status simulation_probe_begin(Simulation *simulation, double h, State *saved, double *extra,
                              SimulationProbe *probe, Error *error)
{
    Status status = state_save(simulation, saved, error);
    if (status != STATUS_OK) return status;
    Params *params = &simulation->scene.params;
    *probe = (SimulationProbe){.simulation = simulation,
                               .saved = saved,
                               .x = state_positions(saved),
                               .extra = extra,
                               .around = simulation_surroundings(simulation),
                               .h = h};
    params->pcg_tolerance = PCG_TOLERANCE;
    params->newton_tolerance = NEWTON_TOLERANCE;
    // The solution is the same with either tangent. So near to it the full one needs a solve or two
    // where the clamped one needs dozens.
    if (simulation->scheme.integrator->traits & INTEGRATOR_CONVERGES)
        params->tangent = TANGENT_FULL;
    contacts_hold(simulation);
    params->self_contact = 0;      // not a part of the linear map
    params->ground = OUT_OF_REACH; // hold_contacts replaces floor and bodies
    simulation->scene.collider_count = 0;
    int grabbed = simulation->body.cloth.grabbed;
    if (grabbed >= 0) { // the hand holds still too
        simulation->now.hand = mesh_vector(&simulation->body.cloth.mesh, probe->x, grabbed);
    }
    params->step = h; // an automatic alpha depends on it
    simulation_sync_params(simulation);
    cloth_system_hold_still(&simulation->hooks, probe->x);
    hold_in_balance(probe);
    return STATUS_OK;
}

void simulation_probe_set_tolerance(SimulationProbe *probe, double pcg, double newton)
{
    Simulation *simulation = probe->simulation;
    simulation->scene.params.pcg_tolerance = simulation->scheme.options.pcg_tolerance = pcg;
    simulation->scene.params.newton_tolerance = simulation->scheme.options.newton_tolerance =
        newton;
}

void simulation_probe_set_step(SimulationProbe *probe, double h)
{
    probe->h = h;
    hold_in_balance(probe);
}

// The cloth is the same, so nothing is rebuilt and this cannot fail.
void simulation_probe_end(SimulationProbe *probe)
{
    contacts_release(probe->simulation);
    state_restore(probe->saved, probe->simulation, NULL);
}

// A surface is a kink. A particle on it stays on it under any perturbation, because the force that
// presses it there is larger. So its velocity across becomes 0, not only when it points inwards,
// and with friction the particle sticks.
static void hold_contacts(SimulationProbe *probe, const double *old_x)
{
    Cloth *cloth = &probe->simulation->body.cloth;
    const Mesh *mesh = &cloth->mesh;
    bool sticks = cloth->material.friction > 0.0;
    for (int p = 0; p < mesh->particle_count; p++) {
        Surface surface;
        Vec3 place = mesh_vector(mesh, probe->x, p);
        if (cloth_is_held(cloth, p) || !collide_touches(cloth, &probe->around, place, &surface))
            continue;
        Vec3 normal = surface.normal;
        place = vec3_add_scaled(place, -surface.gap, normal);
        Vec3 x = mesh_vector(mesh, sticks ? old_x : cloth->x, p),
             v = mesh_vector(mesh, cloth->v, p);
        x = vec3_add_scaled(x, -vec3_dot(vec3_sub(x, place), normal), normal);
        v = vec3_add_scaled(v, -vec3_dot(v, normal), normal);
        mesh_set_vector(mesh, cloth->x, p, x);
        mesh_set_vector(mesh, cloth->v, p, sticks ? (Vec3){0} : v);
    }
}

bool simulation_probe_step(SimulationProbe *probe, double *x, double *v)
{
    Simulation *simulation = probe->simulation;
    Cloth *cloth = &simulation->body.cloth;
    if (is_cancelled(simulation->cancel)) return false;
    simulation_forget(simulation);
    simulation->now.balance.forces_known = 0; // nothing pulled before, so the hand does not slip
    memcpy(cloth->x, x, flat_bytes(simulation));
    memcpy(cloth->v, v, flat_bytes(simulation));
    simulation->hooks.extra = probe->extra;
    double speed = simulation_move(simulation, probe->h);
    simulation->hooks.extra = NULL;
    if (!isfinite(speed)) return false;
    hold_contacts(probe, x);
    memcpy(x, cloth->x, flat_bytes(simulation));
    memcpy(v, cloth->v, flat_bytes(simulation));
    return true;
}
