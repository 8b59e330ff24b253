#include "cloth/mesh_order.h"

#include <stdlib.h>

// Those without a place yet that can be reached from `start`, behind `count` others in `order`.
// Returns how many have a place then. UNPLACED marks those that have none.
enum { UNPLACED = -1 };
static int spread_from(const BlockPattern *neighbours, int start, int count, int *order, int *place)
{
    int next = count;
    place[start] = count;
    order[count++] = start;
    while (next < count) {
        int p = order[next++];
        for (int e = neighbours->start[p]; e < neighbours->start[p + 1]; e++) {
            int q = neighbours->column[e];
            if (place[q] != UNPLACED) continue;
            place[q] = count;
            order[count++] = q;
        }
    }
    return count;
}

static int springs_at(const BlockPattern *neighbours, int particle)
{
    return neighbours->start[particle + 1] - neighbours->start[particle];
}

// Stable, most springs first; a window is short.
static void sort_window(const BlockPattern *neighbours, int count, int *order)
{
    for (int i = 1; i < count; i++) {
        int p = order[i], springs = springs_at(neighbours, p), k = i;
        for (; k > 0 && springs_at(neighbours, order[k - 1]) < springs; k--)
            order[k] = order[k - 1];
        order[k] = p;
    }
}

Status mesh_order(const Mesh *mesh, int *place, Error *error)
{
    int n = mesh->particle_count, count = 0;
    int *order = calloc((size_t)n, sizeof *order);
    if (!order) {
        return error_set(error, STATUS_OUT_OF_MEMORY,
                         "not enough memory for a cloth of %d particles", n);
    }
    for (int p = 0; p < n; p++) place[p] = UNPLACED;
    for (int p = 0; p < n; p++) {
        if (place[p] == UNPLACED) count = spread_from(&mesh->neighbours, p, count, order, place);
    }
    for (int first = 0; first < n; first += ORDER_WINDOW) {
        int rest = n - first;
        sort_window(&mesh->neighbours, rest < ORDER_WINDOW ? rest : ORDER_WINDOW, order + first);
    }
    for (int i = 0; i < n; i++) place[order[i]] = i;
    free(order);
    return STATUS_OK;
}
