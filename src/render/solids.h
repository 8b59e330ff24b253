// Solid things in the picture: the scene's bodies, and the springs and masses of what has no
// surface. All have one shape, a box with a ball rolled around it: a ball if the box is a point, a
// capsule if it is a line.
#ifndef RENDER_SOLIDS_H
#define RENDER_SOLIDS_H

#include "render/cloth_mesh.h"
#include "render/frame.h"

typedef struct Solid {
    float centre[3];  // m
    float axes[3][3]; // unit vectors along the box, right-handed
    float core[3];    // m, half the sides of the box
    float radius;     // m, of the ball
    float colour[3];  // sRGB, 0 to 1
} Solid;

// What is between the light and a point, as self_shadow.h finds it. A point p is at the texel
//   x = (p . across - left) per_metre,   y = (p . up - bottom) per_metre
// and the image has the largest p . towards of the cloth there.
typedef struct LightImage {
    float across[3], up[3], towards[3];
    float left, bottom; // m
    float per_metre;    // texels
    float spacing;      // m, between vertices of the cloth
} LightImage;

// The solids of one lane.
typedef struct SolidSet {
    Solid *items, *before; // `before` is the last list, to see what changed
    int count, body_count; // bodies come first
    int capacity, before_count;
    unsigned long revision; // counts the changes
    LightImage light;
    GLuint light_texture; // 0: no cloth is between the light and them
} SolidSet;

enum { SOLID_LEVELS = 3, SOLID_POINTS_MAX = 900 }; // of the level for shadows

// A ball in so many triangles, each vertex with the corner of the box that it belongs to.
typedef struct SolidVertex {
    float normal[3];
    float corner[3]; // -1 or 1 each
} SolidVertex;
typedef struct SolidShape {
    int vertex_count, triangle_count;
    SolidVertex *vertices;
    uint32_t *triangles; // 3 per triangle, counter-clockwise from outside
    GLuint array, vertex_buffer, triangle_buffer;
} SolidShape;

typedef struct SolidRenderer {
    SolidShape shapes[SOLID_LEVELS]; // finest first; without memory they are empty
    GLuint instance_buffer;
} SolidRenderer;

// m, of a ball about its centre that holds it
static inline float solid_reach(const Solid *solid)
{
    return glm_vec3_norm((float *)solid->core) + solid->radius;
}

void solids_init(SolidRenderer *solids);
void solids_finish(SolidRenderer *solids); // accepts a zeroed one
void solid_set_finish(SolidSet *set);      // accepts a zeroed one

// Whether springs and masses are drawn as solids: there is no surface, or they are inside it, and
// there are not too many of them.
bool solids_show_springs(const ClothMesh *mesh);

// The solids of a snapshot, after cloth_mesh_update with it. Colours are those of the frame.
void solid_set_update(SolidSet *set, const Frame *frame, const ClothMesh *mesh);
// The image of self_shadow_cast; `depth` NULL: there is none.
void solid_set_light(SolidSet *set, const LightImage *light, const float *depth, int side);
// The box of pixels that they are in; see post_filter.h.
Viewport solid_set_box(const SolidSet *set, const Frame *frame);

// With depth.
void solids_draw(const SolidRenderer *solids, const Frame *frame, const SolidSet *set);

// The surface of one of the set's solids, for shadows: fills `points` and returns the shape that
// has its triangles.
const SolidShape *solids_surface(const SolidRenderer *solids, const SolidSet *set, int number,
                                 float points[SOLID_POINTS_MAX][3]);

#endif
