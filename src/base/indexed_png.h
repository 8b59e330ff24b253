// A small PNG with a palette, as base64 text: a picture of many cells inside an SVG drawing. It is
// not compressed.
#ifndef BASE_INDEXED_PNG_H
#define BASE_INDEXED_PNG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// `cells` has width * height indices into `palette` (0xRRGGBB, up to 256), the top row first. False
// without memory.
bool indexed_png_write_base64(FILE *file, int width, int height, const uint8_t *cells,
                              const uint32_t *palette, int colours);

#endif
