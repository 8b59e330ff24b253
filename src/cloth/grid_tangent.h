// Private to the files that are compiled once per instruction set: the tangent of a spring, or of a
// thread of Baraff and Witkin's triangles, in each lane.
#ifndef CLOTH_GRID_TANGENT_H
#define CLOTH_GRID_TANGENT_H

#include "cloth/grid_parts.h"

// Of a spring of a mesh that is not a grid, or a thread: u, 0 if it has no length, and r = 1 - L/l.
typedef struct Axis {
    Vx3 u;
    V r;
} Axis;
enum { AXIS_SIZE = 4 };

CASE Axis axis_load(const double *from)
{
    return (Axis){vx3_load(from, MESH_LANES), v_load(from + 3 * MESH_LANES)};
}
CASE void axis_store(double *to, Axis axis)
{
    vx3_store(to, MESH_LANES, axis.u);
    v_store(to + 3 * MESH_LANES, axis.r);
}

// isotropic I + axial u u', where u need not have length 1
typedef struct Block {
    Vx3 u;
    V isotropic, axial;
} Block;

// For a spring without a length u = 0 and r = 0; only t0 must be masked.
CASE Block block_of_axis(bool constant_part, Axis s, V k, BlockLaw law)
{
    V t = law.t1 * v_positive(s.r) + law.t2 * s.r;
    if (constant_part) t += v_where(vx3_dot(s.u, s.u) > v_all(0.5), v_all(law.t0));
    V isotropic = k * t;
    return (Block){s.u, isotropic, law.total * k - isotropic};
}

// What a linearisation keeps of a grid's spring is 1/l, or 1/L where it has no length, so that r =
// 1 - L/l is 0 there. Its direction comes from the positions, which all springs of a particle
// share.
CASE V kept_inverse(Direction s, double rest_length)
{
    return v_select(s.some, s.inverse, v_all(1.0 / rest_length));
}

CASE Block block_of_spring(bool constant_part, Vx3 d, V inverse, double rest_length, V k,
                           BlockLaw law)
{
    V r = 1.0 - rest_length * inverse, square = inverse * inverse;
    V t = law.t1 * v_positive(r) + law.t2 * r;
    if (constant_part) t += v_where(square * vx3_dot(d, d) > v_all(0.5), v_all(law.t0));
    V isotropic = k * t;
    return (Block){d, isotropic, (law.total * k - isotropic) * square};
}

// B (p_a - p_b)
CASE Vx3 block_product(Block block, Vx3 pa, Vx3 pb)
{
    Vx3 d = vx3_sub(pa, pb);
    return vx3_add_scaled(vx3_scale(block.isotropic, d), block.axial * vx3_dot(block.u, d),
                          block.u);
}

// Half of  s g g':  xx, yy, zz or xy, xz, yz.
CASE Vx3 half_square(bool main, V s, Vx3 g)
{
    if (!main) return vx3_scale(s, (Vx3){g.x * g.y, g.x * g.z, g.y * g.z});
    return vx3_scale(s, (Vx3){g.x * g.x, g.y * g.y, g.z * g.z});
}

// The same half of a block.
CASE Vx3 half_block(bool main, Block block)
{
    Vx3 u = block.u;
    if (!main) return vx3_scale(block.axial, (Vx3){u.x * u.y, u.x * u.z, u.y * u.z});
    return (Vx3){block.isotropic + block.axial * u.x * u.x,
                 block.isotropic + block.axial * u.y * u.y,
                 block.isotropic + block.axial * u.z * u.z};
}

#endif
