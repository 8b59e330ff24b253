// The angle between two triangles that share an edge, and its derivatives.
#ifndef CLOTH_HINGE_H
#define CLOTH_HINGE_H

#include "linalg/vec3.h"

#include <stdbool.h>

// Corners: the ends of the edge, then the third corner of each triangle.
typedef struct Hinge {
    double angle;     // rad, in (-pi, pi]; 0 when the triangles lie flat side by side
    Vec3 gradient[4]; // rad/m, of the angle by each corner
} Hinge;

// False when a triangle is so thin that its normal is meaningless: |n|^2 <= thinnest, m^4.
bool hinge_at(const Vec3 x[4], double thinnest, Hinge *hinge);
// How the gradient changes as the corners move with velocities v: the second derivative of the
// angle times that direction. The same condition holds.
bool hinge_gradient_rate(const Vec3 x[4], const Vec3 v[4], double thinnest, Vec3 rate[4]);

#endif
