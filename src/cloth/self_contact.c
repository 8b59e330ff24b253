#include "cloth/self_contact.h"

#include "cloth/mesh_edges.h"
#include "cloth/nearest.h"
#include "cloth/self_search.h"

#include <stdlib.h>
#include <string.h>

// Rounds over all pairs in a step.
enum { ROUNDS = 4 };
// s, in which pairs that are too near are moved apart, and m/s, at most.
#define APART_TIME 0.05
#define APART_SPEED 0.1
// In spacings: how far particles may move before the next search, beside what a step needs.
#define MARGIN 0.2
// How much of that `seen` is ahead at most, and steps.
#define LEAD 0.9
#define LEAD_STEPS 40.0
// Rounding of single precision, in spacings.
#define SINGLE 1e-5
// Pairs nearer than so many ways of a step, and so many spacings, have limits.
#define TIGHT 4.0
#define LEAST_TIGHT 1e-3
// In spacings: a search never looks further, and nothing moves further in a step than SELF_SHARE of
// it, relative to the whole.
#define LARGEST_REACH 3.0
// When there is no room for all pairs, it looks less far, but as far as this.
#define LEAST_REACH 0.45
// How much of its distance each of two may come nearer in a step.
#define SELF_SHARE 0.4
// Of these many particles the mean motion is that of the whole.
enum { SAMPLES = 16 };

double self_contact_thickness(const Mesh *mesh)
{
    return SELF_THICKNESS * mesh->spacing;
}

// ---- making

// A leaf that has each triangle.
static int *find_leaves(const Boxes *boxes, const Mesh *mesh)
{
    int *leaf = calloc((size_t)mesh->triangle_count + 1, sizeof *leaf);
    for (int i = 0; leaf && i < boxes->node_count; i++) {
        const BoxNode *node = &boxes->nodes[i];
        for (int k = 0; k < 2 && node->second == 0; k++)
            if (node->triangles[k] >= 0) leaf[node->triangles[k]] = i;
    }
    return leaf;
}

// Each particle and each edge belongs to one leaf, so that no pair is found twice.
static void share_out(SelfContact *contact, const Mesh *mesh, const MeshEdges *edges,
                      const int *leaf)
{
    for (int p = 0; p < mesh->particle_count; p++) contact->limited[p] = -1; // its leaf, for now
    for (int t = mesh->triangle_count - 1; t >= 0; t--)
        for (int i = 0; i < 3; i++) contact->limited[mesh->triangles[t][i]] = leaf[t];
    for (int p = 0; p < mesh->particle_count; p++)
        if (contact->limited[p] >= 0) contact->leaves[contact->limited[p]].particles++;
    for (int e = 0; e < edges->count; e++) contact->leaves[leaf[edges->items[e].side[0]]].edges++;
    int particles = 0, count = 0;
    for (int i = 0; i < contact->boxes.node_count; i++) {
        SelfLeaf *at = &contact->leaves[i];
        at->first_particle = particles;
        at->first_edge = count;
        particles += at->particles;
        count += at->edges;
        at->particles = at->edges = 0; // counted again below
    }
    for (int p = 0; p < mesh->particle_count; p++) {
        if (contact->limited[p] < 0) continue;
        SelfLeaf *at = &contact->leaves[contact->limited[p]];
        contact->particles[at->first_particle + at->particles++] = p;
    }
    for (int e = 0; e < edges->count; e++) {
        SelfLeaf *at = &contact->leaves[leaf[edges->items[e].side[0]]];
        const MeshEdge *edge = &edges->items[e];
        contact->edges[at->first_edge + at->edges++] =
            (SelfEdge){{edge->ends[0], edge->ends[1]}, {edge->opposite[0], edge->opposite[1]}};
    }
}

static Status out_of_memory(const Mesh *mesh, Error *error)
{
    return error_set(error, STATUS_OUT_OF_MEMORY,
                     "not enough memory for the contacts of %d particles with each other",
                     mesh->particle_count);
}

static Status make_leaves(SelfContact *contact, const Mesh *mesh, Error *error)
{
    MeshEdges edges;
    Status status = mesh_edges_init(&edges, mesh->particle_count, mesh->triangle_count,
                                    (const uint32_t(*)[3])mesh->triangles, error);
    if (status != STATUS_OK) return status;
    size_t count = (size_t)edges.count + 1;
    int *leaf = find_leaves(&contact->boxes, mesh);
    contact->edge_count = edges.count;
    contact->leaves = calloc((size_t)contact->boxes.node_count + 1, sizeof *contact->leaves);
    contact->edges = calloc(count, sizeof *contact->edges);
    contact->edge_boxes = calloc(count, sizeof *contact->edge_boxes);
    if (leaf && contact->leaves && contact->edges && contact->edge_boxes)
        share_out(contact, mesh, &edges, leaf);
    else
        status = out_of_memory(mesh, error);
    free(leaf);
    mesh_edges_finish(&edges);
    return status;
}

static bool allocate(SelfContact *contact, const Mesh *mesh)
{
    size_t particles = (size_t)mesh->particle_count, pairs = (size_t)contact->capacity;
    contact->particles = calloc(particles, sizeof *contact->particles);
    contact->place = calloc(particles, sizeof *contact->place);
    contact->at = calloc(particles, sizeof *contact->at);
    contact->pairs = calloc(pairs, sizeof *contact->pairs);
    contact->slack = calloc(pairs, sizeof *contact->slack);
    contact->left = calloc(pairs, sizeof *contact->left);
    contact->path = calloc(particles, sizeof *contact->path);
    contact->tangled = calloc(particles, sizeof *contact->tangled);
    contact->crossing = calloc(particles, sizeof *contact->crossing);
    contact->touches = calloc((size_t)contact->touch_capacity, sizeof *contact->touches);
    contact->limit = calloc(particles, sizeof *contact->limit);
    contact->limited = calloc(particles, sizeof *contact->limited);
    return contact->particles && contact->place && contact->at && contact->pairs &&
           contact->slack && contact->left && contact->path && contact->tangled &&
           contact->crossing && contact->touches && contact->limit && contact->limited;
}

Status self_contact_init(SelfContact *contact, const Mesh *mesh, Error *error)
{
    *contact = (SelfContact){.capacity = SELF_PAIRS * mesh->particle_count,
                             .touch_capacity = SELF_TOUCHES * mesh->particle_count,
                             .crossing_capacity = mesh->particle_count};
    Status status = boxes_init(&contact->boxes, mesh, error);
    if (status == STATUS_OK && !allocate(contact, mesh)) status = out_of_memory(mesh, error);
    if (status == STATUS_OK && mesh->triangle_count > 0) status = make_leaves(contact, mesh, error);
    if (status != STATUS_OK) {
        self_contact_finish(contact);
        return status;
    }
    for (int p = 0; p < mesh->particle_count; p++) contact->limit[p] = INFINITY;
    return STATUS_OK;
}

void self_contact_finish(SelfContact *contact)
{
    boxes_finish(&contact->boxes);
    free(contact->leaves);
    free(contact->particles);
    free(contact->edges);
    free(contact->edge_boxes);
    free(contact->place);
    free(contact->at);
    free(contact->pairs);
    free(contact->slack);
    free(contact->left);
    free(contact->path);
    free(contact->tangled);
    free(contact->crossing);
    free(contact->touches);
    free(contact->limit);
    free(contact->limited);
    *contact = (SelfContact){0};
}

void self_contact_forget(SelfContact *contact)
{
    contact->searched = false;
}

// ---- motion

static Vec3 mean_motion(const Mesh *mesh, const double *from, const double *to)
{
    Vec3 sum = {0};
    for (int i = 0; i < SAMPLES; i++) {
        int p = (int)((long)i * (mesh->particle_count - 1) / (SAMPLES - 1));
        sum = vec3_add(sum, vec3_sub(mesh_vector(mesh, to, p), mesh_vector(mesh, from, p)));
    }
    return vec3_scale(1.0 / SAMPLES, sum);
}

// The largest motion of `count` particles beside each other, squared. Without a branch, so that
// compilers vectorise it.
static double largest_motion(const double *from, const double *to, int stride, int count,
                             Vec3 frame)
{
    const double *fy = from + stride, *fz = fy + stride, *ty = to + stride, *tz = ty + stride;
    double largest = 0.0;
    for (int i = 0; i < count; i++) {
        double x = to[i] - from[i] - frame.x, y = ty[i] - fy[i] - frame.y,
               z = tz[i] - fz[i] - frame.z, square = x * x + y * y + z * z;
        largest = square > largest ? square : largest;
    }
    return largest;
}

// m, of any particle from one state to the other; in a frame that moves with the whole if it floats
static double motion(const Mesh *mesh, const double *from, const double *to, Vec3 frame)
{
    int count = mesh->row_width > 0 ? mesh->columns : 1;
    double largest = 0.0;
    for (int p = 0; p < mesh->particle_count; p += count) {
        int dof = mesh->first_dof[p];
        largest = fmax(largest,
                       largest_motion(from + dof, to + dof, mesh->component_stride, count, frame));
    }
    return sqrt(largest);
}

static Vec3 frame_of(const SelfContact *contact, const Mesh *mesh, const double *from,
                     const double *to)
{
    return contact->floats ? mean_motion(mesh, from, to) : (Vec3){0};
}

static double motion_since(const SelfContact *contact, const Mesh *mesh, const double *from,
                           const double *to)
{
    return motion(mesh, from, to, frame_of(contact, mesh, from, to));
}

// Adds the motion of each particle to its path, or sets it. |d| is at most the mean of the sum and
// the largest of its components: no square root, at most 15 % more.
static void add_paths(SelfContact *contact, const Mesh *mesh, const double *from, const double *to,
                      Vec3 frame, float keep)
{
    int count = mesh->row_width > 0 ? mesh->columns : 1, stride = mesh->component_stride;
    for (int p = 0; p < mesh->particle_count; p += count) {
        const double *f = from + mesh->first_dof[p], *t = to + mesh->first_dof[p];
        float *path = contact->path + p;
        for (int i = 0; i < count; i++) {
            float x = fabsf((float)(t[i] - f[i] - frame.x)),
                  y = fabsf((float)(t[stride + i] - f[stride + i] - frame.y)),
                  z = fabsf((float)(t[2 * stride + i] - f[2 * stride + i] - frame.z));
            float most = x > y ? x : y;
            most = most > z ? most : z;
            path[i] = keep * path[i] + 0.5f * (x + y + z + most);
        }
    }
}

// ---- what may meet in a step

static Vec3 weighted(const Mesh *mesh, const double *flat, const int particle[4],
                     const double weight[4])
{
    Vec3 sum = {0};
    for (int i = 0; i < 4; i++)
        sum = vec3_add_scaled(sum, weight[i], mesh_vector(mesh, flat, particle[i]));
    return sum;
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

static void add_touch(SelfContact *contact, const Cloth *cloth, const SelfTouch *touch)
{
    if (contact->touch_count == contact->touch_capacity) {
        contact->crowded = true;
        return;
    }
    SelfTouch *made = &contact->touches[contact->touch_count];
    *made = *touch;
    for (int i = 0; i < 4; i++) {
        made->inverse[i] = cloth->inverse_mass[cloth->mesh.first_dof[touch->particle[i]]];
        made->W += touch->weight[i] * touch->weight[i] * made->inverse[i];
    }
    if (made->W > 0.0) contact->touch_count++;
}

static inline float larger(float a, float b)
{
    return a > b ? a : b;
}

// By how much the paths may have brought a pair nearer, m.
static inline float nearer_by(const float *path, const SelfPair *pair)
{
    const int *p = pair->particle;
    if (pair->edges) return larger(path[p[0]], path[p[1]]) + larger(path[p[2]], path[p[3]]);
    return path[p[0]] + larger(path[p[1]], larger(path[p[2]], path[p[3]]));
}

static inline bool all_beyond(const float slack[4], float due)
{
    Float4 four;
    memcpy(&four, slack, sizeof four);
    return !any_of(four <= due);
}

// Is a pair further apart than `near`, m, wherever its particles moved since it was measured?
static inline bool is_beyond(SelfContact *contact, int pair, float near)
{
    float left = contact->left[pair] - nearer_by(contact->path, &contact->pairs[pair]);
    if (left > near) contact->slack[pair] = left + (float)contact->travelled;
    return left > near;
}

// A pair at the start of the step. False if it does not touch.
static bool measure_pair(SelfContact *contact, const Mesh *mesh, const double *old_x, int i,
                         double tight, SelfTouch *touch)
{
    const SelfPair *pair = &contact->pairs[i];
    double thickness = (pair->edges ? 0.5 : 1.0) * self_contact_thickness(mesh);
    bool inside = nearest_points(mesh, old_x, pair, touch->weight, &touch->normal);
    double distance = vec3_length(touch->normal);
    touch->left = distance - thickness;
    contact->left[i] = (float)touch->left + nearer_by(contact->path, pair);
    contact->slack[i] = (float)(touch->left + contact->travelled);
    if (inside && distance < tight) {
        for (int k = 0; k < 4; k++)
            limit_particle(contact, pair->particle[k], SELF_SHARE * distance);
    }
    if (!inside || distance == 0.0) return false;
    memcpy(touch->particle, pair->particle, sizeof touch->particle);
    touch->normal = vec3_scale(1.0 / distance, touch->normal);
    touch->W = 0.0;
    return true;
}

// `way`: the largest motion in this step, m; `tight`: nearer than this, particles have limits.
static void gather_touches(SelfContact *contact, const Cloth *cloth, const double *old_x,
                           double way, double tight)
{
    const Mesh *mesh = &cloth->mesh;
    double bound = fmax(2.0 * way, tight - 0.5 * self_contact_thickness(mesh));
    float near = (float)(bound + SINGLE * mesh->spacing), due = near + (float)contact->travelled;
    contact->touch_count = contact->limited_count = 0;
    contact->crowded = false;
    contact->most = SELF_SHARE * tight;
    for (int i = 0; i < contact->count; i += 4) {
        if (all_beyond(contact->slack + i, due)) continue; // too far away, wherever they moved
        int end = contact->count - i < 4 ? contact->count : i + 4;
        for (int k = i; k < end; k++) {
            SelfTouch touch;
            if (!is_beyond(contact, k, near) &&
                measure_pair(contact, mesh, old_x, k, tight, &touch) && touch.left <= 2.0 * way)
                add_touch(contact, cloth, &touch);
        }
    }
}

// `seen` for a step from old_x by at most `way`, ahead of it by at most `ahead`, m.
static void look_ahead(const SelfContact *contact, const Cloth *cloth, SelfState *state,
                       const double *old_x, double way, double ahead)
{
    const Mesh *mesh = &cloth->mesh;
    double steps = fmin(ahead / way, LEAD_STEPS);
    Vec3 frame = frame_of(contact, mesh, old_x, cloth->x);
    for (int p = 0; p < mesh->particle_count; p++) {
        Vec3 x = mesh_vector(mesh, old_x, p), to = mesh_vector(mesh, cloth->x, p);
        Vec3 motion = vec3_sub(vec3_sub(to, x), frame);
        mesh_set_vector(mesh, state->seen, p, vec3_add_scaled(x, steps, motion));
    }
}

// A new search for a step from old_x by at most `way` that has to reach as far as `needed`.
static void search_anew(SelfContact *contact, const Cloth *cloth, SelfState *state,
                        const double *old_x, double way, double needed)
{
    const Mesh *mesh = &cloth->mesh;
    size_t size = (size_t)mesh->dofs * sizeof(double);
    double margin = MARGIN * mesh->spacing;
    state->reach = needed + 2.0 * margin;
    if (state->suspect || !(way > 0.0))
        memcpy(state->seen, old_x, size);
    else
        look_ahead(contact, cloth, state, old_x, way, LEAD * margin);
    self_search(contact, mesh, state, state->suspect);
    // Too many to list: look less far, and let nothing move further in this step than that.
    if (contact->full) memcpy(state->seen, old_x, size);
    while (contact->full && state->reach > LEAST_REACH * mesh->spacing) {
        state->reach *= 0.7;
        self_search(contact, mesh, state, true);
    }
}

static void start_paths(SelfContact *contact, const Mesh *mesh, const SelfState *state,
                        const double *old_x)
{
    contact->moved = motion_since(contact, mesh, state->seen, old_x);
    contact->travelled = 2.0 * contact->moved;
    add_paths(contact, mesh, state->seen, old_x, frame_of(contact, mesh, state->seen, old_x), 0.0f);
    memcpy(contact->left, contact->slack, (size_t)contact->count * sizeof *contact->left);
}

// Makes sure that the list has all that may meet in the step from old_x, and gathers it.
static void prepare_step(SelfContact *contact, const Cloth *cloth, SelfState *state,
                         const double *old_x)
{
    const Mesh *mesh = &cloth->mesh;
    double way = motion_since(contact, mesh, old_x, cloth->x),
           thickness = self_contact_thickness(mesh);
    double tight = fmin(TIGHT * way + LEAST_TIGHT * mesh->spacing, LARGEST_REACH * mesh->spacing);
    double needed = fmax(thickness + 2.0 * way, tight + 0.5 * thickness);
    contact->moved = motion_since(contact, mesh, state->seen, old_x);
    bool known = contact->searched,
         good = !state->suspect && state->reach - 2.0 * contact->moved >= needed;
    if (!good)
        search_anew(contact, cloth, state, old_x, way, needed);
    else if (!known)
        self_search(contact, mesh, state, false);
    if (!good || !known) start_paths(contact, mesh, state, old_x);
    tight = fmin(tight, state->reach - 2.0 * contact->moved - 0.5 * thickness);
    gather_touches(contact, cloth, old_x, way, tight);
}

// ---- impulses

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

static void add_to(const Mesh *mesh, double *flat, int particle, double scale, Vec3 change)
{
    mesh_set_vector(mesh, flat, particle,
                    vec3_add_scaled(mesh_vector(mesh, flat, particle), scale, change));
}

// Changes of the pair's relative way and relative velocity, shared by mass. Returns the work on the
// particles, J: each impulse times the mean of the velocities at both ends of the step. What rests
// gets none.
static double apply(Cloth *cloth, const SelfTouch *touch, const double *old_v, Vec3 way,
                    Vec3 velocity)
{
    const Mesh *mesh = &cloth->mesh;
    double work = 0.0;
    for (int i = 0; i < 4; i++) {
        double share = touch->weight[i] * touch->inverse[i] / touch->W;
        if (share == 0.0) continue;
        int particle = touch->particle[i];
        add_to(mesh, cloth->x, particle, share, way);
        add_to(mesh, cloth->v, particle, share, velocity);
        Vec3 both =
            vec3_add(mesh_vector(mesh, old_v, particle), mesh_vector(mesh, cloth->v, particle));
        work += 0.5 * share / touch->inverse[i] * vec3_dot(velocity, both);
    }
    return work;
}

// One pair. Without an impulse, returns false.
static bool push_pair(Cloth *cloth, const SelfTouch *touch, const SelfStep *step, double *work)
{
    const Mesh *mesh = &cloth->mesh;
    double friction = cloth->material.friction, left = touch->left, h = step->h;
    Vec3 old = weighted(mesh, step->old_x, touch->particle, touch->weight);
    Vec3 way = vec3_sub(weighted(mesh, cloth->x, touch->particle, touch->weight), old);
    double across = vec3_dot(way, touch->normal);
    double apart = left < 0.0 ? fmin(fmin(h / APART_TIME, 1.0) * -left, APART_SPEED * h) : 0.0;
    double least = left > 0.0 ? -left : 0.0; // of the way along the normal
    if (across >= least + apart) return false;
    Vec3 u = weighted(mesh, cloth->v, touch->particle, touch->weight);
    Vec3 of_way = change_of(friction, way, touch->normal, least);
    of_way = vec3_add_scaled(of_way, fmin(least + apart - across, apart), touch->normal);
    Vec3 of_velocity = change_of(friction, u, touch->normal, least / h);
    *work += apply(cloth, touch, step->old_v, of_way, of_velocity);
    return true;
}

SelfReport self_contact_push(SelfContact *contact, Cloth *cloth, SelfState *state,
                             const SelfStep *step)
{
    SelfReport report = {0};
    contact->floats = step->floats;
    prepare_step(contact, cloth, state, step->old_x);
    for (int round = 0; round < ROUNDS; round++) {
        int pushed = 0;
        for (int i = 0; i < contact->touch_count; i++)
            pushed += push_pair(cloth, &contact->touches[i], step, &report.work);
        if (round == 0) report.pairs = pushed;
        if (pushed == 0) break;
    }
    if (contact->crossings > 0) report.work += self_untangle(contact, cloth, step->h);
    return report;
}

// ---- the limits

// Takes a particle back to its limit, and as much of its velocity, in a frame that moved by
// `frame`. Returns true if it was beyond it.
static bool take_back(Cloth *cloth, int particle, const SelfStep *step, Vec3 frame, double limit,
                      double *work)
{
    const Mesh *mesh = &cloth->mesh;
    Vec3 x = mesh_vector(mesh, cloth->x, particle), v = mesh_vector(mesh, cloth->v, particle);
    Vec3 start = vec3_add(mesh_vector(mesh, step->old_x, particle), frame),
         way = vec3_sub(x, start);
    double square = vec3_dot(way, way);
    if (!(square > limit * limit)) return false;
    double share = limit / sqrt(square);
    mesh_set_vector(mesh, cloth->x, particle, vec3_add_scaled(start, share, way));
    if (cloth_is_held(cloth, particle)) return true;
    Vec3 after = vec3_scale(share, v),
         both = vec3_add(mesh_vector(mesh, step->old_v, particle), after);
    mesh_set_vector(mesh, cloth->v, particle, after);
    *work += 0.5 * cloth_mass(cloth, particle) * (share - 1.0) * vec3_dot(v, both);
    return true;
}

void self_contact_hold(SelfContact *contact, Cloth *cloth, const SelfStep *step, SelfReport *report)
{
    const Mesh *mesh = &cloth->mesh;
    Vec3 frame = frame_of(contact, mesh, step->old_x, cloth->x);
    double way = motion(mesh, step->old_x, cloth->x, frame);
    bool all = way > contact->most; // more than was expected
    int held_back = 0, count = all ? mesh->particle_count : contact->limited_count;
    for (int i = 0; i < count; i++) {
        int p = all ? i : contact->limited[i];
        double limit = fmin(contact->limit[p], contact->most);
        held_back += take_back(cloth, p, step, frame, limit, &report->work);
    }
    for (int i = 0; i < contact->limited_count; i++) contact->limit[contact->limited[i]] = INFINITY;
    contact->limited_count = 0;
    report->held_back = held_back;
    if (held_back > 0) {
        frame = frame_of(contact, mesh, step->old_x, cloth->x);
        way = motion(mesh, step->old_x, cloth->x, frame);
    }
    contact->travelled += 2.0 * way;
    add_paths(contact, mesh, step->old_x, cloth->x, frame, 1.0f);
}
