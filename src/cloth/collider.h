// Solid bodies that a cloth meets: balls, capsules, boxes. What they are; collide.h says what they
// do to a cloth.
#ifndef CLOTH_COLLIDER_H
#define CLOTH_COLLIDER_H

#include "base/status.h"
#include "linalg/vec3.h"

#include <stdbool.h>

typedef enum ColliderShape {
    COLLIDER_SPHERE,
    COLLIDER_CAPSULE,
    COLLIDER_BOX,
    COLLIDER_SHAPES,
} ColliderShape;

enum { COLLIDERS_MAX = 6, PATH_POINTS_MAX = 8 };

// A path of points; a body rests in each for a moment, and begins anew after the last. Between two:
//   s = (t - t0) / (t1 - t0),   offset = p0 + (3 s^2 - 2 s^3) (p1 - p0)
typedef struct ColliderPath {
    int count;                    // 0: it stays where it is
    double time[PATH_POINTS_MAX]; // s, the first is 0, rising
    Vec3 offset[PATH_POINTS_MAX]; // m, from its centre
} ColliderPath;

typedef struct Collider {
    ColliderShape shape;
    Vec3 centre;   // m, at the start
    double radius; // m; of a box: by which its edges are rounded
    Vec3 half;     // m, half the axis of a capsule, half the sides of a box with their rounding
    Vec3 turn;     // degrees, of a box about x, then y, then z
    double mass;   // kg, of a ball that moves freely; 0: only path and hand move it
    Vec3 velocity; // m/s, at the start, of a free one
    ColliderPath path;
    Vec3 axes[3]; // of a box, from `turn`: collider_prepare
} Collider;

// Where a body is and how it moves.
typedef struct ColliderMotion {
    Vec3 centre;   // m
    Vec3 velocity; // m/s
    Vec3 spin;     // rad/s
} ColliderMotion;

const char *collider_shape_name(int shape); // NULL outside the enumeration

Collider collider_default(void); // a ball of 0.25 m in the origin
// Refuses what makes no body, in a sentence without its name.
Status collider_check(const Collider *collider, Error *error);
void collider_prepare(Collider *collider); // after shape or turn were set

ColliderMotion collider_start(const Collider *collider);
Vec3 collider_path_offset(const ColliderPath *path, double time); // m

// Distance of a point from the surface, m, negative inside, and the unit vector outwards there.
// The body is at `centre`; `away` points from the centre of a ball.
static inline double collider_ball_distance(Vec3 away, double radius, Vec3 *normal)
{
    double length = vec3_length(away);
    *normal = length > 0.0 ? vec3_scale(1.0 / length, away) : (Vec3){0.0, 1.0, 0.0};
    return length - radius;
}
double collider_distance(const Collider *collider, Vec3 centre, Vec3 point, Vec3 *normal);
// m, of a ball about the centre that the body lies in
double collider_extent(const Collider *collider);
double collider_drop(const Collider *collider); // m, from its centre down to its lowest point
// How far from the surface the corners of a triangle must be kept, m, so that the triangle, with
// this radius of its circle, does not cut it: its middle is nearer to the centre of curvature than
// its corners, sqrt((R + t)^2 - reach^2) = R.
double collider_thickness(const Collider *collider, double reach);

// kg m^2, of a solid ball about its centre
static inline double collider_inertia(const Collider *collider)
{
    return 0.4 * collider->mass * collider->radius * collider->radius;
}

#endif
