// Four doubles at once, for the files that are compiled once per instruction set (src/meson.build):
// AVX2 has registers for them, elsewhere the compiler takes two or four smaller ones.
#ifndef LINALG_SIMD4_H
#define LINALG_SIMD4_H

#include <math.h>
#ifdef __AVX2__
#include <immintrin.h>
#endif

typedef double V4 __attribute__((vector_size(32)));
typedef long long V4Mask __attribute__((vector_size(32))); // per lane: all bits or none
typedef double V4AnyAddress __attribute__((vector_size(32), aligned(8)));

// Three components of four vectors.
typedef struct V4x3 {
    V4 x, y, z;
} V4x3;

static inline V4 v4_load(const double *from)
{
    return *(const V4AnyAddress *)from;
}
static inline void v4_store(double *to, V4 a)
{
    *(V4AnyAddress *)to = a;
}
static inline V4 v4_all(double a)
{
    return (V4){a, a, a, a};
}
// a where the mask is set, 0 elsewhere
static inline V4 v4_where(V4Mask mask, V4 a)
{
    return (V4)((V4Mask)a & mask);
}
// a where the mask is set, b elsewhere
static inline V4 v4_select(V4Mask mask, V4 a, V4 b)
{
    return (V4)(((V4Mask)a & mask) | ((V4Mask)b & ~mask));
}
// max(a, 0)
static inline V4 v4_positive(V4 a)
{
#ifdef __AVX2__
    return _mm256_max_pd(a, _mm256_setzero_pd());
#else
    return v4_where(a > v4_all(0.0), a);
#endif
}
// The lanes of (before, a), read one or two places earlier than a.
static inline V4 v4_shift1(V4 before, V4 a)
{
    return __builtin_shufflevector(before, a, 3, 4, 5, 6);
}
static inline V4 v4_shift2(V4 before, V4 a)
{
    return __builtin_shufflevector(before, a, 2, 3, 4, 5);
}

// 1 / sqrt(a) where the mask is set, 0 elsewhere; there a is at least 1e-30. With a seed y that is
// right to 12 bits, e = 1 - a y^2 is below 8e-4, and the series of (1 - e)^(-1/2) up to e^4 leaves
// an error of 63/256 e^5 < 1e-16. A fifth faster than a root and a division.
static inline V4 v4_rsqrt(V4Mask mask, V4 a)
{
#ifdef __AVX2__
    V4 y = v4_where(mask, _mm256_cvtps_pd(_mm_rsqrt_ps(_mm256_cvtpd_ps(a))));
    V4 e = 1.0 - a * y * y;
    return y + y * e * (0.5 + e * (0.375 + e * (0.3125 + e * 0.2734375)));
#else
    V4 y;
    for (int lane = 0; lane < 4; lane++) y[lane] = 1.0 / sqrt(a[lane]);
    return v4_where(mask, y);
#endif
}

// Three rows of a grid, `width` entries apart.
static inline V4x3 v4x3_load(const double *from, long width)
{
    return (V4x3){v4_load(from), v4_load(from + width), v4_load(from + 2 * width)};
}
static inline void v4x3_store(double *to, long width, V4x3 a)
{
    v4_store(to, a.x);
    v4_store(to + width, a.y);
    v4_store(to + 2 * width, a.z);
}
static inline V4x3 v4x3_add(V4x3 a, V4x3 b)
{
    return (V4x3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline V4x3 v4x3_sub(V4x3 a, V4x3 b)
{
    return (V4x3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline V4x3 v4x3_scale(V4 s, V4x3 a)
{
    return (V4x3){s * a.x, s * a.y, s * a.z};
}
// a + s b
static inline V4x3 v4x3_add_scaled(V4x3 a, V4 s, V4x3 b)
{
    return (V4x3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static inline V4 v4x3_dot(V4x3 a, V4x3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline V4x3 v4x3_shift1(V4x3 before, V4x3 a)
{
    return (V4x3){v4_shift1(before.x, a.x), v4_shift1(before.y, a.y), v4_shift1(before.z, a.z)};
}
static inline V4x3 v4x3_shift2(V4x3 before, V4x3 a)
{
    return (V4x3){v4_shift2(before.x, a.x), v4_shift2(before.y, a.y), v4_shift2(before.z, a.z)};
}

#endif
