// Colours of the picture, one set per theme. Components 0 to 1 in sRGB.
#ifndef RENDER_PALETTE_H
#define RENDER_PALETTE_H

#include <stdbool.h>

typedef struct Palette {
    float backdrop[3];                             // towards the corners: the window's background
    float glow[3];                                 // behind the cloth
    float grid[4];                                 // alpha of a strong line
    float underside[4];                            // of the floor: hatching, over the cloth
    float shadow[4];                               // alpha of a cloth lying on the floor
    float front[3], back[3];                       // of the cloth: its fabric's
    float wire[3];                                 // edges of the mesh, by fabric
    float ghost[3];                                // the reference among other cloths
    float compressed[3], relaxed[3], stretched[3]; // springs, by strain
    float pin[4], hand[4];
    float body[3];    // a solid body beside the cloth
    float mass[4];    // a particle of a rope or a spring
    float warning[4]; // a highlighted spring
    float rim[4];     // around dots and the line to the hand
} Palette;

const Palette *palette_for(bool light);

#endif
