// Sums move along columns, all columns at once, which compilers turn into vector instructions. For
// rows the image is transposed.
#include "render/box_blur.h"

enum { SIDE = BOX_SIDE, TILE = 8 };

static void sum_columns(const float *in, float *out, int reach)
{
    float sums[SIDE] = {0};
    for (int row = -reach; row < SIDE; row++) {
        int enters = row + reach, leaves = row - reach - 1;
        if (enters < SIDE) {
            for (int i = 0; i < SIDE; i++) sums[i] += in[enters * SIDE + i];
        }
        if (leaves >= 0) {
            for (int i = 0; i < SIDE; i++) sums[i] -= in[leaves * SIDE + i];
        }
        if (row < 0) continue;
        for (int i = 0; i < SIDE; i++) out[row * SIDE + i] = sums[i];
    }
}

static void transpose(const float *in, float *out)
{
    for (int y = 0; y < SIDE; y += TILE) {
        for (int x = 0; x < SIDE; x += TILE) {
            for (int j = 0; j < TILE; j++) {
                for (int i = 0; i < TILE; i++)
                    out[(x + j) * SIDE + y + i] = in[(y + i) * SIDE + x + j];
            }
        }
    }
}

void box_sums(float *image, float *scratch, int reach, int times)
{
    float *in = image, *out = scratch, *swapped;
    for (int axis = 0; axis < 2; axis++) {
        for (int i = 0; i < times; i++) {
            sum_columns(in, out, reach);
            swapped = in, in = out, out = swapped;
        }
        transpose(in, out);
        swapped = in, in = out, out = swapped;
    }
    // an even number of swaps: the result is in `image`
}
