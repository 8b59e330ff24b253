#include "cloth/nearest4.h"

// Triangles whose area, squared, is a smaller share of that of a right one are taken for their
// border.
#define SLIVER 1e-6f

static inline Float4 choose(Int4 mask, Float4 a, Float4 b)
{
    return (Float4)((mask & (Int4)a) | (~mask & (Int4)b));
}

static inline Float4 clamp(Float4 a)
{
    const Float4 none = {0}, one = none + 1.0f;
    a = choose(a > none, a, none); // 0 for NaN
    return choose(a < one, a, one);
}

static inline Float4x3 load(const Float4 *place, const int (*of)[4], int count, int corner)
{
    Float4 a = place[of[0][corner]], b = place[of[count > 1 ? 1 : 0][corner]],
           c = place[of[count > 2 ? 2 : 0][corner]], d = place[of[count > 3 ? 3 : 0][corner]];
    Float4 low = __builtin_shufflevector(a, b, 0, 4, 1, 5),
           high = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    return (Float4x3){__builtin_shufflevector(low, high, 0, 1, 4, 5),
                      __builtin_shufflevector(low, high, 2, 3, 6, 7),
                      (Float4){a[2], b[2], c[2], d[2]}};
}

static inline Float4x3 minus(Float4x3 a, Float4x3 b)
{
    return (Float4x3){a.x - b.x, a.y - b.y, a.z - b.z};
}

// a + s b
static inline Float4x3 add_scaled(Float4x3 a, Float4 s, Float4x3 b)
{
    return (Float4x3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline Float4 dot(Float4x3 a, Float4x3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// To a point from a segment that starts `from` before it.
static inline Float4x3 from_segment(Float4x3 from, Float4x3 side)
{
    Float4 s = clamp(dot(from, side) / dot(side, side));
    return add_scaled(from, -s, side);
}

static inline Float4x3 choose3(Int4 mask, Float4x3 a, Float4x3 b)
{
    return (Float4x3){choose(mask, a.x, b.x), choose(mask, a.y, b.y), choose(mask, a.z, b.z)};
}

static inline Float4x3 shorter(Float4x3 a, Float4x3 b)
{
    return choose3(dot(a, a) < dot(b, b), a, b);
}

Float4x3 nearest4_triangles(const Float4 *place, const int (*of)[4], int count)
{
    Float4x3 p = load(place, of, count, 0), a = load(place, of, count, 1),
             b = load(place, of, count, 2), c = load(place, of, count, 3);
    Float4x3 ab = minus(b, a), ac = minus(c, a), ap = minus(p, a);
    Float4 bb = dot(ab, ab), bc = dot(ab, ac), cc = dot(ac, ac), pb = dot(ap, ab), pc = dot(ap, ac),
           area = bb * cc - bc * bc;
    Float4 u = (cc * pb - bc * pc) / area, w = (bb * pc - bc * pb) / area;
    Int4 inside = (area > SLIVER * bb * cc) & (u >= 0.0f) & (w >= 0.0f) & (u + w <= 1.0f);
    Float4x3 border = shorter(from_segment(ap, ab), from_segment(ap, ac));
    border = shorter(border, from_segment(minus(p, b), minus(c, b)));
    return choose3(inside, add_scaled(add_scaled(ap, -u, ab), -w, ac), border);
}

// As nearest_on_segments.
Float4x3 nearest4_edges(const Float4 *place, const int (*of)[4], int count)
{
    Float4x3 a0 = load(place, of, count, 0), b0 = load(place, of, count, 2);
    Float4x3 a = minus(load(place, of, count, 1), a0), b = minus(load(place, of, count, 3), b0),
             between = minus(a0, b0);
    Float4 aa = dot(a, a), bb = dot(b, b), ab = dot(a, b), fa = dot(a, between),
           fb = dot(b, between), area = aa * bb - ab * ab;
    Float4 s = clamp((ab * fb - bb * fa) / area);
    s = choose(area > SLIVER * aa * bb, s, (Float4){0.5f, 0.5f, 0.5f, 0.5f});
    Float4 u = clamp((ab * s + fb) / bb);
    s = clamp((ab * u - fa) / aa);
    return add_scaled(add_scaled(between, s, a), -u, b);
}
