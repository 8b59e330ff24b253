// Three passes, each linear in the size of the mesh: equal places are found by a hash of the
// coordinates, equal triangles and crowded edges by a hash of the corners.
#include "cloth/mesh_repair.h"

#include "base/hash.h"
#include "cloth/mesh_triangles.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Open addressing: slots hold a number from 1 on, 0 if empty.
typedef struct Table {
    size_t mask;
    uint32_t *slots;
} Table;

static bool table_init(Table *table, size_t most)
{
    size_t size = 16;
    while (size < 2 * most) size *= 2;
    *table = (Table){size - 1, calloc(size, sizeof *table->slots)};
    return table->slots != NULL;
}

static bool same_place(Vec3 a, Vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static size_t hash_of_place(Vec3 x)
{
    double key[3] = {x.x + 0.0, x.y + 0.0, x.z + 0.0}; // -0 is 0
    return (size_t)hash_bytes(HASH_START, key, sizeof key);
}

// The first vertex at the place of each.
static void find_first_at_place(const MeshDraft *draft, Table *table, uint32_t *first)
{
    for (int v = 0; v < draft->vertex_count; v++) {
        Vec3 x = draft->position[v];
        size_t slot = hash_of_place(x) & table->mask;
        while (table->slots[slot] && !same_place(draft->position[table->slots[slot] - 1], x))
            slot = (slot + 1) & table->mask;
        if (!table->slots[slot]) table->slots[slot] = (uint32_t)v + 1;
        first[v] = table->slots[slot] - 1;
    }
}

static void mark_used(const MeshDraft *draft, bool *used)
{
    memset(used, 0, (size_t)draft->vertex_count * sizeof *used);
    for (int t = 0; t < draft->triangle_count; t++) {
        for (int k = 0; k < 3; k++) used[draft->triangles[t][k]] = true;
    }
}

static void merge(MeshDraft *draft, const uint32_t *first, const bool *used, MeshRepair *done)
{
    for (int v = 0; v < draft->vertex_count; v++) {
        if (used[v] && first[v] != (uint32_t)v) done->merged++;
    }
    for (int t = 0; t < draft->triangle_count; t++) {
        for (int k = 0; k < 3; k++) draft->triangles[t][k] = first[draft->triangles[t][k]];
    }
    for (int s = 0; s < draft->strut_count; s++) {
        for (int k = 0; k < 2; k++) draft->struts[s][k] = first[draft->struts[s][k]];
    }
}

static void sort_three(const uint32_t corner[3], uint32_t sorted[3])
{
    memcpy(sorted, corner, 3 * sizeof *sorted);
    for (int pass = 0; pass < 3; pass++) {
        int k = pass % 2;
        if (sorted[k] <= sorted[k + 1]) continue;
        uint32_t larger = sorted[k];
        sorted[k] = sorted[k + 1];
        sorted[k + 1] = larger;
    }
}

// Whether a triangle with the same corners is in the table; puts it there otherwise.
static bool is_twice(const MeshDraft *draft, Table *table, int triangle)
{
    uint32_t key[3], other[3];
    sort_three(draft->triangles[triangle], key);
    size_t slot = (size_t)hash_bytes(HASH_START, key, sizeof key) & table->mask;
    for (; table->slots[slot]; slot = (slot + 1) & table->mask) {
        sort_three(draft->triangles[table->slots[slot] - 1], other);
        if (memcmp(key, other, sizeof key) == 0) return true;
    }
    table->slots[slot] = (uint32_t)triangle + 1;
    return false;
}

static void move_triangle(MeshDraft *draft, int from, int to)
{
    memmove(draft->triangles[to], draft->triangles[from], sizeof draft->triangles[to]);
    draft->triangle_line[to] = draft->triangle_line[from];
}

static void drop_flat_and_twice(MeshDraft *draft, Table *table, MeshRepair *done)
{
    int kept = 0;
    for (int t = 0; t < draft->triangle_count; t++) {
        const uint32_t *c = draft->triangles[t];
        const Vec3 *x = draft->position;
        move_triangle(draft, t, kept);
        if (!triangle_has_area(x[c[0]], x[c[1]], x[c[2]]))
            done->flat++;
        else if (is_twice(draft, table, kept))
            done->twice++;
        else
            kept++;
    }
    draft->triangle_count = kept;
}

typedef struct Side {
    uint32_t low, high;
    int count; // of triangles
} Side;

// The slot of a side, new or not. Slots number the sides.
static Side *find_side(Table *table, Side *sides, int *count, uint32_t a, uint32_t b)
{
    uint32_t key[2] = {a < b ? a : b, a < b ? b : a};
    size_t slot = (size_t)hash_bytes(HASH_START, key, sizeof key) & table->mask;
    for (; table->slots[slot]; slot = (slot + 1) & table->mask) {
        Side *side = &sides[table->slots[slot] - 1];
        if (side->low == key[0] && side->high == key[1]) return side;
    }
    sides[*count] = (Side){key[0], key[1], 0};
    table->slots[slot] = (uint32_t)++ * count;
    return &sides[*count - 1];
}

static void drop_crowded(MeshDraft *draft, Table *table, Side *sides, MeshRepair *done)
{
    int kept = 0, count = 0;
    for (int t = 0; t < draft->triangle_count; t++) {
        Side *own[3];
        bool crowded = false;
        for (int k = 0; k < 3; k++) {
            const uint32_t *c = draft->triangles[t];
            own[k] = find_side(table, sides, &count, c[k], c[(k + 1) % 3]);
            crowded |= own[k]->count == 2;
        }
        if (crowded) {
            if (done->crowded++ == 0) done->first_crowded_line = draft->triangle_line[t];
            continue;
        }
        for (int k = 0; k < 3; k++) own[k]->count++;
        move_triangle(draft, t, kept++);
    }
    draft->triangle_count = kept;
}

// Struts between vertices that stay, with their new numbers.
static void drop_loose(MeshDraft *draft, const bool *used, const uint32_t *place, MeshRepair *done)
{
    int kept = 0;
    for (int s = 0; s < draft->strut_count; s++) {
        uint32_t a = draft->struts[s][0], b = draft->struts[s][1];
        if (a == b || !used[a] || !used[b]) continue;
        draft->struts[kept][0] = place[a];
        draft->struts[kept++][1] = place[b];
    }
    done->loose = draft->strut_count - kept;
    draft->strut_count = kept;
}

static void drop_unused(MeshDraft *draft, const bool *used, uint32_t *place, MeshRepair *done)
{
    int kept = 0;
    for (int v = 0; v < draft->vertex_count; v++) {
        if (!used[v]) continue;
        place[v] = (uint32_t)kept;
        draft->position[kept] = draft->position[v];
        draft->vertex_line[kept++] = draft->vertex_line[v];
    }
    for (int t = 0; t < draft->triangle_count; t++) {
        for (int k = 0; k < 3; k++) draft->triangles[t][k] = place[draft->triangles[t][k]];
    }
    drop_loose(draft, used, place, done);
    done->unused = draft->vertex_count - kept - done->merged;
    draft->vertex_count = kept;
}

Status mesh_repair(MeshDraft *draft, MeshRepair *done, Error *error)
{
    *done = (MeshRepair){0};
    size_t vertices = (size_t)draft->vertex_count, triangles = (size_t)draft->triangle_count;
    Table places = {0}, corners = {0}, edges = {0};
    uint32_t *number = calloc(vertices + 1, sizeof *number);
    bool *used = calloc(vertices + 1, sizeof *used);
    Side *sides = calloc(3 * triangles + 1, sizeof *sides);
    Status status = STATUS_OK;
    if (!number || !used || !sides || !table_init(&places, vertices) ||
        !table_init(&corners, triangles) || !table_init(&edges, 3 * triangles)) {
        status = error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for %d triangles",
                           draft->triangle_count);
    } else {
        find_first_at_place(draft, &places, number);
        mark_used(draft, used);
        merge(draft, number, used, done);
        drop_flat_and_twice(draft, &corners, done);
        drop_crowded(draft, &edges, sides, done);
        mark_used(draft, used);
        drop_unused(draft, used, number, done);
    }
    free(number);
    free(used);
    free(sides);
    free(places.slots);
    free(corners.slots);
    free(edges.slots);
    return status;
}

static void add(char *text, size_t size, const char *joint, int count, const char *one,
                const char *many)
{
    if (count == 0) return;
    size_t length = strlen(text);
    snprintf(text + length, size - length, "%s%d %s", length > 0 ? joint : "", count,
             count == 1 ? one : many);
}

void mesh_repair_print(const MeshRepair *done, char *text, size_t size)
{
    char left[256] = "", merged[96] = "";
    add(left, sizeof left, " and ", done->unused, "unused vertex", "unused vertices");
    add(left, sizeof left, " and ", done->loose, "line between other vertices",
        "lines between other vertices");
    add(left, sizeof left, " and ", done->flat, "triangle without area", "triangles without area");
    add(left, sizeof left, " and ", done->twice, "triangle that is there twice",
        "triangles that are there twice");
    add(left, sizeof left, " and ", done->crowded, "triangle at an edge of two others",
        "triangles at edges of two others");
    add(merged, sizeof merged, "", done->merged, "vertex that lay on another was merged with it",
        "vertices that lay on others were merged with them");
    int one = done->unused + done->loose + done->flat + done->twice + done->crowded == 1;
    snprintf(text, size, "%s%s%s%s", left, *left ? one ? " was left out" : " were left out" : "",
             *left && *merged ? "; " : "", merged);
}
