#include "render/row_order.h"

#include <glad/gl.h>

bool row_order_can_be_window(void)
{
    return GLAD_GL_MESA_framebuffer_flip_y && GLAD_GL_ARB_framebuffer_no_attachments;
}

bool row_order_is_window(void)
{
    GLint drawn = 0, turned = GL_FALSE;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &drawn);
    if (drawn == 0) return true;
    if (row_order_can_be_window())
        glGetFramebufferParameteriv(GL_DRAW_FRAMEBUFFER, GL_FRAMEBUFFER_FLIP_Y_MESA, &turned);
    return turned != GL_FALSE;
}

bool row_order_set_window(void)
{
    if (!row_order_can_be_window()) return false;
    glFramebufferParameteri(GL_DRAW_FRAMEBUFFER, GL_FRAMEBUFFER_FLIP_Y_MESA, GL_TRUE);
    return true;
}
