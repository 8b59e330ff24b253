#include "lab/simulation_probe.h"

#include "cloth/collide.h"

#include <math.h>
#include <string.h>

// A difference of two steps needs them solved well; but Newton's residual starts at the size of the
// perturbation, and must not be asked for less than rounding.
#define PCG_TOLERANCE 1e-12
#define NEWTON_TOLERANCE 1e-6
// So close to the floor a particle counts as lying on it, in units of the spacing.
#define CONTACT 1e-6
#define OUT_OF_REACH (-1e6) // m
// As many as the simulation has room for.
enum { ACROSS_PRODUCTS = 30 };

static size_t flat_bytes(const Simulation *simulation)
{
    return (size_t)simulation->body.cloth.mesh.dofs * sizeof(double);
}

SimulationProbe simulation_probe_begin(Simulation *simulation, double h, double *x, double *v,
                                       double *extra)
{
    SimulationProbe probe = {.simulation = simulation,
                             .params = simulation->scene.params,
                             .balance = simulation->now.balance,
                             .last = simulation->now.last,
                             .hand = simulation->now.hand,
                             .x = x,
                             .v = v,
                             .extra = extra};
    memcpy(x, simulation->body.cloth.x, flat_bytes(simulation));
    memcpy(v, simulation->body.cloth.v, flat_bytes(simulation));
    Params *params = &simulation->scene.params;
    params->step = h;
    params->pcg_tolerance = PCG_TOLERANCE;
    params->newton_tolerance = NEWTON_TOLERANCE;
    params->ground = OUT_OF_REACH; // hold_contacts does it
    int grabbed = simulation->body.cloth.grabbed;
    if (grabbed >= 0) { // the hand holds still, too
        simulation->now.hand = mesh_vector(&simulation->body.cloth.mesh, x, grabbed);
    }
    simulation_sync_params(simulation);
    return probe;
}

void simulation_probe_set_step(SimulationProbe *probe, double h)
{
    probe->simulation->scene.params.step = h;
}

void simulation_probe_end(SimulationProbe *probe)
{
    Simulation *simulation = probe->simulation;
    memcpy(simulation->body.cloth.x, probe->x, flat_bytes(simulation));
    memcpy(simulation->body.cloth.v, probe->v, flat_bytes(simulation));
    simulation->scene.params = probe->params;
    simulation_sync_params(simulation);
    simulation->now.balance = probe->balance;
    simulation->now.last = probe->last;
    simulation->now.hand = probe->hand;
}

// The floor is a kink: what lies on it stays there, whichever way it is perturbed, because what
// presses it down is more than a perturbation. v.y is 0 then, not only if it pointed down.
static void hold_contacts(SimulationProbe *probe)
{
    Cloth *cloth = &probe->simulation->body.cloth;
    const Mesh *mesh = &cloth->mesh;
    double ground = probe->params.ground, contact = ground + CONTACT * mesh->spacing;
    for (int p = 0; p < mesh->particle_count; p++) {
        if (mesh_vector(mesh, probe->x, p).y > contact || cloth_is_held(cloth, p)) continue;
        collide_particle(cloth, p, ground);
        Vec3 v = mesh_vector(mesh, cloth->v, p);
        mesh_set_vector(mesh, cloth->v, p, (Vec3){v.x, 0.0, v.z});
    }
}

static bool step(void *self, double *x, double *v)
{
    SimulationProbe *probe = self;
    Simulation *simulation = probe->simulation;
    Cloth *cloth = &simulation->body.cloth;
    simulation_forget(simulation);
    memcpy(cloth->x, x, flat_bytes(simulation));
    memcpy(cloth->v, v, flat_bytes(simulation));
    simulation->hooks.extra = probe->extra;
    double speed = simulation_move(simulation, simulation->scene.params.step);
    simulation->hooks.extra = NULL;
    if (!isfinite(speed)) return false;
    hold_contacts(probe);
    memcpy(x, cloth->x, flat_bytes(simulation));
    memcpy(v, cloth->v, flat_bytes(simulation));
    return true;
}

// extra = -f(x, 0). Springs taken in sequence come to rest where f is not 0, so nothing is added to
// them.
static void hold_in_balance(SimulationProbe *probe)
{
    const Simulation *simulation = probe->simulation;
    const System *system = &simulation->system;
    memset(simulation->body.cloth.v, 0, flat_bytes(simulation));
    memset(probe->extra, 0, flat_bytes(simulation)); // also between the rows
    unsigned traits = integrator_table[simulation->scene.params.integrator]->traits;
    if ((traits & INTEGRATOR_NEEDS_SPRINGS) && simulation->options.sequence) return;
    system->forces(system->self, probe->x, simulation->body.cloth.v, probe->extra);
    for (int i = 0; i < system->dofs; i++) probe->extra[i] = -probe->extra[i];
}

StepMapProblem simulation_probe_problem(SimulationProbe *probe)
{
    const Simulation *simulation = probe->simulation;
    hold_in_balance(probe);
    return (StepMapProblem){.system = &simulation->system,
                            .x = probe->x,
                            .h = simulation->scene.params.step,
                            .length = simulation->body.cloth.mesh.spacing,
                            .step = step,
                            .self = probe};
}

static SchemeFilter filter_place(const Params *params)
{
    if (params->filter == FILTER_OFF) return SCHEME_UNFILTERED;
    if (params->filter_on == FILTER_FORCE) return SCHEME_FILTER_FORCE;
    return params->filter_place == FILTER_AFTER ? SCHEME_FILTER_AFTER : SCHEME_FILTER_BEFORE;
}

static double stiffest_spring(const System *system)
{
    double largest = 0.0;
    for (int s = 0; system->springs && s < system->springs->count; s++) {
        const int *ends = system->springs->ends[s];
        double inverse = system->inverse_mass[system->first_dof[ends[0]]] +
                         system->inverse_mass[system->first_dof[ends[1]]];
        largest = fmax(largest, inverse * system->springs->stiffness[s]);
    }
    return largest;
}

SimulationView simulation_view(Simulation *simulation)
{
    const Params *params = &simulation->scene.params;
    return (SimulationView){
        .system = &simulation->system,
        .x = simulation->body.cloth.x,
        .time = simulation->now.time,
        .step = simulation_next_step(simulation),
        .scheme = {.integrator = integrator_table[params->integrator],
                   .options = simulation->options,
                   .filter = filter_place(params),
                   .coupling = 1.0},
        .lowest_symbol = simulation_lowest_symbol(simulation),
        .params = params,
        .stiffest_spring = stiffest_spring(&simulation->system),
    };
}

AcrossMode simulation_across(Simulation *simulation, double share, double *mode)
{
    Body *body = &simulation->body;
    arena_reset(&body->scratch);
    return stable_step_across(&simulation->system, body->cloth.x, share, ACROSS_PRODUCTS, mode,
                              &body->scratch);
}

void simulation_filter(void *self, const double *x, double *v)
{
    Simulation *simulation = self;
    if (simulation->scene.params.filter == FILTER_OFF) return;
    filter_velocities(&simulation->body.cloth, x, v);
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
