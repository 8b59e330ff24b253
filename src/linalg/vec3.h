// Three doubles, by value. The solver uses double; cglm's float vectors start at the snapshot.
#ifndef LINALG_VEC3_H
#define LINALG_VEC3_H

#include <math.h>

typedef struct Vec3 {
    double x, y, z;
} Vec3;

static inline Vec3 vec3_add(Vec3 a, Vec3 b)
{
    return (Vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline Vec3 vec3_sub(Vec3 a, Vec3 b)
{
    return (Vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline Vec3 vec3_scale(double s, Vec3 a)
{
    return (Vec3){s * a.x, s * a.y, s * a.z};
}
static inline double vec3_dot(Vec3 a, Vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline Vec3 vec3_cross(Vec3 a, Vec3 b)
{
    return (Vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double vec3_length(Vec3 a)
{
    return sqrt(vec3_dot(a, a));
}

// a + s b
static inline Vec3 vec3_add_scaled(Vec3 a, double s, Vec3 b)
{
    return (Vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

#endif
