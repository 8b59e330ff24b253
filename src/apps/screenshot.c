#include "apps/screenshot.h"

#include "apps/view_labels.h"
#include "render/large_picture.h"
#include "render/png_file.h"

#include <glad/gl.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// selvage-SCENE; a scene from a file may have any name.
static void stem_of(const Ui *ui, char *stem, size_t size)
{
    snprintf(stem, size, "selvage-%s", ui->stage->scene.name);
    for (char *c = stem; *c; c++) {
        if (*c == '/' || (unsigned char)*c < ' ') *c = '-';
    }
}

static void save(Ui *ui, const char *what, int width, int height, const unsigned char *rgb)
{
    char stem[sizeof ui->stage->scene.name + 16], path[PATH_MAX], text[sizeof ui->message];
    Error error;
    stem_of(ui, stem, sizeof stem);
    if (png_file_write_new(stem, width, height, rgb, path, sizeof path, &error) == STATUS_OK)
        snprintf(text, sizeof text, "Saved the %s, %d x %d pixels, as %.600s", what, width, height,
                 path);
    else
        snprintf(text, sizeof text, "%s", error.text);
    ui_say(ui, text);
}

void screenshot_window(Ui *ui, int width, int height)
{
    size_t row = 3 * (size_t)width;
    unsigned char *pixels = malloc(row * (size_t)height), *rgb = malloc(row * (size_t)height);
    if (pixels && rgb) {
        glPixelStorei(GL_PACK_ALIGNMENT, 1);
        glReadPixels(0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE, pixels);
        glPixelStorei(GL_PACK_ALIGNMENT, 4);
        for (int y = 0; y < height; y++)
            memcpy(rgb + row * (size_t)y, pixels + row * (size_t)(height - 1 - y), row);
        save(ui, "window", width, height, rgb);
    } else {
        ui_say(ui, "Not enough memory for a picture of the window.");
    }
    free(pixels);
    free(rgb);
}

typedef struct LaneShot {
    Ui *ui;
    LanePictures pictures;
    int lane;
} LaneShot;

// A part of the picture of a place in the window.
static LabelTarget target_of(const Rect *place, Viewport viewport, const RenderTile *tile)
{
    float scale = (float)tile->width / place->width;
    int above = tile->height - tile->y - viewport.height;
    return (LabelTarget){.x = place->x + (float)tile->x / scale,
                         .y = place->y + (float)above / scale,
                         .scale = scale,
                         .width = viewport.width,
                         .height = viewport.height};
}

static void draw_lane(void *context, Viewport viewport, const RenderTile *tile)
{
    LaneShot *shot = context;
    shot->pictures.tile = tile;
    shot->pictures.tile_viewport = viewport;
    lane_picture_draw(shot->ui, &shot->pictures, shot->lane);
    LabelTarget target = target_of(&shot->ui->lanes[shot->lane].view, viewport, tile);
    view_labels_draw_bar(&target);
}

static void draw_strip(void *context, Viewport viewport, const RenderTile *tile)
{
    LaneShot *shot = context;
    ImVec4 back;
    igColorConvertU32ToFloat4(&back, shot->ui->palette.panel);
    glClearColor(back.x, back.y, back.z, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT);
    LabelTarget target = target_of(&shot->ui->lanes[shot->lane].strip, viewport, tile);
    view_labels_draw_strip(&target, shot->lane);
}

// Where a place in the window is in the picture, from its top left corner.
static Viewport place_of(const Ui *ui, const LanePictures *pictures, const Rect *place, int scale)
{
    const Rect *view = &ui->layout.view;
    float factor = pictures->ratio * (float)scale;
    return (Viewport){(int)((place->x - view->x) * factor), (int)((place->y - view->y) * factor),
                      (int)(place->width * factor), (int)(place->height * factor)};
}

void screenshot_view(Ui *ui, const LanePictures *pictures, int scale)
{
    int width = (int)(ui->layout.view.width * pictures->ratio * (float)scale);
    int height = (int)(ui->layout.view.height * pictures->ratio * (float)scale);
    if (width <= 0 || height <= 0) {
        ui_say(ui, "There is no room for the view, so there is nothing to take a picture of.");
        return;
    }
    size_t row = 3 * (size_t)width;
    unsigned char *rgb = malloc(row * (size_t)height);
    if (!rgb) {
        ui_say(ui, "Not enough memory for a picture of the view.");
        return;
    }
    memset(rgb, ui->light ? 0xd0 : 0x20, row * (size_t)height); // between lanes
    LaneShot shot = {.ui = ui, .pictures = *pictures};
    shot.pictures.hovered = -1;
    shot.pictures.lit_body = 0;
    shot.pictures.magnification = (float)(scale * LARGE_SUPERSAMPLING);
    shot.pictures.detail = DETAIL_WOVEN; // edges are smooth by the samples
    Error error;
    Status status = STATUS_OK;
    for (int i = 0; i < 2 * ui->stage->count && status == STATUS_OK; i++) {
        shot.lane = i / 2;
        const LaneLayout *lane = &ui->lanes[shot.lane];
        Viewport at = place_of(ui, pictures, i % 2 ? &lane->strip : &lane->view, scale);
        if (at.width <= 0 || at.height <= 0) continue;
        LargePicture large = {.width = at.width,
                              .height = at.height,
                              .draw = i % 2 ? draw_strip : draw_lane,
                              .context = &shot};
        status =
            large_picture_draw(&large, rgb + row * (size_t)at.y + 3 * (size_t)at.x, row, &error);
    }
    if (status == STATUS_OK)
        save(ui, "view", width, height, rgb);
    else
        ui_say(ui, error.text);
    free(rgb);
}
