#include "apps/main_window.h"

#include "apps/display.h"
#include "apps/gl_check.h"
#include "render/renderer.h"

#include <glad/gl.h>
// after glad
#include <GLFW/glfw3.h>
#include <stdio.h>

enum { SMALLEST_WINDOW = 160, MULTISAMPLES = 4 };

static GLFWwindow *open_window(const char *scene, const Settings *size, int samples, Error *error)
{
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
    glfwWindowHint(GLFW_SAMPLES, samples);
    glfwWindowHintString(GLFW_X11_CLASS_NAME, "selvage"); // by which selvage.desktop knows it
    glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "selvage");
#ifdef GLFW_WAYLAND_APP_ID // 3.4
    glfwWindowHintString(GLFW_WAYLAND_APP_ID, "selvage");
#endif
    gl_check_ask();
    char title[96];
    snprintf(title, sizeof title, "Selvage: %s", scene);
    GLFWwindow *window = glfwCreateWindow(size->width, size->height, title, NULL, NULL);
    if (!window) {
        const char *reason = NULL;
        glfwGetError(&reason);
        error_set(error, STATUS_GPU, "no window with OpenGL 3.3 could be opened: %s",
                  reason ? reason : "no reason was given");
        return NULL;
    }
    glfwMakeContextCurrent(window);
    if (!gladLoadGL(glfwGetProcAddress)) {
        error_set(error, STATUS_GPU, "the window's OpenGL could not be loaded");
        glfwDestroyWindow(window);
        return NULL;
    }
    gl_check_start();
    glfwSetWindowSizeLimits(window, SMALLEST_WINDOW, SMALLEST_WINDOW, GLFW_DONT_CARE,
                            GLFW_DONT_CARE);
    // Wayland's compositor never tears, but it delays a swap, and with it all events, while the
    // window is hidden.
    glfwSwapInterval(display_is_wayland() ? 0 : 1);
    return window;
}

// Multisampling with a graphics card; a software renderer would take three times as long.
GLFWwindow *main_window_open(const char *scene, const Settings *size, Error *error)
{
    GLFWwindow *window = open_window(scene, size, 0, error);
    if (!window || renderer_is_software()) return window;
    glfwDestroyWindow(window);
    window = open_window(scene, size, MULTISAMPLES, NULL);
    return window ? window : open_window(scene, size, 0, error);
}
