// Private to the files that are compiled once per instruction set: the elements of Baraff and
// Witkin on a grid. baraff_witkin.c has the model and its equations.
//
// A particle owns the cell to the right and below. On a square grid the threads u and v of a
// triangle are edges of the grid, so stretching is that of springs of stiffness `stretch` along
// them, and half of that where only one triangle has the edge. The triangles of a cell are
// (here, below, right) and (right, below, below_right). Three edges belong to it, each with the
// triangles at both sides: its diagonal, its right side, its lower side. All their corners are the
// particles of Around.
#ifndef CLOTH_GRID_SHEET_H
#define CLOTH_GRID_SHEET_H

#include "cloth/baraff_witkin.h"
#include "cloth/grid_parts.h"

// ---- stretch

typedef struct Thread {
    Vx3 d;     // m, a - b
    V inverse; // 1/l, 0 if it has no direction
    V r;       // 1 - L/l, likewise
} Thread;

CASE Thread thread_of(const GridStencil *grid, Vx3 a, Vx3 b)
{
    double tiny = BW_TINY_SHARE * grid->spacing;
    Thread thread = {.d = vx3_sub(a, b)};
    V square = vx3_dot(thread.d, thread.d);
    VMask some = square > v_all(tiny * tiny);
    thread.inverse = v_rsqrt(some, square);
    thread.r = v_where(some, 1.0 - grid->spacing * thread.inverse);
    return thread;
}

// The edges to the right and below, where the first row and the first column have one triangle. The
// table knows the last ones.
typedef struct EdgeStiffness {
    V right, below;
} EdgeStiffness;

CASE EdgeStiffness edge_stiffness(Part part, int row, int number)
{
    V right = stiffness_of(part, GRID_RIGHT), below = stiffness_of(part, GRID_BELOW);
    if (number == 0) below[0] *= 0.5;
    return (EdgeStiffness){row == 0 ? 0.5 * right : right, below};
}

// ---- shear

// w_u and w_v of both triangles, times the spacing; C = w_u . w_v.
typedef struct Cell {
    Vx3 top, left, bottom, right;
} Cell;

CASE Cell cell_of(const Around *q)
{
    return (Cell){vx3_sub(q->right, q->here), vx3_sub(q->below, q->here),
                  vx3_sub(q->below_right, q->below), vx3_sub(q->below_right, q->right)};
}

// out += first grad C of the upper triangle + second grad C of the lower
CASE void add_shear(Around *out, const Cell *cell, V first, V second)
{
    Vx3 left = vx3_scale(first, cell->left), top = vx3_scale(first, cell->top);
    Vx3 right = vx3_scale(second, cell->right), bottom = vx3_scale(second, cell->bottom);
    out->here = vx3_sub(out->here, vx3_add(left, top));
    out->right = vx3_add(out->right, vx3_sub(left, bottom));
    out->below = vx3_add(out->below, vx3_sub(top, right));
    out->below_right = vx3_add(out->below_right, vx3_add(right, bottom));
}

// grad C . p of both triangles
CASE V upper_shear(const Cell *cell, const Cell *p)
{
    return vx3_dot(cell->left, p->top) + vx3_dot(cell->top, p->left);
}
CASE V lower_shear(const Cell *cell, const Cell *p)
{
    return vx3_dot(cell->right, p->bottom) + vx3_dot(cell->bottom, p->right);
}

// ---- bending

typedef struct Normal {
    Vx3 n;      // m^2, twice the area
    V inverse;  // 1/|n|, 0 if the triangle is thin
    VMask some; // where it is not
} Normal;

CASE Normal normal_of(const GridStencil *grid, Vx3 p, Vx3 q)
{
    double per_area = 1.0 / (grid->spacing * grid->spacing);
    Normal normal = {.n = vx3_cross(p, q)};
    V square = vx3_dot(normal.n, normal.n) * (per_area * per_area);
    normal.some = square > v_all(BW_TINY_SHARE * BW_TINY_SHARE);
    normal.inverse = per_area * v_rsqrt(normal.some, square);
    return normal;
}

// atan2(y, x) for x^2 + y^2 = 1. With the larger of |x| and |y| as the cosine, the tangent of half
// the angle is at most tan(pi/8); for that atan(t)/t is a polynomial in t^2 through the Chebyshev
// points, exact to 4e-17.
CASE V angle_of(V y, V x)
{
    static const double terms[] = {
        0.9999999999999999665,   -0.333333333333285796,   0.1999999999888207706,
        -0.1428571418297856465,  0.1111110625599581821,   -0.09090774712795826085,
        0.07689975128569665072,  -0.06640410811535267761, 0.05689223501766054343,
        -0.04350445257430010837, 0.02116321748124264809};
    V ax = v_abs(x), ay = v_abs(y);
    VMask steep = ay > ax;
    V t = v_select(steep, ax, ay) / (1.0 + v_select(steep, ay, ax));
    V square = t * t, sum = v_all(terms[10]);
    for (int i = 9; i >= 0; i--) sum = sum * square + terms[i];
    V angle = 2.0 * t * sum;
    angle = v_select(steep, M_PI_2 - angle, angle);
    angle = v_select(x < v_all(0.0), M_PI - angle, angle);
    return v_select(y < v_all(0.0), -angle, angle);
}

// The sides of two triangles that share an edge: e along it, from corner 0 to 1; a and c from
// corner 0 to the third corners 2 and 3. Normals e x a and c x e.
typedef struct Sides {
    Vx3 e, a, c;
} Sides;

// With n and m the gradients of the angle by corners 2 and 3, those by 0 and 1 are
//   (at_n - 1) n + (at_m - 1) m   and   -at_n n - at_m m
// where at_n = a.e/e.e, at_m = c.e/e.e: the same as in hinge.c. All are 0 if a triangle is thin.
typedef struct Fold {
    Vx3 n, m; // rad/m
    V at_n, at_m;
    V angle; // rad
} Fold;

CASE Fold fold_of(const GridStencil *grid, Sides s, Normal first, Normal second)
{
    double per_length = 1.0 / grid->spacing;
    V square = vx3_dot(s.e, s.e) * (per_length * per_length);
    VMask some = first.some & second.some & (square > v_all(1e-30));
    V inverse = per_length * v_rsqrt(some, square), per_square = inverse * inverse;
    V length = vx3_dot(s.e, s.e) * inverse, both = first.inverse * second.inverse;
    V sine = length * vx3_dot(second.n, s.a) * both;
    return (Fold){.n = vx3_scale(length * first.inverse * first.inverse, first.n),
                  .m = vx3_scale(length * second.inverse * second.inverse, second.n),
                  .at_n = vx3_dot(s.a, s.e) * per_square,
                  .at_m = vx3_dot(s.c, s.e) * per_square,
                  .angle = v_where(some, angle_of(sine, vx3_dot(first.n, second.n) * both))};
}

typedef struct CellSides {
    Sides diagonal, right, below;
} CellSides;

CASE CellSides sides_of(const Around *q)
{
    Vx3 rise = vx3_sub(q->below, q->right), side = vx3_sub(q->below_right, q->right);
    Vx3 back = vx3_sub(q->below, q->below_right);
    return (CellSides){
        .diagonal = {rise, vx3_sub(q->here, q->right), side},
        .right = {side, rise, vx3_sub(q->right2, q->right)},
        .below = {back, vx3_sub(q->right, q->below_right), vx3_sub(q->below2, q->below_right)}};
}

typedef struct Folds {
    Fold diagonal, right, below;
} Folds;

CASE Folds folds_of(const GridStencil *grid, const CellSides *s)
{
    Normal upper = normal_of(grid, s->diagonal.e, s->diagonal.a);
    Normal lower = normal_of(grid, s->right.e, s->right.a);
    return (Folds){
        fold_of(grid, s->diagonal, upper, lower),
        fold_of(grid, s->right, lower, normal_of(grid, s->right.c, s->right.e)),
        fold_of(grid, s->below, lower, normal_of(grid, s->below.c, s->below.e)),
    };
}

// grad angle . p, with p the values at the corners
CASE V fold_rate(const Fold *fold, Vx3 p0, Vx3 p1, Vx3 p2, Vx3 p3)
{
    Vx3 step = vx3_sub(p0, p1);
    Vx3 at2 = vx3_add_scaled(vx3_sub(p2, p0), fold->at_n, step);
    Vx3 at3 = vx3_add_scaled(vx3_sub(p3, p0), fold->at_m, step);
    return vx3_dot(fold->n, at2) + vx3_dot(fold->m, at3);
}

// out += scale grad angle
CASE void add_fold(const Fold *fold, V scale, Vx3 *out0, Vx3 *out1, Vx3 *out2, Vx3 *out3)
{
    Vx3 n = vx3_scale(scale, fold->n), m = vx3_scale(scale, fold->m);
    Vx3 at1 = vx3_add_scaled(vx3_scale(fold->at_n, n), fold->at_m, m); // the opposite
    *out0 = vx3_add(*out0, vx3_sub(at1, vx3_add(n, m)));
    *out1 = vx3_sub(*out1, at1);
    *out2 = vx3_add(*out2, n);
    *out3 = vx3_add(*out3, m);
}

// The corners 0 to 3 of the three edges, or with & their addresses.
#define DIAGONAL_CORNERS(sign, p)                                                                  \
    sign(p)->right, sign(p)->below, sign(p)->here, sign(p)->below_right
#define RIGHT_CORNERS(sign, p) sign(p)->right, sign(p)->below_right, sign(p)->below, sign(p)->right2
#define BELOW_CORNERS(sign, p) sign(p)->below_right, sign(p)->below, sign(p)->right, sign(p)->below2

#endif
