#include "cloth/nearest.h"

static double clamp(double value)
{
    return value < 0.0 ? 0.0 : value > 1.0 ? 1.0 : value;
}

// Where the nearest point of the segment a b is, from a: 0 to 1.
static double along_segment(Vec3 point, Vec3 a, Vec3 b)
{
    Vec3 side = vec3_sub(b, a);
    double square = vec3_dot(side, side);
    return square > 0.0 ? clamp(vec3_dot(vec3_sub(point, a), side) / square) : 0.0;
}

// On the border of the triangle: the nearest of the nearest points of its sides.
static Vec3 nearest_on_border(Vec3 point, const Vec3 corner[3], double share[2])
{
    Vec3 best = {0};
    double least = INFINITY;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        double s = along_segment(point, corner[i], corner[j]);
        Vec3 there = vec3_add_scaled(corner[i], s, vec3_sub(corner[j], corner[i]));
        Vec3 away = vec3_sub(point, there);
        double square = vec3_dot(away, away);
        if (square >= least) continue;
        double weight[3] = {0};
        weight[i] = 1.0 - s;
        weight[j] = s;
        share[0] = weight[1], share[1] = weight[2];
        least = square;
        best = away;
    }
    return best;
}

Vec3 nearest_on_triangle(Vec3 point, Vec3 a, Vec3 b, Vec3 c, double share[2])
{
    Vec3 ab = vec3_sub(b, a), ac = vec3_sub(c, a), ap = vec3_sub(point, a);
    double bb = vec3_dot(ab, ab), bc = vec3_dot(ab, ac), cc = vec3_dot(ac, ac);
    double pb = vec3_dot(ap, ab), pc = vec3_dot(ap, ac);
    double area = bb * cc - bc * bc; // twice the area, squared
    if (area > 1e-12 * bb * cc) {
        double u = (cc * pb - bc * pc) / area, w = (bb * pc - bc * pb) / area;
        if (u >= 0.0 && w >= 0.0 && u + w <= 1.0) {
            share[0] = u, share[1] = w;
            return vec3_add_scaled(vec3_add_scaled(ap, -u, ab), -w, ac);
        }
    }
    return nearest_on_border(point, (const Vec3[3]){a, b, c}, share);
}

Vec3 nearest_on_segments(Vec3 a0, Vec3 a1, Vec3 b0, Vec3 b1, double share[2])
{
    Vec3 a = vec3_sub(a1, a0), b = vec3_sub(b1, b0), between = vec3_sub(a0, b0);
    double aa = vec3_dot(a, a), bb = vec3_dot(b, b), ab = vec3_dot(a, b);
    double fa = vec3_dot(a, between), fb = vec3_dot(b, between);
    double area = aa * bb - ab * ab; // 0 when they are parallel
    double s = area > 1e-12 * aa * bb ? clamp((ab * fb - bb * fa) / area) : 0.5;
    // the nearest point of b, clamped, and then that of a again: exact (Ericson 2005, 5.1.9)
    double u = bb > 0.0 ? clamp((ab * s + fb) / bb) : 0.0;
    s = aa > 0.0 ? clamp((ab * u - fa) / aa) : 0.0;
    share[0] = s, share[1] = u;
    return vec3_add_scaled(vec3_add_scaled(between, s, a), -u, b);
}

// Six times the volume of a tetrahedron.
static double volume(Vec3 a, Vec3 b, Vec3 c, Vec3 d)
{
    return vec3_dot(vec3_cross(vec3_sub(b, a), vec3_sub(c, a)), vec3_sub(d, a));
}

bool segment_passes(Vec3 p, Vec3 q, Vec3 a, Vec3 b, Vec3 c)
{
    double from = volume(a, b, c, p), to = volume(a, b, c, q);
    if (!(from * to < 0.0)) return false;
    // an edge in the triangle's plane: the signs are rounding
    double size =
        vec3_length(vec3_sub(q, p)) * vec3_length(vec3_sub(b, a)) * vec3_length(vec3_sub(c, a));
    if (fabs(to - from) <= 1e-12 * size) return false;
    double ab = volume(p, q, a, b), bc = volume(p, q, b, c), ca = volume(p, q, c, a);
    return (ab > 0.0 && bc > 0.0 && ca > 0.0) || (ab < 0.0 && bc < 0.0 && ca < 0.0);
}
