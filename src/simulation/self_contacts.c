#include "simulation/self_contacts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Share of the thickness that pairs may lack after an implicit step. Where they lack it in every
// step, they come too near and are moved apart as fast as that, by the step itself.
#define SLACK 2e-4
// Of the speed that gravity gives in a step: what slides slower has no direction.
#define CREEP 1e-2

Status self_contacts_prepare(Body *body, const Params *params, Error *error)
{
    if (!params->self_contact || body->self.capacity > 0) return STATUS_OK;
    Status status = self_contact_init(&body->self, &body->cloth.mesh, error);
    if (status != STATUS_OK) return status;
    body->self_pairs = calloc((size_t)body->self.touch_capacity, sizeof *body->self_pairs);
    if (body->self_pairs) return STATUS_OK;
    self_contact_finish(&body->self);
    return error_set(error, STATUS_OUT_OF_MEMORY,
                     "not enough memory for the contacts of %d particles with each other",
                     body->cloth.mesh.particle_count);
}

// A rope has no triangles that could meet.
static bool is_on(Simulation *simulation)
{
    const Body *body = &simulation->body;
    bool on = simulation->scene.params.self_contact && body->self.capacity > 0 &&
              body->cloth.mesh.triangle_count > 0;
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

static double slack_of(const Mesh *mesh) // m
{
    return SLACK * self_contact_thickness(mesh);
}

static SelfStep step_of(const Simulation *simulation, double h)
{
    const Body *body = &simulation->body;
    unsigned traits = simulation->scheme.integrator->traits;
    return (SelfStep){.old_x = body->good_x,
                      .old_v = body->good_v,
                      .h = h,
                      .floats = floats(simulation),
                      .late = traits & INTEGRATOR_POSITION_FIRST,
                      .slack = traits & INTEGRATOR_IMPLICIT ? slack_of(&body->cloth.mesh) : 0.0};
}

static ContactPair pair_of(const SelfContact *self, const Mesh *mesh, const SelfTouch *touch,
                           double h)
{
    double least = self_apart(touch->left, h) - fmax(touch->left, 0.0);
    ContactPair pair = {.inverse = touch->W, .normal = touch->normal, .least = least / h};
    for (int i = 0; i < 4; i++) {
        const SelfMover *mover = &self->movers[touch->mover[i]];
        pair.first_dof[i] = mesh->first_dof[mover->particle];
        pair.weight[i] = touch->weight[i];
        pair.given[i] = mover->inverse > 0.0 ? touch->weight[i] : 0.0;
    }
    return pair;
}

void self_contacts_gather(Simulation *simulation, double h)
{
    bool implicit = simulation->scheme.integrator->traits & INTEGRATOR_IMPLICIT;
    if (!implicit || simulation->contacts.fixed || !is_on(simulation)) return;
    Body *body = &simulation->body;
    Cloth *cloth = &body->cloth;
    for (int i = 0; i < cloth->mesh.dofs; i++) cloth->x[i] = body->good_x[i] + h * body->good_v[i];
    SelfState state = state_of(simulation);
    SelfStep step = step_of(simulation, h);
    self_contact_gather(&body->self, cloth, &state, &step);
    simulation->now.self.reach = state.reach;
    double gravity = simulation->scene.params.gravity;
    ContactPairs *pairs = &simulation->contacts.pairs;
    *pairs = (ContactPairs){.items = body->self_pairs,
                            .count = body->self.touch_count,
                            .component_stride = cloth->mesh.component_stride,
                            .friction = cloth->material.friction,
                            .slack = slack_of(&cloth->mesh) / h,
                            .creep = CREEP * h * gravity};
    for (int i = 0; i < pairs->count; i++)
        pairs->items[i] = pair_of(&body->self, &cloth->mesh, &body->self.touches[i], h);
}

double self_contacts_push(Simulation *simulation, double h)
{
    if (!is_on(simulation)) return 0.0;
    Body *body = &simulation->body;
    SelfState state = state_of(simulation);
    SelfStep step = step_of(simulation, h);
    const ContactPairs *solved = &simulation->contacts.pairs;
    double work = contact_pairs_taken(solved, body->good_v, body->cloth.v);
    int closed = 0;
    for (int i = 0; i < solved->count; i++) closed += solved->items[i].closed;
    SelfReport report = self_contact_push(&body->self, &body->cloth, &state, &step);
    simulation->now.self = (SelfReadings){.reach = state.reach,
                                          .pairs = closed > report.pairs ? closed : report.pairs};
    return work + report.work;
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
