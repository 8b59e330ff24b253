#include "cloth/self_touch.h"

#include "cloth/nearest.h"

#include <string.h>

// Rounds over the pairs in a step.
enum { ROUNDS = 4 };
// s, in which pairs that are too near are moved apart, and m/s, at most.
#define APART_TIME 0.05
#define APART_SPEED 0.1
// A pair that would stay further apart than this share of the step's largest motion is left out.
#define NEAR_SHARE 0.5
// Rounding of distances in single precision, as a share of the largest coordinate.
#define ROUNDING 4e-6f

// ---- what may meet

static inline float larger(float a, float b)
{
    return a > b ? a : b;
}

static inline float smaller(float a, float b)
{
    return a < b ? a : b;
}

// Positions in single precision, from the particle in the middle. Returns their largest coordinate.
static float take_positions(SelfContact *contact, const Mesh *mesh, const double *x)
{
    int count = mesh->row_width > 0 ? mesh->columns : 1, stride = mesh->component_stride;
    Vec3 middle = mesh_vector(mesh, x, mesh->particle_count / 2);
    float largest = 0.0f;
    for (int p = 0; p < mesh->particle_count; p += count) {
        const double *from = x + mesh->first_dof[p];
        for (int i = 0; i < count; i++) {
            float a = (float)(from[i] - middle.x), b = (float)(from[stride + i] - middle.y),
                  c = (float)(from[2 * stride + i] - middle.z);
            contact->now[p + i] = (Float4){a, b, c, 0.0f};
            largest = larger(largest, larger(fabsf(a), larger(fabsf(b), fabsf(c))));
        }
    }
    return largest;
}

static inline float shadow(Float4 normal, Float4 at)
{
    Float4 product = normal * at;
    return product[0] + product[1] + product[2];
}

// Of a pair: the gap along its normal, m, at most its distance.
static inline float gap_of(const SelfPair *pair, const Float4 *now)
{
    const int *p = pair->particle;
    float a = shadow(pair->normal, now[p[0]]), b = shadow(pair->normal, now[p[1]]),
          c = shadow(pair->normal, now[p[2]]), d = shadow(pair->normal, now[p[3]]);
    if (pair->edges) return smaller(a, b) - larger(c, d);
    return a - larger(b, larger(c, d));
}

static inline bool all_beyond(const float slack[4], float due)
{
    Float4 four;
    memcpy(&four, slack, sizeof four);
    return !any_of(four <= due);
}

// The nearest points at x, as weights, and the vector between them. False when edges are nearest at
// an end: a matter of particle and triangle.
static bool nearest_points(const Mesh *mesh, const double *x, const SelfPair *pair,
                           double weight[4], Vec3 *away)
{
    Vec3 at[4];
    double share[2];
    for (int i = 0; i < 4; i++) at[i] = mesh_vector(mesh, x, pair->particle[i]);
    if (pair->edges) {
        *away = nearest_on_segments(at[0], at[1], at[2], at[3], share);
        weight[0] = 1.0 - share[0], weight[1] = share[0];
        weight[2] = share[1] - 1.0, weight[3] = -share[1];
        return share[0] > 0.0 && share[0] < 1.0 && share[1] > 0.0 && share[1] < 1.0;
    }
    *away = nearest_on_triangle(at[0], at[1], at[2], at[3], share);
    weight[0] = 1.0, weight[1] = share[0] + share[1] - 1.0;
    weight[2] = -share[0], weight[3] = -share[1];
    return true;
}

static void limit_particle(SelfContact *contact, int particle, double limit)
{
    double *of = &contact->limit[particle];
    if (!(limit < *of)) return;
    if (*of == INFINITY) contact->limited[contact->limited_count++] = particle;
    *of = limit;
}

static int mover_of(SelfContact *contact, const Cloth *cloth, const double *old_x, int particle)
{
    int *index = &contact->mover[particle];
    if (*index >= 0) return *index;
    const Mesh *mesh = &cloth->mesh;
    *index = contact->mover_count++;
    SelfMover *mover = &contact->movers[*index];
    mover->particle = particle;
    mover->pushed = 0;
    mover->inverse = cloth->inverse_mass[mesh->first_dof[particle]];
    mover->way = mover->free_way =
        vec3_sub(mesh_vector(mesh, cloth->x, particle), mesh_vector(mesh, old_x, particle));
    mover->v = mover->free_v = mesh_vector(mesh, cloth->v, particle);
    return *index;
}

static void add_touch(SelfContact *contact, const Cloth *cloth, const double *old_x,
                      const SelfPair *pair, SelfTouch *touch)
{
    if (contact->touch_count == contact->touch_capacity) {
        contact->crowded = true;
        return;
    }
    touch->W = 0.0;
    touch->seen = -1;
    for (int i = 0; i < 4; i++) {
        touch->mover[i] = mover_of(contact, cloth, old_x, pair->particle[i]);
        touch->W += touch->weight[i] * touch->weight[i] * contact->movers[touch->mover[i]].inverse;
    }
    if (touch->W > 0.0) contact->touches[contact->touch_count++] = *touch;
}

// By how much a pair comes nearer in the step, m, less than 0; more than 0 if it parts.
static double parting(const Cloth *cloth, const double *old_x, const SelfPair *pair,
                      const SelfTouch *touch)
{
    const Mesh *mesh = &cloth->mesh;
    Vec3 sum = {0};
    for (int i = 0; i < 4; i++) {
        Vec3 way = vec3_sub(mesh_vector(mesh, cloth->x, pair->particle[i]),
                            mesh_vector(mesh, old_x, pair->particle[i]));
        sum = vec3_add_scaled(sum, touch->weight[i], way);
    }
    return vec3_dot(sum, touch->normal);
}

// A pair at the start of the step. False if it does not touch.
static bool measure_pair(SelfContact *contact, const Mesh *mesh, const double *old_x, int i,
                         double tight, SelfTouch *touch)
{
    SelfPair *pair = &contact->pairs[i];
    double thickness = (pair->edges ? 0.5 : 1.0) * self_contact_thickness(mesh);
    bool inside = nearest_points(mesh, old_x, pair, touch->weight, &touch->normal);
    double distance = vec3_length(touch->normal);
    touch->left = distance - thickness;
    touch->normal = vec3_scale(distance > 0.0 ? 1.0 / distance : 0.0, touch->normal);
    pair->normal = float4(touch->normal);
    contact->slack[i] = (float)(touch->left + contact->travelled);
    if (inside && distance < tight) {
        for (int k = 0; k < 4; k++)
            limit_particle(contact, pair->particle[k], SELF_SHARE * distance);
    }
    return inside && distance > 0.0;
}

// One of the listed pairs, if it is not further apart than `near`, m.
static void look_at(SelfContact *contact, const Cloth *cloth, const double *old_x, int i,
                    float near, double way, double tight)
{
    const SelfPair *pair = &contact->pairs[i];
    double thickness = (pair->edges ? 0.5 : 1.0) * self_contact_thickness(&cloth->mesh);
    float left = gap_of(pair, contact->now) - (float)thickness;
    if (left > near) {
        contact->slack[i] = left + (float)contact->travelled;
        return;
    }
    SelfTouch touch;
    if (measure_pair(contact, &cloth->mesh, old_x, i, tight, &touch) && touch.left <= 2.0 * way &&
        touch.left + parting(cloth, old_x, pair, &touch) <= NEAR_SHARE * way)
        add_touch(contact, cloth, old_x, pair, &touch);
}

void self_gather(SelfContact *contact, const Cloth *cloth, const double *old_x, double way,
                 double tight)
{
    const Mesh *mesh = &cloth->mesh;
    contact->touch_count = contact->limited_count = contact->mover_count = 0;
    contact->crowded = false;
    contact->most = SELF_SHARE * tight;
    if (contact->count == 0) return;
    double bound = fmax(2.0 * way, tight - 0.5 * self_contact_thickness(mesh));
    float near = (float)bound + ROUNDING * take_positions(contact, mesh, old_x),
          due = near + (float)contact->travelled;
    for (int i = 0; i < contact->count; i += 4) {
        if (all_beyond(contact->slack + i, due)) continue; // too far away, wherever they moved
        int end = contact->count - i < 4 ? contact->count : i + 4;
        for (int k = i; k < end; k++)
            if (contact->slack[k] <= due) look_at(contact, cloth, old_x, k, near, way, tight);
    }
}

// ---- impulses

static Vec3 weighted(const SelfTouch *touch, Vec3 a, Vec3 b, Vec3 c, Vec3 d)
{
    const double *w = touch->weight;
    return (Vec3){w[0] * a.x + w[1] * b.x + w[2] * c.x + w[3] * d.x,
                  w[0] * a.y + w[1] * b.y + w[2] * c.y + w[3] * d.y,
                  w[0] * a.z + w[1] * b.z + w[2] * c.z + w[3] * d.z};
}

// The change of a relative motion u that makes it at least `wanted` along the normal, with friction
// along the surface. 0 when it is faster apart already.
static Vec3 change_of(double friction, Vec3 u, Vec3 normal, double wanted)
{
    double across = vec3_dot(u, normal), change = wanted - across;
    if (!(change > 0.0)) return (Vec3){0};
    Vec3 along = vec3_add_scaled(u, -across, normal);
    double speed = vec3_length(along);
    double lost = speed > 0.0 ? fmin(friction * change / speed, 1.0) : 0.0;
    return vec3_add_scaled(vec3_scale(change, normal), -lost, along);
}

// One pair. Without an impulse, returns false.
static bool push_pair(SelfMover *movers, const SelfTouch *touch, double friction, double h)
{
    SelfMover *of[4];
    for (int i = 0; i < 4; i++) of[i] = &movers[touch->mover[i]];
    Vec3 way = weighted(touch, of[0]->way, of[1]->way, of[2]->way, of[3]->way);
    double left = touch->left, across = vec3_dot(way, touch->normal);
    double apart = left < 0.0 ? fmin(fmin(h / APART_TIME, 1.0) * -left, APART_SPEED * h) : 0.0;
    double least = left > 0.0 ? -left : 0.0; // of the way along the normal
    if (across >= least + apart) return false;
    Vec3 u = weighted(touch, of[0]->v, of[1]->v, of[2]->v, of[3]->v);
    Vec3 of_way = change_of(friction, way, touch->normal, least);
    of_way = vec3_add_scaled(of_way, fmin(least + apart - across, apart), touch->normal);
    Vec3 of_velocity = change_of(friction, u, touch->normal, least / h);
    for (int i = 0; i < 4; i++) { // by mass
        double share = touch->weight[i] * of[i]->inverse / touch->W;
        of[i]->way = vec3_add_scaled(of[i]->way, share, of_way);
        of[i]->v = vec3_add_scaled(of[i]->v, share, of_velocity);
    }
    return true;
}

// Was something of the pair pushed since it was last looked at?
static bool is_changed(const SelfMover *movers, const SelfTouch *touch)
{
    return movers[touch->mover[0]].pushed > touch->seen ||
           movers[touch->mover[1]].pushed > touch->seen ||
           movers[touch->mover[2]].pushed > touch->seen ||
           movers[touch->mover[3]].pushed > touch->seen;
}

// Returns how many were pushed; `pushes` counts all of the step.
static int push_round(SelfContact *contact, double friction, double h, long *pushes)
{
    SelfMover *movers = contact->movers;
    long before = *pushes;
    for (int i = 0; i < contact->touch_count; i++) {
        SelfTouch *touch = &contact->touches[i];
        if (!is_changed(movers, touch)) continue;
        if (push_pair(movers, touch, friction, h)) {
            ++*pushes;
            for (int k = 0; k < 4; k++)
                if (touch->weight[k] != 0.0) movers[touch->mover[k]].pushed = *pushes;
        }
        touch->seen = *pushes;
    }
    return (int)(*pushes - before);
}

// The particles take what they got. Returns the work on them, J: of each, the sum of its impulses
// times the mean of its velocities at both ends of the step. What rests gets none.
static double move(SelfContact *contact, Cloth *cloth, const double *old_v)
{
    const Mesh *mesh = &cloth->mesh;
    double work = 0.0;
    for (int i = 0; i < contact->mover_count; i++) {
        const SelfMover *mover = &contact->movers[i];
        contact->mover[mover->particle] = -1;
        if (mover->pushed == 0 || mover->inverse == 0.0) continue;
        Vec3 x = mesh_vector(mesh, cloth->x, mover->particle);
        x = vec3_add(x, vec3_sub(mover->way, mover->free_way));
        mesh_set_vector(mesh, cloth->x, mover->particle, x);
        mesh_set_vector(mesh, cloth->v, mover->particle, mover->v);
        Vec3 both = vec3_add(mesh_vector(mesh, old_v, mover->particle), mover->v);
        work += 0.5 / mover->inverse * vec3_dot(vec3_sub(mover->v, mover->free_v), both);
    }
    return work;
}

SelfReport self_push(SelfContact *contact, Cloth *cloth, const SelfStep *step)
{
    SelfReport report = {0};
    long pushes = 0;
    for (int round = 0; round < ROUNDS; round++) {
        int pushed = push_round(contact, cloth->material.friction, step->h, &pushes);
        if (round == 0) report.pairs = pushed;
        if (pushed == 0) break;
    }
    report.work = move(contact, cloth, step->old_v);
    return report;
}
