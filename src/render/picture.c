#include "render/picture.h"

#include "render/png_file.h"
#include "render/studio.h"

#include <stdlib.h>

enum { CHANNELS = 3 };

Status picture_write(const Snapshot *snapshots, int count, OutputFile *output, int width,
                     int height, Error *error)
{
    Studio *studio = NULL;
    Status status = studio_create(width, height, &studio, error);
    unsigned char *rgb = NULL;
    if (status == STATUS_OK) {
        rgb = malloc((size_t)width * (size_t)height * CHANNELS);
        if (!rgb) status = error_set(error, STATUS_OUT_OF_MEMORY, "Out of memory");
    }
    if (status == STATUS_OK) {
        studio_draw(studio, snapshots, count, rgb);
        status = png_file_write(output, width, height, rgb, error);
    }
    studio_destroy(studio);
    free(rgb);
    return status;
}
