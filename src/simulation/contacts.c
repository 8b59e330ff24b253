#include "simulation/contacts.h"

#include <math.h>

// What comes towards a surface slower than it falls in so many steps rests on it, and does not
// bounce.
#define RESTING_STEPS 4.0

static bool is_implicit(const Simulation *simulation)
{
    return simulation->scheme.integrator->traits & INTEGRATOR_IMPLICIT;
}

static ContactPoint *add_point(Simulation *simulation, int particle, const Surface *surface)
{
    const Mesh *mesh = &simulation->body.cloth.mesh;
    ContactSet *set = &simulation->contacts;
    ContactPoint *point = &set->points[set->count++];
    *point = (ContactPoint){.particle = particle,
                            .first_dof = mesh->first_dof[particle],
                            .normal = surface->normal,
                            .surface = surface->velocity,
                            .body = surface->body};
    return point;
}

static void start_set(Simulation *simulation, double h)
{
    const Params *params = &simulation->scene.params;
    simulation->contacts =
        (ContactSet){.points = simulation->body.contact_points,
                     .component_stride = simulation->body.cloth.mesh.component_stride,
                     .friction = params->friction,
                     .speed = fmax(params->friction * params->gravity, 1e-3) * h};
}

// The least velocity along the normal. It ends on the surface, or, if it comes fast enough to
// bounce, with its share of what it came with.
static double least_velocity(const Params *params, const Surface *surface, double towards, double h)
{
    double least = vec3_dot(surface->velocity, surface->normal) - surface->gap / h;
    bool arrives = surface->gap < h * towards;
    bool fast = towards > RESTING_STEPS * h * params->gravity;
    return arrives && fast && params->restitution > 0.0
               ? least + surface->gap / h + params->restitution * towards
               : least;
}

void contacts_gather(Simulation *simulation, double h)
{
    if (simulation->contacts.fixed) return;
    start_set(simulation, h);
    if (!is_implicit(simulation)) return;
    const Cloth *cloth = &simulation->body.cloth;
    const Params *params = &simulation->scene.params;
    Surroundings around = simulation_surroundings(simulation);
    double fall = h * params->gravity;
    for (int p = 0; p < cloth->mesh.particle_count; p++) {
        if (cloth_is_held(cloth, p)) continue;
        Vec3 x = mesh_vector(&cloth->mesh, cloth->x, p), v = mesh_vector(&cloth->mesh, cloth->v, p);
        // A generous guess of its way; the surface has moved already.
        double way = h * (2.0 * vec3_length(v) + RESTING_STEPS * fall) + cloth->mesh.spacing;
        Surface surface;
        if (!collide_nearest(cloth, &around, x, way, &surface)) continue;
        ContactPoint *point = add_point(simulation, p, &surface);
        Vec3 u = vec3_sub(v, surface.velocity);
        double across = vec3_dot(u, surface.normal);
        point->least = least_velocity(params, &surface, fmax(-across, 0.0), h);
        bool closed = vec3_dot(v, surface.normal) - fall < point->least;
        double along = vec3_length(vec3_add_scaled(u, -across, surface.normal));
        bool slides = params->friction == 0.0 || along > params->friction * fall;
        point->state = !closed ? CONTACT_OPEN : slides ? CONTACT_SLIDING : CONTACT_STICKING;
        if (slides && along > 0.0)
            point->drag = params->friction * fall * cloth_mass(cloth, p) / along;
    }
}

double contacts_settle(Simulation *simulation, const double *old_v)
{
    const ContactSet *set = &simulation->contacts;
    const Cloth *cloth = &simulation->body.cloth;
    Surroundings around = simulation_surroundings(simulation);
    double work = 0.0;
    for (int i = 0; i < set->count && !set->fixed; i++) {
        const ContactPoint *point = &set->points[i];
        if (point->state == CONTACT_OPEN && vec3_dot(point->total, point->total) == 0.0) continue;
        work += collide_work(point->total, point->surface,
                             mesh_vector(&cloth->mesh, old_v, point->particle),
                             mesh_vector(&cloth->mesh, cloth->v, point->particle));
        collide_push(&around, point->body, mesh_vector(&cloth->mesh, cloth->x, point->particle),
                     vec3_scale(-1.0, point->total));
        simulation->now.contacts++;
    }
    return work;
}

void contacts_hold(Simulation *simulation)
{
    start_set(simulation, 1.0);
    simulation->contacts.fixed = true;
    if (!is_implicit(simulation)) return;
    const Cloth *cloth = &simulation->body.cloth;
    Surroundings around = simulation_surroundings(simulation);
    for (int p = 0; p < cloth->mesh.particle_count; p++) {
        Surface surface;
        Vec3 place = mesh_vector(&cloth->mesh, cloth->x, p);
        if (cloth_is_held(cloth, p) || !collide_touches(cloth, &around, place, &surface)) continue;
        surface.velocity = (Vec3){0};
        bool sticks = simulation->contacts.friction > 0.0;
        add_point(simulation, p, &surface)->state = sticks ? CONTACT_STICKING : CONTACT_SLIDING;
    }
}

void contacts_release(Simulation *simulation)
{
    start_set(simulation, 1.0);
}
