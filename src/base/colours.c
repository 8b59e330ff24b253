#include "base/colours.h"

// clang-format off
static const Colours dark = {
    .ground = 0x12141a, .panel = 0x181b22, .field = 0x20242d, .line = 0x2a2f3a, .track = 0x343a47,
    .text = 0xe8eaee, .dim = 0x98a2b3, .accent = 0x6cb6ff, .on_accent = 0x0e1116,
    .green = 0x3ddc97, .amber = 0xffb454, .red = 0xff6b6b,
    .series = {0x56b4e9, 0xe69f00, 0x009e73, 0xcc79a7, 0xf2703d, 0x3a86d8, 0xf0e442, 0xb9c0cc},
};
static const Colours light = {
    .light = true,
    .ground = 0xeef1f5, .panel = 0xffffff, .field = 0xf3f5f8, .line = 0xd7dde6, .track = 0xcdd5e0,
    .text = 0x19202b, .dim = 0x5d6a7e, .accent = 0x1f6feb, .on_accent = 0xffffff,
    .green = 0x12875a, .amber = 0xb86b00, .red = 0xc8352b,
    .series = {0x2f8fca, 0xc98500, 0x00805d, 0xb0578a, 0xc24d00, 0x174a8c, 0x857700, 0x4a505c},
};
// clang-format on

const Colours *colours_of(bool is_light)
{
    return is_light ? &light : &dark;
}
