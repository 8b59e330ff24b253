// Compiled once per instruction set, see src/meson.build: the springs' part of grid_levels.h.
#include "cloth/grid_tangent.h"

typedef struct Sum { // of blocks: xx, yy, zz and xy, xz, yz
    Vx3 main, off;
} Sum;

// a + s b
CASE Sum sum_of(Sum a, double s, Sum b)
{
    return (Sum){vx3_add_scaled(a.main, v_all(s), b.main), vx3_add_scaled(a.off, v_all(s), b.off)};
}

CASE Sum stored(const GridStencil *grid, Part part, GridSpring spring, const double *geometry,
                Vx3 a, Vx3 b, BlockLaw law)
{
    Block block = block_of_spring(true, vx3_sub(a, b), v_load(geometry + MESH_LANES * (int)spring),
                                  grid->rest_length[spring], stiffness_of(part, spring), law);
    return (Sum){half_block(true, block), half_block(false, block)};
}

CASE void add_lines(double *to, long width, Sum a)
{
    vx3_store(to, width, vx3_add(vx3_load(to, width), a.main));
    to += 3 * width;
    vx3_store(to, width, vx3_add(vx3_load(to, width), a.off));
}

void KERNEL(grid_cells)(const GridStencil *grid, BlockLaw law, const double *x,
                        const double *geometry, const double *mass, int row, double *lines);
void KERNEL(grid_cells)(const GridStencil *grid, BlockLaw law, const double *x,
                        const double *geometry, const double *mass, int row, double *lines)
{
    long width = grid->width;
    for (int number = 0; number < parts_of_row(grid); number++) {
        Part part = part_of_row(grid, row, number);
        const double *kept = geometry + part.block * GRID_SPRINGS * MESH_LANES + part.lane;
        Around q = look_ahead(x + part.at, width);
        double *to = lines + (part.at - 3L * row * width);
#define STORED(a, b, spring) stored(grid, part, spring, kept, q.a, q.b, law)
        Sum falling = STORED(here, below_right, GRID_FALLING);
        Sum rising = STORED(right, below, GRID_RISING);
        Sum near = sum_of(STORED(here, right, GRID_RIGHT), 1.0, STORED(here, below, GRID_BELOW));
        Sum far = sum_of(STORED(here, right2, GRID_RIGHT2), 1.0, STORED(here, below2, GRID_BELOW2));
        Sum diagonal = sum_of(falling, 1.0, rising);
#undef STORED
        add_lines(to, width, sum_of(sum_of(near, 4.0, far), 2.0, diagonal));
        add_lines(to + 6 * width, width, sum_of(falling, -1.0, rising));
        to += 12 * width;
        v_store(to, v_load(to) + v_load(part.inside) * v_load(mass + part.at));
    }
}
