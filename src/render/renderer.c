// One picture, back to front: backdrop, grid and shadow without depth; then the cloth with depth,
// in an overlay all cloths and last the ghost; then marks. OpenGL state is set at the start of a
// frame and reset to the defaults at the end.
#include "render/renderer.h"

#include "render/cloth_renderer.h"
#include "render/frame.h"
#include "render/ground_renderer.h"
#include "render/marks.h"
#include "render/post_filter.h"
#include "render/self_shadow.h"
#include "render/solids.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Light and shade on colours with a legend: enough to show the shape, and the legend still holds.
static const float LEGEND_SHADING = 0.7f;
static const float BACK_SIDE = 0.8f; // of the front's colour, in an overlay
static const float APART = 0.001f;   // share of the distance to the eye between lanes in an overlay

struct Renderer {
    char *shader_directory; // NULL: the built-in shaders
    float widest_line;      // pixels
    ShaderProgram shaders[SHADER_COUNT];
    ClothMesh meshes[RENDER_LANES_MAX];
    SolidRenderer solids;
    SolidSet sets[RENDER_LANES_MAX];
    unsigned long shaded_sets[RENDER_LANES_MAX]; // revisions that are in the shade of the meshes
    GroundRenderer ground;
    Marks marks;
    PostFilter filter;
    Palette palette; // of the picture being drawn
    SelfShadowScratch shadow_scratch;
};

static const char *const SHADER_FILES[SHADER_COUNT][2] = {
    [SHADER_BACKDROP] = {"backdrop.vert", "backdrop.frag"},
    [SHADER_GRID] = {"grid.vert", "grid.frag"},
    [SHADER_SHADOW] = {"shadow.vert", "shadow.frag"},
    [SHADER_CLOTH] = {"cloth.vert", "cloth.frag"},
    [SHADER_FABRIC] = {"fabric.vert", "fabric.frag"},
    [SHADER_SMOOTH] = {"smooth.vert", "smooth.frag"},
    [SHADER_LINE] = {"line.vert", "line.frag"},
    [SHADER_SOLID] = {"solid.vert", "solid.frag"},
    [SHADER_MARK] = {"mark.vert", "mark.frag"},
};

static void learn_driver(Renderer *renderer)
{
    // Lines wider than a pixel are optional, and an error in a forward-compatible context.
    GLint flags = 0;
    GLfloat range[2] = {1.0f, 1.0f};
    glGetIntegerv(GL_CONTEXT_FLAGS, &flags);
    glGetFloatv(GL_ALIASED_LINE_WIDTH_RANGE, range);
    bool only_thin = flags & GL_CONTEXT_FLAG_FORWARD_COMPATIBLE_BIT;
    renderer->widest_line = only_thin ? 1.0f : range[1];
}

Status renderer_create(const char *shader_directory, Renderer **out, Error *error)
{
    Renderer *renderer = calloc(1, sizeof *renderer);
    if (!renderer) return error_set(error, STATUS_OUT_OF_MEMORY, "Out of memory");
    if (shader_directory && !(renderer->shader_directory = strdup(shader_directory))) {
        free(renderer);
        return error_set(error, STATUS_OUT_OF_MEMORY, "Out of memory");
    }
    learn_driver(renderer);
    for (int i = 0; i < RENDER_LANES_MAX; i++) cloth_mesh_init(&renderer->meshes[i]);
    solids_init(&renderer->solids);
    ground_init(&renderer->ground, renderer_is_software());
    marks_init(&renderer->marks);
    post_filter_init(&renderer->filter);
    for (int i = 0; i < SHADER_COUNT; i++) {
        ShaderProgram *shader = &renderer->shaders[i];
        shader->vertex_name = SHADER_FILES[i][0];
        shader->fragment_name = SHADER_FILES[i][1];
        Status status = shader_program_load(shader, shader_directory, error);
        if (status != STATUS_OK) {
            renderer_destroy(renderer);
            return status;
        }
    }
    *out = renderer;
    return STATUS_OK;
}

void renderer_destroy(Renderer *renderer)
{
    if (!renderer) return;
    for (int i = 0; i < SHADER_COUNT; i++) shader_program_finish(&renderer->shaders[i]);
    for (int i = 0; i < RENDER_LANES_MAX; i++) cloth_mesh_finish(&renderer->meshes[i]);
    for (int i = 0; i < RENDER_LANES_MAX; i++) solid_set_finish(&renderer->sets[i]);
    solids_finish(&renderer->solids);
    ground_finish(&renderer->ground);
    marks_finish(&renderer->marks);
    post_filter_finish(&renderer->filter);
    free(renderer->shader_directory);
    free(renderer);
}

Status renderer_reload(Renderer *renderer, bool *reloaded, Error *error)
{
    *reloaded = false;
    Status result = STATUS_OK;
    for (int i = 0; i < SHADER_COUNT && renderer->shader_directory; i++) {
        // Reload all of them, even if one fails: the message is about the first failure.
        Status status = shader_program_reload(&renderer->shaders[i], renderer->shader_directory,
                                              reloaded, result == STATUS_OK ? error : NULL);
        if (result == STATUS_OK) result = status;
    }
    if (*reloaded) ground_forget(&renderer->ground);
    return result;
}

static void set_state(const Renderer *renderer, const Frame *frame)
{
    Viewport v = frame->viewport;
    glViewport(v.x, v.y, v.width, v.height);
    glScissor(v.x, v.y, v.width, v.height);
    glEnable(GL_SCISSOR_TEST);
    glDisable(GL_CULL_FACE);
    glDisable(GL_STENCIL_TEST);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glFrontFace(GL_CCW);
    glBlendEquation(GL_FUNC_ADD);
    // Alpha stays 1 whatever is blended in: a picture is opaque.
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    glDepthFunc(GL_LEQUAL);
    glDepthMask(GL_TRUE);
    glLineWidth(glm_clamp(frame->options->pixel_scale, 1.0f, renderer->widest_line));
}

static void restore_state(void)
{
    glBindVertexArray(0);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    glBindTexture(GL_TEXTURE_2D, 0);
    glUseProgram(0);
    glLineWidth(1.0f);
    glDepthMask(GL_TRUE);
    glDepthFunc(GL_LESS);
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_SCISSOR_TEST);
    glDisable(GL_BLEND);
}

// The theme's palette with the fabric's colours; the edges of the mesh are its front, lighter on a
// dark backdrop and darker on a light one.
static Palette fabric_palette(const RenderOptions *options)
{
    Palette own = *palette_for(options->light);
    const Fabric *fabric = fabric_of(options->fabric);
    for (int k = 0; k < 3; k++) {
        own.front[k] = fabric->front[k];
        own.back[k] = fabric->back[k];
        own.wire[k] = options->light ? 0.72f * own.front[k] : 0.6f * own.front[k] + 0.35f;
    }
    return own;
}

// Magnify a part of the picture to the viewport.
static void choose_tile(Frame *frame, const RenderTile *tile)
{
    const float whole[2] = {(float)tile->width, (float)tile->height};
    const float at[2] = {(float)tile->x, (float)tile->y};
    const float size[2] = {(float)frame->viewport.width, (float)frame->viewport.height};
    for (int k = 0; k < 2; k++) {
        frame->share[k] = size[k] / whole[k];
        frame->middle[k] = (2.0f * at[k] + size[k]) / whole[k] - 1.0f;
        for (int column = 0; column < 4; column++) {
            float *c = frame->projection[column];
            c[k] = (c[k] - frame->middle[k] * c[3]) / frame->share[k];
        }
    }
}

static Frame make_frame(Renderer *renderer, const Snapshot *snapshot, const Camera *camera,
                        Viewport viewport, const RenderOptions *options)
{
    renderer->palette = fabric_palette(options);
    Frame frame = {
        .snapshot = snapshot,
        .options = options,
        .palette = &renderer->palette,
        .fabric = fabric_of(options->fabric),
        .shaders = renderer->shaders,
        .viewport = viewport,
        .away = 1.0f,
        .share = {1.0f, 1.0f},
        .shading = options->rgb ? LEGEND_SHADING : 1.0f,
    };
    Viewport whole = viewport;
    if (options->tile) whole = (Viewport){0, 0, options->tile->width, options->tile->height};
    camera_matrices(camera, whole, frame.view, frame.projection);
    if (options->tile) choose_tile(&frame, options->tile);
    glm_mat4_mul(frame.projection, frame.view, frame.view_projection);
    return frame;
}

// The light is fixed to the camera: towards its upper right, as in the shaders.
static void update_shade(Renderer *renderer, const Frame *frame, int lane)
{
    ClothMesh *mesh = &renderer->meshes[lane];
    SolidSet *set = &renderer->sets[lane];
    static const vec3 key = {0.46f, 0.40f, 0.79f};
    vec3 light;
    for (int k = 0; k < 3; k++) {
        light[k] =
            frame->view[k][0] * key[0] + frame->view[k][1] * key[1] + frame->view[k][2] * key[2];
    }
    bool current = mesh->shaded_revision == mesh->revision &&
                   glm_vec3_eqv(light, mesh->shaded_light) &&
                   renderer->shaded_sets[lane] == set->revision;
    if (mesh->triangle_count == 0) solid_set_light(set, NULL, NULL, 0);
    if (current || mesh->triangle_count == 0) return;
    renderer->shaded_sets[lane] = set->revision;
    glm_vec3_copy(light, mesh->shaded_light);
    mesh->shaded_revision = mesh->revision;
    glm_vec3_normalize(light);
    float size = frame->snapshot->radius > 0.0f ? frame->snapshot->radius * (float)M_SQRT2 : 1.0f;
    SelfShadowScratch *scratch = &renderer->shadow_scratch;
    self_shadow_cast(scratch, mesh, &renderer->solids, set, light, size);
    cloth_mesh_update_shade(mesh);
    solid_set_light(set, &scratch->light, scratch->cloth, SELF_SHADOW_SIDE);
}

static bool is_filtered(const Frame *frame)
{
    GLint samples = 0;
    if (frame->options->detail < DETAIL_SMOOTH) return false;
    glGetIntegerv(GL_SAMPLES, &samples);
    return samples <= 1;
}

static void draw_ground(Renderer *renderer, const Frame *frame, int lane)
{
    glDisable(GL_DEPTH_TEST);
    ground_draw(&renderer->ground, frame, &renderer->meshes[lane], &renderer->solids,
                &renderer->sets[lane], lane);
    glEnable(GL_DEPTH_TEST);
    if (!frame->options->depth_is_clear) glClear(GL_DEPTH_BUFFER_BIT); // of the viewport: scissor
    glDisable(GL_BLEND);
}

// Where the picture has edges to smooth.
static Viewport picture_box(const Renderer *renderer, const Frame *frame, int lane)
{
    return post_filter_join(post_filter_box(frame, &renderer->meshes[lane]),
                            solid_set_box(&renderer->sets[lane], frame));
}

static int clamp_lane(int lane, int count)
{
    return lane < 0 ? 0 : lane < count ? lane : count - 1;
}

void renderer_clear_depth(void)
{
    glDisable(GL_SCISSOR_TEST);
    glDepthMask(GL_TRUE);
    glClear(GL_DEPTH_BUFFER_BIT);
}

void renderer_draw(Renderer *renderer, const Snapshot *snapshot, const Camera *camera,
                   Viewport viewport, const RenderOptions *options)
{
    if (viewport.width <= 0 || viewport.height <= 0) return;
    Frame frame = make_frame(renderer, snapshot, camera, viewport, options);
    int lane = clamp_lane(options->lane, RENDER_LANES_MAX);
    ClothMesh *mesh = &renderer->meshes[lane];

    set_state(renderer, &frame);
    cloth_mesh_update(mesh, snapshot);
    solid_set_update(&renderer->sets[lane], &frame, mesh);
    update_shade(renderer, &frame, lane);
    draw_ground(renderer, &frame, lane);
    solids_draw(&renderer->solids, &frame, &renderer->sets[lane]);
    cloth_draw(mesh, &frame);
    if (is_filtered(&frame))
        post_filter_apply(&renderer->filter, &frame, picture_box(renderer, &frame, lane));

    ground_draw_underside(&renderer->ground, &frame);
    glEnable(GL_BLEND);
    glDepthMask(GL_FALSE);
    if (mesh->triangle_count == 0 || solids_show_springs(mesh))
        marks_draw_springs(&renderer->marks, &frame, mesh);
    marks_draw(&renderer->marks, &frame, mesh);
    restore_state();
}

// The palette for a lane in an overlay: its colour instead of the cloth's and the springs'.
static Palette lane_palette(const Palette *palette, const float colour[3])
{
    Palette own = *palette;
    for (int k = 0; k < 3; k++) {
        own.front[k] = own.wire[k] = own.mass[k] = colour[k];
        own.compressed[k] = own.relaxed[k] = own.stretched[k] = colour[k];
        own.back[k] = BACK_SIDE * colour[k];
    }
    return own;
}

static void update_overlay_solids(Renderer *renderer, const Frame *common, const Snapshot *snapshot,
                                  int lane, const float colour[3])
{
    Palette palette = lane_palette(common->palette, colour);
    Frame frame = *common;
    frame.snapshot = snapshot;
    frame.palette = &palette;
    solid_set_update(&renderer->sets[lane], &frame, &renderer->meshes[lane]);
}

static void draw_overlay_cloth(Renderer *renderer, const Frame *common, const Snapshot *snapshot,
                               int lane, const float colour[3])
{
    Palette palette = lane_palette(common->palette, colour);
    Frame frame = *common;
    frame.snapshot = snapshot;
    frame.palette = &palette;
    // Where cloths coincide the selected one shows, otherwise the first.
    if (lane != common->options->lane) frame.away += APART * (float)(lane + 1);
    solids_draw(&renderer->solids, &frame, &renderer->sets[lane]);
    cloth_draw(&renderer->meshes[lane], &frame);
}

static void draw_overlay_ghost(Renderer *renderer, const Frame *common, int lane)
{
    Palette palette = lane_palette(common->palette, common->palette->ghost);
    Frame frame = *common;
    frame.palette = &palette;
    frame.away += APART * (float)(RENDER_LANES_MAX + 1); // behind a cloth that coincides with it
    SolidSet bodies = renderer->sets[lane]; // the springs of what has no surface are lines
    bodies.count = bodies.body_count;
    solids_draw(&renderer->solids, &frame, &bodies);
    cloth_draw_ghost(&renderer->meshes[lane], &frame);
}

// Thin where another cloth hides it. That of the ghost is wider than the others: where they
// coincide, both show.
static void draw_overlay_hem(Renderer *renderer, const Frame *common, const Snapshot *snapshot,
                             int lane, const float colour[3], bool ghost)
{
    Palette palette = lane_palette(common->palette, colour);
    Frame frame = *common;
    frame.snapshot = snapshot;
    frame.palette = &palette;
    const ClothMesh *mesh = &renderer->meshes[lane];
    if (!ghost && solids_show_springs(mesh)) return; // they are thick already
    marks_draw_hem(&renderer->marks, &frame, mesh, ghost ? 2.0f : 1.0f, true);
    marks_draw_hem(&renderer->marks, &frame, mesh, ghost ? 3.0f : 1.75f, false);
}

void renderer_draw_overlay(Renderer *renderer, const Snapshot *const *lanes, int count,
                           int reference, const Camera *camera, Viewport viewport,
                           const RenderOptions *options, const float (*colours)[3])
{
    static const Snapshot nothing = {.grabbed = -1};
    if (viewport.width <= 0 || viewport.height <= 0 || count <= 0) return;
    if (count > RENDER_LANES_MAX) count = RENDER_LANES_MAX;
    RenderOptions own = *options;
    own.lane = clamp_lane(options->lane, count);
    own.rgb = NULL;
    const Snapshot *shown[RENDER_LANES_MAX];
    for (int i = 0; i < count; i++) shown[i] = lanes[i] ? lanes[i] : &nothing;
    Frame frame = make_frame(renderer, shown[own.lane], camera, viewport, &own);

    frame.shading = LEGEND_SHADING;
    set_state(renderer, &frame);
    Viewport box = {0};
    for (int i = 0; i < count; i++) {
        cloth_mesh_update(&renderer->meshes[i], shown[i]);
        update_overlay_solids(renderer, &frame, shown[i], i, colours[i]);
        update_shade(renderer, &frame, i);
        box = post_filter_join(box, picture_box(renderer, &frame, i));
    }
    draw_ground(renderer, &frame, own.lane);
    bool has_ghost = reference >= 0 && reference < count;
    for (int i = 0; i < count; i++) {
        if (i != reference) draw_overlay_cloth(renderer, &frame, shown[i], i, colours[i]);
    }
    if (has_ghost) draw_overlay_ghost(renderer, &frame, reference);
    if (is_filtered(&frame)) post_filter_apply(&renderer->filter, &frame, box);
    ground_draw_underside(&renderer->ground, &frame);

    glEnable(GL_BLEND);
    glDepthMask(GL_FALSE);
    if (has_ghost) {
        draw_overlay_hem(renderer, &frame, shown[reference], reference, colours[reference], true);
    }
    for (int i = 0; i < count; i++) {
        if (i != reference) draw_overlay_hem(renderer, &frame, shown[i], i, colours[i], false);
    }
    marks_draw(&renderer->marks, &frame, &renderer->meshes[own.lane]);
    restore_state();
}

bool renderer_is_software(void)
{
    const char *name = (const char *)glGetString(GL_RENDERER);
    return name && (strstr(name, "llvmpipe") || strstr(name, "softpipe") || strstr(name, "swrast"));
}

void renderer_keep_memory(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 64 << 20);
    mallopt(M_TRIM_THRESHOLD, 128 << 20);
#endif
}

void renderer_return_memory(void)
{
#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 33)
    const size_t most = (size_t)128 << 20; // bytes that are free and kept: what large frames need
    if (mallinfo2().fordblks > most) malloc_trim(most / 2);
#endif
#endif
}

float renderer_spring_amount(float strain)
{
    const float half_way = 0.01f; // as in line.vert
    return strain / (fabsf(strain) + half_way);
}

void renderer_spring_colour(bool light, float amount, float rgb[3])
{
    const Palette *palette = palette_for(light);
    const float *end = amount < 0.0f ? palette->compressed : palette->stretched;
    for (int k = 0; k < 3; k++)
        rgb[k] = palette->relaxed[k] + fabsf(amount) * (end[k] - palette->relaxed[k]);
}

void renderer_torn(const Renderer *renderer, int lane, int *triangles, int *left_out)
{
    const ClothMesh *mesh = &renderer->meshes[clamp_lane(lane, RENDER_LANES_MAX)];
    *triangles = mesh->triangle_count;
    *left_out = mesh->triangle_count - mesh->whole_count;
}
