// The elastic energy of a grid, row by row. Compiled once per instruction set, see src/meson.build.
#include "cloth/grid_choi_ko.h"
#include "cloth/grid_sheet.h"

CASE V length_of(Vx3 a, Vx3 b)
{
    Direction s = direction(a, b);
    return vx3_dot(s.d, s.d) * s.inverse;
}

// Twice the energy of a spring.
CASE V spring_energy(Vx3 a, Vx3 b, V k, double rest_length)
{
    V extension = length_of(a, b) - rest_length;
    return k * extension * extension;
}

// The arc takes over where  y = BUCKLING_STRAIN G(y) / 3; its energy goes on from there.
#define ARC_START 1.000600772684580911e-3
#define ARC_START_PHI_SQUARE 6.0054076243269565e-3

CASE V buckling_energy(GridSpring spring, Vx3 a, Vx3 b, V k, double rest_length)
{
    V y = 1.0 - length_of(a, b) * (1.0 / rest_length), share = y * y;
    double square = rest_length * rest_length;
    if (spring != GRID_RIGHT2 && spring != GRID_BELOW2)
        return v_where(y < v_all(0.0), square * k * share);
    VMask bent = y > v_all(ARC_START);
    if (v_any(bent)) {
        V z2 = ARC_BRANCH - y, t = (z2 * v_rsqrt(bent, z2) - ARC_MIDDLE) * (1.0 / ARC_HALF);
        V phi_square = y * arc_polynomial(arc_phi_square, t, NULL);
        V arc = ARC_START * ARC_START + BUCKLING_STRAIN / 3.0 * (phi_square - ARC_START_PHI_SQUARE);
        share = v_select(bent, arc, share);
    }
    return v_where(y > v_all(0.0), square * k * share);
}

CASE V energy_of_springs(bool buckles, const GridStencil *grid, Part part, const Around *q)
{
    V sum = v_all(0.0);
#define ADD(a, b, spring)                                                                          \
    sum += buckles                                                                                 \
               ? buckling_energy(spring, q->a, q->b, stiffness_of(part, spring),                   \
                                 grid->rest_length[spring])                                        \
               : spring_energy(q->a, q->b, stiffness_of(part, spring), grid->rest_length[spring])
    ADD(here, right, GRID_RIGHT);
    ADD(here, below, GRID_BELOW);
    ADD(here, below_right, GRID_FALLING);
    ADD(right, below, GRID_RISING);
    ADD(here, right2, GRID_RIGHT2);
    ADD(here, below2, GRID_BELOW2);
#undef ADD
    return sum;
}

CASE V energy_of_sheet(const GridStencil *grid, Part part, EdgeStiffness edge, const Around *q)
{
    V sum = spring_energy(q->here, q->right, edge.right, grid->spacing) +
            spring_energy(q->here, q->below, edge.below, grid->spacing);
    Cell cell = cell_of(q);
    V upper = vx3_dot(cell.top, cell.left), lower = vx3_dot(cell.bottom, cell.right);
    sum += stiffness_of(part, GRID_FALLING) * (upper * upper + lower * lower);
    CellSides sides = sides_of(q);
    Folds folds = folds_of(grid, &sides);
    sum += stiffness_of(part, GRID_RISING) * folds.diagonal.angle * folds.diagonal.angle;
    sum += stiffness_of(part, GRID_RIGHT2) * folds.right.angle * folds.right.angle;
    return sum + stiffness_of(part, GRID_BELOW2) * folds.below.angle * folds.below.angle;
}

CASE void energy_of_rows(GridModel model, const GridStencil *grid, const double *x, int first,
                         int last, double *of_row)
{
    for (int row = first; row < last; row++) {
        V sum = v_all(0.0);
        for (int number = 0; number < parts_of_row(grid); number++) {
            Part part = part_of_row(grid, row, number);
            Around q = look_around(x + part.at, grid->width);
            sum += model == GRID_MODEL_BARAFF_WITKIN
                       ? energy_of_sheet(grid, part, edge_stiffness(part, row, number), &q)
                       : energy_of_springs(model == GRID_MODEL_CHOI_KO, grid, part, &q);
        }
        of_row[row] = 0.5 * v_sum(sum);
    }
}

GridKernelEnergy KERNEL(energy_springs), KERNEL(energy_choi_ko), KERNEL(energy_sheet);

void KERNEL(energy_springs)(const GridStencil *grid, const double *x, int first, int last,
                            double *of_row)
{
    energy_of_rows(GRID_MODEL_SPRINGS, grid, x, first, last, of_row);
}

void KERNEL(energy_choi_ko)(const GridStencil *grid, const double *x, int first, int last,
                            double *of_row)
{
    energy_of_rows(GRID_MODEL_CHOI_KO, grid, x, first, last, of_row);
}

void KERNEL(energy_sheet)(const GridStencil *grid, const double *x, int first, int last,
                          double *of_row)
{
    energy_of_rows(GRID_MODEL_BARAFF_WITKIN, grid, x, first, last, of_row);
}
