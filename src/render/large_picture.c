#include "render/large_picture.h"

#include <glad/gl.h>

#include <stdlib.h>

enum { SAMPLES = LARGE_SUPERSAMPLING, USUAL_TILE = 2048 };

typedef struct Target {
    int side; // pixels
    GLuint framebuffer, colour, depth;
    unsigned char *pixels; // 4 bytes each, rows from the bottom
} Target;

static int largest_side(int wanted)
{
    GLint buffer = 0, viewport[2] = {0};
    glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &buffer);
    glGetIntegerv(GL_MAX_VIEWPORT_DIMS, viewport);
    int side = wanted > 0 ? wanted : USUAL_TILE;
    side = side < buffer ? side : buffer;
    side = side < viewport[0] ? side : viewport[0];
    side = side < viewport[1] ? side : viewport[1];
    return side / SAMPLES * SAMPLES;
}

static void finish(Target *target)
{
    glDeleteFramebuffers(1, &target->framebuffer); // OpenGL ignores 0
    glDeleteRenderbuffers(1, &target->colour);
    glDeleteRenderbuffers(1, &target->depth);
    free(target->pixels);
}

static Status init(Target *target, int side, Error *error)
{
    *target = (Target){.side = side, .pixels = malloc(4 * (size_t)side * (size_t)side)};
    if (!target->pixels)
        return error_set(error, STATUS_OUT_OF_MEMORY, "Not enough memory for the picture");
    glGenFramebuffers(1, &target->framebuffer);
    glGenRenderbuffers(1, &target->colour);
    glGenRenderbuffers(1, &target->depth);
    glBindFramebuffer(GL_FRAMEBUFFER, target->framebuffer);
    glBindRenderbuffer(GL_RENDERBUFFER, target->colour);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, side, side);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER,
                              target->colour);
    glBindRenderbuffer(GL_RENDERBUFFER, target->depth);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24, side, side);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, target->depth);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
        return error_set(error, STATUS_GPU, "The driver has no framebuffer of %d x %d pixels", side,
                         side);
    }
    return STATUS_OK;
}

// Mean of each block of samples, upside down.
static void average(const Target *target, int width, int height, unsigned char *out, size_t stride)
{
    for (int y = 0; y < height; y++) {
        unsigned char *row = out + (size_t)y * stride;
        for (int x = 0; x < width; x++) {
            int sum[3] = {0};
            for (int j = 0; j < SAMPLES; j++) {
                int line = (height - 1 - y) * SAMPLES + j;
                const unsigned char *p =
                    target->pixels +
                    4 * ((size_t)line * (size_t)(width * SAMPLES) + (size_t)(x * SAMPLES));
                for (int i = 0; i < SAMPLES; i++) {
                    for (int k = 0; k < 3; k++) sum[k] += p[4 * i + k];
                }
            }
            for (int k = 0; k < 3; k++)
                *row++ = (unsigned char)((sum[k] + SAMPLES * SAMPLES / 2) / (SAMPLES * SAMPLES));
        }
    }
}

// `x` and `y` from the picture's top left corner.
static void draw_tile(const LargePicture *picture, Target *target, int x, int y, int width,
                      int height, unsigned char *rgb, size_t stride)
{
    RenderTile tile = {.width = picture->width * SAMPLES,
                       .height = picture->height * SAMPLES,
                       .x = x * SAMPLES,
                       .y = (picture->height - y - height) * SAMPLES};
    Viewport viewport = {0, 0, width * SAMPLES, height * SAMPLES};
    picture->draw(picture->context, viewport, &tile);
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    glReadPixels(0, 0, viewport.width, viewport.height, GL_RGBA, GL_UNSIGNED_BYTE, target->pixels);
    average(target, width, height, rgb + (size_t)y * stride + 3 * (size_t)x, stride);
}

Status large_picture_draw(const LargePicture *picture, unsigned char *rgb, size_t stride,
                          Error *error)
{
    GLint bound = 0;
    glGetIntegerv(GL_FRAMEBUFFER_BINDING, &bound);
    int side = largest_side(picture->largest_tile);
    int longer = picture->width > picture->height ? picture->width : picture->height;
    if (longer * SAMPLES < side) side = longer * SAMPLES;
    Target target;
    Status status = init(&target, side, error);
    int step = side / SAMPLES;
    for (int y = 0; y < picture->height && status == STATUS_OK; y += step) {
        for (int x = 0; x < picture->width; x += step) {
            int width = picture->width - x < step ? picture->width - x : step;
            int height = picture->height - y < step ? picture->height - y : step;
            draw_tile(picture, &target, x, y, width, height, rgb, stride);
        }
    }
    finish(&target);
    glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)bound);
    return status;
}
