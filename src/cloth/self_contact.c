#include "cloth/self_contact.h"

#include "cloth/mesh_edges.h"
#include "cloth/self_search.h"

#include <stdlib.h>
#include <string.h>

// Rounds over all pairs in a step.
enum { ROUNDS = 4 };
// s, in which pairs that are too near are moved apart, and m/s, at most.
#define APART_TIME 0.05
#define APART_SPEED 0.1
// Of these many particles the mean motion is that of the whole.
enum { SAMPLES = 16 };

double self_contact_thickness(const Mesh *mesh)
{
    return SELF_THICKNESS * mesh->spacing;
}

// ---- making

// Each particle and each edge belongs to one triangle, so that no pair is found twice.
static Status find_owners(SelfContact *contact, const Mesh *mesh, Error *error)
{
    MeshEdges edges;
    Status status = mesh_edges_init(&edges, mesh->particle_count, mesh->triangle_count,
                                    (const uint32_t(*)[3])mesh->triangles, error);
    if (status != STATUS_OK) return status;
    for (int t = 0; t < mesh->triangle_count; t++) {
        for (int i = 0; i < 3; i++) {
            int p = (int)mesh->triangles[t][i];
            if (contact->tangled[p]) continue; // as a mark, for now
            contact->tangled[p] = true;
            contact->owned[t] |= (unsigned char)(1 << i);
        }
    }
    memset(contact->tangled, 0, (size_t)mesh->particle_count * sizeof *contact->tangled);
    for (int e = 0; e < edges.count; e++) {
        const MeshEdge *edge = &edges.items[e];
        int t = edge->side[0];
        for (int i = 0; i < 3; i++) {
            int a = (int)mesh->triangles[t][i], b = (int)mesh->triangles[t][(i + 1) % 3];
            bool same = (a == edge->ends[0] && b == edge->ends[1]) ||
                        (b == edge->ends[0] && a == edge->ends[1]);
            if (same) contact->owned[t] |= (unsigned char)(8 << i);
        }
    }
    mesh_edges_finish(&edges);
    return STATUS_OK;
}

Status self_contact_init(SelfContact *contact, const Mesh *mesh, Error *error)
{
    size_t particles = (size_t)mesh->particle_count;
    *contact = (SelfContact){.capacity = SELF_PAIRS * mesh->particle_count,
                             .crossing_capacity = mesh->particle_count};
    Status status = boxes_init(&contact->boxes, mesh, error);
    if (status != STATUS_OK) return status;
    contact->owned = calloc((size_t)mesh->triangle_count + 1, sizeof *contact->owned);
    contact->place = calloc(particles, sizeof *contact->place);
    contact->limit = calloc(particles, sizeof *contact->limit);
    contact->tangled = calloc(particles, sizeof *contact->tangled);
    contact->pairs = calloc((size_t)contact->capacity, sizeof *contact->pairs);
    contact->slack = calloc((size_t)contact->capacity, sizeof *contact->slack);
    contact->crossing = calloc(particles, sizeof *contact->crossing);
    if (!contact->owned || !contact->place || !contact->limit || !contact->tangled ||
        !contact->pairs || !contact->slack || !contact->crossing)
        status = error_set(error, STATUS_OUT_OF_MEMORY,
                           "not enough memory for the contacts of %d particles with each other",
                           mesh->particle_count);
    if (status == STATUS_OK && mesh->triangle_count > 0)
        status = find_owners(contact, mesh, error);
    if (status != STATUS_OK) self_contact_finish(contact);
    return status;
}

void self_contact_finish(SelfContact *contact)
{
    boxes_finish(&contact->boxes);
    free(contact->owned);
    free(contact->place);
    free(contact->limit);
    free(contact->tangled);
    free(contact->pairs);
    free(contact->slack);
    free(contact->crossing);
    *contact = (SelfContact){0};
}

void self_contact_forget(SelfContact *contact)
{
    contact->searched = false;
}

// ---- motion since the search

static Vec3 mean_motion(const Mesh *mesh, const double *from, const double *to)
{
    Vec3 sum = {0};
    for (int i = 0; i < SAMPLES; i++) {
        int p = (int)((long)i * (mesh->particle_count - 1) / (SAMPLES - 1));
        sum = vec3_add(sum, vec3_sub(mesh_vector(mesh, to, p), mesh_vector(mesh, from, p)));
    }
    return vec3_scale(1.0 / SAMPLES, sum);
}

// The largest motion of `count` particles beside each other, squared, and whether one of them
// leaves its limit. Without a branch, so that compilers vectorise it.
static double largest_motion(const double *from, const double *to, int stride, int count,
                             Vec3 frame, const double *limit, bool *leaves)
{
    const double *fy = from + stride, *fz = fy + stride, *ty = to + stride, *tz = ty + stride;
    double largest = 0.0;
    int outside = 0;
    for (int i = 0; i < count; i++) {
        double x = to[i] - from[i] - frame.x, y = ty[i] - fy[i] - frame.y,
               z = tz[i] - fz[i] - frame.z, square = x * x + y * y + z * z;
        largest = square > largest ? square : largest;
        outside |= square > limit[i] * limit[i];
    }
    *leaves = *leaves || outside;
    return largest;
}

// m, from one state to the other; `limit` may be NULL.
static double motion(const SelfContact *contact, const Mesh *mesh, const double *from,
                     const double *to, Vec3 frame, bool *leaves)
{
    int count = mesh->row_width > 0 ? mesh->columns : 1;
    double largest = 0.0;
    for (int p = 0; p < mesh->particle_count; p += count) {
        int dof = mesh->first_dof[p];
        double square = largest_motion(from + dof, to + dof, mesh->component_stride, count, frame,
                                       contact->limit + p, leaves);
        largest = fmax(largest, square);
    }
    return sqrt(largest);
}

// Since the search, at the positions of the cloth. Returns false when a particle leaves its limit.
static bool measure_motion(SelfContact *contact, const Cloth *cloth, const SelfState *state,
                           bool floats)
{
    bool leaves = false;
    contact->frame = floats ? mean_motion(&cloth->mesh, state->seen, cloth->x) : (Vec3){0};
    contact->moved =
        motion(contact, &cloth->mesh, state->seen, cloth->x, contact->frame, &leaves);
    return !leaves;
}

// Search at the start of a step that moves the particles to cloth->x.
static void search_before(SelfContact *contact, const Cloth *cloth, SelfState *state,
                          const double *old_x, bool floats)
{
    const Mesh *mesh = &cloth->mesh;
    bool unused = false;
    Vec3 frame = floats ? mean_motion(mesh, old_x, cloth->x) : (Vec3){0};
    double way = motion(contact, mesh, old_x, cloth->x, frame, &unused);
    memcpy(state->seen, old_x, (size_t)mesh->dofs * sizeof(double));
    state->reach = self_search_reach(mesh, way);
    self_search(contact, mesh, state);
    contact->fresh = true;
    measure_motion(contact, cloth, state, floats);
}

// ---- impulses

typedef struct Push {
    Cloth *cloth;
    const double *old_x;
    double h;
    SelfReport *report;
} Push;

static void pair_weights(const SelfPair *pair, double weight[4])
{
    double s = (double)pair->share[0], u = (double)pair->share[1];
    if (pair->edges) {
        weight[0] = 1.0 - s, weight[1] = s;
        weight[2] = u - 1.0, weight[3] = -u;
    } else {
        weight[0] = 1.0, weight[1] = s + u - 1.0;
        weight[2] = -s, weight[3] = -u;
    }
}

static Vec3 weighted(const Mesh *mesh, const double *flat, const int particle[4],
                     const double weight[4])
{
    Vec3 sum = {0};
    for (int i = 0; i < 4; i++)
        sum = vec3_add_scaled(sum, weight[i], mesh_vector(mesh, flat, particle[i]));
    return sum;
}

// The impulse that turns the relative motion u into one that is `wanted` along the normal, with
// friction along the surface; per 1/W, so it is the change of u. 0 when it is faster apart already.
static Vec3 change_of(const Material *material, Vec3 u, Vec3 normal, double wanted)
{
    double across = vec3_dot(u, normal), change = wanted - across;
    if (!(change > 0.0)) return (Vec3){0};
    Vec3 along = vec3_add_scaled(u, -across, normal);
    double speed = vec3_length(along);
    double lost = speed > 0.0 ? fmin(material->friction * change / speed, 1.0) : 0.0;
    return vec3_add_scaled(vec3_scale(change, normal), -lost, along);
}

static void add_to(const Mesh *mesh, double *flat, int particle, double scale, Vec3 change)
{
    mesh_set_vector(mesh, flat, particle,
                    vec3_add_scaled(mesh_vector(mesh, flat, particle), scale, change));
}

// Changes of the pair's relative way and relative velocity, shared by mass. Returns the energy that
// the particles get, J.
static double apply(Cloth *cloth, const int particle[4], const double weight[4],
                    const double inverse[4], double W, Vec3 way, Vec3 velocity)
{
    const Mesh *mesh = &cloth->mesh;
    double work = 0.0;
    for (int i = 0; i < 4; i++) {
        double share = weight[i] * inverse[i] / W;
        if (share == 0.0) continue;
        Vec3 v = mesh_vector(mesh, cloth->v, particle[i]), dv = vec3_scale(share, velocity);
        double kinetic = vec3_dot(dv, vec3_add_scaled(v, 0.5, dv));
        work += (kinetic + cloth->material.gravity * share * way.y) / inverse[i];
        add_to(mesh, cloth->x, particle[i], share, way);
        add_to(mesh, cloth->v, particle[i], share, velocity);
    }
    return work;
}

static bool push_pair(const Push *push, const SelfPair *pair)
{
    Cloth *cloth = push->cloth;
    const Mesh *mesh = &cloth->mesh;
    const int *particle = pair->particle;
    double weight[4], inverse[4], W = 0.0;
    Vec3 normal = {(double)pair->normal[0], (double)pair->normal[1], (double)pair->normal[2]};
    pair_weights(pair, weight);
    Vec3 now = weighted(mesh, cloth->x, particle, weight);
    double thickness = (double)pair->thickness;
    if (vec3_dot(now, normal) >= thickness) return false;
    for (int i = 0; i < 4; i++) {
        inverse[i] = cloth->inverse_mass[mesh->first_dof[particle[i]]];
        W += weight[i] * weight[i] * inverse[i];
    }
    if (W == 0.0) return false;
    Vec3 old = weighted(mesh, push->old_x, particle, weight);
    double left = vec3_dot(old, normal) - thickness, h = push->h;
    double apart = fmin(fmin(h / APART_TIME, 1.0) * -left, APART_SPEED * h);
    Vec3 way = vec3_sub(now, old), u = weighted(mesh, cloth->v, particle, weight);
    const Material *material = &cloth->material;
    Vec3 of_way = change_of(material, way, normal, left > 0.0 ? -left : 0.0);
    if (left < 0.0) {
        double more = apart - vec3_dot(vec3_add(way, of_way), normal);
        if (more > 0.0) of_way = vec3_add_scaled(of_way, more, normal);
    }
    Vec3 of_velocity = change_of(material, u, normal, left > 0.0 ? -left / h : 0.0);
    push->report->work += apply(cloth, particle, weight, inverse, W, of_way, of_velocity);
    return true;
}

static int push_round(SelfContact *contact, const Push *push)
{
    float reach = (float)(2.0 * contact->moved);
    int pushed = 0;
    for (int i = 0; i < contact->count; i++)
        if (contact->slack[i] < reach) pushed += push_pair(push, &contact->pairs[i]);
    return pushed;
}

SelfReport self_contact_push(SelfContact *contact, Cloth *cloth, SelfState *state,
                             const double *old_x, double h, bool floats)
{
    SelfReport report = {0};
    if (state->reach > 0.0 && !contact->searched) self_search(contact, &cloth->mesh, state);
    contact->floats = floats;
    contact->fresh = false;
    bool known = state->reach > 0.0 && contact->crossings == 0;
    if (!known || !measure_motion(contact, cloth, state, floats))
        search_before(contact, cloth, state, old_x, floats);
    Push push = {cloth, old_x, h, &report};
    for (int round = 0; round < ROUNDS; round++) {
        int pushed = push_round(contact, &push);
        if (round == 0) report.pairs = pushed;
        if (pushed == 0) break;
    }
    if (contact->crossings > 0) report.work += self_untangle(contact, cloth, h);
    return report;
}

// ---- the limits

// Takes a particle back to its limit, and as much of its velocity.
static double take_back(Cloth *cloth, int particle, Vec3 from, double limit, Vec3 frame)
{
    const Mesh *mesh = &cloth->mesh;
    Vec3 x = mesh_vector(mesh, cloth->x, particle), v = mesh_vector(mesh, cloth->v, particle);
    Vec3 start = vec3_add(from, frame), way = vec3_sub(x, start);
    double length = vec3_length(way);
    if (!(length > limit)) return 0.0;
    double share = limit / length;
    Vec3 back = vec3_add_scaled(start, share, way);
    mesh_set_vector(mesh, cloth->x, particle, back);
    double work = cloth->material.gravity * (back.y - x.y);
    if (!cloth_is_held(cloth, particle)) {
        mesh_set_vector(mesh, cloth->v, particle, vec3_scale(share, v));
        work += 0.5 * (share * share - 1.0) * vec3_dot(v, v);
    }
    return cloth_mass(cloth, particle) * work;
}

void self_contact_hold(SelfContact *contact, Cloth *cloth, SelfState *state, const double *old_x,
                       SelfReport *report)
{
    const Mesh *mesh = &cloth->mesh;
    if (measure_motion(contact, cloth, state, contact->floats)) return;
    if (!contact->fresh) search_before(contact, cloth, state, old_x, contact->floats);
    for (int p = 0; p < mesh->particle_count; p++) {
        Vec3 from = mesh_vector(mesh, state->seen, p);
        Vec3 way = vec3_sub(mesh_vector(mesh, cloth->x, p), vec3_add(from, contact->frame));
        if (!(vec3_dot(way, way) > contact->limit[p] * contact->limit[p])) continue;
        report->work += take_back(cloth, p, from, 0.999 * contact->limit[p], contact->frame);
        report->held_back++;
    }
}
