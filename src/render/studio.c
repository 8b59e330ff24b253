#include "render/studio.h"

#include "render/offscreen.h"
#include "render/renderer.h"

#include <glad/gl.h>

#include <math.h>
#include <stdlib.h>

enum { SUPERSAMPLING = 2, CHANNELS = 3 };
enum { GAP = 2 * SUPERSAMPLING }; // between views
#define GAP_GREY 0.35f

struct Studio {
    int width, height; // of a picture; it is drawn larger
    Offscreen *offscreen;
    Renderer *renderer;
    unsigned char *large; // RGBA, rows from the bottom
    Camera camera;
    float radius; // of the cloth that it was pointed at; 0: none yet
    int count;    // of views then
};

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

Status studio_create(int width, int height, Studio **out, Error *error)
{
    if (width < 1 || height < 1 || width > STUDIO_LARGEST_SIDE || height > STUDIO_LARGEST_SIDE) {
        return error_set(error, STATUS_BAD_PARAMETER,
                         "A picture of %d x %d pixels is not possible: 1 to %d each way", width,
                         height, (int)STUDIO_LARGEST_SIDE);
    }
    size_t bytes = (size_t)width * (size_t)height * SUPERSAMPLING * SUPERSAMPLING * 4;
    Studio *studio = calloc(1, sizeof *studio);
    if (studio) *studio = (Studio){.width = width, .height = height, .large = malloc(bytes)};
    Status status = studio && studio->large
                        ? STATUS_OK
                        : error_set(error, STATUS_OUT_OF_MEMORY, "Out of memory");
    if (status == STATUS_OK)
        status = offscreen_create(SUPERSAMPLING * width, SUPERSAMPLING * height, &studio->offscreen,
                                  error);
    if (status == STATUS_OK) status = renderer_create(NULL, &studio->renderer, error);
    if (status == STATUS_OK)
        *out = studio;
    else
        studio_destroy(studio);
    return status;
}

void studio_destroy(Studio *studio)
{
    if (!studio) return;
    renderer_destroy(studio->renderer);
    offscreen_destroy(studio->offscreen);
    free(studio->large);
    free(studio);
}

void studio_draw(Studio *studio, const Snapshot *snapshots, int count, unsigned char *rgb)
{
    int width = SUPERSAMPLING * studio->width, height = SUPERSAMPLING * studio->height;
    if (snapshots->view_radius != studio->radius || count != studio->count) {
        camera_frame(&studio->camera, snapshots->view_centre, snapshots->view_radius,
                     view_of(0, count, width, height));
        studio->radius = snapshots->view_radius;
        studio->count = count;
    }
    glClearColor(GAP_GREY, GAP_GREY, GAP_GREY, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT);
    for (int i = 0; i < count; i++) {
        RenderOptions options = {.lane = i % RENDER_LANES_MAX,
                                 .fabric = FABRIC_LINEN,
                                 .detail = DETAIL_WOVEN,
                                 .pixel_scale = SUPERSAMPLING,
                                 .hovered = -1};
        renderer_draw(studio->renderer, &snapshots[i], &studio->camera,
                      view_of(i, count, width, height), &options);
    }
    offscreen_read(studio->offscreen, studio->large);
    shrink(studio->large, rgb, studio->width, studio->height);
}
