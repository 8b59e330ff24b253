// Vectors of doubles, one register each, for the files that are compiled once per instruction set
// (src/meson.build): eight lanes with AVX-512, four with AVX2, two with SSE2 and NEON.
#ifndef LINALG_SIMD_H
#define LINALG_SIMD_H

#include <math.h>
#include <stdbool.h>
#if defined __AVX2__
#include <immintrin.h>
#elif defined __SSE2__
#include <emmintrin.h>
#elif defined __aarch64__
#include <arm_neon.h>
#endif

#if defined __AVX512F__
#define V_LANES 8
#elif defined __AVX2__
#define V_LANES 4
#else
#define V_LANES 2
#endif

typedef double V __attribute__((vector_size(8 * V_LANES)));
typedef long long VMask __attribute__((vector_size(8 * V_LANES))); // per lane: all bits or none
typedef double VAnyAddress __attribute__((vector_size(8 * V_LANES), aligned(8)));

// The components of V_LANES vectors.
typedef struct Vx3 {
    V x, y, z;
} Vx3;

static inline V v_load(const double *from)
{
    return *(const VAnyAddress *)from;
}
static inline void v_store(double *to, V a)
{
    *(VAnyAddress *)to = a;
}
static inline V v_all(double a)
{
    return a - (V){0}; // equals a, also for -0
}
// a where the mask is set, 0 elsewhere
static inline V v_where(VMask mask, V a)
{
#if V_LANES == 8
    return _mm512_maskz_mov_pd(_mm512_movepi64_mask((__m512i)mask), a);
#else
    return (V)((VMask)a & mask);
#endif
}
// a where the mask is set, b elsewhere
static inline V v_select(VMask mask, V a, V b)
{
#if V_LANES == 8
    return _mm512_mask_mov_pd(b, _mm512_movepi64_mask((__m512i)mask), a);
#else
    return (V)(((VMask)a & mask) | ((VMask)b & ~mask));
#endif
}
// The sum of the lanes.
static inline double v_sum(V a)
{
#if V_LANES == 8
    return ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7]));
#elif V_LANES == 4
    return (a[0] + a[1]) + (a[2] + a[3]);
#else
    return a[0] + a[1];
#endif
}
static inline double v_largest(V a)
{
    double most = a[0];
    for (int lane = 1; lane < V_LANES; lane++) most = a[lane] > most ? a[lane] : most;
    return most;
}
// max(a, 0)
static inline V v_positive(V a)
{
#if V_LANES == 8
    return _mm512_max_pd(a, _mm512_setzero_pd());
#elif V_LANES == 4
    return _mm256_max_pd(a, _mm256_setzero_pd());
#else
    return v_where(a > v_all(0.0), a);
#endif
}
// The larger of the two; b if one of them is NaN
static inline V v_max(V a, V b)
{
#if V_LANES == 8
    return _mm512_max_pd(a, b);
#elif V_LANES == 4
    return _mm256_max_pd(a, b);
#else
    return v_select(a > b, a, b);
#endif
}
static inline V v_abs(V a)
{
    const VMask sign = {0};
    return (V)((VMask)a & (sign + 0x7fffffffffffffffLL));
}
static inline V v_min(V a, V b) // b if one of them is NaN
{
#if V_LANES == 8
    return _mm512_min_pd(a, b);
#elif V_LANES == 4
    return _mm256_min_pd(a, b);
#else
    return v_select(a < b, a, b);
#endif
}
static inline bool v_any(VMask mask)
{
#if V_LANES == 8
    return _mm512_movepi64_mask((__m512i)mask) != 0;
#elif V_LANES == 4
    return _mm256_movemask_pd((V)mask) != 0;
#else
    return (mask[0] | mask[1]) != 0;
#endif
}
// The lanes of a moved up by one or two; the first ones come from the end of `before`.
static inline V v_shift1(V before, V a)
{
#if V_LANES == 8
    return __builtin_shufflevector(before, a, 7, 8, 9, 10, 11, 12, 13, 14);
#elif V_LANES == 4
    return __builtin_shufflevector(before, a, 3, 4, 5, 6);
#else
    return __builtin_shufflevector(before, a, 1, 2);
#endif
}
static inline V v_shift2(V before, V a)
{
#if V_LANES == 8
    return __builtin_shufflevector(before, a, 6, 7, 8, 9, 10, 11, 12, 13);
#elif V_LANES == 4
    return __builtin_shufflevector(before, a, 2, 3, 4, 5);
#else
    (void)a;
    return before;
#endif
}

// 0, 2, 4, .. and 1, 3, 5, .. of two registers
static inline V v_even(V a, V b)
{
#if V_LANES == 8
    return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14);
#elif V_LANES == 4
    return __builtin_shufflevector(a, b, 0, 2, 4, 6);
#else
    return __builtin_shufflevector(a, b, 0, 2);
#endif
}
static inline V v_odd(V a, V b)
{
#if V_LANES == 8
    return __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15);
#elif V_LANES == 4
    return __builtin_shufflevector(a, b, 1, 3, 5, 7);
#else
    return __builtin_shufflevector(a, b, 1, 3);
#endif
}

// The first `count` lanes, 0 in the others.
static inline V v_first(int count, V a)
{
#if V_LANES == 8
    const VMask lane = {0, 1, 2, 3, 4, 5, 6, 7};
#elif V_LANES == 4
    const VMask lane = {0, 1, 2, 3};
#else
    const VMask lane = {0, 1};
#endif
    const VMask none = {0};
    return v_where(lane < none + count, a);
}

// a0 b0 a1 b1 ..: the first and the second half
static inline V v_zip_low(V a, V b)
{
#if V_LANES == 8
    return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
#elif V_LANES == 4
    return __builtin_shufflevector(a, b, 0, 4, 1, 5);
#else
    return __builtin_shufflevector(a, b, 0, 2);
#endif
}
static inline V v_zip_high(V a, V b)
{
#if V_LANES == 8
    return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
#elif V_LANES == 4
    return __builtin_shufflevector(a, b, 2, 6, 3, 7);
#else
    return __builtin_shufflevector(a, b, 1, 3);
#endif
}

// 1 / sqrt(a) from a seed y: with e = 1 - a y^2, the series of (1 - e)^(-1/2). This is 20 % faster
// than a square root and a division.
#if V_LANES == 8
// The seed is accurate to 14 bits: e is below 1.3e-4, and the series up to e^3 leaves an error of
// 35/128 e^4 < 1e-16.
static inline V v_rsqrt_from(V a, V y)
{
    V e = 1.0 - a * y * y;
    return y + y * e * (0.5 + e * (0.375 + e * 0.3125));
}
static inline V v_rsqrt_seed(V a)
{
    return _mm512_rsqrt14_pd(a);
}
#elif V_LANES == 4
// The seed is accurate to 12 bits: e is below 8e-4, and the series up to e^4 leaves an error of
// 63/256 e^5 < 1e-16.
static inline V v_rsqrt_from(V a, V y)
{
    V e = 1.0 - a * y * y;
    return y + y * e * (0.5 + e * (0.375 + e * (0.3125 + e * 0.2734375)));
}
static inline V v_rsqrt_seed(V a)
{
    return _mm256_cvtps_pd(_mm_rsqrt_ps(_mm256_cvtpd_ps(a)));
}
#else
static inline V v_rsqrt_divided(V a)
{
#if defined __SSE2__
    return 1.0 / _mm_sqrt_pd(a);
#elif defined __aarch64__
    return 1.0 / vsqrtq_f64(a);
#else
    return 1.0 / (V){sqrt(a[0]), sqrt(a[1])};
#endif
}
#endif

// 1 / sqrt(a), for a of at least 1e-30
static inline V v_inverse_root(V a)
{
#if V_LANES >= 4
    return v_rsqrt_from(a, v_rsqrt_seed(a));
#else
    return v_rsqrt_divided(a);
#endif
}
// The same where the mask is set, 0 elsewhere.
static inline V v_rsqrt(VMask mask, V a)
{
#if V_LANES >= 4
    return v_rsqrt_from(a, v_where(mask, v_rsqrt_seed(a)));
#else
    return v_where(mask, v_rsqrt_divided(a));
#endif
}

// Three rows of a grid, `width` entries apart.
static inline Vx3 vx3_load(const double *from, long width)
{
    return (Vx3){v_load(from), v_load(from + width), v_load(from + 2 * width)};
}
static inline void vx3_store(double *to, long width, Vx3 a)
{
    v_store(to, a.x);
    v_store(to + width, a.y);
    v_store(to + 2 * width, a.z);
}
// Vectors of four entries, the last one 0, anywhere in `flat`: lane i starts at index[i]. Loads and
// shuffles are faster than gather instructions.
static inline Vx3 vx3_gather(const double *flat, const int *index)
{
#if V_LANES == 8
#define TWO(a, b)                                                                                  \
    _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(flat + index[a])),                   \
                       _mm256_loadu_pd(flat + index[b]), 1)
    __m512d p02 = TWO(0, 2), p13 = TWO(1, 3), p46 = TWO(4, 6), p57 = TWO(5, 7);
#undef TWO
    __m512d xz_low = _mm512_unpacklo_pd(p02, p13), xz_high = _mm512_unpacklo_pd(p46, p57);
    __m512d y_low = _mm512_unpackhi_pd(p02, p13), y_high = _mm512_unpackhi_pd(p46, p57);
    return (Vx3){_mm512_shuffle_f64x2(xz_low, xz_high, 0x88),
                 _mm512_shuffle_f64x2(y_low, y_high, 0x88),
                 _mm512_shuffle_f64x2(xz_low, xz_high, 0xdd)};
#elif V_LANES == 4
    V p0 = v_load(flat + index[0]), p1 = v_load(flat + index[1]);
    V p2 = v_load(flat + index[2]), p3 = v_load(flat + index[3]);
    V xz_low = __builtin_shufflevector(p0, p1, 0, 4, 2, 6);
    V xz_high = __builtin_shufflevector(p2, p3, 0, 4, 2, 6);
    V y_low = __builtin_shufflevector(p0, p1, 1, 5, 3, 7);
    V y_high = __builtin_shufflevector(p2, p3, 1, 5, 3, 7);
    return (Vx3){__builtin_shufflevector(xz_low, xz_high, 0, 1, 4, 5),
                 __builtin_shufflevector(y_low, y_high, 0, 1, 4, 5),
                 __builtin_shufflevector(xz_low, xz_high, 2, 3, 6, 7)};
#else
    const double *a = flat + index[0], *b = flat + index[1];
    V xy_a = v_load(a), xy_b = v_load(b);
    return (Vx3){__builtin_shufflevector(xy_a, xy_b, 0, 2),
                 __builtin_shufflevector(xy_a, xy_b, 1, 3), (V){a[2], b[2]}};
#endif
}
// The reverse: the fourth entries become 0.
static inline void vx3_scatter(double *flat, const int *index, Vx3 a)
{
    const V none = {0};
#if V_LANES == 8
    V xy_even = _mm512_unpacklo_pd(a.x, a.y), xy_odd = _mm512_unpackhi_pd(a.x, a.y);
    V z_even = _mm512_unpacklo_pd(a.z, none), z_odd = _mm512_unpackhi_pd(a.z, none);
#define STORE_TWO(xy, z, lane, first, second)                                                      \
    do {                                                                                           \
        __m512d both = __builtin_shufflevector(xy, z, lane, lane + 1, lane + 8, lane + 9,          \
                                               lane + 2, lane + 3, lane + 10, lane + 11);          \
        _mm256_storeu_pd(flat + index[first], _mm512_castpd512_pd256(both));                       \
        _mm256_storeu_pd(flat + index[second], _mm512_extractf64x4_pd(both, 1));                   \
    } while (0)
    STORE_TWO(xy_even, z_even, 0, 0, 2);
    STORE_TWO(xy_odd, z_odd, 0, 1, 3);
    STORE_TWO(xy_even, z_even, 4, 4, 6);
    STORE_TWO(xy_odd, z_odd, 4, 5, 7);
#undef STORE_TWO
#elif V_LANES == 4
    V xy_even = __builtin_shufflevector(a.x, a.y, 0, 4, 2, 6);
    V xy_odd = __builtin_shufflevector(a.x, a.y, 1, 5, 3, 7);
    V z_even = __builtin_shufflevector(a.z, none, 0, 4, 2, 6);
    V z_odd = __builtin_shufflevector(a.z, none, 1, 5, 3, 7);
    v_store(flat + index[0], __builtin_shufflevector(xy_even, z_even, 0, 1, 4, 5));
    v_store(flat + index[1], __builtin_shufflevector(xy_odd, z_odd, 0, 1, 4, 5));
    v_store(flat + index[2], __builtin_shufflevector(xy_even, z_even, 2, 3, 6, 7));
    v_store(flat + index[3], __builtin_shufflevector(xy_odd, z_odd, 2, 3, 6, 7));
#else
    v_store(flat + index[0], __builtin_shufflevector(a.x, a.y, 0, 2));
    v_store(flat + index[0] + 2, __builtin_shufflevector(a.z, none, 0, 2));
    v_store(flat + index[1], __builtin_shufflevector(a.x, a.y, 1, 3));
    v_store(flat + index[1] + 2, __builtin_shufflevector(a.z, none, 1, 3));
#endif
}
// The entries flat[index[i]].
static inline V v_gather(const double *flat, const int *index)
{
#if V_LANES == 8
    return _mm512_i32gather_pd(_mm256_loadu_si256((const __m256i *)index), flat, 8);
#elif V_LANES == 4
    return (V){flat[index[0]], flat[index[1]], flat[index[2]], flat[index[3]]};
#else
    return (V){flat[index[0]], flat[index[1]]};
#endif
}

static inline Vx3 vx3_add(Vx3 a, Vx3 b)
{
    return (Vx3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline Vx3 vx3_sub(Vx3 a, Vx3 b)
{
    return (Vx3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline Vx3 vx3_scale(V s, Vx3 a)
{
    return (Vx3){s * a.x, s * a.y, s * a.z};
}
// a + s b
static inline Vx3 vx3_add_scaled(Vx3 a, V s, Vx3 b)
{
    return (Vx3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static inline V vx3_dot(Vx3 a, Vx3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline Vx3 vx3_cross(Vx3 a, Vx3 b)
{
    return (Vx3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline Vx3 vx3_shift1(Vx3 before, Vx3 a)
{
    return (Vx3){v_shift1(before.x, a.x), v_shift1(before.y, a.y), v_shift1(before.z, a.z)};
}
static inline Vx3 vx3_shift2(Vx3 before, Vx3 a)
{
    return (Vx3){v_shift2(before.x, a.x), v_shift2(before.y, a.y), v_shift2(before.z, a.z)};
}

// The lanes of a moved down by one or two; the last ones come from the start of `next`.
static inline V v_ahead1(V a, V next)
{
#if V_LANES == 8
    return __builtin_shufflevector(a, next, 1, 2, 3, 4, 5, 6, 7, 8);
#elif V_LANES == 4
    return __builtin_shufflevector(a, next, 1, 2, 3, 4);
#else
    return __builtin_shufflevector(a, next, 1, 2);
#endif
}
static inline V v_ahead2(V a, V next)
{
#if V_LANES == 8
    return __builtin_shufflevector(a, next, 2, 3, 4, 5, 6, 7, 8, 9);
#elif V_LANES == 4
    return __builtin_shufflevector(a, next, 2, 3, 4, 5);
#else
    (void)a;
    return next;
#endif
}
static inline Vx3 vx3_ahead1(Vx3 a, Vx3 next)
{
    return (Vx3){v_ahead1(a.x, next.x), v_ahead1(a.y, next.y), v_ahead1(a.z, next.z)};
}
static inline Vx3 vx3_ahead2(Vx3 a, Vx3 next)
{
    return (Vx3){v_ahead2(a.x, next.x), v_ahead2(a.y, next.y), v_ahead2(a.z, next.z)};
}

#endif
