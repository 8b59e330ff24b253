// Pictures as PNG files. A full disk leaves neither a partial picture nor a changed old one.
#ifndef RENDER_PNG_FILE_H
#define RENDER_PNG_FILE_H

#include "base/output_file.h"

#include <stddef.h>

// `rgb` has 3 bytes per pixel, rows from the top.
Status png_file_write(OutputFile *output, int width, int height, const unsigned char *rgb,
                      Error *error);

// The same as STEM-1.png in the working directory, or with the first number that is free; never
// replaces a file. `path` gets the full name.
Status png_file_write_new(const char *stem, int width, int height, const unsigned char *rgb,
                          char *path, size_t size, Error *error);

#endif
