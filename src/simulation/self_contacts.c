#include "simulation/self_contacts.h"

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
    const SelfReadings *now = &simulation->now.self;
    bool suspect = now->reach == 0.0 || now->crossings > 0 || now->full;
    const Body *body = &simulation->body;
    return (SelfState){body->self_seen, body->self_seen + body->cloth.mesh.dofs, now->reach,
                       suspect};
}

// Nothing is held, and nothing touched floor or bodies in the last step.
static bool floats(const Simulation *simulation)
{
    const Cloth *cloth = &simulation->body.cloth;
    return simulation->now.contacts == 0 && cloth->grabbed < 0 &&
           !memchr(cloth->pinned, true, (size_t)cloth->mesh.particle_count);
}

static SelfStep step_of(const Simulation *simulation, double h)
{
    const Body *body = &simulation->body;
    return (SelfStep){body->good_x, body->good_v, h, floats(simulation)};
}

double self_contacts_push(Simulation *simulation, double h)
{
    if (!is_on(simulation)) return 0.0;
    Body *body = &simulation->body;
    SelfState state = state_of(simulation);
    SelfStep step = step_of(simulation, h);
    SelfReport report = self_contact_push(&body->self, &body->cloth, &state, &step);
    simulation->now.self = (SelfReadings){.reach = state.reach, .pairs = report.pairs};
    return report.work;
}

double self_contacts_hold(Simulation *simulation, double h)
{
    if (!is_on(simulation)) return 0.0;
    Body *body = &simulation->body;
    SelfReport report = {0};
    SelfStep step = step_of(simulation, h);
    self_contact_hold(&body->self, &body->cloth, &step, &report);
    SelfReadings *now = &simulation->now.self;
    now->held_back = report.held_back;
    now->crossings = body->self.crossings;
    now->full = body->self.full || body->self.crowded;
    return report.work;
}
