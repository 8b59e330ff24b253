// Compiled once per instruction set, see src/meson.build: rows of grid_levels.h on the way down and
// up.
#include "cloth/grid_turn.h"

// A row of a finer grid,  centre here + (above + below) / 2,  where such rows are there, and 0
// beyond the border. Or that sum, which somebody has made, as `here`.
typedef struct FineRow {
    const double *above, *here, *below;
    double upper, centre, lower; // weights
    int columns;
    long width; // from one component to the next
} FineRow;

// A register of component c. `inner`: no column is beyond the border.
CASE V fine_at(bool made, bool inner, const FineRow *row, int c, int i)
{
    if (!inner && i >= row->columns) return v_all(0.0);
    long at = c * row->width + i;
    V sum = v_load(row->here + at);
    if (!made)
        sum = row->centre * sum +
              (row->upper * v_load(row->above + at) + row->lower * v_load(row->below + at));
    return !inner && i + V_LANES > row->columns ? v_first(row->columns - i, sum) : sum;
}

// Around row j; `r` is where row 0 starts.
CASE FineRow row_around(const GridNodes *from, const double *r, int j)
{
    long size = 3L * from->width;
    bool centre = j < from->rows, below = j + 1 < from->rows;
    const double *there = r + (centre ? j : j - 1) * size; // of weight 0 where the row is missing
    return (FineRow){.above = j > 0 ? r + (j - 1) * size : there,
                     .here = there,
                     .below = below ? there + size : there,
                     .upper = j > 0 ? 0.5 : 0.0,
                     .centre = centre ? 1.0 : 0.0,
                     .lower = below ? 0.5 : 0.0,
                     .columns = from->columns,
                     .width = from->width};
}

// Held particles of the three rows around j.
typedef struct HeldAround {
    int first, end; // of GridHeld
} HeldAround;

CASE HeldAround held_around(GridHeld held, const GridNodes *from, int j)
{
    if (!held.start) return (HeldAround){0, 0};
    int first = j > 0 ? j - 1 : 0, last = j + 2 < from->rows ? j + 2 : from->rows;
    return (HeldAround){held.start[first < last ? first : last], held.start[last]};
}

// The sums of a row without what is held.
static FineRow leave_out_held(GridHeld held, const GridNodes *from, const double *r, int j,
                              const FineRow *row, double *sums)
{
    FineRow made = {.here = sums, .columns = from->columns, .width = from->width + MESH_LANES};
    int first = j > 0 ? j - 1 : 0, last = j + 1 < from->rows ? j + 1 : from->rows - 1;
    for (int c = 0; c < 3; c++) {
        double *sum = sums + c * made.width;
        for (int i = 0; i < from->columns; i += V_LANES)
            v_store(sum + i, fine_at(false, false, row, c, i));
        for (int k = first; k <= last; k++) {
            const double *of_row = r + (3L * k + c) * from->width;
            for (int h = held.start[k]; h < held.start[k + 1]; h++)
                sum[held.column[h]] -= (k == j ? 1.0 : 0.5) * of_row[held.column[h]];
        }
    }
    return made;
}

// Nodes i .. i + V_LANES - 1 of a row. `odd` has what the nodes before had to their right. Returns
// their part of r'z.
CASE V down_nodes(bool made, bool inner, const FineRow *row, const GridNodes *to, long at, int i,
                  V odd[3])
{
    V half = v_all(0.5), sums[3];
    for (int c = 0; c < 3; c++) {
        V a = fine_at(made, inner, row, c, 2 * i);
        V b = fine_at(made, inner, row, c, 2 * i + V_LANES);
        V right = v_odd(a, b), left = v_shift1(odd[c], right);
        sums[c] = v_even(a, b) + half * (left + right);
        odd[c] = right;
    }
    Vx3 q = {sums[0], sums[1], sums[2]};
    Vx3 s = sym_product(vx3_load(to->main + at + i, to->width),
                        vx3_load(to->off + at + i, to->width), q);
    vx3_store(to->r + at + i, to->width, q);
    vx3_store(to->z + at + i, to->width, s);
    return vx3_dot(q, s);
}

CASE V down_row(bool made, const FineRow *row, const GridNodes *to, long at)
{
    V dot = v_all(0.0), odd[3] = {dot, dot, dot};
    int i = 0;
    for (; 2 * (i + V_LANES) <= row->columns; i += V_LANES)
        dot += down_nodes(made, true, row, to, at, i, odd);
    for (; i < to->columns; i += V_LANES) dot += down_nodes(made, false, row, to, at, i, odd);
    return dot;
}

double KERNEL(level_down)(const GridNodes *from, const double *r, GridHeld held,
                          const GridNodes *to, int row, double *sums);
double KERNEL(level_down)(const GridNodes *from, const double *r, GridHeld held,
                          const GridNodes *to, int row, double *sums)
{
    int j = 2 * row;
    long at = 3L * row * to->width;
    HeldAround around = held_around(held, from, j);
    FineRow fine = row_around(from, r, j);
    if (around.first == around.end) return v_sum(down_row(false, &fine, to, at));
    FineRow made = leave_out_held(held, from, r, j, &fine, sums);
    return v_sum(down_row(true, &made, to, at));
}

void KERNEL(level_up)(const GridNodes *coarse, const GridNodes *to, int row);
void KERNEL(level_up)(const GridNodes *coarse, const GridNodes *to, int row)
{
    for (int c = 0; c < 3; c++) {
        double *z = to->z + (3L * row + c) * to->width;
        const double *above = coarse->z + c * coarse->width + 3L * (row / 2) * coarse->width;
        const double *below = row % 2 ? above + 3 * coarse->width : above;
        for (int i = 0; 2 * i < to->columns; i += V_LANES) {
            Spread add = spread_part(above + i, below + i);
            v_store(z + 2 * i, v_load(z + 2 * i) + add.low);
            if (2 * i + V_LANES < to->columns)
                v_store(z + 2 * i + V_LANES, v_load(z + 2 * i + V_LANES) + add.high);
        }
    }
}

// A line of cells around the corners of a register's nodes: left and right of them.
typedef struct Cells {
    V left, right;
} Cells;

CASE Cells cells_at(const double *line, int i, V *before)
{
    V right = v_load(line + i), left = v_shift1(*before, right);
    *before = right;
    return (Cells){left, right};
}

void KERNEL(level_nodes)(const GridNodes *nodes, const GridCells *cells, int row, double *main,
                         double *off);
void KERNEL(level_nodes)(const GridNodes *nodes, const GridCells *cells, int row, double *main,
                         double *off)
{
    enum { SUMS = 6, MASS = 2 * SUMS };
    long width = nodes->width, at = 3L * row * width;
    V third = v_all(cells->scale / 3.0), half = v_all(0.5 * cells->scale);
    V above_before[GRID_CELL] = {{0}}, below_before[GRID_CELL] = {{0}};
    for (int i = 0; i < nodes->columns; i += V_LANES) {
        V sum[GRID_CELL], mixed[GRID_CELL];
        for (int c = 0; c < GRID_CELL; c++) {
            Cells above = cells_at(cells->above + c * width, i, &above_before[c]);
            Cells below = cells_at(cells->below + c * width, i, &below_before[c]);
            sum[c] = (above.left + above.right) + (below.left + below.right);
            mixed[c] = (above.left - above.right) + (below.right - below.left);
        }
        V m = cells->mass * sum[MASS];
        for (int c = 0; c < SUMS; c++) {
            V block = third * sum[c] + half * mixed[SUMS + c] + (c < 3 ? m : v_all(0.0));
            double *to = c < 3 ? main + c * width : off + (c - 3) * width;
            v_store(to + at + i, v_first(nodes->columns - i, block));
        }
    }
}
