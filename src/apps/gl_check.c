#include "apps/gl_check.h"

#include <glad/gl.h>

#include <GLFW/glfw3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

// KHR_debug and OpenGL 4.3; our loader knows OpenGL 3.3.
enum {
    DEBUG_OUTPUT_SYNCHRONOUS = 0x8242,
    DEBUG_TYPE_ERROR = 0x824C,
    DEBUG_TYPE_UNDEFINED = 0x824E
};
typedef void(GLAD_API_PTR *OnMessage)(GLenum source, GLenum type, GLuint id, GLenum severity,
                                      GLsizei length, const char *text, const void *user);
typedef void(GLAD_API_PTR *SetOnMessage)(OnMessage on_message, const void *user);

static bool is_wanted(void)
{
    const char *value = getenv("SELVAGE_GL_CHECK");
    return value && *value && *value != '0';
}

static void GLAD_API_PTR on_message(GLenum source, GLenum type, GLuint id, GLenum severity,
                                    GLsizei length, const char *text, const void *user)
{
    (void)source, (void)id, (void)severity, (void)user;
    if (type != DEBUG_TYPE_ERROR && type != DEBUG_TYPE_UNDEFINED) return; // hints about speed
    while (length > 0 && text[length - 1] == '\n') length--;
    fprintf(stderr, "selvage: OpenGL: %.*s\n", (int)length, text);
}

void gl_check_ask(void)
{
    if (is_wanted()) glfwWindowHint(GLFW_OPENGL_DEBUG_CONTEXT, GLFW_TRUE);
}

void gl_check_start(void)
{
    if (!is_wanted()) return;
    SetOnMessage set = (SetOnMessage)glfwGetProcAddress("glDebugMessageCallback");
    if (!set) set = (SetOnMessage)glfwGetProcAddress("glDebugMessageCallbackKHR");
    bool reports = glfwExtensionSupported("GL_KHR_debug") == GLFW_TRUE;
    if (!set || !reports) {
        fprintf(stderr, "selvage: OpenGL: this driver does not report errors (no GL_KHR_debug)\n");
        return;
    }
    glEnable(DEBUG_OUTPUT_SYNCHRONOUS); // the error's own call is on the stack
    set(on_message, NULL);
}
