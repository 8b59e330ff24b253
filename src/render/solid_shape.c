// Meshes of solids, and their drawing. A ball is cut along its three planes and its eight parts are
// moved into the corners of a box; the cuts become the edges and sides of the box.
#include "render/solids.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

// Segments around and from pole to pole.
static const int SEGMENTS[SOLID_LEVELS][2] = {{72, 44}, {32, 20}, {16, 8}};
enum { LEVEL_BODY = 0, LEVEL_FEW = 1, LEVEL_MANY = 2, FEW = 12 };

// Bodies are matte, so that the cloth is what one looks at.
static const float BODY_GLOSS = 0.01f, LINK_GLOSS = 0.16f;

enum { LIGHT_UNIT = 0 };

// Rows from pole to pole, twice at the equator; columns around, twice at each quarter.
static void make_vertices(SolidVertex *out, int around, int down)
{
    for (int row = 0; row < down + 2; row++) {
        int half = row > down / 2;
        double polar = M_PI * (row - half) / down;
        for (int quarter = 0; quarter < 4; quarter++) {
            for (int i = 0; i <= around / 4; i++) {
                double angle = 2.0 * M_PI * (quarter * (around / 4) + i) / around;
                *out++ = (SolidVertex){
                    .normal = {(float)(sin(polar) * cos(angle)), (float)cos(polar),
                               (float)(sin(polar) * sin(angle))},
                    .corner = {quarter == 0 || quarter == 3 ? 1.0f : -1.0f, half ? -1.0f : 1.0f,
                               quarter < 2 ? 1.0f : -1.0f},
                };
            }
        }
    }
}

static uint32_t *put(uint32_t *out, int a, int b, int c)
{
    out[0] = (uint32_t)a, out[1] = (uint32_t)b, out[2] = (uint32_t)c;
    return out + 3;
}

static void make_triangles(uint32_t *out, int columns, int rows)
{
    for (int row = 0; row + 1 < rows; row++) {
        for (int column = 0; column < columns; column++) {
            int a = row * columns + column, b = row * columns + (column + 1) % columns;
            out = put(out, a, b, a + columns);
            out = put(out, b, b + columns, a + columns);
        }
    }
    // The sides at both poles.
    int quarter = columns / 4, last = (rows - 1) * columns;
    out = put(out, 0, 2 * quarter, quarter);
    out = put(out, 0, 3 * quarter, 2 * quarter);
    out = put(out, last, last + quarter, last + 2 * quarter);
    put(out, last, last + 2 * quarter, last + 3 * quarter);
}

static void attribute(GLuint index, int components, size_t stride, size_t offset, GLuint divisor)
{
    glEnableVertexAttribArray(index);
    glVertexAttribPointer(index, components, GL_FLOAT, GL_FALSE, (GLsizei)stride,
                          (const void *)offset);
    glVertexAttribDivisor(index, divisor);
}

static void upload(SolidShape *shape, GLuint instance_buffer)
{
    glGenVertexArrays(1, &shape->array);
    glGenBuffers(1, &shape->vertex_buffer);
    glGenBuffers(1, &shape->triangle_buffer);
    glBindVertexArray(shape->array);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, shape->triangle_buffer);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER,
                 (GLsizeiptr)(3 * (size_t)shape->triangle_count * sizeof *shape->triangles),
                 shape->triangles, GL_STATIC_DRAW);
    glBindBuffer(GL_ARRAY_BUFFER, shape->vertex_buffer);
    glBufferData(GL_ARRAY_BUFFER,
                 (GLsizeiptr)((size_t)shape->vertex_count * sizeof *shape->vertices),
                 shape->vertices, GL_STATIC_DRAW);
    attribute(0, 3, sizeof(SolidVertex), offsetof(SolidVertex, normal), 0);
    attribute(1, 3, sizeof(SolidVertex), offsetof(SolidVertex, corner), 0);
    glBindBuffer(GL_ARRAY_BUFFER, instance_buffer);
    attribute(2, 3, sizeof(Solid), offsetof(Solid, centre), 1);
    for (GLuint k = 0; k < 3; k++)
        attribute(3 + k, 3, sizeof(Solid), offsetof(Solid, axes) + k * 3 * sizeof(float), 1);
    attribute(6, 4, sizeof(Solid), offsetof(Solid, core), 1); // with radius
    attribute(7, 3, sizeof(Solid), offsetof(Solid, colour), 1);
    glBindVertexArray(0);
}

static void make_shape(SolidShape *shape, int around, int down, GLuint instance_buffer)
{
    int columns = around + 4, rows = down + 2;
    int vertices = columns * rows, triangles = 2 * columns * (rows - 1) + 4;
    *shape = (SolidShape){
        .vertices = malloc((size_t)vertices * sizeof *shape->vertices),
        .triangles = malloc(3 * (size_t)triangles * sizeof *shape->triangles),
    };
    if (!shape->vertices || !shape->triangles) return;
    make_vertices(shape->vertices, around, down);
    make_triangles(shape->triangles, columns, rows);
    shape->vertex_count = vertices;
    shape->triangle_count = triangles;
    upload(shape, instance_buffer);
}

void solids_init(SolidRenderer *solids)
{
    *solids = (SolidRenderer){0};
    glGenBuffers(1, &solids->instance_buffer);
    for (int i = 0; i < SOLID_LEVELS; i++)
        make_shape(&solids->shapes[i], SEGMENTS[i][0], SEGMENTS[i][1], solids->instance_buffer);
}

void solids_finish(SolidRenderer *solids)
{
    for (int i = 0; i < SOLID_LEVELS; i++) {
        SolidShape *shape = &solids->shapes[i];
        free(shape->vertices);
        free(shape->triangles);
        glDeleteVertexArrays(1, &shape->array); // OpenGL ignores 0
        glDeleteBuffers(1, &shape->vertex_buffer);
        glDeleteBuffers(1, &shape->triangle_buffer);
    }
    glDeleteBuffers(1, &solids->instance_buffer);
    *solids = (SolidRenderer){0};
}

static const SolidShape *shape_of_links(const SolidRenderer *solids, const SolidSet *set)
{
    return &solids->shapes[set->count - set->body_count <= FEW ? LEVEL_FEW : LEVEL_MANY];
}

const SolidShape *solids_surface(const SolidRenderer *solids, const SolidSet *set, int number,
                                 float points[SOLID_POINTS_MAX][3])
{
    const Solid *solid = &set->items[number];
    const SolidShape *shape =
        number < set->body_count ? &solids->shapes[LEVEL_FEW] : &solids->shapes[LEVEL_MANY];
    for (int i = 0; i < shape->vertex_count; i++) {
        const SolidVertex *v = &shape->vertices[i];
        glm_vec3_copy((float *)solid->centre, points[i]);
        for (int k = 0; k < 3; k++) {
            float along = solid->core[k] * v->corner[k] + solid->radius * v->normal[k];
            glm_vec3_muladds((float *)solid->axes[k], along, points[i]);
        }
    }
    return shape;
}

static void set_light(const ShaderProgram *shader, const SolidSet *set)
{
    const LightImage *light = &set->light;
    bool present = set->light_texture != 0;
    glActiveTexture(GL_TEXTURE0 + LIGHT_UNIT);
    glBindTexture(GL_TEXTURE_2D, set->light_texture);
    glUniform1i(shader_uniform(shader, "nearest"), LIGHT_UNIT);
    glUniform1f(shader_uniform(shader, "has_cloth"), present ? 1.0f : 0.0f);
    glUniform3fv(shader_uniform(shader, "across"), 1, light->across);
    glUniform3fv(shader_uniform(shader, "above"), 1, light->up);
    glUniform3fv(shader_uniform(shader, "towards"), 1, light->towards);
    glUniform4f(shader_uniform(shader, "image"), light->left, light->bottom, light->per_metre,
                light->spacing);
}

static void draw_some(const SolidShape *shape, const SolidSet *set, int first, int count)
{
    if (count <= 0 || shape->triangle_count == 0) return;
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)((size_t)count * sizeof *set->items),
                 set->items + first, GL_STREAM_DRAW);
    glBindVertexArray(shape->array);
    glDrawElementsInstanced(GL_TRIANGLES, 3 * shape->triangle_count, GL_UNSIGNED_INT, NULL, count);
}

void solids_draw(const SolidRenderer *solids, const Frame *frame, const SolidSet *set)
{
    const ShaderProgram *shader = &frame->shaders[SHADER_SOLID];
    if (set->count == 0) return;
    glUseProgram(shader->id);
    glUniformMatrix4fv(shader_uniform(shader, "view"), 1, GL_FALSE, frame->view[0]);
    glUniformMatrix4fv(shader_uniform(shader, "projection"), 1, GL_FALSE, frame->projection[0]);
    glUniform1f(shader_uniform(shader, "away"), frame->away);
    set_light(shader, set);
    glEnable(GL_CULL_FACE);
    glBindBuffer(GL_ARRAY_BUFFER, solids->instance_buffer);
    GLint gloss = shader_uniform(shader, "gloss");
    glUniform1f(gloss, BODY_GLOSS);
    draw_some(&solids->shapes[LEVEL_BODY], set, 0, set->body_count);
    glUniform1f(gloss, LINK_GLOSS);
    draw_some(shape_of_links(solids, set), set, set->body_count, set->count - set->body_count);
    glDisable(GL_CULL_FACE);
}
