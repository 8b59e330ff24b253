// Tangents of Baraff and Witkin's elements on a grid. Compiled once per instruction set, see
// src/meson.build.
#include "cloth/grid_sheet.h"
#include "cloth/grid_tangent.h"
#include "cloth/grid_turn.h"

// What a linearisation keeps: the axes of the edges to the right and below, then three folds of n,
// m, at_n, at_m and angle.
enum { FOLD_SIZE = 9, FOLDS = 3, SHEET_SIZE = 2 * AXIS_SIZE + FOLDS * FOLD_SIZE };

typedef struct SheetTangent {
    Axis right, below;
    Folds folds;
} SheetTangent;

CASE Axis axis_of(Thread thread)
{
    return (Axis){vx3_scale(thread.inverse, thread.d), thread.r};
}

CASE SheetTangent tangent_at(const GridStencil *grid, const Around *q)
{
    CellSides sides = sides_of(q);
    return (SheetTangent){axis_of(thread_of(grid, q->here, q->right)),
                          axis_of(thread_of(grid, q->here, q->below)), folds_of(grid, &sides)};
}

CASE Fold fold_load(const double *from)
{
    return (Fold){vx3_load(from, MESH_LANES), vx3_load(from + 3 * MESH_LANES, MESH_LANES),
                  v_load(from + 6 * MESH_LANES), v_load(from + 7 * MESH_LANES),
                  v_load(from + 8 * MESH_LANES)};
}

CASE void fold_store(double *to, Fold fold)
{
    vx3_store(to, MESH_LANES, fold.n);
    vx3_store(to + 3 * MESH_LANES, MESH_LANES, fold.m);
    v_store(to + 6 * MESH_LANES, fold.at_n);
    v_store(to + 7 * MESH_LANES, fold.at_m);
    v_store(to + 8 * MESH_LANES, fold.angle);
}

enum {
    BELOW_AXIS = AXIS_SIZE * MESH_LANES,
    DIAGONAL_FOLD = 2 * AXIS_SIZE * MESH_LANES,
    RIGHT_FOLD = DIAGONAL_FOLD + FOLD_SIZE * MESH_LANES,
    BELOW_FOLD = RIGHT_FOLD + FOLD_SIZE * MESH_LANES,
};

CASE SheetTangent tangent_load(const double *from)
{
    return (SheetTangent){axis_load(from),
                          axis_load(from + BELOW_AXIS),
                          {fold_load(from + DIAGONAL_FOLD), fold_load(from + RIGHT_FOLD),
                           fold_load(from + BELOW_FOLD)}};
}

CASE void tangent_store(double *to, const SheetTangent *tangent)
{
    axis_store(to, tangent->right);
    axis_store(to + BELOW_AXIS, tangent->below);
    fold_store(to + DIAGONAL_FOLD, tangent->folds.diagonal);
    fold_store(to + RIGHT_FOLD, tangent->folds.right);
    fold_store(to + BELOW_FOLD, tangent->folds.below);
}

static void geometry(const GridStencil *grid, const double *x, int first, int last, double *to)
{
    for (int row = first; row < last; row++) {
        for (int number = 0; number < parts_of_row(grid); number++) {
            Part part = part_of_row(grid, row, number);
            Around q = look_around(x + part.at, grid->width);
            SheetTangent tangent = tangent_at(grid, &q);
            tangent_store(to + part.block * SHEET_SIZE * MESH_LANES + part.lane, &tangent);
        }
    }
}

// ---- products

// The rate of  n = |e| N/|N|^2,  where N = e x a changes by |e| `rate` and |e| by |e| `growth`.
CASE Vx3 gradient_rate(Vx3 n, Vx3 rate, V growth)
{
    return vx3_add_scaled(vx3_scale(vx3_dot(n, n), rate), growth - 2.0 * vx3_dot(n, rate), n);
}

// out += turn times the second derivative of the angle, times the motion whose sides are ds
CASE void add_fold_turn(const Fold *fold, V turn, Sides s, Sides ds, Vx3 *out0, Vx3 *out1,
                        Vx3 *out2, Vx3 *out3)
{
    V square = vx3_dot(s.e, s.e);
    VMask some = vx3_dot(fold->n, fold->n) > v_all(0.0);
    V per_length = v_rsqrt(some, square), per_square = per_length * per_length;
    V growth = vx3_dot(s.e, ds.e) * per_square; // of |e|, per |e|
    Vx3 n_rate = vx3_add(vx3_cross(ds.e, s.a), vx3_cross(s.e, ds.a));
    Vx3 m_rate = vx3_add(vx3_cross(ds.c, s.e), vx3_cross(s.c, ds.e));
    Vx3 dn = gradient_rate(fold->n, vx3_scale(per_length, n_rate), growth);
    Vx3 dm = gradient_rate(fold->m, vx3_scale(per_length, m_rate), growth);
    V at_n = (vx3_dot(ds.a, s.e) + vx3_dot(s.a, ds.e)) * per_square - 2.0 * fold->at_n * growth;
    V at_m = (vx3_dot(ds.c, s.e) + vx3_dot(s.c, ds.e)) * per_square - 2.0 * fold->at_m * growth;
    Vx3 along = vx3_add_scaled(vx3_scale(fold->at_n, dn), at_n, fold->n);
    along = vx3_add_scaled(vx3_add_scaled(along, fold->at_m, dm), at_m, fold->m);
    *out0 = vx3_add_scaled(*out0, turn, vx3_sub(along, vx3_add(dn, dm)));
    *out1 = vx3_add_scaled(*out1, -turn, along);
    *out2 = vx3_add_scaled(*out2, turn, dn);
    *out3 = vx3_add_scaled(*out3, turn, dm);
}

// Like that of a spring, but t0 also counts where a thread has no direction.
CASE Block thread_block(Axis s, V k, BlockLaw law)
{
    V isotropic = k * (law.t0 + law.t1 * v_positive(s.r) + law.t2 * s.r);
    return (Block){s.u, isotropic, law.total * k - isotropic};
}

CASE void add_stretch(Block block, const Vx3 *pa, const Vx3 *pb, Vx3 *out_a, Vx3 *out_b)
{
    Vx3 g = block_product(block, *pa, *pb);
    *out_a = vx3_add(*out_a, g);
    *out_b = vx3_sub(*out_b, g);
}

CASE Around product_of_part(bool full, Part part, EdgeStiffness edge, const SheetTangent *tangent,
                            const Around *x, const Around *p, BlockLaw law)
{
    Around out = {0};
    const Folds *folds = &tangent->folds;
    add_stretch(thread_block(tangent->right, edge.right, law), &p->here, &p->right, &out.here,
                &out.right);
    add_stretch(thread_block(tangent->below, edge.below, law), &p->here, &p->below, &out.here,
                &out.below);
    Cell cell = cell_of(x), dp = cell_of(p);
    V shear = law.total * stiffness_of(part, GRID_FALLING);
    add_shear(&out, &cell, shear * upper_shear(&cell, &dp), shear * lower_shear(&cell, &dp));
    V diagonal = stiffness_of(part, GRID_RISING), right = stiffness_of(part, GRID_RIGHT2);
    V below = stiffness_of(part, GRID_BELOW2);
    add_fold(&folds->diagonal,
             law.total * diagonal * fold_rate(&folds->diagonal, DIAGONAL_CORNERS(, p)),
             DIAGONAL_CORNERS(&, &out));
    add_fold(&folds->right, law.total * right * fold_rate(&folds->right, RIGHT_CORNERS(, p)),
             RIGHT_CORNERS(&, &out));
    add_fold(&folds->below, law.total * below * fold_rate(&folds->below, BELOW_CORNERS(, p)),
             BELOW_CORNERS(&, &out));
    if (full) { // C times the second derivative of C
        V twist = law.t2 * stiffness_of(part, GRID_FALLING);
        add_shear(&out, &dp, twist * vx3_dot(cell.top, cell.left),
                  twist * vx3_dot(cell.bottom, cell.right));
        CellSides s = sides_of(x), ds = sides_of(p);
        add_fold_turn(&folds->diagonal, law.t2 * diagonal * folds->diagonal.angle, s.diagonal,
                      ds.diagonal, DIAGONAL_CORNERS(&, &out));
        add_fold_turn(&folds->right, law.t2 * right * folds->right.angle, s.right, ds.right,
                      RIGHT_CORNERS(&, &out));
        add_fold_turn(&folds->below, law.t2 * below * folds->below.angle, s.below, ds.below,
                      BELOW_CORNERS(&, &out));
    }
    return out;
}

CASE V product_of_row(bool full, bool stored, const GridStencil *grid, const PRows *rows, int row,
                      double *out, Roll roll)
{
    const GridProduct *product = rows->product;
    const double *here = p_row(rows, row), *next = p_row(rows, row + 1);
    const double *after = p_row(rows, row + 2);
    long width = grid->width;
    V dot = v_all(0.0);
    Handed handed = {0};
    for (int number = 0; number < parts_of_row(grid); number++) {
        Part part = part_of_row(grid, row, number);
        long at = part.at, in_row = at - 3L * row * width;
        Around x = look_around(product->x + at, width);
        Around p = look_at_rows(here + in_row, next + in_row, after + in_row, width);
        SheetTangent tangent =
            stored
                ? tangent_load(product->geometry + part.block * SHEET_SIZE * MESH_LANES + part.lane)
                : tangent_at(grid, &x);
        Around g = product_of_part(full, part, edge_stiffness(part, row, number), &tangent, &x, &p,
                                   product->law);
        Roll there = {roll.here + in_row, roll.next + in_row, roll.after + in_row};
        Vx3 sum = hand_out(&g, &handed, there, width);
        sum = vx3_add_scaled(sum, product->mass_factor * v_load(product->mass + at), p.here);
        dot += vx3_dot(p.here, sum);
        if (out) vx3_store(out + at, width, sum);
    }
    return dot;
}

CASE void product_of_rows(bool full, bool stored, const GridStencil *grid,
                          const GridProduct *product, int first, int last, double *memory)
{
    Roll roll = roll_start(grid, memory);
    PRows p = p_start(grid, product, first, last, memory);
    for (int row = roll_first_row(first); row < last; row++, roll = roll_on(roll)) {
        make_p(&p, row + 2);
        V dot =
            product_of_row(full, stored, grid, &p, row, row < first ? NULL : product->out, roll);
        if (row >= first) product->dots[row] = v_sum(dot);
    }
}

static void product(const GridStencil *grid, const GridProduct *what, int first, int last,
                    double *roll)
{
    bool full = what->law.t2 != 0.0;
    if (what->geometry && full) {
        product_of_rows(true, true, grid, what, first, last, roll);
    } else if (what->geometry) {
        product_of_rows(false, true, grid, what, first, last, roll);
    } else if (full) {
        product_of_rows(true, false, grid, what, first, last, roll);
    } else {
        product_of_rows(false, false, grid, what, first, last, roll);
    }
}

// ---- diagonal blocks, without the terms that may be negative: a preconditioner must be definite

CASE void add_stretch_half(bool main, Block block, Vx3 *out_a, Vx3 *out_b)
{
    V total = block.isotropic + block.axial;
    block.isotropic = v_positive(block.isotropic);
    block.axial = total - block.isotropic;
    Vx3 half = half_block(main, block);
    *out_a = vx3_add(*out_a, half);
    *out_b = vx3_add(*out_b, half);
}

CASE void add_square(bool main, V s, Vx3 g, Vx3 *out)
{
    *out = vx3_add(*out, half_square(main, s, g));
}

CASE void add_fold_half(bool main, const Fold *fold, V s, Vx3 *out0, Vx3 *out1, Vx3 *out2,
                        Vx3 *out3)
{
    Vx3 at1 = vx3_add_scaled(vx3_scale(fold->at_n, fold->n), fold->at_m, fold->m);
    add_square(main, s, vx3_sub(at1, vx3_add(fold->n, fold->m)), out0);
    add_square(main, s, at1, out1);
    add_square(main, s, fold->n, out2);
    add_square(main, s, fold->m, out3);
}

CASE Around diagonal_of_part(bool main, Part part, EdgeStiffness edge, const SheetTangent *tangent,
                             const Around *x, BlockLaw law)
{
    Around out = {0};
    const Folds *folds = &tangent->folds;
    add_stretch_half(main, thread_block(tangent->right, edge.right, law), &out.here, &out.right);
    add_stretch_half(main, thread_block(tangent->below, edge.below, law), &out.here, &out.below);
    Cell cell = cell_of(x);
    V shear = law.total * stiffness_of(part, GRID_FALLING);
    add_square(main, shear, vx3_add(cell.top, cell.left), &out.here);
    add_square(main, shear, cell.left, &out.right);
    add_square(main, shear, cell.top, &out.below);
    add_square(main, shear, vx3_add(cell.bottom, cell.right), &out.below_right);
    add_square(main, shear, cell.bottom, &out.right);
    add_square(main, shear, cell.right, &out.below);
    add_fold_half(main, &folds->diagonal, law.total * stiffness_of(part, GRID_RISING),
                  DIAGONAL_CORNERS(&, &out));
    add_fold_half(main, &folds->right, law.total * stiffness_of(part, GRID_RIGHT2),
                  RIGHT_CORNERS(&, &out));
    add_fold_half(main, &folds->below, law.total * stiffness_of(part, GRID_BELOW2),
                  BELOW_CORNERS(&, &out));
    return out;
}

CASE void diagonal_half(bool main, const GridStencil *grid, const GridDiagonal *what, int first,
                        int last, double *memory, double *out)
{
    long width = grid->width;
    Roll roll = roll_start(grid, memory);
    for (int row = roll_first_row(first); row < last; row++, roll = roll_on(roll)) {
        Handed handed = {0};
        for (int number = 0; number < parts_of_row(grid); number++) {
            Part part = part_of_row(grid, row, number);
            SheetTangent tangent =
                tangent_load(what->geometry + part.block * SHEET_SIZE * MESH_LANES + part.lane);
            Around q = look_around(what->x + part.at, width);
            Around g = diagonal_of_part(main, part, edge_stiffness(part, row, number), &tangent, &q,
                                        what->law);
            Vx3 own = hand_out(&g, &handed, roll_at(roll, part.at - 3L * row * width), width);
            if (row >= first) vx3_store(out + part.at, width, own);
        }
    }
}

static void diagonal(const GridStencil *grid, const GridDiagonal *what, int first, int last,
                     double *roll)
{
    diagonal_half(true, grid, what, first, last, roll, what->main);
    diagonal_half(false, grid, what, first, last, roll, what->off);
}

GridKernelSweep KERNEL(sweep_sheet);
GridKernelEnergy KERNEL(energy_sheet);

extern const GridModelKernels KERNEL(grid_sheet);
const GridModelKernels KERNEL(grid_sheet) = {
    .geometry_size = SHEET_SIZE * MESH_LANES,
    .sweep = KERNEL(sweep_sheet),
    .energy = KERNEL(energy_sheet),
    .geometry = geometry,
    .product = product,
    .diagonal = diagonal,
};
