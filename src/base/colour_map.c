#include "base/colour_map.h"

#define RGB(hex)                                                                                   \
    {                                                                                              \
        (float)((hex) >> 16 & 255) / 255.0f, (float)((hex) >> 8 & 255) / 255.0f,                   \
            (float)((hex)&255) / 255.0f                                                            \
    }

// CIE lightness 32 to 87 in steps of about 7.
static const float FIELD[][3] = {RGB(0x483aa5), RGB(0x305ab2), RGB(0x0576b5),
                                 RGB(0x008fab), RGB(0x09a79f), RGB(0x35be85),
                                 RGB(0x77cd69), RGB(0xb7d64a), RGB(0xf3db2d)};

// Blue, grey, orange: told apart under every common colour blindness; both ends are equally light,
// and the middle is darker on a light backdrop and lighter on a dark one.
static const float SIGNED[][3] = {RGB(0x1f78d1), RGB(0x5f9fdc), RGB(0x9a9ea6), RGB(0xe39a4a),
                                  RGB(0xf07d0c)};

static void interpolate(const float (*stops)[3], int count, float t, float rgb[3])
{
    if (!(t < 1.0f)) t = 1.0f; // also for NaN
    if (t < 0.0f) t = 0.0f;
    float at = t * (float)(count - 1);
    int i = at < (float)(count - 2) ? (int)at : count - 2;
    float share = at - (float)i;
    for (int k = 0; k < 3; k++) rgb[k] = (1.0f - share) * stops[i][k] + share * stops[i + 1][k];
}

void colour_map(float t, float rgb[3])
{
    interpolate(FIELD, sizeof FIELD / sizeof FIELD[0], t, rgb);
}

void colour_map_signed(float t, float rgb[3])
{
    interpolate(SIGNED, sizeof SIGNED / sizeof SIGNED[0], 0.5f + 0.5f * t, rgb);
}
