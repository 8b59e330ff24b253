#include "cloth/collide.h"

#include <math.h>
#include <stdint.h>

// A particle this close to a surface lies on it, in units of the spacing.
#define CONTACT 1e-6
// Of a late method, in units of the spacing: what is further outside than this does not touch.
#define AHEAD 0.01
// A free ball finds the motion that the cloth's push gives it to this share, or in so many turns.
#define ANSWERED 1e-9
enum { ANSWERS = 10 };
// What rests between two bodies is pushed out of each in turn.
enum { ROUNDS = 4 };

// ---- one particle

static inline double positive(double a) // as fmax(a, 0.0), which is a call
{
    return a > 0.0 ? a : 0.0;
}

// m/s, at which what is outside comes to the surface in a step.
static inline double closing_speed(const Surface *touch, double h)
{
    return touch->gap > 0.0 ? touch->gap / h : 0.0;
}

// The velocity, relative to the surface, that an impact leaves to what may come at the speed
// `closing`. Coulomb: along the surface at most friction times the change across it is lost. What
// rests is pressed down by g h in a step, so it is slowed by friction g, whatever h is. `left`: the
// share of what was along the surface.
static inline Vec3 impact(const Material *material, Vec3 u, Vec3 normal, double closing,
                          double *left)
{
    double across = vec3_dot(u, normal), towards = positive(-across - closing);
    double change = (1.0 + material->restitution) * towards;
    Vec3 along = vec3_add_scaled(u, -across, normal);
    double speed = vec3_length(along);
    *left = 1.0;
    if (material->friction > 0.0)
        *left = speed > 0.0 ? positive(1.0 - material->friction * change / speed) : 0.0;
    return vec3_add_scaled(vec3_scale(*left, along), across + change, normal);
}

// Late methods move particles with their old velocities, so what they give to a particle that rests
// would move it in the next step only, and contact would push it back: it would fall and rise for
// ever, and take part in the account of energy. It is stopped at once instead, and does not move:
// whatever the next step takes inside, if it touches, or if what forces gave it in this step,
// `pressed`, is enough to take it to the surface. The second keeps what slides on a curved surface
// there, and what lies on a ball that gets faster. What lands has come further, and goes on.
static inline bool comes_next(const Cloth *cloth, int particle, const Surface *touch,
                              const StepStart *start)
{
    const Mesh *mesh = &cloth->mesh;
    if (!(touch->gap < AHEAD * mesh->spacing)) return false;
    Vec3 v = mesh_vector(mesh, cloth->v, particle), old = mesh_vector(mesh, start->v, particle);
    double pressed = positive(-vec3_dot(vec3_sub(v, old), touch->normal));
    double across = vec3_dot(vec3_sub(v, touch->velocity), touch->normal);
    return touch->gap + start->h * across < 0.0 &&
           touch->gap < CONTACT * mesh->spacing + start->h * pressed;
}

// Stop the particle. If it is inside, move it out, from where it was at `old` before a step of
// length h. `lay`: it touched the surface there. Returns the change of its velocity.
static inline Vec3 push_out(Cloth *cloth, int particle, const Surface *touch, Vec3 old, bool lay,
                            double h)
{
    const Mesh *mesh = &cloth->mesh;
    Vec3 x = mesh_vector(mesh, cloth->x, particle), v = mesh_vector(mesh, cloth->v, particle);
    double left;
    Vec3 after = impact(&cloth->material, vec3_sub(v, touch->velocity), touch->normal,
                        closing_speed(touch, h), &left);
    after = vec3_add(after, touch->velocity);
    mesh_set_vector(mesh, cloth->v, particle, after);
    if (!(touch->gap < 0.0)) return vec3_sub(after, v);
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
    mesh_set_vector(mesh, cloth->x, particle, out);
    return vec3_sub(after, v);
}

// The share of an impulse that stops what came.
static inline double impact_share(Vec3 impulse, const ContactMotion *motion)
{
    double square = vec3_dot(impulse, impulse);
    double stops = motion->mass * vec3_dot(vec3_sub(motion->after, motion->before), impulse);
    return !(square > 0.0) || stops >= square ? 1.0 : stops > 0.0 ? stops / square : 0.0;
}

double collide_work(Vec3 impulse, Vec3 surface, const ContactMotion *motion)
{
    double share = impact_share(impulse, motion);
    Vec3 mean = vec3_scale(0.5, vec3_add(motion->before, motion->after));
    Vec3 u = vec3_add_scaled(vec3_scale(share, mean), 1.0 - share, motion->moved);
    double given = vec3_dot(impulse, vec3_sub(u, surface));
    return (given < 0.0 ? given : 0.0) + vec3_dot(impulse, surface);
}

static inline double mass_of(const Cloth *cloth, int particle)
{
    return cloth->mass[cloth->mesh.first_dof[particle]];
}

// `surface`: its velocity. `by_mean`: it is that of a free ball, which has another velocity on its
// way, on the mean of the step; all of the impulse counts with the mean.
static inline void book(const Cloth *cloth, int particle, Vec3 surface, Vec3 change, bool by_mean,
                        const StepStart *start, ContactReport *report)
{
    Vec3 before = mesh_vector(&cloth->mesh, start->v, particle);
    Vec3 after = mesh_vector(&cloth->mesh, cloth->v, particle);
    Vec3 x = mesh_vector(&cloth->mesh, cloth->x, particle);
    Vec3 way = vec3_sub(x, mesh_vector(&cloth->mesh, start->x, particle));
    Vec3 moved =
        by_mean ? vec3_scale(0.5, vec3_add(before, after)) : vec3_scale(1.0 / start->h, way);
    double mass = mass_of(cloth, particle);
    ContactMotion motion = {.mass = mass, .before = before, .after = after, .moved = moved};
    report->work += collide_work(vec3_scale(mass, change), surface, &motion);
}

// Has it been pushed out of one of the first bodies in this step? Then it lies there.
static bool lies_on(const Cloth *cloth, const Surroundings *around, int bodies, Vec3 place)
{
    for (int i = 0; i < bodies; i++) {
        const Collider *body = &around->bodies[i];
        Vec3 unused;
        double gap = collider_distance(body, around->motions[i].centre, place, &unused) -
                     collider_thickness(body, cloth->mesh.reach);
        if (gap <= CONTACT * cloth->mesh.spacing) return true;
    }
    return false;
}

// What a round looks at: after the first, only what was moved in the one before or in this one can
// be inside of something. Rows by their number modulo 64; of a mesh without rows, particles.
typedef struct Round {
    bool first; // all that touch are found and counted
    bool ahead; // what comes to a surface in the next step meets it
    uint64_t look, moved;
} Round;

static int row_length(const Mesh *mesh)
{
    return mesh->row_width > 0 ? mesh->columns : 1;
}

static uint64_t row_bit(int row)
{
    return (uint64_t)1 << (row & 63);
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

static void meet_floor(Cloth *cloth, const Surroundings *around, Round *round,
                       const StepStart *start, ContactReport *report)
{
    const Mesh *mesh = &cloth->mesh;
    const double ground = around->ground;
    bool moved = !round->first || round->moved != 0; // by bodies, after the step
    double looks = ground + (round->ahead ? AHEAD * mesh->spacing : 0.0);
    if ((start->stays_above && !moved) || !any_below(mesh, cloth->x, looks)) return;
    Surface touch = {.normal = {0.0, 1.0, 0.0}};
    for (int p = 0; p < mesh->particle_count; p++) {
        Vec3 x = mesh_vector(mesh, cloth->x, p);
        touch.gap = x.y - ground;
        if (!(x.y < looks) || cloth_is_held(cloth, p)) continue;
        if (!(touch.gap < 0.0 || comes_next(cloth, p, &touch, start))) continue;
        if (round->first && !lies_on(cloth, around, around->count, x)) report->count++;
        if (touch.gap < 0.0) round->moved |= row_bit(p / row_length(mesh));
        Vec3 old = mesh_vector(mesh, start->x, p);
        bool lay = old.y <= ground;
        Vec3 change = push_out(cloth, p, &touch, old, lay, start->h);
        book(cloth, p, touch.velocity, change, false, start, report);
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

typedef struct BodyContact {
    const Collider *body;
    ColliderMotion moving; // at the end of the step, as all particles meet it
    ColliderMotion before; // at its start
    double thickness, extent;
    bool ahead; // as of the round
    bool moves; // its surface
    bool free;  // it is a ball that is pushed back
} BodyContact;

// Is a particle of the row from p within reach of the body? Vectorised.
static bool any_near(const Mesh *mesh, const double *x, int p, int count,
                     const BodyContact *contact)
{
    const double *at = x + mesh->first_dof[p];
    int stride = mesh->component_stride, near = 0;
    Vec3 c = contact->moving.centre;
    double extent2 = contact->extent * contact->extent;
    for (int i = 0; i < count; i++) {
        double dx = at[i] - c.x, dy = at[i + stride] - c.y, dz = at[i + 2 * stride] - c.z;
        near |= dx * dx + dy * dy + dz * dz < extent2;
    }
    return near != 0;
}

static inline double distance(const Collider *body, Vec3 centre, Vec3 point, Vec3 *normal)
{
    return body->shape == COLLIDER_SPHERE
               ? collider_ball_distance(vec3_sub(point, centre), body->radius, normal)
               : collider_distance(body, centre, point, normal);
}

// Where the particle meets it.
static inline bool find_touch(const Cloth *cloth, const BodyContact *contact, int p,
                              const StepStart *start, Surface *touch)
{
    Vec3 x = mesh_vector(&cloth->mesh, cloth->x, p), away = vec3_sub(x, contact->moving.centre);
    if (vec3_dot(away, away) >= contact->extent * contact->extent) return false;
    touch->gap =
        distance(contact->body, contact->moving.centre, x, &touch->normal) - contact->thickness;
    bool inside = touch->gap < 0.0;
    if (!(inside || contact->ahead) || cloth_is_held(cloth, p)) return false;
    touch->velocity = contact->moves ? velocity_at(&contact->moving, x) : (Vec3){0};
    return inside || comes_next(cloth, p, touch, start);
}

// Returns the impulse that the particle got, if it met the body. `moved`: it was inside.
static inline bool meet_particle(Cloth *cloth, const BodyContact *contact, int p,
                                 const StepStart *start, ContactReport *report, Vec3 *impulse,
                                 bool *moved)
{
    const Mesh *mesh = &cloth->mesh;
    Surface touch;
    if (!find_touch(cloth, contact, p, start, &touch)) return false;
    *moved = touch.gap < 0.0;
    Vec3 old = mesh_vector(mesh, start->x, p), surface = touch.velocity, unused;
    // A late method moved the particle with a velocity that was the ball's, as the ball moves now.
    bool by_mean = contact->free && !start->late;
    if (by_mean) {
        Vec3 arm = vec3_sub(mesh_vector(mesh, cloth->x, p), contact->moving.centre);
        Vec3 before = vec3_add(contact->before.velocity, vec3_cross(contact->before.spin, arm));
        surface = vec3_scale(0.5, vec3_add(before, surface));
    }
    bool lay = distance(contact->body, contact->before.centre, old, &unused) <=
               contact->thickness + CONTACT * mesh->spacing;
    Vec3 change = push_out(cloth, p, &touch, old, lay, start->h);
    book(cloth, p, surface, change, by_mean, start, report);
    *impulse = vec3_scale(mass_of(cloth, p), change);
    return true;
}

// A row, or a part of the mesh, that the body may touch.
static bool is_near(const Cloth *cloth, const BodyContact *contact, const Round *round, int row)
{
    int count = row_length(&cloth->mesh);
    if (!((round->look | round->moved) & row_bit(row))) return false;
    return count == 1 || any_near(&cloth->mesh, cloth->x, row * count, count, contact);
}

// The motion that the ball would have after the impulses of all particles that it meets with
// contact->moving. `mass`, `inertia`: with those of these particles.
static ColliderMotion pushed_ball(const Cloth *cloth, const BodyContact *contact,
                                  const ColliderMotion *came, const Round *round,
                                  const StepStart *start, double *mass, double *inertia)
{
    const Mesh *mesh = &cloth->mesh;
    const Material *material = &cloth->material;
    ColliderMotion pushed = *came;
    int count = row_length(mesh);
    *mass = contact->body->mass;
    *inertia = collider_inertia(contact->body);
    for (int r = 0; r * count < mesh->particle_count; r++) {
        if (!is_near(cloth, contact, round, r)) continue;
        for (int p = r * count; p < (r + 1) * count; p++) {
            Surface touch;
            if (!find_touch(cloth, contact, p, start, &touch)) continue;
            Vec3 u = vec3_sub(mesh_vector(mesh, cloth->v, p), touch.velocity);
            double m = mass_of(cloth, p), left, reach = contact->extent;
            double closing = closing_speed(&touch, start->h);
            Vec3 change = vec3_sub(impact(material, u, touch.normal, closing, &left), u);
            push_ball(contact->body, &pushed, mesh_vector(mesh, cloth->x, p),
                      vec3_scale(-m, change));
            *mass += (1.0 + material->restitution) * m;
            *inertia += (1.0 + material->restitution) * m * reach * reach;
        }
    }
    return pushed;
}

// Find the motion of a free ball at the end of the step: that which the impulses of the cloth give
// it when the cloth meets it with that motion, and when it moved with its last velocity, as
// symplectic Euler does. With the velocity that it came with it would be explicit Euler, and gain
// energy in every bounce.
static void answer(const Cloth *cloth, BodyContact *contact, const ColliderMotion *came,
                   const Round *round, const StepStart *start)
{
    const Collider *body = contact->body;
    for (int i = 0; i < ANSWERS; i++) {
        double mass, inertia;
        ColliderMotion *moving = &contact->moving;
        ColliderMotion pushed = pushed_ball(cloth, contact, came, round, start, &mass, &inertia);
        Vec3 lacks = vec3_sub(pushed.velocity, moving->velocity);
        Vec3 lacks_spin = vec3_sub(pushed.spin, moving->spin);
        moving->velocity = vec3_add_scaled(moving->velocity, body->mass / mass, lacks);
        moving->spin = vec3_add_scaled(moving->spin, collider_inertia(body) / inertia, lacks_spin);
        Vec3 change = vec3_sub(moving->velocity, came->velocity);
        moving->centre = vec3_add_scaled(came->centre, start->h, change);
        if (vec3_dot(lacks, lacks) <= ANSWERED * ANSWERED * vec3_dot(change, change)) break;
    }
}

static void meet_body(Cloth *cloth, const Surroundings *around, int number, Round *round,
                      const StepStart *start, ContactReport *report)
{
    const Mesh *mesh = &cloth->mesh;
    const Collider *body = &around->bodies[number];
    ColliderMotion *motion = &around->motions[number];
    BodyContact contact = {.body = body,
                           .moving = *motion,
                           .thickness = collider_thickness(body, mesh->reach),
                           .ahead = round->ahead,
                           .free = is_free(around, number)};
    contact.before = start->motions[number];
    contact.extent = collider_extent(body) + contact.thickness;
    if (contact.ahead) contact.extent += AHEAD * mesh->spacing;
    contact.moves = contact.free || vec3_dot(motion->velocity, motion->velocity) > 0.0 ||
                    vec3_dot(motion->spin, motion->spin) > 0.0;
    if (contact.free) {
        answer(cloth, &contact, motion, round, start);
        motion->centre = contact.moving.centre;
    }
    int row = row_length(mesh);
    for (int r = 0; r * row < mesh->particle_count; r++) {
        if (!is_near(cloth, &contact, round, r)) continue;
        for (int i = r * row; i < (r + 1) * row; i++) {
            Vec3 at = mesh_vector(mesh, cloth->x, i), impulse;
            bool moved;
            if (!meet_particle(cloth, &contact, i, start, report, &impulse, &moved)) continue;
            if (round->first && !lies_on(cloth, around, number, at)) report->count++;
            if (moved) round->moved |= row_bit(r);
            if (contact.free) push_ball(body, motion, at, vec3_scale(-1.0, impulse));
        }
    }
}

ContactReport collide(Cloth *cloth, const Surroundings *around, const StepStart *start)
{
    ContactReport report = {0};
    // The last round only finds particles that another body pushed in.
    Round round = {.first = true, .ahead = start->late, .look = UINT64_MAX};
    for (int i = 0; i < ROUNDS; i++) {
        for (int body = 0; body < around->count; body++)
            meet_body(cloth, around, body, &round, start, &report);
        meet_floor(cloth, around, &round, start, &report);
        if (around->count == 0 || round.moved == 0) break;
        round = (Round){.look = round.moved};
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
