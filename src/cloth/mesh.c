#include "cloth/mesh.h"

#include "base/hash.h"
#include "cloth/mesh_order.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// Rows with a multiple of this many entries would map to the same few sets of the first-level cache
// (1 KiB apart, where sets repeat every 4 KiB).
enum { ALIASING_WIDTH = 128, CACHE_LINE = 64 };

static void add_spring(Mesh *mesh, int a, int b, double rest_length)
{
    int s = mesh->spring_count++;
    mesh->springs[s][0] = a;
    mesh->springs[s][1] = b;
    mesh->rest_length[s] = rest_length;
}

// The order is fixed, because methods that treat springs one after the other depend on it: stretch
// along x, stretch along z, shear (both diagonals of a cell), bend along x, bend along z.
static void add_springs(Mesh *mesh)
{
    int rows = mesh->rows, columns = mesh->columns;
    double dx = mesh->spacing;
    for (int j = 0; j < rows; j++) {
        for (int i = 0; i + 1 < columns; i++) {
            add_spring(mesh, j * columns + i, j * columns + i + 1, dx);
        }
    }
    for (int j = 0; j + 1 < rows; j++) {
        for (int i = 0; i < columns; i++) {
            add_spring(mesh, j * columns + i, (j + 1) * columns + i, dx);
        }
    }
    mesh->kind_start[SPRING_SHEAR] = mesh->spring_count;
    for (int j = 0; j + 1 < rows; j++) {
        for (int i = 0; i + 1 < columns; i++) {
            int p = j * columns + i;
            add_spring(mesh, p, p + columns + 1, sqrt(2.0) * dx);
            add_spring(mesh, p + 1, p + columns, sqrt(2.0) * dx);
        }
    }
    mesh->kind_start[SPRING_BEND] = mesh->spring_count;
    for (int j = 0; j < rows; j++) {
        for (int i = 0; i + 2 < columns; i++) {
            add_spring(mesh, j * columns + i, j * columns + i + 2, 2.0 * dx);
        }
    }
    for (int j = 0; j + 2 < rows; j++) {
        for (int i = 0; i < columns; i++) {
            add_spring(mesh, j * columns + i, (j + 2) * columns + i, 2.0 * dx);
        }
    }
    mesh->kind_start[SPRING_KINDS] = mesh->spring_count;
}

// Two per cell. While flat they face up, so a cloth hanging from row 0 faces +z.
static void add_triangles(Mesh *mesh)
{
    for (int j = 0; j + 1 < mesh->rows; j++) {
        for (int i = 0; i + 1 < mesh->columns; i++) {
            uint32_t p = (uint32_t)(j * mesh->columns + i), below = p + (uint32_t)mesh->columns;
            uint32_t *first = mesh->triangles[mesh->triangle_count++];
            uint32_t *second = mesh->triangles[mesh->triangle_count++];
            first[0] = p, first[1] = below, first[2] = p + 1;
            second[0] = p + 1, second[1] = below, second[2] = below + 1;
        }
    }
}

// Which entries of the pattern each spring fills, and the rest distance of neighbours.
static void locate_entries(Mesh *mesh)
{
    for (int s = 0; s < mesh->spring_count; s++) {
        int a = mesh->springs[s][0], b = mesh->springs[s][1];
        int ab = block_pattern_find(&mesh->neighbours, a, b);
        int ba = block_pattern_find(&mesh->neighbours, b, a);
        mesh->spring_entry[s][0] = ab;
        mesh->spring_entry[s][1] = ba;
        mesh->rest_distance[ab] = mesh->rest_distance[ba] = mesh->rest_length[s];
    }
}

static Status out_of_memory(Mesh *mesh, Error *error)
{
    int count = mesh->particle_count;
    mesh_finish(mesh);
    return error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for a cloth of %d particles",
                     count);
}

// The layouts of flat arrays: see mesh.h.
static void lay_out_grid(Mesh *mesh)
{
    int width = (mesh->columns + MESH_LANES - 1) / MESH_LANES * MESH_LANES;
    if (width % ALIASING_WIDTH == 0) width += 2 * MESH_LANES;
    mesh->row_width = mesh->component_stride = width;
    mesh->dofs = (mesh->rows + GRID_HALO_ROWS) * 3 * width;
    for (int p = 0; p < mesh->particle_count; p++)
        mesh->first_dof[p] = p / mesh->columns * 3 * width + p % mesh->columns;
}

static Status lay_out_any(Mesh *mesh, Error *error)
{
    int groups = (mesh->particle_count + MESH_LANES - 1) / MESH_LANES;
    mesh->row_width = 0;
    mesh->component_stride = 1;
    mesh->dofs = MESH_ENTRIES * MESH_LANES * groups;
    Status status = mesh_order(mesh, mesh->first_dof, error);
    for (int p = 0; p < mesh->particle_count; p++) mesh->first_dof[p] *= MESH_ENTRIES;
    return status;
}

double *mesh_flat_create(const Mesh *mesh)
{
    size_t bytes = (size_t)mesh->dofs * sizeof(double);
    bytes = (bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    double *flat = aligned_alloc(CACHE_LINE, bytes);
    return flat ? memset(flat, 0, bytes) : NULL;
}

static double reach_of_triangle(Vec3 a, Vec3 b, Vec3 c)
{
    Vec3 ab = vec3_sub(b, a), bc = vec3_sub(c, b), ca = vec3_sub(a, c);
    double longest = fmax(vec3_length(ab), fmax(vec3_length(bc), vec3_length(ca)));
    double product = vec3_length(ab) * vec3_length(bc) * vec3_length(ca);
    double circumradius = product / (2.0 * vec3_length(vec3_cross(ab, ca)));
    bool obtuse = vec3_dot(ab, ca) >= 0.0 || vec3_dot(ab, bc) >= 0.0 || vec3_dot(bc, ca) >= 0.0;
    return obtuse ? 0.5 * longest : circumradius;
}

static double reach_of(const Mesh *mesh)
{
    double reach = 0.0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *corner = mesh->triangles[t];
        reach = fmax(reach, reach_of_triangle(mesh->rest_position[corner[0]],
                                              mesh->rest_position[corner[1]],
                                              mesh->rest_position[corner[2]]));
    }
    for (int s = 0; mesh->triangle_count == 0 && s < mesh->kind_start[SPRING_SHEAR]; s++)
        reach = fmax(reach, 0.5 * mesh->rest_length[s]);
    return reach;
}

// FNV-1a, 64 bits
static uint64_t fingerprint_of(const Mesh *mesh)
{
    size_t particles = (size_t)mesh->particle_count, springs = (size_t)mesh->spring_count;
    uint64_t hash = HASH_START;
    hash = hash_bytes(hash, &mesh->rows, sizeof mesh->rows);
    hash = hash_bytes(hash, &mesh->columns, sizeof mesh->columns);
    hash = hash_bytes(hash, mesh->kind_start, sizeof mesh->kind_start);
    hash =
        hash_bytes(hash, mesh->triangles, (size_t)mesh->triangle_count * sizeof *mesh->triangles);
    hash = hash_bytes(hash, mesh->rest_position, particles * sizeof *mesh->rest_position);
    hash = hash_bytes(hash, mesh->area, particles * sizeof *mesh->area);
    hash = hash_bytes(hash, mesh->springs, springs * sizeof *mesh->springs);
    return hash_bytes(hash, mesh->rest_length, springs * sizeof *mesh->rest_length);
}

Status mesh_join(Mesh *mesh, Error *error)
{
    mesh->first_dof = calloc((size_t)mesh->particle_count, sizeof *mesh->first_dof);
    if (!mesh->first_dof) return out_of_memory(mesh, error);
    Status status = block_pattern_init(&mesh->neighbours, mesh->particle_count, mesh->spring_count,
                                       (const int(*)[2])mesh->springs, error);
    if (status == STATUS_OK && mesh->rows > 0) lay_out_grid(mesh);
    if (status == STATUS_OK && mesh->rows == 0) status = lay_out_any(mesh, error);
    if (status != STATUS_OK) {
        mesh_finish(mesh);
        return status;
    }
    mesh->rest_distance =
        calloc((size_t)block_pattern_entries(&mesh->neighbours), sizeof *mesh->rest_distance);
    mesh->spring_entry = calloc((size_t)mesh->spring_count, sizeof *mesh->spring_entry);
    if (!mesh->rest_distance || !mesh->spring_entry) return out_of_memory(mesh, error);
    locate_entries(mesh);
    mesh->reach = reach_of(mesh);
    mesh->fingerprint = fingerprint_of(mesh);
    return STATUS_OK;
}

// Rest positions, and each particle's share of the area. A rope is a strip one spacing wide.
static void place_particles(Mesh *mesh)
{
    double across = mesh->rows > 1 ? mesh->height : mesh->spacing;
    double along = mesh->columns > 1 ? mesh->width : mesh->spacing;
    for (int p = 0; p < mesh->particle_count; p++) {
        mesh->rest_position[p] =
            (Vec3){(p % mesh->columns) * mesh->spacing, 0.0, (p / mesh->columns) * mesh->spacing};
        mesh->area[p] = along * across / mesh->particle_count;
    }
}

Status mesh_init_grid(Mesh *mesh, int rows, int columns, double size, Error *error)
{
    int n = rows * columns, longest = rows > columns ? rows : columns;
    if (rows < 1 || columns < 1 || n < 2) {
        *mesh = (Mesh){0};
        return error_set(error, STATUS_BAD_PARAMETER,
                         "%d rows of %d particles make no cloth; it takes at least two particles",
                         rows, columns);
    }
    int most_springs = 6 * n; // 2 stretch, 2 shear, 2 bend per particle, fewer along the borders
    int triangles = 2 * (rows - 1) * (columns - 1);
    double dx = size / (longest - 1);
    *mesh = (Mesh){.rows = rows,
                   .columns = columns,
                   .particle_count = n,
                   .spacing = dx,
                   .width = (columns - 1) * dx,
                   .height = (rows - 1) * dx,
                   .rest_position = calloc((size_t)n, sizeof *mesh->rest_position),
                   .area = calloc((size_t)n, sizeof *mesh->area),
                   .springs = calloc((size_t)most_springs, sizeof *mesh->springs),
                   .rest_length = calloc((size_t)most_springs, sizeof *mesh->rest_length),
                   // a rope has none, and calloc may return NULL for 0 items
                   .triangles = calloc((size_t)triangles + 1, sizeof *mesh->triangles)};
    if (!mesh->rest_position || !mesh->area || !mesh->springs || !mesh->rest_length ||
        !mesh->triangles)
        return out_of_memory(mesh, error);
    place_particles(mesh);
    add_springs(mesh);
    add_triangles(mesh);
    return mesh_join(mesh, error);
}

static void *duplicate(const void *data, size_t count, size_t size)
{
    void *copy = calloc(count ? count : 1, size);
    return copy && count ? memcpy(copy, data, count * size) : copy;
}

Status mesh_copy(const Mesh *from, double scale, Mesh *mesh, Error *error)
{
    size_t particles = (size_t)from->particle_count, springs = (size_t)from->spring_count;
    *mesh = *from;
    mesh->first_dof = NULL; // mesh_join makes these
    mesh->neighbours = (BlockPattern){0};
    mesh->rest_distance = NULL;
    mesh->spring_entry = NULL;
    mesh->rest_position = duplicate(from->rest_position, particles, sizeof *from->rest_position);
    mesh->area = duplicate(from->area, particles, sizeof *from->area);
    mesh->springs = duplicate(from->springs, springs, sizeof *from->springs);
    mesh->rest_length = duplicate(from->rest_length, springs, sizeof *from->rest_length);
    mesh->triangles =
        duplicate(from->triangles, (size_t)from->triangle_count, sizeof *from->triangles);
    if (!mesh->rest_position || !mesh->area || !mesh->springs || !mesh->rest_length ||
        !mesh->triangles) {
        return out_of_memory(mesh, error);
    }
    mesh->spacing *= scale;
    mesh->width *= scale;
    mesh->height *= scale;
    mesh->depth *= scale;
    for (size_t p = 0; p < particles; p++) {
        mesh->rest_position[p] = vec3_scale(scale, mesh->rest_position[p]);
        mesh->area[p] *= scale * scale;
    }
    for (size_t s = 0; s < springs; s++) mesh->rest_length[s] *= scale;
    return mesh_join(mesh, error);
}

void mesh_finish(Mesh *mesh)
{
    free(mesh->first_dof);
    free(mesh->rest_position);
    free(mesh->area);
    free(mesh->springs);
    free(mesh->rest_length);
    free(mesh->triangles);
    free(mesh->rest_distance);
    free(mesh->spring_entry);
    block_pattern_finish(&mesh->neighbours);
    *mesh = (Mesh){0};
}

SpringKind mesh_spring_kind(const Mesh *mesh, int spring)
{
    if (spring < mesh->kind_start[SPRING_SHEAR]) return SPRING_STRETCH;
    return spring < mesh->kind_start[SPRING_BEND] ? SPRING_SHEAR : SPRING_BEND;
}
