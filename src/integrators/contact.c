#include "integrators/contact.h"

#include "linalg/vectors.h"

#include <math.h>
#include <string.h>

// Turns of finding friction in a step: with a coarse tolerance the next step goes on with what is
// known by then.
#define FINE 1e-6
enum { MAX_TURNS = 500, FRICTION_TURNS = 12, FINE_TURNS = 400 };
// A contact that pulls is let go, and one that slides stops, only so often in a step, or it would
// come and go for ever.
enum { MAX_CHANGES = 3 };
// Of the speed that friction takes in a step: below it there is no direction, and, after
// MAX_CHANGES, friction grows with the speed.
#define STILL 1e-9
#define CREEP 1e-2
// Friction is known to so many times the solver's tolerance, and at least to this share.
#define FRICTION_SHARE 10.0
#define FRICTION_COARSE 1e-2
// The solver's tolerance is relative to what the contacts leave of b. Where that is nothing, to
// this share of b.
#define LEFT_FLOOR 1e-4
// By which a turn reduces the residual while states change.
#define ROUGH 0.3

enum { BALL_DOFS = sizeof(Twist) / sizeof(double) };

bool contact_is_empty(const ContactSet *set)
{
    return set->count == 0 && set->pairs.count == 0;
}

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

// ---- balls

static Twist twist_add_scaled(Twist a, double s, Twist b)
{
    return (Twist){vec3_add_scaled(a.velocity, s, b.velocity), vec3_add_scaled(a.spin, s, b.spin)};
}

// Of the surface, when the balls have these twists.
static Vec3 given(const ContactPoint *point, const Twist *twists)
{
    if (point->ball < 0) return (Vec3){0};
    const Twist *twist = &twists[point->ball];
    return vec3_add(twist->velocity, vec3_cross(twist->spin, point->arm));
}

// An impulse at the surface.
static void give(const ContactPoint *point, double scale, Vec3 impulse, Twist *momenta)
{
    if (point->ball < 0) return;
    Twist *momentum = &momenta[point->ball];
    momentum->velocity = vec3_add_scaled(momentum->velocity, scale, impulse);
    momentum->spin = vec3_add_scaled(momentum->spin, scale, vec3_cross(point->arm, impulse));
}

// momenta += scale M twists
static void add_momenta(const ContactSet *set, double scale, const Twist *twists, Twist *momenta)
{
    for (int i = 0; i < set->ball_count; i++) {
        const ContactBall *ball = &set->balls[i];
        Twist *to = &momenta[i];
        to->velocity = vec3_add_scaled(to->velocity, scale * ball->mass, twists[i].velocity);
        to->spin = vec3_add_scaled(to->spin, scale * ball->inertia, twists[i].spin);
    }
}

// ---- what is held, and friction

// Particles that are held move with their surfaces: from free motion to all.
static void expand(const ContactSet *set, const Twist *twists, double *flat)
{
    for (int i = 0; i < set->count; i++) {
        const ContactPoint *point = &set->points[i];
        if (point->state == CONTACT_OPEN || point->ball < 0) continue;
        Vec3 surface = given(point, twists), held = surface;
        if (point->state == CONTACT_SLIDING)
            held = vec3_add_scaled(along(point, vector_at(set, point, flat)),
                                   vec3_dot(surface, point->normal), point->normal);
        set_vector_at(set, point, flat, held);
    }
}

// Its transpose: impulses in directions that contacts hold go to the balls, or are lost.
static void contract(const ContactSet *set, double *flat, Twist *momenta)
{
    for (int i = 0; i < set->count; i++) {
        const ContactPoint *point = &set->points[i];
        if (point->state == CONTACT_OPEN) continue;
        Vec3 all = vector_at(set, point, flat);
        Vec3 left = point->state == CONTACT_SLIDING ? along(point, all) : (Vec3){0};
        give(point, 1.0, vec3_sub(all, left), momenta);
        set_vector_at(set, point, flat, left);
    }
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

// The part of sliding friction that is linear in u, along the surface.
static Vec3 drag_of(const ContactPoint *point, Vec3 u)
{
    if (point->rub > 0.0) u = vec3_add_scaled(u, -vec3_dot(u, point->direction), point->direction);
    return vec3_scale(point->drag, u);
}

static Vec3 friction_of(const ContactPoint *point, Vec3 u)
{
    return vec3_add_scaled(drag_of(point, u), point->rub, point->direction);
}

// Relative to the surface and along it, at the velocities v and with these twists.
static Vec3 slip(const ContactSet *set, const ContactPoint *point, const double *v,
                 const Twist *twists)
{
    Vec3 surface = vec3_add(point->surface, given(point, twists));
    return along(point, vec3_sub(vector_at(set, point, v), surface));
}

// Take sliding friction from impulses.
static void rub(const ContactSet *set, const double *v, const Twist *twists, double *impulses,
                Twist *momenta)
{
    for (int i = 0; i < set->count; i++) {
        const ContactPoint *point = &set->points[i];
        if (point->state != CONTACT_SLIDING) continue;
        Vec3 taken = friction_of(point, slip(set, point, v, twists));
        Vec3 there = vector_at(set, point, impulses);
        set_vector_at(set, point, impulses, vec3_sub(there, taken));
        give(point, 1.0, taken, momenta);
    }
}

// ---- the linear system of a turn

// A, the balls and the drag, between directions that are free. The balls' six numbers each follow
// those of the particles.
typedef struct Held {
    const ContactSet *set;
    const LinearOperator *A;
    double *all; // room for the particles' velocities
} Held;

static Twist *twists_of(const Held *held, double *flat)
{
    return (Twist *)(flat + held->A->dofs);
}

static const Twist *twists_in(const Held *held, const double *flat)
{
    return (const Twist *)(flat + held->A->dofs);
}

static void add_drag(const Held *held, const double *v, const Twist *twists, double *out)
{
    const ContactSet *set = held->set;
    for (int i = 0; i < set->count; i++) {
        const ContactPoint *point = &set->points[i];
        if (point->state != CONTACT_SLIDING || point->drag == 0.0) continue;
        Vec3 u = vec3_sub(vector_at(set, point, v), given(point, twists));
        Vec3 taken = drag_of(point, along(point, u));
        set_vector_at(set, point, out, vec3_add(vector_at(set, point, out), taken));
        give(point, -1.0, taken, twists_of(held, out));
    }
}

static void multiply(void *self, const double *p, double *out)
{
    const Held *held = self;
    const ContactSet *set = held->set;
    const Twist *twists = twists_in(held, p);
    Twist *momenta = twists_of(held, out);
    const double *v = p;
    if (set->ball_count > 0) {
        memcpy(held->all, p, (size_t)held->A->dofs * sizeof *p);
        expand(set, twists, held->all);
        v = held->all;
    }
    held->A->multiply(held->A->self, v, out);
    memset(momenta, 0, (size_t)set->ball_count * sizeof *momenta);
    add_momenta(set, 1.0, twists, momenta);
    add_drag(held, v, twists, out);
    contact_pairs_multiply(&set->pairs, v, out);
    contract(set, out, momenta);
}

static void precondition(void *self, const double *r, double *z)
{
    const Held *held = self;
    const ContactSet *set = held->set;
    if (held->A->precondition)
        held->A->precondition(held->A->self, r, z);
    else
        memcpy(z, r, (size_t)held->A->dofs * sizeof *z);
    hold(set, z);
    for (int i = 0; i < set->ball_count; i++) {
        const Twist *momentum = &twists_in(held, r)[i];
        twists_of(held, z)[i] = (Twist){vec3_scale(1.0 / set->balls[i].mass, momentum->velocity),
                                        vec3_scale(1.0 / set->balls[i].inertia, momentum->spin)};
    }
}

// Of a particle in contact, the velocity that the contact asks for.
static Vec3 wanted(const ContactSet *set, const ContactPoint *point, const double *v,
                   const Twist *twists)
{
    Vec3 moved = given(point, twists), surface = vec3_add(point->surface, moved);
    Vec3 at = point->state == CONTACT_STICKING ? surface : vector_at(set, point, v);
    return vec3_add_scaled(along(point, at), point->least + vec3_dot(moved, point->normal),
                           point->normal);
}

// Set the held part of end_v and dv to what the contacts ask for.
static void prescribe(const ContactSet *set, const Twist *twists, double *end_v, double *dv)
{
    for (int i = 0; i < set->count; i++) {
        const ContactPoint *point = &set->points[i];
        if (point->state == CONTACT_OPEN) continue;
        Vec3 before = vector_at(set, point, end_v), after = wanted(set, point, end_v, twists);
        Vec3 change = vec3_add(vector_at(set, point, dv), vec3_sub(after, before));
        set_vector_at(set, point, dv, change);
        set_vector_at(set, point, end_v, after);
    }
}

// ---- the states

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

// What comes along the surface faster than friction can stop it slides on, at first without it.
static bool close_if_passing(const ContactSet *set, ContactPoint *point, Vec3 u, double across,
                             double slack)
{
    if (across >= point->least - slack) return false;
    bool slides = set->friction == 0.0 || vec3_length(u) > set->speed;
    point->state = slides ? CONTACT_SLIDING : CONTACT_STICKING;
    point->drag = point->rub = 0.0;
    return true;
}

static void open(ContactPoint *point)
{
    point->state = CONTACT_OPEN;
    point->drag = point->rub = 0.0;
    point->impulse = (Vec3){0};
    point->changes++;
}

static double most_friction(const ContactSet *set, const ContactPoint *point)
{
    return set->friction * fmax(vec3_dot(point->impulse, point->normal), 0.0);
}

// Friction against u for the next turn.
static void set_friction(const ContactSet *set, ContactPoint *point, double most, Vec3 u)
{
    double speed = vec3_length(u), creep = CREEP * set->speed;
    bool settled = point->changes < MAX_CHANGES;
    point->rub = 0.0;
    point->drag = most / fmax(speed, creep);
    if (!settled || !(speed > 0.0)) return;
    point->direction = vec3_scale(1.0 / speed, u);
    point->rub = most;
}

static bool turns_back(const ContactSet *set, const ContactPoint *point, Vec3 u)
{
    if (point->rub > 0.0 && vec3_dot(u, point->direction) <= 0.0) return true;
    return vec3_length(u) <= STILL * set->speed;
}

static bool update_sliding(const ContactSet *set, ContactPoint *point, Vec3 u, double share)
{
    double most = most_friction(set, point), speed = vec3_length(u);
    Vec3 law = vec3_scale(most / fmax(speed, CREEP * set->speed * (point->rub == 0.0)), u);
    if (speed == 0.0) law = (Vec3){0};
    Vec3 wrong = vec3_sub(friction_of(point, u), law);
    set_friction(set, point, most, u);
    return vec3_length(wrong) > share * most;
}

static bool update_sticking(const ContactSet *set, ContactPoint *point, double share, double small)
{
    double most = most_friction(set, point);
    Vec3 held = along(point, point->impulse);
    double pull = vec3_length(held);
    if (pull <= (1.0 + share) * most + small) return false;
    point->state = CONTACT_SLIDING;
    set_friction(set, point, most, vec3_scale(-set->speed / pull, held));
    return true;
}

static bool update_state(ContactSet *set, ContactPoint *point, Vec3 u, double across, double pass,
                         double small, double pull, double share, bool rubs)
{
    bool may_change = point->changes < MAX_CHANGES;
    if (point->state == CONTACT_OPEN)
        return close_if_passing(set, point, u, across,
                                fmax(pass, 1e-12 + 1e-9 * fabs(point->least)));
    if (vec3_dot(point->impulse, point->normal) < -fmax(small, pull) && may_change) {
        open(point);
        return true;
    }
    if (set->friction == 0.0) return false;
    if (point->state == CONTACT_SLIDING && turns_back(set, point, u) && point->rub > 0.0) {
        point->changes++;
        point->state = may_change ? CONTACT_STICKING : CONTACT_SLIDING;
        if (!may_change) set_friction(set, point, point->rub, u);
        return true;
    }
    if (!rubs) return false;
    return point->state == CONTACT_SLIDING ? update_sliding(set, point, u, share)
                                           : update_sticking(set, point, share, small);
}

static bool update_states(ContactSet *set, const double *end_v, const Twist *twists, double small,
                          double tolerance)
{
    bool changed = false;
    double share = fmin(FRICTION_SHARE * tolerance, FRICTION_COARSE);
    bool rubs = set->friction_turns++ < (tolerance < FINE ? FINE_TURNS : FRICTION_TURNS);
    double pass = 0.0, pull = 0.0;
    for (int i = 0; i < set->count && set->friction_turns > 2; i++) {
        ContactPoint *point = &set->points[i];
        Vec3 after = vec3_sub(vector_at(set, point, end_v), given(point, twists));
        if (point->state == CONTACT_OPEN)
            pass = fmax(pass, 0.5 * (point->least - vec3_dot(after, point->normal)));
        else if (point->changes < MAX_CHANGES)
            pull = fmax(pull, -0.5 * vec3_dot(point->impulse, point->normal));
    }
    for (int i = 0; i < set->count; i++) {
        ContactPoint *point = &set->points[i];
        Vec3 after = vec3_sub(vector_at(set, point, end_v), given(point, twists));
        Vec3 u = along(point, vec3_sub(after, point->surface));
        bool now = update_state(set, point, u, vec3_dot(after, point->normal), pass, small, pull,
                                share, rubs);
        changed = changed || now;
    }
    return changed;
}

// ---- solving

typedef struct Solve {
    ContactSet *set;
    const LinearOperator *A;
    const double *b, *v;
    double *dv;    // the solution
    Twist *twists; // of the balls, since the start of the step
    double *end_v, *Adv, *rest, *correction;
} Solve;

// Adv = A dv, without the impulses of pairs
static void find_product(const Solve *solve)
{
    solve->A->multiply(solve->A->self, solve->dv, solve->Adv);
    contact_pairs_add(&solve->set->pairs, solve->end_v, -1.0, solve->Adv);
}

// rest = what is to be solved for, with the contacts as they are
static void find_rest(const Solve *solve)
{
    const ContactSet *set = solve->set;
    int n = solve->A->dofs;
    Twist *momenta = (Twist *)(solve->rest + n);
    for (int i = 0; i < n; i++) solve->end_v[i] = solve->v[i] + solve->dv[i];
    prescribe(set, solve->twists, solve->end_v, solve->dv);
    contact_pairs_close(&solve->set->pairs, solve->end_v);
    find_product(solve);
    for (int i = 0; i < n; i++) solve->rest[i] = solve->b[i] - solve->Adv[i];
    for (int i = 0; i < set->ball_count; i++) {
        Twist change = twist_add_scaled(solve->twists[i], -1.0, set->balls[i].start);
        momenta[i].velocity = vec3_scale(-set->balls[i].mass, change.velocity);
        momenta[i].spin = vec3_scale(-set->balls[i].inertia, change.spin);
    }
    rub(set, solve->end_v, solve->twists, solve->rest, momenta);
    contract(set, solve->rest, momenta);
}

static void add_correction(const Solve *solve)
{
    const ContactSet *set = solve->set;
    int n = solve->A->dofs;
    const Twist *change = (const Twist *)(solve->correction + n);
    double descent = vector_dot(n + BALL_DOFS * set->ball_count, solve->rest, solve->correction);
    expand(set, change, solve->correction);
    double share = contact_pairs_share(&set->pairs, solve->end_v, solve->correction, descent);
    for (int i = 0; i < n; i++) {
        solve->dv[i] += share * solve->correction[i];
        solve->end_v[i] += share * solve->correction[i];
    }
    for (int i = 0; i < set->ball_count; i++)
        solve->twists[i] = twist_add_scaled(solve->twists[i], share, change[i]);
    find_product(solve);
}

static void add_report(PcgReport *whole, const PcgReport *turn)
{
    int iterations = whole->iterations + turn->iterations;
    *whole = *turn;
    whole->iterations = iterations;
    whole->rest = NULL;
}

static PcgReport take_turns(const Solve *solve, LinearOperator *inner, const PcgEffort *effort,
                            int budget, Arena *scratch)
{
    ContactSet *set = solve->set;
    const int n = solve->A->dofs, all = inner->dofs;
    const double tolerance = effort->tolerance;
    const double whole_b = sqrt(vector_dot(n, solve->b, solve->b));
    const size_t mark = scratch->used;
    PcgReport whole = {0};
    double scale = LEFT_FLOOR * whole_b;
    bool settled = set->fixed;
    for (int turn = 0; turn < MAX_TURNS; turn++) {
        scratch->used = mark;
        find_rest(solve);
        double norm = sqrt(vector_dot(all, solve->rest, solve->rest));
        scale = fmax(scale, fmin(norm, whole_b));
        // Each turn starts from the solution of the one before, which may be good enough.
        PcgReport report = {.converged = true};
        memset(solve->correction, 0, (size_t)all * sizeof(double));
        PcgEffort of_turn = *effort;
        // While states change, a rough solution shows as much.
        bool rough = !settled && norm > tolerance * scale / ROUGH;
        of_turn.tolerance = rough ? ROUGH : tolerance * scale / norm;
        if (norm > tolerance * scale)
            report = pcg_solve_with(inner, solve->rest, solve->correction, &of_turn, scratch);
        add_report(&whole, &report);
        add_correction(solve);
        double largest = read_impulses(set, solve->Adv, solve->b);
        double small = fmin(tolerance * scale / sqrt(fmax(set->count, 1)), tolerance * largest);
        bool ended = report.negative_curvature || report.cancelled || whole.iterations >= budget;
        if (ended || set->fixed) break;
        bool moved = contact_pairs_update(&set->pairs, solve->end_v);
        settled = !update_states(set, solve->end_v, solve->twists, small, tolerance) && !moved;
        if (settled && !rough) break;
    }
    return whole;
}

PcgReport contact_solve(ContactSet *set, const LinearOperator *A, const double *b, const double *v,
                        double *dv, const PcgEffort *effort, int budget, Arena *scratch)
{
    int n = A->dofs, all = n + BALL_DOFS * set->ball_count;
    Twist twists[CONTACT_BALLS] = {0};
    for (int i = 0; i < set->ball_count; i++) twists[i] = set->balls[i].now;
    Solve solve = {.set = set,
                   .A = A,
                   .b = b,
                   .v = v,
                   .dv = dv,
                   .twists = twists,
                   .end_v = ARENA_ALLOC(scratch, n, double),
                   .Adv = ARENA_ALLOC(scratch, n, double),
                   .rest = ARENA_ALLOC(scratch, all, double),
                   .correction = ARENA_ALLOC(scratch, all, double)};
    Held held = {set, A, ARENA_ALLOC(scratch, n, double)};
    LinearOperator inner = {
        .self = &held, .dofs = all, .multiply = multiply, .precondition = precondition};
    memset(dv, 0, (size_t)n * sizeof *dv);
    set->friction_turns = 0;
    for (int i = 0; i < set->count; i++) set->points[i].changes = 0;
    contact_pairs_stiffen(&set->pairs, A, (double *[2]){solve.rest, solve.Adv});
    PcgReport report = take_turns(&solve, &inner, effort, budget, scratch);
    for (int i = 0; i < n; i++) solve.rest[i] = b[i] - solve.Adv[i];
    report.rest = solve.rest;
    for (int i = 0; i < set->ball_count; i++)
        set->balls[i].step = twist_add_scaled(twists[i], -1.0, set->balls[i].now);
    return report;
}

size_t contact_scratch_size(int dofs)
{
    int all = dofs + BALL_DOFS * CONTACT_BALLS;
    return 5 * arena_footprint((size_t)all * sizeof(double)) + pcg_scratch_size(all);
}

// ---- several solves in a step

void contact_begin(ContactSet *set)
{
    for (int i = 0; i < set->count; i++) set->points[i].taken = (Vec3){0};
    for (int i = 0; i < set->ball_count; i++) {
        set->balls[i].now = set->balls[i].start;
        set->balls[i].step = (Twist){0};
    }
}

void contact_take(ContactSet *set, double share)
{
    for (int i = 0; i < set->count; i++) {
        ContactPoint *point = &set->points[i];
        Vec3 missing = vec3_sub(point->impulse, point->taken);
        point->taken = vec3_add_scaled(point->taken, share, missing);
    }
    for (int i = 0; i < set->ball_count; i++)
        set->balls[i].now = twist_add_scaled(set->balls[i].now, share, set->balls[i].step);
}

double contact_filter(const ContactSet *set, const double *v, double share, double *residual)
{
    Twist twists[CONTACT_BALLS] = {0}, momenta[CONTACT_BALLS] = {0};
    for (int i = 0; i < set->ball_count; i++) {
        const ContactBall *ball = &set->balls[i];
        twists[i] = twist_add_scaled(ball->now, share, ball->step);
        Twist change = twist_add_scaled(twists[i], -1.0, ball->start);
        momenta[i].velocity = vec3_scale(-ball->mass, change.velocity);
        momenta[i].spin = vec3_scale(-ball->inertia, change.spin);
    }
    contact_pairs_add(&set->pairs, v, 1.0, residual);
    rub(set, v, twists, residual, momenta);
    contract(set, residual, momenta);
    for (int i = 0; i < set->count; i++) {
        const ContactPoint *point = &set->points[i];
        if (point->state == CONTACT_OPEN) continue;
        Vec3 lacks = vec3_sub(wanted(set, point, v, twists), vector_at(set, point, v));
        Vec3 there = vector_at(set, point, residual);
        set_vector_at(set, point, residual, vec3_add_scaled(there, point->mass, lacks));
    }
    double sum = 0.0;
    for (int i = 0; i < set->ball_count; i++)
        sum += vec3_dot(momenta[i].velocity, momenta[i].velocity) / set->balls[i].mass +
               vec3_dot(momenta[i].spin, momenta[i].spin) / set->balls[i].inertia;
    return sum;
}

double contact_work(const ContactSet *set, const double *v, const double *dv, double share)
{
    Twist steps[CONTACT_BALLS] = {0};
    double sum = contact_pairs_work(&set->pairs, v, dv);
    for (int i = 0; i < set->ball_count; i++) {
        const ContactBall *ball = &set->balls[i];
        Twist now = twist_add_scaled(ball->now, share, ball->step);
        Twist change = twist_add_scaled(now, -1.0, ball->start);
        steps[i] = ball->step;
        sum -= ball->mass * vec3_dot(change.velocity, steps[i].velocity) +
               ball->inertia * vec3_dot(change.spin, steps[i].spin);
    }
    for (int i = 0; i < set->count; i++) {
        const ContactPoint *point = &set->points[i];
        Vec3 relative = vec3_sub(vector_at(set, point, dv), given(point, steps));
        sum += vec3_dot(point->impulse, relative);
    }
    return sum;
}

void contact_use_taken(ContactSet *set)
{
    for (int i = 0; i < set->count; i++) set->points[i].impulse = set->points[i].taken;
}

// m/s, upwards, that gravity has not yet taken from the balls.
static Vec3 weight_ahead(const ContactSet *set)
{
    int ahead = set->parts - set->parts_kept - 1;
    return (Vec3){0.0, ahead > 0 ? set->fall * ahead / set->parts : 0.0, 0.0};
}

void contact_keep(ContactSet *set, const double *v, double h)
{
    contact_pairs_keep(&set->pairs, v);
    Twist momenta[CONTACT_BALLS] = {0};
    for (int i = 0; i < set->count; i++) {
        ContactPoint *point = &set->points[i];
        point->total = vec3_add(point->total, point->impulse);
        give(point, -1.0, point->impulse, momenta);
    }
    Vec3 before = weight_ahead(set);
    set->parts_kept++;
    Vec3 fallen = vec3_sub(weight_ahead(set), before);
    for (int i = 0; i < set->ball_count; i++) {
        ContactBall *ball = &set->balls[i];
        Twist change = {vec3_scale(1.0 / ball->mass, momenta[i].velocity),
                        vec3_scale(1.0 / ball->inertia, momenta[i].spin)};
        ball->start = twist_add_scaled(ball->start, 1.0, change);
        ball->moved = vec3_add_scaled(ball->moved, h, ball->start.velocity);
        ball->start.velocity = vec3_add(ball->start.velocity, fallen);
        ball->now = ball->start;
        ball->step = (Twist){0};
    }
}

void contact_divide(ContactSet *set, int parts)
{
    set->parts = parts;
    set->parts_kept = 0;
    for (int i = 0; i < set->count; i++) set->points[i].total = (Vec3){0};
    for (int i = 0; i < set->pairs.count; i++) set->pairs.items[i].total = (Vec3){0};
    for (int i = 0; i < set->ball_count; i++) {
        ContactBall *ball = &set->balls[i];
        ball->start = ball->now = (Twist){.velocity = weight_ahead(set)};
        ball->step = (Twist){0};
        ball->moved = (Vec3){0};
    }
}
