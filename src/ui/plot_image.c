#include "ui/plot_image.h"

#include "ui/imgui_versions.h"
#include "ui/plot_tape.h"

#include <stdio.h>
#include <stdlib.h>

void plot_image_finish(PlotImage *image)
{
    free(image->colour);
    for (int i = 0; i < PLOT_IMAGE_TABLES; i++) free(image->value[i]);
    pixel_texture_finish(&image->texture);
    *image = (PlotImage){0};
}

bool plot_image_resize(PlotImage *image, int columns, int rows, int tables)
{
    if (image->columns == columns && image->rows == rows && image->table_count == tables)
        return true;
    PixelTexture texture = image->texture;
    image->texture = (PixelTexture){0};
    plot_image_finish(image);
    image->texture = texture;
    size_t cells = (size_t)columns * (size_t)rows;
    bool complete = (image->colour = calloc(cells, sizeof *image->colour)) != NULL;
    for (int i = 0; i < tables; i++)
        complete = (image->value[i] = calloc(cells, sizeof(float))) != NULL && complete;
    if (!complete) {
        plot_image_finish(image);
        return false;
    }
    image->columns = columns;
    image->rows = rows;
    image->table_count = tables;
    return true;
}

void plot_image_changed(PlotImage *image)
{
    if (image->columns > 0)
        pixel_texture_update(&image->texture, image->columns, image->rows, image->colour);
}

static void record(Plot *plot, const PlotImage *image, double x0, double y0, double x1, double y1)
{
    for (int i = 0; i < image->table_count; i++) {
        TapeImage cells = {.x0 = x0,
                           .y0 = y0,
                           .x1 = x1,
                           .y1 = y1,
                           .columns = image->columns,
                           .rows = image->rows,
                           .value = image->value[i],
                           .colour = i == 0 ? image->colour : NULL};
        snprintf(cells.name, sizeof cells.name, "%s", image->name[i]);
        tape_image(plot->tape, &cells, image->title);
    }
}

void plot_image_draw(Plot *plot, const PlotImage *image, double x0, double y0, double x1, double y1)
{
    if (image->columns == 0) return;
    if (plot->tape) record(plot, image, x0, y0, x1, y1);
    if (!image->texture.name) return;
    // the first row of the texture is the lowest
    imgui_add_image(igGetWindowDrawList(), image->texture.name, plot_place(plot, x0, y0),
                    plot_place(plot, x1, y1));
}
