#include "render/cloth_mesh.h"

#include "cloth/mesh.h"

#include <cglm/cglm.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// A diverging cloth may be anywhere; coordinates beyond this would overflow the arithmetic.
static const float FAR_AWAY = 1e5f; // m

static void attribute(GLuint index, int components, size_t stride, size_t offset)
{
    glEnableVertexAttribArray(index);
    glVertexAttribPointer(index, components, GL_FLOAT, GL_FALSE, (GLsizei)stride,
                          (const void *)offset);
}

void cloth_mesh_init(ClothMesh *mesh)
{
    *mesh = (ClothMesh){0};
    glGenVertexArrays(1, &mesh->surface_array);
    glGenVertexArrays(1, &mesh->edge_array);
    glGenVertexArrays(1, &mesh->spring_array);
    glGenBuffers(1, &mesh->vertex_buffer);
    glGenBuffers(1, &mesh->triangle_buffer);
    glGenBuffers(1, &mesh->edge_buffer);
    glGenBuffers(1, &mesh->spring_buffer);
    glGenBuffers(1, &mesh->colour_buffer);
    glGenBuffers(1, &mesh->weave_buffer);
    glGenBuffers(1, &mesh->shade_buffer);

    glBindVertexArray(mesh->surface_array);
    glBindBuffer(GL_ARRAY_BUFFER, mesh->vertex_buffer);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, mesh->triangle_buffer);
    attribute(0, 3, sizeof(ClothVertex), offsetof(ClothVertex, position));
    attribute(1, 3, sizeof(ClothVertex), offsetof(ClothVertex, normal));
    attribute(3, 3, sizeof(ClothVertex), offsetof(ClothVertex, thread));
    glBindBuffer(GL_ARRAY_BUFFER, mesh->colour_buffer);
    attribute(2, 4, 4 * sizeof(float), 0);
    glDisableVertexAttribArray(2); // until particles have colours
    glBindBuffer(GL_ARRAY_BUFFER, mesh->weave_buffer);
    attribute(4, 3, sizeof(Weave), 0);
    glBindBuffer(GL_ARRAY_BUFFER, mesh->shade_buffer);
    glEnableVertexAttribArray(5);
    glVertexAttribPointer(5, 2, GL_UNSIGNED_BYTE, GL_TRUE, sizeof(VertexShade), NULL);
    glBindBuffer(GL_ARRAY_BUFFER, mesh->vertex_buffer);

    glBindVertexArray(mesh->edge_array); // an edge has no strain: attribute 1 stays 0
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, mesh->edge_buffer);
    attribute(0, 3, sizeof(ClothVertex), offsetof(ClothVertex, position));

    glBindVertexArray(mesh->spring_array);
    glBindBuffer(GL_ARRAY_BUFFER, mesh->spring_buffer);
    attribute(0, 3, sizeof(SpringVertex), offsetof(SpringVertex, position));
    attribute(1, 1, sizeof(SpringVertex), offsetof(SpringVertex, strain));
    glBindVertexArray(0);
}

static void forget(ClothMesh *mesh)
{
    free(mesh->triangles);
    free(mesh->rest);
    free(mesh->edges);
    free(mesh->whole);
    free(mesh->shade);
    free(mesh->hem);
    free(mesh->seen);
    free(mesh->vertices);
    free(mesh->spring_vertices);
    free(mesh->colours);
    mesh->triangles = mesh->hem = mesh->edges = mesh->whole = NULL;
    mesh->rest = NULL;
    mesh->shade = NULL;
    mesh->colours = mesh->seen = NULL;
    mesh->vertices = NULL;
    mesh->spring_vertices = NULL;
    mesh->topology_version = 0;
    mesh->particle_count = mesh->triangle_count = mesh->edge_count = mesh->spring_count = 0;
    mesh->hem_count = mesh->whole_count = 0;
    mesh->shaded_revision = 0;
}

void cloth_mesh_finish(ClothMesh *mesh)
{
    forget(mesh);
    glDeleteVertexArrays(1, &mesh->surface_array); // OpenGL ignores 0
    glDeleteVertexArrays(1, &mesh->edge_array);
    glDeleteVertexArrays(1, &mesh->spring_array);
    glDeleteBuffers(1, &mesh->vertex_buffer);
    glDeleteBuffers(1, &mesh->triangle_buffer);
    glDeleteBuffers(1, &mesh->edge_buffer);
    glDeleteBuffers(1, &mesh->spring_buffer);
    glDeleteBuffers(1, &mesh->colour_buffer);
    glDeleteBuffers(1, &mesh->weave_buffer);
    glDeleteBuffers(1, &mesh->shade_buffer);
    *mesh = (ClothMesh){0};
}

typedef struct Edge {
    uint32_t low, high; // particles
} Edge;

static int compare_edges(const void *a, const void *b)
{
    const Edge *left = a, *right = b;
    if (left->low != right->low) return left->low < right->low ? -1 : 1;
    return (left->high > right->high) - (left->high < right->high);
}

// Uploads every edge of the triangles once into the bound element buffer, and finds the hem: the
// edges of one triangle only. Without memory there are none, which loses only the lines.
static void find_edges(ClothMesh *mesh, const Snapshot *snapshot)
{
    int count = 3 * snapshot->triangle_count, unique = 0, on_border = 0;
    Edge *edges = malloc((size_t)count * sizeof *edges);
    Edge *hem = malloc((size_t)count * sizeof *hem);
    if (!edges || !hem) {
        free(edges);
        free(hem);
        return;
    }
    for (int i = 0; i < count; i++) {
        uint32_t a = snapshot->triangles[i];
        uint32_t b = snapshot->triangles[i % 3 == 2 ? i - 2 : i + 1];
        edges[i] = a < b ? (Edge){a, b} : (Edge){b, a};
    }
    qsort(edges, (size_t)count, sizeof *edges, compare_edges);
    for (int i = 0; i < count; i++) {
        bool again = unique > 0 && compare_edges(&edges[i], &edges[unique - 1]) == 0;
        bool once = i + 1 == count || compare_edges(&edges[i], &edges[i + 1]) != 0;
        if (again) continue;
        if (once) hem[on_border++] = edges[i];
        edges[unique++] = edges[i];
    }
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)((size_t)unique * sizeof *edges), edges,
                 GL_STATIC_DRAW);
    mesh->edges = (uint32_t *)edges;
    mesh->edge_count = unique;
    mesh->hem = (uint32_t *)hem;
    mesh->hem_count = on_border;
}

// Place and distance to the border of each particle. Without memory there is no weave.
static void upload_weave(const ClothMesh *mesh, const Snapshot *snapshot)
{
    size_t bytes = (size_t)mesh->particle_count * sizeof(Weave);
    Weave *weave = malloc(bytes);
    if (weave)
        surface_weave(snapshot, mesh->edges, mesh->edge_count, mesh->hem, mesh->hem_count, weave);
    glBindBuffer(GL_ARRAY_BUFFER, mesh->weave_buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)bytes, weave, GL_STATIC_DRAW);
    free(weave);
}

// Of a rope or a spring. Without memory there is none.
static void take_springs_as_hem(ClothMesh *mesh, const Snapshot *snapshot)
{
    size_t bytes = 2 * (size_t)snapshot->spring_count * sizeof *mesh->hem;
    mesh->hem = malloc(bytes);
    if (!mesh->hem || bytes == 0) return;
    memcpy(mesh->hem, snapshot->springs, bytes);
    mesh->hem_count = snapshot->spring_count;
}

static void upload_triangles(ClothMesh *mesh)
{
    int count = mesh->whole ? mesh->whole_count : mesh->triangle_count;
    mesh->whole_count = count;
    glBindVertexArray(mesh->surface_array);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(3 * (size_t)count * sizeof *mesh->triangles),
                 cloth_mesh_whole(mesh), GL_STATIC_DRAW);
}

// Leave out what is torn; without memory for that, all is drawn.
static void leave_out(ClothMesh *mesh, int torn)
{
    if (torn == 0 && !mesh->whole) return;
    if (torn == 0) {
        free(mesh->whole);
        mesh->whole = NULL;
    } else if (!mesh->whole) {
        mesh->whole = malloc(3 * (size_t)mesh->triangle_count * sizeof *mesh->whole);
    }
    if (mesh->whole)
        mesh->whole_count = surface_whole(mesh->vertices, mesh->triangles, mesh->rest,
                                          mesh->triangle_count, mesh->whole);
    upload_triangles(mesh);
}

// Only a mesh from a file can have them: its other springs are stretch and bend.
bool cloth_mesh_has_struts(const Snapshot *snapshot)
{
    for (int i = 0; snapshot->scene.mesh[0] && i < snapshot->spring_count; i++) {
        if (snapshot->spring_kind[i] == SPRING_SHEAR) return true;
    }
    return false;
}

static bool rebuild(ClothMesh *mesh, const Snapshot *snapshot)
{
    forget(mesh);
    size_t particles = (size_t)snapshot->particle_count;
    size_t springs = (size_t)snapshot->spring_count;
    mesh->seen = malloc(3 * particles * sizeof *mesh->seen);
    mesh->vertices = malloc(particles * sizeof *mesh->vertices);
    mesh->spring_vertices = malloc(2 * springs * sizeof *mesh->spring_vertices);
    mesh->colours = calloc(4 * particles, sizeof *mesh->colours);
    size_t corners = 3 * (size_t)snapshot->triangle_count;
    mesh->triangles = malloc(corners * sizeof *mesh->triangles);
    mesh->rest = malloc((size_t)snapshot->triangle_count * sizeof *mesh->rest);
    mesh->shade = malloc(particles * sizeof *mesh->shade);
    bool surface = mesh->triangles && mesh->rest;
    if (!mesh->seen || !mesh->vertices || !mesh->colours || !mesh->shade ||
        (!mesh->spring_vertices && springs > 0) || (!surface && corners > 0)) {
        forget(mesh);
        return false;
    }
    if (corners > 0) {
        memcpy(mesh->triangles, snapshot->triangles, corners * sizeof *mesh->triangles);
    }
    mesh->topology_version = snapshot->topology_version;
    mesh->particle_count = snapshot->particle_count;
    mesh->triangle_count = snapshot->triangle_count;
    mesh->spring_count = snapshot->spring_count;
    mesh->has_struts = cloth_mesh_has_struts(snapshot);
    surface_rest(snapshot, mesh->rest);
    for (size_t i = 0; i < particles; i++) mesh->shade[i] = (VertexShade){255, 128, {0}};

    // Element buffers belong to vertex arrays, so bind those.
    upload_triangles(mesh);
    glBindVertexArray(mesh->edge_array);
    if (corners > 0) {
        find_edges(mesh, snapshot);
    } else {
        take_springs_as_hem(mesh, snapshot);
    }
    glBindVertexArray(0);
    upload_weave(mesh, snapshot);
    cloth_mesh_update_shade(mesh);
    return true;
}

static float make_finite(float value)
{
    if (!(value > -FAR_AWAY)) return -FAR_AWAY; // also for NaN
    return value < FAR_AWAY ? value : FAR_AWAY;
}

// Versions of two simulations may be equal, so the triangles are compared, too.
static bool is_of(const ClothMesh *mesh, const Snapshot *snapshot)
{
    return mesh->topology_version == snapshot->topology_version &&
           mesh->particle_count == snapshot->particle_count &&
           mesh->triangle_count == snapshot->triangle_count &&
           mesh->spring_count == snapshot->spring_count &&
           (mesh->triangle_count == 0 ||
            memcmp(mesh->triangles, snapshot->triangles,
                   3 * (size_t)mesh->triangle_count * sizeof *mesh->triangles) == 0);
}

bool cloth_mesh_update(ClothMesh *mesh, const Snapshot *snapshot)
{
    if (snapshot->topology_version == 0 || snapshot->particle_count <= 0) {
        bool had = mesh->particle_count > 0;
        forget(mesh);
        mesh->revision += had;
        return had;
    }
    size_t bytes = 3 * (size_t)snapshot->particle_count * sizeof *mesh->seen;
    if (!is_of(mesh, snapshot)) {
        mesh->revision++;
        if (!rebuild(mesh, snapshot)) return true;
    } else if (memcmp(mesh->seen, snapshot->position, bytes) == 0) {
        return false;
    }
    mesh->revision++;
    memcpy(mesh->seen, snapshot->position, bytes);
    for (int i = 0; i < mesh->particle_count; i++) {
        for (int k = 0; k < 3; k++) {
            mesh->vertices[i].position[k] = make_finite(snapshot->position[3 * i + k]);
        }
    }
    leave_out(mesh, surface_shape(mesh->vertices, mesh->particle_count, mesh->triangles, mesh->rest,
                                  mesh->triangle_count));
    // glBufferData gives the driver a new buffer, so that it need not wait for the last frame.
    glBindBuffer(GL_ARRAY_BUFFER, mesh->vertex_buffer);
    glBufferData(GL_ARRAY_BUFFER,
                 (GLsizeiptr)((size_t)mesh->particle_count * sizeof *mesh->vertices),
                 mesh->vertices, GL_STREAM_DRAW);
    return true;
}

void cloth_mesh_update_shade(ClothMesh *mesh)
{
    glBindBuffer(GL_ARRAY_BUFFER, mesh->shade_buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)((size_t)mesh->particle_count * sizeof *mesh->shade),
                 mesh->shade, GL_STREAM_DRAW);
}

void cloth_mesh_update_springs(ClothMesh *mesh, const Snapshot *snapshot)
{
    for (int i = 0; i < mesh->spring_count; i++) {
        float *a = mesh->vertices[snapshot->springs[2 * i]].position;
        float *b = mesh->vertices[snapshot->springs[2 * i + 1]].position;
        float strain = glm_vec3_distance(a, b) / snapshot->rest_length[i] - 1.0f;
        SpringVertex *ends = mesh->spring_vertices + 2 * i;
        glm_vec3_copy(a, ends[0].position);
        glm_vec3_copy(b, ends[1].position);
        ends[0].strain = ends[1].strain = strain;
    }
    glBindBuffer(GL_ARRAY_BUFFER, mesh->spring_buffer);
    glBufferData(GL_ARRAY_BUFFER,
                 (GLsizeiptr)(2 * (size_t)mesh->spring_count * sizeof *mesh->spring_vertices),
                 mesh->spring_vertices, GL_STREAM_DRAW);
}

// Returns whether it is another one.
static bool set_colour(ClothMesh *mesh, int particle, const float rgba[4])
{
    float *colour = mesh->colours + 4 * particle;
    if (memcmp(colour, rgba, 4 * sizeof *rgba) == 0) return false;
    memcpy(colour, rgba, 4 * sizeof *rgba);
    return true;
}

static void use_colours(ClothMesh *mesh, bool changed)
{
    glBindVertexArray(mesh->surface_array);
    glEnableVertexAttribArray(2);
    if (!changed) return;
    glBindBuffer(GL_ARRAY_BUFFER, mesh->colour_buffer);
    glBufferData(GL_ARRAY_BUFFER,
                 (GLsizeiptr)(4 * (size_t)mesh->particle_count * sizeof *mesh->colours),
                 mesh->colours, GL_STREAM_DRAW);
}

void cloth_mesh_colour_each(ClothMesh *mesh, const float *rgb)
{
    bool changed = false;
    for (int i = 0; i < mesh->particle_count; i++) {
        float rgba[4] = {rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2], 1.0f};
        changed |= set_colour(mesh, i, rgba);
    }
    use_colours(mesh, changed);
}

void cloth_mesh_colour_none(ClothMesh *mesh)
{
    glBindVertexArray(mesh->surface_array);
    glDisableVertexAttribArray(2);
    glVertexAttrib4f(2, 0.0f, 0.0f, 0.0f, 0.0f);
}
