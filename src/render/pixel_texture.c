#include "render/pixel_texture.h"

#include <glad/gl.h>

static void create(PixelTexture *texture)
{
    glGenTextures(1, &texture->name);
    glBindTexture(GL_TEXTURE_2D, texture->name);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    texture->width = texture->height = 0;
}

void pixel_texture_update(PixelTexture *texture, int width, int height, const uint32_t *pixels)
{
    if (!glGenTextures) return; // OpenGL was not loaded
    if (!texture->name) create(texture);
    glBindTexture(GL_TEXTURE_2D, texture->name);
    // A few rows of cells are enlarged and keep their edges. Of many, reduced, neighbours mix.
    enum { FEW = 100 };
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, height < FEW ? GL_NEAREST : GL_LINEAR);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    if (texture->width == width && texture->height == height)
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    else
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                     pixels);
    glBindTexture(GL_TEXTURE_2D, 0);
    texture->width = width;
    texture->height = height;
}

void pixel_texture_finish(PixelTexture *texture)
{
    if (texture->name) glDeleteTextures(1, &texture->name);
    *texture = (PixelTexture){0};
}
