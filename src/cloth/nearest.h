// The nearest points of a point and a triangle, and of two segments.
#ifndef CLOTH_NEAREST_H
#define CLOTH_NEAREST_H

#include "linalg/vec3.h"

#include <stdbool.h>

// The point of the triangle a, b, c that is nearest to `point`:
//   (1 - share[0] - share[1]) a + share[0] b + share[1] c,   both shares and their sum in 0 .. 1
// Returns the vector from it to `point`, m. A triangle without area is the longest of its sides.
Vec3 nearest_on_triangle(Vec3 point, Vec3 a, Vec3 b, Vec3 c, double share[2]);

// The nearest points of the segments a0 a1 and b0 b1:  a0 + share[0] (a1 - a0),
// b0 + share[1] (b1 - b0). Returns the vector from the second to the first, m.
Vec3 nearest_on_segments(Vec3 a0, Vec3 a1, Vec3 b0, Vec3 b1, double share[2]);

// Does the segment p q pass through the triangle a, b, c? Touching does not count.
bool segment_passes(Vec3 p, Vec3 q, Vec3 a, Vec3 b, Vec3 c);

#endif
