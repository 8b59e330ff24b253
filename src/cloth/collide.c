#include "cloth/collide.h"

#include <math.h>

// A particle this close to a surface lies on it, in units of the spacing.
#define CONTACT 1e-6
// What rests between two bodies is pushed out of each in turn.
enum { ROUNDS = 4 };

// ---- one particle

// The velocity, relative to the surface, that an impact leaves. Coulomb: along the surface at most
// friction times the change across it is lost. What rests is pressed down by g h in a step, so it
// is slowed by friction g, whatever h is. `left`: the share of what was along the surface.
static Vec3 impact(const Material *material, Vec3 u, Vec3 normal, double *left)
{
    double across = vec3_dot(u, normal), towards = fmax(-across, 0.0);
    double change = (1.0 + material->restitution) * towards;
    Vec3 along = vec3_add_scaled(u, -across, normal);
    double speed = vec3_length(along);
    *left = 1.0;
    if (material->friction > 0.0)
        *left = speed > 0.0 ? fmax(1.0 - material->friction * change / speed, 0.0) : 0.0;
    return vec3_add_scaled(vec3_scale(*left, along), across + change, normal);
}

// J, what particle and gravity have more at (x, v) than at (from_x, from_v).
static double gained(const Cloth *cloth, int particle, Vec3 from_x, Vec3 from_v, Vec3 x, Vec3 v)
{
    double kinetic = 0.5 * (vec3_dot(v, v) - vec3_dot(from_v, from_v));
    return cloth_mass(cloth, particle) * (cloth->material.gravity * (x.y - from_x.y) + kinetic);
}

// Move the particle out, from where it was at `old` before a step of length h. `lay`: it touched
// the surface there. Returns the energy that it got, J, and the change of its velocity.
static double push_out(Cloth *cloth, int particle, const Surface *touch, Vec3 old, bool lay,
                       double h, Vec3 *change)
{
    const Mesh *mesh = &cloth->mesh;
    Vec3 x = mesh_vector(mesh, cloth->x, particle), v = mesh_vector(mesh, cloth->v, particle);
    double left;
    Vec3 after = impact(&cloth->material, vec3_sub(v, touch->velocity), touch->normal, &left);
    after = vec3_add(after, touch->velocity);
    Vec3 out = vec3_add_scaled(x, -touch->gap, touch->normal);
    // What lay on the surface moves along it only as far as friction lets it, and what sticks moves
    // with it. Otherwise every step would move it along, as a filter of symbol 0 after the step
    // would, and the stable step would fall to 0.71 of the free cloth's. What lands has come its
    // way.
    if (lay && left < 1.0) {
        Vec3 stays = vec3_add_scaled(old, h, touch->velocity), way = vec3_sub(out, stays);
        way = vec3_add_scaled(way, -vec3_dot(way, touch->normal), touch->normal);
        out = vec3_add_scaled(out, left - 1.0, way);
    }
    double work = gained(cloth, particle, x, v, out, after);
    mesh_set_vector(mesh, cloth->x, particle, out);
    mesh_set_vector(mesh, cloth->v, particle, after);
    *change = vec3_sub(after, v);
    return work;
}

// ---- the floor

// In most steps no particle is below. Compilers vectorise a loop without an early exit.
static bool any_below(const Mesh *mesh, const double *x, double ground)
{
    int below = 0, count = mesh->row_width > 0 ? mesh->columns : 1;
    for (int p = 0; p < mesh->particle_count; p += count) {
        const double *y = x + mesh->first_dof[p] + mesh->component_stride;
        for (int i = 0; i < count; i++) below |= y[i] < ground;
    }
    return below != 0;
}

static void meet_floor(Cloth *cloth, double ground, const double *old_x, double h,
                       ContactReport *report)
{
    const Mesh *mesh = &cloth->mesh;
    if (!any_below(mesh, cloth->x, ground)) return;
    Surface touch = {.normal = {0.0, 1.0, 0.0}};
    for (int p = 0; p < mesh->particle_count; p++) {
        touch.gap = mesh_vector(mesh, cloth->x, p).y - ground;
        if (!(touch.gap < 0.0) || cloth_is_held(cloth, p)) continue;
        Vec3 old = mesh_vector(mesh, old_x, p), change;
        report->work += push_out(cloth, p, &touch, old, old.y <= ground, h, &change);
        report->count++;
    }
}

// ---- bodies

static Vec3 velocity_at(const ColliderMotion *motion, Vec3 point)
{
    Vec3 arm = vec3_sub(point, motion->centre);
    return vec3_add(motion->velocity, vec3_cross(motion->spin, arm));
}

static bool is_free(const Surroundings *around, int body)
{
    return around->bodies[body].mass > 0.0 && around->held != body + 1;
}

static void push_ball(const Collider *body, ColliderMotion *motion, Vec3 point, Vec3 impulse)
{
    Vec3 arm = vec3_sub(point, motion->centre);
    motion->velocity = vec3_add_scaled(motion->velocity, 1.0 / body->mass, impulse);
    motion->spin =
        vec3_add_scaled(motion->spin, 1.0 / collider_inertia(body), vec3_cross(arm, impulse));
}

static void meet_body(Cloth *cloth, const Surroundings *around, int number, const double *old_x,
                      double h, ContactReport *report)
{
    const Mesh *mesh = &cloth->mesh;
    const Collider *body = &around->bodies[number];
    ColliderMotion *motion = &around->motions[number];
    bool moves = is_free(around, number);
    double thickness = collider_thickness(body, cloth->mesh.reach);
    double extent = collider_extent(body) + thickness, contact = CONTACT * mesh->spacing;
    Vec3 before = vec3_add_scaled(motion->centre, -h, motion->velocity);
    ColliderMotion moving = *motion; // all particles meet the ball as it came
    for (int p = 0; p < mesh->particle_count; p++) {
        Vec3 x = mesh_vector(mesh, cloth->x, p), away = vec3_sub(x, moving.centre);
        if (vec3_dot(away, away) >= extent * extent) continue;
        Surface touch;
        touch.gap = collider_distance(body, moving.centre, x, &touch.normal) - thickness;
        if (!(touch.gap < 0.0) || cloth_is_held(cloth, p)) continue;
        touch.velocity = velocity_at(&moving, x);
        Vec3 old = mesh_vector(mesh, old_x, p), unused, change;
        bool lay = collider_distance(body, before, old, &unused) <= thickness + contact;
        report->work += push_out(cloth, p, &touch, old, lay, h, &change);
        report->count++;
        if (moves) push_ball(body, motion, x, vec3_scale(-cloth_mass(cloth, p), change));
    }
}

ContactReport collide(Cloth *cloth, const Surroundings *around, const double *old_x, double h)
{
    ContactReport report = {0};
    // The last round only finds particles that another body pushed in.
    for (int round = 0; round < ROUNDS; round++) {
        int before = report.count;
        for (int i = 0; i < around->count; i++) meet_body(cloth, around, i, old_x, h, &report);
        meet_floor(cloth, around->ground, old_x, h, &report);
        if (around->count == 0 || report.count == before) break;
    }
    return report;
}

bool collide_nearest(const Cloth *cloth, const Surroundings *around, Vec3 place, double reach,
                     Surface *out)
{
    Surface floor = {.gap = place.y - around->ground, .normal = {0.0, 1.0, 0.0}, .body = -1};
    bool found = floor.gap < reach;
    if (found) *out = floor;
    for (int i = 0; i < around->count; i++) {
        const Collider *body = &around->bodies[i];
        const ColliderMotion *motion = &around->motions[i];
        double thickness = collider_thickness(body, cloth->mesh.reach);
        double nearest = found ? out->gap : reach;
        Vec3 away = vec3_sub(place, motion->centre);
        double extent = collider_extent(body) + thickness + fmax(nearest, 0.0);
        if (vec3_dot(away, away) > extent * extent) continue;
        Surface surface = {.body = i};
        surface.gap = collider_distance(body, motion->centre, place, &surface.normal) - thickness;
        if (surface.gap >= nearest) continue;
        surface.velocity = velocity_at(motion, place);
        *out = surface;
        found = true;
    }
    return found;
}

bool collide_touches(const Cloth *cloth, const Surroundings *around, Vec3 place, Surface *out)
{
    return collide_nearest(cloth, around, place, CONTACT * cloth->mesh.spacing, out);
}

void collide_push(const Surroundings *around, int body, Vec3 point, Vec3 impulse)
{
    if (body >= 0 && is_free(around, body))
        push_ball(&around->bodies[body], &around->motions[body], point, impulse);
}

bool collide_is_touching(const Cloth *cloth, const Surroundings *around, const double *x)
{
    const Mesh *mesh = &cloth->mesh;
    double contact = around->ground + CONTACT * mesh->spacing;
    if (around->count == 0 && !any_below(mesh, x, contact)) return false;
    for (int p = 0; p < mesh->particle_count; p++) {
        Surface surface;
        if (!cloth_is_held(cloth, p) &&
            collide_touches(cloth, around, mesh_vector(mesh, x, p), &surface))
            return true;
    }
    return false;
}

// ---- free balls

// Out of what does not move by it (`other` is NULL), or of another ball: equal and opposite
// impulses.
static void push_apart(const Material *material, const Collider *ball, ColliderMotion *motion,
                       const Surface *touch, const Collider *other, ColliderMotion *other_motion)
{
    Vec3 point = vec3_add_scaled(motion->centre, -ball->radius, touch->normal);
    bool other_free = other != NULL;
    double share = other_free ? other->mass / (ball->mass + other->mass) : 1.0;
    motion->centre = vec3_add_scaled(motion->centre, -share * touch->gap, touch->normal);
    if (other_free)
        other_motion->centre =
            vec3_add_scaled(other_motion->centre, (1.0 - share) * touch->gap, touch->normal);

    Vec3 u = vec3_sub(velocity_at(motion, point), touch->velocity);
    double across = vec3_dot(u, touch->normal), towards = fmax(-across, 0.0);
    double inverse = 1.0 / ball->mass + (other_free ? 1.0 / other->mass : 0.0);
    double normal_impulse = (1.0 + material->restitution) * towards / inverse;
    // A ball's surface answers a push along itself more easily, because the ball turns:
    // 1/m + r^2/I = 3.5/m.
    Vec3 along = vec3_add_scaled(u, -across, touch->normal);
    double speed = vec3_length(along), to_stop = speed / (3.5 * inverse);
    double along_impulse = fmin(to_stop, material->friction * normal_impulse);
    Vec3 impulse = vec3_scale(normal_impulse, touch->normal);
    if (speed > 0.0) impulse = vec3_add_scaled(impulse, -along_impulse / speed, along);
    push_ball(ball, motion, point, impulse);
    if (other_free) push_ball(other, other_motion, point, vec3_scale(-1.0, impulse));
}

void collide_ball(const Surroundings *around, const Material *material, int ball)
{
    const Collider *body = &around->bodies[ball];
    ColliderMotion *motion = &around->motions[ball];
    for (int i = 0; i < around->count; i++) {
        const Collider *other = &around->bodies[i];
        if (i == ball || (is_free(around, i) && i > ball)) continue; // each pair once
        ColliderMotion *theirs = &around->motions[i];
        Surface touch;
        touch.gap =
            collider_distance(other, theirs->centre, motion->centre, &touch.normal) - body->radius;
        if (!(touch.gap < 0.0)) continue;
        Vec3 point = vec3_add_scaled(motion->centre, -body->radius, touch.normal);
        touch.velocity = velocity_at(theirs, point);
        push_apart(material, body, motion, &touch, is_free(around, i) ? other : NULL, theirs);
    }
    Surface floor = {.gap = motion->centre.y - body->radius - around->ground,
                     .normal = {0.0, 1.0, 0.0}};
    if (floor.gap < 0.0) push_apart(material, body, motion, &floor, NULL, NULL);
}
