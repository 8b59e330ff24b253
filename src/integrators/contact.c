#include "integrators/contact.h"

#include "linalg/vectors.h"

#include <math.h>
#include <string.h>

// Turns of finding friction in a step. Where stiff springs pull at a contact that hardly slides,
// they converge slowly: with a coarse tolerance the next step goes on with what is known by then.
#define FINE 1e-6
enum { MAX_TURNS = 500, FRICTION_TURNS = 6, FINE_TURNS = 400 };
// A contact that pulls is let go, and one that slides stops, only so often in a step, or it would
// come and go for ever.
enum { MAX_CHANGES = 3 };
// What slides slower than this share of the speed that friction takes in a step has stopped.
#define STOPPED 1e-2
// Friction is known to so many times the solver's tolerance: 10 % with the default one.
#define FRICTION_SHARE 10.0

static Vec3 vector_at(const ContactSet *set, const ContactPoint *point, const double *flat)
{
    const double *q = flat + point->first_dof;
    return (Vec3){q[0], q[set->component_stride], q[2 * set->component_stride]};
}

static void set_vector_at(const ContactSet *set, const ContactPoint *point, double *flat, Vec3 a)
{
    double *q = flat + point->first_dof;
    q[0] = a.x;
    q[set->component_stride] = a.y;
    q[2 * set->component_stride] = a.z;
}

static Vec3 along(const ContactPoint *point, Vec3 a)
{
    return vec3_add_scaled(a, -vec3_dot(a, point->normal), point->normal);
}

// Without the directions that contacts hold.
static void hold(const ContactSet *set, double *flat)
{
    for (int i = 0; i < set->count; i++) {
        const ContactPoint *point = &set->points[i];
        if (point->state == CONTACT_STICKING) set_vector_at(set, point, flat, (Vec3){0});
        if (point->state == CONTACT_SLIDING)
            set_vector_at(set, point, flat, along(point, vector_at(set, point, flat)));
    }
}

// flat += scale times the drag of what slides with the velocity v relative to its surface
static void add_drag(const ContactSet *set, double scale, bool relative, const double *v,
                     double *flat)
{
    for (int i = 0; i < set->count; i++) {
        const ContactPoint *point = &set->points[i];
        if (point->state != CONTACT_SLIDING) continue;
        Vec3 u = vector_at(set, point, v);
        if (!relative) u = vec3_sub(u, point->surface);
        Vec3 there = vector_at(set, point, flat);
        there = vec3_add_scaled(there, scale * point->drag, along(point, u));
        set_vector_at(set, point, flat, there);
    }
}

void contact_filter(const ContactSet *set, const double *v, double *residual)
{
    add_drag(set, -1.0, false, v, residual);
    hold(set, residual);
}

// A and the drag between directions that are free.
typedef struct Held {
    const ContactSet *set;
    const LinearOperator *A;
} Held;

static void multiply(void *self, const double *p, double *out)
{
    const Held *held = self;
    held->A->multiply(held->A->self, p, out);
    add_drag(held->set, 1.0, true, p, out);
    hold(held->set, out);
}

static void precondition(void *self, const double *r, double *z)
{
    const Held *held = self;
    if (held->A->precondition)
        held->A->precondition(held->A->self, r, z);
    else
        memcpy(z, r, (size_t)held->A->dofs * sizeof *z);
    hold(held->set, z);
}

// Set the held part of dv to what the contacts ask for.
static void prescribe(const ContactSet *set, const double *v, double *dv)
{
    for (int i = 0; i < set->count; i++) {
        const ContactPoint *point = &set->points[i];
        if (point->state == CONTACT_OPEN) continue;
        Vec3 before = vector_at(set, point, v), change = vector_at(set, point, dv);
        Vec3 after = point->state == CONTACT_STICKING ? along(point, point->surface)
                                                      : along(point, vec3_add(before, change));
        after = vec3_add_scaled(after, point->least, point->normal);
        set_vector_at(set, point, dv, vec3_sub(after, before));
    }
}

// The impulses, from A dv = b + J. Returns the largest.
static double read_impulses(ContactSet *set, const double *Adv, const double *b)
{
    double largest = 0.0;
    for (int i = 0; i < set->count; i++) {
        ContactPoint *point = &set->points[i];
        point->impulse = (Vec3){0};
        if (point->state == CONTACT_OPEN) continue;
        point->impulse = vec3_sub(vector_at(set, point, Adv), vector_at(set, point, b));
        largest = fmax(largest, vec3_length(point->impulse));
    }
    return largest;
}

static bool close_if_passing(const ContactSet *set, ContactPoint *point, Vec3 after, double slack)
{
    if (vec3_dot(after, point->normal) >= point->least - slack) return false;
    point->state = set->friction > 0.0 ? CONTACT_STICKING : CONTACT_SLIDING;
    point->drag = 0.0;
    return true;
}

static void open(ContactPoint *point)
{
    point->state = CONTACT_OPEN;
    point->drag = 0.0;
    point->impulse = (Vec3){0};
    point->changes++;
}

static bool update_sliding(const ContactSet *set, ContactPoint *point, Vec3 after, double share)
{
    if (set->friction == 0.0) return false;
    double speed = vec3_length(along(point, vec3_sub(after, point->surface)));
    double most = set->friction * fmax(vec3_dot(point->impulse, point->normal), 0.0);
    double slow = STOPPED * set->speed;
    if (speed < slow && point->changes < MAX_CHANGES) {
        point->state = CONTACT_STICKING;
        point->changes++;
        return true;
    }
    bool changed = fabs(most - point->drag * speed) > share * most;
    point->drag = most / fmax(speed, slow);
    return changed;
}

static bool update_sticking(const ContactSet *set, ContactPoint *point, double small)
{
    double most = set->friction * fmax(vec3_dot(point->impulse, point->normal), 0.0);
    if (vec3_length(along(point, point->impulse)) <= most + small) return false;
    point->state = CONTACT_SLIDING;
    point->drag = most / set->speed;
    return true;
}

static bool update_states(ContactSet *set, const double *v, const double *dv, double largest,
                          double tolerance)
{
    bool changed = false;
    double small = tolerance * largest, share = FRICTION_SHARE * tolerance;
    bool rubs = set->friction_turns++ < (tolerance < FINE ? FINE_TURNS : FRICTION_TURNS);
    for (int i = 0; i < set->count; i++) {
        ContactPoint *point = &set->points[i];
        Vec3 after = vec3_add(vector_at(set, point, v), vector_at(set, point, dv));
        bool now = false;
        if (point->state == CONTACT_OPEN) {
            now = close_if_passing(set, point, after, 1e-12 + 1e-9 * fabs(point->least));
        } else if (vec3_dot(point->impulse, point->normal) < -small &&
                   point->changes < MAX_CHANGES) {
            open(point);
            now = true;
        } else if (rubs && point->state == CONTACT_SLIDING) {
            now = update_sliding(set, point, after, share);
        } else if (rubs) {
            now = update_sticking(set, point, small);
        }
        changed = changed || now;
    }
    return changed;
}

PcgReport contact_solve(ContactSet *set, const LinearOperator *A, const double *b, const double *v,
                        double *dv, const PcgEffort *effort, int budget, Arena *scratch)
{
    int n = A->dofs;
    const double tolerance = effort->tolerance;
    double *rest = ARENA_ALLOC(scratch, n, double);
    double *correction = ARENA_ALLOC(scratch, n, double);
    double *Adv = ARENA_ALLOC(scratch, n, double);
    double *end_v = ARENA_ALLOC(scratch, n, double);
    size_t mark = scratch->used;
    Held held = {set, A};
    LinearOperator inner = {
        .self = &held, .dofs = n, .multiply = multiply, .precondition = precondition};
    PcgReport whole = {0};
    const double scale = sqrt(vector_dot(n, b, b));
    memset(dv, 0, (size_t)n * sizeof *dv);
    for (int turn = 0; turn < MAX_TURNS; turn++) {
        scratch->used = mark;
        prescribe(set, v, dv);
        A->multiply(A->self, dv, Adv);
        for (int i = 0; i < n; i++) {
            rest[i] = b[i] - Adv[i];
            end_v[i] = v[i] + dv[i];
        }
        contact_filter(set, end_v, rest);
        double norm = sqrt(vector_dot(n, rest, rest));
        // Each turn starts from the solution of the one before, which may be good enough.
        PcgReport report = {.converged = true};
        memset(correction, 0, (size_t)n * sizeof *correction);
        PcgEffort of_turn = *effort;
        of_turn.tolerance = tolerance * scale / norm;
        if (norm > tolerance * scale)
            report = pcg_solve_with(&inner, rest, correction, &of_turn, scratch);
        whole.iterations += report.iterations;
        whole.residual = report.residual;
        whole.converged = report.converged;
        whole.negative_curvature = report.negative_curvature;
        whole.cancelled = report.cancelled;
        for (int i = 0; i < n; i++) dv[i] += correction[i];
        A->multiply(A->self, dv, Adv);
        double largest = read_impulses(set, Adv, b);
        bool ended = report.negative_curvature || report.cancelled || whole.iterations >= budget;
        if (ended || set->fixed) break;
        if (!update_states(set, v, dv, largest, tolerance)) break;
    }
    return whole;
}

void contact_keep(ContactSet *set)
{
    for (int i = 0; i < set->count; i++)
        set->points[i].total = vec3_add(set->points[i].total, set->points[i].impulse);
}

void contact_forget(ContactSet *set)
{
    for (int i = 0; i < set->count; i++) set->points[i].total = (Vec3){0};
}

size_t contact_scratch_size(int dofs)
{
    return 4 * arena_footprint((size_t)dofs * sizeof(double)) + pcg_scratch_size(dofs);
}
