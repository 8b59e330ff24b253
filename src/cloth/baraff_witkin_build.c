#include "cloth/baraff_witkin.h"

#include "cloth/hinge.h"
#include "cloth/mesh_edges.h"

#include <math.h>
#include <stdlib.h>

void bw_release(void *self)
{
    BwElements *elements = self;
    if (!elements) return;
    free(elements->triangles);
    free(elements->bends);
    free(elements->x);
    free(elements->masked);
    free(elements->inverse_diagonal);
    free(elements);
}

static BwTriangle make_triangle(const Mesh *mesh, int t)
{
    BwTriangle triangle = {.factor = 1.0};
    for (int k = 0; k < 3; k++) triangle.corner[k] = (int)mesh->triangles[t][k];
    Vec3 origin = mesh->rest_position[triangle.corner[0]];
    Vec3 p = vec3_sub(mesh->rest_position[triangle.corner[1]], origin);
    Vec3 q = vec3_sub(mesh->rest_position[triangle.corner[2]], origin);
    Vec3 normal = vec3_cross(p, q);
    double twice_area = vec3_length(normal);
    normal = vec3_scale(1.0 / twice_area, normal);
    Vec3 axis = fabs(normal.x) < 0.9 ? (Vec3){1.0, 0.0, 0.0} : (Vec3){0.0, 0.0, 1.0};
    Vec3 u = vec3_add_scaled(axis, -vec3_dot(axis, normal), normal);
    u = vec3_scale(1.0 / vec3_length(u), u);
    Vec3 v = vec3_cross(normal, u);
    // p = dx/du pu + dx/dv pv, and the same for q: solved for dx/du and dx/dv
    double pu = vec3_dot(p, u), pv = vec3_dot(p, v), qu = vec3_dot(q, u), qv = vec3_dot(q, v);
    double determinant = pu * qv - qu * pv;
    triangle.weight[0][1] = qv / determinant;
    triangle.weight[0][2] = -pv / determinant;
    triangle.weight[1][1] = -qu / determinant;
    triangle.weight[1][2] = pu / determinant;
    for (int d = 0; d < 2; d++) {
        triangle.weight[d][0] = -(triangle.weight[d][1] + triangle.weight[d][2]);
    }
    triangle.area = 0.5 * twice_area;
    return triangle;
}

static BwBend make_bend(const Mesh *mesh, const MeshEdge *edge)
{
    BwBend bend = {.corner = {edge->ends[0], edge->ends[1], edge->opposite[0], edge->opposite[1]},
                   .factor = 1.0};
    Vec3 x[4];
    for (int k = 0; k < 4; k++) x[k] = mesh->rest_position[bend.corner[k]];
    Vec3 n = vec3_cross(vec3_sub(x[2], x[0]), vec3_sub(x[2], x[1]));
    Vec3 m = vec3_cross(vec3_sub(x[3], x[0]), vec3_sub(x[3], x[1]));
    bend.thinnest = BW_TINY_SHARE * BW_TINY_SHARE * fmin(vec3_dot(n, n), vec3_dot(m, m));
    Hinge hinge = {0};
    hinge_at(x, bend.thinnest, &hinge);
    bend.rest_angle = hinge.angle;
    return bend;
}

// The factor of the spring between two particles; 1 if there is none.
static double spring_factor(const Cloth *cloth, const int *spring_of_entry, int a, int b)
{
    int entry = block_pattern_find(&cloth->mesh.neighbours, a, b);
    return entry < 0 ? 1.0 : cloth->spring_factor[spring_of_entry[entry]];
}

static Status fill(const Cloth *cloth, BwElements *elements, const MeshEdges *edges, Error *error)
{
    const Mesh *mesh = &cloth->mesh;
    size_t particles = (size_t)mesh->particle_count;
    elements->triangles = calloc((size_t)mesh->triangle_count, sizeof *elements->triangles);
    elements->bends = calloc((size_t)edges->count, sizeof *elements->bends);
    elements->x = mesh_flat_create(mesh);
    elements->masked = mesh_flat_create(mesh);
    elements->inverse_diagonal = calloc(particles, sizeof *elements->inverse_diagonal);
    int *spring_of_entry =
        calloc((size_t)block_pattern_entries(&mesh->neighbours), sizeof *spring_of_entry);
    if (!elements->triangles || !elements->bends || !elements->x || !elements->masked ||
        !elements->inverse_diagonal || !spring_of_entry) {
        free(spring_of_entry);
        return error_set(error, STATUS_OUT_OF_MEMORY,
                         "not enough memory for the elements of %d triangles",
                         mesh->triangle_count);
    }
    for (int s = mesh->spring_count - 1; s >= 0; s--) { // an edge's spring wins over a bend spring
        spring_of_entry[mesh->spring_entry[s][0]] = s;
        spring_of_entry[mesh->spring_entry[s][1]] = s;
    }
    for (int t = 0; t < mesh->triangle_count; t++) {
        BwTriangle *triangle = &elements->triangles[elements->triangle_count++];
        *triangle = make_triangle(mesh, t);
        const int *p = triangle->corner;
        triangle->factor = (spring_factor(cloth, spring_of_entry, p[0], p[1]) +
                            spring_factor(cloth, spring_of_entry, p[1], p[2]) +
                            spring_factor(cloth, spring_of_entry, p[2], p[0])) /
                           3.0;
    }
    for (int e = 0; e < edges->count; e++) {
        const MeshEdge *edge = &edges->items[e];
        if (edge->side[1] < 0) continue;
        BwBend *bend = &elements->bends[elements->bend_count++];
        *bend = make_bend(mesh, edge);
        bend->factor = spring_factor(cloth, spring_of_entry, edge->ends[0], edge->ends[1]);
    }
    free(spring_of_entry);
    return STATUS_OK;
}

Status bw_prepare(const Cloth *cloth, void **out, Error *error)
{
    const Mesh *mesh = &cloth->mesh;
    if (mesh->triangle_count == 0) {
        return error_set(error, STATUS_BAD_PARAMETER,
                         "model = baraff-witkin needs triangles, and a rope has none; it takes "
                         "springs or choi-ko");
    }
    MeshEdges edges;
    Status status = mesh_edges_init(&edges, mesh->particle_count, mesh->triangle_count,
                                    (const uint32_t(*)[3])mesh->triangles, error);
    if (status != STATUS_OK) return status;
    BwElements *elements = calloc(1, sizeof *elements);
    status = elements ? fill(cloth, elements, &edges, error)
                      : error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for a model");
    mesh_edges_finish(&edges);
    if (status == STATUS_OK) {
        *out = elements;
    } else {
        bw_release(elements);
    }
    return status;
}
