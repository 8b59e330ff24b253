// GLFW 3.3 supports one display system, X11 or Wayland, chosen when it was compiled. GLFW 3.4
// supports both and tries Wayland first.
#include "apps/display.h"

#include <GLFW/glfw3.h>
#include <stdlib.h>
#include <string.h>

static void on_error(int code, const char *description)
{
    (void)code, (void)description; // read with glfwGetError where it matters
}

#ifdef GLFW_PLATFORM // 3.4

// A Wayland socket is in XDG_RUNTIME_DIR or has an absolute path. Without either, libwayland would
// print an error, even where X11 works.
static bool wayland_has_an_address(void)
{
    const char *name = getenv("WAYLAND_DISPLAY"), *folder = getenv("XDG_RUNTIME_DIR");
    return (folder && *folder) || (name && *name == '/');
}

bool display_connect(void)
{
    glfwSetErrorCallback(on_error);
    if (!wayland_has_an_address()) glfwInitHint(GLFW_PLATFORM, GLFW_PLATFORM_X11);
    return glfwInit() == GLFW_TRUE;
}

bool display_is_wayland(void)
{
    return glfwGetPlatform() == GLFW_PLATFORM_WAYLAND;
}

#else

bool display_connect(void)
{
    glfwSetErrorCallback(on_error);
    return glfwInit() == GLFW_TRUE;
}

bool display_is_wayland(void)
{
    return strstr(glfwGetVersionString(), "Wayland") != NULL;
}

#endif
