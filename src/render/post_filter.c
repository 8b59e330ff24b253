#include "render/post_filter.h"

#include "render/row_order.h"

#include <math.h>

enum {
    LINE_MARGIN = 3, // pixels around a particle
    REACH = 5,       // pixels beside a pixel that the filter reads
};

void post_filter_init(PostFilter *filter)
{
    *filter = (PostFilter){0};
    glGenVertexArrays(1, &filter->empty_array);
    glGenTextures(1, &filter->texture);
    glBindTexture(GL_TEXTURE_2D, filter->texture);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glBindTexture(GL_TEXTURE_2D, 0);
}

void post_filter_finish(PostFilter *filter)
{
    glDeleteVertexArrays(1, &filter->empty_array); // OpenGL ignores 0
    glDeleteFramebuffers(1, &filter->framebuffer);
    glDeleteTextures(1, &filter->texture);
    *filter = (PostFilter){0};
}

static Viewport within(Viewport box, Viewport limit)
{
    int right = box.x + box.width, top = box.y + box.height;
    int limit_right = limit.x + limit.width, limit_top = limit.y + limit.height;
    int left = box.x > limit.x ? box.x : limit.x, bottom = box.y > limit.y ? box.y : limit.y;
    right = right < limit_right ? right : limit_right;
    top = top < limit_top ? top : limit_top;
    if (right <= left || top <= bottom) return (Viewport){limit.x, limit.y, 0, 0};
    return (Viewport){left, bottom, right - left, top - bottom};
}

static Viewport grown(Viewport box, int by)
{
    return (Viewport){box.x - by, box.y - by, box.width + 2 * by, box.height + 2 * by};
}

Viewport post_filter_join(Viewport a, Viewport b)
{
    if (a.width <= 0 || a.height <= 0) return b;
    if (b.width <= 0 || b.height <= 0) return a;
    int left = a.x < b.x ? a.x : b.x, bottom = a.y < b.y ? a.y : b.y;
    int right = a.x + a.width > b.x + b.width ? a.x + a.width : b.x + b.width;
    int top = a.y + a.height > b.y + b.height ? a.y + a.height : b.y + b.height;
    return (Viewport){left, bottom, right - left, top - bottom};
}

Viewport post_filter_box_of(const Frame *frame, const float *points, int stride, int count)
{
    Viewport v = frame->viewport;
    float low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    const vec4 *m = frame->view_projection;
    for (int i = 0; i < count; i++) {
        const float *p = points + (size_t)stride * (size_t)i;
        float w = m[0][3] * p[0] + m[1][3] * p[1] + m[2][3] * p[2] + m[3][3];
        if (w < 1e-4f) return v; // behind the camera: its triangles may be anywhere
        for (int k = 0; k < 2; k++) {
            float at = (m[0][k] * p[0] + m[1][k] * p[1] + m[2][k] * p[2] + m[3][k]) / w;
            low[k] = at < low[k] ? at : low[k];
            high[k] = at > high[k] ? at : high[k];
        }
    }
    if (!(low[0] < 1.0f && high[0] > -1.0f && low[1] < 1.0f && high[1] > -1.0f))
        return (Viewport){v.x, v.y, 0, 0};
    int corner[2][2];
    const int side[2] = {v.width, v.height};
    for (int k = 0; k < 2; k++) {
        corner[k][0] = (int)(0.5f * (fmaxf(low[k], -1.0f) + 1.0f) * (float)side[k]);
        corner[k][1] = (int)(0.5f * (fminf(high[k], 1.0f) + 1.0f) * (float)side[k]) + 1;
    }
    Viewport box = {v.x + corner[0][0], v.y + corner[1][0], corner[0][1] - corner[0][0],
                    corner[1][1] - corner[1][0]};
    return within(grown(box, LINE_MARGIN), v);
}

Viewport post_filter_box(const Frame *frame, const ClothMesh *mesh)
{
    const float *points = mesh->particle_count > 0 ? mesh->vertices->position : NULL;
    return post_filter_box_of(frame, points, sizeof(ClothVertex) / sizeof(float),
                              mesh->particle_count);
}

// The filter's framebuffer is bound for drawing, in the order of rows of the one that was bound.
static void enlarge(PostFilter *filter, int width, int height, bool as_window)
{
    bool fits = width <= filter->width && height <= filter->height;
    if (!fits || as_window != filter->as_window || filter->framebuffer == 0) {
        filter->width = width > filter->width ? width : filter->width;
        filter->height = height > filter->height ? height : filter->height;
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, filter->width, filter->height, 0, GL_RGBA,
                     GL_UNSIGNED_BYTE, NULL);
        glDeleteFramebuffers(1, &filter->framebuffer);
        glGenFramebuffers(1, &filter->framebuffer);
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, filter->framebuffer);
        glFramebufferTexture2D(GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
                               filter->texture, 0);
        filter->as_window = as_window && row_order_set_window();
    }
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, filter->framebuffer);
}

// Copy the part `read` of the viewport to the filter's texture, which is bound.
static void copy_picture(PostFilter *filter, Viewport v, Viewport read)
{
    GLint drawn = 0;
    int x = read.x - v.x, y = read.y - v.y;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &drawn);
    enlarge(filter, v.width, v.height, row_order_can_be_window() && row_order_is_window());
    glDisable(GL_SCISSOR_TEST);
    glBlitFramebuffer(read.x, read.y, read.x + read.width, read.y + read.height, x, y,
                      x + read.width, y + read.height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glEnable(GL_SCISSOR_TEST);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, (GLuint)drawn);
}

void post_filter_apply(PostFilter *filter, const Frame *frame, Viewport box)
{
    Viewport v = frame->viewport;
    Viewport inner = within(box, grown(v, -1)); // pixels at the border lack a neighbour
    if (inner.width <= 0 || inner.height <= 0) return;
    Viewport read = within(grown(inner, REACH), v);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, filter->texture);
    copy_picture(filter, v, read);
    const ShaderProgram *shader = &frame->shaders[SHADER_SMOOTH];
    glUseProgram(shader->id);
    glUniform1i(shader_uniform(shader, "picture"), 0);
    glUniform2f(shader_uniform(shader, "pixel"), 1.0f / (float)filter->width,
                1.0f / (float)filter->height);
    int first_row = filter->as_window ? v.y + filter->height : v.y;
    glUniform2f(shader_uniform(shader, "corner"), (float)v.x, (float)first_row);
    glUniform2f(shader_uniform(shader, "direction"), 1.0f, filter->as_window ? -1.0f : 1.0f);
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_BLEND);
    glScissor(inner.x, inner.y, inner.width, inner.height);
    glBindVertexArray(filter->empty_array);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glScissor(v.x, v.y, v.width, v.height);
    glEnable(GL_DEPTH_TEST);
}
