// Smooth edges without multisampling: a pass over the part of the picture where the cloth is.
#ifndef RENDER_POST_FILTER_H
#define RENDER_POST_FILTER_H

#include "render/cloth_mesh.h"
#include "render/frame.h"

typedef struct PostFilter {
    GLuint texture, empty_array, framebuffer;
    int width, height; // of the texture
    bool as_window;    // its first row is the top one, see row_order.h
} PostFilter;

void post_filter_init(PostFilter *filter);
void post_filter_finish(PostFilter *filter); // accepts a zeroed one

// The smallest box of pixels that holds the cloth's particles and their lines, within the viewport.
Viewport post_filter_box(const Frame *frame, const ClothMesh *mesh);
// The same for any points, 3 numbers each, `stride` numbers apart.
Viewport post_filter_box_of(const Frame *frame, const float *points, int stride, int count);
Viewport post_filter_join(Viewport a, Viewport b); // holds both; one may be empty

// Filter what was drawn in the box. Changes scissor and blending; without depth.
void post_filter_apply(PostFilter *filter, const Frame *frame, Viewport box);

#endif
