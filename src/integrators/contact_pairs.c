#include "integrators/contact_pairs.h"

#include "linalg/vectors.h"

#include <math.h>
#include <stdint.h>

// Of the mean diagonal of A. More would find impulses in fewer turns, each with more iterations.
#define STIFFNESS 4.0
// In a solve, so many turns look for impulses, and so many of them for friction: with 4 it was off
// by more than all that it does in some of the problems of test_contact_pairs, with 12 by 0.1 of
// it.
enum { MOST_TURNS = 40, FRICTION_TURNS = 12 };
// Halvings of the interval in which the end of a correction lies.
enum { HALVINGS = 20 };
// Friction is known to this share.
#define FRICTION_SHARE 0.05

static Vec3 velocity_of(const ContactPairs *pairs, const ContactPair *pair, const double *v)
{
    Vec3 u = {0};
    for (int i = 0; i < 4; i++) {
        const double *at = v + pair->first_dof[i];
        Vec3 of = {at[0], at[pairs->component_stride], at[2 * pairs->component_stride]};
        u = vec3_add_scaled(u, pair->weight[i], of);
    }
    return u;
}

static void give(const ContactPairs *pairs, const ContactPair *pair, Vec3 impulse, double *out)
{
    for (int i = 0; i < 4; i++) {
        double *at = out + pair->first_dof[i];
        at[0] += pair->given[i] * impulse.x;
        at[pairs->component_stride] += pair->given[i] * impulse.y;
        at[2 * pairs->component_stride] += pair->given[i] * impulse.z;
    }
}

static Vec3 along(const ContactPair *pair, Vec3 u)
{
    return vec3_add_scaled(u, -vec3_dot(u, pair->normal), pair->normal);
}

static double push_of(const ContactPair *pair, Vec3 u)
{
    return pair->push + pair->stiffness * (pair->least - vec3_dot(u, pair->normal));
}

static Vec3 impulse_of(const ContactPair *pair, Vec3 u)
{
    double push = push_of(pair, u);
    if (!(push > 0.0)) return (Vec3){0};
    return vec3_add_scaled(vec3_scale(push, pair->normal), -pair->drag, along(pair, u));
}

// The mean of the diagonal is that of z A z over vectors z of random signs. One of them is enough.
static double mean_diagonal(const LinearOperator *A, double *z, double *Az)
{
    for (int i = 0; i < A->dofs; i++)
        z[i] = ((uint32_t)i * UINT32_C(2654435761)) >> 31 ? 1.0 : -1.0;
    A->multiply(A->self, z, Az);
    return fabs(vector_dot(A->dofs, z, Az)) / A->dofs;
}

void contact_pairs_stiffen(ContactPairs *pairs, const LinearOperator *A, double *room[2])
{
    pairs->turns = pairs->friction_turns = 0;
    if (pairs->count == 0) return;
    double diagonal = mean_diagonal(A, room[0], room[1]);
    for (int i = 0; i < pairs->count; i++) {
        ContactPair *pair = &pairs->items[i];
        double sum = 0.0;
        for (int k = 0; k < 4; k++) sum += pair->weight[k] * pair->weight[k];
        pair->stiffness = STIFFNESS * diagonal / sum;
    }
}

void contact_pairs_add(const ContactPairs *pairs, const double *v, double scale, double *out)
{
    for (int i = 0; i < pairs->count; i++) {
        const ContactPair *pair = &pairs->items[i];
        Vec3 impulse = impulse_of(pair, velocity_of(pairs, pair, v));
        give(pairs, pair, vec3_scale(scale, impulse), out);
    }
}

void contact_pairs_multiply(const ContactPairs *pairs, const double *v, double *out)
{
    for (int i = 0; i < pairs->count; i++) {
        const ContactPair *pair = &pairs->items[i];
        if (!pair->closed) continue;
        Vec3 u = velocity_of(pairs, pair, v), held = vec3_scale(pair->drag, along(pair, u));
        double across = vec3_dot(u, pair->normal);
        give(pairs, pair, vec3_add_scaled(held, pair->stiffness * across, pair->normal), out);
    }
}

bool contact_pairs_close(ContactPairs *pairs, const double *v)
{
    bool changed = false;
    for (int i = 0; i < pairs->count; i++) {
        ContactPair *pair = &pairs->items[i];
        bool closed = push_of(pair, velocity_of(pairs, pair, v)) > 0.0;
        changed = changed || closed != pair->closed;
        pair->closed = closed;
    }
    return changed;
}

// How much less steeply the potential falls along dv, at a share of it, than it would if no pair
// opened or closed.
static double turned(const ContactPairs *pairs, const double *v, const double *dv, double share)
{
    double sum = 0.0;
    for (int i = 0; i < pairs->count; i++) {
        const ContactPair *pair = &pairs->items[i];
        double across = vec3_dot(velocity_of(pairs, pair, dv), pair->normal);
        double push = push_of(pair, velocity_of(pairs, pair, v)) - share * pair->stiffness * across;
        if (push > 0.0 && !pair->closed) sum -= push * across;
        if (push < 0.0 && pair->closed) sum += push * across;
    }
    return sum;
}

double contact_pairs_share(const ContactPairs *pairs, const double *v, const double *dv,
                           double descent)
{
    double low = 0.0, high = 1.0;
    if (pairs->count == 0 || turned(pairs, v, dv, 1.0) <= 0.0) return 1.0;
    for (int i = 0; i < HALVINGS; i++) {
        double share = 0.5 * (low + high);
        bool falls = turned(pairs, v, dv, share) < (1.0 - share) * descent;
        low = falls ? share : low;
        high = falls ? high : share;
    }
    return low > 0.0 ? low : high;
}

static bool update_friction(const ContactPairs *pairs, ContactPair *pair, Vec3 u)
{
    double speed = fmax(vec3_length(along(pair, u)), pairs->creep);
    double drag = fmin(pairs->friction * push_of(pair, u) / speed, pair->stiffness);
    if (fabs(drag - pair->drag) <= FRICTION_SHARE * drag) return false;
    pair->drag = drag;
    return true;
}

static bool update(const ContactPairs *pairs, ContactPair *pair, Vec3 u, bool rubs)
{
    if (!pair->closed) {
        pair->push = pair->drag = 0.0;
        return false;
    }
    bool changed = rubs && update_friction(pairs, pair, u);
    if (!(fabs(pair->least - vec3_dot(u, pair->normal)) > pairs->slack)) return changed;
    pair->push = push_of(pair, u);
    return true;
}

bool contact_pairs_update(ContactPairs *pairs, const double *v)
{
    if (pairs->turns++ >= MOST_TURNS) return false;
    if (contact_pairs_close(pairs, v)) return true;
    bool changed = false, rubs = pairs->friction_turns++ < FRICTION_TURNS;
    for (int i = 0; i < pairs->count; i++) {
        ContactPair *pair = &pairs->items[i];
        bool now = update(pairs, pair, velocity_of(pairs, pair, v), rubs);
        changed = changed || now;
    }
    return changed;
}

double contact_pairs_work(const ContactPairs *pairs, const double *v, const double *dv)
{
    double sum = 0.0;
    for (int i = 0; i < pairs->count; i++) {
        const ContactPair *pair = &pairs->items[i];
        Vec3 impulse = impulse_of(pair, velocity_of(pairs, pair, v));
        sum += vec3_dot(impulse, velocity_of(pairs, pair, dv));
    }
    return sum;
}

void contact_pairs_keep(ContactPairs *pairs, const double *v)
{
    for (int i = 0; i < pairs->count; i++) {
        ContactPair *pair = &pairs->items[i];
        pair->total = vec3_add(pair->total, impulse_of(pair, velocity_of(pairs, pair, v)));
    }
}

static double taken_by(const ContactPair *pair, Vec3 u, Vec3 end_u)
{
    Vec3 change = vec3_sub(end_u, u);
    double square = pair->inverse * vec3_dot(pair->total, pair->total);
    double stops = vec3_dot(pair->total, change);
    if (!(square > 0.0)) return 0.0;
    double share = fmin(fmax(stops / square, 0.0), 1.0);
    return vec3_dot(pair->total, end_u) - 0.5 * share * stops;
}

double contact_pairs_taken(const ContactPairs *pairs, const double *v, const double *end_v)
{
    double sum = 0.0;
    for (int i = 0; i < pairs->count; i++) {
        const ContactPair *pair = &pairs->items[i];
        sum += taken_by(pair, velocity_of(pairs, pair, v), velocity_of(pairs, pair, end_v));
    }
    return sum;
}
