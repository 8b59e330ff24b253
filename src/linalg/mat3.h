// Symmetric 3x3 matrices, by value: the blocks of a spring network.
#ifndef LINALG_MAT3_H
#define LINALG_MAT3_H

#include "linalg/vec3.h"

typedef struct Sym3 {
    double xx, yy, zz, xy, xz, yz;
} Sym3;

// a I + b w w'
static inline Sym3 sym3_from_axis(double a, double b, Vec3 w)
{
    return (Sym3){a + b * w.x * w.x, a + b * w.y * w.y, a + b * w.z * w.z,
                  b * w.x * w.y,     b * w.x * w.z,     b * w.y * w.z};
}

// A + s B
static inline Sym3 sym3_add_scaled(Sym3 A, double s, Sym3 B)
{
    return (Sym3){A.xx + s * B.xx, A.yy + s * B.yy, A.zz + s * B.zz,
                  A.xy + s * B.xy, A.xz + s * B.xz, A.yz + s * B.yz};
}

static inline Vec3 sym3_multiply(Sym3 A, Vec3 p)
{
    return (Vec3){A.xx * p.x + A.xy * p.y + A.xz * p.z, A.xy * p.x + A.yy * p.y + A.yz * p.z,
                  A.xz * p.x + A.yz * p.y + A.zz * p.z};
}

// A^-1 by cofactors. The caller guarantees that A is not singular.
static inline Sym3 sym3_inverse(Sym3 A)
{
    double xx = A.yy * A.zz - A.yz * A.yz;
    double xy = A.xz * A.yz - A.xy * A.zz;
    double xz = A.xy * A.yz - A.xz * A.yy;
    double scale = 1.0 / (A.xx * xx + A.xy * xy + A.xz * xz);
    return (Sym3){scale * xx,
                  scale * (A.xx * A.zz - A.xz * A.xz),
                  scale * (A.xx * A.yy - A.xy * A.xy),
                  scale * xy,
                  scale * xz,
                  scale * (A.xy * A.xz - A.xx * A.yz)};
}

#endif
