#include "render/png_file.h"

#include <errno.h>
#include <fcntl.h>
#include <png.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHANNELS = 3, MOST_NUMBERS = 100000 };

// Written under a temporary name and renamed when complete.
Status png_file_write(const char *path, int width, int height, const unsigned char *rgb,
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

// Take a name that nobody has: an empty file holds it until the picture is complete.
static Status take_name(const char *stem, char *path, size_t size, Error *error)
{
    char folder[4096];
    if (!getcwd(folder, sizeof folder)) {
        return error_set(error, STATUS_FILE, "Cannot write a picture: the working directory: %s",
                         strerror(errno));
    }
    const char *slash = strcmp(folder, "/") == 0 ? "" : "/";
    for (int number = 1; number <= MOST_NUMBERS; number++) {
        int length = snprintf(path, size, "%s%s%s-%d.png", folder, slash, stem, number);
        if (length < 0 || (size_t)length >= size)
            return error_set(error, STATUS_FILE, "Cannot write a picture: its path is too long");
        int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file >= 0) {
            close(file);
            return STATUS_OK;
        }
        if (errno != EEXIST)
            return error_set(error, STATUS_FILE, "Cannot write the picture %.160s: %s", path,
                             strerror(errno));
    }
    return error_set(error, STATUS_FILE, "Cannot write a picture: %s-1.png to %s-%d.png exist",
                     stem, stem, MOST_NUMBERS);
}

Status png_file_write_new(const char *stem, int width, int height, const unsigned char *rgb,
                          char *path, size_t size, Error *error)
{
    Status status = take_name(stem, path, size, error);
    if (status != STATUS_OK) return status;
    status = png_file_write(path, width, height, rgb, error);
    if (status != STATUS_OK) remove(path);
    return status;
}
