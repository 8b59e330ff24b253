#include "render/fabric.h"

#include <string.h>

// clang-format off
#define RGB(hex) {(float)((hex) >> 16 & 255) / 255.0f, (float)((hex) >> 8 & 255) / 255.0f, (float)((hex) & 255) / 255.0f}

// The sides of each fabric differ in hue and in lightness, so that they are told apart on a bad
// projector and by colour-blind people.
static const Fabric table[FABRICS] = {
    [FABRIC_PLAIN] = {
        .name = "plain", .front = RGB(0xe8624e), .back = RGB(0x4a76ac),
        .threads = 1, .period = 2, .shift = 1, .over = 1, .weft = {1, 1, 1}, .sheen = 0.05f, .fuzz = 0.06f,
        .translucency = 0.1f,
    },
    [FABRIC_LINEN] = {
        .name = "linen", .front = RGB(0xe8624e), .back = RGB(0x4a76ac),
        .threads = 110, .period = 2, .shift = 1, .over = 1, .relief = 0.55f, .gap = 0.50f,
        .weft = {1.06f, 1.06f, 1.06f}, .slub = 0.22f, .sheen = 0.03f, .fuzz = 0.05f, .translucency = 0.22f,
    },
    [FABRIC_SILK] = {
        .name = "silk", .front = RGB(0xd8a13a), .back = RGB(0x7d55b0),
        .threads = 170, .period = 5, .shift = 2, .over = 4, .relief = 0.16f, .gap = 0.16f,
        .weft = {0.92f, 0.92f, 0.92f}, .slub = 0.05f, .sheen = 0.55f, .fuzz = 0.03f, .translucency = 0.16f,
    },
    [FABRIC_DENIM] = {
        .name = "denim", .front = RGB(0x4d76bd), .back = RGB(0xcfc6b2),
        .threads = 90, .period = 4, .shift = 1, .over = 3, .relief = 0.60f, .gap = 0.55f,
        .weft = {1.75f, 1.55f, 1.25f}, .slub = 0.18f, .sheen = 0.02f, .fuzz = 0.03f, .translucency = 0.05f,
    },
    [FABRIC_WOOL] = {
        .name = "wool", .front = RGB(0x4f9d78), .back = RGB(0xd09a4e),
        .threads = 48, .period = 2, .shift = 1, .over = 1, .relief = 0.75f, .gap = 0.62f,
        .weft = {0.9f, 0.95f, 0.9f}, .slub = 0.16f, .sheen = 0.0f, .fuzz = 0.16f, .translucency = 0.08f,
    },
};
// clang-format on

const Fabric *fabric_of(FabricName name)
{
    return &table[name > FABRIC_PLAIN && name < FABRICS ? name : FABRIC_PLAIN];
}

FabricName fabric_find(const char *name)
{
    int i = 0;
    while (i < FABRICS && strcmp(table[i].name, name) != 0) i++;
    return (FabricName)i;
}
