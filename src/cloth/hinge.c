// With e the edge from corner 0 to 1, u = e/|e|, and normals as long as twice the areas
//   n = (x2 - x0) x (x2 - x1),   m = (x3 - x1) x (x3 - x0),
//   angle = atan2( u . (m x n), n . m )
// the derivatives are, with n* = n / |n|^2 and m* = m / |m|^2,
//   by x2:  |e| n*        by x0:   ((x2 - x1) . u) n* + ((x3 - x1) . u) m*
//   by x3:  |e| m*        by x1:  -((x2 - x0) . u) n* - ((x3 - x0) . u) m*
// (Bridson, Marino & Fedkiw 2003, with the signs of this orientation). The rate
// differentiates each line once more along the corners' velocities. Checked in test_models.c.
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

// out += sign (a . b) c, and its rate
static void add_product(Moving *out, double sign, Moving a, Moving b, Moving c)
{
    double dot = sign * vec3_dot(a.at, b.at);
    double rate = sign * (vec3_dot(a.rate, b.at) + vec3_dot(a.at, b.rate));
    out->at = vec3_add_scaled(out->at, dot, c.at);
    out->rate = vec3_add_scaled(vec3_add_scaled(out->rate, dot, c.rate), rate, c.at);
}

typedef struct Frame {
    Moving n, m, unit;
} Frame;

// Gradient with its rate; `frame` is what the angle needs.
static bool differentiate(const Vec3 x[4], const Vec3 v[4], double thinnest, Frame *frame,
                          Moving gradient[4])
{
    Moving edge = between(x, v, 0, 1);
    Moving to2[2] = {between(x, v, 0, 2), between(x, v, 1, 2)};
    Moving to3[2] = {between(x, v, 0, 3), between(x, v, 1, 3)};
    Moving n = cross(to2[0], to2[1]), m = cross(to3[1], to3[0]);
    double length = vec3_length(edge.at);
    if (!(vec3_dot(n.at, n.at) > thinnest && vec3_dot(m.at, m.at) > thinnest && length > 0.0))
        return false;
    Moving unit = {.at = vec3_scale(1.0 / length, edge.at)};
    double stretching = vec3_dot(unit.at, edge.rate);
    unit.rate = vec3_scale(1.0 / length, vec3_add_scaled(edge.rate, -stretching, unit.at));
    *frame = (Frame){n, m, unit};

    Moving n_inverted = inverted(n), m_inverted = inverted(m);
    for (int k = 0; k < 4; k++) gradient[k] = (Moving){0};
    add_product(&gradient[0], 1.0, to2[1], unit, n_inverted);
    add_product(&gradient[0], 1.0, to3[1], unit, m_inverted);
    add_product(&gradient[1], -1.0, to2[0], unit, n_inverted);
    add_product(&gradient[1], -1.0, to3[0], unit, m_inverted);
    add_product(&gradient[2], 1.0, edge, unit, n_inverted); // edge . unit = |e|
    add_product(&gradient[3], 1.0, edge, unit, m_inverted);
    return true;
}

bool hinge_at(const Vec3 corner[4], double thinnest, Hinge *hinge)
{
    static const Vec3 at_rest[4];
    Frame frame;
    Moving gradient[4];
    if (!differentiate(corner, at_rest, thinnest, &frame, gradient)) return false;
    double sine = vec3_dot(frame.unit.at, vec3_cross(frame.m.at, frame.n.at));
    hinge->angle = atan2(sine, vec3_dot(frame.n.at, frame.m.at));
    for (int k = 0; k < 4; k++) hinge->gradient[k] = gradient[k].at;
    return true;
}

bool hinge_gradient_rate(const Vec3 corner[4], const Vec3 velocity[4], double thinnest,
                         Vec3 rate[4])
{
    Frame frame;
    Moving gradient[4];
    if (!differentiate(corner, velocity, thinnest, &frame, gradient)) return false;
    for (int k = 0; k < 4; k++) rate[k] = gradient[k].rate;
    return true;
}
