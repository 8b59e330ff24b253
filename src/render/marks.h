// Dots and lines of constant size on the screen: pins, the particle under the cursor, the hand.
#ifndef RENDER_MARKS_H
#define RENDER_MARKS_H

#include "render/cloth_mesh.h"
#include "render/frame.h"

typedef struct Mark { // a capsule from a to b, a dot if they are equal
    float a[3], b[3]; // m
    float radius;     // pixels on an ordinary screen, including the rim
    float rim_width;  // pixels
    float lift;       // towards the camera, as a share of the distance to it
    float fill[4], rim[4];
} Mark;

typedef struct Marks {
    Mark *items;
    int count, capacity;
    GLuint array, buffer;
} Marks;

void marks_init(Marks *marks);
void marks_finish(Marks *marks); // accepts a zeroed one
void marks_draw(Marks *marks, const Frame *frame, const ClothMesh *mesh);

// Springs of what has no surface, coloured by strain, thick enough for a projector; and where its
// particles have been.
void marks_draw_springs(Marks *marks, const Frame *frame, const ClothMesh *mesh);

// The cloth's border, or the springs and masses of what has no surface, in the palette's colours;
// `radius` in pixels on an ordinary screen.
void marks_draw_hem(Marks *marks, const Frame *frame, const ClothMesh *mesh, float radius,
                    bool through_others);

#endif
