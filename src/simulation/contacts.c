#include "simulation/contacts.h"

#include <math.h>
#include <string.h>

// What comes towards a surface slower than it falls in so many steps rests on it, and does not
// bounce.
#define RESTING_STEPS 4.0
// A contact stuck if its friction was less than this share of what it may be.
#define STICKS 0.999
// Of the speed that friction takes in a step: what slides slower has no direction.
#define CREEPS 1e-2

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
                            .mass = cloth_mass(&simulation->body.cloth, particle),
                            .normal = surface->normal,
                            .surface = surface->velocity,
                            .body = surface->body,
                            .ball = -1};
    for (int i = 0; i < set->ball_count; i++) {
        if (set->balls[i].body != surface->body) continue;
        Vec3 x = mesh_vector(mesh, simulation->body.cloth.x, particle);
        point->ball = i;
        point->arm = vec3_sub(x, simulation->now.motions[surface->body].centre);
    }
    return point;
}

// Free balls, which the contacts push.
static void add_balls(Simulation *simulation)
{
    const Scene *scene = &simulation->scene;
    ContactSet *set = &simulation->contacts;
    _Static_assert((int)COLLIDERS_MAX <= (int)CONTACT_BALLS, "room for every body");
    for (int i = 0; i < scene->collider_count; i++) {
        const Collider *body = &scene->colliders[i];
        if (!(body->mass > 0.0) || simulation->now.grabbed_body == i + 1) continue;
        set->balls[set->ball_count++] =
            (ContactBall){.body = i, .mass = body->mass, .inertia = collider_inertia(body)};
    }
}

static void start_set(Simulation *simulation, double h)
{
    const Params *params = &simulation->scene.params;
    simulation->contacts =
        (ContactSet){.points = simulation->body.contact_points,
                     .component_stride = simulation->body.cloth.mesh.component_stride,
                     .friction = params->friction,
                     .fall = h * params->gravity,
                     .speed = fmax(params->friction * params->gravity, 1e-3) * h};
}

// The least velocity along the normal. It ends on the surface, which is where it will be at the end
// of the step, or, if it comes fast enough to bounce, with its share of what it came with.
static double least_velocity(const Params *params, const Surface *surface, double across, double h)
{
    double of_surface = vec3_dot(surface->velocity, surface->normal);
    double ends = -surface->gap / h, towards = of_surface - across;
    bool fast = towards > RESTING_STEPS * h * params->gravity;
    return across < ends && fast && params->restitution > 0.0
               ? of_surface + params->restitution * towards
               : ends;
}

// kg m/s, of the particle's contact in the last step; 0: none
static Vec3 last_impulse(const Simulation *simulation, int particle)
{
    const StepMemory *memory = &simulation->now.memory;
    if (!memory->valid) return (Vec3){0};
    return mesh_vector(&simulation->body.cloth.mesh, memory->values, particle);
}

// Where the search for the states starts: as in the last step, or as if the particle were free.
// `u`: relative to the surface; `across`: along the normal.
static void guess_state(const Simulation *simulation, ContactPoint *point, Vec3 u, double across)
{
    const ContactSet *set = &simulation->contacts;
    Vec3 last = last_impulse(simulation, point->particle);
    double pushed = vec3_dot(last, point->normal);
    double falls = simulation->now.memory.valid ? across : across - set->fall;
    u = vec3_add_scaled(u, -vec3_dot(u, point->normal), point->normal);
    double along = vec3_length(u);
    bool closed = pushed > 0.0 || falls<point->least, slides = along> set->speed;
    if (pushed > 0.0) {
        Vec3 rubbed = vec3_add_scaled(last, -pushed, point->normal);
        slides = along > 0.0 && vec3_length(rubbed) > STICKS * set->friction * pushed;
    }
    slides = slides || set->friction == 0.0;
    point->state = !closed ? CONTACT_OPEN : slides ? CONTACT_SLIDING : CONTACT_STICKING;
    if (!slides || !(along > 0.0)) return;
    point->direction = vec3_scale(1.0 / along, u);
    point->rub = set->friction * (pushed > 0.0 ? pushed : set->fall * point->mass);
    point->drag = point->rub / fmax(along, CREEPS * set->speed);
}

void contacts_gather(Simulation *simulation, double h)
{
    if (simulation->contacts.fixed) return;
    start_set(simulation, h);
    if (!is_implicit(simulation)) return;
    add_balls(simulation);
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
        double across = vec3_dot(v, surface.normal);
        point->least = least_velocity(params, &surface, across, h);
        guess_state(simulation, point, vec3_sub(v, surface.velocity), across);
    }
}

// Work on the particle. The surface of a ball moves on the mean as at both ends of the step: of its
// weight, too, only half is in that.
static double work_of(const Simulation *simulation, const ContactPoint *point, double h)
{
    const Mesh *mesh = &simulation->body.cloth.mesh;
    Vec3 surface = point->surface;
    const Body *body = &simulation->body;
    int p = point->particle;
    Vec3 way = vec3_sub(mesh_vector(mesh, body->cloth.x, p), mesh_vector(mesh, body->good_x, p));
    ContactMotion motion = {.mass = point->mass,
                            .before = mesh_vector(mesh, body->good_v, p),
                            .after = mesh_vector(mesh, body->cloth.v, p),
                            .moved = vec3_scale(1.0 / h, way)};
    if (point->ball >= 0) {
        const ColliderMotion *start = &simulation->body.good_motions[point->body];
        const ColliderMotion *end = &simulation->now.motions[point->body];
        Vec3 velocity = vec3_add(start->velocity, end->velocity);
        Vec3 spin = vec3_add(start->spin, end->spin);
        surface = vec3_scale(0.5, vec3_add(velocity, vec3_cross(spin, point->arm)));
        motion.moved = vec3_scale(0.5, vec3_add(motion.before, motion.after));
    }
    return collide_work(point->total, surface, &motion);
}

void contacts_settle(Simulation *simulation)
{
    const ContactSet *set = &simulation->contacts;
    if (set->fixed) return;
    for (int i = 0; i < set->ball_count; i++) {
        const ContactBall *ball = &set->balls[i];
        ColliderMotion *motion = &simulation->now.motions[ball->body];
        motion->velocity = vec3_add(motion->velocity, ball->start.velocity);
        motion->spin = vec3_add(motion->spin, ball->start.spin);
        motion->centre = vec3_add(motion->centre, ball->moved);
    }
}

double contacts_book(Simulation *simulation, double h)
{
    const ContactSet *set = &simulation->contacts;
    const Mesh *mesh = &simulation->body.cloth.mesh;
    StepMemory *memory = &simulation->now.memory;
    double work = 0.0;
    if (set->fixed || !is_implicit(simulation)) return work;
    simulation->now.contacts = 0;
    *memory = (StepMemory){.values = memory->values};
    memset(memory->values, 0, (size_t)mesh->dofs * sizeof(double));
    for (int i = 0; i < set->count; i++) {
        const ContactPoint *point = &set->points[i];
        if (point->state == CONTACT_OPEN && vec3_dot(point->total, point->total) == 0.0) continue;
        work += work_of(simulation, point, h);
        mesh_set_vector(mesh, memory->values, point->particle, point->total);
        memory->valid = true;
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
