// Private to the files that are compiled once per instruction set: the rows of p that a product
// looks at, and how PCG's new direction is made of them on the way:
//   x += step p,   p = z + P z_1 + beta p
// with the z_1 of the next coarser grid, if there is one (grid_levels.h). p is written over, and z
// by the product. A band looks at two rows above and below it, which others write over: it makes
// them for itself, before any of them starts (make_around).
#ifndef CLOTH_GRID_TURN_H
#define CLOTH_GRID_TURN_H

#include "cloth/grid_parts.h"

// Two registers of a line of P z, from one of the coarser grid's two lines around it.
typedef struct Spread {
    V low, high;
} Spread;

CASE Spread spread_part(const double *above, const double *below)
{
    V half = v_all(0.5);
    V here = half * (v_load(above) + v_load(below));
    V next = half * (v_load(above + 1) + v_load(below + 1));
    V between = half * (here + next);
    return (Spread){v_zip_low(here, between), v_zip_high(here, between)};
}

// One line of P z for a row of the next finer grid: `columns` entries, and up to 2 V_LANES beyond.
CASE void spread_line(const double *z, long width, int row, int columns, double *out)
{
    const double *above = z + 3L * (row / 2) * width;
    const double *below = row % 2 ? above + 3 * width : above;
    for (int i = 0; 2 * i < columns; i += V_LANES) {
        Spread part = spread_part(above + i, below + i);
        v_store(out + 2 * i, part.low);
        v_store(out + 2 * i + V_LANES, part.high);
    }
}

typedef struct PRows {
    const GridStencil *grid;
    const GridProduct *product;
    int first, last; // of the band
    double *around;  // the two rows above the band, the two below, and a copy of its last one
    double *spread;  // room for two rows
} PRows;

// Where row `row` of p is, from two above the band to two below.
CASE double *made_row(const PRows *rows, int row)
{
    long size = 3L * rows->grid->width;
    if (row < rows->first) return rows->around + (row - rows->first + 2) * size;
    if (row >= rows->last) return rows->around + (row - rows->last + 2) * size;
    return rows->product->turn->p + row * size;
}

// Loads of the right neighbours reach a little beyond a row. Behind the last one of the band
// another thread writes, so it is read from a copy.
CASE double *last_row(const PRows *rows)
{
    return rows->around + (GRID_AROUND - 1) * 3L * rows->grid->width;
}

CASE const double *p_row(const PRows *rows, int row)
{
    if (rows->product->turn && row == rows->last - 1) return last_row(rows);
    if (rows->product->turn) return made_row(rows, row);
    return rows->product->p + 3L * row * rows->grid->width;
}

// P z_1, and 0 at held particles and beyond the border.
CASE void spread_row(const PRows *rows, int row)
{
    const GridTurn *turn = rows->product->turn;
    const GridStencil *grid = rows->grid;
    const GridHeld *held = &turn->held;
    for (int c = 0; c < 3; c++) {
        double *line = rows->spread + c * grid->width;
        spread_line(turn->coarse + c * turn->coarse_width, turn->coarse_width, row, grid->columns,
                    line);
        for (int i = grid->columns; i < MESH_LANES * grid->blocks; i++) line[i] = 0.0;
        for (int h = held->start[row]; h < held->start[row + 1]; h++) line[held->column[h]] = 0.0;
    }
}

CASE void turn_row(bool coarse, bool own, const PRows *rows, int row)
{
    const GridStencil *grid = rows->grid;
    const GridTurn *turn = rows->product->turn;
    long width = grid->width, start = 3L * row * width;
    const double *before = turn->p + start, *of_z = rows->product->out + start;
    double *p = made_row(rows, row);
    V step = v_all(turn->step), beta = v_all(turn->beta);
    if (coarse) spread_row(rows, row);
    for (long i = 0; i < MESH_LANES * grid->blocks; i += V_LANES) {
        Vx3 old = vx3_load(before + i, width), z = vx3_load(of_z + i, width);
        if (coarse) z = vx3_add(z, vx3_load(rows->spread + i, width));
        vx3_store(p + i, width, vx3_add_scaled(z, beta, old));
        if (!own) continue;
        Vx3 x = vx3_load(turn->x + start + i, width);
        vx3_store(turn->x + start + i, width, vx3_add_scaled(x, step, old));
    }
}

CASE void make_row(bool own, const PRows *rows, int row)
{
    if (rows->product->turn->coarse) {
        turn_row(true, own, rows, row);
    } else {
        turn_row(false, own, rows, row);
    }
}

// The two rows above and below the band; 0 beyond the border.
CASE void make_around(const PRows *rows)
{
    long size = 3L * rows->grid->width;
    memset(rows->around, 0, GRID_AROUND * (size_t)size * sizeof(double));
    for (int i = 0; i < 2; i++) {
        if (rows->first - 2 + i >= 0) make_row(false, rows, rows->first - 2 + i);
        if (rows->last + i < rows->grid->rows) make_row(false, rows, rows->last + i);
    }
}

// Make row `row` of p, if it is the band's and is to be made.
CASE void make_p(const PRows *rows, int row)
{
    if (!rows->product->turn || row < rows->first || row >= rows->last) return;
    make_row(true, rows, row);
    if (row == rows->last - 1)
        memcpy(last_row(rows), made_row(rows, row), 3 * (size_t)rows->grid->width * sizeof(double));
}

// `memory` has room for GRID_WORK rows, of which roll_start uses the first.
CASE PRows p_rows(const GridStencil *grid, const GridProduct *product, int first, int last,
                  double *memory)
{
    long size = 3L * grid->width;
    return (PRows){grid,
                   product,
                   first,
                   last,
                   memory + GRID_ROLL * size,
                   memory + (GRID_ROLL + GRID_AROUND) * size};
}

// With the rows of p that the first product looks at, but for the last of them.
CASE PRows p_start(const GridStencil *grid, const GridProduct *product, int first, int last,
                   double *memory)
{
    PRows rows = p_rows(grid, product, first, last, memory);
    make_p(&rows, roll_first_row(first));
    make_p(&rows, roll_first_row(first) + 1);
    return rows;
}

#endif
