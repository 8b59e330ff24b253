// The colours of both themes, 0xRRGGBB: one place for the window's plots and for drawings in files.
#ifndef BASE_COLOURS_H
#define BASE_COLOURS_H

#include <stdbool.h>
#include <stdint.h>

enum { COLOURS_SERIES = 8 };

typedef struct Colours {
    bool light;
    uint32_t ground, panel, field, line, track;
    uint32_t text, dim, accent, on_accent;
    uint32_t green, amber, red;
    uint32_t series[COLOURS_SERIES]; // after Okabe and Ito: distinguishable to the colour-blind too
} Colours;

const Colours *colours_of(bool light);

#endif
