// Tangents of the springs of a grid, straight or buckling. Compiled once per instruction set, see
// src/meson.build.
#include "cloth/grid_tangent.h"
#include "cloth/grid_choi_ko.h"
#include "cloth/grid_turn.h"

enum { BUCKLING_SIZE = 3 }; // 1/l, dT/dl and T/l

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

// A spring of Choi and Ko.
typedef struct Buckling {
    Vx3 d;
    V inverse;
    Response response;
} Buckling;

CASE Buckling buckling(GridSpring spring, Vx3 a, Vx3 b, V k, double rest_length)
{
    Direction s = direction(a, b);
    return (Buckling){
        s.d, kept_inverse(s, rest_length),
        response(true, spring, v_where(s.some, k), rest_length, vx3_dot(s.d, s.d), s.inverse)};
}

CASE Block block_of_buckling(bool constant_part, Buckling s, V k, BlockLaw law)
{
    V q = s.response.share, square = s.inverse * s.inverse;
    V isotropic = law.t1 * v_positive(q) + law.t2 * q, total = law.total * s.response.slope;
    if (constant_part) {
        V there = v_where(square * vx3_dot(s.d, s.d) > v_all(0.5), k);
        isotropic += law.t0 * s.response.slope + law.whole_t0 * there;
        total += law.whole * there;
    }
    return (Block){s.d, isotropic, (total - isotropic) * square};
}

CASE long size_of(bool buckles)
{
    return buckles ? BUCKLING_SIZE : 1;
}

CASE void geometry_of_spring(bool buckles, const GridStencil *grid, Part part, GridSpring spring,
                             Vx3 a, Vx3 b, double *geometry)
{
    double L = grid->rest_length[spring];
    double *to = geometry + size_of(buckles) * MESH_LANES * (int)spring;
    if (!buckles) {
        v_store(to, kept_inverse(direction(a, b), L));
        return;
    }
    Buckling s = buckling(spring, a, b, stiffness_of(part, spring), L);
    v_store(to, s.inverse);
    v_store(to + MESH_LANES, s.response.slope);
    v_store(to + 2 * MESH_LANES, s.response.share);
}

// Of a spring from a to b, where the linearisation was.
CASE Block stored_block(bool buckles, bool constant_part, const GridStencil *grid, Part part,
                        GridSpring spring, const double *geometry, Vx3 a, Vx3 b, BlockLaw law)
{
    V k = stiffness_of(part, spring);
    const double *from = geometry + size_of(buckles) * MESH_LANES * (int)spring;
    Vx3 d = vx3_sub(a, b);
    V inverse = v_load(from);
    if (!buckles)
        return block_of_spring(constant_part, d, inverse, grid->rest_length[spring], k, law);
    Buckling s = {d, inverse, {v_load(from + MESH_LANES), v_load(from + 2 * MESH_LANES)}};
    return block_of_buckling(constant_part, s, k, law);
}

CASE Block block_at(bool buckles, bool constant_part, const GridStencil *grid, Part part,
                    GridSpring spring, Vx3 a, Vx3 b, BlockLaw law)
{
    V k = stiffness_of(part, spring);
    double L = grid->rest_length[spring];
    if (buckles) return block_of_buckling(constant_part, buckling(spring, a, b, k, L), k, law);
    Direction s = direction(a, b);
    return block_of_spring(constant_part, s.d, kept_inverse(s, L), L, k, law);
}

// Where a product has the blocks of springs from.
typedef enum Source { SOURCE_PLACES, SOURCE_GEOMETRY, SOURCE_MATRIX } Source;

CASE void matrix_store(double *to, GridSpring spring, Block block)
{
    to += 2 * MESH_LANES * (int)spring;
    v_store(to, block.isotropic);
    v_store(to + MESH_LANES, block.axial);
}

CASE Block matrix_load(const double *from, GridSpring spring, Vx3 a, Vx3 b)
{
    from += 2 * MESH_LANES * (int)spring;
    return (Block){vx3_sub(a, b), v_load(from), v_load(from + MESH_LANES)};
}

// ---- rows

CASE long matrix_at(Part part)
{
    return part.block * GRID_MATRIX + part.lane;
}

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

CASE Vx3 product_of_spring(bool buckles, bool constant_part, Source source, const GridStencil *grid,
                           const GridProduct *product, Part part, GridSpring spring, Vx3 xa, Vx3 xb,
                           Vx3 pa, Vx3 pb)
{
    Block block;
    if (source == SOURCE_MATRIX) {
        block = matrix_load(product->matrix + matrix_at(part), spring, xa, xb);
    } else if (source == SOURCE_GEOMETRY) {
        block = stored_block(buckles, constant_part, grid, part, spring,
                             product->geometry + geometry_at(buckles, part), xa, xb, product->law);
    } else {
        block = block_at(buckles, constant_part, grid, part, spring, xa, xb, product->law);
    }
    return block_product(block, pa, pb);
}

// Returns, per lane, the row's part of p'out. It is written only if `out` is not NULL, and is
// needed also where it is not: what reaches the rows below is in `roll`.
CASE V product_of_row(bool buckles, bool constant_part, Source source, const GridStencil *grid,
                      const PRows *p, int row, double *out, Roll roll)
{
    const GridProduct *product = p->product;
    const double *p_here = p_row(p, row), *p_next = p_row(p, row + 1), *p_after = p_row(p, row + 2);
    long width = grid->width;
    V dot = v_all(0.0);
    Carry carry = {nothing, nothing, nothing};
    for (int number = 0; number < parts_of_row(grid); number++) {
        Part part = part_of_row(grid, row, number);
        long at = part.at, in_row = at - 3L * row * width;
        Around q = look_ahead_at_rows(p_here + in_row, p_next + in_row, p_after + in_row, width);
        Around at_x = look_ahead(product->x + at, width);
#define PRODUCT(a, b, spring)                                                                      \
    product_of_spring(buckles, constant_part, source, grid, product, part, spring, at_x.a, at_x.b, \
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

CASE void product_of_rows(bool buckles, bool constant_part, Source source, const GridStencil *grid,
                          const GridProduct *product, int first, int last, double *memory)
{
    Roll roll = roll_start(grid, memory);
    PRows p = p_start(grid, product, first, last, memory);
    for (int row = roll_first_row(first); row < last; row++, roll = roll_on(roll)) {
        make_p(&p, row + 2);
        V dot = product_of_row(buckles, constant_part, source, grid, &p, row,
                               row < first ? NULL : product->out, roll);
        if (row >= first) product->dots[row] = v_sum(dot);
    }
}

CASE void product_of_model(bool buckles, const GridStencil *grid, const GridProduct *product,
                           int first, int last, double *roll)
{
    const BlockLaw *law = &product->law;
    bool constant_part = law->t0 != 0.0 || law->whole != 0.0 || law->whole_t0 != 0.0;
    if (product->matrix) {
        product_of_rows(false, false, SOURCE_MATRIX, grid, product, first, last, roll);
    } else if (constant_part && product->geometry) {
        product_of_rows(buckles, true, SOURCE_GEOMETRY, grid, product, first, last, roll);
    } else if (constant_part) {
        product_of_rows(buckles, true, SOURCE_PLACES, grid, product, first, last, roll);
    } else if (product->geometry) {
        product_of_rows(buckles, false, SOURCE_GEOMETRY, grid, product, first, last, roll);
    } else {
        product_of_rows(buckles, false, SOURCE_PLACES, grid, product, first, last, roll);
    }
}

// The springs that a part owns.
typedef struct Blocks {
    Block right, below, falling, rising, right2, below2;
} Blocks;

CASE Reactions halves(bool main, const Blocks *of)
{
    return (Reactions){half_block(main, of->right),   half_block(main, of->below),
                       half_block(main, of->falling), half_block(main, of->rising),
                       half_block(main, of->right2),  half_block(main, of->below2)};
}

CASE void diagonal_of_rows(bool buckles, const GridStencil *grid, const GridDiagonal *what,
                           int first, int last, double *memory)
{
    long width = grid->width;
    Roll main = roll_start(grid, memory);
    Roll off = roll_start(grid, memory + GRID_ROLL * 3 * width);
    for (int row = roll_first_row(first); row < last;
         row++, main = roll_on(main), off = roll_on(off)) {
        Carry carry_main = {nothing, nothing, nothing}, carry_off = carry_main;
        for (int number = 0; number < parts_of_row(grid); number++) {
            Part part = part_of_row(grid, row, number);
            long at = geometry_at(buckles, part), in_row = part.at - 3L * row * width;
            Around q = look_ahead(what->x + part.at, width);
#define STORED(a, b, spring)                                                                       \
    stored_block(buckles, true, grid, part, spring, what->geometry + at, q.a, q.b, what->law)
            Blocks of = {
                STORED(here, right, GRID_RIGHT),         STORED(here, below, GRID_BELOW),
                STORED(here, below_right, GRID_FALLING), STORED(right, below, GRID_RISING),
                STORED(here, right2, GRID_RIGHT2),       STORED(here, below2, GRID_BELOW2)};
#undef STORED
            Vx3 own = spread(1.0, halves(true, &of), &carry_main, roll_at(main, in_row), width);
            Vx3 rest = spread(1.0, halves(false, &of), &carry_off, roll_at(off, in_row), width);
            if (row < first) continue;
            vx3_store(what->main + part.at, width, own);
            vx3_store(what->off + part.at, width, rest);
            if (!what->matrix) continue;
            double *matrix = what->matrix + matrix_at(part);
            matrix_store(matrix, GRID_RIGHT, of.right);
            matrix_store(matrix, GRID_BELOW, of.below);
            matrix_store(matrix, GRID_FALLING, of.falling);
            matrix_store(matrix, GRID_RISING, of.rising);
            matrix_store(matrix, GRID_RIGHT2, of.right2);
            matrix_store(matrix, GRID_BELOW2, of.below2);
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

static void diagonal(const GridStencil *grid, const GridDiagonal *what, int first, int last,
                     double *roll)
{
    diagonal_of_rows(false, grid, what, first, last, roll);
}

GridKernelSweep KERNEL(sweep_springs), KERNEL(sweep_choi_ko);
GridKernelEnergy KERNEL(energy_springs), KERNEL(energy_choi_ko);

extern const GridModelKernels KERNEL(grid_springs), KERNEL(grid_choi_ko);
const GridModelKernels KERNEL(grid_springs) = {
    .geometry_size = GRID_SPRINGS * MESH_LANES,
    .sweep = KERNEL(sweep_springs),
    .energy = KERNEL(energy_springs),
    .geometry = geometry,
    .product = product,
    .has_matrix = true,
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

static void buckling_diagonal(const GridStencil *grid, const GridDiagonal *what, int first,
                              int last, double *roll)
{
    diagonal_of_rows(true, grid, what, first, last, roll);
}

const GridModelKernels KERNEL(grid_choi_ko) = {
    .geometry_size = BUCKLING_SIZE * GRID_SPRINGS * MESH_LANES,
    .sweep = KERNEL(sweep_choi_ko),
    .energy = KERNEL(energy_choi_ko),
    .geometry = buckling_geometry,
    .product = buckling_product,
    .has_matrix = true,
    .diagonal = buckling_diagonal,
};
