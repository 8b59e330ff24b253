#include "cloth/self_search.h"

#include "cloth/nearest.h"

#include <string.h>

// In spacings: how far a particle may move at least before the next search.
#define LEAST_WAY 0.125
// How far it may move in terms of the way of the present step, and the largest reach in spacings.
#define WAYS 1.5
#define LARGEST_REACH 2.5
// Share of its distance by which each of two may come nearer.
#define SHARE 0.4
// m/s, of what leaves a crossing.
#define UNTANGLE_SPEED 0.3

double self_search_reach(const Mesh *mesh, double way)
{
    double thickness = self_contact_thickness(mesh);
    double reach = thickness + 2.0 * fmax(LEAST_WAY * mesh->spacing, WAYS * way);
    return fmin(reach, LARGEST_REACH * mesh->spacing);
}

// ---- pairs

typedef struct Finder {
    SelfContact *contact;
    const Mesh *mesh;
    double reach;
    float thickness; // m, of particle and triangle
} Finder;

static bool all_tangled(const SelfContact *contact, const int particle[4])
{
    return contact->crossings > 0 && contact->tangled[particle[0]] &&
           contact->tangled[particle[1]] && contact->tangled[particle[2]] &&
           contact->tangled[particle[3]];
}

static void add_pair(const Finder *finder, const int particle[4], Vec3 away, const double share[2],
                     bool edges)
{
    SelfContact *contact = finder->contact;
    double square = vec3_dot(away, away);
    if (!(square < finder->reach * finder->reach) || all_tangled(contact, particle)) return;
    double distance = sqrt(square), limit = SHARE * distance;
    for (int i = 0; i < 4; i++) {
        double *of = &contact->limit[particle[i]];
        if (limit < *of) *of = limit;
    }
    if (distance == 0.0) return; // no direction
    if (contact->count == contact->capacity) {
        contact->full = true;
        return;
    }
    float thickness = edges ? 0.5f * finder->thickness : finder->thickness;
    Vec3 normal = vec3_scale(1.0 / distance, away);
    contact->slack[contact->count] = (float)distance - thickness;
    contact->pairs[contact->count++] =
        (SelfPair){.particle = {particle[0], particle[1], particle[2], particle[3]},
                   .share = {(float)share[0], (float)share[1]},
                   .normal = {(float)normal.x, (float)normal.y, (float)normal.z},
                   .thickness = thickness,
                   .edges = edges};
}

static bool has(const uint32_t *corner, uint32_t particle)
{
    return corner[0] == particle || corner[1] == particle || corner[2] == particle;
}

static void try_particle(const Finder *finder, uint32_t particle, const uint32_t *corner)
{
    const Vec3 *x = finder->contact->place;
    double share[2];
    Vec3 away = nearest_on_triangle(x[particle], x[corner[0]], x[corner[1]], x[corner[2]], share);
    int all[4] = {(int)particle, (int)corner[0], (int)corner[1], (int)corner[2]};
    add_pair(finder, all, away, share, false);
}

static void try_edges(const Finder *finder, const uint32_t a[2], const uint32_t b[2])
{
    const Vec3 *x = finder->contact->place;
    double share[2];
    if (a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1]) return;
    Vec3 away = nearest_on_segments(x[a[0]], x[a[1]], x[b[0]], x[b[1]], share);
    // otherwise it is an end that is near: a matter of particle and triangle
    bool inside = share[0] > 0.0 && share[0] < 1.0 && share[1] > 0.0 && share[1] < 1.0;
    int all[4] = {(int)a[0], (int)a[1], (int)b[0], (int)b[1]};
    if (inside) add_pair(finder, all, away, share, true);
}

// Distances of the other triangle's corners from a plane, times the length of its normal.
typedef struct Sides {
    double distance[3];
    double square; // of the normal's length
} Sides;

static Sides sides_of(const Vec3 *x, const uint32_t *plane, const uint32_t *corner)
{
    Vec3 a = x[plane[0]];
    Vec3 normal = vec3_cross(vec3_sub(x[plane[1]], a), vec3_sub(x[plane[2]], a));
    Sides sides = {.square = vec3_dot(normal, normal)};
    for (int i = 0; i < 3; i++)
        sides.distance[i] = vec3_dot(vec3_sub(x[corner[i]], a), normal);
    return sides;
}

// Particles of triangle `from` against triangle `to`.
static void try_corners(const Finder *finder, int from, const uint32_t *of, const uint32_t *to,
                        const Sides *sides)
{
    double most = finder->reach * finder->reach * sides->square;
    for (int i = 0; i < 3; i++) {
        bool owned = finder->contact->owned[from] & (1 << i);
        if (owned && sides->distance[i] * sides->distance[i] <= most && !has(to, of[i]))
            try_particle(finder, of[i], to);
    }
}

// Sides of the triangle `of` that pass through the triangle `to`.
static void try_crossings(const Finder *finder, const uint32_t *of, const uint32_t *to,
                          const Sides *sides)
{
    SelfContact *contact = finder->contact;
    const Vec3 *x = contact->place;
    const double *d = sides->distance;
    if ((d[0] > 0.0 && d[1] > 0.0 && d[2] > 0.0) || (d[0] < 0.0 && d[1] < 0.0 && d[2] < 0.0))
        return;
    for (int i = 0; i < 3; i++) {
        uint32_t p = of[i], q = of[(i + 1) % 3];
        if (has(to, p) || has(to, q) ||
            !segment_passes(x[p], x[q], x[to[0]], x[to[1]], x[to[2]]))
            continue;
        contact->new_crossings++;
        for (int k = 0; k < 3; k++) contact->tangled[of[k]] = contact->tangled[to[k]] = true;
        if (contact->crossing_count == contact->crossing_capacity) continue;
        contact->crossing[contact->crossing_count++] =
            (SelfCrossing){{(int)p, (int)q, (int)of[(i + 2) % 3]},
                           {(int)to[0], (int)to[1], (int)to[2]}};
    }
}

static void try_triangles(void *self, int a, int b)
{
    const Finder *finder = self;
    const SelfContact *contact = finder->contact;
    const uint32_t *of_a = finder->mesh->triangles[a], *of_b = finder->mesh->triangles[b];
    Sides a_from_b = sides_of(contact->place, of_b, of_a);
    Sides b_from_a = sides_of(contact->place, of_a, of_b);
    try_corners(finder, a, of_a, of_b, &a_from_b);
    try_corners(finder, b, of_b, of_a, &b_from_a);
    for (int i = 0; i < 3; i++) {
        if (!(contact->owned[a] & (8 << i))) continue;
        for (int j = 0; j < 3; j++) {
            if (contact->owned[b] & (8 << j))
                try_edges(finder, (const uint32_t[2]){of_a[i], of_a[(i + 1) % 3]},
                          (const uint32_t[2]){of_b[j], of_b[(j + 1) % 3]});
        }
    }
    if (contact->looks_for_crossings) {
        try_crossings(finder, of_a, of_b, &a_from_b);
        try_crossings(finder, of_b, of_a, &b_from_a);
    }
}

static void find_pairs(const Finder *finder)
{
    SelfContact *contact = finder->contact;
    double most = 0.5 * (finder->reach - (double)finder->thickness);
    contact->count = 0;
    contact->full = false;
    for (int p = 0; p < finder->mesh->particle_count; p++) contact->limit[p] = most;
    boxes_pairs(&contact->boxes, try_triangles, (void *)finder);
}

void self_search(SelfContact *contact, const Mesh *mesh, const SelfState *state)
{
    Finder finder = {contact, mesh, state->reach, (float)self_contact_thickness(mesh)};
    for (int p = 0; p < mesh->particle_count; p++)
        contact->place[p] = mesh_vector(mesh, state->seen, p);
    boxes_fit(&contact->boxes, mesh, contact->place, state->reach);
    memset(contact->tangled, 0, (size_t)mesh->particle_count * sizeof *contact->tangled);
    contact->crossings = contact->new_crossings = contact->crossing_count = 0;
    contact->looks_for_crossings = true;
    find_pairs(&finder);
    contact->looks_for_crossings = false;
    contact->crossings = contact->new_crossings;
    if (contact->crossings > 0) find_pairs(&finder); // without pairs among what crosses
    contact->searched = true;
    contact->searches++;
}

// ---- crossings

// The line in which the triangle of the edge meets the other starts at the edge, in the direction
// `line`, of length 1, into the triangle. When the edge moves by D relative to the other triangle,
// with normal N, the start moves along its plane by D - (D.N)/(E.N) E, with E along the edge. The
// line becomes shorter by  D.(line - (E.line)/(E.N) N), so this is the direction to take.
static bool way_out(const Vec3 *x, const SelfCrossing *crossing, double weight[6], Vec3 *out)
{
    const int *e = crossing->side, *t = crossing->triangle;
    Vec3 p = x[e[0]], edge = vec3_sub(x[e[1]], p), a = x[t[0]];
    Vec3 ab = vec3_sub(x[t[1]], a), ac = vec3_sub(x[t[2]], a);
    Vec3 normal = vec3_cross(ab, ac), own = vec3_cross(edge, vec3_sub(x[e[2]], p));
    Vec3 line = vec3_cross(normal, own);
    double along = vec3_dot(edge, normal), length = vec3_length(line);
    if (along == 0.0 || length == 0.0) return false;
    // into the triangle of the edge: away from the edge, towards its third corner
    Vec3 inwards = vec3_cross(own, edge);
    line = vec3_scale(vec3_dot(line, inwards) > 0.0 ? 1.0 / length : -1.0 / length, line);
    double s = vec3_dot(vec3_sub(a, p), normal) / along;
    double share[2];
    nearest_on_triangle(vec3_add_scaled(p, s, edge), a, x[t[1]], x[t[2]], share);
    weight[0] = 1.0 - s, weight[1] = s, weight[2] = 0.0;
    weight[3] = share[0] + share[1] - 1.0, weight[4] = -share[0], weight[5] = -share[1];
    Vec3 way = vec3_add_scaled(line, -vec3_dot(edge, line) / along, normal);
    double size = vec3_length(way);
    *out = vec3_scale(1.0 / fmax(size, 1.0), way);
    return true;
}

double self_untangle(SelfContact *contact, Cloth *cloth, double h)
{
    const Mesh *mesh = &cloth->mesh;
    double work = 0.0;
    for (int i = 0; i < contact->crossing_count; i++) {
        const SelfCrossing *crossing = &contact->crossing[i];
        const int particle[6] = {crossing->side[0],     crossing->side[1],
                                 crossing->side[2],     crossing->triangle[0],
                                 crossing->triangle[1], crossing->triangle[2]};
        double weight[6], inverse[6], W = 0.0;
        Vec3 way;
        if (!way_out(contact->place, crossing, weight, &way)) continue;
        for (int k = 0; k < 6; k++) {
            inverse[k] = cloth->inverse_mass[mesh->first_dof[particle[k]]];
            W += weight[k] * weight[k] * inverse[k];
        }
        if (W == 0.0) continue;
        for (int k = 0; k < 6; k++) {
            double share = h * UNTANGLE_SPEED * weight[k] * inverse[k] / W;
            if (share == 0.0) continue;
            Vec3 x = mesh_vector(mesh, cloth->x, particle[k]);
            mesh_set_vector(mesh, cloth->x, particle[k], vec3_add_scaled(x, share, way));
            work += cloth->material.gravity * share * way.y / inverse[k];
        }
    }
    return work;
}
