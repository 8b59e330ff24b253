#include "cloth/self_search.h"

#include "cloth/nearest.h"
#include "cloth/nearest4.h"

#include <string.h>

// m/s, of what leaves a crossing.
#define UNTANGLE_SPEED 0.3

// ---- pairs

// Candidates that wait for being measured.
enum { WAITING = 64 };

typedef struct Waiting {
    int count;
    int of[WAITING][4];  // as SelfPair
    float room[WAITING]; // m, of both
} Waiting;

typedef struct Finder {
    SelfContact *contact;
    const Mesh *mesh;
    double reach;
    double thickness; // m, of particle and triangle
    double edge_more; // m, by which the boxes of edges are wider
    bool crossings;   // are looked for
    Waiting particles, edges;
} Finder;

static bool all_tangled(const SelfContact *contact, const int particle[4])
{
    return contact->crossings > 0 && contact->tangled[particle[0]] &&
           contact->tangled[particle[1]] && contact->tangled[particle[2]] &&
           contact->tangled[particle[3]];
}

// `away` is the vector between their nearest points, m.
static void add_pair(const Finder *finder, const int particle[4], bool edges, Float4 away,
                     float distance, float room)
{
    SelfContact *contact = finder->contact;
    if (all_tangled(contact, particle)) return;
    if (contact->count == contact->capacity) {
        contact->full = true;
        return;
    }
    float thickness = (float)(edges ? 0.5 * finder->thickness : finder->thickness);
    contact->slack[contact->count] = distance - room - thickness;
    SelfPair *pair = &contact->pairs[contact->count++];
    pair->normal = away * (distance > 0.0f ? 1.0f / distance : 0.0f);
    memcpy(pair->particle, particle, sizeof pair->particle);
    pair->edges = edges;
}

// Measures what waits, and lists what is near.
static void measure(const Finder *finder, Waiting *waiting, bool edges)
{
    const Float4 *at = finder->contact->at;
    float reach = (float)(finder->reach - (edges ? 0.5 * finder->thickness : 0.0)),
          safe = 1.0f - NEAREST4_ERROR;
    for (int i = 0; i < waiting->count; i += 4) {
        const int(*of)[4] = (const int(*)[4])waiting->of + i;
        int count = waiting->count - i < 4 ? waiting->count - i : 4;
        Float4x3 away = edges ? nearest4_edges(at, of, count) : nearest4_triangles(at, of, count);
        Float4 square = away.x * away.x + away.y * away.y + away.z * away.z, most;
        square *= safe * safe;
        memcpy(&most, waiting->room + i, sizeof most);
        most += reach;
        Int4 far = square >= most * most; // NaN is not far
        for (int k = 0; k < count; k++) {
            if (far[k]) continue;
            Float4 vector = {away.x[k], away.y[k], away.z[k], 0.0f};
            add_pair(finder, of[k], edges, vector, sqrtf(square[k]), waiting->room[i + k]);
        }
    }
    waiting->count = 0;
}

static inline float larger(float a, float b)
{
    return a > b ? a : b;
}

static inline int *place_for(const Finder *finder, Waiting *waiting, bool edges, float room)
{
    if (waiting->count == WAITING) measure(finder, waiting, edges);
    waiting->room[waiting->count] = room;
    return waiting->of[waiting->count++];
}

static inline bool has(const uint32_t *corner, int particle)
{
    return (int)corner[0] == particle || (int)corner[1] == particle || (int)corner[2] == particle;
}

static inline void try_particle(Finder *finder, int particle, const uint32_t *corner)
{
    if (has(corner, particle)) return;
    const float *room = finder->contact->room;
    float both = room[particle] + larger(room[corner[0]], larger(room[corner[1]], room[corner[2]]));
    int *of = place_for(finder, &finder->particles, false, both);
    of[0] = particle;
    for (int k = 0; k < 3; k++) of[1 + k] = (int)corner[k];
}

static inline void try_edges(Finder *finder, const int a[2], const int b[2])
{
    if (a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1]) return;
    const float *room = finder->contact->room;
    float both = larger(room[a[0]], room[a[1]]) + larger(room[b[0]], room[b[1]]);
    int *of = place_for(finder, &finder->edges, true, both);
    of[0] = a[0], of[1] = a[1], of[2] = b[0], of[3] = b[1];
}

// An edge that passes through a triangle: it and its triangles are tangled with that.
static void try_crossing(const Finder *finder, int e, int triangle)
{
    SelfContact *contact = finder->contact;
    const SelfEdge *edge = &contact->edges[e];
    const uint32_t *corner = finder->mesh->triangles[triangle];
    const Vec3 *x = contact->place;
    if (has(corner, edge->ends[0]) || has(corner, edge->ends[1]) ||
        !segment_passes(x[edge->ends[0]], x[edge->ends[1]], x[corner[0]], x[corner[1]],
                        x[corner[2]]))
        return;
    contact->crossings++;
    for (int k = 0; k < 2; k++) {
        contact->tangled[edge->ends[k]] = true;
        if (edge->opposite[k] >= 0) contact->tangled[edge->opposite[k]] = true;
    }
    for (int k = 0; k < 3; k++) contact->tangled[corner[k]] = true;
    if (contact->crossing_count == contact->crossing_capacity) return;
    contact->crossing[contact->crossing_count++] = (SelfCrossing){e, triangle};
}

static inline bool is_inside(const Box *box, Float4 at)
{
    Box only = {at, at};
    return box_overlaps(box, &only);
}

static inline Box wider(const Box *box, float by)
{
    Float4 more = {by, by, by, 0.0f};
    return (Box){box->low - more, box->high + more};
}

// Particles of one leaf against the triangles of another.
static void try_particles(Finder *finder, int of, int against)
{
    const SelfContact *contact = finder->contact;
    const SelfLeaf *leaf = &contact->leaves[of];
    const BoxNode *node = &contact->boxes.nodes[against];
    for (int i = 0; i < leaf->particles; i++) {
        int p = contact->particles[leaf->first_particle + i];
        Box near =
            wider(&contact->boxes.places[against], 0.5f * (float)finder->reach + contact->room[p]);
        if (!is_inside(&near, contact->at[p])) continue;
        for (int k = 0; k < 2; k++)
            if (node->triangles[k] >= 0)
                try_particle(finder, p, finder->mesh->triangles[node->triangles[k]]);
    }
}

// Edges of one leaf through the triangles of another. Where crossings are looked for, nothing is
// ahead.
static void try_crossings(const Finder *finder, int of, int against)
{
    const SelfContact *contact = finder->contact;
    const SelfLeaf *leaf = &contact->leaves[of];
    const BoxNode *node = &contact->boxes.nodes[against];
    Box tight = wider(&contact->boxes.places[against], -0.5f * (float)finder->reach);
    for (int i = 0; i < leaf->edges; i++) {
        int e = leaf->first_edge + i;
        Box exact = wider(&contact->edge_boxes[e], -(float)finder->edge_more);
        if (!box_overlaps(&exact, &tight)) continue;
        for (int k = 0; k < 2; k++)
            if (node->triangles[k] >= 0) try_crossing(finder, e, node->triangles[k]);
    }
}

static void try_leaves(void *self, int a, int b)
{
    Finder *finder = self;
    const SelfContact *contact = finder->contact;
    const SelfLeaf *of_a = &contact->leaves[a], *of_b = &contact->leaves[b];
    try_particles(finder, a, b);
    if (a != b) try_particles(finder, b, a);
    if (finder->crossings) {
        try_crossings(finder, a, b);
        if (a != b) try_crossings(finder, b, a);
    }
    for (int i = 0; i < of_a->edges; i++) {
        int e = of_a->first_edge + i;
        if (!box_overlaps(&contact->edge_boxes[e], &contact->boxes.places[b])) continue;
        for (int j = a == b ? i + 1 : 0; j < of_b->edges; j++) {
            int f = of_b->first_edge + j;
            if (box_overlaps(&contact->edge_boxes[e], &contact->edge_boxes[f]))
                try_edges(finder, contact->edges[e].ends, contact->edges[f].ends);
        }
    }
}

static void find_pairs(Finder *finder)
{
    finder->contact->count = 0;
    finder->contact->full = false;
    boxes_pairs(&finder->contact->boxes, try_leaves, finder);
    measure(finder, &finder->particles, false);
    measure(finder, &finder->edges, true);
}

void self_search(SelfContact *contact, const Mesh *mesh, const SelfState *state, bool crossings)
{
    double thickness = self_contact_thickness(mesh);
    Finder finder = {.contact = contact,
                     .mesh = mesh,
                     .reach = state->reach,
                     .thickness = thickness,
                     .edge_more = 0.5 * (state->reach - 0.5 * thickness),
                     .crossings = crossings};
    for (int p = 0; p < mesh->particle_count; p++) {
        contact->place[p] = mesh_vector(mesh, state->seen, p);
        contact->at[p] = float4(contact->place[p]);
        contact->ahead[p] = float4(mesh_vector(mesh, state->ahead, p));
        contact->room[p] = (float)vec3_length(mesh_vector(mesh, state->ahead, p));
    }
    for (int e = 0; e < contact->edge_count; e++) {
        const int *ends = contact->edges[e].ends;
        contact->edge_boxes[e] = box_around(
            contact->at[ends[0]], contact->at[ends[1]],
            (float)finder.edge_more + larger(contact->room[ends[0]], contact->room[ends[1]]));
    }
    boxes_fit(&contact->boxes, mesh,
              &(BoxesAt){contact->at, contact->ahead, contact->room, (float)state->reach});
    memset(contact->tangled, 0, (size_t)mesh->particle_count * sizeof *contact->tangled);
    contact->crossings = contact->crossing_count = 0;
    find_pairs(&finder);
    finder.crossings = false;
    if (contact->crossings > 0) find_pairs(&finder); // without pairs among what crosses
    contact->searched = true;
    contact->searches++;
}

// ---- crossings

// The line in which a triangle of the edge meets the other triangle starts at the edge, in the
// direction `line`, of length 1. When the edge moves by D relative to the other triangle, with
// normal N, that start moves along its plane by D - (D.N)/(E.N) E, with E along the edge. So the
// line becomes shorter by  D.(line - (E.line)/(E.N) N).  0 if they do not meet in a line.
static Vec3 shortening(Vec3 p, Vec3 edge, Vec3 third, Vec3 normal)
{
    Vec3 own = vec3_cross(edge, vec3_sub(third, p)), line = vec3_cross(normal, own);
    double along = vec3_dot(edge, normal), length = vec3_length(line);
    if (along == 0.0 || length == 0.0) return (Vec3){0};
    Vec3 inwards = vec3_cross(own, edge); // from the edge to the third corner
    line = vec3_scale(vec3_dot(line, inwards) > 0.0 ? 1.0 / length : -1.0 / length, line);
    return vec3_add_scaled(line, -vec3_dot(edge, line) / along, normal);
}

// The direction in which the edge has to go, at most of length 1, and the weights of its ends and
// of the triangle's corners.
static Vec3 way_out(const Vec3 *x, const SelfEdge *edge, const uint32_t *corner, double weight[5])
{
    Vec3 p = x[edge->ends[0]], along = vec3_sub(x[edge->ends[1]], p), a = x[corner[0]];
    Vec3 normal = vec3_cross(vec3_sub(x[corner[1]], a), vec3_sub(x[corner[2]], a)), way = {0};
    for (int k = 0; k < 2; k++) {
        if (edge->opposite[k] >= 0)
            way = vec3_add(way, shortening(p, along, x[edge->opposite[k]], normal));
    }
    double s = vec3_dot(vec3_sub(a, p), normal) / vec3_dot(along, normal), share[2];
    nearest_on_triangle(vec3_add_scaled(p, s, along), a, x[corner[1]], x[corner[2]], share);
    weight[0] = 1.0 - s, weight[1] = s;
    weight[2] = share[0] + share[1] - 1.0, weight[3] = -share[0], weight[4] = -share[1];
    return vec3_scale(1.0 / fmax(vec3_length(way), 1.0), way);
}

double self_untangle(SelfContact *contact, Cloth *cloth, double h)
{
    const Mesh *mesh = &cloth->mesh;
    double work = 0.0;
    for (int i = 0; i < contact->crossing_count; i++) {
        const SelfEdge *edge = &contact->edges[contact->crossing[i].edge];
        const uint32_t *corner = mesh->triangles[contact->crossing[i].triangle];
        const int particle[5] = {edge->ends[0], edge->ends[1], (int)corner[0], (int)corner[1],
                                 (int)corner[2]};
        double weight[5], inverse[5], W = 0.0;
        Vec3 way = way_out(contact->place, edge, corner, weight);
        for (int k = 0; k < 5; k++) {
            inverse[k] = cloth->inverse_mass[mesh->first_dof[particle[k]]];
            W += weight[k] * weight[k] * inverse[k];
        }
        for (int k = 0; k < 5 && W > 0.0; k++) {
            double share = h * UNTANGLE_SPEED * weight[k] * inverse[k] / W;
            if (share == 0.0) continue;
            Vec3 x = mesh_vector(mesh, cloth->x, particle[k]);
            mesh_set_vector(mesh, cloth->x, particle[k], vec3_add_scaled(x, share, way));
            work += cloth->material.gravity * share * way.y / inverse[k];
        }
    }
    return work;
}
