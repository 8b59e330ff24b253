// An orbiting camera: looks at `target` from `distance`, y is up. Arithmetic only, no OpenGL.
#ifndef RENDER_CAMERA_H
#define RENDER_CAMERA_H

#include <cglm/cglm.h>
#include <stdbool.h>

typedef struct Viewport { // framebuffer pixels, y from the bottom as in OpenGL
    int x, y, width, height;
} Viewport;

typedef struct Camera {
    vec3 target;      // m
    float distance;   // m
    float yaw, pitch; // rad; yaw 0 looks along -z, pitch > 0 looks down
} Camera;

// Look at a cloth from the usual direction (in front, a little above and from the right). `centre`
// and `radius` are those of its flat start; hung by an edge it swings down by its own length. Both
// states fit into the viewport, and so does the shadow of the hanging cloth.
void camera_frame(Camera *camera, const float centre[3], float radius, Viewport viewport);
void camera_orbit(Camera *camera, float yaw, float pitch); // rad; pitch stays short of the poles
void camera_pan(Camera *camera, float dx, float dy, int height); // pixels; view height
void camera_zoom(Camera *camera, float steps);                   // wheel steps, > 0 moves closer

void camera_matrices(const Camera *camera, Viewport viewport, mat4 view, mat4 projection);
void camera_position(const Camera *camera, vec3 out);

// The point under the pixel (x right, y down, from the viewport's top left corner) in the plane
// through `point` that faces the camera.
void camera_drag_point(const Camera *camera, Viewport viewport, float x, float y,
                       const float point[3], float out[3]);

// The pixel of a point, from the viewport's top left corner; false if it is behind the camera.
bool camera_project(const Camera *camera, Viewport viewport, const float point[3], float *x,
                    float *y);

#endif
