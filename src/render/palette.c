#include "render/palette.h"

// clang-format off
#define RED(hex)   ((float)((hex) >> 16 & 255) / 255.0f)
#define GREEN(hex) ((float)((hex) >> 8 & 255) / 255.0f)
#define BLUE(hex)  ((float)((hex) & 255) / 255.0f)
#define RGB(hex)         {RED(hex), GREEN(hex), BLUE(hex)}
#define RGBA(hex, alpha) {RED(hex), GREEN(hex), BLUE(hex), alpha}

// Blue and orange are distinguishable under every common colour blindness. The relaxed colour is
// close to the backdrop's lightness, so that strained springs stand out in both themes.
static const Palette dark = {
    .backdrop = RGB(0x12141a), .glow = RGB(0x2d3446),
    .grid = RGBA(0xa9b8d6, 0.20f), .underside = RGBA(0xd9a066, 0.42f), .shadow = RGBA(0x000000, 0.62f),
    .ghost = RGB(0xc9d2e0),
    .compressed = RGB(0x56b4e9), .relaxed = RGB(0x596171), .stretched = RGB(0xff9d1e),
    .pin = RGBA(0xffb454, 1.0f), .hand = RGBA(0xffffff, 1.0f), .rim = RGBA(0x0b0d12, 0.85f),
    .mass = RGBA(0xe8624e, 1.0f), .warning = RGBA(0xff6b6b, 1.0f),
    .body = RGB(0x838b99),
};

static const Palette light = {
    .backdrop = RGB(0xeef1f5), .glow = RGB(0xffffff),
    .grid = RGBA(0x4c5a70, 0.32f), .underside = RGBA(0x8a5a20, 0.42f), .shadow = RGBA(0x1c2430, 0.50f),
    .ghost = RGB(0x6b7686),
    .compressed = RGB(0x0065b0), .relaxed = RGB(0xb4bcc8), .stretched = RGB(0xc65a00),
    .pin = RGBA(0xffb454, 1.0f), .hand = RGBA(0xffffff, 1.0f), .rim = RGBA(0x19202b, 0.85f),
    .mass = RGBA(0xe8624e, 1.0f), .warning = RGBA(0xc8352b, 1.0f),
    .body = RGB(0xb9c0ca),
};
// clang-format on

const Palette *palette_for(bool is_light)
{
    return is_light ? &light : &dark;
}
