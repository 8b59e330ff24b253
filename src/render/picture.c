#include "render/picture.h"

#include "render/offscreen.h"
#include "render/renderer.h"

#include <glad/gl.h>

#include <errno.h>
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SUPERSAMPLING = 2, CHANNELS = 3, LARGEST_SIDE = OFFSCREEN_LARGEST / SUPERSAMPLING };
enum { GAP = 2 * SUPERSAMPLING }; // between views
#define GAP_GREY 0.35f

// Mean of each 2 x 2 block, flipped (OpenGL's rows come from the bottom), without alpha.
static void shrink(const unsigned char *large, unsigned char *small, int width, int height)
{
    size_t stride = (size_t)width * SUPERSAMPLING * 4;
    for (int y = 0; y < height; y++) {
        const unsigned char *row = large + (size_t)(height - 1 - y) * SUPERSAMPLING * stride;
        for (int x = 0; x < width; x++, row += SUPERSAMPLING * 4) {
            for (int k = 0; k < CHANNELS; k++) {
                int sum = row[k] + row[k + 4] + row[k + stride] + row[k + stride + 4];
                *small++ = (unsigned char)((sum + 2) / 4);
            }
        }
    }
}

// The place of one of several views, the first at the upper left; OpenGL counts rows from the
// bottom. There is a gap between two.
static Viewport view_of(int number, int count, int width, int height)
{
    int columns = (int)ceil(sqrt(count)), rows = (count + columns - 1) / columns;
    int column = number % columns, row = rows - 1 - number / columns;
    int left = (width + GAP) * column / columns, bottom = (height + GAP) * row / rows;
    return (Viewport){left, bottom, (width + GAP) * (column + 1) / columns - GAP - left,
                      (height + GAP) * (row + 1) / rows - GAP - bottom};
}

static Status render(const Snapshot *snapshots, int count, int width, int height,
                     unsigned char *rgba, Error *error)
{
    width *= SUPERSAMPLING, height *= SUPERSAMPLING;
    Offscreen *offscreen = NULL;
    Renderer *renderer = NULL;
    Camera camera;
    Status status = offscreen_create(width, height, &offscreen, error);
    camera_frame(&camera, snapshots->centre, snapshots->radius, view_of(0, count, width, height));
    if (status == STATUS_OK) {
        glClearColor(GAP_GREY, GAP_GREY, GAP_GREY, 1.0f);
        glClear(GL_COLOR_BUFFER_BIT);
    }
    if (status == STATUS_OK) status = renderer_create(NULL, &renderer, error);
    for (int i = 0; i < count && status == STATUS_OK; i++) {
        RenderOptions options = {.lane = i % RENDER_LANES_MAX,
                                 .fabric = FABRIC_LINEN,
                                 .detail = DETAIL_WOVEN,
                                 .pixel_scale = SUPERSAMPLING,
                                 .hovered = -1};
        Viewport view = view_of(i, count, width, height);
        renderer_draw(renderer, &snapshots[i], &camera, view, &options);
    }
    if (status == STATUS_OK) offscreen_read(offscreen, rgba);
    renderer_destroy(renderer);
    offscreen_destroy(offscreen);
    return status;
}

// Written under a temporary name and renamed when complete: a full disk leaves no partial picture.
static Status write_png(const char *path, int width, int height, const unsigned char *rgb,
                        Error *error)
{
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
        return error_set(error, STATUS_FILE, "Cannot write the picture %s: not an ordinary file",
                         path);
    }
    char temporary[4096];
    int length = snprintf(temporary, sizeof temporary, "%s.%ld.part", path, (long)getpid());
    if (length < 0 || (size_t)length >= sizeof temporary) {
        return error_set(error, STATUS_FILE, "Cannot write the picture: its path is too long");
    }
    FILE *file = fopen(temporary, "wb");
    if (!file) {
        return error_set(error, STATUS_FILE, "Cannot write the picture %s: %s", path,
                         strerror(errno));
    }

    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)width,
                       .height = (png_uint_32)height,
                       .format = PNG_FORMAT_RGB};
    errno = 0;
    bool encoded = png_image_write_to_stdio(&image, file, 0, rgb, width * CHANNELS, NULL) != 0;
    bool written = !ferror(file); // errno belongs to the failed write until the next call
    int reason = errno;
    if (fclose(file) != 0 && written) {
        written = false;
        reason = errno;
    }
    if (encoded && written && rename(temporary, path) != 0) {
        written = false;
        reason = errno;
    }
    if (encoded && written) return STATUS_OK;
    remove(temporary);
    return error_set(error, STATUS_FILE, "Cannot write the picture %s: %s", path,
                     written ? image.message : strerror(reason));
}

Status picture_write(const Snapshot *snapshots, int count, const char *path, int width, int height,
                     Error *error)
{
    if (width < 1 || height < 1 || width > LARGEST_SIDE || height > LARGEST_SIDE) {
        return error_set(error, STATUS_BAD_PARAMETER,
                         "A picture of %d x %d pixels is not possible: 1 to %d each way", width,
                         height, LARGEST_SIDE);
    }
    size_t pixels = (size_t)width * (size_t)height;
    unsigned char *large = malloc(pixels * SUPERSAMPLING * SUPERSAMPLING * 4);
    unsigned char *small = malloc(pixels * CHANNELS);
    Status status = large && small ? render(snapshots, count, width, height, large, error)
                                   : error_set(error, STATUS_OUT_OF_MEMORY, "Out of memory");
    if (status == STATUS_OK) {
        shrink(large, small, width, height);
        status = write_png(path, width, height, small, error);
    }
    free(large);
    free(small);
    return status;
}
