// What a simulation tells about itself. Nothing here changes it.
#include "simulation/simulation_state.h"

#include "cloth/forces.h"
#include "simulation/ripple.h"

double simulation_time(const Simulation *simulation)
{
    return simulation->now.time;
}

int simulation_particle_count(const Simulation *simulation)
{
    return simulation->body.cloth.mesh.particle_count;
}

void simulation_positions_at(const Simulation *simulation, double time, double *positions)
{
    const Body *body = &simulation->body;
    const Cloth *cloth = &body->cloth;
    double h = simulation->last_step, s = 1.0;
    if (h > 0.0) s = 1.0 - (simulation->now.time - time) / h;
    if (!(s > 0.0 && s < 1.0)) s = 1.0;
    // Hermite's cubic
    double r = 1.0 - s, old = r * r * (1.0 + 2.0 * s), new = s *s *(1.0 + 2.0 * r);
    double old_rate = h * s * r * r, new_rate = -h * s * s * r;
    for (int p = 0; p < cloth->mesh.particle_count; p++) {
        Vec3 x = vec3_scale(new, mesh_vector(&cloth->mesh, cloth->x, p));
        x = vec3_add_scaled(x, new_rate, mesh_vector(&cloth->mesh, cloth->v, p));
        if (s < 1.0) {
            x = vec3_add_scaled(x, old, mesh_vector(&cloth->mesh, body->good_x, p));
            x = vec3_add_scaled(x, old_rate, mesh_vector(&cloth->mesh, body->good_v, p));
        }
        positions[3 * p] = x.x, positions[3 * p + 1] = x.y, positions[3 * p + 2] = x.z;
    }
}

uint64_t simulation_mesh_fingerprint(const Simulation *simulation)
{
    return simulation->body.cloth.mesh.fingerprint;
}

const char *simulation_mesh_notice(const Simulation *simulation)
{
    return simulation->body.cloth.mesh.notice;
}

PinToggles simulation_toggled_pins(const Simulation *simulation)
{
    return simulation->now.toggled_pins;
}

double simulation_last_step(const Simulation *simulation)
{
    return simulation->last_step;
}

unsigned simulation_topology(const Simulation *simulation)
{
    return simulation->topology_version;
}

void simulation_set_topology(Simulation *simulation, unsigned version)
{
    simulation->topology_version = version;
}

const StepReport *simulation_last_report(const Simulation *simulation)
{
    return &simulation->now.last;
}

double simulation_step_cost(const Simulation *simulation)
{
    return simulation->cost;
}

const Params *simulation_params(const Simulation *simulation)
{
    return &simulation->scene.params;
}

const Autopsy *simulation_autopsy(const Simulation *simulation)
{
    bool diverged = simulation->now.diverged && simulation->now.autopsy.present;
    return diverged ? &simulation->now.autopsy : NULL;
}

unsigned simulation_divergences(const Simulation *simulation)
{
    return simulation->now.autopsy.serial;
}

const Monitor *simulation_monitor(const Simulation *simulation)
{
    return &simulation->now.monitor;
}

Energy simulation_energy(const Simulation *simulation)
{
    const Cloth *cloth = &simulation->body.cloth;
    return (Energy){.kinetic = cloth_kinetic_energy(cloth, cloth->v),
                    .elastic = cloth_elastic_energy(cloth, cloth->x),
                    .gravity = cloth_gravity_energy(cloth, cloth->x)};
}

void simulation_grid(const Simulation *simulation, int *rows, int *columns)
{
    *rows = simulation->body.cloth.mesh.rows;
    *columns = simulation->body.cloth.mesh.columns;
}

static void copy_vector(Vec3 from, float to[3])
{
    to[0] = (float)from.x;
    to[1] = (float)from.y;
    to[2] = (float)from.z;
}

void simulation_motion(const Simulation *simulation, int particle, float v[3], float x[3])
{
    const Cloth *cloth = &simulation->body.cloth;
    copy_vector(mesh_vector(&cloth->mesh, cloth->v, particle), v);
    if (x) copy_vector(mesh_vector(&cloth->mesh, cloth->x, particle), x);
}

double simulation_ripple(const Simulation *simulation)
{
    return ripple_energy(&simulation->body.cloth, simulation->body.cloth.v);
}

Readings simulation_readings(const Simulation *simulation)
{
    const Cloth *cloth = &simulation->body.cloth;
    Energy energy = simulation_energy(simulation);
    return (Readings){
        .time = simulation->now.time,
        .step_count = simulation->now.step_count,
        .step = simulation_next_step(simulation),
        .k0 = simulation->now.stiffness.k0,
        .k0_time = simulation->now.stiffness_time,
        .limit = simulation->limit,
        .alpha = simulation->system.alpha,
        .energy = energy,
        .balance = balance_read(&simulation->now.balance, energy_total(energy)),
        .contacts = simulation->now.contacts,
        .max_speed = cloth_max_speed(cloth, cloth->v),
        .max_strain = cloth_max_strain(cloth, cloth->x),
        .cost = simulation->cost,
        .last = simulation->now.last,
    };
}
