#include "cloth/self_touch.h"

#include "cloth/nearest.h"
#include "cloth/self_follow.h"
#include "cloth/self_list.h"

#include <math.h>
#include <string.h>

// Rounds over the pairs in a step.
enum { ROUNDS = 4 };
// s, in which pairs that are too near are moved apart, and m/s, at most.
#define APART_TIME 0.05
#define APART_SPEED 0.1
// A pair that would stay further apart than this share of what two blocks come nearer is left out.
#define NEAR_SHARE 0.25
// In spacings: pairs that are further away than this and do not meet in a step are not listed.
#define MARGIN 0.25

// m/s: speeds that differ by less are the same.
#define ROUNDING 1e-12

// Pairs of blocks sleep that will not come near each other in so many steps like the last one, and
// in one that is so many times as long.
#define SLEEP_STEPS 3.0
#define SLEEP_SPEED 1.25
// In spacings: when pairs would have to be further apart, none sleep.
#define SLEEP_WITHIN 0.22
// Steps after which what is asleep is chosen again; after a search, the next one.
enum { SURVEY_STEPS = 16 };

// After there was no room for all pairs, lists are as short as they can be for so many steps.
enum { THIN_STEPS = 16 };

// ---- what may meet

static inline float larger(float a, float b)
{
    return a > b ? a : b;
}

static inline float smaller(float a, float b)
{
    return a < b ? a : b;
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
    Float4 normal = {pair->normal[0], pair->normal[1], pair->normal[2], 0.0f};
    float a = shadow(normal, now[p[0]]), b = shadow(normal, now[p[1]]),
          c = shadow(normal, now[p[2]]), d = shadow(normal, now[p[3]]);
    if (pair->edges) return smaller(a, b) - larger(c, d);
    return a - larger(b, larger(c, d));
}

double self_gap(const Mesh *mesh, const SelfPair *pair, const double *x)
{
    Vec3 normal = {pair->normal[0], pair->normal[1], pair->normal[2]};
    double at[4];
    for (int i = 0; i < 4; i++) at[i] = vec3_dot(normal, mesh_vector(mesh, x, pair->particle[i]));
    if (pair->edges) return fmin(at[0], at[1]) - fmax(at[2], at[3]);
    return at[0] - fmax(at[1], fmax(at[2], at[3]));
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

typedef struct Gathering {
    SelfContact *contact;
    const Cloth *cloth;
    SelfWay way;
    const double *old_v;
    double tight;
    float thickness, rounding; // m
    float least;               // m: pairs that are not further apart than this are measured
    float pushed, furthest;    // m: two blocks come nearer by so much more, and at most
    float margin;              // m, of lists
} Gathering;

static int mover_of(SelfContact *contact, const Gathering *with, int particle)
{
    int *index = &contact->mover[particle];
    if (*index >= 0) return *index;
    const Cloth *cloth = with->cloth;
    const Mesh *mesh = &cloth->mesh;
    *index = contact->mover_count++;
    SelfMover *mover = &contact->movers[*index];
    mover->particle = particle;
    mover->pushed = 0;
    mover->inverse = cloth->inverse_mass[mesh->first_dof[particle]];
    mover->way = mover->free_way = vec3_sub(mesh_vector(mesh, cloth->x, particle),
                                            mesh_vector(mesh, with->way.from, particle));
    mover->v = mover->free_v = mesh_vector(mesh, cloth->v, particle);
    mover->old_v = mesh_vector(mesh, with->old_v, particle);
    return *index;
}

static void add_touch(const Gathering *with, const SelfPair *pair, SelfTouch *touch)
{
    SelfContact *contact = with->contact;
    if (contact->touch_count == contact->touch_capacity) {
        contact->crowded = true;
        return;
    }
    touch->W = 0.0;
    touch->seen = -1;
    for (int i = 0; i < 4; i++) {
        touch->mover[i] = mover_of(contact, with, pair->particle[i]);
        touch->W += touch->weight[i] * touch->weight[i] * contact->movers[touch->mover[i]].inverse;
    }
    if (touch->W > 0.0) contact->touches[contact->touch_count++] = *touch;
}

// By how much a pair comes nearer in the step, m, less than 0; more than 0 if it parts.
static double parting(const SelfContact *contact, const SelfPair *pair, const SelfTouch *touch)
{
    Float4 sum = {0};
    for (int i = 0; i < 4; i++) sum += (float)touch->weight[i] * contact->next[pair->particle[i]];
    return vec3_dot((Vec3){sum[0], sum[1], sum[2]}, touch->normal);
}

// A pair at the start of the step. False if it does not touch.
static bool measure_pair(SelfContact *contact, const Mesh *mesh, const double *old_x,
                         const SelfClose *close, int i, double tight, SelfTouch *touch)
{
    SelfPair *pair = &contact->pairs[i];
    double thickness = (pair->edges ? 0.5 : 1.0) * self_contact_thickness(mesh);
    bool inside = nearest_points(mesh, old_x, pair, touch->weight, &touch->normal);
    double distance = vec3_length(touch->normal);
    touch->left = distance - thickness;
    touch->normal = vec3_scale(distance > 0.0 ? 1.0 / distance : 0.0, touch->normal);
    Float4 normal = float4(touch->normal);
    memcpy(pair->normal, &normal, sizeof pair->normal);
    contact->slack[i] = (float)touch->left;
    if (inside && distance < tight) {
        contact->tight[contact->tight_count++] =
            (SelfTight){(int)(close - contact->close), i - close->first};
        for (int k = 0; k < 4; k++)
            limit_particle(contact, pair->particle[k], SELF_SHARE * distance);
    }
    return inside && distance > 0.0;
}

// One of the listed pairs: if it is not further apart than `near` it may touch; if not further than
// `measured`, its distance counts.
static void look_at(const Gathering *with, const SelfClose *close, int i, float near,
                    float measured)
{
    SelfContact *contact = with->contact;
    const SelfPair *pair = &contact->pairs[i];
    float thickness = pair->edges ? 0.5f * with->thickness : with->thickness;
    float left = gap_of(pair, contact->now) - thickness;
    if (left > measured) {
        contact->slack[i] = left;
        return;
    }
    SelfTouch touch;
    if (measure_pair(contact, &with->cloth->mesh, with->way.from, close, i, with->tight, &touch) &&
        touch.left <= (double)near &&
        touch.left + parting(contact, pair, &touch) <= NEAR_SHARE * (double)near)
        add_touch(with, pair, &touch);
}

static inline float length_of(Float4 a)
{
    Float4 square = a * a;
    return sqrtf(square[0] + square[1] + square[2]);
}

// Two blocks that may have come near. False when there is no room for their pairs.
static bool look_at_blocks(const Gathering *with, SelfClose *close)
{
    SelfContact *contact = with->contact;
    Float4 a = contact->coming[close->a], b = contact->coming[close->b];
    float near = smaller(length_of(a - b) + a[3] + b[3] + with->pushed, with->furthest),
          measured = larger(near, with->least) + with->rounding;
    self_take_reference(contact, close);
    if (close->unlisted <= measured &&
        !self_list(contact, &with->cloth->mesh, close, measured + with->margin, with->rounding))
        return false;
    float least = close->unlisted;
    int end = close->first + close->pairs;
    for (int i = close->first; i < end; i += 4) {
        if (i + 4 <= end && all_beyond(contact->slack + i, larger(measured, least))) continue;
        for (int k = i; k < end && k < i + 4; k++) {
            if (contact->slack[k] <= measured) look_at(with, close, k, near, measured);
            least = smaller(least, contact->slack[k]);
        }
    }
    close->slack = least;
    return true;
}

// May two blocks come nearer than `least`, m, in the step?
static inline bool is_due(const SelfContact *contact, const SelfClose *close, float least)
{
    const Float4 others = {-1.0f, -1.0f, -1.0f, 1.0f};
    Float4 way = contact->reached[close->a] + others * contact->reached[close->b] - close->from,
           square = way * way;
    float rest = close->slack - way[3] - least;
    return !(rest > 0.0f && rest * rest > square[0] + square[1] + square[2]);
}

static void start_touches(SelfContact *contact)
{
    for (int i = 0; i < contact->mover_count; i++) contact->mover[contact->movers[i].particle] = -1;
    for (int i = 0; i < contact->limited_count; i++) contact->limit[contact->limited[i]] = INFINITY;
    contact->touch_count = contact->limited_count = contact->mover_count = 0;
    contact->tight_count = 0;
    contact->crowded = false;
}

// m: pairs of blocks that are further apart are not looked at in the step.
static inline float least_apart(const Gathering *with)
{
    return larger(with->least, 0.0f) + with->pushed;
}

// Follows all blocks, or those that are awake while the others cannot come near each other.
static void follow(Gathering *with)
{
    SelfContact *contact = with->contact;
    const Mesh *mesh = &with->cloth->mesh;
    double apart = (double)(least_apart(with) + 2.0f * contact->rounding),
           coming = (double)with->furthest;
    if (contact->survey_age < contact->survey_due && contact->surveyed &&
        apart + coming + 2.0 * contact->gone < (double)contact->asleep) {
        with->rounding = self_follow(contact, mesh, &with->way);
        return;
    }
    contact->survey_due = contact->surveyed ? SURVEY_STEPS : 1;
    double below = apart + SLEEP_SPEED * coming + SLEEP_STEPS * 2.0 * contact->last_way;
    if (below > SLEEP_WITHIN * mesh->spacing) below = INFINITY;
    with->rounding = self_survey(contact, mesh, &with->way, (float)below);
}

static bool gather(Gathering *with)
{
    SelfContact *contact = with->contact;
    follow(with);
    float least = least_apart(with) + with->rounding;
    start_touches(contact);
    for (int i = 0; i < contact->awake_count; i++) {
        SelfClose *close = &contact->close[contact->awake[i]];
        if (is_due(contact, close, least) && !look_at_blocks(with, close)) return false;
    }
    return true;
}

// Less far, when there are more pairs than room: then nothing moves further than SELF_MOST of
// that.
static void gather_less(Gathering *with, double spacing)
{
    SelfContact *contact = with->contact;
    with->margin = 0.0f;
    contact->thin = THIN_STEPS;
    for (;;) {
        self_list_none(contact);
        contact->most = SELF_MOST * with->tight;
        if (gather(with)) return;
        if (with->tight <= SELF_LEAST_TIGHT * spacing) break;
        with->tight = fmax(0.6 * with->tight, SELF_LEAST_TIGHT * spacing);
        with->least = (float)with->tight - 0.5f * with->thickness;
        with->furthest = smaller(with->furthest, (float)with->tight);
    }
    contact->full = true;
}

void self_gather(SelfContact *contact, const Cloth *cloth, const SelfStep *step, Vec3 frame,
                 SelfRange range)
{
    const Mesh *mesh = &cloth->mesh;
    double thickness = self_contact_thickness(mesh);
    contact->most = SELF_MOST * range.tight;
    contact->step++;
    if (contact->close_count == 0) { // nothing to follow
        contact->followed = false;
        start_touches(contact);
        return;
    }
    if (contact->thin > 0) contact->thin--;
    Gathering with = {.contact = contact,
                      .cloth = cloth,
                      .way = {step->old_x, cloth->x, frame},
                      .old_v = step->old_v,
                      .tight = range.tight,
                      .thickness = (float)thickness,
                      .least = (float)(range.tight - 0.5 * thickness),
                      .furthest = (float)range.near,
                      .pushed = (float)(SELF_PUSHED * mesh->spacing),
                      .margin = contact->thin > 0 ? 0.0f : (float)(MARGIN * mesh->spacing)};
    if (!gather(&with)) gather_less(&with, mesh->spacing);
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

double self_apart(double left, double h)
{
    return left < 0.0 ? fmin(fmin(h / APART_TIME, 1.0) * -left, APART_SPEED * h) : 0.0;
}

// Of a late method: does a pair that is `next` apart after the step, m, come too near in the next
// one, and is what forces gave it in this step enough for that? Then it is stopped at once, and
// what rests does not move (as comes_next in collide.c).
static bool comes_next(const SelfTouch *touch, SelfMover *const of[4], Vec3 u, double next,
                       double h)
{
    Vec3 old = weighted(touch, of[0]->old_v, of[1]->old_v, of[2]->old_v, of[3]->old_v);
    double pressed = vec3_dot(vec3_sub(old, u), touch->normal);
    double least = -fmax(next, 0.0) / h - ROUNDING;
    return vec3_dot(u, touch->normal) < least && next < h * fmax(pressed, 0.0);
}

// One pair. Without an impulse, returns false.
static bool push_pair(SelfMover *movers, const SelfTouch *touch, double friction,
                      const SelfStep *step)
{
    SelfMover *of[4];
    for (int i = 0; i < 4; i++) of[i] = &movers[touch->mover[i]];
    Vec3 way = weighted(touch, of[0]->way, of[1]->way, of[2]->way, of[3]->way);
    double left = touch->left, across = vec3_dot(way, touch->normal);
    double h = step->h, apart = self_apart(left, h);
    double least = left > 0.0 ? -left : 0.0; // of the way along the normal
    bool comes = across < least + apart - step->slack;
    Vec3 u = weighted(touch, of[0]->v, of[1]->v, of[2]->v, of[3]->v);
    double next = left + fmax(across, least + apart); // after the step
    if (!comes && !(step->late && comes_next(touch, of, u, next, h))) return false;
    Vec3 of_way = change_of(friction, way, touch->normal, least);
    if (comes) of_way = vec3_add_scaled(of_way, fmin(least + apart - across, apart), touch->normal);
    double slowest = step->late ? -fmax(next, 0.0) / h : least / h;
    Vec3 of_velocity = change_of(friction, u, touch->normal, slowest);
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
static int push_round(SelfContact *contact, double friction, const SelfStep *step, long *pushes)
{
    SelfMover *movers = contact->movers;
    long before = *pushes;
    for (int i = 0; i < contact->touch_count; i++) {
        SelfTouch *touch = &contact->touches[i];
        if (!is_changed(movers, touch)) continue;
        if (push_pair(movers, touch, friction, step)) {
            ++*pushes;
            for (int k = 0; k < 4; k++)
                if (touch->weight[k] != 0.0) movers[touch->mover[k]].pushed = *pushes;
        }
        touch->seen = *pushes;
    }
    return (int)(*pushes - before);
}

// The particles take what they got.
static void move(SelfContact *contact, Cloth *cloth)
{
    const Mesh *mesh = &cloth->mesh;
    for (int i = 0; i < contact->mover_count; i++) {
        const SelfMover *mover = &contact->movers[i];
        if (mover->pushed == 0 || mover->inverse == 0.0) continue;
        Vec3 x = mesh_vector(mesh, cloth->x, mover->particle);
        x = vec3_add(x, vec3_sub(mover->way, mover->free_way));
        mesh_set_vector(mesh, cloth->x, mover->particle, x);
        mesh_set_vector(mesh, cloth->v, mover->particle, mover->v);
    }
}

int self_push(SelfContact *contact, Cloth *cloth, const SelfStep *step)
{
    int pairs = 0;
    long pushes = 0;
    for (int round = 0; round < ROUNDS; round++) {
        int pushed = push_round(contact, cloth->material.friction, step, &pushes);
        if (round == 0) pairs = pushed;
        if (pushed == 0) break;
    }
    move(contact, cloth);
    return pairs;
}

double self_push_work(const SelfContact *contact, const Cloth *cloth, const SelfStep *step)
{
    const Mesh *mesh = &cloth->mesh;
    double work = 0.0;
    for (int i = 0; i < contact->mover_count; i++) {
        const SelfMover *mover = &contact->movers[i];
        if (mover->pushed == 0 || mover->inverse == 0.0) continue;
        Vec3 x = mesh_vector(mesh, cloth->x, mover->particle);
        Vec3 way = vec3_sub(x, mesh_vector(mesh, step->old_x, mover->particle));
        Vec3 impulse = vec3_scale(1.0 / mover->inverse, vec3_sub(mover->v, mover->free_v));
        work += vec3_dot(impulse, way) / step->h;
    }
    return work;
}
