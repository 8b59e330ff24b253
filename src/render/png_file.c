#include "render/png_file.h"

#include "base/file.h"

#include <errno.h>
#include <limits.h>
#include <png.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHANNELS = 3, MOST_NUMBERS = 100000 };

Status png_file_write(OutputFile *output, int width, int height, const unsigned char *rgb,
                      Error *error)
{
    FILE *file = output_file_open(output, error);
    if (!file) return STATUS_FILE;
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)width,
                       .height = (png_uint_32)height,
                       .format = PNG_FORMAT_RGB};
    bool encoded = png_image_write_to_stdio(&image, file, 0, rgb, width * CHANNELS, NULL) != 0;
    if (encoded || ferror(file)) return output_file_close(output, file, error);
    fclose(file);
    return error_set(error, STATUS_FILE, "%s cannot be written: %s", file_shown(output->path),
                     image.message);
}

// The first name that nobody has.
static Status begin_new(const char *stem, OutputFile *output, char *path, size_t size, Error *error)
{
    char folder[PATH_MAX];
    if (!getcwd(folder, sizeof folder)) {
        return error_set(error, STATUS_FILE, "Cannot write a picture: the working directory: %s",
                         strerror(errno));
    }
    const char *slash = strcmp(folder, "/") == 0 ? "" : "/";
    for (int number = 1; number <= MOST_NUMBERS; number++) {
        struct stat there;
        int length = snprintf(path, size, "%s%s%s-%d.png", folder, slash, stem, number);
        if (length < 0 || (size_t)length >= size)
            return error_set(error, STATUS_FILE, "Cannot write a picture: its path is too long");
        if (lstat(path, &there) != 0) return output_file_begin_new(output, path, error);
    }
    return error_set(error, STATUS_FILE, "Cannot write a picture: %s-1.png to %s-%d.png exist",
                     stem, stem, MOST_NUMBERS);
}

Status png_file_write_new(const char *stem, int width, int height, const unsigned char *rgb,
                          char *path, size_t size, Error *error)
{
    OutputFile output = {0};
    Status status = begin_new(stem, &output, path, size, error);
    if (status == STATUS_OK) status = png_file_write(&output, width, height, rgb, error);
    output_file_finish(&output);
    return status;
}
