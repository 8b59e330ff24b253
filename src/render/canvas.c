#include "render/canvas.h"

#include "render/row_order.h"

#include <glad/gl.h>

void canvas_finish(Canvas *canvas)
{
    glDeleteFramebuffers(1, &canvas->framebuffer); // OpenGL ignores 0
    glDeleteRenderbuffers(1, &canvas->colour);
    glDeleteRenderbuffers(1, &canvas->depth);
    *canvas = (Canvas){0};
}

static GLuint add_buffer(GLenum format, GLenum place, int width, int height)
{
    GLuint buffer = 0;
    glGenRenderbuffers(1, &buffer);
    glBindRenderbuffer(GL_RENDERBUFFER, buffer);
    glRenderbufferStorage(GL_RENDERBUFFER, format, width, height);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, place, GL_RENDERBUFFER, buffer);
    return buffer;
}

// It is bound, and black, with its rows in the order of the framebuffer that was bound.
static bool create(Canvas *canvas, int width, int height)
{
    GLint largest = 0;
    bool as_window = row_order_is_window();
    canvas->width = width;
    canvas->height = height;
    glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &largest);
    if (width <= 0 || height <= 0 || width > largest || height > largest) return false;
    glGenFramebuffers(1, &canvas->framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, canvas->framebuffer);
    canvas->colour = add_buffer(GL_RGBA8, GL_COLOR_ATTACHMENT0, width, height);
    canvas->depth = add_buffer(GL_DEPTH_COMPONENT24, GL_DEPTH_ATTACHMENT, width, height);
    glBindRenderbuffer(GL_RENDERBUFFER, 0);
    if (as_window) row_order_set_window();
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) return false;
    glDisable(GL_SCISSOR_TEST);
    glClearColor(0.0f, 0.0f, 0.0f, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT);
    return true;
}

bool canvas_begin(Canvas *canvas, int width, int height)
{
    GLint target = 0;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &target);
    bool fits = canvas->width == width && canvas->height == height;
    if (!fits) {
        canvas_finish(canvas);
        canvas->refused = !create(canvas, width, height);
    }
    if (canvas->refused) glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)target);
    if (canvas->refused) return false;
    canvas->target = target;
    canvas->bound = true;
    glBindFramebuffer(GL_FRAMEBUFFER, canvas->framebuffer);
    return fits;
}

void canvas_show(Canvas *canvas)
{
    if (!canvas->bound) return;
    int w = canvas->width, h = canvas->height;
    glDisable(GL_SCISSOR_TEST);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, canvas->framebuffer);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, (GLuint)canvas->target);
    glBlitFramebuffer(0, 0, w, h, 0, 0, w, h, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)canvas->target);
    canvas->bound = false;
}
