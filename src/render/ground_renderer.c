#include "render/ground_renderer.h"

#include "render/row_order.h"

#include <math.h>
#include <string.h>

static const float GRID_REACH = 4.0f; // half-width of the grid, in sides of the cloth

static GLuint make_texture(GLint filter)
{
    GLuint texture = 0;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return texture;
}

void ground_init(GroundRenderer *ground, bool keep_stills)
{
    *ground = (GroundRenderer){.keeps_stills = keep_stills};
    glGenVertexArrays(1, &ground->empty_array);
    for (int i = 0; i < RENDER_LANES_MAX; i++) {
        ground->shadows[i].texture = make_texture(GL_LINEAR);
        glTexImage2D(GL_TEXTURE_2D, 0, GL_R8, SHADOW_SIDE, SHADOW_SIDE, 0, GL_RED, GL_UNSIGNED_BYTE,
                     NULL);
    }
}

static void finish_still(GroundStill *still)
{
    glDeleteFramebuffers(1, &still->framebuffer); // OpenGL ignores 0
    glDeleteRenderbuffers(1, &still->colour);
    *still = (GroundStill){0};
}

void ground_finish(GroundRenderer *ground)
{
    glDeleteVertexArrays(1, &ground->empty_array); // OpenGL ignores 0
    for (int i = 0; i < RENDER_LANES_MAX; i++) {
        finish_still(&ground->stills[i]);
        glDeleteTextures(1, &ground->shadows[i].texture);
    }
    *ground = (GroundRenderer){0};
}

void ground_forget(GroundRenderer *ground)
{
    for (int i = 0; i < RENDER_LANES_MAX; i++) ground->stills[i].present = false;
}

static void draw_backdrop(const Frame *frame)
{
    const ShaderProgram *shader = &frame->shaders[SHADER_BACKDROP];
    float width = (float)frame->viewport.width / frame->share[0];
    float height = (float)frame->viewport.height / frame->share[1];
    float longer = fmaxf(width, height);
    glUseProgram(shader->id);
    glUniform2f(shader_uniform(shader, "aspect"), width / longer, height / longer);
    glUniform2fv(shader_uniform(shader, "middle"), 1, frame->middle);
    glUniform2fv(shader_uniform(shader, "share"), 1, frame->share);
    glUniform3fv(shader_uniform(shader, "edge_colour"), 1, frame->palette->backdrop);
    glUniform3fv(shader_uniform(shader, "glow_colour"), 1, frame->palette->glow);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

// The eye is lower than the floor.
static bool is_below(const Frame *frame, float height)
{
    const vec4 *v = frame->view;
    float eye = -(v[1][0] * v[3][0] + v[1][1] * v[3][1] + v[1][2] * v[3][2]);
    return eye < height;
}

static void draw_grid(const Frame *frame, float height, float size, bool underside)
{
    const ShaderProgram *shader = &frame->shaders[SHADER_GRID];
    const float *centre = frame->snapshot->centre;
    glUseProgram(shader->id);
    glUniformMatrix4fv(shader_uniform(shader, "view_projection"), 1, GL_FALSE,
                       frame->view_projection[0]);
    glUniform3f(shader_uniform(shader, "centre"), centre[0], height, centre[2]);
    glUniform1f(shader_uniform(shader, "reach"), GRID_REACH * size);
    // A tenth of the nearest power of ten: 0.1 m under a cloth of 1 m.
    glUniform1f(shader_uniform(shader, "cell"), 0.1f * powf(10.0f, roundf(log10f(size))));
    glUniform1f(shader_uniform(shader, "line_width"), frame->options->pixel_scale);
    glUniform4fv(shader_uniform(shader, "grid_colour"), 1,
                 underside ? frame->palette->underside : frame->palette->grid);
    glUniform1f(shader_uniform(shader, "underside"), underside ? 1.0f : 0.0f);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

// It is bound for drawing, with its rows in the order of the framebuffer that was bound.
static void resize_still(GroundStill *still, int width, int height)
{
    bool as_window = row_order_is_window();
    if (still->framebuffer == 0) {
        glGenFramebuffers(1, &still->framebuffer);
        glGenRenderbuffers(1, &still->colour);
    }
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, still->framebuffer);
    if (still->width == width && still->height == height) return;
    still->width = width;
    still->height = height;
    glBindRenderbuffer(GL_RENDERBUFFER, still->colour);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width, height);
    glFramebufferRenderbuffer(GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER,
                              still->colour);
    glBindRenderbuffer(GL_RENDERBUFFER, 0);
    if (as_window) row_order_set_window();
    still->refused = glCheckFramebufferStatus(GL_DRAW_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE;
}

// From the viewport to the still, or back. A driver copies rows if nothing cuts the rectangle.
static void copy_still(GroundStill *still, Viewport v, bool back)
{
    GLint drawn = 0, read = 0;
    int right = v.x + v.width, top = v.y + v.height;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &drawn);
    glGetIntegerv(GL_READ_FRAMEBUFFER_BINDING, &read);
    glDisable(GL_SCISSOR_TEST);
    if (back) {
        glBindFramebuffer(GL_READ_FRAMEBUFFER, still->framebuffer);
        glBlitFramebuffer(0, 0, v.width, v.height, v.x, v.y, right, top, GL_COLOR_BUFFER_BIT,
                          GL_NEAREST);
    } else {
        glBindFramebuffer(GL_READ_FRAMEBUFFER, (GLuint)drawn);
        resize_still(still, v.width, v.height);
        if (!still->refused)
            glBlitFramebuffer(v.x, v.y, right, top, 0, 0, v.width, v.height, GL_COLOR_BUFFER_BIT,
                              GL_NEAREST);
    }
    glEnable(GL_SCISSOR_TEST);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, (GLuint)drawn);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, (GLuint)read);
}

// Backdrop and grid. They are kept when they are the same as last time: not while the camera moves,
// when it would be for nothing.
static void draw_scenery(GroundStill *still, const Frame *frame, float height, float size,
                         bool keep)
{
    GroundView view;
    memset(&view, 0, sizeof view); // also the padding: it is compared
    view.viewport = frame->viewport;
    glm_mat4_copy((vec4 *)frame->view_projection, view.view_projection);
    glm_vec3_copy((float *)frame->snapshot->centre, view.centre);
    view.height = height;
    view.size = size;
    view.pixel_scale = frame->options->pixel_scale;
    view.light = frame->options->light;
    bool again = keep && memcmp(&view, &still->view, sizeof view) == 0;

    glDisable(GL_BLEND);
    if (again && still->present) {
        copy_still(still, frame->viewport, true);
        glEnable(GL_BLEND);
        return;
    }
    draw_backdrop(frame);
    glEnable(GL_BLEND);
    if (!is_below(frame, height)) draw_grid(frame, height, size, false);
    still->view = view;
    if (again) copy_still(still, frame->viewport, false);
    still->present = again && !still->refused;
}

// The shadow's texture is bound.
static void update_shadow(GroundShadow *shadow, ShadowScratch *scratch, const ClothMesh *mesh,
                          const SolidRenderer *solids, const SolidSet *set, float height,
                          float size)
{
    bool current = shadow->revision == mesh->revision && shadow->solid_revision == set->revision &&
                   shadow->ground == height;
    if (shadow->present && current) return;
    shadow->present = mesh->triangle_count > 0 || set->count > 0;
    if (!shadow->present) return;
    shadow_cast(&shadow->image, scratch, mesh, solids, set, height, size);
    shadow->revision = mesh->revision;
    shadow->solid_revision = set->revision;
    shadow->ground = height;
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 0); // other code may have changed it
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, SHADOW_SIDE, SHADOW_SIDE, GL_RED, GL_UNSIGNED_BYTE,
                    shadow->image.texels);
}

static void draw_shadow(const GroundShadow *shadow, const Frame *frame)
{
    const ShaderProgram *shader = &frame->shaders[SHADER_SHADOW];
    const Shadow *image = &shadow->image;
    glUseProgram(shader->id);
    glUniformMatrix4fv(shader_uniform(shader, "view_projection"), 1, GL_FALSE,
                       frame->view_projection[0]);
    glUniform3f(shader_uniform(shader, "centre"), image->centre[0], shadow->ground,
                image->centre[1]);
    glUniform1f(shader_uniform(shader, "half_side"), image->half_side);
    float part[4]; // and a texel around it, where it fades
    for (int k = 0; k < 2; k++) {
        part[k] = fmaxf((float)(image->first[k] - 1) / SHADOW_SIDE, 0.0f);
        part[2 + k] = fminf((float)(image->last[k] + 2) / SHADOW_SIDE, 1.0f);
    }
    glUniform4fv(shader_uniform(shader, "part"), 1, part);
    glUniform4fv(shader_uniform(shader, "shadow_colour"), 1, frame->palette->shadow);
    glUniform1i(shader_uniform(shader, "shadow"), 0);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

static float height_of(const Frame *frame)
{
    return (float)frame->snapshot->scene.params.ground;
}
static float size_of(const Frame *frame)
{
    float radius = frame->snapshot->radius;
    return radius > 0.0f ? radius * (float)M_SQRT2 : 1.0f;
}

void ground_draw(GroundRenderer *ground, const Frame *frame, const ClothMesh *mesh,
                 const SolidRenderer *solids, const SolidSet *set, int lane)
{
    GroundShadow *shadow = &ground->shadows[lane];
    float height = height_of(frame), size = size_of(frame);

    glBindVertexArray(ground->empty_array);
    glActiveTexture(GL_TEXTURE0);
    draw_scenery(&ground->stills[lane], frame, height, size, ground->keeps_stills);
    glBindTexture(GL_TEXTURE_2D, shadow->texture);
    update_shadow(shadow, &ground->scratch, mesh, solids, set, height, size);
    if (shadow->present) draw_shadow(shadow, frame);
}

void ground_draw_underside(GroundRenderer *ground, const Frame *frame)
{
    if (!is_below(frame, height_of(frame))) return;
    glDisable(GL_DEPTH_TEST);
    glEnable(GL_BLEND);
    glBindVertexArray(ground->empty_array);
    draw_grid(frame, height_of(frame), size_of(frame), true);
    glEnable(GL_DEPTH_TEST);
}
