#include "render/marks.h"

#include "render/solids.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A pin shows through the cloth just in front of it, but not through a fold.
static const float PIN_LIFT = 0.015f, HAND_LIFT = 0.05f;
// A hem lies on its own cloth; one that shows through all others is close to the eye.
static const float HEM_LIFT = 0.002f, THROUGH_LIFT = 0.6f;
// Opacity of the hand where cloth is before it.
static const float SEEN_THROUGH = 0.55f;

void marks_init(Marks *marks)
{
    *marks = (Marks){0};
    glGenVertexArrays(1, &marks->array);
    glGenBuffers(1, &marks->buffer);
    glBindVertexArray(marks->array);
    glBindBuffer(GL_ARRAY_BUFFER, marks->buffer);
    const struct {
        int components;
        size_t offset;
    } layout[] = {
        {3, offsetof(Mark, a)},      {3, offsetof(Mark, b)},
        {3, offsetof(Mark, radius)}, // with rim_width and lift
        {4, offsetof(Mark, fill)},   {4, offsetof(Mark, rim)},
    };
    for (GLuint i = 0; i < sizeof layout / sizeof layout[0]; i++) {
        glEnableVertexAttribArray(i);
        glVertexAttribPointer(i, layout[i].components, GL_FLOAT, GL_FALSE, sizeof(Mark),
                              (const void *)layout[i].offset);
        glVertexAttribDivisor(i, 1);
    }
    glBindVertexArray(0);
}

void marks_finish(Marks *marks)
{
    free(marks->items);
    glDeleteVertexArrays(1, &marks->array); // OpenGL ignores 0
    glDeleteBuffers(1, &marks->buffer);
    *marks = (Marks){0};
}

// Without memory the mark is left out of the picture.
static void add(Marks *marks, const float *a, const float *b, Mark mark)
{
    if (marks->count == marks->capacity) {
        int capacity = marks->capacity ? 2 * marks->capacity : 64;
        Mark *items = realloc(marks->items, (size_t)capacity * sizeof *items);
        if (!items) return;
        marks->items = items;
        marks->capacity = capacity;
    }
    memcpy(mark.a, a, sizeof mark.a);
    memcpy(mark.b, b, sizeof mark.b);
    marks->items[marks->count++] = mark;
}

static Mark styled(float radius, float rim_width, float lift, const float *fill, const float *rim)
{
    Mark mark = {.radius = radius, .rim_width = rim_width, .lift = lift};
    memcpy(mark.fill, fill, sizeof mark.fill);
    memcpy(mark.rim, rim, sizeof mark.rim);
    return mark;
}

static bool is_particle(const ClothMesh *mesh, int i)
{
    return i >= 0 && i < mesh->particle_count;
}

// So few particles that each may be large.
static bool is_tiny(const ClothMesh *mesh)
{
    return mesh->particle_count <= 8;
}

// A rope or a spring has only its masses to show, and colours on them.
static void add_masses(Marks *marks, const Frame *frame, const ClothMesh *mesh)
{
    Mark mass = styled(is_tiny(mesh) ? 9.0f : 5.0f, 1.25f, PIN_LIFT, frame->palette->mass,
                       frame->palette->rim);
    for (int i = 0; i < mesh->particle_count; i++) {
        const float *at = mesh->vertices[i].position;
        if (frame->options->rgb) memcpy(mass.fill, frame->options->rgb + 3 * i, 3 * sizeof(float));
        if (!frame->snapshot->pinned[i]) add(marks, at, at, mass);
    }
}

// The grabbed particle and the line to the cursor.
static void add_hand(Marks *marks, const Frame *frame, const ClothMesh *mesh, float lift,
                     float opacity)
{
    int grabbed = frame->snapshot->grabbed;
    const float *hand = frame->snapshot->hand;
    if (!is_particle(mesh, grabbed)) return;
    float fill[4], rim[4];
    memcpy(fill, frame->palette->hand, sizeof fill);
    memcpy(rim, frame->palette->rim, sizeof rim);
    fill[3] *= opacity;
    rim[3] *= opacity;
    const float *at = mesh->vertices[grabbed].position;
    if (isfinite(hand[0]) && isfinite(hand[1]) && isfinite(hand[2])) {
        add(marks, at, hand, styled(2.5f, 1.0f, lift, fill, rim));
        add(marks, hand, hand, styled(4.5f, 1.25f, lift, fill, rim));
    }
    add(marks, at, at, styled(7.5f, 1.5f, lift, fill, rim));
}

static void collect(Marks *marks, const Frame *frame, const ClothMesh *mesh)
{
    const Snapshot *snapshot = frame->snapshot;
    const Palette *palette = frame->palette;
    marks->count = 0;

    bool balls = solids_show_springs(mesh); // masses and pins are drawn already
    Mark pin = styled(6.0f, 1.25f, PIN_LIFT, palette->pin, palette->rim);
    for (int i = 0; i < mesh->particle_count; i++) {
        const float *at = mesh->vertices[i].position;
        if (snapshot->pinned[i] && !balls) add(marks, at, at, pin);
    }

    if (mesh->triangle_count == 0 && !balls) add_masses(marks, frame, mesh);

    Mark marked = styled(2.5f, 0.75f, HAND_LIFT, palette->warning, palette->rim);
    for (int i = 0; i < frame->options->marked_spring_count; i++) {
        int spring = frame->options->marked_springs[i];
        if (spring < 0 || spring >= mesh->spring_count) continue;
        const uint32_t *ends = snapshot->springs + 2 * spring;
        add(marks, mesh->vertices[ends[0]].position, mesh->vertices[ends[1]].position, marked);
    }

    int hovered = frame->options->hovered;
    if (is_particle(mesh, hovered) && hovered != snapshot->grabbed) {
        // A white ring between two thin dark ones is visible on any cloth and backdrop.
        float clear[4] = {palette->rim[0], palette->rim[1], palette->rim[2], 0.0f};
        float inside[4] = {palette->hand[0], palette->hand[1], palette->hand[2], 0.0f};
        const float *at = mesh->vertices[hovered].position;
        add(marks, at, at, styled(11.5f, 3.5f, HAND_LIFT, clear, palette->rim));
        add(marks, at, at, styled(10.5f, 1.75f, HAND_LIFT, inside, palette->hand));
    }

    add_hand(marks, frame, mesh, THROUGH_LIFT, SEEN_THROUGH);
    add_hand(marks, frame, mesh, HAND_LIFT, 1.0f);
}

static void draw_all(const Marks *marks, const Frame *frame)
{
    if (marks->count == 0) return;
    const ShaderProgram *shader = &frame->shaders[SHADER_MARK];
    glUseProgram(shader->id);
    glUniformMatrix4fv(shader_uniform(shader, "view"), 1, GL_FALSE, frame->view[0]);
    glUniformMatrix4fv(shader_uniform(shader, "projection"), 1, GL_FALSE, frame->projection[0]);
    glUniform2f(shader_uniform(shader, "half_viewport"), 0.5f * (float)frame->viewport.width,
                0.5f * (float)frame->viewport.height);
    glUniform1f(shader_uniform(shader, "pixel_scale"), frame->options->pixel_scale);
    glBindVertexArray(marks->array);
    glBindBuffer(GL_ARRAY_BUFFER, marks->buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)((size_t)marks->count * sizeof *marks->items),
                 marks->items, GL_STREAM_DRAW);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, marks->count);
}

void marks_draw(Marks *marks, const Frame *frame, const ClothMesh *mesh)
{
    collect(marks, frame, mesh);
    draw_all(marks, frame);
}

static bool is_point(const float at[3])
{
    return isfinite(at[0] + at[1] + at[2]);
}

// Older parts of each line are fainter.
static void add_trail(Marks *marks, const Frame *frame)
{
    const RenderOptions *options = frame->options;
    Mark piece = styled(1.25f, 0.0f, 0.0f, frame->palette->mass, frame->palette->mass);
    for (int first = 0, end; first < options->trail_count; first = end + 1) {
        for (end = first; end < options->trail_count && is_point(options->trail + 3 * end);) end++;
        for (int i = first; i + 1 < end; i++) {
            const float *a = options->trail + 3 * i;
            float newness = (float)(i + 1 - first) / (float)(end - first);
            piece.fill[3] = piece.rim[3] = 0.7f * newness;
            add(marks, a, a + 3, piece);
        }
    }
}

void marks_draw_springs(Marks *marks, const Frame *frame, const ClothMesh *mesh)
{
    const Snapshot *snapshot = frame->snapshot;
    marks->count = 0;
    add_trail(marks, frame);
    Mark piece = {.radius = is_tiny(mesh) ? 2.5f : 1.5f};
    for (int i = 0; i < mesh->spring_count && !solids_show_springs(mesh); i++) {
        const uint32_t *ends = snapshot->springs + 2 * i;
        float *a = mesh->vertices[ends[0]].position, *b = mesh->vertices[ends[1]].position;
        float strain = glm_vec3_distance(a, b) / snapshot->rest_length[i] - 1.0f;
        renderer_spring_colour(frame->options->light, renderer_spring_amount(strain), piece.fill);
        piece.fill[3] = 1.0f;
        memcpy(piece.rim, piece.fill, sizeof piece.rim);
        add(marks, a, b, piece);
    }
    draw_all(marks, frame);
}

void marks_draw_hem(Marks *marks, const Frame *frame, const ClothMesh *mesh, float radius,
                    bool through_others)
{
    const Palette *palette = frame->palette;
    float colour[4] = {palette->wire[0], palette->wire[1], palette->wire[2], 1.0f};
    float lift = through_others ? THROUGH_LIFT : HEM_LIFT;
    Mark piece = styled(radius, 0.0f, lift, colour, colour);
    marks->count = 0;
    for (int i = 0; i < mesh->hem_count; i++) {
        const uint32_t *ends = mesh->hem + 2 * i;
        add(marks, mesh->vertices[ends[0]].position, mesh->vertices[ends[1]].position, piece);
    }
    if (mesh->triangle_count == 0 && !through_others) add_masses(marks, frame, mesh);
    draw_all(marks, frame);
}
