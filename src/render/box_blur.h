// Blurs a small square image by sums over boxes. Arithmetic only.
#ifndef RENDER_BOX_BLUR_H
#define RENDER_BOX_BLUR_H

enum { BOX_SIDE = 128 }; // texels

// Each texel becomes the sum over the 2 reach + 1 texels around it, in rows and in columns; all of
// it `times` times, which makes the box rounder. Beyond the border is 0. `scratch` is as large as
// the image.
void box_sums(float *image, float *scratch, int reach, int times);

#endif
