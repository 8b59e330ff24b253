#include "simulation/self_contacts.h"

#include "cloth/forces.h"

#include <string.h>

Status self_contacts_prepare(Body *body, const Params *params, Error *error)
{
    if (!params->self_contact || body->self.capacity > 0) return STATUS_OK;
    return self_contact_init(&body->self, &body->cloth.mesh, error);
}

static bool is_on(Simulation *simulation)
{
    bool on = simulation->scene.params.self_contact && simulation->body.self.capacity > 0;
    if (!on) simulation->now.self = (SelfReadings){0};
    return on;
}

static SelfState state_of(const Simulation *simulation)
{
    return (SelfState){simulation->body.self_seen, simulation->now.self.reach};
}

// Nothing is held, and nothing touched floor or bodies in the last step.
static bool floats(const Simulation *simulation)
{
    const Cloth *cloth = &simulation->body.cloth;
    return simulation->now.contacts == 0 && cloth->grabbed < 0 &&
           !memchr(cloth->pinned, true, (size_t)cloth->mesh.particle_count);
}

// As for floor and bodies: the springs' energy counts under implicit methods, whose steps are long.
static bool counts_springs(const Simulation *simulation)
{
    return simulation->scheme.integrator->traits & INTEGRATOR_IMPLICIT;
}

double self_contacts_push(Simulation *simulation, double h)
{
    if (!is_on(simulation)) return 0.0;
    Body *body = &simulation->body;
    Cloth *cloth = &body->cloth;
    SelfState state = state_of(simulation);
    bool counts = counts_springs(simulation);
    double elastic = counts ? cloth_elastic_energy(cloth, cloth->x) : 0.0;
    SelfReport report =
        self_contact_push(&body->self, cloth, &state, body->good_x, h, floats(simulation));
    simulation->now.self = (SelfReadings){.reach = state.reach, .pairs = report.pairs};
    if (counts) report.work += cloth_elastic_energy(cloth, cloth->x) - elastic;
    return report.work;
}

double self_contacts_hold(Simulation *simulation)
{
    if (!is_on(simulation)) return 0.0;
    Body *body = &simulation->body;
    SelfReport report = {0};
    self_contact_hold(&body->self, &body->cloth, body->good_x, &report);
    SelfReadings *now = &simulation->now.self;
    now->held_back = report.held_back;
    now->crossings = body->self.crossings;
    now->full = body->self.full || body->self.crowded;
    return report.work;
}
