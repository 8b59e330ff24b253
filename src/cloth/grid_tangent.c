// Tangents of the springs of a grid, straight or buckling. Compiled once per instruction set, see
// src/meson.build.
#include "cloth/grid_tangent.h"
#include "cloth/grid_choi_ko.h"

enum { BUCKLING_SIZE = 5 }; // u, dT/dl and T/l

// ---- forces of a part of a row's springs on both of their ends

typedef struct Reactions { // per spring, on its first end
    Vx3 right, below, falling, rising, right2, below2;
} Reactions;

// Lanes that belong to the next part of this row.
typedef struct Carry {
    Vx3 right, right2, falling;
} Carry;

static const Vx3 nothing;

// Add the reactions to their row and to the two rows below; `sign` is that of the second end. The
// row two below is overwritten: nothing was added to it yet.
CASE Vx3 spread(double sign, Reactions g, Carry *carry, Roll roll, long width)
{
    V s = v_all(sign);
    Carry now = {
        .right = vx3_add_scaled(g.rising, s, g.right), .right2 = g.right2, .falling = g.falling};
    Vx3 own = vx3_add(vx3_add(vx3_add(g.right, g.below), vx3_add(g.falling, g.right2)), g.below2);
    Vx3 here = vx3_add(vx3_load(roll.here, width), own);
    here = vx3_add(here, vx3_shift1(carry->right, now.right));
    here = vx3_add_scaled(here, s, vx3_shift2(carry->right2, now.right2));
    Vx3 below = vx3_add(vx3_add(g.below, g.rising), vx3_shift1(carry->falling, now.falling));
    vx3_store(roll.next, width, vx3_add_scaled(vx3_load(roll.next, width), s, below));
    vx3_store(roll.after, width, vx3_scale(s, g.below2));
    *carry = now;
    return here;
}

// ---- one spring in each lane

CASE Axis axis(Vx3 a, Vx3 b, double rest_length)
{
    Direction s = direction(a, b);
    return (Axis){vx3_scale(s.inverse, s.d), v_where(s.some, 1.0 - rest_length * s.inverse)};
}

// A spring of Choi and Ko.
typedef struct Buckling {
    Vx3 u;
    Response response;
} Buckling;

CASE Buckling buckling(GridSpring spring, Vx3 a, Vx3 b, V k, double rest_length)
{
    Direction s = direction(a, b);
    return (Buckling){
        vx3_scale(s.inverse, s.d),
        response(true, spring, v_where(s.some, k), rest_length, vx3_dot(s.d, s.d), s.inverse)};
}

CASE Block block_of_buckling(bool constant_part, Buckling s, V k, BlockLaw law)
{
    V q = s.response.share;
    V isotropic = law.t1 * v_positive(q) + law.t2 * q, total = law.total * s.response.slope;
    if (constant_part) {
        V there = v_where(vx3_dot(s.u, s.u) > v_all(0.5), k);
        isotropic += law.t0 * s.response.slope + law.whole_t0 * there;
        total += law.whole * there;
    }
    return (Block){s.u, isotropic, total - isotropic};
}

CASE long size_of(bool buckles)
{
    return buckles ? BUCKLING_SIZE : AXIS_SIZE;
}

CASE void geometry_of_spring(bool buckles, const GridStencil *grid, Part part, GridSpring spring,
                             Vx3 a, Vx3 b, double *geometry)
{
    double L = grid->rest_length[spring];
    double *to = geometry + size_of(buckles) * MESH_LANES * (int)spring;
    if (!buckles) {
        axis_store(to, axis(a, b, L));
        return;
    }
    Buckling s = buckling(spring, a, b, stiffness_of(part, spring), L);
    vx3_store(to, MESH_LANES, s.u);
    v_store(to + 3 * MESH_LANES, s.response.slope);
    v_store(to + 4 * MESH_LANES, s.response.share);
}

CASE Block stored_block(bool buckles, bool constant_part, Part part, GridSpring spring,
                        const double *geometry, BlockLaw law)
{
    V k = stiffness_of(part, spring);
    const double *from = geometry + size_of(buckles) * MESH_LANES * (int)spring;
    if (!buckles) return block_of_axis(constant_part, axis_load(from), k, law);
    Buckling s = {vx3_load(from, MESH_LANES),
                  {v_load(from + 3 * MESH_LANES), v_load(from + 4 * MESH_LANES)}};
    return block_of_buckling(constant_part, s, k, law);
}

CASE Block block_at(bool buckles, bool constant_part, const GridStencil *grid, Part part,
                    GridSpring spring, Vx3 a, Vx3 b, BlockLaw law)
{
    V k = stiffness_of(part, spring);
    double L = grid->rest_length[spring];
    if (!buckles) return block_of_axis(constant_part, axis(a, b, L), k, law);
    return block_of_buckling(constant_part, buckling(spring, a, b, k, L), k, law);
}

// ---- rows

CASE long geometry_at(bool buckles, Part part)
{
    return part.block * size_of(buckles) * GRID_SPRINGS * MESH_LANES + part.lane;
}

CASE void geometry_of_rows(bool buckles, const GridStencil *grid, const double *x, int first,
                           int last, double *geometry)
{
    for (int row = first; row < last; row++) {
        for (int number = 0; number < parts_of_row(grid); number++) {
            Part part = part_of_row(grid, row, number);
            Around q = look_around(x + part.at, grid->width);
            double *to = geometry + geometry_at(buckles, part);
            geometry_of_spring(buckles, grid, part, GRID_RIGHT, q.here, q.right, to);
            geometry_of_spring(buckles, grid, part, GRID_BELOW, q.here, q.below, to);
            geometry_of_spring(buckles, grid, part, GRID_FALLING, q.here, q.below_right, to);
            geometry_of_spring(buckles, grid, part, GRID_RISING, q.right, q.below, to);
            geometry_of_spring(buckles, grid, part, GRID_RIGHT2, q.here, q.right2, to);
            geometry_of_spring(buckles, grid, part, GRID_BELOW2, q.here, q.below2, to);
        }
    }
}

// Returns, per lane, the row's part of p'out. It is written only if `out` is not NULL, and is
// needed also where it is not: what reaches the rows below is in `roll`.
CASE V product_of_row(bool buckles, bool constant_part, bool stored, const GridStencil *grid,
                      const GridProduct *product, int row, double *out, Roll roll)
{
    long width = grid->width;
    V dot = v_all(0.0);
    Carry carry = {nothing, nothing, nothing};
    for (int number = 0; number < parts_of_row(grid); number++) {
        Part part = part_of_row(grid, row, number);
        long at = part.at, in_row = at - 3L * row * width;
        const double *axes = stored ? product->geometry + geometry_at(buckles, part) : NULL;
        Around q = look_around(product->p + at, width), at_x = q;
        if (!stored) at_x = look_around(product->x + at, width);
#define PRODUCT(a, b, spring)                                                                      \
    block_product(stored ? stored_block(buckles, constant_part, part, spring, axes, product->law)  \
                         : block_at(buckles, constant_part, grid, part, spring, at_x.a, at_x.b,    \
                                    product->law),                                                 \
                  q.a, q.b)
        Reactions g = {.right = PRODUCT(here, right, GRID_RIGHT),
                       .below = PRODUCT(here, below, GRID_BELOW),
                       .falling = PRODUCT(here, below_right, GRID_FALLING),
                       .rising = PRODUCT(right, below, GRID_RISING),
                       .right2 = PRODUCT(here, right2, GRID_RIGHT2),
                       .below2 = PRODUCT(here, below2, GRID_BELOW2)};
#undef PRODUCT
        Roll there = {roll.here + in_row, roll.next + in_row, roll.after + in_row};
        Vx3 sum = spread(-1.0, g, &carry, there, width);
        sum = vx3_add_scaled(sum, product->mass_factor * v_load(product->mass + at), q.here);
        dot += vx3_dot(q.here, sum);
        if (out) vx3_store(out + at, width, sum);
    }
    return dot;
}

CASE void product_of_rows(bool buckles, bool constant_part, bool stored, const GridStencil *grid,
                          const GridProduct *product, int first, int last, double *memory)
{
    Roll roll = roll_start(grid, memory);
    for (int row = roll_first_row(first); row < last; row++, roll = roll_on(roll)) {
        V dot = product_of_row(buckles, constant_part, stored, grid, product, row,
                               row < first ? NULL : product->out, roll);
        if (row >= first) product->dots[row] = v_sum(dot);
    }
}

CASE void product_of_model(bool buckles, const GridStencil *grid, const GridProduct *product,
                           int first, int last, double *roll)
{
    const BlockLaw *law = &product->law;
    bool constant_part = law->t0 != 0.0 || law->whole != 0.0 || law->whole_t0 != 0.0;
    if (constant_part && product->geometry) {
        product_of_rows(buckles, true, true, grid, product, first, last, roll);
    } else if (constant_part) {
        product_of_rows(buckles, true, false, grid, product, first, last, roll);
    } else if (product->geometry) {
        product_of_rows(buckles, false, true, grid, product, first, last, roll);
    } else {
        product_of_rows(buckles, false, false, grid, product, first, last, roll);
    }
}

CASE void diagonal_half(bool main, bool buckles, const GridStencil *grid, BlockLaw law,
                        const double *geometry, double *out)
{
    long width = grid->width;
    clear_rows(grid, out);
    for (int row = 0; row < grid->rows; row++) {
        Carry carry = {nothing, nothing, nothing};
        for (int number = 0; number < parts_of_row(grid); number++) {
            Part part = part_of_row(grid, row, number);
            const double *axes = geometry + geometry_at(buckles, part);
#define HALF(spring) half_block(main, stored_block(buckles, true, part, spring, axes, law))
            Reactions g = {HALF(GRID_RIGHT),  HALF(GRID_BELOW),  HALF(GRID_FALLING),
                           HALF(GRID_RISING), HALF(GRID_RIGHT2), HALF(GRID_BELOW2)};
#undef HALF
            double *here = out + part.at;
            Roll roll = {here, here + 3 * width, here + 6 * width};
            vx3_store(here, width, spread(1.0, g, &carry, roll, width));
        }
    }
}

// ---- springs

static void geometry(const GridStencil *grid, const double *x, int first, int last, double *to)
{
    geometry_of_rows(false, grid, x, first, last, to);
}

static void product(const GridStencil *grid, const GridProduct *what, int first, int last,
                    double *roll)
{
    product_of_model(false, grid, what, first, last, roll);
}

static void diagonal(const GridStencil *grid, BlockLaw law, const double *stored, const double *x,
                     double *main, double *off)
{
    (void)x;
    diagonal_half(true, false, grid, law, stored, main);
    diagonal_half(false, false, grid, law, stored, off);
}

GridKernelSweep KERNEL(sweep_springs), KERNEL(sweep_choi_ko);
GridKernelEnergy KERNEL(energy_springs), KERNEL(energy_choi_ko);

extern const GridModelKernels KERNEL(grid_springs), KERNEL(grid_choi_ko);
const GridModelKernels KERNEL(grid_springs) = {
    .geometry_size = AXIS_SIZE * GRID_SPRINGS * MESH_LANES,
    .sweep = KERNEL(sweep_springs),
    .energy = KERNEL(energy_springs),
    .geometry = geometry,
    .product = product,
    .diagonal = diagonal,
};

// ---- springs that buckle

static void buckling_geometry(const GridStencil *grid, const double *x, int first, int last,
                              double *to)
{
    geometry_of_rows(true, grid, x, first, last, to);
}

static void buckling_product(const GridStencil *grid, const GridProduct *what, int first, int last,
                             double *roll)
{
    product_of_model(true, grid, what, first, last, roll);
}

static void buckling_diagonal(const GridStencil *grid, BlockLaw law, const double *stored,
                              const double *x, double *main, double *off)
{
    (void)x;
    diagonal_half(true, true, grid, law, stored, main);
    diagonal_half(false, true, grid, law, stored, off);
}

const GridModelKernels KERNEL(grid_choi_ko) = {
    .geometry_size = BUCKLING_SIZE * GRID_SPRINGS * MESH_LANES,
    .sweep = KERNEL(sweep_choi_ko),
    .energy = KERNEL(energy_choi_ko),
    .geometry = buckling_geometry,
    .product = buckling_product,
    .diagonal = buckling_diagonal,
};
