#include "cloth/self_blocks.h"

#include "cloth/mesh_edges.h"

#include <stdlib.h>
#include <string.h>

// Triangles of a block, at most.
enum { BLOCK = 16 };

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
    contact->anchor = calloc(particles, sizeof *contact->anchor);
    contact->since = calloc(particles, sizeof *contact->since);
    contact->set_of_block = calloc(triangles, sizeof *contact->set_of_block);
    contact->set_of_particle = calloc(particles, sizeof *contact->set_of_particle);
    contact->is_followed = calloc(triangles, sizeof *contact->is_followed);
    for (int i = 0; i < 2; i++) {
        SelfPlaces *places = i == 0 ? &contact->listed : &contact->used;
        places->blocks = calloc(triangles, sizeof *places->blocks);
        places->particles = calloc(particles, sizeof *places->particles);
        if (!places->blocks || !places->particles) return false;
    }
    return contact->edges && contact->particles && contact->now && contact->before &&
           contact->next && contact->leaf_nodes && contact->triangles && contact->corners &&
           contact->last_block && contact->blocks && contact->block_box && contact->travel &&
           contact->coming && contact->reached && contact->fitted && contact->anchor &&
           contact->since && contact->set_of_block && contact->set_of_particle &&
           contact->is_followed;
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
    free(contact->anchor);
    free(contact->since);
    free(contact->set_of_block);
    free(contact->set_of_particle);
    free(contact->is_followed);
    free(contact->listed.blocks);
    free(contact->listed.particles);
    free(contact->used.blocks);
    free(contact->used.particles);
}
