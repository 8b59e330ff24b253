#include "cloth/self_blocks.h"

#include "cloth/mesh_edges.h"

#include <stdlib.h>
#include <string.h>

// Triangles of a block, at most.
enum { BLOCK = 16 };
// After so many steps, or so many metres of r, sums start anew: they are in single precision.
enum { LONGEST = 1000 };
#define FURTHEST 0.5f
// Rounding of distances in single precision, as a share of the largest coordinate.
#define ROUNDING 4e-6f
// And that of adding to a sum, as a share of the largest.
#define ADDING 1.2e-7f

// ---- making

// Per node, how many triangles it has, and the node after its last.
typedef struct NodeRange {
    int triangles, end;
} NodeRange;

static void count_nodes(const Boxes *boxes, NodeRange *range)
{
    for (int i = boxes->node_count - 1; i >= 0; i--) {
        const BoxNode *node = &boxes->nodes[i];
        if (node->second == 0)
            range[i] = (NodeRange){node->triangles[1] >= 0 ? 2 : 1, i + 1};
        else
            range[i] = (NodeRange){range[i + 1].triangles + range[node->second].triangles,
                                   range[node->second].end};
    }
}

static void make_blocks(SelfContact *contact, const NodeRange *range)
{
    int leaves = 0;
    for (int i = 0; i < contact->boxes.node_count;) {
        contact->last_block[i] = contact->block_count;
        if (range[i].triangles > BLOCK) {
            i++;
            continue;
        }
        SelfBlock *block = &contact->blocks[contact->block_count];
        *block = (SelfBlock){.node = i, .first_leaf = leaves};
        for (int k = i; k < range[i].end; k++) {
            contact->last_block[k] = contact->block_count;
            if (contact->boxes.nodes[k].second == 0) contact->leaf_nodes[leaves++] = k;
        }
        block->leaves = leaves - block->first_leaf;
        contact->block_count++;
        i = range[i].end;
    }
    for (int i = contact->boxes.node_count - 1; i >= 0; i--)
        if (range[i].triangles > BLOCK)
            contact->last_block[i] = contact->last_block[contact->boxes.nodes[i].second];
}

// A block's triangles, and all of their particles, each once. `seen` has the last block of each
// particle.
static void add_corners(SelfContact *contact, const Mesh *mesh, int b, int *corners, int *seen)
{
    SelfBlock *block = &contact->blocks[b];
    block->first_corner = *corners;
    block->first_triangle = b > 0 ? block[-1].first_triangle + block[-1].triangles : 0;
    for (int i = 0; i < block->leaves; i++) {
        const BoxNode *node = &contact->boxes.nodes[contact->leaf_nodes[block->first_leaf + i]];
        for (int k = 0; k < 2 && node->triangles[k] >= 0; k++) {
            int *triangle = contact->triangles[block->first_triangle + block->triangles++];
            for (int c = 0; c < 3; c++) {
                int p = (int)mesh->triangles[node->triangles[k]][c];
                triangle[c] = p;
                if (seen[p] == b) continue;
                seen[p] = b;
                contact->corners[(*corners)++] = p;
            }
        }
    }
    block->corners = *corners - block->first_corner;
}

// Each particle belongs to the first block that has it, so that no pair is found twice.
static void share_particles(SelfContact *contact, const Mesh *mesh, int *seen)
{
    int corners = 0, own = 0;
    for (int p = 0; p < mesh->particle_count; p++) seen[p] = -1;
    for (int b = 0; b < contact->block_count; b++) add_corners(contact, mesh, b, &corners, seen);
    for (int p = 0; p < mesh->particle_count; p++) seen[p] = -1;
    for (int b = 0; b < contact->block_count; b++) {
        SelfBlock *block = &contact->blocks[b];
        block->first_particle = own;
        for (int i = 0; i < block->corners; i++) {
            int p = contact->corners[block->first_corner + i];
            if (seen[p] >= 0) continue;
            seen[p] = b;
            contact->particles[own++] = p;
        }
        block->particles = own - block->first_particle;
    }
}

// Each edge belongs to the block of its first triangle. `of` has room for a number per triangle.
static void share_edges(SelfContact *contact, const MeshEdges *edges, int *of)
{
    for (int b = 0; b < contact->block_count; b++) {
        const SelfBlock *block = &contact->blocks[b];
        for (int i = 0; i < block->leaves; i++) {
            const BoxNode *node = &contact->boxes.nodes[contact->leaf_nodes[block->first_leaf + i]];
            for (int k = 0; k < 2 && node->triangles[k] >= 0; k++) of[node->triangles[k]] = b;
        }
    }
    for (int e = 0; e < edges->count; e++) contact->blocks[of[edges->items[e].side[0]]].edges++;
    int count = 0;
    for (int b = 0; b < contact->block_count; b++) {
        contact->blocks[b].first_edge = count;
        count += contact->blocks[b].edges;
        contact->blocks[b].edges = 0; // counted again below
    }
    for (int e = 0; e < edges->count; e++) {
        const MeshEdge *edge = &edges->items[e];
        SelfBlock *block = &contact->blocks[of[edge->side[0]]];
        contact->edges[block->first_edge + block->edges++] =
            (SelfEdge){{edge->ends[0], edge->ends[1]}, {edge->opposite[0], edge->opposite[1]}};
    }
}

static bool allocate(SelfContact *contact, const Mesh *mesh)
{
    size_t triangles = (size_t)mesh->triangle_count, nodes = (size_t)contact->boxes.node_count,
           edges = (size_t)contact->edge_count, particles = (size_t)mesh->particle_count;
    contact->edges = calloc(edges, sizeof *contact->edges);
    contact->particles = calloc(particles, sizeof *contact->particles);
    contact->now = calloc(particles, sizeof *contact->now);
    contact->before = calloc(particles, sizeof *contact->before);
    contact->next = calloc(particles, sizeof *contact->next);
    contact->leaf_nodes = calloc(triangles, sizeof *contact->leaf_nodes);
    contact->triangles = calloc(triangles, sizeof *contact->triangles);
    contact->corners = calloc(3 * triangles, sizeof *contact->corners);
    contact->last_block = calloc(nodes, sizeof *contact->last_block);
    contact->blocks = calloc(triangles, sizeof *contact->blocks);
    contact->block_box = calloc(triangles, sizeof *contact->block_box);
    contact->travel = calloc(triangles, sizeof *contact->travel);
    contact->coming = calloc(triangles, sizeof *contact->coming);
    contact->reached = calloc(triangles, sizeof *contact->reached);
    contact->fitted = calloc(triangles, sizeof *contact->fitted);
    contact->used_blocks = calloc(triangles, sizeof *contact->used_blocks);
    contact->used_particles = calloc(particles, sizeof *contact->used_particles);
    contact->is_used = calloc(particles, sizeof *contact->is_used);
    return contact->edges && contact->particles && contact->now && contact->before &&
           contact->next && contact->leaf_nodes && contact->triangles && contact->corners &&
           contact->last_block && contact->blocks && contact->block_box && contact->travel &&
           contact->coming && contact->reached && contact->fitted && contact->used_blocks &&
           contact->used_particles && contact->is_used;
}

Status self_blocks_init(SelfContact *contact, const Mesh *mesh, Error *error)
{
    MeshEdges edges;
    Status status = mesh_edges_init(&edges, mesh->particle_count, mesh->triangle_count,
                                    (const uint32_t(*)[3])mesh->triangles, error);
    if (status != STATUS_OK) return status;
    contact->edge_count = edges.count;
    size_t most = (size_t)mesh->triangle_count + (size_t)mesh->particle_count;
    int *scratch = calloc(most, sizeof *scratch);
    NodeRange *range = calloc((size_t)contact->boxes.node_count, sizeof *range);
    if (scratch && range && allocate(contact, mesh)) {
        count_nodes(&contact->boxes, range);
        make_blocks(contact, range);
        share_particles(contact, mesh, scratch);
        share_edges(contact, &edges, scratch);
    } else {
        status = error_set(error, STATUS_OUT_OF_MEMORY,
                           "not enough memory for the contacts of %d triangles with each other",
                           mesh->triangle_count);
    }
    free(scratch);
    free(range);
    mesh_edges_finish(&edges);
    return status;
}

void self_blocks_finish(SelfContact *contact)
{
    free(contact->edges);
    free(contact->particles);
    free(contact->now);
    free(contact->before);
    free(contact->next);
    free(contact->leaf_nodes);
    free(contact->triangles);
    free(contact->corners);
    free(contact->last_block);
    free(contact->blocks);
    free(contact->block_box);
    free(contact->travel);
    free(contact->coming);
    free(contact->reached);
    free(contact->fitted);
    free(contact->used_blocks);
    free(contact->used_particles);
    free(contact->is_used);
}

// ---- motion

static void use_block(SelfContact *contact, int b)
{
    if (contact->fitted[b] == contact->step) return;
    contact->fitted[b] = contact->step; // for now
    contact->used_blocks[contact->used_count++] = b;
    const SelfBlock *block = &contact->blocks[b];
    for (int i = block->first_corner; i < block->first_corner + block->corners; i++) {
        int p = contact->corners[i];
        if (contact->is_used[p]) continue;
        contact->is_used[p] = true;
        contact->used_particles[contact->used_particle_count++] = p;
    }
}

void self_use_blocks(SelfContact *contact)
{
    for (int i = 0; i < contact->used_particle_count; i++)
        contact->is_used[contact->used_particles[i]] = false;
    contact->used_count = contact->used_particle_count = 0;
    contact->step++;
    for (int i = 0; i < contact->close_count; i++) {
        use_block(contact, contact->close[i].a);
        use_block(contact, contact->close[i].b);
    }
    contact->step++;
}

static Vec3 middle_of(const Mesh *mesh, const double *x)
{
    enum { SAMPLES = 16 };
    Vec3 sum = {0};
    for (int i = 0; i < SAMPLES; i++)
        sum = vec3_add(
            sum, mesh_vector(mesh, x, (int)((long)i * (mesh->particle_count - 1) / (SAMPLES - 1))));
    return vec3_scale(1.0 / SAMPLES, sum);
}

typedef struct Taker {
    const double *from, *to; // m, flat
    int stride;
    Vec3 middle, frame;
    Box all; // m, of the positions
} Taker;

// The position of a particle, in single precision, from the middle, and both of its ways.
static inline void take_position(SelfContact *contact, Taker *taker, int p, int dof)
{
    int y = dof + taker->stride, z = y + taker->stride;
    const double *from = taker->from, *to = taker->to;
    Float4 at = {(float)(from[dof] - taker->middle.x), (float)(from[y] - taker->middle.y),
                 (float)(from[z] - taker->middle.z), 0.0f};
    contact->before[p] = at - contact->now[p];
    contact->now[p] = at;
    contact->next[p] = (Float4){(float)(to[dof] - from[dof] - taker->frame.x),
                                (float)(to[y] - from[y] - taker->frame.y),
                                (float)(to[z] - from[z] - taker->frame.z), 0.0f};
    box_add(&taker->all, at);
}

// Of all particles, or of those that are used if they are few. Returns the largest coordinate.
static float take_positions(SelfContact *contact, const Mesh *mesh, Taker *taker)
{
    if (2 * contact->used_particle_count < mesh->particle_count) {
        for (int i = 0; i < contact->used_particle_count; i++) {
            int p = contact->used_particles[i];
            take_position(contact, taker, p, mesh->first_dof[p]);
        }
    } else {
        int count = mesh->row_width > 0 ? mesh->columns : 1;
        for (int p = 0; p < mesh->particle_count; p += count)
            for (int i = 0; i < count; i++)
                take_position(contact, taker, p + i, mesh->first_dof[p] + i);
    }
    Float4 largest = float4_higher(taker->all.high, -taker->all.low);
    return fmaxf(largest[0], fmaxf(largest[1], largest[2]));
}

// u and, in the fourth part, r of vectors in a box.
static inline Float4 middle_and_radius(Float4 low, Float4 high)
{
    Float4 middle = 0.5f * (low + high), half = 0.5f * (high - low), square = half * half;
    middle[3] = sqrtf(square[0] + square[1] + square[2]);
    return middle;
}

static inline float length_of(Float4 a)
{
    Float4 square = a * a;
    return sqrtf(square[0] + square[1] + square[2]);
}

// `rounding` is that of the sums, m.
static void follow_block(SelfContact *contact, int b, float rounding)
{
    const SelfBlock *block = &contact->blocks[b];
    const int *corner = contact->corners + block->first_corner;
    const Float4 *before = contact->before, *next = contact->next;
    Float4 low = before[corner[0]], high = low, low_next = next[corner[0]], high_next = low_next;
    for (int i = 1; i < block->corners; i++) {
        Float4 way = before[corner[i]], way_next = next[corner[i]];
        low = float4_lower(low, way);
        high = float4_higher(high, way);
        low_next = float4_lower(low_next, way_next);
        high_next = float4_higher(high_next, way_next);
    }
    const Float4 more = {0.0f, 0.0f, 0.0f, rounding};
    Float4 went = middle_and_radius(low, high) + more,
           coming = middle_and_radius(low_next, high_next);
    contact->travel[b] += went;
    contact->coming[b] = coming;
    Float4 reached = contact->travel[b];
    reached[3] += length_of(coming) + coming[3];
    contact->reached[b] = reached;
}

static const Float4 others = {-1.0f, -1.0f, -1.0f, 1.0f};

float self_nearing(const SelfContact *contact, const SelfClose *close)
{
    Float4 way = contact->travel[close->a] + others * contact->travel[close->b] - close->from;
    return way[3] + length_of(way);
}

void self_take_reference(SelfContact *contact, SelfClose *close)
{
    float nearing = self_nearing(contact, close);
    close->from = contact->travel[close->a] + others * contact->travel[close->b];
    close->slack -= nearing;
    close->unlisted -= nearing;
    for (int i = close->first; i < close->first + close->pairs; i++) contact->slack[i] -= nearing;
}

// Sums of motions start from 0.
static void start_anew(SelfContact *contact)
{
    const Float4 none = {0};
    for (int i = 0; i < contact->close_count; i++) {
        self_take_reference(contact, &contact->close[i]);
        contact->close[i].from = none;
    }
    for (int b = 0; b < contact->block_count; b++) contact->travel[b] = none;
    contact->follows = 0;
}

float self_follow(SelfContact *contact, const Mesh *mesh, const double *old_x, const double *x,
                  Vec3 frame)
{
    Taker taker = {.from = old_x,
                   .to = x,
                   .stride = mesh->component_stride,
                   .middle = middle_of(mesh, old_x),
                   .frame = frame};
    float largest = take_positions(contact, mesh, &taker), furthest = 0.0f;
    if (!contact->followed)
        memset(contact->before, 0, (size_t)mesh->particle_count * sizeof *contact->before);
    contact->followed = true;
    if (contact->follows >= LONGEST) start_anew(contact);
    for (int i = 0; i < contact->used_count; i++) {
        int b = contact->used_blocks[i];
        follow_block(contact, b, ADDING * (largest + FURTHEST));
        furthest = fmaxf(furthest, contact->travel[b][3]);
    }
    contact->follows = furthest > FURTHEST ? LONGEST : contact->follows + 1;
    return ROUNDING * largest;
}
