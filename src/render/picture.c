#include "render/picture.h"

#include "render/studio.h"

#include <errno.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHANNELS = 3 };

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
    Studio *studio = NULL;
    Status status = studio_create(width, height, &studio, error);
    unsigned char *rgb = NULL;
    if (status == STATUS_OK) {
        rgb = malloc((size_t)width * (size_t)height * CHANNELS);
        if (!rgb) status = error_set(error, STATUS_OUT_OF_MEMORY, "Out of memory");
    }
    if (status == STATUS_OK) {
        studio_draw(studio, snapshots, count, rgb);
        status = write_png(path, width, height, rgb, error);
    }
    studio_destroy(studio);
    free(rgb);
    return status;
}
