// What shading needs of a surface besides its positions: normals, the direction of its threads and
// the distance to its border. Arithmetic only, no OpenGL.
#ifndef RENDER_SURFACE_SHAPE_H
#define RENDER_SURFACE_SHAPE_H

#include "simulation/snapshot.h"

typedef struct ClothVertex {
    float position[3]; // m, always finite
    float normal[3];   // unit, towards the front
    float thread[3];   // unit, along the weft threads; 0 where there is no direction
} ClothVertex;

typedef struct Weave { // of a vertex, constant
    float place[2];    // m, in the cloth at rest
    float to_border;   // m, at rest, along edges; WEAVE_INSIDE far away
} Weave;
#define WEAVE_INSIDE 1e3f

typedef struct TriangleRest { // of a triangle, constant
    // Weights of its sides from the first to the second and third corner: their sum runs along the
    // weft.
    float thread[2];
    float torn; // m^2: a side whose square is longer is stretched beyond any cloth
} TriangleRest;

// A side as many times its length at rest is no cloth any more, and would fill the view.
#define TORN_STRETCH 12.0f

void surface_rest(const Snapshot *snapshot, TriangleRest *rest);

// Normals and threads from positions. Returns how many triangles are torn; they do not count.
int surface_shape(ClothVertex *vertices, int particle_count, const uint32_t *triangles,
                  const TriangleRest *rest, int triangle_count);
// The triangles that are not torn, 3 corners each. Returns how many.
int surface_whole(const ClothVertex *vertices, const uint32_t *triangles, const TriangleRest *rest,
                  int triangle_count, uint32_t *whole);

// `hem` has the border's edges, `edges` all edges, 2 particles each.
void surface_weave(const Snapshot *snapshot, const uint32_t *edges, int edge_count,
                   const uint32_t *hem, int hem_count, Weave *weave);

#endif
