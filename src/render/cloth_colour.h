// What can be shown on the cloth by colour: a number per particle from a snapshot, its unit and its
// colours. Arithmetic only, no OpenGL.
#ifndef RENDER_CLOTH_COLOUR_H
#define RENDER_CLOTH_COLOUR_H

#include "simulation/snapshot.h"

typedef enum ColourBy {
    COLOUR_FABRIC, // none
    COLOUR_MODE,   // how much a particle moves in a shape, of the largest
    COLOUR_STRAIN, // of the most strained spring at the particle, with its sign
    COLOUR_SPEED,
    COLOUR_VELOCITY, // x, y and z as red, green and blue
    COLOUR_ENERGY,   // kinetic, per area of the cloth at rest
    COLOUR_ERROR,    // distance to the lane that this one is compared with
    COLOURS,
} ColourBy;

typedef struct ColourInfo {
    const char *name, *label, *unit; // in the list; above the colour bar
    float least;                     // the smallest scale worth showing
    bool is_signed;                  // from -scale to scale, otherwise from 0
    const char *help;
} ColourInfo;

const ColourInfo *colour_info(ColourBy by);

// A number per particle: of COLOUR_VELOCITY the speed. `shape` (3 per particle) is for COLOUR_MODE.
// What is not finite is INFINITY. Returns the largest size of a finite one.
float colour_values(ColourBy by, const Snapshot *snapshot, const float *shape, float *values);

// A round number (1, 2 or 5 times a power of ten) that is not less than `most` and the quantity's
// least scale; keeps `before`
// while that is not too small and not far too large, so that a colour bar holds still.
float colour_scale(ColourBy by, float most, float before);

// The colour of a number on a bar that ends at `scale`.
void colour_of_value(ColourBy by, float value, float scale, float rgb[3]);
void colour_of_velocity(const float velocity[3], float scale, float rgb[3]);

// Colours of all particles, 3 numbers each. Of COLOUR_VELOCITY `values` is not used.
void colour_particles(ColourBy by, const Snapshot *snapshot, const float *values, float scale,
                      float *rgb);

#endif
