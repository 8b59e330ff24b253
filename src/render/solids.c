// Which solids there are: bodies from the snapshot, springs as rods and particles as balls.
#include "render/solids.h"

#include "cloth/mesh.h"
#include "render/post_filter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const float FAR_AWAY = 1e5f; // m, see cloth_mesh.c

enum { SPRINGS_MAX = 600 }; // more of them are lines

// A mass is a ball as large as its neighbours allow, up to a share of the view; a rod is thinner.
// Neither is ever so small that it cannot be seen from the last row.
static const float BALL_OF_SPACING = 0.30f, BALL_OF_VIEW = 0.052f, BALL_PIXELS = 4.6f;
static const float ROD_OF_BALL = 0.36f, ROD_PIXELS = 3.0f;
static const float PIN_OF_BALL = 1.15f, PIN_PIXELS = 6.0f;
static const float LIT = 0.22f;        // towards white: what the hand would take
static const float BEND_OF_ROD = 0.5f; // springs that only resist bending

void solid_set_finish(SolidSet *set)
{
    free(set->items);
    free(set->before);
    glDeleteTextures(1, &set->light_texture); // OpenGL ignores 0
    *set = (SolidSet){0};
}

bool solids_show_springs(const ClothMesh *mesh)
{
    return (mesh->triangle_count == 0 || mesh->has_struts) && mesh->spring_count <= SPRINGS_MAX &&
           mesh->particle_count <= SPRINGS_MAX;
}

// Without memory there are none.
static bool make_room(SolidSet *set, int count)
{
    if (count <= set->capacity) return true;
    Solid *items = realloc(set->items, (size_t)count * sizeof *items);
    if (items) set->items = items;
    Solid *before = realloc(set->before, (size_t)count * sizeof *before);
    if (before) set->before = before;
    if (!items || !before) return false;
    set->capacity = count;
    return true;
}

static Solid upright(const float colour[3])
{
    Solid solid = {.axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    memcpy(solid.colour, colour, sizeof solid.colour);
    return solid;
}

// Turn the second axis towards a direction; any length.
static void point_along(Solid *solid, const float direction[3])
{
    vec3 along;
    glm_vec3_normalize_to((float *)direction, along);
    vec3 other = {fabsf(along[0]) < 0.7f, fabsf(along[0]) >= 0.7f, 0.0f};
    glm_vec3_copy(along, solid->axes[1]);
    glm_vec3_crossn(along, other, solid->axes[2]);
    glm_vec3_cross(along, solid->axes[2], solid->axes[0]);
}

static void to_floats(Vec3 v, float out[3])
{
    out[0] = (float)v.x, out[1] = (float)v.y, out[2] = (float)v.z;
}

static Solid body_solid(const Collider *body, const ColliderMotion *motion, const float colour[3])
{
    Solid solid = upright(colour);
    float half[3];
    to_floats(motion->centre, solid.centre);
    to_floats(body->half, half);
    solid.radius = (float)body->radius;
    if (body->shape == COLLIDER_CAPSULE && glm_vec3_norm(half) > 0.0f) {
        solid.core[1] = glm_vec3_norm(half);
        point_along(&solid, half);
    }
    if (body->shape == COLLIDER_BOX) {
        for (int k = 0; k < 3; k++) {
            to_floats(body->axes[k], solid.axes[k]);
            solid.core[k] = fmaxf(half[k] - solid.radius, 0.0f);
        }
    }
    return solid;
}

static void add_bodies(SolidSet *set, const Frame *frame)
{
    const Snapshot *snapshot = frame->snapshot;
    for (int i = 0; i < snapshot->scene.collider_count; i++) {
        Solid solid =
            body_solid(&snapshot->scene.colliders[i], &snapshot->motions[i], frame->palette->body);
        if (frame->options->lit_body == i + 1)
            glm_vec3_lerp(solid.colour, (vec3){1, 1, 1}, LIT, solid.colour);
        float farthest = glm_vec3_max(
            (vec3){fabsf(solid.centre[0]), fabsf(solid.centre[1]), fabsf(solid.centre[2])});
        bool finite = isfinite(solid.centre[0] + solid.centre[1] + solid.centre[2]);
        if (finite && farthest < FAR_AWAY) set->items[set->count++] = solid;
    }
    set->body_count = set->count;
}

// m, of a pixel of an ordinary screen at the distance of the scene's middle.
static float pixel_size(const Frame *frame)
{
    const float *c = frame->snapshot->centre;
    const vec4 *v = frame->view;
    float depth = -(v[0][2] * c[0] + v[1][2] * c[1] + v[2][2] * c[2] + v[3][2]);
    float scale = frame->projection[1][1] * (float)frame->viewport.height;
    return depth > 0.0f ? 2.0f * depth * frame->options->pixel_scale / scale : 0.0f;
}

static float shortest_spring(const Frame *frame, const ClothMesh *mesh)
{
    float shortest = INFINITY;
    for (int i = 0; i < mesh->spring_count; i++)
        shortest = fminf(shortest, frame->snapshot->rest_length[i]);
    return shortest;
}

static void add_rod(SolidSet *set, const Frame *frame, const ClothMesh *mesh, int spring,
                    float radius)
{
    const Snapshot *snapshot = frame->snapshot;
    const Palette *palette = frame->palette;
    const uint32_t *ends = snapshot->springs + 2 * spring;
    float *a = mesh->vertices[ends[0]].position, *b = mesh->vertices[ends[1]].position;
    float length = glm_vec3_distance(a, b);
    float amount = renderer_spring_amount(length / snapshot->rest_length[spring] - 1.0f);
    const float *end = amount < 0.0f ? palette->compressed : palette->stretched;
    if (!(length > 0.0f)) return;
    vec3 colour, along;
    glm_vec3_lerp((float *)palette->relaxed, (float *)end, fabsf(amount), colour);
    Solid rod = upright(colour);
    glm_vec3_sub(b, a, along);
    point_along(&rod, along);
    glm_vec3_center(a, b, rod.centre);
    rod.core[1] = 0.5f * length;
    rod.radius = snapshot->spring_kind[spring] == SPRING_BEND ? BEND_OF_ROD * radius : radius;
    set->items[set->count++] = rod;
}

static void add_springs(SolidSet *set, const Frame *frame, const ClothMesh *mesh)
{
    const RenderOptions *options = frame->options;
    float view = frame->snapshot->radius > 0.0f ? frame->snapshot->radius : 1.0f;
    float pixel = pixel_size(frame);
    float ball = fminf(BALL_OF_SPACING * shortest_spring(frame, mesh), BALL_OF_VIEW * view);
    float rod = fmaxf(ROD_OF_BALL * ball, ROD_PIXELS * pixel);
    ball = fmaxf(ball, BALL_PIXELS * pixel);
    for (int i = 0; i < mesh->spring_count; i++) add_rod(set, frame, mesh, i, rod);
    for (int i = 0; i < mesh->particle_count; i++) {
        const float *own = options->rgb ? options->rgb + 3 * i : frame->palette->mass;
        bool pinned = frame->snapshot->pinned[i];
        Solid mass = upright(pinned ? frame->palette->pin : own);
        memcpy(mass.centre, mesh->vertices[i].position, sizeof mass.centre);
        mass.radius = pinned ? fmaxf(PIN_OF_BALL * ball, PIN_PIXELS * pixel) : ball;
        set->items[set->count++] = mass;
    }
}

void solid_set_update(SolidSet *set, const Frame *frame, const ClothMesh *mesh)
{
    bool springs = mesh->particle_count > 0 && solids_show_springs(mesh);
    int most = frame->snapshot->scene.collider_count +
               (springs ? mesh->spring_count + mesh->particle_count : 0);
    Solid *last = set->items;
    set->items = set->before;
    set->before = last;
    set->before_count = set->count;
    set->count = set->body_count = 0;
    if (make_room(set, most)) {
        add_bodies(set, frame);
        if (springs) add_springs(set, frame, mesh);
    }
    bool same = set->count == set->before_count &&
                (set->count == 0 ||
                 memcmp(set->items, set->before, (size_t)set->count * sizeof *set->items) == 0);
    if (!same) set->revision++;
}

void solid_set_light(SolidSet *set, const LightImage *light, const float *depth, int side)
{
    if (!depth || set->body_count == 0) {
        glDeleteTextures(1, &set->light_texture);
        set->light_texture = 0;
        return;
    }
    set->light = *light;
    glActiveTexture(GL_TEXTURE0);
    if (set->light_texture == 0) {
        glGenTextures(1, &set->light_texture);
        glBindTexture(GL_TEXTURE_2D, set->light_texture);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    }
    glBindTexture(GL_TEXTURE_2D, set->light_texture);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 0); // other code may have changed it
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_R32F, side, side, 0, GL_RED, GL_FLOAT, depth);
    glBindTexture(GL_TEXTURE_2D, 0);
}

Viewport solid_set_box(const SolidSet *set, const Frame *frame)
{
    Viewport box = {0};
    for (int i = 0; i < set->count; i++) {
        const Solid *solid = &set->items[i];
        float reach = solid_reach(solid);
        float corners[8][3];
        for (int c = 0; c < 8; c++) {
            for (int k = 0; k < 3; k++)
                corners[c][k] = solid->centre[k] + (c >> k & 1 ? reach : -reach);
        }
        box = post_filter_join(box, post_filter_box_of(frame, corners[0], 3, 8));
    }
    return box;
}
