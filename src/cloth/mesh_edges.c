// Half-edges are sorted into buckets by their lower end, so the work grows linearly with the mesh.
// A bucket holds about six.
#include "cloth/mesh_edges.h"

#include <stdlib.h>

typedef struct HalfEdge {
    int high; // the other end
    int triangle, opposite;
} HalfEdge;

// Ends of side k of a triangle, the lower first.
static void side_ends(const uint32_t corner[3], int k, int ends[2])
{
    int a = (int)corner[k], b = (int)corner[(k + 1) % 3];
    ends[0] = a < b ? a : b;
    ends[1] = a < b ? b : a;
}

static void sort_bucket(HalfEdge *bucket, int count)
{
    for (int i = 1; i < count; i++) {
        HalfEdge moving = bucket[i];
        int k = i;
        for (; k > 0 && bucket[k - 1].high > moving.high; k--) bucket[k] = bucket[k - 1];
        bucket[k] = moving;
    }
}

static void collect(MeshEdges *edges, int low, const HalfEdge *bucket, int count)
{
    for (int i = 0; i < count; i++) {
        MeshEdge *last = edges->count > 0 ? &edges->items[edges->count - 1] : NULL;
        if (!last || last->ends[0] != low || last->ends[1] != bucket[i].high) {
            edges->items[edges->count++] = (MeshEdge){.ends = {low, bucket[i].high},
                                                      .side = {bucket[i].triangle, -1},
                                                      .opposite = {bucket[i].opposite, -1}};
        } else if (last->side[1] < 0) {
            last->side[1] = bucket[i].triangle;
            last->opposite[1] = bucket[i].opposite;
        } else if (edges->crowded < 0) {
            edges->crowded = bucket[i].triangle;
        }
    }
}

Status mesh_edges_init(MeshEdges *edges, int particle_count, int triangle_count,
                       const uint32_t (*triangles)[3], Error *error)
{
    size_t sides = 3 * (size_t)triangle_count;
    int *start = calloc((size_t)particle_count + 1, sizeof *start);
    int *fill = calloc((size_t)particle_count + 1, sizeof *fill);
    HalfEdge *halves = calloc(sides + 1, sizeof *halves);
    *edges = (MeshEdges){.items = calloc(sides + 1, sizeof *edges->items), .crowded = -1};
    Status status = STATUS_OK;
    if (!start || !fill || !halves || !edges->items) {
        mesh_edges_finish(edges);
        status = error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for %d triangles",
                           triangle_count);
    } else {
        int ends[2];
        for (int t = 0; t < triangle_count; t++) {
            for (int k = 0; k < 3; k++) {
                side_ends(triangles[t], k, ends);
                start[ends[0] + 1]++;
            }
        }
        for (int p = 0; p < particle_count; p++) start[p + 1] += start[p];
        for (int t = 0; t < triangle_count; t++) {
            for (int k = 0; k < 3; k++) {
                side_ends(triangles[t], k, ends);
                halves[start[ends[0]] + fill[ends[0]]++] =
                    (HalfEdge){ends[1], t, (int)triangles[t][(k + 2) % 3]};
            }
        }
        for (int p = 0; p < particle_count; p++) {
            sort_bucket(halves + start[p], fill[p]);
            collect(edges, p, halves + start[p], fill[p]);
        }
    }
    free(start);
    free(fill);
    free(halves);
    return status;
}

void mesh_edges_finish(MeshEdges *edges)
{
    free(edges->items);
    *edges = (MeshEdges){.crowded = -1};
}
