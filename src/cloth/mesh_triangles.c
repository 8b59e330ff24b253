#include "cloth/mesh_triangles.h"

#include "cloth/mesh_edges.h"

#include <stdlib.h>
#include <string.h>

// A triangle whose height is below this share of its longest side is a line: its normal is noise.
#define FLATTEST 1e-6
// Triangles at one particle: a row of the matrix is searched linearly.
enum { MOST_TRIANGLES = 64 };

static Vec3 corner(const TriangleList *list, int triangle, int k)
{
    return list->position[list->triangles[triangle][k]];
}

static double triangle_area(const TriangleList *list, int triangle)
{
    Vec3 a = corner(list, triangle, 0);
    Vec3 b = vec3_sub(corner(list, triangle, 1), a), c = vec3_sub(corner(list, triangle, 2), a);
    return 0.5 * vec3_length(vec3_cross(b, c));
}

bool triangle_has_area(Vec3 a, Vec3 b, Vec3 c)
{
    Vec3 ab = vec3_sub(b, a), ac = vec3_sub(c, a), bc = vec3_sub(c, b);
    double longest = fmax(vec3_length(ab), fmax(vec3_length(ac), vec3_length(bc)));
    return vec3_length(vec3_cross(ab, ac)) > FLATTEST * longest * longest;
}

static bool has_area(const TriangleList *list, int triangle)
{
    return triangle_has_area(corner(list, triangle, 0), corner(list, triangle, 1),
                             corner(list, triangle, 2));
}

static MeshFault find_bad_triangle(const TriangleList *list)
{
    for (int t = 0; t < list->triangle_count; t++) {
        for (int k = 0; k < 3; k++) {
            if (list->triangles[t][k] >= (uint32_t)list->particle_count) {
                return (MeshFault){"a corner of the triangle does not exist", t, -1};
            }
        }
        if (!has_area(list, t)) return (MeshFault){"the triangle has no area", t, -1};
    }
    return (MeshFault){NULL, -1, -1};
}

static MeshFault find_bad_particle(const TriangleList *list, const int *triangles_at)
{
    for (int p = 0; p < list->particle_count; p++) {
        if (triangles_at[p] == 0) return (MeshFault){"the vertex belongs to no triangle", -1, p};
        if (triangles_at[p] > MOST_TRIANGLES) {
            return (MeshFault){"more than 64 triangles meet in the vertex", -1, p};
        }
    }
    return (MeshFault){NULL, -1, -1};
}

static MeshFault find_bad_edge(const MeshEdges *edges)
{
    if (edges->crowded >= 0) {
        return (MeshFault){"an edge belongs to three triangles, and a cloth has two sides",
                           edges->crowded, -1};
    }
    for (int e = 0; e < edges->count; e++) {
        const MeshEdge *edge = &edges->items[e];
        if (edge->opposite[0] == edge->opposite[1]) {
            return (MeshFault){"two triangles have the same corners", edge->side[1], -1};
        }
    }
    return (MeshFault){NULL, -1, -1};
}

Status mesh_find_fault(const TriangleList *list, MeshFault *fault, Error *error)
{
    *fault = (MeshFault){NULL, -1, -1};
    if (list->triangle_count < 1) fault->what = "there is no triangle";
    for (int p = 0; p < list->particle_count && !fault->what; p++) {
        Vec3 x = list->position[p];
        if (!(fabs(x.x) <= MESH_FARTHEST && fabs(x.y) <= MESH_FARTHEST &&
              fabs(x.z) <= MESH_FARTHEST)) {
            *fault = (MeshFault){"a coordinate is not within -1e6 to 1e6", -1, p};
        }
    }
    if (!fault->what) *fault = find_bad_triangle(list);
    if (fault->what) return STATUS_OK;

    int *triangles_at = calloc((size_t)list->particle_count, sizeof *triangles_at);
    if (!triangles_at) {
        return error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for %d particles",
                         list->particle_count);
    }
    for (int t = 0; t < list->triangle_count; t++) {
        for (int k = 0; k < 3; k++) triangles_at[list->triangles[t][k]]++;
    }
    *fault = find_bad_particle(list, triangles_at);
    free(triangles_at);
    if (fault->what) return STATUS_OK;

    MeshEdges edges;
    Status status =
        mesh_edges_init(&edges, list->particle_count, list->triangle_count, list->triangles, error);
    if (status != STATUS_OK) return status;
    *fault = find_bad_edge(&edges);
    mesh_edges_finish(&edges);
    return STATUS_OK;
}

// Moves and scales the particles into the box  0 .. width,  -depth .. 0,  0 .. height.
static void place_particles(Mesh *mesh, const TriangleList *list, double size)
{
    Vec3 low = list->position[0], high = low;
    for (int p = 1; p < list->particle_count; p++) {
        Vec3 x = list->position[p];
        low = (Vec3){fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z)};
        high = (Vec3){fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z)};
    }
    Vec3 sides = vec3_sub(high, low), corner_moved = {low.x, high.y, low.z};
    double scale = size / fmax(sides.x, fmax(sides.y, sides.z));
    mesh->width = scale * sides.x;
    mesh->depth = scale * sides.y;
    mesh->height = scale * sides.z;
    for (int p = 0; p < mesh->particle_count; p++) {
        mesh->rest_position[p] = vec3_scale(scale, vec3_sub(list->position[p], corner_moved));
    }
}

static void share_area(Mesh *mesh)
{
    TriangleList placed = {.particle_count = mesh->particle_count,
                           .position = mesh->rest_position,
                           .triangle_count = mesh->triangle_count,
                           .triangles = (const uint32_t(*)[3])mesh->triangles};
    for (int t = 0; t < mesh->triangle_count; t++) {
        double third = triangle_area(&placed, t) / 3.0;
        for (int k = 0; k < 3; k++) mesh->area[mesh->triangles[t][k]] += third;
    }
}

static double rest_distance(const Mesh *mesh, int a, int b)
{
    return vec3_length(vec3_sub(mesh->rest_position[a], mesh->rest_position[b]));
}

static void add_spring(Mesh *mesh, int a, int b)
{
    mesh->springs[mesh->spring_count][0] = a;
    mesh->springs[mesh->spring_count][1] = b;
    mesh->rest_length[mesh->spring_count++] = rest_distance(mesh, a, b);
}

// Of pairs of particles, the lower number first.
static int compare_ends(const void *a, const void *b)
{
    const int *p = a, *q = b;
    return p[0] != q[0] ? (p[0] > q[0]) - (p[0] < q[0]) : (p[1] > q[1]) - (p[1] < q[1]);
}

static int compare_edge(const void *ends, const void *edge)
{
    return compare_ends(ends, ((const MeshEdge *)edge)->ends);
}

static void add_struts(Mesh *mesh, const TriangleList *list, const MeshEdges *edges)
{
    int first = mesh->spring_count, (*sorted)[2] = mesh->springs + first;
    for (int s = 0; s < list->strut_count; s++) {
        int a = (int)list->struts[s][0], b = (int)list->struts[s][1];
        sorted[s][0] = a < b ? a : b;
        sorted[s][1] = a < b ? b : a;
    }
    qsort(sorted, (size_t)list->strut_count, sizeof *sorted, compare_ends);
    for (int s = 0; s < list->strut_count; s++) { // what is added lies at s or before it
        int a = sorted[s][0], b = sorted[s][1];
        bool twice = mesh->spring_count > first &&
                     compare_ends(mesh->springs[mesh->spring_count - 1], sorted[s]) == 0;
        if (twice || bsearch(sorted[s], edges->items, (size_t)edges->count, sizeof *edges->items,
                             compare_edge))
            continue;
        add_spring(mesh, a, b);
    }
}

static void add_springs(Mesh *mesh, const TriangleList *list, const MeshEdges *edges)
{
    double sum = 0.0;
    for (int e = 0; e < edges->count; e++) {
        add_spring(mesh, edges->items[e].ends[0], edges->items[e].ends[1]);
        sum += mesh->rest_length[e];
    }
    mesh->spacing = sum / edges->count;
    mesh->kind_start[SPRING_SHEAR] = mesh->spring_count;
    add_struts(mesh, list, edges);
    mesh->kind_start[SPRING_BEND] = mesh->spring_count;
    bool has_struts = mesh->kind_start[SPRING_BEND] > mesh->kind_start[SPRING_SHEAR];
    for (int e = 0; !has_struts && e < edges->count; e++) {
        const int *across = edges->items[e].opposite;
        // two triangles folded onto each other have no distance to measure the fold by
        if (across[1] < 0 || rest_distance(mesh, across[0], across[1]) < FLATTEST * mesh->spacing)
            continue;
        add_spring(mesh, across[0], across[1]);
    }
    mesh->kind_start[SPRING_KINDS] = mesh->spring_count;
}

static Status fill(Mesh *mesh, const TriangleList *list, double size, const MeshEdges *edges,
                   Error *error)
{
    size_t n = (size_t)list->particle_count, triangles = (size_t)list->triangle_count;
    size_t most_springs = 2 * (size_t)edges->count + (size_t)list->strut_count;
    *mesh = (Mesh){.particle_count = list->particle_count,
                   .rest_position = calloc(n, sizeof *mesh->rest_position),
                   .area = calloc(n, sizeof *mesh->area),
                   .springs = calloc(most_springs, sizeof *mesh->springs),
                   .rest_length = calloc(most_springs, sizeof *mesh->rest_length),
                   .triangle_count = list->triangle_count,
                   .triangles = calloc(triangles, sizeof *mesh->triangles)};
    if (!mesh->rest_position || !mesh->area || !mesh->springs || !mesh->rest_length ||
        !mesh->triangles) {
        mesh_finish(mesh);
        return error_set(error, STATUS_OUT_OF_MEMORY,
                         "not enough memory for a cloth of %d particles", list->particle_count);
    }
    memcpy(mesh->triangles, list->triangles, triangles * sizeof *mesh->triangles);
    place_particles(mesh, list, size);
    share_area(mesh);
    add_springs(mesh, list, edges);
    return mesh_join(mesh, error);
}

Status mesh_init_triangles(Mesh *mesh, const TriangleList *list, double size, Error *error)
{
    *mesh = (Mesh){0};
    MeshFault fault;
    Status status = mesh_find_fault(list, &fault, error);
    if (status != STATUS_OK) return status;
    if (fault.what && fault.triangle >= 0) {
        return error_set(error, STATUS_BAD_PARAMETER, "triangle %d: %s", fault.triangle,
                         fault.what);
    }
    if (fault.what && fault.particle >= 0) {
        return error_set(error, STATUS_BAD_PARAMETER, "vertex %d: %s", fault.particle, fault.what);
    }
    if (fault.what) return error_set(error, STATUS_BAD_PARAMETER, "%s", fault.what);
    MeshEdges edges;
    status =
        mesh_edges_init(&edges, list->particle_count, list->triangle_count, list->triangles, error);
    if (status == STATUS_OK) status = fill(mesh, list, size, &edges, error);
    mesh_edges_finish(&edges);
    return status;
}
