#include "render/offscreen.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <glad/gl.h>
#include <stdlib.h>

struct Offscreen {
    int width, height;
    EGLDisplay display;
    EGLContext context;
    GLuint framebuffer, colour, depth;
};

static Status create_context(Offscreen *offscreen, Error *error)
{
    PFNEGLGETPLATFORMDISPLAYEXTPROC get_display =
        (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
    if (get_display) {
        offscreen->display = get_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    }
    if (!offscreen->display || !eglInitialize(offscreen->display, NULL, NULL)) {
        return error_set(error, STATUS_GPU,
                         "OpenGL without a display needs EGL's surfaceless platform, which Mesa's "
                         "drivers have (libegl-mesa0, libgl1-mesa-dri) and this machine has not");
    }
    static const EGLint attributes[] = {
        EGL_CONTEXT_MAJOR_VERSION,
        3,
        EGL_CONTEXT_MINOR_VERSION,
        3,
        EGL_CONTEXT_OPENGL_PROFILE_MASK,
        EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
        EGL_NONE,
    };
    eglBindAPI(EGL_OPENGL_API);
    offscreen->context =
        eglCreateContext(offscreen->display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes);
    if (!offscreen->context ||
        !eglMakeCurrent(offscreen->display, EGL_NO_SURFACE, EGL_NO_SURFACE, offscreen->context)) {
        return error_set(error, STATUS_GPU,
                         "The driver gives no OpenGL 3.3 context without a display (EGL error %#x)",
                         (unsigned)eglGetError());
    }
    if (!gladLoadGL((GLADloadfunc)eglGetProcAddress)) {
        return error_set(error, STATUS_GPU, "The driver lacks functions of OpenGL 3.3");
    }
    return STATUS_OK;
}

static Status create_framebuffer(Offscreen *offscreen, Error *error)
{
    int width = offscreen->width, height = offscreen->height;
    glGenFramebuffers(1, &offscreen->framebuffer);
    glGenRenderbuffers(1, &offscreen->colour);
    glGenRenderbuffers(1, &offscreen->depth);
    glBindFramebuffer(GL_FRAMEBUFFER, offscreen->framebuffer);
    glBindRenderbuffer(GL_RENDERBUFFER, offscreen->colour);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width, height);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER,
                              offscreen->colour);
    glBindRenderbuffer(GL_RENDERBUFFER, offscreen->depth);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24, width, height);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER,
                              offscreen->depth);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
        return error_set(error, STATUS_GPU, "The driver has no framebuffer of %d x %d pixels",
                         width, height);
    }
    return STATUS_OK;
}

Status offscreen_create(int width, int height, Offscreen **out, Error *error)
{
    if (width < 1 || height < 1 || width > OFFSCREEN_LARGEST || height > OFFSCREEN_LARGEST) {
        return error_set(error, STATUS_BAD_PARAMETER,
                         "A framebuffer of %d x %d pixels is not possible: 1 to %d each way", width,
                         height, OFFSCREEN_LARGEST);
    }
    Offscreen *offscreen = calloc(1, sizeof *offscreen);
    if (!offscreen) return error_set(error, STATUS_OUT_OF_MEMORY, "Out of memory");
    offscreen->width = width;
    offscreen->height = height;
    Status status = create_context(offscreen, error);
    if (status == STATUS_OK) status = create_framebuffer(offscreen, error);
    if (status != STATUS_OK) {
        offscreen_destroy(offscreen);
        return status;
    }
    *out = offscreen;
    return STATUS_OK;
}

void offscreen_destroy(Offscreen *offscreen)
{
    if (!offscreen) return;
    if (offscreen->framebuffer) {
        glDeleteFramebuffers(1, &offscreen->framebuffer);
        glDeleteRenderbuffers(1, &offscreen->colour);
        glDeleteRenderbuffers(1, &offscreen->depth);
    }
    if (offscreen->display) {
        eglMakeCurrent(offscreen->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        if (offscreen->context) eglDestroyContext(offscreen->display, offscreen->context);
        eglTerminate(offscreen->display);
    }
    free(offscreen);
}

void offscreen_read(const Offscreen *offscreen, unsigned char *rgba)
{
    glBindFramebuffer(GL_READ_FRAMEBUFFER, offscreen->framebuffer);
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    glReadPixels(0, 0, offscreen->width, offscreen->height, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
}
