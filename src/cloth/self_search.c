#include "cloth/self_search.h"

#include "cloth/nearest.h"
#include "cloth/self_follow.h"

#include <assert.h>
#include <string.h>

// m/s, of what leaves a crossing.
#define UNTANGLE_SPEED 0.3
// The tree halves, and a level takes one place.
enum { STACK = 128 };

// ---- pairs of blocks

static bool is_before(const SelfClose *close, int a, int b)
{
    return close->a < a || (close->a == a && close->b < b);
}

// Two blocks that come near each other. If they did before, what is known of them is kept; `before`
// goes through that list.
static void add_close(SelfContact *contact, int a, int b, int *before, int before_count)
{
    if (contact->close_count == contact->close_capacity) {
        contact->full = true;
        return;
    }
    const SelfClose *old = contact->close_before;
    while (*before < before_count && is_before(&old[*before], a, b)) ++*before;
    SelfClose *close = &contact->close[contact->close_count++];
    if (*before < before_count && old[*before].a == a && old[*before].b == b)
        *close = old[*before];
    else
        *close = (SelfClose){.a = a, .b = b, .slack = -INFINITY, .unlisted = -INFINITY};
}

// Two blocks beside each other whose normals lie within a cone: as boxes_are_smooth, but by each
// leaf's range of normals, which is narrower than that of all.
static bool blocks_are_smooth(const SelfContact *contact, const SelfBlock *a, const SelfBlock *b)
{
    const BoxNode *first = &contact->boxes.nodes[a->node], *second = &contact->boxes.nodes[b->node];
    if (!contact->boxes.cones || !box_overlaps(&first->rest, &second->rest)) return false;
    Box normals = box_join(&first->normals, &second->normals);
    Float4 axis = normals.low + normals.high;
    return boxes_leaves_are_smooth(&contact->boxes, contact->leaf_nodes + a->first_leaf, a->leaves,
                                   axis) &&
           boxes_leaves_are_smooth(&contact->boxes, contact->leaf_nodes + b->first_leaf, b->leaves,
                                   axis);
}

// Blocks that come near block a and are not before it, in their order.
static void find_close(SelfContact *contact, int a, int *before, int before_count)
{
    const Boxes *boxes = &contact->boxes;
    int node = contact->blocks[a].node, stack[STACK], depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        int other = stack[--depth], b = contact->last_block[other];
        if (b < a || !box_overlaps(&boxes->places[node], &boxes->places[other]) ||
            boxes_are_smooth(boxes, node, other))
            continue;
        if (contact->blocks[b].node == other) {
            if (blocks_are_smooth(contact, &contact->blocks[a], &contact->blocks[b])) continue;
            add_close(contact, a, b, before, before_count);
            continue;
        }
        assert(depth + 2 <= STACK);
        stack[depth++] = boxes->nodes[other].second;
        stack[depth++] = other + 1;
    }
}

static void find_all_close(SelfContact *contact)
{
    SelfClose *close = contact->close;
    int before = 0, before_count = contact->close_count;
    contact->close = contact->close_before;
    contact->close_before = close;
    contact->close_count = 0;
    contact->full = false;
    for (int a = 0; a < contact->block_count; a++) find_close(contact, a, &before, before_count);
    self_use_blocks(contact);
}

// ---- crossings

static inline bool has(const uint32_t *corner, int particle)
{
    return (int)corner[0] == particle || (int)corner[1] == particle || (int)corner[2] == particle;
}

// An edge that passes through a triangle: it and its triangles are tangled with that.
static void try_crossing(SelfContact *contact, const Mesh *mesh, int e, int triangle)
{
    const SelfEdge *edge = &contact->edges[e];
    const uint32_t *corner = mesh->triangles[triangle];
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

// Edges of one block through the triangles of another, at the positions of the search.
static void try_crossings(SelfContact *contact, const Mesh *mesh, int of, int against, float reach)
{
    const SelfBlock *block = &contact->blocks[of], *other = &contact->blocks[against];
    for (int e = block->first_edge; e < block->first_edge + block->edges; e++) {
        const int *ends = contact->edges[e].ends;
        Box exact = box_around(contact->at[ends[0]], contact->at[ends[1]], 0.0f);
        for (int k = other->first_leaf; k < other->first_leaf + other->leaves; k++) {
            int leaf = contact->leaf_nodes[k];
            Box tight = box_wider(&contact->boxes.places[leaf], -0.5f * reach);
            if (!box_overlaps(&exact, &tight)) continue;
            const BoxNode *node = &contact->boxes.nodes[leaf];
            for (int t = 0; t < 2 && node->triangles[t] >= 0; t++)
                try_crossing(contact, mesh, e, node->triangles[t]);
        }
    }
}

static void find_crossings(SelfContact *contact, const Mesh *mesh, float reach)
{
    for (int i = 0; i < contact->close_count; i++) {
        int a = contact->close[i].a, b = contact->close[i].b;
        try_crossings(contact, mesh, a, b, reach);
        if (a != b) try_crossings(contact, mesh, b, a, reach);
    }
}

void self_search(SelfContact *contact, const Mesh *mesh, const SelfState *state, bool crossings)
{
    for (int p = 0; p < mesh->particle_count; p++) {
        contact->place[p] = mesh_vector(mesh, state->seen, p);
        contact->at[p] = float4(contact->place[p]);
        contact->ahead[p] = float4(mesh_vector(mesh, state->ahead, p));
        contact->room[p] = (float)vec3_length(mesh_vector(mesh, state->ahead, p));
    }
    boxes_fit(&contact->boxes, mesh,
              &(BoxesAt){contact->at, contact->ahead, contact->room, (float)state->reach});
    memset(contact->tangled, 0, (size_t)mesh->particle_count * sizeof *contact->tangled);
    contact->crossings = contact->crossing_count = 0;
    find_all_close(contact);
    if (crossings) find_crossings(contact, mesh, (float)state->reach);
    contact->searched = true;
    contact->searches++;
}

// ---- the way out of crossings

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
