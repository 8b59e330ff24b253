// With e the edge from corner 0 to 1, u = e/|e|, and normals of twice the triangles' areas
//   n = (x2 - x0) x (x2 - x1),   m = (x3 - x1) x (x3 - x0),
//   angle = atan2( u . (m x n), n . m )
// the derivatives are, with n* = n / |n|^2 and m* = m / |m|^2,
//   by x2:  |e| n*        by x0:   ((x2 - x1) . u) n* + ((x3 - x1) . u) m*
//   by x3:  |e| m*        by x1:  -((x2 - x0) . u) n* - ((x3 - x0) . u) m*
// (Bridson, Marino & Fedkiw 2003, with the signs of this orientation). The rate is each line
// differentiated along the corners' velocities. Checked in test_models.c.
#include "cloth/hinge.h"

// A vector and its rate.
typedef struct Moving {
    Vec3 at, rate;
} Moving;

static Moving between(const Vec3 x[4], const Vec3 v[4], int from, int to)
{
    return (Moving){vec3_sub(x[to], x[from]), vec3_sub(v[to], v[from])};
}

static Moving cross(Moving a, Moving b)
{
    return (Moving){vec3_cross(a.at, b.at),
                    vec3_add(vec3_cross(a.rate, b.at), vec3_cross(a.at, b.rate))};
}

// n / |n|^2
static Moving inverted(Moving n)
{
    double square = vec3_dot(n.at, n.at), rate = 2.0 * vec3_dot(n.at, n.rate);
    Vec3 at = vec3_scale(1.0 / square, n.at);
    return (Moving){at, vec3_scale(1.0 / square, vec3_add_scaled(n.rate, -rate, at))};
}

// out += the rate of  sign (a . b) c
static void add_rate(Vec3 *out, double sign, Moving a, Moving b, Moving c)
{
    double dot = sign * vec3_dot(a.at, b.at);
    double rate = sign * (vec3_dot(a.rate, b.at) + vec3_dot(a.at, b.rate));
    *out = vec3_add_scaled(vec3_add_scaled(*out, dot, c.rate), rate, c.at);
}

bool hinge_at(const Vec3 x[4], double thinnest, Hinge *hinge)
{
    Vec3 edge = vec3_sub(x[1], x[0]);
    Vec3 to2[2] = {vec3_sub(x[2], x[0]), vec3_sub(x[2], x[1])};
    Vec3 to3[2] = {vec3_sub(x[3], x[0]), vec3_sub(x[3], x[1])};
    Vec3 n = vec3_cross(to2[0], to2[1]), m = vec3_cross(to3[1], to3[0]);
    double nn = vec3_dot(n, n), mm = vec3_dot(m, m), length = vec3_length(edge);
    if (!(nn > thinnest && mm > thinnest && length > 0.0)) return false;
    Vec3 u = vec3_scale(1.0 / length, edge);
    hinge->angle = atan2(vec3_dot(u, vec3_cross(m, n)), vec3_dot(n, m));
    n = vec3_scale(1.0 / nn, n);
    m = vec3_scale(1.0 / mm, m);
    double near2 = vec3_dot(to2[1], u), near3 = vec3_dot(to3[1], u);
    double far2 = -vec3_dot(to2[0], u), far3 = -vec3_dot(to3[0], u);
    hinge->gradient[0] = vec3_add_scaled(vec3_scale(near2, n), near3, m);
    hinge->gradient[1] = vec3_add_scaled(vec3_scale(far2, n), far3, m);
    hinge->gradient[2] = vec3_scale(length, n);
    hinge->gradient[3] = vec3_scale(length, m);
    return true;
}

bool hinge_gradient_rate(const Vec3 x[4], const Vec3 v[4], double thinnest, Vec3 rate[4])
{
    Moving edge = between(x, v, 0, 1);
    Moving to2[2] = {between(x, v, 0, 2), between(x, v, 1, 2)};
    Moving to3[2] = {between(x, v, 0, 3), between(x, v, 1, 3)};
    Moving n = cross(to2[0], to2[1]), m = cross(to3[1], to3[0]);
    double length = vec3_length(edge.at);
    if (!(vec3_dot(n.at, n.at) > thinnest && vec3_dot(m.at, m.at) > thinnest && length > 0.0))
        return false;
    Moving u = {.at = vec3_scale(1.0 / length, edge.at)};
    double stretching = vec3_dot(u.at, edge.rate);
    u.rate = vec3_scale(1.0 / length, vec3_add_scaled(edge.rate, -stretching, u.at));
    n = inverted(n);
    m = inverted(m);
    for (int k = 0; k < 4; k++) rate[k] = (Vec3){0};
    add_rate(&rate[0], 1.0, to2[1], u, n);
    add_rate(&rate[0], 1.0, to3[1], u, m);
    add_rate(&rate[1], -1.0, to2[0], u, n);
    add_rate(&rate[1], -1.0, to3[0], u, m);
    add_rate(&rate[2], 1.0, edge, u, n); // edge . u = |e|
    add_rate(&rate[3], 1.0, edge, u, m);
    return true;
}
